# SPDX-License-Identifier: Apache-2.0
"""Puts the repository's own tools on sys.path; fixtures for tests in guests."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from cosim.boot import boot  # noqa: E402, F401  a fixture
