# SPDX-License-Identifier: Apache-2.0
"""Guests for tests: the fixture `boot`, and what it gives, to name its type and to share boots."""

from __future__ import annotations

import os
import re
from typing import Any

import pytest

from cosim import guests
from cosim.guests import Guest, Kernel
from tools.debian import UnavailableError


class Boot:
    """Boots guests for one test; skips it, saying why, where that cannot be done."""

    def __init__(self, name: str) -> None:
        # Tests of one module may run side by side, each worker with guests and logs of its own.
        worker = os.environ.get("PYTEST_XDIST_WORKER", "")
        self._name = re.sub(r"[^\w.-]+", "-", f"{name}-{worker}" if worker else name)

    def __call__(self, flavour: str = "arm64", **options: Any) -> Guest:
        """A guest, as cosim.guests.Guest; to be used in a `with` block."""
        try:
            return Guest(flavour, name=self._name, **options)
        except UnavailableError as error:
            pytest.skip(str(error))

    def kernel(self, flavour: str = "arm64", version: str | None = None) -> Kernel:
        """A guest's kernel, to build modules for."""
        try:
            return guests.kernel(guests.FLAVOURS[flavour], version or guests.VERSION)
        except UnavailableError as error:
            pytest.skip(str(error))


@pytest.fixture
def boot(request: pytest.FixtureRequest) -> Boot:
    return Boot(request.node.name)
