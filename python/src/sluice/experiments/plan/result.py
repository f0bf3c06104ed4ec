# SPDX-License-Identifier: Apache-2.0
"""The rows of a plan: configurations, cheapest first."""

from typing import Annotated, Literal

from pydantic import Field

from sluice.experiments.result import Conditions, Result, ResultRow
from sluice.labels import Direction, row_label
from sluice.models import Distinct, Record, Whole


class PlacedRates(Record):
    """What a configuration delivers where its buffers lie in one way."""

    stagger_bytes: Whole = Field(description="What each further buffer is moved by.")
    reaches: bool = Field(description="True if the slowest run meets the requested rates.")
    mb_s_a_direction: tuple[float, float, float] = Field(
        description="Slowest, mean and fastest run, in MB/s a direction."
    )


class PlanRow(ResultRow):
    """One configuration."""

    ports: Distinct[str] = Field(description='Ports that it uses, such as ["HP0", "HP2"].')
    width_bits: Whole = Field(description="Data width of each port.")
    direction: Direction = Field(description="Direction that each port works in.")
    clock_mhz: float = Field(description="Clock of the logic.")
    placements: Annotated[tuple[PlacedRates, ...], Field(min_length=2, max_length=2)] = Field(
        description="Its rates, by where the buffers lie: aligned alike, and two banks apart."
    )
    limits: tuple[str, ...] = Field(description="What holds it back, where it falls short.")

    @property
    def label(self) -> str:
        """Return the name of the configuration, such as "64-bit duplex HP0,2"."""
        return row_label(self.width_bits, self.direction, self.ports)

    @property
    def reaches(self) -> bool:
        """Tell whether it meets the requested rates in one of the placements."""
        return any(placed.reaches for placed in self.placements)

    @property
    def reaches_anywhere(self) -> bool:
        """Tell whether it meets them with buffers aligned alike, the worst placement."""
        return self.placements[0].reaches


class PlanConditions(Conditions):
    """What was requested."""

    read_mb_s: float = Field(description="Required rate of reading memory, 0 for none.")
    write_mb_s: float = Field(description="Required rate of writing memory, 0 for none.")
    chunk_bytes: Whole = Field(description="Block that software starts at a time.")
    direction: Direction = Field(description="Direction that each port works in.")


class PlanResult(Result[PlanConditions, PlanRow]):
    """Which configurations of a board meet the requested rates."""

    kind: Literal["plan"] = Field(default="plan", description="Kind of the experiment.")

    @property
    def best(self) -> PlanRow | None:
        """Return the cheapest configuration that meets the requested rates."""
        return next((row for row in self.rows if row.reaches), None)

    @property
    def exit_status(self) -> int:
        """Return 1 where no configuration meets the requested rates."""
        return 0 if self.best is not None else 1
