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


@pytest.mark.parametrize(
    "readme", [path for path in documents() if "/" in path and path.endswith("/README.md")]
)
def test_folder_opens_with_a_short_readme(readme: str) -> None:
    if readme.startswith("docs/"):
        return
    lines = (ROOT / readme).read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# ") and len(lines) <= 20, f"{readme} has {len(lines)} lines"
    assert all(len(line) <= 100 or line.startswith("|") for line in lines), readme
