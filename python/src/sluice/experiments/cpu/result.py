# SPDX-License-Identifier: Apache-2.0
"""The rows of a result about the CPU's own accesses."""

from typing import Annotated, Literal

from pydantic import Field, computed_field

from sluice.experiments.cpu.experiment import Access
from sluice.experiments.result import Conditions, Result, ResultRow
from sluice.models import Text, Whole


class CpuRow(ResultRow):
    """One work: its figure and what was published."""

    name: Text = Field(description="Name of the line.")
    kind: Access = Field(
        description="Kind of work; chase is dependent loads, pio_* is programmed I/O."
    )
    bytes: Whole = Field(description="Size of the buffer, or bytes of programmed I/O.")
    state: Literal["cold", "warm"] = Field(
        description="Which of the two times the figure is of: with empty caches, or with what "
        "the first time has left in them."
    )
    uncached: bool = Field(description="True if the buffer was mapped without caches.")
    stride: Whole = Field(description="Bytes from one load of a chase to the next, else 0.")
    loads: Whole = Field(description="Loads of a chase, else 0.")
    minus: str | None = Field(description="Name of the line whose figure was subtracted.")
    figure: float = Field(description="The figure: a rate, or of a chase the time of a load.")
    unit: Literal["MB/s", "ns"] = Field(description="Unit of the figure; a copy counts once.")
    published: Annotated[float, Field(gt=0)] | None = Field(
        description="Published figure, null if nothing was published."
    )
    source: str | None = Field(description="Citation of the published figure.")
    cold_ns: float = Field(description="Time of the work with empty caches.")
    warm_ns: float = Field(
        description="Time of the work with the caches as the first run left them."
    )

    @computed_field(  # type: ignore[prop-decorator]
        description="figure / published - 1; null where published is null."
    )
    @property
    def difference(self) -> float | None:
        """Return how far the figure is from the published one, as a share of the latter."""
        return None if self.published is None else self.figure / self.published - 1

    @property
    def label(self) -> str:
        """Return the name of the line."""
        return self.name


class CpuConditions(Conditions):
    """What all works share."""

    settings: dict[str, Whole] = Field(
        description="Settings of the memory model that differ from the board's own, by name."
    )


class CpuResult(Result[CpuConditions, CpuRow]):
    """What the CPU's own accesses take."""

    kind: Literal["cpu"] = Field(default="cpu", description="Kind of the experiment.")
