# SPDX-License-Identifier: Apache-2.0
"""docs/reference/engine-tests.md names tests and proofs that are there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "docs" / "reference" / "engine-tests.md"
TESTS = ROOT / "rtl" / "dma" / "tests"


def test_every_test_named_is_there() -> None:
    named = re.findall(r"`([\w./]+\.py)::(\w+)`", TABLE.read_text())
    assert len(named) > 80
    missing = [
        f"{file}::{test}"
        for file, test in named
        if not re.search(rf"^(async )?def {test}\b", (TESTS / file).read_text(), re.MULTILINE)
    ]
    assert not missing


def test_every_proof_named_is_there() -> None:
    named = re.findall(r"`(rtl/\w+/proofs[\w./]*)`", TABLE.read_text())
    assert named
    assert not [path for path in named if not (ROOT / path).exists()]
