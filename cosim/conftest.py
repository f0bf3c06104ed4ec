# SPDX-License-Identifier: Apache-2.0
"""Puts the generated register constants and the repository's own tools on sys.path; fixtures for
tests in guests."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
for folder in (ROOT / "regs" / "gen" / "python", ROOT):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

from cosim.boot import boot  # noqa: E402, F401  a fixture
