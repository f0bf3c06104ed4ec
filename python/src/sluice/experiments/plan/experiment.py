# SPDX-License-Identifier: Apache-2.0
"""The file of a plan: what has to be moved, and how."""

from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from sluice.errors import InputError
from sluice.experiments.kind import Experiment
from sluice.labels import Direction
from sluice.models import Size, Text, problem, shown
from sluice.units import parse_rate

_CONFIGURATIONS = 10  # of the ports, and of a card's queue too


def _mb_s(value: object) -> object:
    if not isinstance(value, str):
        raise problem("", f'must be a rate such as "600MB/s", is {shown(value)}')
    try:
        return parse_rate(value)
    except InputError as error:
        raise problem("", str(error)) from error


Rate = Annotated[
    float,
    BeforeValidator(_mb_s, json_schema_input_type=str),
    Field(json_schema_extra={"examples": ["600MB/s", "1.2GB/s"]}),
]


class PlanExperiment(Experiment):
    """Which configurations of a board meet the requested rates."""

    kind: Literal["plan"] = Field(description="Kind of the experiment.")
    read: Rate = Field(
        default=0.0, description="Required rate of reading memory: of a card, host to card."
    )
    write: Rate = Field(
        default=0.0, description="Required rate of writing memory: of a card, card to host."
    )
    clock_mhz: Annotated[float, Field(gt=0)] | None = Field(
        default=None, description="Clock of the logic, MHz. Default: the board's."
    )
    chunk: Size = Field(
        default=1 << 20, description="Block that software starts at a time, for example 64KiB."
    )

    sweep: Text | None = Field(
        default=None,
        description="Parquet file of `sluice sweep` that gives the rates in place of simulations.",
    )

    @model_validator(mode="after")
    def _asks_for_something(self) -> Self:
        if not self.read and not self.write:
            raise problem("read", "is missing or 0, and write too")
        return self

    @property
    def direction(self) -> Direction:
        """Return the direction that each port, or the card, works in."""
        if self.read and self.write:
            return "duplex"
        return "mm2s" if self.read else "s2mm"

    @property
    def needed_mb_s(self) -> float:
        """Return the rate that each direction must have: the larger one of both."""
        return max(self.read, self.write)

    @property
    def design_names(self) -> tuple[str, ...]:
        """Return none: the board decides which design is planned with."""
        return ()

    @property
    def row_count(self) -> int:
        """Return how many configurations are simulated."""
        return _CONFIGURATIONS
