# SPDX-License-Identifier: Apache-2.0
"""Charts of a report: Vega-Lite specifications, for the page and as PNG and SVG files.

Vega, Vega-Lite and Vega-Embed (BSD-3-Clause) come with the package vl-convert-python, which also
draws the files. On the page colours are CSS variables, so that the page decides on light or dark.
"""

import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

Spec = dict[str, Any]

_VEGA_LITE = "6.4"
_FONT = "Liberation Sans, Arial, Helvetica, sans-serif"  # the first comes with vl-convert
_STATIC_WIDTH = 860  # of a file, in pixels before they are doubled
_SCALE = 2
_COLOURS = 128  # of a PNG
_TITLE = 120  # letters of a line under the title
_LETTER, _SYMBOL = 6, 26  # pixels of a legend's entry
_VARIABLE = re.compile(r"var\(--([a-z0-9]+)\)")
_LIGHT = {
    "ink": "#1c2430",
    "muted": "#5b6675",
    "line": "#dde2e8",
    "page": "#ffffff",
    "duplex": "#2f6fde",
    "mm2s": "#0b8272",
    "s2mm": "#bd6a06",
    "both": "#6d4fb0",
    "silicon": "#b5179e",
}
INK, MUTED, LINE, PAGE = (f"var(--{name})" for name in ("ink", "muted", "line", "page"))
SILICON = "var(--silicon)"
SERIES = tuple(f"var(--{name})" for name in ("duplex", "s2mm", "mm2s", "both", "silicon"))


@dataclass(frozen=True, slots=True)
class Chart:
    """One chart, drawn on the page and into files."""

    name: str  # of its files, and its anchor
    title: str
    about: str  # how to read it, in a sentence or two
    description: str  # what it shows, for who does not see it
    spec: Mapping[str, Any]  # Vega-Lite, without what all charts have

    def for_page(self) -> Spec:
        """Return the specification for the page, as wide as what it is put into."""
        return self._spec(container=True)

    def files(self) -> dict[str, bytes]:
        """Return the chart with its title on white, as a PNG and as an SVG, by name of file."""
        import vl_convert  # noqa: PLC0415  (a library of 80 MB, for drawing alone)
        from PIL import Image  # noqa: PLC0415  (as above: kinds are imported by every command)

        svg = vl_convert.vegalite_to_svg(self.static(), vl_version=_VEGA_LITE)
        png = io.BytesIO()
        drawn = io.BytesIO(vl_convert.svg_to_png(svg, scale=_SCALE))
        with Image.open(drawn) as picture:  # a tenth of the size, and looks the same
            picture.convert("RGB").quantize(_COLOURS, dither=Image.Dither.NONE).save(png, "PNG")
        return {f"{self.name}.png": png.getvalue(), f"{self.name}.svg": svg.encode()}

    def static(self) -> Spec:
        """Return the specification for a file."""
        spec = self._spec(container=False)
        if "hconcat" not in spec:
            spec["title"] = _title(self, _TITLE)
        entry = spec["usermeta"]["longest"] * _LETTER + _SYMBOL
        spec["config"]["legend"]["columns"] = max(1, int((_STATIC_WIDTH - 110) / entry))
        text = json.dumps(spec)
        found: Spec = json.loads(_VARIABLE.sub(lambda match: _LIGHT.get(match[1], match[0]), text))
        return found

    def _spec(self, *, container: bool) -> Spec:
        spec = {
            "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
            "description": self.description,
            "config": _config(container=container),
            **self.spec,
        }
        spec["usermeta"] = {**self.spec.get("usermeta", {}), "longest": _longest(self.spec)}
        if "spec" in spec:  # small multiples, of which the page sets the width
            inner = dict(spec["spec"])
            across = min(spec["columns"], spec["usermeta"]["views"])
            inner["width"] = (_STATIC_WIDTH - 60) // across - 50
            return {**spec, "spec": inner}
        if "hconcat" not in spec:
            spec["width"] = "container" if container else _STATIC_WIDTH
            spec["autosize"] = {"type": "fit-x", "contains": "padding"}
        return spec


def beside(charts: Sequence[Chart], name: str) -> Chart:
    """Return one chart for a file that has others beside one another, with their titles."""
    width, letters = _STATIC_WIDTH // len(charts) - 60, _TITLE // len(charts) + 4
    heads = [_title(chart, letters) for chart in charts]
    most = max(len(head["subtitle"]) for head in heads)
    for head in heads:  # all as high as the highest
        head["subtitle"] += [" "] * (most - len(head["subtitle"]))
    return Chart(
        name=name,
        title=charts[0].title,
        about=charts[0].about,
        description=" ".join(chart.description for chart in charts),
        spec={
            "spacing": 40,
            "resolve": {"scale": {"color": "independent", "shape": "independent"}},
            "hconcat": [
                {**chart.spec, "width": width, "title": head}
                for chart, head in zip(charts, heads, strict=True)
            ],
        },
    )


@cache
def library() -> str:
    """Return the JavaScript that draws charts on the page, as one file."""
    import vl_convert  # noqa: PLC0415  (as above)

    # The package's stub asks for a snippet, which is not needed.
    return str(vl_convert.javascript_bundle(vl_version=_VEGA_LITE))  # type: ignore[call-arg]


def versions() -> str:
    """Return the libraries that are in the page, with their versions."""
    import vl_convert  # noqa: PLC0415  (as above)

    return (
        f"Vega {vl_convert.get_vega_version()}, Vega-Lite {_VEGA_LITE} and "
        f"Vega-Embed {vl_convert.get_vega_embed_version()}"
    )


def hits(field: str, kind: str = "rect", **encoding: Spec) -> Spec:
    """Return the layer that answers to pointer and keyboard with the text in a field."""
    mark = {"type": kind, "opacity": 0, "cursor": "default", "aria": True}
    if kind == "point":
        mark |= {"filled": True, "size": 420}
    return {"mark": mark, "encoding": {"description": {"field": field}, **encoding}}


def mark(kind: str, **properties: object) -> Spec:
    """Return a mark that is only seen: what answers is the layer of hits."""
    return {"type": kind, "aria": False, "tooltip": None, **properties}


def by_name(
    names: Sequence[str],
    values: Sequence[Mapping[str, object]],
    layers: Sequence[Spec],
    pixels: int,
    scale: Spec | None = None,
) -> Spec:
    """Return a chart with a line of so many pixels for each name, from the top down.

    The field `name` of a value says which line is its own. `scale` is that of the names.
    """
    y: Spec = {"field": "name", "type": "nominal", "sort": None, "title": None}
    if scale is not None:
        y["scale"] = scale
    return {
        "height": pixels * len(names),
        "data": {"values": values},
        "encoding": {"y": {**y, "axis": {"grid": False}}},
        "layer": list(layers),
    }


def _config(*, container: bool) -> Spec:
    axis = {
        "labelColor": INK,
        "titleColor": MUTED,
        "gridColor": LINE,
        "domain": False,
        "ticks": False,
        "labelPadding": 6,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titlePadding": 8,
        "labelLimit": 300,
        "labelFlush": False,
    }
    return {
        "font": _FONT,
        "background": None if container else PAGE,
        "padding": {"bottom": 4} if container else 16,  # for letters that reach below a line
        "view": {"stroke": None},
        "axis": axis,
        "axisQuantitative": {"tickCount": 8},
        "axisY": {"titleAnchor": "end", "titleAngle": 0, "titleAlign": "left", "titleY": -10},
        "legend": {
            "orient": "top",
            "direction": "horizontal",
            "title": None,
            "labelColor": INK,
            "labelFontSize": 12,
            "labelLimit": 400,
            "symbolSize": 70,
            "symbolOpacity": 1,
            "offset": 24,
        },
        "title": {
            "anchor": "start",
            "frame": "group",
            "color": INK,
            "fontSize": 16,
            "subtitleColor": MUTED,
            "subtitleFontSize": 12,
            "offset": 14,
        },
        "header": {"labelColor": INK, "labelAnchor": "start", "labelFontSize": 12, "title": None},
        "range": {"category": list(SERIES)},
    }


def _longest(spec: object) -> int:
    """Return the letters of the longest name in a legend of a specification."""
    if isinstance(spec, Mapping):
        own = spec.get("color")
        domain = own.get("scale", {}).get("domain", ()) if isinstance(own, Mapping) else ()
        names = [len(name) for name in domain if isinstance(name, str)]
        return max([*names, *(_longest(value) for key, value in spec.items() if key != "data"), 1])
    if isinstance(spec, list | tuple):
        return max([*(_longest(value) for value in spec), 1])
    return 1


def _title(chart: Chart, letters: int) -> Spec:
    return {"text": chart.title, "subtitle": _lines(chart.about, letters)}


def _lines(text: str, most: int) -> list[str]:
    """Return a text in lines for the head of a file."""
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) >= most:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".lstrip()
    return lines
