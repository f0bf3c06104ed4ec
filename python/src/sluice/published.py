# SPDX-License-Identifier: Apache-2.0
"""Figures from the literature, and which row of an experiment each one stands beside.

An experiment says in [published] which table to read, how a row finds its line, and under
which conditions (clock, block size) the printed figure may stand beside a measured one.
Three forms: a measured mean per row (`columns`), a column of means by number of ports for each
direction, or for each design and direction (`count` and `series`), or one statement that the rate
is above a share of the theoretical rate from some transfer size up (`row` and `threshold`).
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sluice.fields import Fields
from sluice.labels import DIRECTIONS
from sluice.paths import find_published
from sluice.units import parse_bytes

EQUAL = "equal"  # a measured mean
_MB_S = {"MB/s": 1.0, "MiB/s": 1.048576}
ABOVE = "above"  # a statement: the rate is above this figure


@dataclass(frozen=True, slots=True)
class Figure:
    """One published figure, in MB/s, and where it was printed."""

    relation: str
    mb_s: float
    min: float | None
    max: float | None
    sigma: float | None
    dataset: str
    table: str
    source: str
    measured_with: str


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a row must agree with to be shown beside a published figure."""

    width_bits: int
    direction: str
    ports: str  # as the literature writes them: "HP0,2"
    clock_mhz: float
    bytes: int
    design: str = ""


@dataclass(frozen=True, slots=True)
class Published:
    """The published side of an experiment."""

    source: str
    lookup: Callable[[Conditions], Figure | None]

    def figure(self, conditions: Conditions) -> Figure | None:
        """Return the figure that was measured under these conditions, if one was printed."""
        return self.lookup(conditions)


@dataclass(frozen=True, slots=True)
class _Dataset:
    path: Path
    name: str
    source: str
    tables: dict[str, Fields]


@dataclass(frozen=True, slots=True)
class _Table:
    path: Path
    dataset: str
    name: str
    source: str
    columns: list[str]
    rows: list[list[Any]]


def read_published(fields: Fields, experiment: Path) -> Published:
    """Read an experiment's [published] and the data that it points to."""
    dataset = _read_dataset(fields, experiment)
    measured_with = fields.text("measured_with")
    clock_mhz = fields.number("clock_mhz")
    if "series" in fields:
        lookup = _series(fields, dataset, measured_with)
    elif "threshold" in fields:
        lookup = _threshold(fields, _table(fields, dataset, fields.text("table")), measured_with)
    else:
        lookup = _means(fields, _table(fields, dataset, fields.text("table")), measured_with)
    fields.finish()

    def at_published_clock(conditions: Conditions) -> Figure | None:
        return lookup(conditions) if conditions.clock_mhz == clock_mhz else None

    return Published(dataset.source, at_published_clock)


def cell(fields: Fields, experiment: Path) -> tuple[float, str]:
    """Return one printed figure, found by the words in the first column, and where it is from."""
    dataset = _read_dataset(fields, experiment)
    table = _table(fields, dataset, fields.text("table"))
    quantity = fields.text("quantity")
    fields.finish()
    for row in table.rows:
        if row[0] == quantity:
            return float(row[1]), f"{table.source}, table {table.name}"
    raise fields.problem("quantity", f"table {table.name} has no row '{quantity}'")


def _means(
    fields: Fields, table: _Table, measured_with: str
) -> Callable[[Conditions], Figure | None]:
    sizes = {_size(fields, "bytes", value) for value in fields.items("bytes")}
    columns = fields.table("columns")
    keys = ("width_bits", "direction", "mean", "min", "max", "sigma")
    at = {key: _column(columns, key, table) for key in keys}
    # A table of one set of ports has no column for it.
    ports_at = _column(columns, "ports", table) if "ports" in columns else None
    ports = fields.text("ports") if ports_at is None else ""
    columns.finish()
    # What one of the printed units is in MB/s, for instance a percent of the memory's peak.
    scale = fields.number("scale") if "scale" in fields else 1.0
    words = fields.table("directions")
    directions = {
        words.text(direction): direction for direction in DIRECTIONS if direction in words
    }
    words.finish()
    figures: dict[tuple[int, str, str], Figure] = {}
    for row in table.rows:
        if row[at["mean"]] is None or row[at["direction"]] not in directions:
            continue
        key = (
            row[at["width_bits"]],
            directions[row[at["direction"]]],
            ports if ports_at is None else row[ports_at],
        )
        figures[key] = Figure(
            relation=EQUAL,
            mb_s=scale * row[at["mean"]],
            min=_scaled(row[at["min"]], scale),
            max=_scaled(row[at["max"]], scale),
            sigma=_scaled(row[at["sigma"]], scale),
            dataset=table.dataset,
            table=table.name,
            source=table.source,
            measured_with=measured_with,
        )

    def lookup(conditions: Conditions) -> Figure | None:
        if conditions.bytes not in sizes:
            return None
        return figures.get((conditions.width_bits, conditions.direction, conditions.ports))

    return lookup


def _scaled(value: float | None, scale: float) -> float | None:
    return None if value is None else scale * value


def _series(
    fields: Fields, dataset: _Dataset, measured_with: str
) -> Callable[[Conditions], Figure | None]:
    sizes = {_size(fields, "bytes", value) for value in fields.items("bytes")}
    unit = fields.text("unit")
    if unit not in _MB_S:
        raise fields.problem("unit", f"'{unit}' is none of {', '.join(_MB_S)}")
    count = fields.text("count")
    series = fields.table("series")
    figures: dict[tuple[str, str, int], Figure] = {}
    for design, of, direction in _series_names(series):
        name, column = _pair(of, direction)
        table = _table(of, dataset, name)
        key, value = (
            _index(fields, "count", count, table),
            _index(of, direction, column, table),
        )
        for row in table.rows:
            if row[value] is None:
                continue
            figures[design, direction, row[key]] = Figure(
                relation=EQUAL,
                mb_s=row[value] * _MB_S[unit],
                min=None,
                max=None,
                sigma=None,
                dataset=table.dataset,
                table=table.name,
                source=table.source,
                measured_with=measured_with,
            )
    series.finish()

    def lookup(conditions: Conditions) -> Figure | None:
        if conditions.bytes not in sizes:
            return None
        count = conditions.ports.count(",") + 1
        for design in (conditions.design, ""):
            if (design, conditions.direction, count) in figures:
                return figures[design, conditions.direction, count]
        return None

    return lookup


def _series_names(series: Fields) -> list[tuple[str, Fields, str]]:
    """Return (design, table, direction) of each series; of all designs the design is empty."""
    names = []
    for key in series.names():
        if key in DIRECTIONS:
            names.append(("", series, key))
            continue
        if not isinstance(series.any(key), dict):
            raise series.problem(key, f"is none of {', '.join(DIRECTIONS)}, and no design's table")
        of = series.table(key)
        for direction in of.names():
            if direction not in DIRECTIONS:
                raise of.problem(direction, f"is none of {', '.join(DIRECTIONS)}")
            names.append((key, of, direction))
    return names


def _pair(fields: Fields, key: str) -> tuple[str, str]:
    texts = fields.texts(key)
    if len(texts) != 2:  # noqa: PLR2004
        raise fields.problem(key, "must hold a table and a column")
    return texts[0], texts[1]


def _threshold(
    fields: Fields, table: _Table, measured_with: str
) -> Callable[[Conditions], Figure | None]:
    wanted = fields.table("row")
    for key in wanted.names():
        if key not in table.columns:
            raise wanted.problem(key, _no_column(key, table))
    cells = {key: wanted.any(key) for key in wanted.names()}
    found = [
        row
        for row in table.rows
        if all(row[table.columns.index(key)] == value for key, value in cells.items())
    ]
    if len(found) != 1:
        raise fields.problem("row", f"matches {len(found)} rows of table {table.name}, must be 1")
    threshold = fields.table("threshold")
    from_bytes = found[0][_column(threshold, "from_bytes", table)]
    above = threshold.number("share") * found[0][_column(threshold, "theoretical", table)]
    alike = (
        threshold.whole("width_bits", 1),
        threshold.text("direction"),
        threshold.text("ports"),
    )
    threshold.finish()
    figure = Figure(
        ABOVE, above, None, None, None, table.dataset, table.name, table.source, measured_with
    )

    def lookup(conditions: Conditions) -> Figure | None:
        row = (conditions.width_bits, conditions.direction, conditions.ports)
        return figure if row == alike and conditions.bytes >= from_bytes else None

    return lookup


def _read_dataset(fields: Fields, experiment: Path) -> _Dataset:
    name = fields.text("dataset")
    path = find_published(name, experiment)
    try:
        document = json.loads(path.read_bytes())
    except OSError as error:
        raise fields.problem("dataset", f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise fields.problem("dataset", f"{path} is not JSON: {error}") from error
    data = Fields(str(path), document)
    tables = {entry.text("table"): entry for entry in data.tables("tables")}
    return _Dataset(path, name, data.text("source"), tables)


def _table(fields: Fields, dataset: _Dataset, name: str) -> _Table:
    if name not in dataset.tables:
        known = ", ".join(dataset.tables)
        raise fields.problem("table", f"{dataset.path} has no table '{name}'; tables: {known}")
    table = dataset.tables[name]
    columns = list(table.texts("columns"))
    rows = table.items("rows")
    for index, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != len(columns):
            raise table.problem(f"rows[{index}]", f"must hold {len(columns)} cells")
    return _Table(dataset.path, dataset.name, name, dataset.source, columns, rows)


def _column(fields: Fields, key: str, table: _Table) -> int:
    return _index(fields, key, fields.text(key), table)


def _index(fields: Fields, key: str, name: str, table: _Table) -> int:
    if name not in table.columns:
        raise fields.problem(key, _no_column(name, table))
    return table.columns.index(name)


def _no_column(name: str, table: _Table) -> str:
    known = ", ".join(table.columns)
    return f"table {table.name} of {table.path.name} has no column '{name}'; columns: {known}"


def _size(fields: Fields, key: str, value: object) -> int:
    if not isinstance(value, str):
        raise fields.problem(key, f'must hold sizes such as "1MiB", holds {value!r}')
    return parse_bytes(value)
