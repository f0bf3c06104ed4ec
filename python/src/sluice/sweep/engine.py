# SPDX-License-Identifier: Apache-2.0
"""Handing jobs to an executor: enough to keep its workers busy, and no more.

All that this knows of where jobs are measured is `concurrent.futures.Executor`.
"""

import math
from collections.abc import Callable
from concurrent.futures import ALL_COMPLETED, FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, field
from typing import Any

from sluice.errors import SluiceError
from sluice.stop import Stop
from sluice.sweep.job import Batch, Done, Job
from sluice.sweep.source import Source
from sluice.sweep.store import Store

_BATCH_S = 1.0  # work of a batch: long beside what handing it over costs
_LONGEST_BATCH_S = 5.0  # of long sweeps, where it costs less and a late end matters less
_SHARE = 0.05  # of what each worker has done so far: a batch between the two
_MOST_JOBS = 1024  # of a batch
_AHEAD = 2  # batches for each worker: one under way, one that waits
_POLL_S = 0.2  # until a signal or a new worker is noticed; for batches that a signal ends


@dataclass(frozen=True, slots=True)
class Place:
    """Where jobs are measured."""

    executor: Executor
    task: Callable[[Batch], tuple[Any, ...]]  # function that gives a Done, and its arguments
    at_once: Callable[[], int]  # workers that there are now
    name: str  # for the record
    lost: Callable[[BaseException], SluiceError]  # what the failure of a worker means
    hears: bool = False  # a signal to the command ends its batches, with what they have measured


@dataclass(slots=True)
class Tally:
    """What a sweep has cost."""

    jobs: int = 0
    busy_s: float = 0.0  # of workers, within jobs
    failure: SluiceError | None = None


class Failed(SluiceError):  # noqa: N818  (the sentence and status of a job on a worker)
    """What a job that failed said."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.exit_status = status


@dataclass(slots=True)
class Engine:
    """Carries out the jobs of a source."""

    place: Place
    source: Source
    store: Store
    recipe: str
    stop: Stop
    on_jobs: Callable[[int], object]
    tally: Tally = field(default_factory=Tally)
    _pending: set[Future[Done]] = field(default_factory=set)
    _again: list[tuple[Job, ...]] = field(default_factory=list)  # that a worker gave back
    _job_s: float | None = None  # time of a job, of those that ended last

    def run(self) -> Tally:
        """Measure until all jobs are there, one has failed, or a signal came."""
        try:
            self._measure()
        except SluiceError:
            raise
        except Exception as error:  # noqa: BLE001  (of any executor: it is lost with its jobs)
            self.tally.failure = self.place.lost(error)
            self._pending.clear()
        self._end()
        return self.tally

    def _measure(self) -> None:
        while self.tally.failure is None and self.stop.signal is None:
            while len(self._pending) < _AHEAD * max(1, self.place.at_once()):
                if not (batch := self._batch()):
                    break
                task = self.place.task(Batch(self.recipe, batch))
                self._pending.add(self.place.executor.submit(*task))
            if not self._pending:
                break
            self._collect(_POLL_S)

    def _batch(self) -> tuple[Job, ...]:
        if self._again:
            return self._again.pop()
        workers = max(1, self.place.at_once())
        done_s = self.tally.busy_s / workers  # by each
        batch_s = min(_LONGEST_BATCH_S, max(_BATCH_S, _SHARE * done_s))
        size = min(_MOST_JOBS, max(1, round(batch_s / max(self._job_s or batch_s, 1e-6))))
        size = min(size, math.ceil(self.source.ready() / workers))  # the last ones are for all
        jobs: list[Job] = []
        while len(jobs) < size and (job := self.source.next()) is not None:
            if not self.store.holds(job):
                jobs.append(job)
        return tuple(jobs)

    def _collect(self, timeout_s: float | None, until: str = FIRST_COMPLETED) -> None:
        ended, self._pending = wait(self._pending, timeout_s, return_when=until)
        for future in ended:
            if future.cancelled():
                continue
            try:
                self._keep(future.result())
            except SluiceError as error:
                self.tally.failure = self.tally.failure or error
            except Exception as error:  # noqa: BLE001  (of any executor)
                self.tally.failure = self.tally.failure or self.place.lost(error)
        if ended:
            self.store.flush()

    def _keep(self, done: Done) -> None:
        kept = 0
        for job, rows in done.rows:
            if self.store.add(job, rows):
                self.source.tell(job, rows)
                kept += 1
        self.tally.jobs += kept
        self.tally.busy_s += done.busy_s
        if done.rows:
            job_s = done.busy_s / len(done.rows)
            self._job_s = job_s if self._job_s is None else (self._job_s + job_s) / 2
        if done.rest:
            self._again.append(done.rest)
        self.on_jobs(kept)
        if done.failure is not None and self.tally.failure is None:
            self.tally.failure = Failed(*done.failure)

    def _end(self) -> None:
        """Give up what has not begun; what has ended, or ends at once, is kept."""
        for future in self._pending:
            future.cancel()
        if self.stop.signal is None or self.place.hears:
            while self._pending:
                self._collect(None)
        else:
            self._collect(_POLL_S, ALL_COMPLETED)
