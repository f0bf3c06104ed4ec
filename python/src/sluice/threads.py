# SPDX-License-Identifier: Apache-2.0
"""Experiments with hardware threads beside one another: a rogue among others, pipelines.

Their files say `kind = "threads"` and list cases instead of axes. A case is one subcommand of
sluice-bench with its options, and has several figures.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich import box
from rich.table import Table
from rich.text import Text

from sluice import bench, conditions, save
from sluice.errors import RunError, SluiceError
from sluice.fields import Fields
from sluice.paths import find_bench
from sluice.stop import Stop, StoppedError
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
    """Measure, save and show; `to` is "-" for JSON on standard output and no table.

    What was measured before a failure or a signal is kept.
    """
    program = find_bench()
    catalogue = bench.catalogue(program)
    (design,) = experiment.designs
    catalogue.board(experiment.board).design(design)
    with Stop() as stop:
        rows: list[ThreadsRow] = []
        failure: SluiceError | None = None
        try:
            for case in experiment.cases:
                rows.append(_measure(program, experiment, case, stop))  # noqa: PERF401  (kept)
        except StoppedError as error:
            count = f"{len(rows)} of {experiment.rows} cases were measured"
            complaint, failure = f"{error}; {count}", error
        except SluiceError as error:
            complaint, failure = str(error), error
        result = ThreadsResult(
            experiment=experiment.name,
            title=experiment.title,
            description=experiment.description,
            board=experiment.board,
            design=design,
            plot=experiment.plot,
            command=f"sluice run {experiment.name}",
            partial=failure is not None,
            versions=conditions.versions(catalogue.version),
            commit=conditions.commit(),
            rows=tuple(rows),
        )
        text = json.dumps({"format": FORMAT} | asdict(result), indent=1, ensure_ascii=False) + "\n"
        status = save.deliver(text, to, files, lambda: _print(result))
    if failure is not None:
        complain(complaint)
        return failure.exit_status
    wrong = [row.name for row in result.rows if not row.verified]
    if wrong:
        complain(str(RunError(f"wrong data: {', '.join(wrong)}")))
        return RunError.exit_status
    return status


def _measure(program: Path, experiment: ThreadsExperiment, case: Case, stop: Stop) -> ThreadsRow:
    words = [case.scenario, "--board", experiment.board, "--design", experiment.designs[0]]
    for name, text in case.options:
        words += [f"--{name}", text] if text else [f"--{name}"]
    answer = bench.ask(program, words, case.name, _TIMEOUT_S, stop)
    fields = Fields("sluice-bench", answer, error=RunError)
    return ThreadsRow(case.name, " ".join(words), read_figures(fields), fields.flag("verified"))


def _print(result: ThreadsResult) -> None:
    console = output()
    console.print(Text(result.title, style="bold"))
    if not result.rows:
        console.print("Nothing was measured.")
        return
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
    verified = " Every byte was verified." if all(row.verified for row in result.rows) else ""
    console.print(Text(f"Simulated time; MB = 10^6 bytes.{verified}", style="dim"))
    if result.partial:
        said = "PARTIAL: the measurement was cut short; cases are missing."
        console.print(Text(said, style="dim"))
