# SPDX-License-Identifier: Apache-2.0
"""Batches that a signal ends are kept, whichever of them ends first."""

import signal
import threading
from concurrent.futures import Executor, Future
from pathlib import Path

import pytest

from sluice.errors import RunError
from sluice.stop import Stop
from sluice.sweep.engine import Engine, Place
from sluice.sweep.job import Batch, Done
from sluice.sweep.source import source_of
from sluice.sweep.specification import Sweep
from sluice.sweep.store import Store

POINTS = 4
SPEC = Sweep(title="t", description="d", experiment="e", axes={"x": tuple(range(POINTS))})


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
    place = Place(
        executor=Held(stop),
        task=lambda batch: (None, batch),
        at_once=lambda: POINTS,
        name="here",
        lost=lambda error: RunError(str(error)),
    )
    Engine(place, source_of(SPEC), store, "", stop, lambda _: None).run()
    assert store.count == POINTS
