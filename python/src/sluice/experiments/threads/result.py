# SPDX-License-Identifier: Apache-2.0
"""The rows of a result about hardware threads beside one another."""

from typing import Literal

from pydantic import Field

from sluice.experiments.result import Conditions, Result, ResultRow
from sluice.models import Record, Text


class ThreadsFigure(Record):
    """One figure of a case."""

    name: Text = Field(description="Name of the figure.")
    value: float = Field(description="Its value.")
    unit: Text = Field(description="Its unit.")


class ThreadsRow(ResultRow):
    """One case and what was measured of it."""

    name: Text = Field(description="Name of the case.")
    command: Text = Field(description="Command of sluice-bench, without the program.")
    figures: tuple[ThreadsFigure, ...] = Field(description="The figures.")
    verified: bool = Field(description="True if every byte was compared and right.")

    def figure(self, name: str) -> ThreadsFigure | None:
        """Return the figure of that name, if the case has it."""
        return next((figure for figure in self.figures if figure.name == name), None)

    @property
    def label(self) -> str:
        """Return the name of the case."""
        return self.name

    @property
    def wrong(self) -> bool:
        """Tell whether a byte was wrong."""
        return not self.verified


class ThreadsConditions(Conditions):
    """What all cases share."""

    design: Text = Field(description="Name of the design.")
    plot: Text = Field(description="Name of the figure to draw.")


class ThreadsResult(Result[ThreadsConditions, ThreadsRow]):
    """What hardware threads do to one another."""

    kind: Literal["threads"] = Field(default="threads", description="Kind of the experiment.")

    @property
    def columns(self) -> list[tuple[str, str]]:
        """Return (name, unit) of all figures, in the order in which they come first."""
        return list(
            dict.fromkeys((entry.name, entry.unit) for row in self.rows for entry in row.figures)
        )
