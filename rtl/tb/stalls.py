# SPDX-License-Identifier: Apache-2.0
"""Seeded stall generators. A stall source is a callable that answers, once a cycle, whether to
stall this cycle."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Iterator
from typing import Any

Stall = Callable[[], bool]


def NO_STALL() -> bool:
    return False


def seed(name: str = "") -> random.Random:
    """A generator that depends on SEED and on `name` only (test or channel), so that tests do not
    disturb each other."""
    return random.Random(f"{os.environ.get('SEED') or '1'}/{name}")


def parameters() -> dict[str, Any]:
    """The parameters the module was built with."""
    found: dict[str, Any] = json.loads(os.environ.get("TB_PARAMETERS", "{}"))
    return found


def stall(rng: random.Random, share: float, longest: int = 8) -> Stall:
    """Stalls about `share` (0 to 0.9) of all cycles, single cycles and runs of up to `longest`
    mixed."""
    if share <= 0:
        return NO_STALL
    left = 0
    mean = (1 + (longest + 1) / 2) / 2
    start = share / (mean * (1 - share) + share)

    def step() -> bool:
        nonlocal left
        if left > 0:
            left -= 1
            return True
        if rng.random() < start:
            left = (rng.randint(1, longest) if rng.random() < 0.5 else 1) - 1
            return True
        return False

    return step


def stall_pauses(rng: random.Random, share: float, longest: int = 8) -> Iterator[bool]:
    """The same as an endless iterator: what cocotbext-axi's set_pause_generator() takes."""
    step = stall(rng, share, longest)
    while True:
        yield step()
