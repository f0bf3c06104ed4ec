# SPDX-License-Identifier: Apache-2.0
"""Bars of efficiency by set of ports and direction."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.patheffects import withStroke

from sluice.experiments.rates.plots.marks import direction_name, how, tip_of
from sluice.experiments.rates.published import ABOVE
from sluice.experiments.rates.result import RatesRow
from sluice.labels import DIRECTIONS, ports_label
from sluice.report.plot import Canvas, Plot, legend
from sluice.units import format_bytes, format_number

if TYPE_CHECKING:
    from matplotlib.artist import Artist

_LEAST_FOR_TEXT = 12  # percent: a lower bar has its figure above it
_MOST_FOR_DECIMALS = 20  # bars: more of them have whole figures
_MOST_SETS = 6  # of bars: more of them have their names in small letters
_MOST_NAMED_PORTS = 4  # more are named by the first and the last


def efficiency_plot(rows: Sequence[RatesRow], name: str, title: str) -> Plot:
    """Return the plot of some rows."""
    best = max(rows, key=lambda row: row.efficiency)
    worst = min(rows, key=lambda row: row.efficiency)
    return Plot(
        name=name,
        title=title,
        description=(
            f"Bars of mean rate as a share of the expected rate, by set of ports and direction. "
            f"From {100 * worst.efficiency:.1f} % ({_say(worst)}) "
            f"to {100 * best.efficiency:.1f} % ({_say(best)})."
        ),
        size_in=(10.4, 3.6),
        draw=lambda canvas: _draw_efficiency(canvas, rows),
    )


def _draw_efficiency(canvas: Canvas, rows: Sequence[RatesRow]) -> None:
    axes, palette = canvas.figure.subplots(), canvas.palette
    sets = list(dict.fromkeys(_set_label(row, rows) for row in rows))
    directions = [word for word in DIRECTIONS if any(row.direction == word for row in rows)]
    staggers = sorted({row.placement.stagger_bytes for row in rows})
    kinds = [(direction, stagger) for direction in directions for stagger in staggers]
    step = 0.84 / len(kinds)
    decimals = 0 if len(sets) * len(kinds) > _MOST_FOR_DECIMALS else 1
    foot = {}
    for row in rows:
        kind = (row.direction, row.placement.stagger_bytes)
        offset = (kinds.index(kind) - (len(kinds) - 1) / 2) * step
        bar = _Bar(sets.index(_set_label(row, rows)) + offset, step * 0.9, decimals)
        foot[bar.x] = format_bytes(row.placement.stagger_bytes).replace(" ", "\n")
        _draw_bar(canvas, axes, row, bar)
    axes.set_xticks(range(len(sets)), sets, fontsize=9 if len(sets) > _MOST_SETS else 10.5)
    if len(staggers) > 1:
        axes.xaxis.remove_overlapping_locs = False
        axes.set_xticks(list(foot), list(foot.values()), minor=True, fontsize=7.5)
        axes.tick_params(axis="x", which="minor", length=0, colors=palette.muted)
        axes.tick_params(axis="x", which="major", pad=26)
        axes.set_xlabel("each buffer lies so much further than the one before")
    axes.set_xlim(-0.55, max(len(sets) - 0.45, 1.6))
    axes.set_ylim(0, 112)
    axes.set_yticks(range(0, 101, 25), [f"{share} %" for share in range(0, 101, 25)])
    axes.grid(axis="y", linewidth=0.8)
    axes.axhline(100, color=palette.muted, linewidth=0.9, linestyle=(0, (1, 2)))
    _efficiency_legend(canvas, axes, rows, directions)


def _set_label(row: RatesRow, rows: Sequence[RatesRow]) -> str:
    """Return what stands under the bars of a row: what tells its set of bars from the others."""
    if len({other.width_bits for other in rows}) > 1:
        name = f"{row.width_bits} bits"
    elif len(row.ports) > _MOST_NAMED_PORTS:
        name = f"{row.ports[0]} to {row.ports[-1]}"
    else:
        name = ports_label(row.ports)
    if len({other.clock_mhz for other in rows}) > 1:
        name += f"\n{format_number(row.clock_mhz)} MHz"
    return name


@dataclass(frozen=True, slots=True)
class _Bar:
    """Where a bar stands, and how its figure is written."""

    x: float
    width: float
    decimals: int


def _draw_bar(canvas: Canvas, axes: Axes, row: RatesRow, bar: _Bar) -> None:
    x, width = bar.x, bar.width
    palette = canvas.palette
    share = 100 / row.expected_mb_s
    rates = row.mb_s
    halo = [withStroke(linewidth=3.4, foreground=palette.page)]  # to stand out from the bar
    bars = axes.bar(
        x, rates.mean * share, width, color=palette.of(row.direction), linewidth=0, zorder=2
    )
    bars[0].set_gid(canvas.tip(tip_of(row)))
    if len(rates.samples) > 1:
        axes.plot(
            [x - width * 0.22] * 2,
            [rates.min * share, rates.max * share],
            color=palette.ink,
            linewidth=1.4,
            solid_capstyle="butt",
            path_effects=halo,
            zorder=4,
        )
    top = rates.max * share
    figure = row.published_detail
    if figure is not None:
        at = x + width * 0.22
        if figure.min is not None and figure.max is not None:
            span = [figure.min * share, figure.max * share]
            axes.plot(
                [at] * 2, span, color=palette.silicon, linewidth=1.4, path_effects=halo, zorder=4
            )
            top = max(top, span[1])
        axes.plot(
            [at],
            [figure.mb_s * share],
            marker="^" if figure.relation == ABOVE else "D",
            markersize=5.5,
            markerfacecolor=palette.page,
            markeredgecolor=palette.silicon,
            markeredgewidth=1.8,
            linestyle="none",
            zorder=5,
            clip_on=False,
        )
        top = max(top, figure.mb_s * share)
    # All figures in one line at the foot of the bars, clear of whiskers and published markers.
    inside = 100 * row.efficiency > _LEAST_FOR_TEXT
    axes.annotate(
        f"{100 * row.efficiency:.{bar.decimals}f}",
        (x, 0 if inside else top),
        (0, 5),
        textcoords="offset points",
        ha="center",
        va="bottom",
        fontsize=9,
        fontweight="bold" if inside else "normal",
        color=palette.page if inside else palette.ink,
        zorder=6,
    )


def _efficiency_legend(
    canvas: Canvas, axes: Axes, rows: Sequence[RatesRow], directions: Sequence[str]
) -> None:
    palette = canvas.palette
    handles: list[Artist] = [
        Patch(color=palette.of(direction), label=direction_name(direction, rows))
        for direction in directions
    ]
    if any(len(row.mb_s.samples) > 1 for row in rows):
        handles.append(
            Line2D([], [], color=palette.ink, linewidth=1.4, label=f"{how(rows)}, min to max")
        )
    if any(row.published_detail for row in rows):
        handles.append(
            Line2D(
                [],
                [],
                color=palette.silicon,
                linewidth=1.4,
                marker="D",
                markersize=5,
                markerfacecolor=palette.page,
                markeredgewidth=1.4,
                label="measured on silicon, min to max",
            )
        )
    legend(axes, handles)


def _say(row: RatesRow) -> str:
    return f"{DIRECTIONS[row.direction]} on {ports_label(row.ports)}"
