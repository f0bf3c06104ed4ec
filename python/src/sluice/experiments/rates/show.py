# SPDX-License-Identifier: Apache-2.0
"""A result about rates as a table on the terminal."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sluice.experiments.rates.result import RatesResult, RatesRow
from sluice.experiments.rates.words import (
    conditions,
    difference_text,
    grouped,
    notes,
    overload_mark,
    published_text,
    sizes_vary,
)
from sluice.labels import ports_label
from sluice.units import format_bytes

_COLUMNS = ("expected", "min", "median", "mean", "max", "sigma", "eff. %", "publ.", "diff %")


def print_result(result: RatesResult, console: Console) -> None:
    """Print the table of a result with its conditions and notes."""
    console.print(Text(result.title, style="bold"))
    console.print(Text(conditions(result.rows), style="dim"))
    for part in _tables(result.rows):
        console.print(part)
    for note in notes(result):
        console.print(Text(note, style="dim"))


def _tables(rows: Sequence[RatesRow]) -> Iterator[Text | Table]:
    """Yield a heading and a table per group of rows, with the same columns all the way down."""
    by_size = sizes_vary(rows)
    heads = ("size" if by_size else "ports", *_COLUMNS)
    groups = {
        name: [_cells(row, by_size=by_size) for row in members]
        for name, members in grouped(rows).items()
    }
    cells = [line for members in groups.values() for line in members]
    widths = [
        max(len(head), *(cell_len(line[column].plain) for line in cells))
        for column, head in enumerate(heads)
    ]
    head = _grid(widths)
    head.add_row(*(Text(name, style="bold") for name in heads))
    head.add_row(*("─" * width for width in widths))
    yield head
    for name, members in groups.items():
        yield Text(name, style="bold cyan")
        body = _grid(widths)
        for line in members:
            body.add_row(*line)
        yield body


def _grid(widths: Sequence[int]) -> Table:
    grid = Table.grid(padding=(0, 1, 0, 0))
    for column, width in enumerate(widths):
        grid.add_column(justify="right" if column else "left", no_wrap=True, width=width)
    return grid


def _cells(row: RatesRow, *, by_size: bool) -> list[Text]:
    key = format_bytes(row.bytes) if by_size else ports_label(row.ports)
    rates = row.mb_s
    return [
        Text(
            f" {key}{overload_mark(row)}{'' if row.verified else ' !'}",
            style="" if row.verified else "bold red",
        ),
        Text(f"{row.expected_mb_s:.1f}", style="dim"),
        *(Text(f"{value:.1f}") for value in (rates.min, rates.median)),
        Text(f"{rates.mean:.1f}", style="bold"),
        Text(f"{rates.max:.1f}"),
        Text(f"{rates.sigma:.2f}"),
        Text(f"{100 * row.efficiency:.2f}"),
        Text(published_text(row)),
        Text(difference_text(row)),
    ]
