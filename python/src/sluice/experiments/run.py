# SPDX-License-Identifier: Apache-2.0
"""Measuring an experiment of any kind: plan, measure, save, show. Returns an exit status."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from sluice import bench, conditions, save
from sluice.errors import InputError, RunError, SluiceError
from sluice.experiments import options, registry
from sluice.experiments.kind import Experiment, Measurement, Session
from sluice.experiments.result import Provenance, Result, ResultRow, to_json
from sluice.paths import find_bench, find_experiment
from sluice.stop import Stop, StoppedError
from sluice.terminal import complain, output

_MOST_NAMED = 5  # of rows with wrong data


@dataclass(frozen=True, slots=True)
class Saving:
    """Where the result goes besides the terminal."""

    json: str | None = None  # a file, or "-" for standard output and no table
    folder: Path | None = None  # a folder in which the experiment's name becomes the file's
    resume: bool = False  # go on with what the file already holds

    def files(self, experiment: str) -> list[Path]:
        """Return the files to write."""
        files = [Path(self.json)] if self.json not in (None, save.STDOUT) and self.json else []
        return files + ([self.folder / f"{experiment}.json"] if self.folder else [])

    def check(self, experiment: str) -> None:
        """Refuse what could not be written after the measurement."""
        if self.folder is not None:
            save.check_folder(self.folder)
        for path in self.files(experiment):
            save.check_writable(path)


def run(name: str, values: Mapping[str, Any], jobs: int | None, saving: Saving) -> int:
    """Measure the experiment called `name` with the options given, and return the exit status."""
    kind, experiment = registry.load(find_experiment(name))
    chosen = options.options_of(kind, experiment.name, values)
    command = options.command_line(["sluice", "run", name], kind, values)
    return perform(kind, experiment, Order(chosen, command, jobs, saving))


@dataclass(frozen=True, slots=True)
class Order:
    """How an experiment is to be measured."""

    options: object  # of its kind
    command: str  # the command line that says so
    jobs: int | None
    saving: Saving


def perform(kind: registry.AnyKind, experiment: Experiment, order: Order) -> int:
    """Measure an experiment; keep what was measured before a failure or a signal."""
    saving = order.saving
    earlier = _earlier(kind, experiment, saving) if saving.resume else []
    program, stop = find_bench(), Stop()
    catalogue = bench.catalogue(program)
    session = Session(program, catalogue, stop, order.jobs, earlier)
    measurement = kind.measure(experiment, order.options, session)
    saving.check(experiment.name)
    with stop:
        started, clock = datetime.now(UTC), time.monotonic()
        rows, failure = _measured(kind, experiment, measurement)
        provenance = Provenance(
            command=order.command,
            board=experiment.board,
            designs=measurement.designs or experiment.design_names,
            seed=measurement.seed,
            versions=conditions.versions(catalogue.version),
            commit=conditions.commit(),
            machine=conditions.machine(),
            started=started.isoformat(timespec="seconds"),
            elapsed_s=round(time.monotonic() - clock, 3),
        )
        result = kind.result(
            kind=kind.name,
            experiment=experiment.name,
            title=experiment.title,
            description=experiment.description,
            partial=failure is not None,
            conditions=measurement.conditions,
            provenance=provenance,
            rows=tuple(rows),
        )
        status = save.deliver(
            to_json(result),
            saving.json,
            # Where nothing was measured, an earlier result is not replaced.
            [
                path
                for path in saving.files(experiment.name)
                if rows or failure is None or not path.exists()
            ],
            lambda: show(kind, result, output()),
        )
        return _verdict(result, failure) or status


def show(kind: registry.AnyKind, result: Result[Any, Any], console: Console) -> None:
    """Print a result as a table, and say what is missing."""
    if not result.rows:
        console.print(Text(result.title, style="bold"))
        console.print("Nothing was measured.")
        return
    kind.show(result, console)
    if result.partial:
        said = f"PARTIAL: the measurement was cut short; {kind.unit} are missing."
        console.print(Text(said, style="dim"))


def _measured(
    kind: registry.AnyKind, experiment: Experiment, measurement: Measurement[Any, Any]
) -> tuple[list[ResultRow], SluiceError | None]:
    """Return the rows that were measured, and what ended the measurement before its time."""
    rows: list[ResultRow] = []
    try:
        for row in measurement.rows:
            rows.append(row)  # noqa: PERF402  (kept when a later one fails)
    except StoppedError as error:
        if not error.count:
            error.count = f"{len(rows)} of {experiment.row_count} {kind.unit} were measured"
        return rows, error
    except SluiceError as error:
        return rows, error
    return rows, None


def _earlier(
    kind: registry.AnyKind, experiment: Experiment, saving: Saving
) -> list[Result[Any, Any]]:
    """Return the results of this kind that an earlier, interrupted command has saved."""
    if not kind.resumes:
        raise InputError(
            f"{experiment.name} is an experiment of kind {kind.name}, which is measured as a "
            "whole; leave --continue out"
        )
    files = saving.files(experiment.name)
    if not files:
        raise InputError("--continue needs the file to go on with: give --json FILE or -o DIR")
    found = []
    for path in files:
        if path.is_file():
            of, result = registry.read_result(path.read_bytes(), str(path))
            if of.name != kind.name:
                raise InputError(f"{path} is a result of kind {of.name}; give another file")
            found.append(result)
    return found


def _verdict(result: Result[Any, Any], failure: SluiceError | None) -> int:
    if failure is not None:
        complain(str(failure))
        return failure.exit_status
    if wrong := _wrong(result.rows):
        complain(wrong)
        return RunError.exit_status
    return result.exit_status


def _wrong(rows: Sequence[ResultRow]) -> str:
    """Return the complaint about rows with wrong data; none is empty."""
    wrong = [row.label for row in rows if row.wrong]
    if not wrong:
        return ""
    more = len(wrong) - _MOST_NAMED
    named = ", ".join(wrong[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
    return f"{len(wrong)} of {len(rows)} rows carried wrong data: {named}"
