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
    """A tree with two of the descriptions and their generated files."""
    names = ["properties.rdl", "__init__.py", "py.typed"]
    for block in ("sl_axi_dma", "sl_hp_lane"):
        names += [f"{block}.{kind}" for kind in ("rdl", "h", "py", "md")]
        names += [f"{block}_{part}.sv" for part in ("addr_pkg", "regs", "regs_pkg")]
    for folder in ("regs", "docs/reference/registers"):
        for file in (ROOT / folder).rglob("*"):
            if file.name not in names:
                continue
            target = tmp_path / file.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
    return tmp_path
