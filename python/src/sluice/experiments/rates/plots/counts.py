# SPDX-License-Identifier: Apache-2.0
"""Curves of rate by number of ports, one a design and direction."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from sluice.experiments.rates.plots.marks import (
    design_colour,
    direction_name,
    draw_point,
    draw_silicon,
    silicon_handle,
)
from sluice.experiments.rates.result import RatesRow
from sluice.report.plot import Canvas, Plot, legend

if TYPE_CHECKING:
    from matplotlib.artist import Artist


def count_plot(rows: Sequence[RatesRow], name: str) -> Plot:
    """Return the plot of some rows."""
    best = max(rows, key=lambda row: row.mb_s.mean)
    return Plot(
        name=name,
        title=f"Rate by number of {_count_word(rows)}",
        description=(
            f"Curves of mean rate over the number of {_count_word(rows)}, one a design and "
            f"direction. The highest is {best.mb_s.mean:.0f} MB/s, of {best.variant} with "
            f"{len(best.ports)}."
        ),
        size_in=(10.4, 4.2),
        draw=lambda canvas: _draw_counts(canvas, rows),
    )


def _draw_counts(canvas: Canvas, rows: Sequence[RatesRow]) -> None:
    axes, palette = canvas.figure.subplots(), canvas.palette
    designs = list(dict.fromkeys(row.variant for row in rows))
    handles: list[Artist] = []
    for direction in dict.fromkeys(row.direction for row in rows):
        for design in designs:
            members = sorted(
                (row for row in rows if (row.variant, row.direction) == (design, direction)),
                key=lambda row: len(row.ports),
            )
            colour = design_colour(palette, designs.index(design))
            means = [row.mb_s.mean for row in members]
            label = f"{design}, {direction_name(direction, rows)}"
            counts = [len(row.ports) for row in members]
            handles += axes.plot(counts, means, color=colour, linewidth=2, label=label, zorder=3)
            for row in members:
                _draw_count(canvas, axes, row, colour)
    longest = [row for row in rows if row.variant == designs[0]]
    expected = {len(row.ports): row.expected_mb_s for row in longest}
    handles += axes.plot(
        sorted(expected),
        [expected[count] for count in sorted(expected)],
        color=palette.muted,
        linewidth=0.9,
        linestyle=(0, (1, 2)),
        label="expected: streams, at most the memory's peak",
    )
    if any(row.published_detail for row in rows):
        handles.append(silicon_handle(palette, "measured on silicon"))
    counts = sorted({len(row.ports) for row in rows})
    axes.set_xticks(counts, [str(count) for count in counts])
    axes.set_xlim(counts[0] - 0.4, counts[-1] + 0.4)
    axes.set_ylim(0, 1.1 * max(max(row.mb_s.max, row.expected_mb_s) for row in rows))
    axes.set_ylabel("MB/s")
    axes.set_xlabel(_count_word(rows))
    axes.grid(axis="y", linewidth=0.8)
    legend(axes, handles)


def _draw_count(canvas: Canvas, axes: Axes, row: RatesRow, colour: str) -> None:
    draw_point(canvas, axes, row, len(row.ports), colour)
    if row.published_detail is not None:
        draw_silicon(canvas.palette, axes, len(row.ports), row.published_detail.mb_s)


def _count_word(rows: Sequence[RatesRow]) -> str:
    """Return what the experiment counts: its label whose value is a number, or ports."""
    names = [name for name, value in rows[0].labels.items() if isinstance(value, int)]
    return names[0] if names else "ports"
