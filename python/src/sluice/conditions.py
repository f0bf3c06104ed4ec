# SPDX-License-Identifier: Apache-2.0
"""On what, and with what, something was measured."""

import os
import platform
import subprocess
from pathlib import Path

import sluice
from sluice.experiments.result import Machine, Versions
from sluice.paths import repository


def cores() -> int:
    """Return the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def machine() -> Machine:
    """Return the machine that simulated; its speed does not change a simulated figure."""
    return Machine(
        system=f"{platform.system()} {platform.release()}",
        architecture=platform.machine(),
        processor=_processor(),
        cores=cores(),
    )


def commit() -> str | None:
    """Return the commit of the checkout, "-dirty" added if tracked files differ from it."""
    root = repository()
    if root is None:
        return None
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"],  # noqa: S607
            cwd=root,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
            start_new_session=True,  # a Ctrl-C in the terminal reaches the command alone
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None


def versions(bench_version: str) -> Versions:
    """Return the versions of what measured."""
    return Versions(
        sluice=sluice.__version__,
        sluice_bench=bench_version,
        python=platform.python_version(),
    )


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"
