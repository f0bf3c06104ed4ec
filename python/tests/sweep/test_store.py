# SPDX-License-Identifier: Apache-2.0
"""The rows of a sweep while they are kept: its journal."""

from pathlib import Path

from sluice.sweep.job import Job
from sluice.sweep.store import Store

JOBS = [Job(0, 0), Job(1, 0)]


def opened(path: Path) -> tuple[Store, list[Job]]:
    """Return a store of two jobs, and those that it holds from before."""
    store = Store(path, len(JOBS), 1)
    return store, [job for job, _ in store.begin()]


def test_a_kill_while_the_journal_is_read_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    first, held = opened(path)
    assert not held
    for job in JOBS:
        first.add(job, [{"mb_s": 1.0}])
    first.flush()  # and the process is killed
    reading = Store(path, len(JOBS), 1).begin()
    assert next(reading)[0] == JOBS[0]  # and so is the next one, which has read the first job
    _, held = opened(path)
    assert held == JOBS
