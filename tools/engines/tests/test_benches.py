# SPDX-License-Identifier: Apache-2.0
"""The benches are tests that exist, and the page says what misses its goal."""

from __future__ import annotations

import subprocess
import sys

from tools.engines.benches import ONE, RATE_GOALS, READ, ROOT, WRITE, Bench, benches
from tools.engines.report import markdown


def test_nodes_exist() -> None:
    nodes = [bench.node for bench in benches()]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", *nodes],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_page_says_what_is_missed() -> None:
    figures = dict(RATE_GOALS[READ])
    assert "missed" not in markdown([(Bench("a", "A", "", READ), {**figures, ONE: 30})]).lower()
    name = "64 B, L=120"
    page = markdown([(Bench("a", "A", "", READ), {**figures, name: RATE_GOALS[READ][name] - 0.1})])
    assert "93.90, **missed**" in page and page.count("missed") == 1
    slow = Bench("b", "B", "", WRITE, why="for a reason")
    page = markdown([(slow, {ONE: 32})])
    assert "| B | 32, **missed** | ≤ 31 |" in page and "- B: for a reason" in page
    assert "not measured" in page


def test_list_and_unknown_key() -> None:
    command = [sys.executable, "-m", "tools.engines"]
    listed = subprocess.run([*command, "--list"], cwd=ROOT, capture_output=True, text=True)
    assert listed.stdout.split() == [bench.key for bench in benches()]
    done = subprocess.run([*command, "--only", "none"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2 and "unknown bench none" in done.stderr
