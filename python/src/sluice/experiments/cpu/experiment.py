# SPDX-License-Identifier: Apache-2.0
"""The file of an experiment about the CPU's own accesses: a list of works."""

from dataclasses import dataclass
from typing import Annotated, Literal, Self

from pydantic import Field, PrivateAttr, model_validator

from sluice.experiments.kind import Experiment
from sluice.models import Size, Table, Text, Whole, problem
from sluice.published import Cell, printed_figure

Access = Literal["copy", "read", "chase", "pio_read", "pio_write"]


class WorkTable(Table):
    """One line of the experiment."""

    name: Text = Field(description="Name of the line, each used once.")
    kind: Access = Field(
        description="Kind of work; chase is dependent loads, pio_* is programmed I/O."
    )
    bytes: Size = Field(description="Size of the buffer, or bytes of programmed I/O.")
    state: Literal["cold", "warm"] = Field(
        description="cold (with empty caches) or warm (as the first run has left them)."
    )
    uncached: bool = Field(default=False, description="True: the buffer is mapped without caches.")
    stride: Annotated[int, Field(ge=8)] | None = Field(
        default=None, description="Bytes from one load of a chase to the next."
    )
    loads: Annotated[int, Field(ge=1)] | None = Field(default=None, description="Loads of a chase.")
    minus: Text | None = Field(
        default=None, description="Name of an earlier line whose figure is subtracted."
    )
    published: Cell | None = Field(default=None, description="The printed figure.")

    @model_validator(mode="after")
    def _a_chase_alone_has_loads(self) -> Self:
        for key in ("stride", "loads"):
            if self.kind == "chase" and getattr(self, key) is None:
                raise problem(key, "is missing")
            if self.kind != "chase" and getattr(self, key) is not None:
                raise problem(key, f"is of a chase, and this is a {self.kind}")
        return self


@dataclass(frozen=True, slots=True)
class Work:
    """One line with what was published: a rate in MB/s, or of a chase the ns of a load."""

    table: WorkTable
    published: float | None
    source: str | None

    @property
    def name(self) -> str:
        """Return the name of the line."""
        return self.table.name

    @property
    def unit(self) -> Literal["ns", "MB/s"]:
        """Return the unit of its figure."""
        return "ns" if self.table.kind == "chase" else "MB/s"


class CpuExperiment(Experiment):
    """What the CPU's own accesses take."""

    kind: Literal["cpu"] = Field(description="Kind of the experiment.")
    model: dict[str, Whole] = Field(
        default_factory=dict, description="Settings of the memory model that are changed, by name."
    )
    work: Annotated[tuple[WorkTable, ...], Field(min_length=1)] = Field(
        description="The lines, each a table [[work]]."
    )

    _works: tuple[Work, ...] = PrivateAttr(default=())

    def find_published(self) -> None:
        """Find the published figure of each line."""
        works = []
        for index, table in enumerate(self.work):
            published, source = None, None
            if table.published is not None:
                where = f"work[{index}].published"
                published, source = printed_figure(table.published, self.file, where)
            works.append(Work(table, published, source))
        self._works = tuple(works)

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        names = [work.name for work in self.work]
        if len(set(names)) != len(names):
            raise problem("work", "must hold works, each under its own name")
        for index, work in enumerate(self.work):
            if work.minus is not None and work.minus not in names[:index]:
                raise problem(f"work[{index}].minus", f"'{work.minus}' is no work before it")
        return self

    @property
    def design_names(self) -> tuple[str, ...]:
        """Return the design whose registers programmed I/O reads."""
        return ("hp_stress",)

    @property
    def row_count(self) -> int:
        """Return how many lines it has."""
        return len(self.work)

    @property
    def works(self) -> tuple[Work, ...]:
        """Return the lines with what was published about them."""
        return self._works
