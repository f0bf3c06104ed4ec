# SPDX-License-Identifier: Apache-2.0
"""Curves of rate by transfer size."""

from collections.abc import Sequence

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from sluice.experiments.rates.plots.marks import BAND_ALPHA, draw_point, how
from sluice.experiments.rates.published import ABOVE
from sluice.experiments.rates.result import RatesRow
from sluice.labels import DIRECTIONS, ports_label
from sluice.report.plot import Canvas, Plot, legend
from sluice.units import format_bytes


def size_plot(rows: Sequence[RatesRow], name: str, width: int) -> Plot:
    """Return the plot of some rows."""
    first = min(rows, key=lambda row: row.bytes)
    last = max(rows, key=lambda row: row.bytes)
    return Plot(
        name=name,
        title=f"Rate of {width}-bit ports by transfer size",
        description=(
            f"Curve of mean rate over transfer size, logarithmic. From {first.mb_s.mean:.0f} MB/s "
            f"at {format_bytes(first.bytes)} to {last.mb_s.mean:.0f} MB/s at "
            f"{format_bytes(last.bytes)}; {last.expected_mb_s:.0f} MB/s are expected."
        ),
        size_in=(10.4, 4.2),
        draw=lambda canvas: _draw_sizes(canvas, rows),
    )


def _draw_sizes(canvas: Canvas, rows: Sequence[RatesRow]) -> None:
    axes, palette = canvas.figure.subplots(), canvas.palette
    handles: list[Artist] = []
    groups = list(dict.fromkeys((row.direction, row.ports, row.clock_mhz) for row in rows))
    for direction, ports, clock in groups:
        members = sorted(
            (
                row
                for row in rows
                if (row.direction, row.ports, row.clock_mhz) == (direction, ports, clock)
            ),
            key=lambda row: row.bytes,
        )
        handles.append(_draw_curve(canvas, axes, members))
    grey = palette.of(rows[0].direction) if len(groups) == 1 else palette.muted
    handles.append(Patch(color=grey, alpha=BAND_ALPHA, label=f"{how(rows)}, min to max"))
    sizes = sorted({row.bytes for row in rows})
    axes.set_xscale("log", base=2)
    axes.minorticks_off()
    axes.set_xticks(sizes, [format_bytes(size).replace(" ", "\n") for size in sizes])
    axes.set_xlim(sizes[0] / 1.35, sizes[-1] * 1.35)
    ceiling = max(max(row.mb_s.max, row.expected_mb_s) for row in rows)
    axes.set_ylim(0, ceiling * 1.1)
    axes.set_ylabel("MB/s")
    axes.set_xlabel("bytes a transfer")
    axes.grid(axis="y", linewidth=0.8)
    for expected in sorted({row.expected_mb_s for row in rows}):
        axes.axhline(expected, color=palette.muted, linewidth=0.9, linestyle=(0, (1, 2)))
        axes.annotate(
            f"expected {expected:.0f} MB/s",
            (sizes[0] / 1.3, expected),
            (0, 3),
            textcoords="offset points",
            color=palette.muted,
            fontsize=8.5,
        )
    handles += _draw_statement(canvas, axes, rows)
    legend(axes, handles)


def _draw_curve(canvas: Canvas, axes: Axes, rows: Sequence[RatesRow]) -> Artist:
    colour = canvas.palette.of(rows[0].direction)
    sizes = [row.bytes for row in rows]
    axes.fill_between(
        sizes,
        [row.mb_s.min for row in rows],
        [row.mb_s.max for row in rows],
        color=colour,
        alpha=BAND_ALPHA,
        linewidth=0,
        zorder=2,
    )
    label = f"{DIRECTIONS[rows[0].direction]}, {ports_label(rows[0].ports)}, mean"
    means = [row.mb_s.mean for row in rows]
    (curve,) = axes.plot(sizes, means, color=colour, linewidth=2, label=label)
    for row in rows:
        draw_point(canvas, axes, row, row.bytes, colour)
    return curve


def _draw_statement(canvas: Canvas, axes: Axes, rows: Sequence[RatesRow]) -> list[Artist]:
    """Draw what was stated about the rate: above a figure, from a size on."""
    stated = [
        row for row in rows if row.published_detail and row.published_detail.relation == ABOVE
    ]
    if not stated or stated[0].published_detail is None:
        return []
    colour, bound = canvas.palette.silicon, stated[0].published_detail.mb_s
    low = min(row.bytes for row in stated)
    high = max(row.bytes for row in stated)
    lines = axes.plot(
        [low, high * 1.35],
        [bound, bound],
        color=colour,
        linewidth=1.6,
        label="measured on silicon: above this line",
        zorder=3,
    )
    axes.plot([low, low], [0, bound], color=colour, linewidth=0.9, linestyle=(0, (2, 2)), zorder=3)
    axes.annotate(
        f"on silicon above {bound:.0f} MB/s\nfrom {format_bytes(low)} up",
        (low, bound / 2),
        (7, 0),
        textcoords="offset points",
        va="center",
        color=canvas.palette.ink,
        fontsize=9,
    )
    return [*lines]
