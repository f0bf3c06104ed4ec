# SPDX-License-Identifier: Apache-2.0
"""Tests of one group run on one worker: what driver/conftest.py counts on, or each guest is booted
twice. pytest 9.2 with pytest-xdist 3.8 forgets the groups, without a word."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

GROUPED = """
import os, pytest

@pytest.mark.parametrize("number", range(12))
@pytest.mark.xdist_group("one")
def test_grouped(number):
    with open({log!r}, "a") as log:
        print(os.environ["PYTEST_XDIST_WORKER"], file=log)
"""


def test_a_group_stays_together(tmp_path: Path) -> None:
    log = tmp_path / "log"
    (tmp_path / "test_it.py").write_text(GROUPED.format(log=str(log)))
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadgroup"]
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider", "test_it.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    workers = log.read_text().split()
    assert len(workers) == 12 and len(set(workers)) == 1, workers
