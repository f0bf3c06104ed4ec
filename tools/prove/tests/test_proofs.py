# SPDX-License-Identifier: Apache-2.0
"""Every proof, its covers and its mutations, each a test; skipped by name without the tools.

Of the mutations the gate runs the first one of each proof, which shows that the proof can fail.
The others take longer than the proofs and belong to `make test-full`."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tools.prove import runner

FULL = os.environ.get("SLUICE_FULL") is not None
TASKS = [task for task in runner.tasks() if FULL or task.number <= 1]


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_proof(task: runner.Task) -> None:
    missing = runner.missing_tool()
    if missing is not None:
        pytest.skip(missing)
    outcome = runner.run(task)
    assert outcome.passed, outcome.text


@pytest.mark.skipif(runner.missing_tool() is not None, reason=str(runner.missing_tool()))
def test_proofs_that_begin_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them makes sby's commands when they are not there."""
    for turn in range(20):
        monkeypatch.setattr(runner, "BUILD", tmp_path / str(turn))
        with ThreadPoolExecutor(8) as pool:
            begun = [pool.submit(runner._shims) for _ in range(8)]
        assert {done.result() for done in begun} == {tmp_path / str(turn) / "bin"}
