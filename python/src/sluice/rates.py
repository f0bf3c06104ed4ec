# SPDX-License-Identifier: Apache-2.0
"""What a row's samples come to."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Rates:
    """Rates of one row in MB/s; `samples` in order of run, `sigma` that of a sample (n - 1)."""

    min: float
    median: float
    mean: float
    p99: float
    max: float
    sigma: float
    samples: tuple[float, ...]


def summarise(samples: Sequence[float]) -> Rates:
    """Return the statistics of at least one sample."""
    values = np.asarray(samples, dtype=np.float64)
    return Rates(
        min=float(values.min()),
        median=float(np.median(values)),
        # The mean of equal samples can differ from them in the last bit: keep it within.
        mean=float(np.clip(values.mean(), values.min(), values.max())),
        p99=float(np.percentile(values, 99)),
        max=float(values.max()),
        sigma=float(values.std(ddof=1)) if len(values) > 1 else 0.0,
        samples=tuple(float(value) for value in values),
    )
