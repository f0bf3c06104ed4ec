# SPDX-License-Identifier: Apache-2.0
"""Lines of rates over the size of a transfer or a call, on a logarithmic axis."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sluice.report.plot import Canvas
from sluice.units import format_bytes

_MOST_TICKS = 12


class Point(NamedTuple):
    """One size of one line."""

    bytes: int
    mb_s: float
    tip: str  # what a pointer at it is told


def draw_rates(canvas: Canvas, lines: Mapping[str, Sequence[Point]], of: str) -> None:
    """Draw a line for each name; `of` is what has the size."""
    axes, palette = canvas.figure.subplots(), canvas.palette
    colours = [palette.s2mm, palette.mm2s, palette.duplex, palette.both, palette.silicon]
    for index, (name, points) in enumerate(lines.items()):
        colour = colours[index % len(colours)]
        axes.plot(
            [point.bytes for point in points],
            [point.mb_s for point in points],
            "-" if index < len(colours) else "--",
            color=colour,
            linewidth=1.8,
            label=name,
            zorder=2,
        )
        for point in points:
            dots = axes.plot(point.bytes, point.mb_s, "o", color=colour, markersize=5, zorder=3)
            dots[0].set_gid(canvas.tip(point.tip))
    axes.set_xscale("log", base=2)
    sizes = sorted({point.bytes for points in lines.values() for point in points})
    shown = sizes[:: max(1, len(sizes) // _MOST_TICKS)]
    axes.set_xticks(shown, [format_bytes(size) for size in shown])
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.set_ylabel("MB/s")
    axes.set_xlabel(f"Size of a {of}")
    axes.grid(axis="y", linewidth=0.8)
    axes.legend(loc="upper left")
