# SPDX-License-Identifier: Apache-2.0
"""The section of a report about programs under Linux."""

from collections.abc import Sequence
from pathlib import Path

from sluice.experiments.linux.result import LinuxResult, LinuxRow
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
from sluice.report.plot import Plot
from sluice.report.rates_by_size import Point, draw_rates
from sluice.report.section import Section
from sluice.units import format_bytes

_WAYS = {
    "published": "as published",
    "calls": "one call after the other",
    "queue": "several transfers in flight",
}
_COLUMNS = (
    ("View", "Whose time: the program's, the kernel's, the engine's"),
    ("µs", "Median time of a call, by Linux' own clock"),
    ("p99 µs", "99th percentile; of fewer than 100 calls the longest"),
    ("MB/s", "Bytes over the median time; MB is 10^6 bytes"),
    ("CPU", "Share of the program's time that the processor worked for it"),
    ("Table", "Printed table that has the row"),
    ("Published µs", "The printed time"),
    ("Difference", "Median against the printed time"),
)
_FIT_COLUMNS = (
    ("View", "Whose time: the program's or the kernel's"),
    ("ns/B", "Slope of the line through the rows of 4 KiB and more"),
    ("Published", "The same of the printed times"),
    ("Start µs", "Time of no bytes on that line"),
    ("Published", "The same of the printed times"),
    ("Rows", "Mean of the rows' differences, without their signs"),
)


def section(result: LinuxResult, name: str) -> Section:
    """Return the section about one result."""
    works = dict.fromkeys(row.name for row in result.rows)
    return Section(
        template=Path(__file__).parent / "page.html",
        values={
            "columns": _COLUMNS,
            "works": {work: [r for r in result.rows if r.name == work] for work in works},
            "fits": result.fits,
            "fit_columns": _FIT_COLUMNS,
            "estimated": [
                (row.name, energy_cells(row)) for row in result.rows if row.energy is not None
            ],
            "energy_columns": ENERGY_HEADS[1:],
            "framed": [
                (row.name, frame_cells(row)) for row in result.rows if row.frames is not None
            ],
            "frame_columns": FRAME_HEADS[1:],
            "beside": [
                (row.name, beside_cells(row)) for row in result.rows if row.beside_mb_s is not None
            ],
            "beside_columns": BESIDE_HEADS[1:],
            "format_bytes": format_bytes,
        },
        conditions=conditions(result),
        notes=notes(result),
        plots=_plots(result, name),
    )


def _plots(result: LinuxResult, name: str) -> list[Plot]:
    """Draw a plot for each way: together they have more lines than can be told apart."""
    return [
        plot
        for way, words in _WAYS.items()
        if (plot := _plot([row for row in result.rows if row.way == way], words, result, name, way))
    ]


def _plot(
    rows: Sequence[LinuxRow], words: str, result: LinuxResult, name: str, way: str
) -> Plot | None:
    lines: dict[str, list[Point]] = {}
    for row in rows:
        # Only printed tables are about the kernel.
        if row.view == "user" or row.way == "published":
            tip = f"{row.label}: {row.mb_s:.1f} MB/s, {row.us.median:.1f} µs"
            lines.setdefault(f"{row.name}, {row.view}", []).append(Point(row.bytes, row.mb_s, tip))
    if all(len(points) == 1 for points in lines.values()):
        return None
    largest = "; ".join(f"{key} {points[-1].mb_s:.0f}" for key, points in lines.items())
    return Plot(
        name=f"{name}-{way}-rates",
        title=f"{result.title}: rate by size, {words}",
        description=f"Rate in MB/s over the size of a call, {words}; at the largest: {largest}.",
        size_in=(10.4, 5.2),
        draw=lambda canvas: draw_rates(canvas, lines, "call"),
    )
