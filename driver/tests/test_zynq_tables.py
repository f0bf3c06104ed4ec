# SPDX-License-Identifier: Apache-2.0
"""Tables of Manikandan 2015 by programs under Linux in the Zynq's guest, as `sluice run` measures
them: short forms in the gate, all of some experiments in make test-full."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cosim.guests import FLAVOURS, kernel
from tools.debian import UnavailableError

FULL = os.environ.get("SLUICE_FULL") is not None
ROOT = Path(__file__).resolve().parents[2]
EXPERIMENTS = ROOT / "bench" / "experiments"
RUN_S = 3000  # against hanging only


def rows(experiment: Path, folder: Path, *words: str) -> list[dict[str, Any]]:
    try:
        kernel(FLAVOURS["zynq"], "6.12")
    except UnavailableError as error:
        pytest.skip(str(error))
    result = folder / "result.json"
    command = [sys.executable, "-m", "sluice", "run", str(experiment), *words]
    command += ["--json", str(result)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=RUN_S)
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(result.read_text())["rows"]
    return found


def short(name: str, samples: list[int], folder: Path) -> Path:
    """An experiment of the project with few sizes and calls."""
    text = (EXPERIMENTS / f"{name}.toml").read_text()
    text = re.sub(r"^samples = \[.*$", f"samples = {samples}", text, flags=re.M)
    text = re.sub(r"^runs = .*$", "runs = 2", text, flags=re.M)
    file = folder / f"{name}.toml"
    file.write_text(text)
    return file


def test_programmed_io(tmp_path: Path) -> None:
    """One store a word, and nothing of it fitted: within a tenth of what the thesis printed."""
    found = rows(short("zynq-pio", [1024, 8192], tmp_path), tmp_path)
    printed = {(row["table"], row["bytes"]): row for row in found if row["table"]}
    for table in ("5.1", "5.2"):
        assert abs(printed[table, 32768]["difference"]) < 0.1, printed[table, 32768]
    assert all(row["scored"] for row in printed.values())
    again = [row for row in found if row["table"] is None and row["view"] == "user"]
    assert all(row["us"]["median"] < printed["5.1", row["bytes"]]["us"]["median"] for row in again)


@pytest.mark.parametrize(
    ("name", "samples", "tables"),
    [
        ("zynq-psdma-naive", [4096, 8192], {"5.3", "5.4"}),
        ("zynq-cdma", [2048, 16384], {"6.1", "6.2", "6.3", "6.4", "6.5", "6.6"}),
        ("zynq-loop", [4096, 32768], {"6.15", "6.16"}),
    ],
)
def test_engines(name: str, samples: list[int], tables: set[str], tmp_path: Path) -> None:
    """As published: each table has its rows, within 15 % of what was printed where it is given."""
    found = rows(short(name, samples, tmp_path), tmp_path, "--as-published")
    assert {row["table"] for row in found} == tables
    printed = [row for row in found if row["scored"]]
    assert {row["table"] for row in printed} >= tables - {"6.3", "6.4", "6.5", "6.6"}
    assert all(abs(row["difference"]) < 0.15 for row in printed), printed


@pytest.mark.skipif(not FULL, reason="make test-full measures every way on every port")
def test_ways_of_sluice(tmp_path: Path) -> None:
    """One copy at a time and the queue, on all ports, to block RAM of each engine."""
    file = short("zynq-cdma-pl", [8192], tmp_path)
    both = rows(file, tmp_path, "--logic", "sluice-hp")
    found = [row for row in both if row["view"] == "user"]
    inside = {row["name"]: row["us"]["median"] for row in both if row["view"] == "kernel"}
    assert {row["name"] for row in found} == inside.keys()
    assert all(inside[row["name"]] < row["us"]["median"] for row in found)
    rates = {row["name"]: row["mb_s"] for row in found}
    assert {row["engines"] for row in found} == {1, 2, 4}
    assert rates["HP0: queue of 16"] > 700
    assert rates["all HP: queue of 16"] > 2500
    assert rates["all HP: queue of 16"] > rates["all HP: one copy a port at a time"]
    threads = [row for row in found if "a thread a port" in row["name"]]
    assert [row["engines"] for row in threads] == [2, 4]
    assert all("one processor" in row["work_note"] for row in threads)
    # One processor: threads on four ports get more than one port does at its best.
    assert rates["all HP: queue of 16"] > threads[1]["mb_s"] > rates["HP0: queue of 16"]


def test_loop_back_on_the_acp(tmp_path: Path) -> None:
    """No caches are maintained, which is most of what 64 KiB take on HP0, 599 us as printed."""
    found = rows(short("zynq-loop", [8192], tmp_path), tmp_path, "--logic", "published-acp")
    assert {row["design"] for row in found} == {"dma_loopback_acp"}
    assert all(row["us"]["median"] < 599 / 2 for row in found)


def test_pipe(tmp_path: Path) -> None:
    """By write() and read(): beside Xillybus' times, which are not scored."""
    found = rows(short("zynq-pipe", [1024, 32768], tmp_path), tmp_path)
    printed = [row for row in found if row["table"] is not None]
    assert [(row["table"], row["bytes"], row["published_us"]) for row in printed] == [
        ("6.17", 4096, 3544.4),
        ("6.17", 131072, 2706.0),
    ]
    assert all(not row["scored"] and row["unscored"] for row in printed)
    us = {(row["name"], row["bytes"]): row["us"]["median"] for row in found}
    opened, once, again = list(dict.fromkeys(row["name"] for row in found))[:3]
    for size in (4096, 131072):
        assert us[again, size] < us[once, size] < us[opened, size]


FRAMES = '''
kind = "linux"
title = "Frames that come soon"
description = "Three in a millisecond."
board = "zynq7010"
[[logic]]
name = "hp"
design = "capture"
module = [{ name = "sluice" }]
[[work]]
name = "frames"
program = """sluice-bench frames --device dev:pl?heap=coherent --bytes {bytes} \\
    --frames {runs} --rate 3000 --ends"""
way = "calls"
state = "warm"
runs = 100
samples = [4096]
bytes_per_sample = 1
interval_us = 333.333
'''


@pytest.mark.skipif(not FULL, reason="make test-full has the captures")
def test_frames_that_come_soon_are_seen_in_time(tmp_path: Path) -> None:
    """Three frames a millisecond, into a ring of four: the driver looks more often than that."""
    file = tmp_path / "frames.toml"
    file.write_text(FRAMES)
    (row,) = [row for row in rows(file, tmp_path) if row["view"] == "user"]
    assert row["frames"]["lost"] == 0 and row["us"]["runs"] == 100, row


LANES = """
kind = "linux"
title = "A lane that copies, then captures"
description = "Each word is compared."
board = "zynq7010"

[[logic]]
name = "hp"
design = "hp_stress_sg"

[[logic.module]]
name = "sluice"
"""
LANE = """
[[work]]
name = "{name}"
program = "sluice-bench frames --device dev:pl?heap=coherent {words} \
--bytes {{bytes}} --frames {{runs}}"
way = "calls"
state = "warm"
runs = 8
samples = [16384]
bytes_per_sample = 1
"""


def test_a_lane_that_copied_captures(tmp_path: Path) -> None:
    """Nothing of what was at its stream before is in the first frame, and each frame is whole."""
    works = {
        "copies": "--channels hp0.s2mm --rate 1000 --beside hp1 --beside-bytes 65536",
        "captures": "--channels hp1.s2mm --rate 1000",
        "waits": "--channels hp1.s2mm --rate 0 --hold",
    }
    file = tmp_path / "lanes.toml"
    file.write_text(LANES + "".join(LANE.format(name=k, words=v) for k, v in works.items()))
    found = {row["name"]: row for row in rows(file, tmp_path) if row["view"] == "user"}
    assert found["copies"]["beside_mb_s"] > 100
    assert [found[name]["us"]["runs"] for name in works] == [8, 8, 8]


def test_registers_in_the_program(tmp_path: Path) -> None:
    """Without the kernel each copy is faster than by write(), and that than by sluice.ko."""
    found = rows(short("zynq-direct", [32, 8192], tmp_path), tmp_path)
    us = {
        (row["name"], row["bytes"]): row["us"]["median"] for row in found if row["view"] == "user"
    }
    for to in ("memory to memory", "to block RAM"):
        for size in (256, 65536):
            direct = us[f"{to}: no kernel, again and again", size]
            assert direct < us[f"{to}: write() again and again", size]
            assert direct < us[f"{to}: no kernel, one copy a process", size]
        small = us[f"{to}: sluice.ko, one copy at a time", 256]
        assert small > 2 * us[f"{to}: no kernel, again and again", 256]


def energy(logic: str, folder: Path) -> dict[str, Any]:
    """What one copy takes, from two boots with 64 and 128 copies."""
    text = (EXPERIMENTS / "zynq-energy.toml").read_text()
    file = folder / "zynq-energy.toml"
    file.write_text(re.sub(r"^runs = .*$", "runs = 64", text, flags=re.M))
    [row] = [row for row in rows(file, folder, "--logic", logic) if row["view"] == "user"]
    found: dict[str, Any] = row["energy"]
    assert 0 < found["total"]["low"] < found["total"]["high"]
    return found


def test_energy_of_an_engine(tmp_path: Path) -> None:
    """A CDMA reads and writes 32 KiB in bursts of 32 bytes; its driver polls."""
    counted = energy("cdma", tmp_path)["counted"]
    assert (counted["engine_reads"], counted["engine_writes"]) == (1024, 1024)
    assert counted["hp_beats"] == 8192
    assert counted["processor_reads"] + counted["processor_writes"] < 100


@pytest.mark.skipif(not FULL, reason="make test-full boots twice more")
def test_energy_of_the_processor(tmp_path: Path) -> None:
    """It writes a burst for each word, which takes several times what an engine's copy does."""
    found = energy("pio", tmp_path)
    counted = found["counted"]
    assert 8192 <= counted["processor_writes"] < 8500
    assert counted["engine_reads"] == counted["engine_writes"] == counted["hp_beats"] == 0
    assert found["total"]["low"] > 2 * energy("cdma", tmp_path)["total"]["high"]


@pytest.mark.skipif(not FULL, reason="make test-full boots twice")
@pytest.mark.parametrize("name", ["zynq-pio", "zynq-cdma", "zynq-loop", "zynq-pipe", "zynq-direct"])
def test_two_runs_measure_the_same(name: str, tmp_path: Path) -> None:
    experiment = EXPERIMENTS / f"{name}.toml"
    assert rows(experiment, tmp_path) == rows(experiment, tmp_path)
