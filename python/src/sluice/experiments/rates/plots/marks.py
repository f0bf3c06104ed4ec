# SPDX-License-Identifier: Apache-2.0
"""What several plots of rates draw and say alike."""

from collections.abc import Sequence

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from sluice.experiments.rates.result import RatesRow
from sluice.labels import DIRECTIONS, row_label
from sluice.report.plot import Canvas, Palette
from sluice.units import format_bytes, format_number

BAND_ALPHA = 0.22


def draw_point(canvas: Canvas, axes: Axes, row: RatesRow, x: float, colour: str) -> None:
    """Draw the mean of a row on a curve."""
    (point,) = axes.plot(
        [x],
        [row.mb_s.mean],
        marker="o",
        markersize=5.5,
        color=colour,
        markeredgecolor=canvas.palette.page,
        markeredgewidth=1,
        linestyle="none",
        zorder=4,
    )
    point.set_gid(canvas.tip(tip_of(row)))


def draw_silicon(palette: Palette, axes: Axes, x: float, mb_s: float) -> None:
    """Draw a published figure."""
    axes.plot(
        [x],
        [mb_s],
        marker="D",
        markersize=5.5,
        markerfacecolor=palette.page,
        markeredgecolor=palette.silicon,
        markeredgewidth=1.8,
        linestyle="none",
        zorder=5,
    )


def silicon_handle(palette: Palette, label: str) -> Artist:
    """Return the entry of published figures in a legend."""
    return Line2D(
        [],
        [],
        color=palette.silicon,
        linestyle="none",
        marker="D",
        markersize=5,
        markerfacecolor=palette.page,
        markeredgewidth=1.4,
        label=label,
    )


def how(rows: Sequence[RatesRow]) -> str:
    """Return how the rates came about."""
    return "simulated" if all(row.device is None for row in rows) else "measured"


def stagger(row: RatesRow) -> str:
    """Return the stagger of a row's buffers in words."""
    stagger = row.placement.stagger_bytes
    return format_bytes(stagger) if stagger else "none"


def design_colour(palette: Palette, index: int) -> str:
    """Return the colour of a design by its place among those shown."""
    return (palette.duplex, palette.s2mm, palette.mm2s, palette.both)[index % 4]


def direction_name(direction: str, rows: Sequence[RatesRow]) -> str:
    """Return what a direction is called, in the words of the experiment if it has its own."""
    row = next(row for row in rows if row.direction == direction)
    words = [word for word in row.labels.values() if isinstance(word, str)]
    return words[0] if words else DIRECTIONS[direction]


def tip_of(row: RatesRow) -> str:
    """Return what a mark says when the pointer rests on it."""
    label = row_label(row.width_bits, row.direction, row.ports)
    lines = [
        f"{label}, {format_bytes(row.bytes)} at {format_number(row.clock_mhz)} MHz",
        f"mean {row.mb_s.mean:.1f} MB/s, {100 * row.efficiency:.2f} % of {row.expected_mb_s:.1f}",
        f"min {row.mb_s.min:.1f}, max {row.mb_s.max:.1f}, {len(row.mb_s.samples)} runs",
    ]
    if row.placement.stagger_bytes:
        lines.append(f"buffers staggered by {format_bytes(row.placement.stagger_bytes)}")
    if row.difference is not None:
        lines.append(f"silicon {row.published:.1f} MB/s: {100 * row.difference:+.2f} %")
    return "\n".join(lines)
