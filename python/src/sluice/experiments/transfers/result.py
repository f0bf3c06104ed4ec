# SPDX-License-Identifier: Apache-2.0
"""The rows of a result about transfers of a card and a GPU, and the linear model of each series."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field, computed_field

from sluice.experiments.result import Conditions, Result, ResultRow
from sluice.experiments.transfers.experiment import Code, Completions, HostMemory
from sluice.experiments.transfers.link import (
    Clock,
    CompletionShare,
    CreditsShare,
    DownShare,
    TagsShare,
    UpShare,
    Verified,
)
from sluice.labels import RTL, Level
from sluice.models import Record, Text, Whole
from sluice.units import format_bytes

_FEWEST = 3  # sizes and times that a fit needs: two say nothing about how well it fits


class Latency(Record):
    """Times of single transfers, from their start to their end, in µs."""

    min_us: float = Field(description="Shortest time.")
    p50_us: float = Field(description="Median.")
    p90_us: float = Field(description="90 % of the transfers took no longer.")
    p99_us: float = Field(description="99 % of the transfers took no longer.")
    max_us: float = Field(description="Longest time.")


class PublishedRateRow(Record):
    """A printed rate."""

    mb_s: float = Field(description="MB/s.")
    source: Text = Field(description="Citation.")


class TransfersRow(ResultRow):
    """Transfers of one size: all of them timed together, and each by itself."""

    series: Text = Field(description="Name of the series.")
    code: Code = Field(description="Path of the transfers.")
    design: Text | None = Field(description="Name of the design; null of a device.")
    bytes: Annotated[int, Field(ge=1)] = Field(description="Size of a transfer.")
    depth: Annotated[int, Field(ge=1)] = Field(description="Transfers queued at a time.")
    completions: Completions | None = Field(
        description="How the program waited for the engine; null of a device."
    )
    level: Level | None = Field(
        default=None, description="As in the conditions; null in older results."
    )
    gpu: Text | None = Field(
        default=None,
        description="The GPU that took part, by CUDA's name; null without a GPU. model NAME is a "
        "simulated one, stub is libsluice-cuda's test double, memory of FUNCTION is another "
        "device's memory.",
    )
    host: HostMemory = Field(
        default="pinned", description="Host memory of GH and HG: whether the GPU knows it."
    )
    settings: dict[str, Whole] = Field(
        default_factory=dict,
        description="Settings of the model for this row's series, besides those of all.",
    )
    iterations: Annotated[int, Field(ge=1)] = Field(
        description="Number of transfers in each direction."
    )
    mb_s: float = Field(
        description="All bytes / the time of all transfers; for FH+HF those of both directions."
    )
    us: float = Field(description="Time of all transfers / iterations, us.")
    latency: Latency | None = Field(description="Null for the CPU's copies.")
    up_share: UpShare | None
    down_share: DownShare | None
    tags_share: TagsShare | None
    credits_share: CreditsShare | None
    completion_share: CompletionShare | None
    clock: Clock = "simulated"
    verified: Verified
    published: PublishedRateRow | None = Field(
        default=None, description="The printed rate of this size, null if none was."
    )

    @computed_field(  # type: ignore[prop-decorator]
        description="mb_s / published rate - 1; null where published is null."
    )
    @property
    def difference(self) -> float | None:
        """Return how far the rate is from the published one, as a share of the latter."""
        return None if self.published is None else self.mb_s / self.published.mb_s - 1

    @property
    def label(self) -> str:
        """Return series and size."""
        return f"{self.series}, {format_bytes(self.bytes)}"

    @property
    def wrong(self) -> bool:
        """Tell whether a byte was wrong."""
        return not self.verified


class PublishedFitRow(Record):
    """A printed linear model."""

    bandwidth_mb_s: float = Field(description="MB/s.")
    latency_us: float = Field(description="µs.")
    source: Text = Field(description="Citation.")


class Fit(Record):
    """time = latency + bytes / bandwidth, fitted to a series."""

    series: Text = Field(description="Name of the series.")
    code: Code = Field(description="Path of the transfers.")
    bandwidth_mb_s: float = Field(description="Bandwidth.")
    latency_us: float = Field(description="Latency.")
    r2: float = Field(description="Coefficient of determination, of the times.")
    published: PublishedFitRow | None = Field(description="The printed model, null if none was.")

    @computed_field(  # type: ignore[prop-decorator]
        description="bandwidth / published bandwidth - 1; null where published is null."
    )
    @property
    def difference(self) -> float | None:
        """Return how far the bandwidth is from the published one, as a share of the latter."""
        if self.published is None:
            return None
        return self.bandwidth_mb_s / self.published.bandwidth_mb_s - 1


def fit_line(points: Sequence[tuple[float, float]]) -> tuple[float, float, float]:
    """Return (latency, time of a byte, r2) of (bytes, time) points.

    Least squares of the relative errors: with sizes that double, plain least squares would see the
    largest alone, and the latency would be anything.
    """
    weights = [1 / time**2 for _, time in points]
    total = sum(weights)
    mean_size = sum(w * size for w, (size, _) in zip(weights, points, strict=True)) / total
    mean_time = sum(w * time for w, (_, time) in zip(weights, points, strict=True)) / total
    spread = sum(w * (size - mean_size) ** 2 for w, (size, _) in zip(weights, points, strict=True))
    joint = sum(
        w * (size - mean_size) * (time - mean_time)
        for w, (size, time) in zip(weights, points, strict=True)
    )
    slope = joint / spread
    latency = mean_time - slope * mean_size
    plain_mean = sum(time for _, time in points) / len(points)
    scatter = sum((time - plain_mean) ** 2 for _, time in points)
    left = sum((time - latency - slope * size) ** 2 for size, time in points)
    return latency, slope, 1 - left / scatter


class TransfersConditions(Conditions):
    """What all transfers share."""

    board: Text = Field(description="Name of the board; of a device its URI.")
    cuda: Annotated[int, Field(ge=0)] | None = Field(
        default=None, description="CUDA's number of the GPU, null where it is a model."
    )
    level: Level | None = Field(
        default=RTL,
        description="rtl (the design's own logic moved the data) or transaction (engines of the "
        "same policy without logic). Null if each row has its own.",
    )
    peer: Text | None = Field(
        default=None,
        description="Memory of another device in place of a GPU, null without such memory.",
    )
    settings: dict[str, Whole] = Field(
        description="Settings of the link's model that differ from the board's own, by name."
    )
    fit: bool = Field(description="True if each series is fitted.")
    published: dict[str, PublishedFitRow] = Field(
        description="Printed linear models, by name of the series."
    )


class TransfersResult(Result[TransfersConditions, TransfersRow]):
    """Transfers between a card, its host and a GPU."""

    kind: Literal["transfers"] = Field(default="transfers", description="Kind of the experiment.")

    @computed_field(  # type: ignore[prop-decorator]
        description="The linear model of each series that has three sizes or more, whose times "
        "grow with them."
    )
    @property
    def fits(self) -> tuple[Fit, ...]:
        """Return the fits, in the order of the series."""
        if not self.conditions.fit:
            return ()
        fits = []
        for name in self.series:
            rows = [row for row in self.rows if row.series == name]
            if min(len(rows), len({row.us for row in rows})) < _FEWEST:
                continue
            latency, slope, r2 = fit_line([(row.bytes, row.us) for row in rows])
            if slope <= 0:  # sizes so small that the clock's edges hide what a byte takes
                continue
            fits.append(
                Fit(
                    series=name,
                    code=rows[0].code,
                    bandwidth_mb_s=1 / slope,
                    latency_us=latency,
                    r2=r2,
                    published=self.conditions.published.get(name),
                )
            )
        return tuple(fits)

    @property
    def series(self) -> tuple[str, ...]:
        """Return the names of the series, in order."""
        return tuple(dict.fromkeys(row.series for row in self.rows))
