# SPDX-License-Identifier: Apache-2.0
"""`sluice-bench measure`: its command line, and the runs that it prints."""

import json
from pathlib import Path

from sluice.errors import RunError
from sluice.experiments.rates.result import Run
from sluice.experiments.rates.rows import Row
from sluice.models import checked
from sluice.units import format_number

_OF_SIMULATED_BOARDS = ("board", "design", "level", "start-cost-ns", "skew-ns")


def measure_command(bench: Path, row: Row, first_run: int, runs: int) -> list[str]:
    """Return the command line that measures `runs` runs of a row from run `first_run` on."""
    options = {
        "board": row.board,
        "design": row.design,
        "level": row.level,
        "width": str(row.width_bits),
        "ports": ",".join(str(index) for index in row.port_indices),
        "direction": row.direction,
        "clock-mhz": format_number(row.clock_mhz),
        "bytes": str(row.bytes),
        "runs": str(runs),
        "first-run": str(first_run),
        "seed": str(row.seed),
        "start-cost-ns": format_number(row.start_cost_ns),
        "skew-ns": format_number(row.skew_ns),
        "stagger-bytes": str(row.stagger_bytes),
    }
    if row.device is not None:
        options = {k: v for k, v in options.items() if k not in _OF_SIMULATED_BOARDS}
        options["device"] = row.device
    words = [word for k, v in options.items() for word in (f"--{k}", v)]
    if row.fast_forward:
        words.append("--fast-forward")
    for name, value in row.settings:
        words += ["--set", f"{name}={value}"]
    for name, value in row.attributes:
        words += ["--attribute", f"{name}={value}"]
    return [str(bench), "measure", *words]


def read_run(line: bytes, wanted: range) -> Run:
    """Return the run that one line of sluice-bench's output describes."""
    try:
        document = json.loads(line)
    except ValueError as error:
        said = line.decode(errors="replace").strip()
        raise RunError(f"sluice-bench printed a line that is not JSON: {said[:80]!r}") from error
    run = checked(Run, document, "sluice-bench", RunError)
    if run.run not in wanted:
        raise RunError(f"sluice-bench reported run {run.run}, which it was not asked for")
    return run
