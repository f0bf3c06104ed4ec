# SPDX-License-Identifier: Apache-2.0
"""Statistics against numpy and against figures worked out by hand."""

import numpy as np
import pytest

from sluice.experiments.rates.statistics import summarise


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 100, 1001])
def test_against_numpy(count: int) -> None:
    samples = np.random.default_rng(count).normal(1600, 30, count).tolist()
    rates = summarise(samples)
    assert rates.samples == tuple(samples)
    assert rates.min == min(samples)
    assert rates.max == max(samples)
    assert rates.median == np.median(samples)
    assert rates.mean == pytest.approx(np.mean(samples), rel=1e-15)
    assert rates.p99 == np.percentile(samples, 99)
    assert rates.sigma == (np.std(samples, ddof=1) if count > 1 else 0)
    assert rates.min <= rates.mean <= rates.max


def test_by_hand() -> None:
    rates = summarise([2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0])
    assert (rates.min, rates.median, rates.mean, rates.max) == (2, 4.5, 5, 9)
    assert rates.sigma == pytest.approx((32 / 7) ** 0.5)
    assert rates.p99 == pytest.approx(7 + 2 * 0.93)


def test_equal_samples_have_no_spread() -> None:
    rates = summarise([0.1] * 10)
    assert rates.min == rates.mean == rates.max == 0.1
    assert rates.sigma == pytest.approx(0, abs=1e-15)
