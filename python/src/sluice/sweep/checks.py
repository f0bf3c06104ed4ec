# SPDX-License-Identifier: Apache-2.0
"""Campaigns: tests of the checkout as jobs of a sweep, each run with a seed of its own.

A test that boots a guest boots it in its own process, so that a job is one boot. Fault injection,
random calls and the matrix of kernels are such tests.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from sluice import child, conditions
from sluice.errors import InputError, RunError, SluiceError
from sluice.experiments.kind import Cells
from sluice.paths import repository
from sluice.stop import Stop, StoppedError

CHECK = "check"  # the axis of tests
_FOLDERS = Path("build") / "campaigns"  # of a checkout: one for each run of a test that failed
_LONGEST_NAME = 100
_WRONG_WORDS, _NOTHING_SELECTED = 4, 5  # statuses of pytest; the first, of a name not found too
_NOT_FOUND = re.compile(r"^ERROR: (file or directory )?not found: ", re.MULTILINE)
_GUEST_LOGS = "SLUICE_GUEST_LOGS"  # where guests put theirs (cosim/guests/guest.py)
_LONGEST_WORDS = 500
_END_S = 60  # for a test to end its guests at a signal
_DIES_WITH_US = ("setpriv", "--pdeathsig", "KILL")  # as in cosim/guests, which no wheel has


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
    folder = _new_folder(root, check, seed)
    kept = True
    try:
        counts = _pytest(root, check, folder, environment, stop)
        kept = counts["failed"] != 0
    except (InputError, StoppedError):
        kept = False
        raise
    finally:
        if not kept:
            shutil.rmtree(folder, ignore_errors=True)
    known = {CHECK: check, **variables, "seed": seed, "commit": conditions.commit()}
    return {**known, **counts, "logs": str(folder.relative_to(root)) if kept else None}


def _new_folder(root: Path, check: str, seed: int) -> Path:
    """Return a folder for one run of a test, which no other run has."""
    file, _, test = check.partition("::")
    words = f"{Path(file).name}-{test}" if test else Path(file).name
    words = re.sub(r"[^\w.]+", "-", words, flags=re.ASCII)[:_LONGEST_NAME].strip("-")
    folders = root / _FOLDERS
    try:
        folders.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=f"{words}-seed{seed}-", dir=folders))
    except OSError as error:
        raise RunError(f"{folders}: a folder cannot be made there: {error.strerror}") from error


def _pytest(
    root: Path, check: str, folder: Path, environment: Mapping[str, str], stop: Stop
) -> Cells:
    """Run a test, with its output and the logs of its guests in a folder; return its outcomes."""
    stop.check()
    junit, log = folder / "junit.xml", folder / "pytest.log"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    try:
        with log.open("wb") as output:
            process = subprocess.Popen(  # noqa: S603  (this Python, on a test of the checkout)
                [*_DIES_WITH_US, *command, f"--junitxml={junit}", check],
                cwd=root,
                env=os.environ | environment | {_GUEST_LOGS: str(folder / "guests")},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
    except OSError as error:
        raise RunError(f"pytest cannot be run: {error.strerror}") from error
    status = _wait(process, stop)
    stop.check()
    counts = _outcomes(junit)
    # A status without a failed test: pytest was interrupted, or never came to the test.
    if counts is None or (status != 0 and not counts["failed"]):
        said = log.read_text(encoding="utf-8", errors="replace")
        raise _no_result(root, check, status, said, folder)
    return counts


def _no_result(root: Path, check: str, status: int, said: str, folder: Path) -> SluiceError:
    """Return why a run of pytest gave no result."""
    if status == _NOTHING_SELECTED or (status == _WRONG_WORDS and _NOT_FOUND.search(said)):
        return InputError(f"checks: pytest finds no test '{check}' in {root}")
    lines = [line.strip() for line in said.splitlines() if line.strip()] or ["it said nothing"]
    line = ([line for line in lines if "error" in line.lower()] or lines)[-1]
    return RunError(
        f"checks: pytest {child.ended(status)} on '{check}': {line}; its output and the logs "
        f"of its guests are in {folder.relative_to(root)}"
    )


def _wait(process: "subprocess.Popen[bytes]", stop: Stop) -> int:
    """Wait for a test; a signal to us interrupts it, so that it ends its guests in order."""

    def kill() -> None:  # and what the test has started
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)

    last = threading.Timer(_END_S, kill)
    last.daemon = True

    def end() -> None:
        # A signal as the wait begins is announced twice: the second would cut the first one's end.
        with suppress(RuntimeError):
            last.start()
            process.send_signal(signal.SIGINT)

    with process, stop.calling(end):
        try:
            return process.wait()
        finally:
            last.cancel()
            process.kill()


def _outcomes(junit: Path) -> Cells | None:
    """Return what pytest has written; None: that is not there, or not whole."""
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    words = ""
    try:
        cases = [*ET.parse(junit).iter("testcase")]  # noqa: S314  (pytest wrote it a moment ago)
    except (OSError, ET.ParseError):
        return None
    for case in cases:
        wrong = [one for one in (case.find("failure"), case.find("error")) if one is not None]
        skip = case.find("skipped")
        counts["failed" if wrong else "passed" if skip is None else "skipped"] += 1
        for one in wrong or ([skip] if skip is not None else []):
            words = words or f"{case.get('name')}: {one.get('message')}"
    return {**counts, "words": words[:_LONGEST_WORDS]}
