# SPDX-License-Identifier: Apache-2.0
"""How jobs are cut into batches, and which of their rows are kept."""

import math
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import replace
from pathlib import Path

import pytest

from sluice.errors import RunError
from sluice.stop import Stop
from sluice.sweep import worker
from sluice.sweep.engine import Engine, Place, Tally
from sluice.sweep.job import Batch, Done, Job
from sluice.sweep.source import source_of
from sluice.sweep.specification import Best, Sweep
from sluice.sweep.store import Store

POINTS = 4
SPEC = Sweep(title="t", description="d", experiment="e", axes={"x": tuple(range(POINTS))})


class AtOnce(Executor):
    """A worker that has measured a batch as soon as it is handed over."""

    def __init__(self, measure: Callable[[Batch], Done]) -> None:
        self._measure = measure
        self.sizes: list[int] = []  # of batches

    def submit(self, _function: object, batch: Batch, /) -> Future[Done]:  # type: ignore[override]
        """Measure it."""
        self.sizes.append(len(batch.jobs))
        future: Future[Done] = Future()
        future.set_result(self._measure(batch))
        return future


def place_of(executor: Executor, workers: int, *, hears: bool = False) -> Place:
    """Return a place with some workers."""
    return Place(
        executor=executor,
        task=lambda batch: (None, batch),
        at_once=lambda: workers,
        name="here",
        lost=lambda error: RunError(str(error)),
        hears=hears,
    )


def measured(batch: Batch, each_s: float) -> Done:
    """Return what comes of a batch whose jobs all take as long."""
    rows = [(job, [{"mb_s": float(job.point)}]) for job in batch.jobs]
    return Done(rows, busy_s=each_s * len(rows))


class Held(Executor):
    """Workers: a signal comes while all are at work, and they end one after the other."""

    def __init__(self, stop: Stop) -> None:
        self._stop = stop
        self._futures: list[tuple[Future[Done], Batch]] = []

    def submit(self, _function: object, batch: Batch, /) -> Future[Done]:  # type: ignore[override]
        """Take a batch; the last one brings the signal."""
        future: Future[Done] = Future()
        future.set_running_or_notify_cancel()
        self._futures.append((future, batch))
        if len(self._futures) == POINTS:
            self._stop.signal = signal.SIGINT
            self._end()
        return future

    def _end(self) -> None:
        future, batch = self._futures.pop(0)
        future.set_result(Done([(job, [{"mb_s": 1.0}]) for job in batch.jobs]))
        if self._futures:
            threading.Timer(0.1, self._end).start()


def test_all_batches_that_a_signal_ends_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sluice.sweep.engine._POLL_S", 60)
    stop = Stop()
    store = Store(tmp_path / "a.parquet", POINTS, 1)
    assert not list(store.begin())
    place = place_of(Held(stop), POINTS)
    Engine(place, source_of(SPEC), store, "", stop, lambda _: None).run()
    assert store.count == POINTS


def test_the_end_of_a_batch_is_awaited_where_a_signal_ends_it(tmp_path: Path) -> None:
    stop = Stop()  # the last of the batches ends 0.3 s after the signal
    store = Store(tmp_path / "a.parquet", POINTS, 1)
    assert not list(store.begin())
    place = place_of(Held(stop), POINTS, hears=True)
    Engine(place, source_of(SPEC), store, "", stop, lambda _: None).run()
    assert store.count == POINTS


def run(spec: Sweep, executor: Executor, workers: int, path: Path) -> tuple[Tally, Store]:
    """Measure all jobs of a sweep."""
    store = Store(path, spec.points, spec.runs)
    assert not list(store.begin())
    place = place_of(executor, workers)
    return Engine(place, source_of(spec), store, "", Stop(), lambda _: None).run(), store


def test_the_last_jobs_are_for_all_workers(tmp_path: Path) -> None:
    spec = SPEC.model_copy(update={"axes": {"x": tuple(range(40))}})
    executor = AtOnce(lambda batch: measured(batch, 0.001))  # a batch could be a thousand of them
    run(spec, executor, 4, tmp_path / "a.parquet")
    assert sum(executor.sizes) == 40
    assert executor.sizes[-4:] == [1, 1, 1, 1]
    assert 1 < max(executor.sizes) <= 10


def test_a_round_of_a_search_is_for_all_workers(tmp_path: Path) -> None:
    best = Best(maximise="mb_s", evaluations=20)
    spec = SPEC.model_copy(update={"axes": {"x": tuple(range(40))}, "runs": 8, "best": best})
    executor = AtOnce(lambda batch: measured(batch, 0.001))
    run(spec, executor, 4, tmp_path / "a.parquet")
    assert sum(executor.sizes) == 20 * 8
    # The first round is a third of the evaluations; each worker has a part of it.
    assert 1 < max(executor.sizes) <= math.ceil(20 // 3 * 8 / 4)


def test_batches_follow_jobs_that_become_longer(tmp_path: Path) -> None:
    spec = SPEC.model_copy(update={"axes": {"x": tuple(range(400))}})
    executor = AtOnce(lambda batch: measured(batch, 0.02 if batch.jobs[0].point < 150 else 10))
    run(spec, executor, 1, tmp_path / "a.parquet")
    late = executor.sizes[-20:]
    assert max(late) == 1, late
    assert max(executor.sizes) >= 50


def test_what_a_worker_gives_back_is_tried_again(tmp_path: Path) -> None:
    tried: list[int] = []

    def measure(batch: Batch) -> Done:
        first, *others = batch.jobs
        tried.append(first.point)
        return replace(measured(replace(batch, jobs=(first,)), 0.001), rest=tuple(others))

    tally, store = run(SPEC, AtOnce(measure), 1, tmp_path / "a.parquet")
    assert tally.failure is None
    assert store.count == POINTS
    assert sorted(tried) == list(range(POINTS))


class Losing(AtOnce):
    """Workers whose connection is lost with some batches, or with all."""

    def __init__(self, batches: float) -> None:
        super().__init__(lambda batch: measured(batch, 0.001))
        self._left = batches

    def submit(self, function: object, batch: Batch, /) -> Future[Done]:  # type: ignore[override]
        """Measure it, or cancel it, as Dask does."""
        if self._left <= 0:
            return super().submit(function, batch)
        self._left -= 1
        future: Future[Done] = Future()
        future.cancel()
        future.set_running_or_notify_cancel()
        return future


@pytest.mark.parametrize("lost", [1, 2, math.inf])
def test_what_a_lost_connection_took_is_measured_again_or_a_failure(
    tmp_path: Path, lost: float
) -> None:
    tally, store = run(SPEC, Losing(lost), 1, tmp_path / "a.parquet")
    if math.isinf(lost):
        assert str(tally.failure) == "the connection was lost"
        assert store.count == 0
    else:
        assert (tally.failure, store.count) == (None, POINTS)


def test_a_batch_that_comes_back_without_rows(tmp_path: Path) -> None:
    executor = AtOnce(lambda batch: Done([(batch.jobs[0], [{"mb_s": 1.0}])]))
    spec = SPEC.model_copy(update={"runs": 2})
    tally, store = run(spec, executor, 1, tmp_path / "a.parquet")
    assert (tally.failure, store.count) == (None, 2 * POINTS)
    tally, store = run(spec, AtOnce(lambda _: Done()), 1, tmp_path / "b.parquet")
    assert str(tally.failure) == "it returned without rows"
    assert store.count == 0


def test_a_worker_keeps_what_it_measured_before_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """The job that failed comes first in the next batch; there, its failure is the worker's."""
    jobs = tuple(Job(point, 0) for point in range(POINTS))
    monkeypatch.setattr(worker, "known_identity", lambda: "same")

    def measure(batch: Batch) -> Done:
        done = measured(replace(batch, jobs=tuple(job for job in batch.jobs if job.point < 2)), 1)
        done.failure = (1, "the disk is full")
        return done

    monkeypatch.setattr(worker.job, "measure", measure)
    done = worker.measure(Batch("", jobs), "same")
    assert [job for job, _ in done.rows] == [*jobs[:2]]
    assert done.rest == jobs[2:]
    assert done.failure is None
    with pytest.raises(RunError, match="the disk is full"):
        worker.measure(Batch("", jobs[2:]), "same")
