# SPDX-License-Identifier: Apache-2.0
"""Charts of lines over sizes, which have a logarithmic axis."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sluice.report.chart import SERIES, Spec, hits, mark
from sluice.units import format_bytes

_DASHES = ([1, 0], [5, 3], [2, 2])


class Point(NamedTuple):
    """One size of one line."""

    bytes: int
    value: float
    tip: str  # what is said to who points at it


def size_axis(sizes: Sequence[int], title: str) -> Spec:
    """Return the axis of sizes."""
    values = sorted(set(sizes))
    words = {size: format_bytes(size) for size in values}
    names = ", ".join(f"'{size}': '{word}'" for size, word in words.items())
    return {
        "field": "bytes",
        "type": "quantitative",
        "title": title,
        "scale": {"type": "log", "base": 2, "nice": False},
        "axis": {
            "values": values,
            "labelExpr": f"({{{names}}})[datum.value]",
            "labelOverlap": "greedy",
            "grid": False,
        },
    }


PICK = "A click on a name shows its line alone."  # to say where there are many


def curves(lines: Mapping[str, Sequence[Point]], of: str, unit: str) -> Spec:
    """Return a chart with a line for each name; `of` is what has the size."""
    values: list[dict[str, Any]] = [
        {"series": name, "bytes": point.bytes, "y": point.value, "tip": point.tip}
        for name, points in lines.items()
        for point in points
    ]
    names = list(lines)
    colours = [SERIES[index % len(SERIES)] for index in range(len(names))]
    dashes = [_DASHES[index // len(SERIES) % len(_DASHES)] for index in range(len(names))]
    y = {"field": "y", "type": "quantitative", "title": unit, "scale": {"zero": True}}
    by: Spec = {"field": "series", "type": "nominal", "title": None}
    colour = {**by, "scale": {"domain": names, "range": colours}}
    dash = {**by, "scale": {"domain": names, "range": dashes}}
    stroke = {"symbolType": "stroke", "symbolStrokeWidth": 2.5, "symbolSize": 220}
    seen: Spec = {"condition": {"param": "picked", "value": 1}, "value": 0.08}
    x = size_axis([value["bytes"] for value in values], f"size of a {of}")
    return {
        "height": 320,
        "data": {"values": values},
        "encoding": {"x": x, "y": y},
        "layer": [
            {
                "params": [
                    {
                        "name": "picked",
                        "select": {"type": "point", "fields": ["series"]},
                        "bind": "legend",
                    }
                ],
                "mark": mark("line", strokeWidth=2),
                "encoding": {
                    "color": {**colour, "legend": stroke},
                    "strokeDash": {**dash, "legend": stroke},
                    "opacity": seen,
                },
            },
            {
                "mark": mark("point", filled=True, size=44),
                "encoding": {"color": {**colour, "legend": stroke}, "opacity": seen},
            },
            hits("tip", "point"),
        ],
    }
