# SPDX-License-Identifier: Apache-2.0
"""A sweep as a report shows it: the mean of each figure at each point."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from sluice.errors import InputError
from sluice.experiments.kind import is_number
from sluice.experiments.result import Provenance
from sluice.models import checked
from sluice.sweep.record import BestPoint, SweepRecord, read_record
from sluice.sweep.specification import Sweep
from sluice.sweep.store import KEYS, NOT_MEASURED, read_table

_USUAL = ("mb_s", "failed")  # figures of interest where the sweep names none
_OF_A_RUN = "seed"  # no condition that a point has
Value = Any  # of a cell


class Row(NamedTuple):
    """A row of the file."""

    cells: Mapping[str, Value]

    @property
    def wrong(self) -> bool:
        """Tell whether data was compared and found to be wrong."""
        return self.cells.get("verified") is False


@dataclass(frozen=True)
class SweepView:
    """A sweep and its rows, with the fields that the page of any result has."""

    record: SweepRecord
    spec: Sweep
    rows: Sequence[Row]

    @property
    def experiment(self) -> str:
        """Return the name of the sweep."""
        return self.record.name

    @property
    def title(self) -> str:
        """Return the title."""
        return self.spec.title

    @property
    def description(self) -> str:
        """Return the description."""
        return self.spec.description

    @property
    def partial(self) -> bool:
        """Tell whether jobs are missing."""
        return self.record.partial

    @property
    def provenance(self) -> Provenance:
        """Return where the figures come from."""
        return self.record.provenance

    @property
    def best(self) -> BestPoint | None:
        """Return the best point."""
        return self.record.best

    @cached_property
    def columns(self) -> list[str]:
        """Return the columns, those that number the rows left out."""
        return [name for name in self.rows[0].cells if name not in (*KEYS, *NOT_MEASURED)]

    @cached_property
    def conditions(self) -> list[str]:
        """Return the columns of conditions."""
        # Conditions come before figures, of which the usual one is the first.
        figures = [name for name in (self.figure, *_USUAL) if name in self.columns]
        names = self.columns[: min(self.columns.index(name) for name in figures)]
        return [name for name in names if name != _OF_A_RUN]

    @cached_property
    def varied(self) -> dict[str, list[Value]]:
        """Return the columns of conditions that vary, and the values of each, in order."""
        names = self.conditions
        found = {name: _ordered(row.cells.get(name) for row in self.rows) for name in names}
        return {name: values for name, values in found.items() if len(values) > 1}

    @cached_property
    def figure(self) -> str:
        """Return the column of interest: the one that is sought, or the usual one."""
        if self.spec.best is not None and self.spec.best.column in self.columns:
            return self.spec.best.column
        for name in _USUAL:
            if name in self.columns:
                return name
        conditions = len(self.spec.values)
        cells = self.rows[0].cells
        numbers = [name for name in self.columns[conditions:] if is_number(cells[name])]
        if not numbers:
            raise InputError(f"the sweep {self.experiment} has no column of numbers to draw")
        return numbers[0]

    def need(self, name: str, key: str) -> None:
        """Refuse a plot that names a column which does not exist."""
        if name not in self.columns:
            raise InputError(
                f"{self.experiment}: {key}: there is no column '{name}'; columns: "
                f"{', '.join(self.columns)}"
            )

    def need_figure(self, name: str, key: str) -> None:
        """Refuse a plot that draws a column which holds no numbers."""
        self.need(name, key)
        if not any(isinstance(row.cells[name], int | float) for row in self.rows):
            raise InputError(f"{self.experiment}: {key}: '{name}' is no column of numbers")

    def means(self, by: Sequence[str], *figures: str) -> dict[tuple[Value, ...], list[float]]:
        """Return the means of figures over the rows that have the same values of some columns."""
        sums: dict[tuple[Value, ...], list[float]] = {}
        counts: dict[tuple[Value, ...], int] = {}
        for row in self.rows:
            values = [row.cells.get(name) for name in figures]
            if any(value is None for value in values):
                continue
            key = tuple(row.cells.get(name) for name in by)
            total = sums.setdefault(key, [0.0] * len(figures))
            for index, value in enumerate(values):
                total[index] += float(value or 0)
            counts[key] = counts.get(key, 0) + 1
        return {key: [one / counts[key] for one in total] for key, total in sums.items()}


def read_view(path: Path) -> SweepView:
    """Return the sweep in a Parquet file and the record beside it."""
    record = read_record(path)
    spec = checked(Sweep, record.spec, str(path))
    rows = [Row(cells) for cells in read_table(path).to_pylist()]
    return SweepView(record, spec, rows)


def _ordered(values: Iterator[Value]) -> list[Value]:
    """Return values, each once: numbers by size, others as they come."""
    found = list(dict.fromkeys(values))
    return sorted(found) if all(map(is_number, found)) else found
