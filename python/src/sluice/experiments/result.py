# SPDX-License-Identifier: Apache-2.0
"""A result: what `sluice run` writes and `sluice report` reads, of whatever kind.

All kinds share the envelope; a kind says what its conditions and its rows are.
"""

import json
from typing import Annotated, Generic, Literal, TypeVar

from pydantic import Field

from sluice.models import Record, Text, Whole

FORMAT: Literal["sluice-result-2"] = "sluice-result-2"


class Versions(Record):
    """Versions of the programs that measured."""

    sluice: Text = Field(description="The command.")
    sluice_bench: Text = Field(description="The native measuring program.")
    python: Text = Field(description="The interpreter.")


class Machine(Record):
    """The machine that simulated. Its speed changes no figure."""

    system: str = Field(description="Operating system and its release.")
    architecture: str = Field(description="Architecture of the processor.")
    processor: str = Field(description="Model of the processor.")
    cores: Annotated[int, Field(ge=1, description="Number of cores that the program could use.")]


class Provenance(Record):
    """Source of the figures, and how to measure them again."""

    command: Text = Field(description="Command that measures the same again.")
    board: Text = Field(description="Name of the board.")
    designs: tuple[Text, ...] = Field(description="Names of the board's designs.")
    seed: Whole | None = Field(
        description="Seed of what is drawn by chance: the same seed gives the same figures. "
        "Null where nothing is.",
    )
    versions: Versions = Field(description="Versions of the programs that measured.")
    commit: str | None = Field(
        description="Commit of the checkout, with -dirty added if tracked files differ from it; "
        "null outside a checkout.",
    )
    machine: Machine | None = Field(
        description="The machine that simulated; null in older results of some kinds.",
    )
    started: str | None = Field(
        description="When the measurement started, in UTC (ISO 8601); null as machine.",
    )
    elapsed_s: Annotated[float, Field(ge=0)] | None = Field(
        description="Time in seconds that the measurement took, by the clock of the machine; null "
        "as machine.",
    )


class Conditions(Record):
    """What all rows of a result share. A kind whose rows say everything adds nothing."""


class ResultRow(Record):
    """What every row of a result can tell about itself."""

    @property
    def label(self) -> str:
        """Return the name of the row for a message."""
        raise NotImplementedError

    @property
    def wrong(self) -> bool:
        """Tell whether data was compared and found to be wrong."""
        return False


_C = TypeVar("_C", bound=Conditions)
_R = TypeVar("_R", bound=ResultRow)


class Result(Record, Generic[_C, _R]):
    """One experiment, measured.

    MB is 10^6 bytes. Every time and rate, except elapsed_s, is by the clock that the row names. A
    simulated board has its own clock, which is not that of the machine that simulates.
    """

    format: Literal["sluice-result-2"] = Field(
        default=FORMAT,
        description="Name of this format. A field that changes its meaning changes this name.",
    )
    kind: str = Field(description="Kind of the experiment, which says what a row is.")
    experiment: Text = Field(description="Name of the experiment.")
    title: str = Field(description="Title of the experiment.")
    description: str = Field(description="What the experiment does, in a paragraph.")
    partial: bool = Field(
        default=False,
        description="True if something is missing: the measurement was interrupted or failed. "
        "Rows of which nothing was measured are left out.",
    )
    conditions: _C = Field(description="Conditions that all rows share, by kind.")
    provenance: Provenance = Field(
        description="Source of the figures, and how to measure them again."
    )
    rows: tuple[_R, ...] = Field(
        description="The measured rows, by kind, in the order of the experiment."
    )

    @property
    def exit_status(self) -> int:
        """Return the exit status of a command that measured this, all of it and rightly."""
        return 0


def to_json(result: Result[_C, _R]) -> str:
    """Return a result as the text of its file."""
    document = result.model_dump(mode="json")
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
