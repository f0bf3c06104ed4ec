# SPDX-License-Identifier: Apache-2.0
"""Measuring under Linux: every work with every size, in one run of the machine."""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import Field

from sluice.errors import InputError, RunError
from sluice.experiments.kind import Measurement, Session
from sluice.experiments.linux.energy import BEAT_BYTES, Counted, Energy, estimate
from sluice.experiments.linux.experiment import (
    LinuxExperiment,
    LogicTable,
    View,
    WorkTable,
    table_of,
)
from sluice.experiments.linux.machine import GUEST_PROCESSOR, Machine
from sluice.experiments.linux.options import Options
from sluice.experiments.linux.result import BUFFERED, Frames, LinuxConditions, LinuxRow, Spread
from sluice.experiments.options import level_of
from sluice.experiments.percentiles import percentile
from sluice.labels import TRANSACTION
from sluice.models import Record, Whole, checked
from sluice.progress import progress_bar

_VIEWS: tuple[View, ...] = ("user", "kernel", "engine")
_Time = Annotated[int, Field(gt=0)]


class _About(Record):
    kernel: str


class _Answer(Record):
    """What a program prints."""

    user_ns: Annotated[tuple[_Time, ...], Field(min_length=1)]
    kernel_ns: tuple[_Time, ...] = ()
    engine_ns: tuple[_Time, ...] = ()
    work_ns: tuple[Whole, ...] = ()  # of the processor, within user_ns
    bytes: Whole
    reached: Whole  # bytes that the driver had when the program's time ended
    lost: Whole = 0  # frames of a stream, of which there is no time
    unjudged: Whole = 0  # of whose words nothing is known
    drops: Whole = 0  # beats of it
    beside_mb_s: Annotated[float, Field(ge=0)] | None = None  # copied by engines meanwhile

    def ns(self, view: View) -> tuple[int, ...]:
        """Return the times of a view, none where the program does not know them."""
        return {"user": self.user_ns, "kernel": self.kernel_ns, "engine": self.engine_ns}[view]


class _Processor(Record):
    """What a machine's processor has done."""

    active_ps: Whole
    memory_reads: Whole
    memory_writes: Whole
    memory_rows: Whole


class _Board(Record):
    """What the memory has done for engines."""

    reads: Whole
    writes: Whole
    rows: Whole
    hp_read_bytes: Whole
    hp_write_bytes: Whole


class _Counts(Record):
    processor: _Processor
    board: _Board


@dataclass(frozen=True, slots=True)
class _Call:
    """One work with one size."""

    logic: LogicTable
    work: WorkTable
    samples: int
    runs: int

    @property
    def bytes(self) -> int:
        return self.samples * self.work.bytes_per_sample


def measure(
    experiment: LinuxExperiment, options: Options, session: Session
) -> Measurement[LinuxConditions, LinuxRow]:
    """Plan the works of an experiment."""
    experiment.offered_board(session.catalogue)
    experiment = experiment.only(
        logic=options.logic, way="published" if options.as_published else None
    )
    if options.here and len(experiment.logic) > 1:
        names = ", ".join(one.name for one in experiment.logic)
        raise InputError(f"--here needs --logic, one of {names}: what this machine's logic has")
    if options.here and any(one.settings for one in experiment.logic):
        raise InputError("--here: settings are those of a guest's memory system")
    if options.here and experiment.energy is not None:
        raise InputError("--here: energy is estimated from what a guest's machine counts")
    level = TRANSACTION if options.level is None else level_of(options.level)
    machine = Machine(session.stop, options.here, level)
    return Measurement(
        rows=_behind_bar(experiment, machine),
        conditions=LinuxConditions(
            machine="this machine" if options.here else "guest",
            level=None if options.here else level,
            processor=None if options.here else GUEST_PROCESSOR,
            kernel_arguments=experiment.kernel_arguments,
            source=experiment.source,
            energy=experiment.energy,
        ),
    )


def _behind_bar(experiment: LinuxExperiment, machine: Machine) -> Iterator[LinuxRow]:
    progress = progress_bar("rows")
    wanted = experiment.row_count
    with progress:
        task = progress.add_task(experiment.name, total=wanted, done=0, wanted=wanted)
        for count, row in enumerate(measured(experiment, machine), 1):
            progress.update(task, advance=1, done=count)
            yield row


def measured(experiment: LinuxExperiment, machine: Machine) -> Iterator[LinuxRow]:
    """Measure all works, one after the other; a boot of the guest has those of one logic."""
    for logic in experiment.logic:
        calls = [
            _Call(logic, work, samples, work.runs)
            for work in experiment.works_of(logic)
            for samples in work.samples
        ]
        if experiment.energy is not None:
            for call in calls:
                yield from _counted(experiment, call, machine)
            continue
        commands = [_command(call, machine.program(call.work)) for call in calls]
        lines = machine.lines(experiment, logic, commands)
        about = checked(_About, next(lines, None), "the machine", RunError)
        for call in calls:
            what = f"{call.work.name}, {call.bytes} bytes"
            yield from _rows(experiment, call, _next(lines, what), about.kernel)
        for _ in lines:  # its end: what went wrong
            raise RunError("a program under Linux printed more than was asked")


def _counted(experiment: LinuxExperiment, call: _Call, machine: Machine) -> Iterator[LinuxRow]:
    """Measure one size of a work in two boots, whose counts differ by those of its calls."""
    what = f"{call.work.name}, {call.bytes} bytes"
    counts = []
    for times in (1, 2):
        one = replace(call, runs=times * call.runs)
        lines = machine.lines(experiment, call.logic, [_command(one, machine.program(call.work))])
        about = checked(_About, next(lines, None), "the machine", RunError)
        answer = _next(lines, what)
        counts.append(checked(_Counts, next(lines, None), f"{what}: counts", RunError))
        for _ in lines:  # its end: what went wrong
            raise RunError("a program under Linux printed more than was asked")
    counted = _difference(counts[0], counts[1], call.runs)
    yield from _rows(experiment, call, answer, about.kernel, counted)


def _difference(first: _Counts, second: _Counts, runs: int) -> Counted:
    """Return what was counted of a call."""

    def of(one: int, other: int) -> float:
        return max(0, other - one) / runs

    a, b = first.processor, second.processor
    c, d = first.board, second.board
    beats = of(c.hp_read_bytes, d.hp_read_bytes) + of(c.hp_write_bytes, d.hp_write_bytes)
    return Counted(
        processor_reads=of(a.memory_reads, b.memory_reads),
        processor_writes=of(a.memory_writes, b.memory_writes),
        processor_rows=of(a.memory_rows, b.memory_rows),
        engine_reads=of(c.reads, d.reads),
        engine_writes=of(c.writes, d.writes),
        engine_rows=of(c.rows, d.rows),
        hp_beats=beats / BEAT_BYTES,
        active_us=of(a.active_ps, b.active_ps) / 1e6,
    )


def _energy(
    experiment: LinuxExperiment, call: _Call, view: View, us: float, counted: Counted | None
) -> Energy | None:
    if experiment.energy is None or counted is None or view != "user":
        return None
    # The clocks between two calls are read outside of their times.
    within = counted.model_copy(update={"active_us": min(counted.active_us, us)})
    return estimate(experiment.energy, within, us, call.work.engines * call.bytes)


def _command(call: _Call, program: str) -> str:
    return program.replace("{bytes}", str(call.bytes)).replace("{runs}", str(call.runs))


def _next(lines: Iterator[Any], what: str) -> _Answer:
    line = next(lines, None)
    if line is None:
        raise RunError(f"{what}: the machine ended before it was measured")
    return checked(_Answer, line, what, RunError)


def _rows(
    experiment: LinuxExperiment,
    call: _Call,
    found: _Answer,
    kernel: str,
    counted: Counted | None = None,
) -> Iterator[LinuxRow]:
    # Clocks that are read for the first time are work too, a little of it within the time.
    share = min(100.0, 100 * sum(found.work_ns) / sum(found.user_ns)) if found.work_ns else None
    for view in _VIEWS:
        ns = found.ns(view)
        if not ns:
            continue
        figure = experiment.published(call.work, view, call.samples)
        unscored = None if figure is None else _unscored(call, view)
        us = spread(ns)
        yield LinuxRow(
            name=call.work.name,
            design=call.logic.design,
            clock_mhz=call.logic.clock_mhz,
            settings=call.logic.settings,
            note=call.logic.note,
            work_note=call.work.note,
            kernel=kernel,
            way=call.work.way,
            state=call.work.state,
            view=view,
            table=table_of(call.work, view),
            samples=call.samples,
            bytes=call.bytes,
            us=us,
            engines=call.work.engines,
            mb_s=call.work.engines * call.bytes / us.median,
            cpu_percent=share if view == "user" else None,
            reached_bytes=found.reached if view == "user" else None,
            published_us=None if figure is None else figure.us,
            printed_us=None if figure is None else figure.printed_us,
            repaired=None if figure is None else figure.repaired,
            scored=figure is not None and unscored is None,
            energy=_energy(experiment, call, view, us.median, counted),
            frames=_frames(call.work, found, us.median) if view == "user" else None,
            beside_mb_s=found.beside_mb_s if view == "user" else None,
            unscored=unscored,
        )


def _frames(work: WorkTable, found: _Answer, us: float) -> Frames | None:
    if work.interval_us is None:
        return None
    return Frames(
        interval_us=work.interval_us,
        left=1 - us / work.interval_us,
        lost=found.lost,
        unjudged=found.unjudged,
        dropped_beats=found.drops,
    )


def _unscored(call: _Call, view: View) -> str | None:
    if view == "user" and call.bytes < call.work.buffered_below:
        return BUFFERED
    return call.work.unscored


def spread(ns: Sequence[int]) -> Spread:
    """Return how times spread, in us; the p99 of fewer than 100 is the largest."""
    ordered = sorted(ns)
    return Spread(
        runs=len(ordered),
        min=ordered[0] / 1e3,
        median=statistics.median(ordered) / 1e3,
        mean=statistics.fmean(ordered) / 1e3,
        p99=percentile(ordered, 0.99) / 1e3,
        max=ordered[-1] / 1e3,
    )
