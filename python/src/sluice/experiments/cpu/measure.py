# SPDX-License-Identifier: Apache-2.0
"""Measuring the CPU's own accesses.

Each work is timed twice by `sluice-bench cpu`: cold, with empty caches, and warm, as the first
time has left them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from sluice.errors import RunError
from sluice.experiments.cpu.experiment import CpuExperiment, Work
from sluice.experiments.cpu.options import Options
from sluice.experiments.cpu.result import CpuConditions, CpuRow
from sluice.experiments.kind import Measurement, Session
from sluice.models import Record, checked

_TIMEOUT_S = 600

Ask = Callable[[Sequence[str], str, int], Any]  # (words for sluice-bench, of what, timeout in s)


class _Times(Record):
    cold_ns: Annotated[float, Field(gt=0)]
    warm_ns: Annotated[float, Field(gt=0)]


def measure(
    experiment: CpuExperiment, options: Options, session: Session
) -> Measurement[CpuConditions, CpuRow]:
    """Plan the works of an experiment."""
    experiment.offered_board(session.catalogue)
    settings = experiment.model | dict(options.settings or ())
    return Measurement(
        rows=measured(session.ask, experiment.board, experiment.works, settings),
        conditions=CpuConditions(settings=settings),
    )


def measured(
    ask: Ask, board: str, works: Sequence[Work], settings: Mapping[str, int]
) -> Iterator[CpuRow]:
    """Measure works one after the other; those that one subtracts stand before it."""
    figures: dict[str, float] = {}
    for work in works:
        table = work.table
        answer = ask(_command(board, work, settings), work.name, _TIMEOUT_S)
        times = checked(_Times, answer, "sluice-bench cpu", RunError)
        ns = times.cold_ns if table.state == "cold" else times.warm_ns
        figure = ns / table.loads if table.loads else table.bytes / ns * 1e3
        if table.minus is not None:
            figure -= figures[table.minus]
        figures[work.name] = figure
        yield CpuRow(
            name=work.name,
            kind=table.kind,
            bytes=table.bytes,
            state=table.state,
            uncached=table.uncached,
            stride=table.stride or 0,
            loads=table.loads or 0,
            minus=table.minus,
            figure=figure,
            unit=work.unit,
            published=work.published,
            source=work.source,
            cold_ns=times.cold_ns,
            warm_ns=times.warm_ns,
        )


def _command(board: str, work: Work, settings: Mapping[str, int]) -> list[str]:
    table = work.table
    command = ["cpu", "--board", board, "--kind", table.kind, "--bytes", str(table.bytes)]
    if table.loads:
        command += ["--loads", str(table.loads), "--stride", str(table.stride)]
    if table.uncached:
        command.append("--uncached")
    for name, value in settings.items():
        command += ["--set", f"{name}={value}"]
    return command
