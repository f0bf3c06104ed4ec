# SPDX-License-Identifier: Apache-2.0
"""Campaigns: tests of the checkout as jobs of a sweep, each run with a seed of its own.

A test that boots a guest boots it in its own process, so that a job is one boot. Fault injection,
random calls and the matrix of kernels are such tests.
"""

import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sluice import conditions
from sluice.errors import InputError, RunError, SluiceError
from sluice.experiments.kind import Cells
from sluice.paths import repository
from sluice.stop import Stop

CHECK = "check"  # the axis of tests
_FOLDERS = Path("build") / "campaigns"  # of a checkout: one for each job that runs or has failed
_LONGEST_NAME = 100
_WRONG_WORDS, _NOTHING_SELECTED = 4, 5  # statuses of pytest; the first, of a name not found too
_LONGEST_WORDS = 500
_END_S = 60  # for a test to end its guests at a signal
_DIES_WITH_US = ("setpriv", "--pdeathsig", "KILL")


def measure(
    values: Mapping[str, Any], runs: range, seed: int, stop: Stop
) -> dict[int, list[Cells]]:
    """Run a test once for each run, with the seed plus the number of the run."""
    return {run: [_cells(values, seed + run, stop)] for run in runs}


def _cells(values: Mapping[str, Any], seed: int, stop: Stop) -> Cells:
    root = repository()
    if root is None or not (root / "tools" / "run_tests").is_file():
        raise InputError(
            "checks need a checkout of Sluice, and this installation has none; name one in "
            "SLUICE_CHECKOUT"
        )
    check = str(values[CHECK])
    variables = {name: str(value) for name, value in values.items() if name != CHECK}
    environment = variables | {"SEED": str(seed)}
    folder = _FOLDERS / _name(check, environment)
    kept = False
    try:
        counts = _outcomes(_pytest(root, check, root / folder, environment, stop))
        kept = counts["failed"] != 0
    finally:
        if not kept:
            shutil.rmtree(root / folder, ignore_errors=True)
    known = {CHECK: check, **variables, "seed": seed, "commit": conditions.commit()}
    return {**known, **counts, "logs": str(folder) if kept else None}


def _name(check: str, environment: Mapping[str, str]) -> str:
    """Return the name of a job's folder, which is that of no other job."""
    digest = hashlib.sha256(repr((check, sorted(environment.items()))).encode()).hexdigest()[:8]
    words = re.sub(r"[^\w.]+", "-", check.rpartition("/")[2])[:_LONGEST_NAME].strip("-")
    return f"{words}-seed{environment['SEED']}-{digest}"


def _pytest(
    root: Path, check: str, folder: Path, environment: Mapping[str, str], stop: Stop
) -> Path:
    """Run a test, with its output and the logs of its guests in a folder; return its result."""
    stop.check()
    junit, said = folder / "junit.xml", folder / "pytest.log"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    try:
        shutil.rmtree(folder, ignore_errors=True)  # of an earlier run
        folder.mkdir(parents=True)
        with said.open("wb") as output:
            process = subprocess.Popen(  # noqa: S603  (this Python, on a test of the checkout)
                [*_DIES_WITH_US, *command, f"--junitxml={junit}", check],
                cwd=root,
                env=os.environ | environment | {"SLUICE_GUEST_LOGS": str(folder / "guests")},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
    except OSError as error:
        raise RunError(f"pytest cannot be run: {error.strerror}") from error
    status = _wait(process, stop)
    stop.check()
    if not junit.is_file() or status in (_WRONG_WORDS, _NOTHING_SELECTED):
        raise _no_result(root, check, status, said.read_text(encoding="utf-8", errors="replace"))
    return junit


def _no_result(root: Path, check: str, status: int, said: str) -> SluiceError:
    """Return why a run of pytest gave no result."""
    if status == _NOTHING_SELECTED or "not found" in said:
        return InputError(f"checks: pytest finds no test '{check}' in {root}")
    lines = [line.strip() for line in said.splitlines() if line.strip()] or ["it said nothing"]
    line = ([line for line in lines if "error" in line.lower()] or lines)[-1]
    return RunError(f"checks: pytest ended with status {status} on '{check}': {line}")


def _wait(process: "subprocess.Popen[bytes]", stop: Stop) -> int:
    """Wait for a test; a signal to us interrupts it, so that it ends its guests in order."""
    last = threading.Timer(_END_S, process.kill)
    last.daemon = True

    def end() -> None:
        process.send_signal(signal.SIGINT)
        last.start()

    with process:
        stop.on_signal(end)
        try:
            return process.wait()
        finally:
            stop.off_signal(end)
            last.cancel()
            process.kill()


def _outcomes(junit: Path) -> Cells:
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    words = ""
    for case in ET.parse(junit).iter("testcase"):  # noqa: S314  (pytest wrote it a moment ago)
        wrong = [one for one in (case.find("failure"), case.find("error")) if one is not None]
        skip = case.find("skipped")
        counts["failed" if wrong else "passed" if skip is None else "skipped"] += 1
        for one in wrong or ([skip] if skip is not None else []):
            words = words or f"{case.get('name')}: {one.get('message')}"
    return {**counts, "words": words[:_LONGEST_WORDS]}
