# SPDX-License-Identifier: Apache-2.0
"""What `make test-full` runs beyond the gate."""

from __future__ import annotations

import os

import pytest
from _pytest.mark.structures import ParameterSet

FULL = os.environ.get("SLUICE_FULL") is not None


def swept(*values: object, id: str | None = None) -> ParameterSet:
    """An entry of pytest.mark.parametrize that `make test-full` alone runs."""
    return pytest.param(
        *values, id=id, marks=pytest.mark.skipif(not FULL, reason="without SLUICE_FULL")
    )
