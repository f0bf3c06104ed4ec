# SPDX-License-Identifier: Apache-2.0
"""The file of an experiment under Linux: what is loaded, and programs that measure their calls."""

import shlex
from dataclasses import dataclass
from typing import Annotated, Literal, Self

from pydantic import Field, PrivateAttr, model_validator

from sluice.errors import InputError
from sluice.experiments.kind import Experiment
from sluice.experiments.linux.energy import EnergyTable
from sluice.models import Distinct, Table, Text, Whole, problem
from sluice.published import Cell, Printed, printed_with_unit, read_dataset

View = Literal["user", "kernel", "engine"]
State = Literal["cold", "warm"]
Way = Literal["published", "calls", "queue"]
Count = Annotated[int, Field(ge=1)]

_LATENCY = "Latency"  # begins the column of times in us
_US = {"ns": 1e-3, "us": 1.0, "ms": 1e3}
_RATE = "MB/s"


class ModuleTable(Table):
    """A module of the kernel."""

    name: Text = Field(description="Name of the module.")
    arguments: str = Field(default="", description="Its parameters, as insmod takes them.")


class LogicTable(Table):
    """What is in the logic, and what the kernel loads for it."""

    name: Text = Field(description="Its name, each used once.")
    design: Text = Field(description="Name of the design.")
    clock_mhz: Annotated[float, Field(gt=0)] | None = Field(
        default=None, description="Clock of the logic in the guest, MHz. Default: the board's."
    )
    settings: dict[str, Whole] = Field(
        default_factory=dict,
        description="Settings of the guest's memory system, a table [logic.settings], by the names "
        "of docs/explanation/memory-model.md, such as hp0_qos. Refused with --here.",
    )
    note: str | None = Field(default=None, description="Note for readers of its rows.")
    guest: Literal["zynq", "zynq-trace"] = Field(
        default="zynq",
        description="The guest's kernel: zynq-trace has the function graph tracer. With --here the "
        "machine's kernel must have it.",
    )
    overlay: Text | None = Field(
        default=None,
        description="Overlay on the guest's device tree beside the design's, a file of "
        "driver/published without .dtso. With --here the machine's tree must have it.",
    )
    module: tuple[ModuleTable, ...] = Field(
        default=(), description="Modules in the order of loading, each a table [[logic.module]]."
    )
    setup: tuple[Text, ...] = Field(
        default=(), description="Commands of the shell, run once before all works."
    )


class PrintedTable(Cell):
    """One printed figure that a row of a work stands beside."""

    samples: Count = Field(description="Size of the row, in samples.")
    view: View = Field(default="user", description="View of the row.")
    calls: Count = Field(
        default=1, description="How many times a call of the work does what the figure is for."
    )


class WorkTable(Table):
    """A program that is run with each size."""

    name: Text = Field(description="Name of the work, each used once.")
    logic: Text | None = Field(
        default=None, description="Name of the logic that it needs. Default: the first."
    )
    program: Text = Field(
        description="The command; {bytes} and {runs} stand for the size of a call and how many "
        "there are. It prints a line of JSON."
    )
    way: Way = Field(
        description="published (as the thesis did it), calls (one call after the other) or "
        "queue (several transfers in flight)."
    )
    state: State = Field(
        description="cold (each call in a process of its own) or warm (all calls in one process, "
        "after one that is not measured)."
    )
    runs: Count = Field(description="Number of measured calls of each size.")
    samples: Distinct[Count] = Field(description="Sizes, in samples.")
    bytes_per_sample: Count = Field(description="Bytes of a sample.")
    engines: Count = Field(default=1, description="Number of engines that move that much at once.")
    user_table: Text | None = Field(
        default=None, description="Printed table of the times that a program sees."
    )
    kernel_table: Text | None = Field(
        default=None, description="Printed table of the times within the kernel."
    )
    printed: tuple[PrintedTable, ...] = Field(
        default=(),
        description="Printed figures that stand alone, each a table [[work.printed]]. The "
        "dataset's column unit says what they are in: ns, us, ms, or MB/s.",
    )
    buffered_below: Whole = Field(
        default=0,
        description="Calls of fewer bytes end before they reach the driver, so they are not "
        "scored.",
    )
    unscored: Text | None = Field(
        default=None, description="Why rows with printed times are not scored. Default: they are."
    )
    interval_us: Annotated[float, Field(gt=0)] | None = Field(
        default=None,
        description="Calls are of a stream's frames, which come that often; rows say how much of "
        "it is left, and how many frames were lost.",
    )
    note: Text | None = Field(default=None, description="Note for readers of its rows.")

    @model_validator(mode="after")
    def _the_size_is_given(self) -> Self:
        if "{bytes}" not in self.program:
            raise problem("program", "must say where the size goes: {bytes}")
        if "{runs}" not in self.program:
            raise problem("program", "must say where the number of calls goes: {runs}")
        try:
            shlex.split(self.program)
        except ValueError as error:
            raise problem("program", "must close each quotation and escape a character") from error
        return self


class RepairTable(Table):
    """A printed figure that cannot be right."""

    table: Text = Field(description="The printed table.")
    samples: Count = Field(description="Size of the row, in samples.")
    us: Annotated[float, Field(gt=0)] = Field(
        description="Time that replaces the printed one. It is the printed one if only the rate is "
        "wrong."
    )
    reason: Text = Field(description="Reason of the correction.")


@dataclass(frozen=True, slots=True)
class Figure:
    """A printed time."""

    table: str
    us: float  # repaired
    printed_us: float
    repaired: str | None  # why


class LinuxExperiment(Experiment):
    """What programs under Linux get."""

    kind: Literal["linux"] = Field(description="Kind of the experiment.")
    dataset: Text | None = Field(
        default=None, description="File in bench/published without .json that has the tables."
    )
    kernel_arguments: str = Field(
        default="",
        description="Arguments for the kernel's command line.",
    )
    logic: Annotated[tuple[LogicTable, ...], Field(min_length=1)] = Field(
        description="Contents of the logic, each a table [[logic]]. The guest boots once for each."
    )
    work: Annotated[tuple[WorkTable, ...], Field(min_length=1)] = Field(
        description="The works, each a table [[work]]."
    )
    energy: EnergyTable | None = Field(
        default=None,
        description="Constants for an estimate of each call's energy, a table [energy]. Each "
        "size of each work is then measured in two boots, one of them with twice the runs. The "
        "difference of the two is that of the calls.",
    )
    repair: tuple[RepairTable, ...] = Field(
        default=(), description="Printed figures that are corrected, each a table [[repair]]."
    )

    _figures: dict[tuple[str, int], Figure] = PrivateAttr(default_factory=dict)
    _alone: dict[tuple[str, View, int], Figure] = PrivateAttr(default_factory=dict)
    _source: str | None = PrivateAttr(default=None)

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        names = [work.name for work in self.work]
        if len(set(names)) != len(names):
            raise problem("work", "must hold works, each under its own name")
        logics = [one.name for one in self.logic]
        if len(set(logics)) != len(logics):
            raise problem("logic", "must hold each under its own name")
        for index, work in enumerate(self.work):
            if work.logic not in (None, *logics):
                raise problem(f"work[{index}].logic", f"must be one of {', '.join(logics)}")
        tables = [name for work in self.work for name in _tables(work)]
        if len(set(tables)) != len(tables):
            raise problem("work", "must name each printed table once")
        if tables and self.dataset is None:
            raise problem("dataset", "is missing, and works name printed tables")
        for index, entry in enumerate(self.repair):
            if entry.table not in tables:
                raise problem(f"repair[{index}].table", "is named by no work")
        return self

    def find_published(self) -> None:
        """Find the printed times of all works."""
        self._find_those_alone()
        if self.dataset is None:
            return
        data = read_dataset(self.dataset, self.file, "dataset")
        self._source = data.source
        for index, work in enumerate(self.work):
            for name in _tables(work):
                # A table that is not given has no figures here.
                if name in data.tables:
                    where = f"{self.file}: work[{index}]"
                    self._figures |= self._read(data.tables[name], where)

    def _find_those_alone(self) -> None:
        for index, work in enumerate(self.work):
            for number, cell in enumerate(work.printed):
                where = f"work[{index}].printed[{number}]"
                if cell.samples not in work.samples:
                    raise InputError(
                        f"{self.file}: {where}.samples: the work has no size {cell.samples}"
                    )
                if table_of(work, cell.view) is not None:
                    raise InputError(
                        f"{self.file}: {where}.view: {cell.view} has a printed table already"
                    )
                if (work.name, cell.view, cell.samples) in self._alone:
                    raise InputError(
                        f"{self.file}: {where}: view {cell.view} has two figures of {cell.samples} "
                        "samples"
                    )
                value, self._source, unit = printed_with_unit(cell, self.file, where)
                if unit == _RATE:
                    us = cell.samples * work.bytes_per_sample / value
                elif unit in _US:
                    us = cell.calls * value * _US[unit]
                else:
                    allowed = ", ".join((*_US, _RATE))
                    raise InputError(
                        f"{self.file}: {where}.quantity: its unit must be one of {allowed}, "
                        f"is {unit}"
                    )
                self._alone[work.name, cell.view, cell.samples] = Figure(
                    table=cell.table, us=us, printed_us=us, repaired=None
                )

    def _read(self, table: Printed, where: str) -> dict[tuple[str, int], Figure]:
        latency = next((c for c in table.columns if c.startswith(_LATENCY)), None)
        if latency is None:
            raise InputError(f"{where}: table {table.name} has no column of latencies")
        size, at = table.column("samples_n", where), table.columns.index(latency)
        repairs = {one.samples: one for one in self.repair if one.table == table.name}
        found = {}
        for row in table.rows:
            samples, printed = int(row[size]), table.number(row, at, where)
            if printed is None:
                continue
            repair = repairs.get(samples)
            found[table.name, samples] = Figure(
                table=table.name,
                us=printed if repair is None else repair.us,
                printed_us=printed,
                repaired=None if repair is None else repair.reason,
            )
        return found

    def published(self, work: WorkTable, view: View, samples: int) -> Figure | None:
        """Return the printed time of a row, None where there is none."""
        table = table_of(work, view)
        if table is None:
            return self._alone.get((work.name, view, samples))
        return self._figures.get((table, samples))

    @property
    def source(self) -> str | None:
        """Return the citation of the printed tables."""
        return self._source

    @property
    def design_names(self) -> tuple[str, ...]:
        """Return the designs in the logic."""
        return tuple(dict.fromkeys(one.design for one in self.logic))

    def works_of(self, logic: LogicTable) -> tuple[WorkTable, ...]:
        """Return the works that need this logic."""
        first = self.logic[0].name
        return tuple(work for work in self.work if (work.logic or first) == logic.name)

    def only(self, *, logic: str | None = None, way: Way | None = None) -> Self:
        """Return the part of it that has this logic, and is done this way."""
        if logic is not None and all(one.name != logic for one in self.logic):
            names = ", ".join(one.name for one in self.logic)
            raise InputError(f"--logic must be one of {names}, is {logic}")
        works = [
            work
            for one in self.logic
            for work in self.works_of(one)
            if logic in (None, one.name) and way in (None, work.way)
        ]
        if not works:
            raise InputError(f"{self.name} has no works like that")
        needed = {work.logic or self.logic[0].name for work in works}
        named = [
            work.model_copy(update={"logic": work.logic or self.logic[0].name}) for work in works
        ]
        logics = tuple(one for one in self.logic if one.name in needed)
        return self.model_copy(update={"work": tuple(named), "logic": logics})

    @property
    def row_count(self) -> int:
        """Return how many rows it has at most, those of two views."""
        return 2 * sum(len(work.samples) for work in self.work)


def table_of(work: WorkTable, view: View) -> str | None:
    """Return the number of the printed table that a row of this view stands in."""
    return work.user_table if view == "user" else work.kernel_table if view == "kernel" else None


def _tables(work: WorkTable) -> list[str]:
    return [name for name in (work.user_table, work.kernel_table) if name is not None]
