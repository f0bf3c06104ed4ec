# SPDX-License-Identifier: Apache-2.0
"""The native program that measures: `sluice-bench list` and `sluice-bench measure`."""

import json
import math
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sluice.boards import Catalogue, read_catalogue
from sluice.errors import InputError, RunError, SluiceError
from sluice.fields import Fields
from sluice.plan import Row
from sluice.stop import Stop
from sluice.units import format_number

SIMULATED = "simulated"
_INPUT_STATUS = 2
_OF_SIMULATED_BOARDS = ("board", "design", "level", "start-cost-ns", "skew-ns")
_LIST_TIMEOUT_S = 60


@dataclass(frozen=True, slots=True)
class Run:
    """One measured run of a row, as sluice-bench reports it."""

    run: int
    mb_s: float
    bytes: int
    start_ns: float
    finish_ns: float
    pl_cycles: int
    verified: bool
    skew_ns: tuple[float, ...]
    clock: str = SIMULATED  # that times are of; of a device that of the system it is in


def catalogue(bench: Path) -> Catalogue:
    """Ask sluice-bench for its boards."""
    return read_catalogue(_list(bench))


def device(bench: Path, uri: str) -> Any:  # noqa: ANN401
    """Ask sluice-bench what it can measure on a device; for sluice.device to read."""
    return _list(bench, "--device", uri)


def _list(bench: Path, *options: str) -> Any:  # noqa: ANN401
    """Return what `sluice-bench list` prints."""
    return ask(bench, ["list", *options], f"{bench} list", _LIST_TIMEOUT_S)


def ask(
    bench: Path, words: Sequence[str], what: str, timeout_s: int, stop: Stop | None = None
) -> Any:  # noqa: ANN401
    """Return the JSON object that sluice-bench prints; errors say for what it was asked.

    With `stop`, a signal ends it, and that is a StoppedError.
    """
    if stop is not None:
        stop.check()
    try:
        # With `stop` in a session of its own: a Ctrl-C in the terminal reaches this program alone.
        process = subprocess.Popen(  # noqa: S603  (the program that the user named or built)
            [bench, *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=stop is not None,
        )
    except OSError as error:
        raise RunError(f"{bench} cannot be run: {error.strerror}") from error
    with process:
        try:
            if stop is not None:
                stop.on_signal(process.kill)
            printed, said = process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired as error:
            raise RunError(f"{what}: sluice-bench gave no answer in {timeout_s} s") from error
        finally:
            process.kill()
    if process.returncode:
        if stop is not None:
            stop.check()
        raise failure(what, process.returncode, said)
    try:
        return json.loads(printed)
    except ValueError as error:
        raise RunError(f"{what}: sluice-bench did not print a JSON object: {error}") from error


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
        "stagger-bytes": str(row.placement.stagger_bytes),
    }
    if row.device is not None:
        options = {k: v for k, v in options.items() if k not in _OF_SIMULATED_BOARDS}
        options["device"] = row.device
    words = [word for k, v in options.items() for word in (f"--{k}", v)]
    for name, value in row.settings:
        words += ["--set", f"{name}={value}"]
    for name, value in row.attributes:
        words += ["--attribute", f"{name}={value}"]
    return [str(bench), "measure", *words]


def read_run(line: bytes, wanted: range) -> Run:
    """Return the run that one line of sluice-bench's output describes."""
    shown = line.decode(errors="replace").strip()
    try:
        document: Any = json.loads(line)
    except ValueError as error:
        raise RunError(f"sluice-bench printed a line that is not JSON: {shown[:80]!r}") from error
    run = run_from(Fields("sluice-bench", document, error=RunError))
    if run.run not in wanted:
        raise RunError(f"sluice-bench reported run {run.run}, which it was not asked for")
    return run


def run_from(fields: Fields) -> Run:
    """Return the run that a table describes, as sluice-bench prints it and results keep it."""
    return Run(
        run=fields.whole("run"),
        mb_s=fields.number("mb_s"),
        bytes=fields.whole("bytes"),
        start_ns=fields.number("start_ns", -math.inf),
        finish_ns=fields.number("finish_ns", -math.inf),
        pl_cycles=fields.whole("pl_cycles"),
        verified=fields.flag("verified"),
        skew_ns=fields.numbers("skew_ns"),
        clock=fields.text("clock") if "clock" in fields else SIMULATED,  # older results have none
    )


def failure(what: str, status: int, stderr: bytes) -> SluiceError:
    """Return the error of a sluice-bench that ended with `status`, in its own words if any."""
    if status < 0:
        try:
            name = signal.Signals(-status).name
        except ValueError:
            name = f"signal {-status}"
        return RunError(f"{what}: sluice-bench was ended by {name}")
    lines = stderr.decode(errors="replace").strip().splitlines()
    said = lines[-1].strip() if lines else f"ended with status {status} and said nothing"
    said = said.removeprefix("sluice-bench: ")
    sentence = f"{what}: sluice-bench: {said}"
    return (InputError if status == _INPUT_STATUS else RunError)(sentence)
