# SPDX-License-Identifier: Apache-2.0
"""Figures that tests measure and hold. A test runs a few commands and fails below its goal; with
FIGURES=<file> in the environment (`make engine-bench`) it runs as many as the bench is defined
with, and each figure goes to that file, one JSON object a line, whatever its value."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

WARM_UP = 32  # commands before the first that counts
COMMANDS = 1024  # in all
LARGE_BYTES = 65536  # from here on fewer are enough
LARGE_COMMANDS = 12

# Bytes and latency of the bench's table, and the commands that a test takes.
RATES = ((64, 20, 300), (64, 120, 300), (256, 120, 150), (1024, 120, 80), (65536, 120, 2))
UNLIMITED = 1 << 30  # outstanding bursts

_FILE = os.environ.get("FIGURES")


def commands(few: int, count_bytes: int) -> int:
    """How many commands of `count_bytes` to queue: `few` in a test."""
    if not _FILE:
        return few
    return COMMANDS if count_bytes < LARGE_BYTES else LARGE_COMMANDS


def rate_name(count: int, latency: int, offset: int = 0, outstanding: int = UNLIMITED) -> str:
    """What the figure of a rate is called."""
    limit = f", {outstanding} outstanding" if outstanding < UNLIMITED else ""
    return f"{count} B{f' at +{offset}' if offset else ''}, L={latency}{limit}"


def percent(edges: Sequence[int], beats: int, payload: int | None = None) -> float:
    """Percent of a beat a cycle, from the first beat of command WARM_UP + 1 (of fewer commands, of
    the middle one) to the last beat. `edges` are the cycles of all beats, `beats` those of a
    command, of which `payload` count (where its alignment costs one)."""
    skipped = min(WARM_UP, len(edges) // beats // 2) * beats
    counted = edges[skipped:]
    cycles = counted[-1] - counted[0] + 1
    return 100 * len(counted) * (payload or beats) / beats / cycles


def figure(
    name: str, value: float, *, least: float | None = None, most: float | None = None
) -> None:
    """States a figure: held to its bounds in a test, written down in the bench."""
    print(f"figure: {name}: {value:.2f}")
    if _FILE:
        with Path(_FILE).open("a") as file:
            file.write(json.dumps({"name": name, "value": value}) + "\n")
        return
    assert least is None or value >= least, f"{name}: {value:.2f}, not at least {least}"
    assert most is None or value <= most, f"{name}: {value:.2f}, not at most {most}"
