# SPDX-License-Identifier: Apache-2.0
"""The file of an experiment with hardware threads: a list of cases.

A case is one subcommand of sluice-bench with its options, and has several figures.
"""

from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from sluice.experiments.kind import Experiment
from sluice.models import Table, Text, problem, shown


def _option(value: object) -> object:
    if value is True or (isinstance(value, str) and value.strip()):
        return value
    raise problem("", f"must be a text, or true for a flag, is {shown(value)}")


class Case(Table):
    """One line of the experiment."""

    name: Text = Field(description="Name of the line, each used once.")
    scenario: Literal["isolation", "pipeline"] = Field(description="Subcommand of sluice-bench.")
    options: dict[str, Annotated[Text | Literal[True], BeforeValidator(_option)]] = Field(
        description="Options of the subcommand, by name without the dashes; a flag is true."
    )

    @property
    def words(self) -> list[str]:
        """Return the options as words of a command line."""
        words: list[str] = []
        for name, value in self.options.items():
            words += [f"--{name}"] if value is True else [f"--{name}", value]
        return words


class ThreadsExperiment(Experiment):
    """What hardware threads do to one another."""

    kind: Literal["threads"] = Field(description="Kind of the experiment.")
    design: Text = Field(description="Name of the design.")
    plot: Text = Field(description="Name of the figure to draw.")
    case: Annotated[tuple[Case, ...], Field(min_length=1)] = Field(
        description="The lines, each a table [[case]]."
    )

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        names = [case.name for case in self.case]
        if len(set(names)) != len(names):
            raise problem("case", "must hold cases, each under its own name")
        return self

    @property
    def design_names(self) -> tuple[str, ...]:
        """Return the design."""
        return (self.design,)

    @property
    def row_count(self) -> int:
        """Return how many lines it has."""
        return len(self.case)
