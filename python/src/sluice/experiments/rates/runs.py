# SPDX-License-Identifier: Apache-2.0
"""Runs of rows for a sweep: the same figures as those of `sluice run`, as columns."""

from sluice import bench
from sluice.errors import RunError
from sluice.experiments.kind import Cells, Session
from sluice.experiments.rates.command import measure_command, read_run
from sluice.experiments.rates.experiment import RatesExperiment
from sluice.experiments.rates.result import Run
from sluice.experiments.rates.rows import Request, Row, plan_rows
from sluice.labels import ports_label, row_label

_TIMEOUT_S = 24 * 3600  # guards against a hang; a run of the logic may take minutes

CONDITIONS = (  # columns that a row's figures depend on, beside settings and attributes
    "board",
    "design",
    "level",
    "ports",
    "width_bits",
    "direction",
    "clock_mhz",
    "bytes",
    "stagger_bytes",
    "start_cost_ns",
    "skew_ns",
)


def sweep_runs(
    experiment: RatesExperiment, runs: range, seed: int, session: Session
) -> dict[int, list[Cells]]:
    """Measure runs of all rows of an experiment."""
    board = experiment.offered_board(session.catalogue)
    found: dict[int, list[Cells]] = {run: [] for run in runs}
    for row in plan_rows(experiment, board, Request(seed=seed)):
        what = row_label(row.width_bits, row.direction, row.ports)
        _, *words = measure_command(session.program, row, runs.start, len(runs))
        printed = bench.output(session.program, words, what, _TIMEOUT_S, session.stop)
        measured = {run.run: run for run in (read_run(x, runs) for x in printed.splitlines())}
        for run in runs:
            if run not in measured:
                raise RunError(f"{what}: sluice-bench ended without reporting run {run}")
            found[run].append(_cells(row, measured[run]))
    return found


def conditions_of(row: Row) -> Cells:
    """Return the columns of a row's conditions."""
    return {
        name: ports_label(row.ports) if name == "ports" else getattr(row, name)
        for name in CONDITIONS
    }


def _cells(row: Row, run: Run) -> Cells:
    return {
        **conditions_of(row),
        **dict(row.settings),
        **dict(row.attributes),
        "seed": row.seed,
        "mb_s": run.mb_s,
        "expected_mb_s": row.expected_mb_s,
        "efficiency": run.mb_s / row.expected_mb_s,
        "at_overload": row.at_overload(run.mb_s),
        "moved_bytes": run.bytes,
        "start_ns": run.start_ns,
        "finish_ns": run.finish_ns,
        "pl_cycles": run.pl_cycles,
        "verified": run.verified,
    }
