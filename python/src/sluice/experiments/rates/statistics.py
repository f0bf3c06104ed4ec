# SPDX-License-Identifier: Apache-2.0
"""What a row's samples come to."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from sluice.models import Record

_Rate = Annotated[float, Field(ge=0)]


class Rates(Record):
    """Rates of one row in MB/s."""

    min: _Rate = Field(description="Slowest run.")
    median: _Rate = Field(description="Median of the runs.")
    mean: _Rate = Field(description="Mean of the runs.")
    p99: _Rate = Field(description="99th percentile, interpolated linearly.")
    max: _Rate = Field(description="Fastest run.")
    sigma: _Rate = Field(description="Standard deviation of the sample (n - 1); 0 for one run.")
    samples: Annotated[tuple[_Rate, ...], Field(min_length=1)] = Field(
        description="Rate of each run, in order of run."
    )


def summarise(samples: Sequence[float]) -> Rates:
    """Return the statistics of at least one sample."""
    import numpy as np  # noqa: PLC0415  (a tenth of a second, and only measuring needs it)

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
