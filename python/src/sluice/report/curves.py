# SPDX-License-Identifier: Apache-2.0
"""Charts of lines over sizes, which have a logarithmic axis."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sluice.report.chart import SERIES, Spec, hits, mark
from sluice.units import format_bytes

# Lines of one colour differ in both.
_STYLES: tuple[tuple[list[int], str], ...] = (
    ([1, 0], "circle"),
    ([6, 3], "square"),
    ([2, 2], "triangle-up"),
    ([8, 3, 2, 3], "diamond"),
    ([1, 4], "cross"),
)
_MOST = len(SERIES) * len(_STYLES)  # lines of a chart, no two alike


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
Lines = Mapping[str, Sequence[Point]]


def parts(lines: Lines, name: str) -> dict[str, Lines]:
    """Return lines for charts that each have no more than can be told apart, by chart's name."""
    names = list(lines)
    if len(names) <= _MOST:
        return {name: lines}
    return {
        f"{name}-{first // _MOST + 1}": {key: lines[key] for key in names[first : first + _MOST]}
        for first in range(0, len(names), _MOST)
    }


def curves(lines: Lines, of: str, unit: str) -> Spec:
    """Return a chart with a line for each name, of those of a part; `of` is what has the size."""
    values: list[dict[str, Any]] = [
        {"series": name, "bytes": point.bytes, "y": point.value, "tip": point.tip}
        for name, points in lines.items()
        for point in points
    ]
    names = list(lines)
    colours = [SERIES[index % len(SERIES)] for index in range(len(names))]
    styles = [_STYLES[index // len(SERIES)] for index in range(len(names))]
    y = {"field": "y", "type": "quantitative", "title": unit, "scale": {"zero": True}}
    # Names have the shape of points, whose edge would be dashed too.
    by: Spec = {"field": "series", "type": "nominal", "legend": {"symbolStrokeWidth": 0}}
    colour = {**by, "scale": {"domain": names, "range": colours}}
    dash = {**by, "scale": {"domain": names, "range": [dash for dash, _ in styles]}}
    shape = {**by, "scale": {"domain": names, "range": [shape for _, shape in styles]}}
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
                    "color": colour,
                    "strokeDash": dash,
                    "opacity": seen,
                },
            },
            {
                "mark": mark("point", filled=True, size=56),
                "encoding": {"color": colour, "shape": shape, "opacity": seen},
            },
            hits("tip", "point"),
        ],
    }
