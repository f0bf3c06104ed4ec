# SPDX-License-Identifier: Apache-2.0
"""Bars of rate by design and placement."""

from collections.abc import Sequence

from matplotlib.patches import Patch

from sluice.experiments.rates.plots.marks import design_colour, direction_name, stagger, tip_of
from sluice.experiments.rates.result import RatesRow
from sluice.report.plot import Canvas, Plot, legend


def design_plot(rows: Sequence[RatesRow], name: str) -> Plot:
    """Return the plot of some rows."""
    return Plot(
        name=name,
        title="Rate by design and placement",
        description="Bars of mean rate, by direction, design and placement of the buffers: "
        + "; ".join(
            f"{row.variant}, {stagger(row)}, {direction_name(row.direction, rows)} "
            f"{row.mb_s.mean:.0f} MB/s"
            for row in rows
        ),
        size_in=(10.4, 3.8),
        draw=lambda canvas: _draw_designs(canvas, rows),
    )


def _draw_designs(canvas: Canvas, rows: Sequence[RatesRow]) -> None:
    axes, palette = canvas.figure.subplots(), canvas.palette
    designs = list(dict.fromkeys(row.variant for row in rows))
    kinds = list(dict.fromkeys((row.variant, row.placement.stagger_bytes) for row in rows))
    directions = list(dict.fromkeys(row.direction for row in rows))
    step = 0.84 / len(kinds)
    foot = {}
    for row in rows:
        kind = kinds.index((row.variant, row.placement.stagger_bytes))
        x = directions.index(row.direction) + (kind - (len(kinds) - 1) / 2) * step
        colour = design_colour(palette, designs.index(row.variant))
        bars = axes.bar(x, row.mb_s.mean, step * 0.9, color=colour, linewidth=0, zorder=2)
        bars[0].set_gid(canvas.tip(tip_of(row)))
        foot[x] = stagger(row)
        axes.annotate(
            f"{row.mb_s.mean:.0f}",
            (x, row.mb_s.mean),
            (0, 3),
            textcoords="offset points",
            ha="center",
            fontsize=9,
        )
    axes.xaxis.remove_overlapping_locs = False
    axes.set_xticks(
        range(len(directions)), [direction_name(direction, rows) for direction in directions]
    )
    axes.set_xticks(list(foot), list(foot.values()), minor=True, fontsize=8)
    axes.tick_params(axis="x", which="minor", length=0, colors=palette.muted)
    axes.tick_params(axis="x", which="major", pad=18)
    axes.set_xlabel("each buffer lies so much further than the one before")
    axes.set_ylim(0, 1.12 * max(row.mb_s.max for row in rows))
    axes.set_ylabel("MB/s")
    axes.grid(axis="y", linewidth=0.8)
    legend(
        axes,
        [
            Patch(color=design_colour(palette, index), label=design)
            for index, design in enumerate(designs)
        ],
    )
