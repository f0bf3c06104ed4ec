# SPDX-License-Identifier: Apache-2.0
"""Runs a bench's test and takes up the figures that it writes down."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from .benches import ROOT, Bench

Figures = dict[str, float]


class BenchError(Exception):
    """A test failed; the text says which and its last words."""


def measure(bench: Bench) -> Figures:
    """Name and value of each figure."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "figures.json"
        env = {**os.environ, "FIGURES": str(file), "K": bench.tests}
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", bench.node],
            cwd=ROOT,
            env=env,
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            words = "\n".join((done.stdout + done.stderr).strip().splitlines()[-20:])
            raise BenchError(f"{bench.key}: {bench.node} failed:\n{words}")
        if not file.exists():
            raise BenchError(f"{bench.key}: {bench.node} wrote no figure")
        found = [json.loads(line) for line in file.read_text().splitlines()]
    return {str(figure["name"]): float(figure["value"]) for figure in found}
