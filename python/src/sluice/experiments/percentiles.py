# SPDX-License-Identifier: Apache-2.0
"""Percentiles of times that were measured: each is one of them, none is interpolated."""

from collections.abc import Sequence


def percentile(ordered: Sequence[int], share: float) -> int:
    """Return the smallest of at least one sorted sample that this share is no longer than."""
    rank = max(1, -int(-share * len(ordered) // 1))
    return ordered[min(rank, len(ordered)) - 1]
