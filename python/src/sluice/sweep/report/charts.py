# SPDX-License-Identifier: Apache-2.0
"""Charts of a sweep: heat maps, parallel coordinates and Pareto fronts."""

import math
from collections.abc import Mapping, Sequence

from sluice.report.chart import INK, MUTED, SERIES, Chart, Spec, hits, mark
from sluice.sweep.report.view import SweepView, Value
from sluice.sweep.specification import HeatMap, Pareto
from sluice.units import format_bytes, format_count, format_number

_COLOURS = "viridis"
_MOST_MAPS = 12
_MAPS_A_LINE = 3
_MOST_WRITTEN = 150  # cells of a map that have their figures in them
_MOST_COLUMNS_WRITTEN = 8
_MOST_LINES = 1500
_MOST_TICKS = 16
_DARK = 0.6  # share of the scale below which a cell is dark
_CELL = 26  # pixels of height
_BYTES = "bytes"  # ends the name of a column of sizes


def charts_of(view: SweepView, name: str) -> list[Chart]:
    """Return the charts of a sweep that has rows."""
    maps = view.spec.heat_map or _usual_map(view)
    charts = [_heat_map(view, one, f"{name}-map{_number(i, maps)}") for i, one in enumerate(maps)]
    if len(view.varied) > 1:
        charts.append(_parallel(view, f"{name}-parallel"))
    fronts = view.spec.pareto
    return charts + [
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


def said(name: str, value: Value) -> str:
    """Return the value of a column for reading."""
    if name.endswith(_BYTES) and isinstance(value, int) and value:
        return format_bytes(value)
    return format_number(value) if isinstance(value, float) else str(value)


def _at(names: Sequence[str], values: Sequence[Value]) -> str:
    return ", ".join(f"{n} {said(n, v)}" for n, v in zip(names, values, strict=True))


def _heat_map(view: SweepView, of: HeatMap, name: str) -> Chart:
    for key, column in (("x", of.x), ("y", of.y), *(("by", one) for one in of.by)):
        view.need(column, f"heat_map.{key}")
    view.need_figure(of.value, "heat_map.value")
    means = {k: v[0] for k, v in view.means((*of.by, of.x, of.y), of.value).items()}
    groups = list(dict.fromkeys(key[:-2] for key in means))[:_MOST_MAPS]
    low = min(means, key=lambda key: means[key])
    high = max(means, key=lambda key: means[key])
    names = (*of.by, of.x, of.y)
    span = (means[high] - means[low]) or 1.0
    values = [
        {
            "map": _at(of.by, group),
            "x": said(of.x, x),
            "y": said(of.y, y),
            "value": figure,
            "text": f"{figure:.4g}" if abs(figure) < 1000 else f"{figure:.0f}",  # noqa: PLR2004
            "dark": (figure - means[low]) / span < _DARK,
            "tip": f"{_at(names, (*group, x, y))}: {of.value} {figure:.5g}",
        }
        for (*group, x, y), figure in means.items()
        if tuple(group) in groups
    ]
    return Chart(
        name=name,
        title=f"{of.value} by {of.x} and {of.y}",
        about=f"Colour: {of.value}, the mean of all runs.",
        description=(
            f"From {means[low]:.5g} ({_at(names, low)}) to {means[high]:.5g} ({_at(names, high)})."
        ),
        spec=_maps(view, of, values, len(groups)),
    )


def _maps(view: SweepView, of: HeatMap, values: list[dict[str, object]], maps: int) -> Spec:
    xs, ys = ([said(name, value) for value in view.varied.get(name, ())] for name in (of.x, of.y))
    across = min(_MAPS_A_LINE, maps)
    written = len(values) / maps <= _MOST_WRITTEN and len(xs) * across <= _MOST_COLUMNS_WRITTEN
    axis = {"grid": False, "labelOverlap": "greedy"}
    x: Spec = {"field": "x", "type": "nominal", "title": of.x, "axis": {**axis, "labelAngle": 0}}
    y: Spec = {"field": "y", "type": "nominal", "title": of.y, "axis": axis}
    x["sort"], y["sort"] = xs or None, list(reversed(ys)) or None
    colour = {"field": "value", "type": "quantitative", "title": of.value,
              "scale": {"scheme": _COLOURS, "zero": False},
              "legend": {"gradientLength": 200, "titleColor": MUTED, "orient": "top"}}  # fmt: skip
    layers: list[Spec] = [{"mark": mark("rect"), "encoding": {"color": colour}}]
    if written:
        text = {"condition": {"test": "datum.dark", "value": "#ffffff"}, "value": "#111111"}
        layers.append(
            {"mark": mark("text", fontSize=10),
             "encoding": {"text": {"field": "text"}, "color": text}}
        )  # fmt: skip
    layers.append(hits("tip"))
    one: Spec = {"encoding": {"x": x, "y": y}, "layer": layers}
    height = _CELL * max(len(ys), 2)
    if maps == 1:
        return {"height": height, "data": {"values": values}, **one}
    return {
        "data": {"values": values},
        "usermeta": {"views": maps},
        "columns": across,
        "facet": {"field": "map", "type": "nominal", "sort": None, "title": None},
        "spec": {**one, "height": height},
    }


def _parallel(view: SweepView, name: str) -> Chart:
    columns = [*view.varied, view.figure]
    means = [(key, figures[0]) for key, figures in view.means(columns[:-1], columns[-1]).items()]
    means = sorted(means[:: math.ceil(len(means) / _MOST_LINES)], key=lambda point: point[1])
    low, high = means[0][1], means[-1][1]
    span = (high - low) or 1.0

    def heights(key: Sequence[Value], figure: float) -> dict[str, float]:
        places = [
            view.varied[name].index(value) / (len(view.varied[name]) - 1)
            for name, value in zip(columns[:-1], key, strict=True)
        ]
        shares = [*places, (figure - low) / span]
        return {str(index): round(share, 4) for index, share in enumerate(shares)}

    values = [
        {"id": index, "value": figure, **heights(key, figure),
         "tip": f"{_at(columns[:-1], key)}: {columns[-1]} {figure:.5g}"}
        for index, (key, figure) in enumerate(means)
    ]  # fmt: skip
    marks = [
        {"column": place, "y": index / (len(found) - 1), "text": said(column, found[index])}
        for place, column in enumerate(columns[:-1])
        for found in [view.varied[column]]
        for index in range(0, len(found), math.ceil(len(found) / _MOST_TICKS))
    ] + [
        {"column": len(columns) - 1, "y": share, "text": f"{low + share * span:.4g}"}
        for share in (0, 0.25, 0.5, 0.75, 1)
    ]
    last = len(columns) - 1
    named = ", ".join(f"'{place}': {column!r}" for place, column in enumerate(columns))
    x: Spec = {
        "type": "quantitative", "title": None,
        "scale": {"domain": [-0.1, last + 0.25], "nice": False, "zero": False},
        "axis": {"values": list(range(len(columns))), "labelExpr": f"({{{named}}})[datum.value]",
                 "grid": False, "labelLimit": 110},
    }  # fmt: skip
    y: Spec = {"field": "y", "type": "quantitative", "axis": None,
               "scale": {"domain": [-0.02, 1.02], "nice": False}}  # fmt: skip
    colour = {"field": "value", "type": "quantitative", "legend": None,
              "scale": {"scheme": _COLOURS, "zero": False}}  # fmt: skip
    fold = [
        {"fold": [str(place) for place in range(len(columns))], "as": ["column", "y"]},
        {"calculate": "toNumber(datum.column)", "as": "column"},
    ]
    width = 1.4 if len(means) <= 200 else 0.6  # noqa: PLR2004
    # Not `opacity`: for each mark that has one, the PNG is composed of one more full image.
    spec: Spec = {
        "height": 380,
        "data": {"values": values},
        "layer": [
            {
                "transform": fold,
                "mark": mark("line", strokeWidth=width, strokeOpacity=0.8),
                "encoding": {"x": {**x, "field": "column"}, "y": y, "color": colour,
                             "detail": {"field": "id"}},
            },
            {"data": {"values": [{"column": place} for place in range(len(columns))]},
             "mark": mark("rule", color=MUTED),
             "encoding": {"x": {**x, "field": "column"}}},
            {"data": {"values": marks},
             "mark": mark("text", align="left", dx=4, color=INK, fontSize=10),
             "encoding": {"x": {**x, "field": "column"}, "y": y, "text": {"field": "text"}}},
            hits("tip", "point", x={**x, "datum": last}, y={**y, "field": str(last)}),
        ],
    }  # fmt: skip
    return Chart(
        name=name,
        title=f"{view.figure} of every point",
        about=f"A line for each point, to its {view.figure} on the right, which also gives its "
        "colour.",
        description=f"{format_count(len(means), 'point')}, from {low:.5g} to {high:.5g}.",
        spec=spec,
    )


def _pareto(view: SweepView, of: Pareto, name: str) -> Chart:
    view.need_figure(of.maximise, "pareto.maximise")
    view.need_figure(of.minimise, "pareto.minimise")
    means = view.means(list(view.varied), of.minimise, of.maximise)
    points = {key: (least, most) for key, (least, most) in means.items()}
    front = front_of(points)
    names = list(view.varied)
    values = [
        {"less": less, "more": more, "front": key in front,
         "tip": f"{_at(names, key)}: {of.maximise} {more:.5g}, {of.minimise} {less:.5g}"}
        for key, (less, more) in points.items()
    ]  # fmt: skip
    axis = {"type": "quantitative", "scale": {"zero": False}, "axis": {"grid": True}}
    x = {**axis, "field": "less", "title": f"{of.minimise} (less is better)"}
    y = {**axis, "field": "more", "title": f"{of.maximise} (more is better)"}
    colour = {"condition": {"test": "datum.front", "value": SERIES[0]}, "value": MUTED}
    size = {"condition": {"test": "datum.front", "value": 70}, "value": 24}
    return Chart(
        name=name,
        title=f"{of.maximise} against {of.minimise}",
        about="A dot for each point. A line goes through those that no other one beats, "
        f"{format_count(len(front), 'point')}: none has more {of.maximise} with no more "
        f"{of.minimise}.",
        description=f"{format_count(len(points), 'point')}, {len(front)} of them on the front.",
        spec={
            "height": 340,
            "data": {"values": values},
            "encoding": {"x": x, "y": y},
            "layer": [
                {"transform": [{"filter": "datum.front"}],
                 "mark": mark("line", interpolate="step-after", color=SERIES[0])},
                {"mark": mark("point", filled=True, fillOpacity=0.9, opacity=1),
                 "encoding": {"color": colour, "size": size}},
                hits("tip", "point"),
            ],
        },
    )  # fmt: skip


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
