# SPDX-License-Identifier: Apache-2.0
"""The rows of a sweep while they are kept: its journal."""

from contextlib import suppress
from pathlib import Path

import pytest

from sluice.errors import RunError
from sluice.sweep.job import Job
from sluice.sweep.store import Store, jobs_of

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


def fill(folder: Path) -> Path:
    """Leave no room on a disk; return the file to remove for some."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while file.write(bytes(4096)):
            pass
    return filler


def test_a_full_disk_keeps_whole_jobs(small_disk: Path) -> None:
    path = small_disk / "a.parquet"
    store = Store(path, 3, 1)
    assert not list(store.begin())
    store.add(Job(0, 0), [{"words": "x" * 100}])
    store.flush()
    filler = fill(small_disk)
    for point in (1, 2):
        store.add(Job(point, 0), [{"words": "x" * 5000}])
    full = f"{path}.journal cannot be written: no space left on device"
    with pytest.raises(RunError, match=f"^{full}; kept: 1 job, and --continue measures the re"):
        store.flush()
    assert store.count == 1
    assert not store.add(Job(1, 0), [])
    with pytest.raises(
        RunError, match=r"a\.parquet cannot be written: no space left on device; kept in"
    ):
        store.finish()
    with pytest.raises(RunError, match=full):
        opened(path)
    assert {file.name for file in small_disk.iterdir()} == {"a.parquet.journal", "filler"}
    filler.unlink()
    store, held = opened(path)
    assert held == [Job(0, 0)]
    store.finish()
    assert [job for job, _ in jobs_of(path)] == held
