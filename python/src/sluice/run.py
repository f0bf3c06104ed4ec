# SPDX-License-Identifier: Apache-2.0
"""`sluice run`: plan, measure, save, show. Returns an exit status."""

import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from sluice import bench, conditions, cpu, save, threads
from sluice.device import plan_on_device, read_device
from sluice.errors import InputError, RunError
from sluice.experiment import Experiment
from sluice.paths import find_bench, find_experiment
from sluice.plan import Request, Row, plan_rows
from sluice.result import Result, ResultRow, read_result, result_row, to_json
from sluice.runner import Known, Measured, Work, measure, run_s
from sluice.stop import Stop
from sluice.table import print_result
from sluice.terminal import complain, output
from sluice.units import format_number


@dataclass(frozen=True, slots=True)
class Saving:
    """Where the result goes besides the terminal."""

    json: str | None = None  # a file, or "-" for standard output and no table
    folder: Path | None = None  # a folder in which the experiment's name becomes the file's
    resume: bool = False  # take the runs that the file already holds

    def files(self, experiment: str) -> list[Path]:
        """Return the files to write."""
        files = [Path(self.json)] if self.json not in (None, save.STDOUT) and self.json else []
        return files + ([self.folder / f"{experiment}.json"] if self.folder else [])

    def checked(self, experiment: str) -> list[Path]:
        """Return the files to write; refuse what could not be written after the measurement."""
        if self.folder is not None:
            save.check_folder(self.folder)
        files = self.files(experiment)
        for path in files:
            save.check_writable(path)
        return files


def run(
    name: str,
    request: Request,
    processes: int | None,
    saving: Saving,
    device: str | None = None,
) -> int:
    """Measure an experiment, on a device if one is given, and return the exit status."""
    experiment = cpu.load_any(find_experiment(name))
    if device is not None:
        if not isinstance(experiment, Experiment):
            raise InputError(f"{experiment.name} has no rows that --device could measure")
        if processes not in (None, 1):
            raise InputError(f"--jobs {processes}: a device serves one process at a time")
        processes = 1
    if isinstance(experiment, threads.ThreadsExperiment):
        if saving.resume or request != Request():
            raise InputError(
                "an experiment with cases takes --json and -o alone; it has no rows to narrow"
            )
        return threads.run(experiment, saving.json, saving.checked(experiment.name))
    if isinstance(experiment, cpu.CpuExperiment):
        cpu.refuse(request, request.settings, resume=saving.resume)
        return cpu.run(experiment, request.settings, saving.json, saving.checked(experiment.name))
    program = find_bench()
    catalogue = bench.catalogue(program)
    if device is None:
        rows = plan_rows(experiment, catalogue.board(experiment.board), request)
    else:
        found = read_device(bench.device(program, device))
        rows = plan_on_device(experiment, catalogue, found, request)
    files = saving.checked(experiment.name)
    known = _known(rows, files) if saving.resume else Known()
    versions = conditions.versions(catalogue.version)
    with Stop() as stop:
        started, clock = datetime.now(UTC), time.monotonic()
        measured = _measure(experiment, program, Work(rows, known), processes, stop)
        result = Result(
            experiment=experiment.name,
            title=experiment.title,
            description=experiment.description,
            command=command_line(name, request, device),
            started=started.isoformat(timespec="seconds"),
            elapsed_s=time.monotonic() - clock,
            partial=not measured.complete,
            versions=versions,
            machine=conditions.machine(),
            commit=conditions.commit(),
            rows=tuple(
                result_row(row, runs) for row, runs in zip(rows, measured.runs, strict=True) if runs
            ),
        )
        status = save.deliver(
            to_json(result), saving.json, files, lambda: print_result(result, output())
        )
        return _verdict(result, measured, stop) or status


def _known(rows: Sequence[Row], files: Sequence[Path]) -> Known:
    """Return the runs of these very rows that an earlier, interrupted command has saved."""
    if not files:
        raise InputError("--continue needs the file to go on with: give --json FILE or -o DIR")
    known: Known = {}
    for path in files:
        if not path.is_file():
            continue
        saved = read_result(path.read_bytes(), str(path))
        runs = {_identity(row): row.runs for row in saved.rows}
        for index, row in enumerate(rows):
            for run in runs.get(_identity(row), ()):
                if run.run < row.runs:
                    known[index, run.run] = run
    return known


def _identity(row: Row | ResultRow) -> tuple[object, ...]:
    """Return all that a run's samples depend on, beside its number."""
    return (
        row.device,
        row.board,
        row.design,
        tuple(sorted(dict(row.attributes).items())),
        row.level,
        tuple(sorted(dict(row.settings).items())),
        row.ports,
        row.width_bits,
        row.direction,
        row.clock_mhz,
        row.bytes,
        row.seed,
        row.start_cost_ns,
        row.skew_ns,
        row.placement.stagger_bytes,
    )


def command_line(name: str, request: Request, device: str | None = None) -> str:
    """Return the command that measures the same again."""
    words = ["sluice", "run", name, *(("--device", device) if device is not None else ())]
    for width in request.width_bits:
        words += ["--width", str(width)]
    for direction in request.directions:
        words += ["--direction", direction]
    for ports in request.ports:
        words += ["--ports", ports]
    if request.full:
        words.append("--full")
    if request.level is not None:
        words += ["--level", request.level]
    for stagger in request.stagger_bytes:
        words += ["--stagger-bytes", str(stagger)]
    for name_of_setting, value_of_setting in request.settings:
        words += ["--set", f"{name_of_setting}={value_of_setting}"]
    numbers = {
        "--clock-mhz": request.clock_mhz,
        "--bytes": request.bytes,
        "--runs": request.runs,
        "--seed": request.seed,
        "--start-cost-ns": request.start_cost_ns,
        "--skew-ns": request.skew_ns,
    }
    for option, value in numbers.items():
        if value is not None:
            words += [option, format_number(value)]
    return shlex.join(words)


def _measure(
    experiment: Experiment, program: Path, work: Work, processes: int | None, stop: Stop
) -> Measured:
    """Measure behind a progress bar, which shows only where standard error is a terminal."""
    console = Console(stderr=True)
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[done]}/{task.fields[runs]} runs"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    rows = work.rows
    runs = sum(row.runs for row in rows)
    done = len(work.known)
    task = progress.add_task(
        experiment.name,
        total=sum(row.runs * run_s(row) for row in rows),
        completed=int(sum(run_s(rows[index]) for index, _ in work.known)),
        done=done,
        runs=runs,
    )

    def on_run(row: Row) -> None:
        nonlocal done
        done += 1
        progress.update(task, advance=run_s(row), done=done)

    with progress:
        return measure(program, work, processes or conditions.cores(), stop, on_run)


def _verdict(result: Result, measured: Measured, stop: Stop) -> int:
    if measured.failure is not None:
        complain(str(measured.failure))
        return measured.failure.exit_status
    if stop.signal is not None and result.partial:
        runs = sum(len(row.runs) for row in result.rows)
        complain(f"stopped by {stop.signal.name}; {runs} of {measured.wanted} runs were measured")
        return stop.exit_status
    wrong = sum(not row.verified for row in result.rows)
    if wrong:
        complain(str(RunError(f"{wrong} of {len(result.rows)} rows carried wrong data")))
        return RunError.exit_status
    return 0
