# SPDX-License-Identifier: Apache-2.0
"""The rows of a plan: configurations, cheapest first."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag

from sluice.experiments.result import Conditions, Result, ResultRow
from sluice.experiments.transfers.experiment import Completions
from sluice.experiments.transfers.link import (
    CompletionShare,
    CreditsShare,
    DownShare,
    TagsShare,
    UpShare,
    Verified,
)
from sluice.labels import Direction, row_label
from sluice.models import Distinct, Record, Text, Whole, branch
from sluice.overload import OverloadError


class PlacedRates(Record):
    """What a configuration delivers where its buffers lie in one way."""

    stagger_bytes: Whole = Field(
        description="Distance of each buffer from the one before, beyond a common alignment."
    )
    at_overload: bool = Field(
        default=False,
        description="True if the memory, not ports and clock, limits the rate.",
    )
    reaches: bool = Field(
        description="True if the slowest run meets the requested rates, at overload less the "
        "model's largest error."
    )
    mb_s_a_direction: tuple[float, float, float] = Field(
        description="Slowest, mean and fastest run, in MB/s a direction."
    )


class PortsRow(ResultRow):
    """Ports of the memory system that work together."""

    form: Literal["ports"] = Field(default="ports", description="Kind of the configuration.")
    ports: Distinct[str] = Field(description='Ports that it uses, such as ["HP0", "HP2"].')
    width_bits: Whole = Field(description="Data width of each port.")
    direction: Direction = Field(description="Direction that each port works in.")
    clock_mhz: float = Field(description="Clock of the logic.")
    placements: Annotated[tuple[PlacedRates, ...], Field(min_length=2, max_length=2)] = Field(
        description="Its rates for two placements of the buffers: with the same alignment, and two "
        "banks apart."
    )
    limits: tuple[str, ...] = Field(
        description="What limits it, if it does not meet the requested rates."
    )

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


class CardRow(ResultRow):
    """How a program moves its chunks to and from a PCI Express card."""

    form: Literal["card"] = Field(default="card", description="Kind of the configuration.")
    code: Literal["FH", "HF", "FH+HF"] = Field(
        description="FH is card to host, HF is host to card, FH+HF is both at once."
    )
    design: Text = Field(description="Name of the design on the card.")
    width_bits: Whole = Field(description="Data width of the card's logic.")
    clock_mhz: float = Field(description="Clock of the card's logic.")
    depth: Annotated[int, Field(ge=1)] = Field(description="Chunks that are queued at a time.")
    completions: Completions = Field(description="How the program waits for the engine.")
    iterations: Annotated[int, Field(ge=1)] = Field(
        description="Number of chunks moved in each direction."
    )
    mb_s_a_direction: float = Field(
        description="Rate of each direction: the time of both runs until the slower one ends."
    )
    reaches: bool = Field(description="True if that meets the requested rates.")
    up_share: UpShare
    down_share: DownShare
    tags_share: TagsShare
    credits_share: CreditsShare
    completion_share: CompletionShare
    verified: Verified
    limits: tuple[str, ...] = Field(
        description="What limits it, if it does not meet the requested rates: all of these "
        "together."
    )

    @property
    def label(self) -> str:
        """Return the name of the configuration, such as "HF, depth 16, poll"."""
        return f"{self.code}, depth {self.depth}, {self.completions}"

    @property
    def wrong(self) -> bool:
        """Tell whether a byte was wrong."""
        return not self.verified


def _form(row: object) -> str:
    """Return the form of a row; those of older results, which have ports alone, do not name it."""
    form = row.get("form") if isinstance(row, Mapping) else getattr(row, "form", None)
    return branch("card" if form == "card" else "ports")


PlanRow = Annotated[
    Annotated[PortsRow, Tag(branch("ports"))] | Annotated[CardRow, Tag(branch("card"))],
    Discriminator(_form),
]


class PlanConditions(Conditions):
    """What was requested."""

    read_mb_s: float = Field(description="Required rate of reading memory, 0 for none.")
    write_mb_s: float = Field(description="Required rate of writing memory, 0 for none.")
    chunk_bytes: Whole = Field(
        description="Block that software starts at a time, for example 64KiB."
    )
    direction: Direction = Field(
        description="Direction that each port works in; of a card mm2s is host to card, s2mm card "
        "to host, duplex both at once."
    )
    sweep: Text | None = Field(
        default=None,
        description="Parquet file with the rates. Null if the plan simulated them.",
    )
    overload_error: OverloadError | None = Field(
        default=None,
        description="How far the model of a memory system is from silicon at overload. Null: not "
        "compared.",
    )


class PlanResult(Result[PlanConditions, PlanRow]):
    """Which configurations of a board meet the requested rates."""

    kind: Literal["plan"] = Field(default="plan", description="Kind of the experiment.")

    @property
    def best(self) -> PortsRow | CardRow | None:
        """Return the cheapest configuration that meets the requested rates."""
        return next((row for row in self.rows if row.reaches), None)

    @property
    def exit_status(self) -> int:
        """Return 1 where no configuration meets the requested rates."""
        return 0 if self.best is not None else 1
