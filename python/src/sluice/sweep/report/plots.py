# SPDX-License-Identifier: Apache-2.0
"""Plots of a sweep: heat maps, parallel coordinates and Pareto fronts."""

import math
from collections.abc import Mapping, Sequence

from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke

from sluice.report.plot import Canvas, Plot
from sluice.sweep.report.view import SweepView, Value
from sluice.sweep.specification import HeatMap, Pareto
from sluice.units import format_bytes, format_number

_COLOURS = "viridis"
_MOST_MAPS = 12
_MAPS_A_LINE = 3
_MOST_WRITTEN = 150  # cells of a map that have their figures in them
_MOST_COLUMNS_WRITTEN = 12
_MOST_LINES = 1500
_MOST_TICKS = 16
_DARK = 0.6  # share of the scale below which a cell is dark
_BYTES = "bytes"  # ends the name of a column of sizes


def plots_of(view: SweepView, name: str) -> list[Plot]:
    """Return the plots of a sweep that has rows."""
    maps = view.spec.heat_map or _usual_map(view)
    plots = [_heat_map(view, one, f"{name}-map{_number(i, maps)}") for i, one in enumerate(maps)]
    if len(view.varied) > 1:
        plots.append(_parallel(view, f"{name}-parallel"))
    fronts = view.spec.pareto
    return plots + [
        _pareto(view, one, f"{name}-pareto{_number(i, fronts)}") for i, one in enumerate(fronts)
    ]


def _number(index: int, of: Sequence[object]) -> str:
    return f"-{index + 1}" if len(of) > 1 else ""


def _usual_map(view: SweepView) -> tuple[HeatMap, ...]:
    """Return a map over the two columns with the most values, one for each of all others."""
    if len(view.varied) < 2:  # noqa: PLR2004
        return ()
    x, y, *others = sorted(view.varied, key=lambda name: -len(view.varied[name]))
    few = math.prod(len(view.varied[name]) for name in others) <= _MOST_MAPS
    return (HeatMap(x=x, y=y, value=view.figure, by=tuple(others) if few else ()),)


def _said(name: str, value: Value) -> str:
    if name.endswith(_BYTES) and isinstance(value, int) and value:
        return format_bytes(value)
    return format_number(value) if isinstance(value, float) else str(value)


def _heat_map(view: SweepView, of: HeatMap, name: str) -> Plot:
    for key, column in (("x", of.x), ("y", of.y), *(("by", one) for one in of.by)):
        view.need(column, f"heat_map.{key}")
    view.need_figure(of.value, "heat_map.value")
    means = {k: v[0] for k, v in view.means((*of.by, of.x, of.y), of.value).items()}
    maps: dict[tuple[Value, ...], dict[tuple[Value, Value], float]] = {}
    for (*group, x, y), figure in means.items():
        maps.setdefault(tuple(group), {})[x, y] = figure
    maps = dict(list(maps.items())[:_MOST_MAPS])
    low = min(means, key=lambda key: means[key])
    high = max(means, key=lambda key: means[key])
    names = (*of.by, of.x, of.y)
    columns = min(_MAPS_A_LINE, len(maps))
    lines = math.ceil(len(maps) / columns)
    return Plot(
        name=name,
        title=f"{of.value} by {of.x} and {of.y}",
        description=(
            f"Maps of {of.value}, the mean of all runs, by {of.x} and {of.y}. From "
            f"{means[low]:.5g} ({_at(names, low)}) to {means[high]:.5g} ({_at(names, high)})."
        ),
        size_in=(10.4, max(3.2, 3.3 * lines + 0.6)),
        draw=lambda canvas: _draw_maps(canvas, view, of, maps, (lines, columns)),
    )


def _at(names: Sequence[str], values: Sequence[Value]) -> str:
    return ", ".join(f"{n} {_said(n, v)}" for n, v in zip(names, values, strict=True))


def _draw_maps(
    canvas: Canvas,
    view: SweepView,
    of: HeatMap,
    maps: Mapping[tuple[Value, ...], Mapping[tuple[Value, Value], float]],
    shape: tuple[int, int],
) -> None:
    figures = [figure for one in maps.values() for figure in one.values()]
    scale = Normalize(min(figures), max(figures) if max(figures) > min(figures) else None)
    grid = canvas.figure.subplots(*shape, squeeze=False, sharex=True, sharey=True)
    places = [axes for line in grid for axes in line]
    for axes in places[len(maps) :]:
        axes.set_axis_off()
    for index, (axes, (group, cells)) in enumerate(zip(places, maps.items(), strict=False)):
        _draw_map(canvas, axes, view, of, cells, scale)
        if group:
            axes.set_title(_at(of.by, group), fontsize=9.5, loc="left")
        if index % shape[1] == 0:
            axes.set_ylabel(of.y)
        if index + shape[1] >= len(maps):
            axes.set_xlabel(of.x)
            axes.tick_params(axis="x", labelbottom=True)
    colours = ScalarMappable(scale, colormaps[_COLOURS])
    bar = canvas.figure.colorbar(colours, ax=places, shrink=0.9, aspect=30, pad=0.015)
    bar.set_label(of.value)
    bar.outline.set_visible(False)


def _draw_map(  # noqa: PLR0913, PLR0917
    canvas: Canvas,
    axes: Axes,
    view: SweepView,
    of: HeatMap,
    cells: Mapping[tuple[Value, Value], float],
    scale: Normalize,
) -> None:
    xs = view.varied.get(of.x) or sorted({x for x, _ in cells})
    ys = view.varied.get(of.y) or sorted({y for _, y in cells})
    written = len(cells) <= _MOST_WRITTEN and len(xs) <= _MOST_COLUMNS_WRITTEN
    for (x, y), figure in cells.items():
        share = float(scale(figure))
        cell = Rectangle(
            (xs.index(x) - 0.5, ys.index(y) - 0.5),
            1,
            1,
            facecolor=colormaps[_COLOURS](share),
            edgecolor=canvas.palette.page,
            linewidth=0.5,
        )
        cell.set_gid(canvas.tip(f"{_at((of.x, of.y), (x, y))}: {of.value} {figure:.5g}"))
        axes.add_patch(cell)
        if written:
            colour = "#ffffff" if share < _DARK else "#111111"
            place = (xs.index(x), ys.index(y))
            text = f"{figure:.4g}" if abs(figure) < 1000 else f"{figure:.0f}"  # noqa: PLR2004
            axes.annotate(text, place, ha="center", va="center", fontsize=6.5, color=colour)
    _ticks(axes, "x", of.x, xs)
    _ticks(axes, "y", of.y, ys)
    axes.set_xlim(-0.5, len(xs) - 0.5)
    axes.set_ylim(-0.5, len(ys) - 0.5)


def _ticks(axes: Axes, way: str, name: str, values: Sequence[Value]) -> None:
    step = math.ceil(len(values) / _MOST_TICKS)
    places = range(0, len(values), step)
    words = [_said(name, values[place]) for place in places]
    long = way == "x" and sum(map(len, words)) > 40  # noqa: PLR2004
    if way == "x":
        axes.set_xticks(places, words, fontsize=8, rotation=90 if long else 0)
    else:
        axes.set_yticks(places, words, fontsize=8)


def _parallel(view: SweepView, name: str) -> Plot:
    columns = [*view.varied, view.figure]
    means = [(key, figures[0]) for key, figures in view.means(columns[:-1], columns[-1]).items()]
    means = sorted(means[:: math.ceil(len(means) / _MOST_LINES)], key=lambda point: point[1])
    return Plot(
        name=name,
        title=f"{view.figure} of every point",
        description=(
            f"A line for each point, through its values of {', '.join(view.varied)}, to its "
            f"{view.figure}, which also gives its colour."
        ),
        size_in=(10.4, 4.0),
        draw=lambda canvas: _draw_parallel(canvas, view, columns, means),
    )


def _draw_parallel(
    canvas: Canvas,
    view: SweepView,
    columns: Sequence[str],
    means: Sequence[tuple[tuple[Value, ...], float]],
) -> None:
    axes, palette = canvas.figure.subplots(), canvas.palette
    low, high = means[0][1], means[-1][1]
    span = (high - low) or 1.0
    width = 1.2 if len(means) <= 200 else 0.5  # noqa: PLR2004
    for key, figure in means:
        share = (figure - low) / span
        heights = [
            view.varied[name].index(value) / (len(view.varied[name]) - 1)
            for name, value in zip(columns[:-1], key, strict=True)
        ]
        (line,) = axes.plot(
            range(len(columns)),
            [*heights, share],
            color=colormaps[_COLOURS](share),
            linewidth=width,
            alpha=0.8,
        )
        line.set_gid(canvas.tip(f"{_at(columns[:-1], key)}: {columns[-1]} {figure:.5g}"))
    for place, name in enumerate(columns[:-1]):
        axes.axvline(place, color=palette.muted, linewidth=0.9)
        values = view.varied[name]
        for index in range(0, len(values), math.ceil(len(values) / _MOST_TICKS)):
            _name(canvas, axes, place, index / (len(values) - 1), _said(name, values[index]))
    last = len(columns) - 1
    axes.axvline(last, color=palette.muted, linewidth=0.9)
    for share in (0, 0.25, 0.5, 0.75, 1):
        _name(canvas, axes, last, share, f"{low + share * span:.4g}")
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks([])
    axes.set_xlim(-0.15, last + 0.35)
    axes.set_ylim(-0.04, 1.04)
    axes.spines["bottom"].set_visible(False)


def _name(canvas: Canvas, axes: Axes, x: float, y: float, text: str) -> None:
    axes.annotate(
        text,
        (x, y),
        (4, 0),
        textcoords="offset points",
        va="center",
        fontsize=7.5,
        color=canvas.palette.ink,
        path_effects=[withStroke(linewidth=2.5, foreground=canvas.palette.page)],
    )


def _pareto(view: SweepView, of: Pareto, name: str) -> Plot:
    view.need_figure(of.maximise, "pareto.maximise")
    view.need_figure(of.minimise, "pareto.minimise")
    means = view.means(list(view.varied), of.minimise, of.maximise)
    points = {key: (least, most) for key, (least, most) in means.items()}
    front = front_of(points)
    return Plot(
        name=name,
        title=f"{of.maximise} against {of.minimise}",
        description=(
            f"A dot for each point; a line through the {len(front)} of which none other has more "
            f"{of.maximise} with no more {of.minimise}."
        ),
        size_in=(10.4, 4.2),
        draw=lambda canvas: _draw_pareto(canvas, view, of, points, front),
    )


def front_of(
    points: Mapping[tuple[Value, ...], tuple[float, float]],
) -> dict[tuple[Value, ...], tuple[float, float]]:
    """Return the points that no other one has less of the first and more of the second."""
    front: dict[tuple[Value, ...], tuple[float, float]] = {}
    most = -math.inf
    for key, (less, more) in sorted(points.items(), key=lambda item: (item[1][0], -item[1][1])):
        if more > most:
            front[key] = (less, more)
            most = more
    return front


def _draw_pareto(
    canvas: Canvas,
    view: SweepView,
    of: Pareto,
    points: Mapping[tuple[Value, ...], tuple[float, float]],
    front: Mapping[tuple[Value, ...], tuple[float, float]],
) -> None:
    axes, palette = canvas.figure.subplots(), canvas.palette
    names = list(view.varied)
    for key, (less, more) in points.items():
        inside = key in front
        (dot,) = axes.plot(
            less,
            more,
            "o",
            color=palette.duplex if inside else palette.muted,
            markersize=6 if inside else 3,
            alpha=1 if inside else 0.5,
            zorder=3 if inside else 2,
        )
        dot.set_gid(canvas.tip(f"{_at(names, key)}: {more:.5g} with {less:.5g}"))
    steps = list(front.values())
    axes.plot(
        [less for less, _ in steps],
        [more for _, more in steps],
        drawstyle="steps-post",
        color=palette.duplex,
        linewidth=1.6,
        zorder=1,
    )
    axes.set_xlabel(f"{of.minimise} (less is better)")
    axes.set_ylabel(f"{of.maximise} (more is better)")
    axes.grid(linewidth=0.8)
