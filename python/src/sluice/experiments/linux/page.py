# SPDX-License-Identifier: Apache-2.0
"""The section of a report about programs under Linux."""

from collections.abc import Sequence
from statistics import median

from sluice.experiments.linux.result import Fit, LinuxResult, LinuxRow
from sluice.experiments.linux.show import (
    BESIDE_HEADS,
    ENERGY_HEADS,
    FRAME_HEADS,
    beside_cells,
    conditions,
    energy_cells,
    frame_cells,
    notes,
)
from sluice.report.chart import Chart
from sluice.report.curves import PICK, Lines, Point, curves, parts
from sluice.report.section import Section
from sluice.report.table import (
    ALWAYS,
    DESKTOP,
    NONE,
    TABLET,
    Cell,
    Column,
    Group,
    Line,
    Table,
    difference,
    number,
    signed,
    silicon,
)
from sluice.units import format_bytes, format_count

_WAYS = {
    "published": "as published",
    "calls": "one call after the other",
    "queue": "several transfers in flight",
}
_FIT_COLUMNS = (
    Column("View", "Whose time: the program's or the kernel's", words=True),
    Column("Slope", "Slope of the line through the rows of 4 KiB and more", "ns/B", main=True),
    Column("Silicon", "The same of the printed times", "ns/B"),
    Column("Start", "Time of no bytes on that line", "µs", screen=TABLET),
    Column("Silicon", "The same of the printed times", "µs", screen=TABLET),
    Column("Rows", "Mean of the rows' differences, without their signs", "%"),
)


def section(result: LinuxResult, name: str) -> Section:
    """Return the section about one result."""
    return Section(
        conditions=conditions(result),
        summary=_summary(result),
        charts=_charts(result, name),
        tables=_tables(result),
        notes=notes(result),
    )


def _summary(result: LinuxResult) -> list[str]:
    works = dict.fromkeys(row.name for row in result.rows)
    where = "a guest on a simulated board" if result.conditions.machine == "guest" else "a machine"
    said = [
        (
            f"{format_count(len(works), 'work')} of programs under Linux, in {where}: "
            f"{conditions(result)}."
        ),
    ]
    compared = [
        abs(row.difference) for row in result.rows if row.scored and row.difference is not None
    ]
    if compared:
        said.append(
            f"{format_count(len(compared), 'row')} can be compared with printed times. "
            f"The median difference is {100 * median(compared):.1f} %."
        )
    return said


def _columns(rows: Sequence[LinuxRow]) -> list[Column]:
    printed = any(row.published_us is not None for row in rows)
    return [
        Column("View", "Whose time: the program's, the kernel's, the engine's", words=True,
               screen=TABLET),
        Column("Time", "Median time of a call, by Linux' own clock", "µs", main=True),
        Column("99 %", "99th percentile; of fewer than 100 calls the longest", "µs",
               screen=TABLET),
        Column("Rate", "Bytes over the median time; MB is 10^6 bytes", "MB/s"),
        Column("CPU", "Share of the program's time that the processor worked for it", "%"),
        *([
            Column("Table", "Printed table that has the row", screen=DESKTOP, words=True),
            Column("Silicon", "The printed time", "µs"),
            Column("Difference", "Median against the printed time", "%"),
        ] if printed else []),
    ]  # fmt: skip


def _tables(result: LinuxResult) -> list[Table]:
    works = dict.fromkeys(row.name for row in result.rows)
    columns = _columns(result.rows)
    tables = [
        Table(
            key="rows",
            title="All calls",
            about="What a call takes, by its size.",
            first="Size",
            columns=columns,
            groups=[
                Group(work, [_line(row, len(columns)) for row in result.rows if row.name == work])
                for work in works
            ],
        )
    ]
    if result.fits:
        tables.append(
            Table(
                key="fits",
                title="Printed tables",
                about="Lines through the times of a table, measured and printed.",
                first="Table",
                columns=_FIT_COLUMNS,
                groups=[Group("", [_fit(fit) for fit in result.fits])],
            )
        )
    for key, title, about, heads, cells in (
        ("frames", "Frames", "What is left of the time from one frame to the next.", FRAME_HEADS,
         frame_cells),
        ("beside", "Copies meanwhile",
         "What engines copied from memory to memory beside the frames.", BESIDE_HEADS,
         beside_cells),
        ("energy", "Energy, an estimate", "What a call takes in nJ a byte, which is mJ an MB.",
         ENERGY_HEADS, energy_cells),
    ):  # fmt: skip
        lines = [Line(row.name, found) for row in result.rows if (found := cells(row))]
        if lines:
            last = len(heads) - 1
            columns = [
                Column(head, why, screen=ALWAYS if index in (1, 2, last) else TABLET)
                for index, (head, why) in enumerate(heads)
            ][1:]
            tables.append(Table(key, title, "Work", columns, [Group("", lines)], about))
    return tables


def _line(row: LinuxRow, columns: int) -> Line:
    cells: list[str | Cell] = [
        row.view,
        f"{row.us.median:.1f}",
        f"{row.us.p99:.1f}",
        f"{row.mb_s:.1f}",
        number(row.cpu_percent, 0),
        row.table or NONE,
    ]
    if row.published_us is None:
        cells += [NONE, NONE]
    else:
        marks = ("*" if row.repaired else "") + ("" if row.scored else "°")
        cells += [
            Cell(f"{row.published_us:g}{marks}", silicon=True),
            difference(row.difference or 0, 1),
        ]
    return Line(format_bytes(row.bytes), cells[:columns])


def _fit(fit: Fit) -> Line:
    cells: list[str | Cell] = [
        fit.view,
        f"{fit.ns_per_byte:.3f}",
        silicon(fit.published_ns_per_byte, 3),
        number(fit.intercept_us, 1),
        silicon(fit.published_intercept_us, 1),
        f"{100 * fit.mean_error:.1f}",
    ]
    return Line(fit.table, cells)


def _charts(result: LinuxResult, name: str) -> list[Chart]:
    """Return a chart for each way: together they have more lines than can be told apart."""
    charts = [
        chart
        for way, words in _WAYS.items()
        for chart in _rates([row for row in result.rows if row.way == way], words, name, way)
    ]
    return charts + _differences(result.rows, f"{name}-difference")


def _rates(rows: Sequence[LinuxRow], words: str, name: str, way: str) -> list[Chart]:
    lines: dict[str, list[Point]] = {}
    for row in rows:
        # Only printed tables are about the kernel.
        if row.view == "user" or row.way == "published":
            point = Point(row.bytes, row.mb_s, _tip(row))
            lines.setdefault(f"{row.name}, {row.view}", []).append(point)
    if all(len(points) == 1 for points in lines.values()):
        return []
    return [
        Chart(
            name=key,
            title=f"Rate by size of a call, {words}, MB/s",
            about=f"A line for each work: bytes over the median time of a call. {PICK}",
            description=f"At the largest size, in MB/s: {_largest(part)}.",
            spec=curves(part, "call", "MB/s"),
        )
        for key, part in parts(lines, f"{name}-{way}-rates").items()
    ]


def _largest(lines: Lines) -> str:
    return "; ".join(f"{name} {points[-1].value:.0f}" for name, points in lines.items())


def _differences(rows: Sequence[LinuxRow], key: str) -> list[Chart]:
    lines: dict[str, list[Point]] = {}
    for row in rows:
        if row.difference is not None and row.scored:
            point = Point(row.bytes, 100 * row.difference, _tip(row))
            lines.setdefault(f"{row.name}, {row.view}", []).append(point)
    if all(len(points) == 1 for points in lines.values()):
        return []
    points = [point for line in lines.values() for point in line]
    least, most = (end(point.value for point in points) for end in (min, max))
    return [
        Chart(
            name=name,
            title="Difference to the printed times, %",
            about=f"Our median time against the printed one; below 0 ours is shorter. {PICK}",
            description=f"From {least:+.1f} % to {most:+.1f} % in "
            f"{format_count(len(points), 'row')}.",
            spec=curves(part, "call", "% of the printed time"),
        )
        for name, part in parts(lines, key).items()
    ]


def _tip(row: LinuxRow) -> str:
    lines = [
        f"{row.name}, {format_bytes(row.bytes)}, {row.view}",
        f"{row.mb_s:.1f} MB/s, median {row.us.median:.1f} µs, 99 % within {row.us.p99:.1f} µs",
    ]
    if row.cpu_percent is not None:
        lines.append(f"The processor worked {row.cpu_percent:.0f} % of the time")
    if row.published_us is not None and row.difference is not None:
        lines.append(f"Printed: {row.published_us:g} µs, {signed(row.difference, 1)}")
    return "\n".join(lines)
