# SPDX-License-Identifier: Apache-2.0
"""Measures rows with several sluice-bench processes at once.

The runs of a row are split into jobs of consecutive runs. Run k of a row depends on the seed, k
and the row alone, so neither the split nor the number of processes changes a sample; results
are kept by (row, run), so the order in which processes finish does not show either.
"""

import asyncio
import contextlib
import os
import signal
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sluice import bench, child
from sluice.errors import InputError, RunError, SluiceError
from sluice.experiments.rates.command import measure_command, read_run
from sluice.experiments.rates.result import Run
from sluice.experiments.rates.rows import Row
from sluice.experiments.rates.statistics import Rates, summarise
from sluice.labels import RTL, TRANSACTION, row_label
from sluice.stop import Stop
from sluice.units import format_bytes

_CYCLES_PER_S: dict[str, int] = {
    RTL: 300_000,
    TRANSACTION: 4_000_000,
}  # what one core simulates, about
_LEAST_RUN_S = 0.02  # of the shortest run
_JOB_S = 0.5  # shorter runs share a process
_GRACE_S = 0.3  # from SIGINT to SIGKILL
_LONGEST_LINE = 1 << 20


Known = dict[tuple[int, int], Run]  # by (row, run)


@dataclass(frozen=True, slots=True)
class Work:
    """Rows to measure, and their runs that are known already."""

    rows: Sequence[Row]
    known: Known = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Job:
    """Consecutive runs of one row, measured by one process."""

    index: int
    row: Row
    first_run: int
    runs: int


@dataclass(slots=True)
class Measured:
    """What was measured until the end, a failure or a signal."""

    runs: list[list[Run]]  # by row, in order of run
    failure: SluiceError | None = None
    wanted: int = 0

    @property
    def complete(self) -> bool:
        """Tell whether every run that was wanted is there."""
        return sum(len(runs) for runs in self.runs) == self.wanted


def run_s(row: Row) -> float:
    """Return about how long one run of a row takes to simulate on one core."""
    simulated_us = row.engines * row.bytes / row.expected_mb_s
    return simulated_us * row.clock_mhz / _CYCLES_PER_S[row.level] + _LEAST_RUN_S


def split(rows: Sequence[Row], known: Known | None = None) -> list[Job]:
    """Return the jobs for the runs that are not known yet, in the order of rows and runs."""
    jobs = []
    for index, row in enumerate(rows):
        size = max(1, min(row.runs, round(_JOB_S / run_s(row))))
        missing = [run for run in range(row.runs) if (index, run) not in (known or {})]
        while missing:
            first = missing[0]
            count = 1
            while count < min(size, len(missing)) and missing[count] == first + count:
                count += 1
            jobs.append(Job(index, row, first, count))
            del missing[:count]
    return jobs


def measure(
    program: Path, work: Work, processes: int, stop: Stop, on_run: Callable[[Row], object]
) -> Measured:
    """Measure the runs that are not known; `on_run` is called after each one."""
    crew = _Crew(program, work.rows, on_run, dict(work.known))
    return asyncio.run(crew.measure(processes, stop))


def rates_of(program: Path, rows: Sequence[Row], processes: int, stop: Stop) -> list[Rates]:
    """Return the rates of rows, all of which must be measured."""
    measured = measure(program, Work(rows), processes, stop, lambda _: None)
    if measured.failure is not None:
        raise measured.failure
    if not measured.complete:
        stop.check()
    return [summarise([run.mb_s for run in runs]) for runs in measured.runs]


@dataclass(slots=True)
class _Crew:
    program: Path
    rows: Sequence[Row]
    on_run: Callable[[Row], object]
    found: Known

    async def measure(self, processes: int, stop: Stop) -> Measured:
        jobs = deque(split(self.rows, self.found))
        work = asyncio.create_task(self._work(jobs, processes))
        loop = asyncio.get_running_loop()

        def cancel() -> None:
            loop.call_soon_threadsafe(work.cancel)

        failure: SluiceError | None = None
        with stop.calling(cancel):  # no longer: this loop closes, and the result is yet to be saved
            try:
                await work
            except asyncio.CancelledError:
                pass
            except BaseExceptionGroup as group:
                failure = _first(group)
        runs: list[list[Run]] = [[] for _ in self.rows]
        for index, run in sorted(self.found):
            runs[index].append(self.found[index, run])
        return Measured(runs, failure, sum(row.runs for row in self.rows))

    async def _work(self, jobs: deque[Job], processes: int) -> None:
        async def worker() -> None:
            while jobs:
                await self._do(jobs.popleft())

        async with asyncio.TaskGroup() as group:
            for _ in range(min(processes, len(jobs))):
                group.create_task(worker())

    async def _do(self, job: Job) -> None:
        """Run one process to its end; when cancelled, end it and keep the lines already out."""
        row = job.row
        what = f"{row_label(row.width_bits, row.direction, row.ports)}, {format_bytes(row.bytes)}"
        command = measure_command(self.program, row, job.first_run, job.runs)
        child.announce()
        try:
            # A session of its own: a Ctrl-C in the terminal reaches this program alone,
            # which then ends its processes in order.
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=DEVNULL,
                stdout=PIPE,
                stderr=PIPE,
                limit=_LONGEST_LINE,
                start_new_session=True,
            )
        except OSError as error:
            raise RunError(f"{self.program} cannot be run: {error.strerror}") from error
        except ValueError as error:
            raise InputError(f"{what}: {bench.NUL}") from error
        complaint = asyncio.create_task(_tail(process))
        try:
            await self._read(process, job)
            status = await process.wait()
        except asyncio.CancelledError:
            await self._interrupt(process, job)
            raise
        except SluiceError as error:
            raise RunError(f"{what}: {error}") from error
        finally:
            await _end(process)
            said = await complaint
        if status:
            raise bench.failure(what, status, said)
        missing = [
            run
            for run in range(job.first_run, job.first_run + job.runs)
            if (job.index, run) not in self.found
        ]
        if missing:
            raise RunError(f"{what}: sluice-bench ended without reporting run {missing[0]}")

    async def _read(self, process: Process, job: Job) -> None:
        if process.stdout is None:
            return
        wanted = range(job.first_run, job.first_run + job.runs)
        while True:
            try:
                line = await process.stdout.readline()
            except ValueError as error:
                raise RunError("sluice-bench printed a line without end") from error
            if not line:
                return
            if not line.endswith(b"\n"):
                return  # cut short; the exit status or the missing run tells
            run = read_run(line, wanted)
            if (job.index, run.run) in self.found:
                raise RunError(f"sluice-bench reported run {run.run} twice")
            self.found[job.index, run.run] = run
            self.on_run(job.row)

    async def _interrupt(self, process: Process, job: Job) -> None:
        _signal(process, signal.SIGINT)
        try:
            async with asyncio.timeout(_GRACE_S):
                await self._read(process, job)
                await process.wait()
        except (TimeoutError, SluiceError):
            pass


async def _end(process: Process) -> None:
    if process.returncode is None:
        _signal(process, signal.SIGKILL)
        await process.wait()


def _signal(process: Process, number: signal.Signals) -> None:
    """Signal a process that has not ended.

    Not by its own method, which would look whether it has ended, and so take its exit status away
    from the event loop, which then complains.
    """
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, number)


async def _tail(process: Process) -> bytes:
    """Return the last of what a process says on standard error, reading all of it."""
    said = b""
    if process.stderr is not None:
        while chunk := await process.stderr.read(1 << 16):
            said = (said + chunk)[-(1 << 16) :]
    return said


def _first(group: BaseExceptionGroup[BaseException]) -> SluiceError:
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, SluiceError):
        return error
    raise error
