# SPDX-License-Identifier: Apache-2.0
"""Puts the repository's own tools on sys.path; fixtures for tests in guests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from cosim.boot import boot  # noqa: E402, F401  a fixture

# What a module's tests share, and what takes long to make: guests, and stand-ins for them.
SHARED = ("guest", "msgdma", "bench", "loop", "cards")


@pytest.hookimpl(tryfirst=True)  # before xdist, which looks at the mark then
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keeps tests that share a guest on one worker, in their order: each is booted once."""
    for item in items:
        if Path(__file__).parent not in item.path.parents:
            continue
        parameters = getattr(getattr(item, "callspec", None), "params", {})
        shared = [name for name in SHARED if name in getattr(item, "fixturenames", ())]
        if shared:
            which = "-".join(f"{name}-{parameters.get(name, '')}" for name in shared)
            item.add_marker(pytest.mark.xdist_group(f"{item.path.stem}-{which}"))
