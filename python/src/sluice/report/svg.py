# SPDX-License-Identifier: Apache-2.0
"""Turns a matplotlib SVG into one that lives in a page: themed, accessible, without id clashes."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_FONT = re.compile(r"'DejaVu Sans'(?:, [^;]*)?sans-serif|'DejaVu Sans'")


def inline(  # noqa: PLR0913
    svg: str,
    name: str,
    *,
    title: str,
    description: str,
    colours: Mapping[str, str],
    tips: Mapping[str, str],
) -> str:
    """Return `svg` for embedding.

    `colours` maps colours of the figure to CSS values, `tips` maps ids of elements to the text
    that a browser shows when the pointer rests on them. All ids get the prefix `name`.
    """
    ET.register_namespace("", _SVG)
    ET.register_namespace("xlink", _XLINK)
    root = ET.fromstring(svg)  # noqa: S314  (matplotlib wrote it a moment ago)
    for metadata in root.findall(f"{{{_SVG}}}metadata"):
        root.remove(metadata)
    for element in root.iter():
        identity = element.get("id")
        if identity is not None and identity in tips:
            tip = ET.Element(f"{{{_SVG}}}title")
            tip.text = tips[identity]
            element.insert(0, tip)
            element.set("class", "mark")
        for key, value in element.attrib.items():
            element.set(key, _attribute(key, value, name, colours))
    for key in ("width", "height"):
        root.attrib.pop(key, None)
    root.set("class", "plot")
    root.set("role", "img")
    root.set("aria-labelledby", f"{name}-title {name}-desc")
    for index, (tag, text) in enumerate((("title", title), ("desc", description))):
        element = ET.Element(f"{{{_SVG}}}{tag}", {"id": f"{name}-{tag}"})
        element.text = text
        root.insert(index, element)
    return ET.tostring(root, encoding="unicode")


def _attribute(key: str, value: str, name: str, colours: Mapping[str, str]) -> str:
    if key == "id":
        return f"{name}-{value}"
    if key.endswith("href") and value.startswith("#"):
        return f"#{name}-{value[1:]}"
    value = value.replace("url(#", f"url(#{name}-")
    for colour, css in colours.items():
        value = value.replace(colour, css)
    return _FONT.sub("var(--font)", value)
