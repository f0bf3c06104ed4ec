# SPDX-License-Identifier: Apache-2.0
"""Data sets of published figures: tables with named columns, as bench/published holds them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from sluice.errors import InputError
from sluice.models import Distinct, Record, Table, Text, checked, read_json, shown
from sluice.paths import find_published


class _PrintedTable(Record):
    table: Text
    cited: Text | None = None  # how a reader finds it, where it has no number
    columns: Distinct[Text]
    rows: Annotated[tuple[tuple[Any, ...], ...], Field(min_length=1)]


class _Document(Record):
    source: Text
    tables: tuple[_PrintedTable, ...]


class Cell(Table):
    """Where one printed figure stands."""

    dataset: Text = Field(
        description="File in bench/published without .json, or a .json file beside this one."
    )
    table: Text = Field(description="Table of the dataset.")
    quantity: Text = Field(description="Text of the first column of its row.")


@dataclass(frozen=True, slots=True)
class Printed:
    """One table."""

    path: Path
    dataset: str
    name: str
    source: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    cited: str  # how a reader finds it: "table 3"

    def column(self, name: str, where: str) -> int:
        """Return the place of a column; `where` is the key that names it, for the message."""
        if name not in self.columns:
            known = ", ".join(self.columns)
            raise InputError(
                f"{where}: table {self.name} of {self.path.name} has no column '{name}'; "
                f"columns: {known}"
            )
        return self.columns.index(name)

    def number(self, row: tuple[Any, ...], at: int, where: str) -> float | None:
        """Return the number in a cell, or None where nothing was printed; `where` as above."""
        value = row[at]
        if value is None:
            return None
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not math.isfinite(value)
        ):
            raise InputError(
                f"{where}: column '{self.columns[at]}' of table {self.name} of {self.path.name} "
                f"must hold numbers, holds {shown(value)}"
            )
        return float(value)

    def figure(self, row: tuple[Any, ...], at: int, where: str) -> float:
        """Return the figure in a cell, which must be there and above 0."""
        value = self.number(row, at, where)
        if value is None or value <= 0:
            raise InputError(
                f"{where}: column '{self.columns[at]}' of table {self.name} of {self.path.name} "
                f"must hold a figure above 0 here, holds {shown(row[at])}"
            )
        return value


@dataclass(frozen=True, slots=True)
class Dataset:
    """A file of tables from one source."""

    path: Path
    name: str
    source: str
    tables: dict[str, Printed]

    def table(self, name: str, where: str) -> Printed:
        """Return a table; `where` is the key that names it, without the last word."""
        if name not in self.tables:
            known = ", ".join(self.tables)
            raise InputError(f"{where}.table: {self.path} has no table '{name}'; tables: {known}")
        return self.tables[name]


def read_dataset(name: str, experiment: Path, where: str = "published") -> Dataset:
    """Return the data set that an experiment names under the key `where`."""
    path = find_published(name, experiment)
    key = f"{experiment}: {where}.dataset"
    try:
        text = path.read_bytes()
    except OSError as error:
        raise InputError(f"{key}: {path} cannot be read: {error.strerror}") from error
    document = checked(_Document, read_json(text, f"{key}: {path}"), f"{key}: {path}")
    tables = {}
    for index, entry in enumerate(document.tables):
        for number, row in enumerate(entry.rows):
            if len(row) != len(entry.columns):
                raise InputError(
                    f"{key}: {path}: tables[{index}].rows[{number}]: must hold "
                    f"{len(entry.columns)} cells"
                )
            for cell in row:
                if isinstance(cell, tuple | Mapping):
                    raise InputError(
                        f"{key}: {path}: tables[{index}].rows[{number}]: must have texts, "
                        f"numbers and nulls, has {shown(cell)}"
                    )
        tables[entry.table] = Printed(
            path,
            name,
            entry.table,
            document.source,
            entry.columns,
            entry.rows,
            entry.cited or f"table {entry.table}",
        )
    return Dataset(path, name, document.source, tables)


def printed_figure(cell: Cell, experiment: Path, where: str) -> tuple[float, str]:
    """Return one printed figure and where it is from; `where` is the key that names it."""
    table, row = _row_of(cell, experiment, where)
    return _figure_of(table, row, experiment, where)


def printed_with_unit(cell: Cell, experiment: Path, where: str) -> tuple[float, str, str]:
    """Return the same, and what the table's column unit says of it."""
    table, row = _row_of(cell, experiment, where)
    unit = str(row[table.column("unit", f"{experiment}: {where}.table")])
    return *_figure_of(table, row, experiment, where), unit


def _row_of(cell: Cell, experiment: Path, where: str) -> tuple[Printed, tuple[Any, ...]]:
    table = read_dataset(cell.dataset, experiment, where).table(
        cell.table, f"{experiment}: {where}"
    )
    for row in table.rows:
        if row[0] == cell.quantity:
            return table, row
    raise InputError(
        f"{experiment}: {where}.quantity: table {table.name} has no row '{cell.quantity}'"
    )


def _figure_of(
    table: Printed, row: tuple[Any, ...], experiment: Path, where: str
) -> tuple[float, str]:
    key = f"{experiment}: {where}.quantity"
    if len(table.columns) == 1:
        raise InputError(f"{key}: table {table.name} of {table.path.name} has no second column")
    return table.figure(row, 1, key), f"{table.source}, {table.cited}"
