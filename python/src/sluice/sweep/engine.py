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
_MOST_TRIES = 3  # of a batch that comes back without its rows
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
    _pending: dict[Future[Done], tuple[Job, ...]] = field(default_factory=dict)
    _again: list[tuple[Job, ...]] = field(default_factory=list)  # that a worker gave back
    _tries: dict[Job, int] = field(default_factory=dict)  # by the first job of what came back
    _out: int = 0  # jobs that were handed over, and whose rows have not come
    _ending: bool = False  # what is cancelled from now on is so by this
    _job_s: float | None = None  # time of a job, of those that ended last

    def run(self) -> Tally:
        """Measure until all jobs are there, one has failed, or a signal came."""
        try:
            self._measure()
        except SluiceError as error:  # of the source or the store
            self._fail(error)
        except Exception as error:  # noqa: BLE001  (of any executor: it is lost with its jobs)
            self._fail(self.place.lost(error))
            self._pending.clear()
        try:
            self._end()
        except SluiceError as error:
            self._fail(error)
        return self.tally

    def _fail(self, error: SluiceError) -> None:
        """Take note of a failure; the first is what the command says."""
        self.tally.failure = self.tally.failure or error

    def _measure(self) -> None:
        while self.tally.failure is None and self.stop.signal is None:
            while len(self._pending) < _AHEAD * max(1, self.place.at_once()):
                if not (batch := self._batch()):
                    break
                task = self.place.task(Batch(self.recipe, batch))
                self._pending[self.place.executor.submit(*task)] = batch
            if not self._pending:
                break
            self._collect(_POLL_S)
        if self._out and self.tally.failure is None and self.stop.signal is None:
            self._fail(self.place.lost(RuntimeError(f"rows of {self._out} jobs never came")))

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
        self._out += len(jobs)
        return tuple(jobs)

    def _collect(self, timeout_s: float | None, until: str = FIRST_COMPLETED) -> None:
        ended = wait(self._pending, timeout_s, return_when=until).done
        for future in ended:
            batch = self._pending.pop(future)
            if future.cancelled():
                self._take_back(batch, "the connection was lost")
                continue
            try:
                done = future.result()
            except SluiceError as error:
                self._fail(error)
            except Exception as error:  # noqa: BLE001  (of any executor)
                self._fail(self.place.lost(error))
            else:
                self._keep(batch, done)
        if ended:
            self.store.flush()

    def _keep(self, batch: tuple[Job, ...], done: Done) -> None:
        kept = 0
        for job, rows in done.rows:
            if self.store.add(job, rows):
                self.source.tell(job, rows)
                kept += 1
        self._out -= len(done.rows)
        self.tally.jobs += kept
        self.tally.busy_s += done.busy_s
        if done.rows:
            job_s = done.busy_s / len(done.rows)
            self._job_s = job_s if self._job_s is None else (self._job_s + job_s) / 2
        if done.rest:
            self._again.append(done.rest)
        elif done.failure is None and len(done.rows) < len(batch):
            measured = {job for job, _ in done.rows}
            rest = tuple(job for job in batch if job not in measured)
            self._take_back(rest, "it returned without rows")
        self.on_jobs(kept)
        if done.failure is not None:
            self._fail(Failed(*done.failure))

    def _take_back(self, jobs: tuple[Job, ...], reason: str) -> None:
        """Have jobs measured again that came back without rows, some times."""
        if self._ending or self.stop.signal is not None:
            return
        tries = self._tries[jobs[0]] = self._tries.get(jobs[0], 0) + 1
        if tries >= _MOST_TRIES:
            self._fail(self.place.lost(RuntimeError(reason)))
        else:
            self._again.append(jobs)

    def _end(self) -> None:
        """Give up what has not begun; what has ended, or ends at once, is kept."""
        self._ending = True
        for future in self._pending:
            future.cancel()
        if self.stop.signal is None or self.place.hears:
            while self._pending:
                self._collect(None)
        else:
            self._collect(_POLL_S, ALL_COMPLETED)
