# SPDX-License-Identifier: Apache-2.0
"""Attributes of the driver's control node: those of simulated boards, under the same names."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# What the driver uses of a capability block itself.
DRIVERS_OWN = {"capability.period", "capability.select"}


def names(file: str) -> list[str]:
    text = (ROOT / file).read_text()
    return re.findall(r'"((?:source|drop|sink|capability)\.(?!h")\w+|loopback|fifo_beats)"', text)


def test_driver_and_library_name_them_alike() -> None:
    driver, library = names("driver/core/control.c"), names("lib/src/lane_attributes.cpp")
    assert len(driver) == len(set(driver)) and len(library) == len(set(library))
    snapshots = {name for name in library if name.startswith("capability.snap")}
    assert snapshots
    assert set(library) - set(driver) == DRIVERS_OWN | snapshots
    assert set(driver) <= set(library)
