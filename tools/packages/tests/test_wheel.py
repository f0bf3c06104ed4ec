# SPDX-License-Identifier: Apache-2.0
"""The wheel, in a folder far from any checkout: its boards move data, its experiments are found."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tools.packages import wheel

ROOT = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.xdist_group("wheel")  # one worker makes it, once

LOOPBACK = """
import numpy as np
from sluice.io import open_board

with open_board("sim:zynq7010/hp_stress?level=transaction") as board:
    board.attributes["hp0.loopback"] = 1
    source, destination = board.buffer(4096), board.buffer(4096)
    with source.access(write=True, dtype=np.uint32) as words:
        words[:] = np.arange(1024)
    with board.channel("hp0.mm2s") as send, board.channel("hp0.s2mm") as receive:
        receive.submit(destination)
        send.submit(source)
        print(receive.wait(timeout=1.0).nbytes)
    with destination.access(dtype=np.uint32) as words:
        print(int(words.sum()))
"""

MINE = """
title = "Mine"
description = "One port, one size."
board = "zynq7010"
design = "hp_stress"
[placement]
rule = "One buffer."
stagger_bytes = 0
[defaults]
bytes = "64KiB"
full_bytes = "64KiB"
runs = 2
seed = 1
preset = "bare_metal"
skew_ns = 200
level = "transaction"
[axes]
width_bits = [64]
clock_mhz = [100]
direction = ["mm2s"]
ports = [[0]]
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel's file."""
    missing = [name for name in wheel.BUILT if not (wheel.BUILD / name).is_file()]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}, which `make build` builds")
    return wheel.build_wheel(wheel.BUILD, tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that it was installed into; what it depends on is this environment's."""
    folder = tmp_path_factory.mktemp("installed")
    install = (sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--quiet")
    subprocess.run([*install, "--target", folder, built], check=True)
    return folder


def run(installed: Path, *arguments: str) -> str:
    """What Python prints there, which sees no checkout."""
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("SLUICE_", "PYTHON"))
    }
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=installed.parent,
        env={**environment, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_name_and_size(built: Path) -> None:
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    assert re.fullmatch(rf"sluice-[\d.]+-{python}-{python}-manylinux_2_.*\.whl", built.name)
    assert built.stat().st_size <= wheel.LIMIT_BYTES


def test_licences_are_inside(built: Path) -> None:
    names = zipfile.ZipFile(built).namelist()
    for licence in ("LICENSE", "NOTICE", "LICENSES/third-party.txt", "LICENSES/LGPL-3.0-only.txt"):
        assert any(name.endswith(f".dist-info/licenses/{licence}") for name in names), licence


def test_experiments_are_inside(installed: Path) -> None:
    listed = run(installed, "-m", "sluice", "list", "--json")
    names = {one["name"] for one in json.loads(listed)["experiments"]}
    assert names == {path.stem for path in (ROOT / "bench" / "experiments").glob("*.toml")}


def test_a_board_moves_data(installed: Path) -> None:
    assert run(installed, "-c", LOOPBACK).split() == ["4096", str(1024 * 1023 // 2)]


def test_an_experiment_runs(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(MINE)
    result = tmp_path / "mine.json"
    run(installed, "-m", "sluice", "run", str(tmp_path / "mine.toml"), "--json", str(result))
    (row,) = json.loads(result.read_text())["rows"]
    assert row["verified"]


def test_a_build_that_is_not_whole_is_refused(tmp_path: Path) -> None:
    with pytest.raises(wheel.PackageError, match=r"sluice-bench is missing; build it with `make"):
        wheel.stage(tmp_path, tmp_path / "tree", wheel.BUILT)
