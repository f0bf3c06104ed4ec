# SPDX-License-Identifier: Apache-2.0
"""Documents: every relative link leads to a file that is there, and to a heading that is in it; the
site's navigation has every page."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from tools.site import experiments, navigation, repository

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


def anchors(document: Path) -> set[str]:
    """The places in a document, as GitHub and the site name its headings."""
    found: set[str] = set()
    counts: Counter[str] = Counter()
    for line, is_text in repository.outside_fences(document.read_text(encoding="utf-8")):
        if is_text and (heading := re.match(r"#+ +(.+?) *$", line)):
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).lower()
            slug = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
            found.add(f"{slug}-{counts[slug]}" if counts[slug] else slug)
            counts[slug] += 1
    return found


def test_anchors_lead_somewhere() -> None:
    wrong = []
    known: dict[Path, set[str]] = {}
    for document in documents():
        for target in LINK.findall((ROOT / document).read_text(encoding="utf-8")):
            name, _, anchor = target.partition("#")
            if not anchor or re.match(r"[a-z]+:", target):
                continue
            there = ((ROOT / document).parent / name if name else ROOT / document).resolve()
            if there.suffix == ".md" and anchor not in known.setdefault(there, anchors(there)):
                wrong.append(f"{document}: {target}")
    assert wrong == []


def test_the_navigation_of_the_site_has_every_page_once() -> None:
    named = navigation.of_configuration()
    assert sorted(named) == sorted(navigation.pages())


def test_every_result_and_picture_has_its_command() -> None:
    assert all(result.command for result in experiments.read(ROOT))


@pytest.mark.parametrize(
    "readme", [path for path in documents() if "/" in path and path.endswith("/README.md")]
)
def test_folder_opens_with_a_short_readme(readme: str) -> None:
    if readme.startswith("docs/"):
        return
    lines = (ROOT / readme).read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# ") and len(lines) <= 20, f"{readme} has {len(lines)} lines"
    assert all(len(line) <= 100 or line.startswith("|") for line in lines), readme
