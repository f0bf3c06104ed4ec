# SPDX-License-Identifier: Apache-2.0
"""How ports and directions are called where people read them."""

from collections.abc import Sequence
from typing import Literal

Direction = Literal["duplex", "mm2s", "s2mm", "both", "copy"]
Level = Literal["rtl", "transaction"]

DIRECTIONS: dict[str, str] = {
    "duplex": "duplex",
    "mm2s": "PS to PL",
    "s2mm": "PL to PS",
    "both": "both ways",
    "copy": "copy",
}
RTL: Level = "rtl"
TRANSACTION: Level = "transaction"
OF_ENGINES = "engine."  # begins the name of a setting of transaction-level engines
LEVELS: dict[str, str] = {
    RTL: "the design's own logic",
    TRANSACTION: "transaction-level engines, no logic",
}
# Blocks that a port moves at the same time; a copy counts each byte once.
ENGINES_PER_PORT = {"duplex": 2, "mm2s": 1, "s2mm": 1, "both": 2, "copy": 1}
# How often each counted byte crosses the memory's bus.
CROSSINGS = {"duplex": 1, "mm2s": 1, "s2mm": 1, "both": 1, "copy": 2}


def ports_label(ports: Sequence[str]) -> str:
    """Return ["HP0", "HP2"] as "HP0,2", the way the literature writes port sets."""
    prefix = ports[0].rstrip("0123456789")
    if not all(port.startswith(prefix) for port in ports):
        return ",".join(ports)
    return prefix + ",".join(port.removeprefix(prefix) for port in ports)


def row_label(width_bits: int, direction: str, ports: Sequence[str]) -> str:
    """Return the name of a row, such as "64-bit duplex HP0,2"."""
    return f"{width_bits}-bit {DIRECTIONS[direction]} {ports_label(ports)}"
