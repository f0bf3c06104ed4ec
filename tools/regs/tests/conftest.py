# SPDX-License-Identifier: Apache-2.0
"""Makes `tools.regs` importable and gives the tests a copy of what it reads and writes."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A tree with the descriptions and the generated files of the repository."""
    shutil.copytree(ROOT / "regs", tmp_path / "regs")
    shutil.copytree(ROOT / "docs/reference/registers", tmp_path / "docs/reference/registers")
    return tmp_path
