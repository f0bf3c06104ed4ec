# SPDX-License-Identifier: Apache-2.0
"""Documents: every relative link leads to a file that is there."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def documents() -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return listed.stdout.split()


@pytest.mark.parametrize("document", documents())
def test_links_lead_somewhere(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    for target in LINK.findall(text):
        if re.match(r"[a-z]+:|#", target):
            continue
        path = (ROOT / document).parent / target.split("#")[0]
        assert path.exists(), f"{document}: {target} does not exist"


@pytest.mark.parametrize("folder", ["regs", "rtl", "model", "sim", "lib", "bench", "tools"])
def test_folder_opens_with_a_short_readme(folder: str) -> None:
    lines = (ROOT / folder / "README.md").read_text(encoding="utf-8").splitlines()
    assert 1 <= len(lines) <= 5, f"{folder}/README.md has {len(lines)} lines; at most 5"
