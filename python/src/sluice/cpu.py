# SPDX-License-Identifier: Apache-2.0
"""Experiments about the CPU's own accesses: what a copy, a read, a chain of loads take.

Their files say `kind = "cpu"` and list works instead of axes. Each work is timed twice by
`sluice-bench cpu`: cold, with empty caches, and warm, as the first time has left them.
"""

import json
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from sluice import bench, conditions, save
from sluice.cpu_result import FORMAT
from sluice.errors import InputError, RunError
from sluice.experiment import Experiment, load_experiment, read_settings
from sluice.fields import Fields
from sluice.paths import find_bench
from sluice.published import cell
from sluice.stop import Stop
from sluice.terminal import output
from sluice.threads import ThreadsExperiment, read_experiment
from sluice.units import parse_bytes

KINDS = ("copy", "read", "chase", "pio_read", "pio_write")
_STATES = ("cold", "warm")
_TIMEOUT_S = 600


@dataclass(frozen=True, slots=True)
class Work:
    """One line of the experiment: a rate in MB/s, or of a chase the ns of a load."""

    name: str
    kind: str
    bytes: int
    state: str
    uncached: bool
    stride: int
    loads: int
    minus: str | None  # a work whose figure is taken off this one's
    published: float | None
    source: str | None

    @property
    def unit(self) -> str:
        """Return the unit of its figure."""
        return "ns" if self.kind == "chase" else "MB/s"


@dataclass(frozen=True, slots=True)
class CpuExperiment:
    """One experiment, as its file says it."""

    name: str
    file: Path
    title: str
    description: str
    board: str
    settings: tuple[tuple[str, int], ...]
    works: tuple[Work, ...]
    designs: tuple[str, ...] = ("hp_stress",)

    @property
    def rows(self) -> int:
        """Return how many lines it prints."""
        return len(self.works)


AnyExperiment = Experiment | CpuExperiment | ThreadsExperiment


def load_any(path: Path) -> AnyExperiment:
    """Read an experiment of any kind."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return load_experiment(path)  # which says what is wrong
    if document.get("kind") not in ("cpu", "threads"):
        return load_experiment(path)
    fields = Fields(str(path), document)
    if fields.text("kind") == "threads":
        return read_experiment(path, fields)
    experiment = CpuExperiment(
        name=path.stem,
        file=path,
        title=fields.text("title"),
        description=fields.text("description"),
        board=fields.text("board"),
        settings=read_settings(fields),
        works=tuple(_work(table, path) for table in fields.tables("work")),
    )
    fields.finish()
    names = [work.name for work in experiment.works]
    if not names or len(set(names)) != len(names):
        raise fields.problem("work", "must hold works, each under its own name")
    for index, work in enumerate(experiment.works):
        if work.minus is not None and work.minus not in names[:index]:
            raise fields.problem(f"work[{index}].minus", f"'{work.minus}' is no work before it")
    return experiment


def _work(fields: Fields, path: Path) -> Work:
    kind = fields.text("kind")
    if kind not in KINDS:
        raise fields.problem("kind", f"'{kind}' is none of {', '.join(KINDS)}")
    state = fields.text("state")
    if state not in _STATES:
        raise fields.problem("state", f"'{state}' is none of {', '.join(_STATES)}")
    published, source = None, None
    if "published" in fields:
        published, source = cell(fields.table("published"), path)
    work = Work(
        name=fields.text("name"),
        kind=kind,
        bytes=parse_bytes(fields.text("bytes")),
        state=state,
        uncached="uncached" in fields and fields.flag("uncached"),
        stride=fields.whole("stride", 8) if kind == "chase" else 0,
        loads=fields.whole("loads", 1) if kind == "chase" else 0,
        minus=fields.text("minus") if "minus" in fields else None,
        published=published,
        source=source,
    )
    fields.finish()
    return work


def run(
    experiment: CpuExperiment,
    settings: tuple[tuple[str, int], ...],
    to: str | None,
    files: list[Path],
) -> int:
    """Measure, save and show; `to` is "-" for JSON on standard output and no table."""
    program = find_bench()
    catalogue = bench.catalogue(program)
    catalogue.board(experiment.board)
    changed = tuple((dict(experiment.settings) | dict(settings)).items())
    with Stop() as stop:
        measured = measure(program, experiment, experiment.works, changed, stop)
    rows = [
        _row(work, figure, times)
        for work, (figure, times) in zip(experiment.works, measured, strict=True)
    ]
    document = {
        "format": FORMAT,
        "experiment": experiment.name,
        "title": experiment.title,
        "description": experiment.description,
        "board": experiment.board,
        "settings": dict(changed),
        "command": " ".join(
            ["sluice run", experiment.name, *(f"--set {name}={value}" for name, value in settings)]
        ),
        "versions": conditions.versions(catalogue.version),
        "commit": conditions.commit(),
        "rows": rows,
    }
    text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    return save.deliver(text, to, files, lambda: _print(experiment, rows))


def measure(
    program: Path,
    experiment: CpuExperiment,
    works: Sequence[Work],
    settings: tuple[tuple[str, int], ...],
    stop: Stop | None = None,
) -> list[tuple[float, dict[str, float]]]:
    """Return the figure and the times of each work; those that one subtracts stand before it.

    With `stop`, a signal ends what runs, and that is a StoppedError.
    """
    figures: dict[str, float] = {}
    measured = []
    for work in works:
        command = _command(experiment, work, settings)
        answer = bench.ask(program, command, work.name, _TIMEOUT_S, stop)
        fields = Fields("sluice-bench cpu", answer, error=RunError)
        times = {name: fields.number(name) for name in ("cold_ns", "warm_ns")}
        ns = times[f"{work.state}_ns"]
        figure = ns / work.loads if work.loads else work.bytes / ns * 1e3
        if work.minus is not None:
            figure -= figures[work.minus]
        figures[work.name] = figure
        measured.append((figure, times))
    return measured


def _row(work: Work, figure: float, times: dict[str, float]) -> dict[str, Any]:
    return {
        "name": work.name,
        "kind": work.kind,
        "bytes": work.bytes,
        "state": work.state,
        "uncached": work.uncached,
        "stride": work.stride,
        "loads": work.loads,
        "minus": work.minus,
        "figure": figure,
        "unit": work.unit,
        "published": work.published,
        "difference": None if work.published is None else figure / work.published - 1,
        "source": work.source,
        "cold_ns": times["cold_ns"],
        "warm_ns": times["warm_ns"],
    }


def _command(
    experiment: CpuExperiment, work: Work, settings: tuple[tuple[str, int], ...]
) -> list[str]:
    command = ["cpu", "--board", experiment.board, "--kind", work.kind]
    command += ["--bytes", str(work.bytes)]
    if work.kind == "chase":
        command += ["--loads", str(work.loads), "--stride", str(work.stride)]
    if work.uncached:
        command.append("--uncached")
    for name, value in settings:
        command += ["--set", f"{name}={value}"]
    return command


def _print(experiment: CpuExperiment, rows: list[dict[str, Any]]) -> None:
    console = output()
    console.print(Text(experiment.title, style="bold"))
    console.print(Text(experiment.board, style="dim"))
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name in ("access", "figure", "unit", "publ.", "diff %"):
        table.add_column(name, justify="left" if name in ("access", "unit") else "right")
    for row in rows:
        known = row["published"] is not None
        table.add_row(
            row["name"],
            Text(f"{row['figure']:.2f}", style="bold"),
            row["unit"],
            f"{row['published']:.2f}" if known else "-",
            f"{100 * row['difference']:+.2f}" if known else "-",
        )
    console.print(table)
    console.print(Text("Simulated time; MB = 10^6 bytes, a copy counts once.", style="dim"))
    for source in dict.fromkeys(row["source"] for row in rows if row["source"]):
        console.print(Text(f"Published: {source}.", style="dim"))


def refuse(request: object, settings: tuple[tuple[str, int], ...], *, resume: bool) -> None:
    """Refuse what has no meaning for such an experiment."""
    if resume or request != type(request)(settings=settings):  # type: ignore[call-arg]
        raise InputError(
            "an experiment about the CPU takes --set, --json and -o alone; it has no rows to narrow"
        )
