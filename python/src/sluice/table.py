# SPDX-License-Identifier: Apache-2.0
"""A result as a table on the terminal, and the notes that belong under it."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sluice.bench import SIMULATED
from sluice.labels import DIRECTIONS, TRANSACTION, ports_label
from sluice.published import ABOVE
from sluice.result import Result, ResultRow
from sluice.units import format_bytes, format_number, format_time_ns

_COLUMNS = ("expected", "min", "median", "mean", "max", "sigma", "eff. %", "publ.", "diff %")


def print_result(result: Result, console: Console) -> None:
    """Print the table of a result with its conditions and notes."""
    console.print(Text(result.title, style="bold"))
    if not result.rows:
        console.print("Nothing was measured.")
        return
    console.print(Text(conditions(result.rows), style="dim"))
    for part in _tables(result.rows):
        console.print(part)
    for note in notes(result):
        console.print(Text(note, style="dim"))


def sizes_vary(rows: Sequence[ResultRow]) -> bool:
    """Tell whether the rows are about transfer size rather than about ports."""
    return len({row.bytes for row in rows}) > 1


def group_label(row: ResultRow, rows: Sequence[ResultRow]) -> str:
    """Return the heading under which a row stands: what it shares with its neighbours."""
    name = f"{row.width_bits}-bit {DIRECTIONS[row.direction]}"
    parts = [f"{name} {ports_label(row.ports)}" if sizes_vary(rows) else name]
    if len({other.variant for other in rows}) > 1:
        parts.insert(0, row.variant)
    if len({other.clock_mhz for other in rows}) > 1:
        parts.append(f"{format_number(row.clock_mhz)} MHz")
    if len({other.placement.stagger_bytes for other in rows}) > 1:
        stagger = row.placement.stagger_bytes
        parts.append(f"staggered by {format_bytes(stagger)}" if stagger else "not staggered")
    return ", ".join(parts)


def grouped(rows: Sequence[ResultRow]) -> dict[str, list[ResultRow]]:
    """Return the rows under their headings, in the order in which these come first."""
    groups: dict[str, list[ResultRow]] = {}
    for row in rows:
        groups.setdefault(group_label(row, rows), []).append(row)
    return groups


def conditions(rows: Sequence[ResultRow]) -> str:
    """Return in one line what all rows have in common."""
    first = rows[0]
    parts = [
        first.board,
        " and ".join(dict.fromkeys(row.design for row in rows)),
        *(["transaction level"] if first.level == TRANSACTION else []),
        " and ".join(sorted({f"{format_number(row.clock_mhz)} MHz" for row in rows})),
    ]
    if not sizes_vary(rows):
        parts.append(f"{format_bytes(first.bytes)} blocks")
    runs = sorted({len(row.runs) for row in rows})
    count = str(runs[0]) if len(runs) == 1 else f"{runs[0]} to {runs[-1]}"
    parts += [
        f"start cost {format_time_ns(first.start_cost_ns)}"
        if first.device is None
        else f"measured on {first.device}",
        f"{count} run{'s' if runs[-1] > 1 else ''} a row",
        f"seed {first.seed}",
    ]
    return ", ".join(parts)


def clock_text(rows: Sequence[ResultRow]) -> str:
    """Return the time that the rates of a result are of."""
    clocks = dict.fromkeys(row.clock for row in rows)
    words = ["simulated time" if clock == SIMULATED else clock for clock in clocks]
    return " and ".join(words) or "simulated time"


def notes(result: Result) -> list[str]:
    """Return the sentences without which the figures would mislead."""
    rows = result.rows
    clock = clock_text(rows)
    said = [f"Rates in MB/s (10^6 bytes) of {clock}: all bytes / (last finish - first start)."]
    wrong = [row for row in rows if not row.verified]
    if wrong:
        said.append(f"{len(wrong)} of {len(rows)} rows carried WRONG DATA (marked !).")
    else:
        said.append("Every run was verified byte by byte.")
    for figure in dict.fromkeys(row.published for row in rows if row.published is not None):
        text = f"Published: {figure.source}, table {figure.table}: {figure.measured_with}."
        if text not in said:
            said.append(text)
    for row in rows[:1]:
        if row.settings:
            changed = ", ".join(f"{name} = {value}" for name, value in row.settings.items())
            said.append(f"The memory model was changed: {changed}.")
    if result.partial:
        said.append("PARTIAL: the measurement was cut short; rows and runs are missing.")
    return said


def _tables(rows: Sequence[ResultRow]) -> Iterator[Text | Table]:
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


def _cells(row: ResultRow, *, by_size: bool) -> list[Text]:
    key = format_bytes(row.bytes) if by_size else ports_label(row.ports)
    rates = row.mb_s
    return [
        Text(f" {key}" + ("" if row.verified else " !"), style="" if row.verified else "bold red"),
        Text(f"{row.expected_mb_s:.1f}", style="dim"),
        *(Text(f"{value:.1f}") for value in (rates.min, rates.median)),
        Text(f"{rates.mean:.1f}", style="bold"),
        Text(f"{rates.max:.1f}"),
        Text(f"{rates.sigma:.2f}"),
        Text(f"{100 * row.efficiency:.2f}"),
        Text(published_text(row)),
        Text(difference_text(row)),
    ]


def published_text(row: ResultRow) -> str:
    """Return the published figure; a statement that the rate is above it as ">1440.0"."""
    if row.published is None:
        return "-"
    return f"{'>' if row.published.relation == ABOVE else ''}{row.published.mb_s:.1f}"


def difference_text(row: ResultRow) -> str:
    """Return the difference to the published mean in percent, or whether a statement holds."""
    if row.difference is not None:
        return f"{100 * row.difference:+.2f}"
    if row.published is None:
        return "-"
    return "met" if row.mb_s.mean > row.published.mb_s else "not met"
