# SPDX-License-Identifier: Apache-2.0
"""Figures from the literature, and which row of an experiment each one stands beside.

An experiment says in [published] which table to read, how a row finds its line, and under
which conditions (clock, block size) the printed figure may stand beside a measured one.
Three forms: a measured mean per row (`columns`), a column of means by number of ports for each
direction, or for each design and direction (`count` and `series`), or one statement that the rate
is above a share of the theoretical rate from some transfer size up (`row` and `threshold`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag

from sluice.errors import InputError
from sluice.labels import DIRECTIONS, Direction
from sluice.models import Distinct, Record, Size, Table, Text, branch, problem
from sluice.published import Dataset, Printed, read_dataset

_MB_S = {"MB/s": 1.0, "MiB/s": 1.048576}
EQUAL: Literal["equal"] = "equal"  # a measured mean
ABOVE: Literal["above"] = "above"  # a statement: the rate is above this figure


class Figure(Record):
    """One published figure, and where it was printed."""

    relation: Literal["equal", "above"] = Field(
        description="equal (mb_s is a measured mean) or above (the source states that the rate "
        "is above mb_s)."
    )
    mb_s: Annotated[float, Field(gt=0)] = Field(description="The figure, in MB/s.")
    min: float | None = Field(description="Printed minimum.")
    max: float | None = Field(description="Printed maximum.")
    sigma: float | None = Field(description="Printed standard deviation.")
    dataset: Text = Field(description="File in bench/published, without .json.")
    table: Text = Field(description="Table in the source.")
    cited: Text | None = Field(
        default=None,
        description='Place in the source, such as "table 3". Null in older results.',
    )
    source: Text = Field(description="Citation.")
    measured_with: Text = Field(description="Conditions of the measurement.")
    block_bytes: int | None = Field(
        default=None,
        description="Block that each engine moved there. Null: not known, or in an older result.",
    )

    @property
    def place(self) -> str:
        """Return the source and where in it the figure is."""
        number = f"table {self.table}" if self.table[0].isdigit() else self.table
        return f"{self.source}, {self.cited or number}"


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a row must agree with to be shown beside a published figure."""

    width_bits: int
    direction: str
    ports: str  # as the literature writes them: "HP0,2"
    clock_mhz: float
    bytes: int
    design: str = ""


Lookup = Callable[[Conditions], Figure | None]


@dataclass(frozen=True, slots=True)
class Published:
    """The published side of an experiment."""

    source: str
    figure: Lookup  # the figure that was measured under these conditions, if one was printed


class _Any(Table):
    """What all forms say."""

    dataset: Text = Field(
        description="File in bench/published without .json, or a .json file beside this one."
    )
    measured_with: Text = Field(description="Conditions of the measurement.")
    clock_mhz: float = Field(description="Clock of the measurement, MHz.")
    block_bytes: Size | None = Field(
        default=None,
        description="Block that each engine moved on silicon, where it is known. A report names it "
        "where that of our rows is another.",
    )


class Columns(Table):
    """The names of a table's columns, by what they hold."""

    width_bits: Text = Field(description="Column of the width.")
    direction: Text = Field(description="Column of the direction.")
    ports: Text | None = Field(default=None, description="Column of the ports, if there is one.")
    mean: Text = Field(description="Column of the mean.")
    min: Text = Field(description="Column of the minimum.")
    max: Text = Field(description="Column of the maximum.")
    sigma: Text = Field(description="Column of the standard deviation.")


class Means(_Any):
    """A measured mean per row."""

    table: Text = Field(description="Table of the dataset.")
    bytes: Distinct[Size] = Field(description="Blocks for which the figures hold.")
    columns: Columns = Field(description="The names of the table's columns.")
    ports: Text | None = Field(
        default=None, description="Ports of all its rows, where the table has no column of ports."
    )
    scale: Annotated[float, Field(gt=0)] = Field(
        default=1.0, description="Factor from the printed unit to MB/s."
    )
    directions: dict[Direction, Text] = Field(description="Name in the table, by direction.")


@dataclass(frozen=True, slots=True)
class _Series:
    design: str  # empty: any
    direction: str
    table: str
    column: str
    key: str  # in [published], for messages


def _series(value: Mapping[str, Any]) -> tuple[_Series, ...]:
    """Return the columns of means: by direction, or by design and direction."""
    found = []
    for name, entry in value.items():
        if isinstance(entry, Mapping):
            for direction, pair in entry.items():
                if direction not in DIRECTIONS:
                    raise problem(f"{name}.{direction}", f"is not one of {', '.join(DIRECTIONS)}")
                found.append(_pair(name, direction, pair, f"{name}.{direction}"))
        elif name not in DIRECTIONS:
            known = ", ".join(DIRECTIONS)
            raise problem(name, f"is not one of {known}, and no design's table")
        else:
            found.append(_pair("", name, entry, name))
    return tuple(found)


def _pair(design: str, direction: str, pair: object, key: str) -> _Series:
    match pair:
        case (str(table), str(column)) if table and column:
            return _Series(design, direction, table, column, f"series.{key}")
    raise problem(key, "must hold a table and a column")


class Series(_Any):
    """Columns of means by number of ports, for each direction, or each design and direction."""

    bytes: Distinct[Size] = Field(description="Blocks for which the figures hold.")
    unit: Literal["MB/s", "MiB/s"] = Field(description="Unit of the figures.")
    count: Text = Field(description="Column of the number of ports.")
    series: Annotated[dict[str, Any], AfterValidator(_series)] = Field(
        description='Table and column by direction, such as duplex = ["3", "rw"]; or such a '
        "table for each design."
    )


class Threshold(Table):
    """Of one row of the table: from which size on the rate is above which share."""

    from_bytes: Text = Field(description="Column of the smallest transfer.")
    theoretical: Text = Field(description="Column of the theoretical rate, in MB/s.")
    share: Annotated[float, Field(gt=0)] = Field(
        description="Share of the theoretical rate that the rate exceeds."
    )
    width_bits: Annotated[int, Field(ge=1)] = Field(
        description="Width of the rows that it concerns."
    )
    direction: Direction = Field(description="Direction of the rows that it concerns.")
    ports: Text = Field(description="Ports of the rows that it concerns.")


class Statement(_Any):
    """A statement that the rate is above a figure from some size on."""

    table: Text = Field(description="Table of the dataset.")
    row: dict[str, Any] = Field(
        description="Cells that identify the row of the statement, by column."
    )
    threshold: Threshold = Field(description="Content of the statement.")


def _form(value: object) -> str:
    """Return which form a table has, by the key that no other form has."""
    keys = value if isinstance(value, Mapping) else ()
    return branch("series" if "series" in keys else "row" if "threshold" in keys else "means")


PublishedTable = Annotated[
    Annotated[Means, Tag(branch("means"))]
    | Annotated[Series, Tag(branch("series"))]
    | Annotated[Statement, Tag(branch("row"))],
    Discriminator(_form),
]


def published(table: Means | Series | Statement, experiment: Path) -> Published:
    """Return the figures that an experiment's [published] points to."""
    where = f"{experiment}: published"
    dataset = read_dataset(table.dataset, experiment)
    match table:
        case Means():
            lookup = _of_means(table, dataset.table(table.table, where), where)
        case Series():
            lookup = _of_series(table, dataset, where)
        case Statement():
            lookup = _of_statement(table, dataset.table(table.table, where), where)

    def at_published_clock(conditions: Conditions) -> Figure | None:
        return lookup(conditions) if conditions.clock_mhz == table.clock_mhz else None

    return Published(dataset.source, at_published_clock)


def _figure(  # noqa: PLR0913
    of: Printed,
    table: _Any,
    mb_s: float,
    relation: Literal["equal", "above"] = EQUAL,
    *,
    low: float | None = None,
    high: float | None = None,
    sigma: float | None = None,
) -> Figure:
    return Figure(
        relation=relation,
        mb_s=mb_s,
        min=low,
        max=high,
        sigma=sigma,
        dataset=of.dataset,
        table=of.name,
        cited=of.cited,
        source=of.source,
        measured_with=table.measured_with,
        block_bytes=table.block_bytes,
    )


def _of_means(table: Means, printed: Printed, where: str) -> Lookup:
    columns = table.columns
    at = {
        key: printed.column(name, f"{where}.columns.{key}")
        for key, name in columns.model_dump(exclude_none=True).items()
    }
    if "ports" not in at and table.ports is None:
        raise InputError(f"{where}.ports: is missing")
    directions: dict[str, str] = {word: direction for direction, word in table.directions.items()}
    figures: dict[tuple[int, str, str], Figure] = {}
    for row in printed.rows:
        if row[at["mean"]] is None or row[at["direction"]] not in directions:
            continue
        low, high, sigma = (
            None if number is None else table.scale * number
            for number in (
                printed.number(row, at[key], f"{where}.columns.{key}")
                for key in ("min", "max", "sigma")
            )
        )
        key = (
            row[at["width_bits"]],
            directions[row[at["direction"]]],
            row[at["ports"]] if "ports" in at else str(table.ports),
        )
        figures[key] = _figure(
            printed,
            table,
            table.scale * printed.figure(row, at["mean"], f"{where}.columns.mean"),
            low=low,
            high=high,
            sigma=sigma,
        )

    def lookup(conditions: Conditions) -> Figure | None:
        if conditions.bytes not in table.bytes:
            return None
        return figures.get((conditions.width_bits, conditions.direction, conditions.ports))

    return lookup


def _of_series(table: Series, dataset: Dataset, where: str) -> Lookup:
    figures: dict[tuple[str, str, int], Figure] = {}
    series: Any = table.series  # the validator has made it a tuple of _Series
    for one in series:
        printed = dataset.table(one.table, f"{where}.series")
        key = printed.column(table.count, f"{where}.count")
        place = f"{where}.{one.key}"
        value = printed.column(one.column, place)
        for row in printed.rows:
            if row[value] is not None:
                mb_s = printed.figure(row, value, place) * _MB_S[table.unit]
                figures[one.design, one.direction, row[key]] = _figure(printed, table, mb_s)

    def lookup(conditions: Conditions) -> Figure | None:
        if conditions.bytes not in table.bytes:
            return None
        count = conditions.ports.count(",") + 1
        for design in (conditions.design, ""):
            if (design, conditions.direction, count) in figures:
                return figures[design, conditions.direction, count]
        return None

    return lookup


def _of_statement(table: Statement, printed: Printed, where: str) -> Lookup:
    cells = {printed.column(key, f"{where}.row.{key}"): value for key, value in table.row.items()}
    found = [row for row in printed.rows if all(row[at] == cells[at] for at in cells)]
    if len(found) != 1:
        raise InputError(
            f"{where}.row: matches {len(found)} rows of table {printed.name}, must be 1"
        )
    threshold = table.threshold
    from_bytes, theoretical = (
        printed.figure(found[0], printed.column(name, place), place)
        for name, place in (
            (threshold.from_bytes, f"{where}.threshold.from_bytes"),
            (threshold.theoretical, f"{where}.threshold.theoretical"),
        )
    )
    figure = _figure(printed, table, threshold.share * theoretical, ABOVE)
    alike = (threshold.width_bits, threshold.direction, threshold.ports)

    def lookup(conditions: Conditions) -> Figure | None:
        row = (conditions.width_bits, conditions.direction, conditions.ports)
        return figure if row == alike and conditions.bytes >= from_bytes else None

    return lookup
