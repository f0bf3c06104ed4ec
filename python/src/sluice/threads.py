# SPDX-License-Identifier: Apache-2.0
"""Experiments with hardware threads beside one another: a rogue among others, pipelines.

Their files say `kind = "threads"` and list cases instead of axes. A case is one subcommand of
sluice-bench with its options, and has several figures.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich import box
from rich.table import Table
from rich.text import Text

from sluice import bench, conditions, save
from sluice.errors import RunError
from sluice.fields import Fields
from sluice.paths import find_bench
from sluice.terminal import complain, output
from sluice.threads_result import FORMAT, ThreadsResult, ThreadsRow, read_figures

SCENARIOS = ("isolation", "pipeline")
_TIMEOUT_S = 3600


@dataclass(frozen=True, slots=True)
class Case:
    """One line of the experiment."""

    name: str
    scenario: str
    options: tuple[tuple[str, str], ...]  # of sluice-bench; a flag has no text


@dataclass(frozen=True, slots=True)
class ThreadsExperiment:
    """One experiment, as its file says it."""

    name: str
    file: Path
    title: str
    description: str
    board: str
    designs: tuple[str, ...]
    plot: str
    cases: tuple[Case, ...]

    @property
    def rows(self) -> int:
        """Return how many lines it prints."""
        return len(self.cases)


def read_experiment(path: Path, fields: Fields) -> ThreadsExperiment:
    """Return the experiment in a file's fields, of which `kind` has been read."""
    experiment = ThreadsExperiment(
        name=path.stem,
        file=path,
        title=fields.text("title"),
        description=fields.text("description"),
        board=fields.text("board"),
        designs=(fields.text("design"),),
        plot=fields.text("plot"),
        cases=tuple(_case(table) for table in fields.tables("case")),
    )
    fields.finish()
    names = [case.name for case in experiment.cases]
    if not names or len(set(names)) != len(names):
        raise fields.problem("case", "must hold cases, each under its own name")
    return experiment


def _case(fields: Fields) -> Case:
    scenario = fields.text("scenario")
    if scenario not in SCENARIOS:
        raise fields.problem("scenario", f"'{scenario}' is none of {', '.join(SCENARIOS)}")
    table = fields.table("options")
    options = tuple(
        (name, "" if table.any(name) is True else table.text(name)) for name in table.names()
    )
    case = Case(fields.text("name"), scenario, options)
    table.finish()
    fields.finish()
    return case


def run(experiment: ThreadsExperiment, to: str | None, files: Sequence[Path]) -> int:
    """Measure, save and show; `to` is "-" for JSON on standard output and no table."""
    program = find_bench()
    catalogue = bench.catalogue(program)
    (design,) = experiment.designs
    catalogue.board(experiment.board).design(design)
    result = ThreadsResult(
        experiment=experiment.name,
        title=experiment.title,
        description=experiment.description,
        board=experiment.board,
        design=design,
        plot=experiment.plot,
        command=f"sluice run {experiment.name}",
        versions=conditions.versions(catalogue.version),
        commit=conditions.commit(),
        rows=tuple(_measure(program, experiment, case) for case in experiment.cases),
    )
    text = json.dumps({"format": FORMAT} | asdict(result), indent=1, ensure_ascii=False) + "\n"
    for file in files:
        save.write(file, text.encode())
    if to == "-":
        sys.stdout.write(text)
    else:
        _print(result)
    wrong = [row.name for row in result.rows if not row.verified]
    if wrong:
        complain(str(RunError(f"wrong data: {', '.join(wrong)}")))
        return RunError.exit_status
    return 0


def _measure(program: Path, experiment: ThreadsExperiment, case: Case) -> ThreadsRow:
    words = [case.scenario, "--board", experiment.board, "--design", experiment.designs[0]]
    for name, text in case.options:
        words += [f"--{name}", text] if text else [f"--{name}"]
    try:
        done = subprocess.run(  # noqa: S603  (the program that the user named or built)
            [program, *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except OSError as error:
        raise RunError(f"{program} cannot be run: {error.strerror}") from error
    except subprocess.TimeoutExpired as error:
        raise RunError(f"{case.name}: sluice-bench gave no answer in {_TIMEOUT_S} s") from error
    if done.returncode:
        raise bench.failure(case.name, done.returncode, done.stderr)
    try:
        fields = Fields("sluice-bench", json.loads(done.stdout), error=RunError)
    except ValueError as error:
        raise RunError(f"sluice-bench did not print a JSON object: {error}") from error
    return ThreadsRow(case.name, " ".join(words), read_figures(fields), fields.flag("verified"))


def _print(result: ThreadsResult) -> None:
    console = output()
    console.print(Text(result.title, style="bold"))
    console.print(Text(f"{result.board}, {result.design}", style="dim"))
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("case")
    for name, unit in result.columns:
        table.add_column(f"{name}\n{unit}", justify="right")
    for row in result.rows:
        cells = [Text(row.name + ("" if row.verified else " !"))]
        for name, _ in result.columns:
            figure = row.figure(name)
            style = "bold" if name == result.plot else ""
            cells.append(Text(f"{figure.value:.1f}" if figure else "-", style=style))
        table.add_row(*cells)
    console.print(table)
    console.print(Text("Simulated time; MB = 10^6 bytes. Every byte was verified.", style="dim"))
