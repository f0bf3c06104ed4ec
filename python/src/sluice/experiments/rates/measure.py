# SPDX-License-Identifier: Apache-2.0
"""Measuring rates: the rows that were asked for, behind a progress bar."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sluice import bench, conditions
from sluice.errors import InputError
from sluice.experiments.kind import Measurement, Session
from sluice.experiments.rates.device import plan_on_device, read_device
from sluice.experiments.rates.experiment import RatesExperiment
from sluice.experiments.rates.options import Options
from sluice.experiments.rates.result import NoConditions, RatesRow, measured_row
from sluice.experiments.rates.rows import Request, Row, plan_rows
from sluice.experiments.rates.runner import Known, Measured, Work, run_s
from sluice.experiments.rates.runner import measure as measure_runs
from sluice.experiments.result import Result
from sluice.progress import progress_bar
from sluice.stop import Stop
from sluice.units import parse_bytes


def measure(
    experiment: RatesExperiment, options: Options, session: Session
) -> Measurement[NoConditions, RatesRow]:
    """Plan the rows that were asked for, on a device if one is given."""
    jobs = session.jobs
    if options.device is None:
        board = experiment.offered_board(session.catalogue)
        rows = plan_rows(experiment, board, _request(options))
    else:
        if jobs not in (None, 1):
            raise InputError(f"--jobs {jobs}: a device serves one process at a time")
        jobs = 1
        found = read_device(bench.device(session.program, options.device))
        rows = plan_on_device(experiment, session.catalogue, found, _request(options))
    work = Work(rows, _known(rows, session.earlier))
    return Measurement(
        rows=_rows(experiment.name, session, work, jobs or conditions.cores()),
        conditions=NoConditions(),
        seed=rows[0].seed if rows else None,
    )


def _request(options: Options) -> Request:
    size = options.block_bytes
    return Request(
        width_bits=tuple(options.width or ()),
        directions=tuple(options.direction or ()),
        ports=tuple(options.ports or ()),
        clock_mhz=options.clock_mhz,
        bytes=None if size is None else parse_bytes(size),
        full=options.full,
        runs=options.runs,
        seed=options.seed,
        start_cost_ns=options.start_cost_ns,
        skew_ns=options.skew_ns,
        stagger_bytes=tuple(options.stagger_bytes or ()),
        level=options.level,
        fast_forward=options.fast_forward or None,
        settings=tuple(options.settings or ()),
    )


def _rows(name: str, session: Session, work: Work, processes: int) -> Iterator[RatesRow]:
    """Measure all rows at once, and give those of which there are runs."""
    measured = _measured(name, session.program, work, processes, session.stop)
    for row, runs in zip(work.rows, measured.runs, strict=True):
        if runs:
            yield measured_row(row, runs)
    if measured.failure is not None:
        raise measured.failure
    if not measured.complete:
        done = sum(len(runs) for runs in measured.runs)
        session.stop.check(f"{done} of {measured.wanted} runs were measured")


def _measured(name: str, program: Path, work: Work, processes: int, stop: Stop) -> Measured:
    """Measure behind a progress bar, which shows only where standard error is a terminal."""
    progress = progress_bar("runs")
    rows = work.rows
    done = len(work.known)
    task = progress.add_task(
        name,
        total=sum(row.runs * run_s(row) for row in rows),
        completed=int(sum(run_s(rows[index]) for index, _ in work.known)),
        done=done,
        wanted=sum(row.runs for row in rows),
    )

    def on_run(row: Row) -> None:
        nonlocal done
        done += 1
        progress.update(task, advance=run_s(row), done=done)

    with progress:
        return measure_runs(program, work, processes, stop, on_run)


def _known(rows: Sequence[Row], earlier: Sequence[Result[Any, Any]]) -> Known:
    """Return the runs of these very rows that earlier results hold."""
    known: Known = {}
    for result in earlier:
        runs = {_identity(row, row.placement.stagger_bytes): row.runs for row in result.rows}
        for index, row in enumerate(rows):
            for run in runs.get(_identity(row, row.stagger_bytes), ()):
                if run.run < row.runs:
                    known[index, run.run] = run
    return known


def _identity(row: Row | RatesRow, stagger_bytes: int) -> tuple[object, ...]:
    """Return all that a run's samples depend on, beside its number."""
    return (
        row.device,
        row.board,
        row.design,
        tuple(sorted(dict(row.attributes).items())),
        row.level,
        row.fast_forward,
        tuple(sorted(dict(row.settings).items())),
        row.ports,
        row.width_bits,
        row.direction,
        row.clock_mhz,
        row.bytes,
        row.seed,
        row.start_cost_ns,
        row.skew_ns,
        stagger_bytes,
    )
