# SPDX-License-Identifier: Apache-2.0
"""Every proof, its covers and its mutations, each a test; skipped by name without the tools."""

from __future__ import annotations

import pytest

from tools.prove import runner


@pytest.mark.parametrize("task", list(runner.tasks()), ids=lambda task: task.name)
def test_proof(task: runner.Task) -> None:
    missing = runner.missing_tool()
    if missing is not None:
        pytest.skip(missing)
    outcome = runner.run(task)
    assert outcome.passed, outcome.text
