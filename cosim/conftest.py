# SPDX-License-Identifier: Apache-2.0
"""Puts the generated register constants and the repository's own tools on sys.path; fixtures for
tests in guests."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
for folder in (ROOT / "regs" / "gen" / "python", ROOT):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

from tools.debian import UnavailableError  # noqa: E402

if TYPE_CHECKING:
    from cosim.guests import Guest, Kernel


class Boot:
    """Boots guests for one test; skips it, saying why, where that cannot be done."""

    def __init__(self, name: str) -> None:
        self._name = re.sub(r"[^\w.-]+", "-", name)

    def __call__(self, flavour: str = "arm64", **options: Any) -> Guest:
        """A guest, as cosim.guests.Guest; to be used in a `with` block."""
        from cosim.guests import Guest

        try:
            return Guest(flavour, name=self._name, **options)
        except UnavailableError as error:
            pytest.skip(str(error))

    def kernel(self, flavour: str = "arm64", version: str | None = None) -> Kernel:
        """A guest's kernel, to build modules for."""
        from cosim import guests

        try:
            return guests.kernel(guests.FLAVOURS[flavour], version or guests.VERSION)
        except UnavailableError as error:
            pytest.skip(str(error))


@pytest.fixture
def boot(request: pytest.FixtureRequest) -> Boot:
    return Boot(request.node.name)
