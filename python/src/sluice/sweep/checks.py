# SPDX-License-Identifier: Apache-2.0
"""Campaigns: tests of the checkout as jobs of a sweep, each run with a seed of its own.

A test that boots a guest boots it in its own process, so that a job is one boot. Fault injection,
random calls and the matrix of kernels are such tests.
"""

import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sluice import conditions
from sluice.errors import InputError, RunError
from sluice.experiments.kind import Cells
from sluice.paths import repository
from sluice.stop import Stop

CHECK = "check"  # the axis of tests
_NO_TESTS = (4, 5)  # pytest: a name that does not exist; nothing selected
_LONGEST_WORDS = 500


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
    with tempfile.TemporaryDirectory() as folder:
        junit = Path(folder) / "junit.xml"
        status = _pytest(root, check, junit, variables | {"SEED": str(seed)}, stop)
        if status in _NO_TESTS or not junit.is_file():
            raise InputError(f"checks: pytest finds no test '{check}' in {root}")
        counts = _outcomes(junit)
    return {CHECK: check, **variables, "seed": seed, "commit": conditions.commit(), **counts}


def _pytest(root: Path, check: str, junit: Path, variables: Mapping[str, str], stop: Stop) -> int:
    stop.check()
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        f"--junitxml={junit}",
    ]
    try:
        process = subprocess.Popen(  # noqa: S603  (this Python, on a test of the checkout)
            [*command, check],
            cwd=root,
            env=os.environ | variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise RunError(f"pytest cannot be run: {error.strerror}") from error
    with process:
        stop.on_signal(process.terminate)
        try:
            status = process.wait()
        finally:
            process.kill()
            stop.off_signal(process.terminate)
    stop.check()
    return status


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
