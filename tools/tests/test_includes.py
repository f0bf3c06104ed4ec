# SPDX-License-Identifier: Apache-2.0
"""Each source of a library or program includes what it uses. The build compiles eight
together, where one may live on another's headers."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = tuple(f"{ROOT}/{name}/" for name in ("bench", "cosim", "lib", "model", "sim"))
VERILATED = ROOT / "build" / "release"


@pytest.mark.skipif(
    "SLUICE_FULL" not in os.environ, reason="make test-full compiles each by itself"
)
def test_each_source_compiles_by_itself(tmp_path: Path) -> None:
    options = ("-DSLUICE_UNITY=OFF", "-DSLUICE_TESTS=OFF", f"-DSLUICE_VERILATED_FROM={VERILATED}")
    configure = ["cmake", "-S", str(ROOT), "-B", str(tmp_path), "-G", "Ninja", *options]
    subprocess.run(configure, check=True, capture_output=True)

    def complaint(entry: dict[str, str]) -> str:
        command = [*shlex.split(entry["command"]), "-fsyntax-only"]
        done = subprocess.run(command, cwd=entry["directory"], capture_output=True, text=True)
        return done.stderr if done.returncode != 0 else ""

    entries = json.loads((tmp_path / "compile_commands.json").read_text())
    ours = [entry for entry in entries if entry["file"].startswith(FOLDERS)]
    assert len(ours) > 100 and not any("unity_" in entry["file"] for entry in ours)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [text for text in pool.map(complaint, ours) if text]
    assert not found, "\n".join(found)
