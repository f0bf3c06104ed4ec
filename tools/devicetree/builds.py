# SPDX-License-Identifier: Apache-2.0
"""How the designs of the catalogue are built: the lines of sim/CMakeLists.txt that say so."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from tools import cores

SOURCE = "sim/CMakeLists.txt"
# sluice_design(NAME WIDTH ...) has a top level of its name, sluice_design_as(NAME TOP WIDTH ...)
# that of another design; sluice_hp_design(NAME DESIGN WIDTH ...) is a design of the HP ports.
LINE = re.compile(
    r"^sluice_(?:(?:hp_design|design_as)\((\w+) (\w+)|design\((\w+)) (\d+)(.*)\)$", re.MULTILINE
)
PARAMETER = re.compile(r"-G(\w+)=(\d+)")
WIDTH = "DataWidth"


@dataclass(frozen=True)
class Build:
    name: str  # in the catalogue
    design: str  # of rtl/design
    parameters: dict[str, int]


@cache
def builds() -> dict[str, Build]:
    """By name; of a design that is built for several widths the widest, which is its default."""
    text = (cores.ROOT / SOURCE).read_text()
    timeout = re.search(r"^set\(timeout (.*)\)$", text, re.MULTILINE)
    assert timeout, f"{SOURCE} sets no timeout"
    found: dict[str, Build] = {}
    for name, design, same, width, rest in LINE.findall(text):
        options = rest.replace("${timeout}", timeout[1])
        parameters = {WIDTH: int(width)}
        parameters |= {key: int(value) for key, value in PARAMETER.findall(options)}
        build = Build(name or same, design or same, parameters)
        if build.name not in found or found[build.name].parameters[WIDTH] < int(width):
            found[build.name] = build
    return found
