# SPDX-License-Identifier: Apache-2.0
"""The command over the real sluice-bench: the real logic moves the data.

`make test` builds sluice-bench first. Without it these tests fail where CI is set, and are
skipped elsewhere. SEED chooses the seed of the start skews.
"""

import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from calling import PATIENCE_S, Sluice, check, spawn, wait_until
from sluice.paths import find_bench

pytestmark = pytest.mark.usefixtures("real_bench")
SEED = os.environ.get("SEED") or "1"
ROW = ("run", "zynq7010-hp", "--width", "64", "--seed", SEED)


def rows(done: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    assert done.status == 0, done.err
    document = done.json
    check(document)
    assert document["partial"] is False
    assert all(row["verified"] for row in document["rows"])
    found: list[dict[str, Any]] = document["rows"]
    return found


def test_list(sluice: Sluice) -> None:
    boards = sluice("list", "--json").json["boards"]
    assert {"zynq7010", "zynq7020"} <= {board["name"] for board in boards}
    board = boards[0]
    assert board["name"] == "zynq7010"
    design = board["designs"][0]
    assert design["name"] == "hp_stress"
    assert design["ports"] == ["HP0", "HP1", "HP2", "HP3"]
    assert design["widths"] == [32, 64]


def test_every_row_of_the_study_runs(sluice: Sluice) -> None:
    options = ("--bytes", "4KiB", "--runs", "1", "--seed", SEED, "--json", "-")
    found = rows(sluice("run", "zynq7010-hp", *options))
    assert len(found) == 30
    for row in found:
        assert 0 < row["mb_s"]["mean"] <= row["expected_mb_s"] * 1.0001
        (run,) = row["runs"]
        engines = len(row["ports"]) * (2 if row["direction"] == "duplex" else 1)
        assert run["bytes"] == engines * 4096
        duration_ns = run["finish_ns"] - run["start_ns"]
        assert run["mb_s"] == pytest.approx(run["bytes"] / duration_ns * 1000, rel=1e-3)


def test_one_port_without_start_cost_reaches_its_rate(sluice: Sluice) -> None:
    options = ("--ports", "0", "--bytes", "512KiB", "--runs", "1", "--start-cost-ns", "0")
    for direction in ("mm2s", "s2mm"):
        (row,) = rows(sluice(*ROW, *options, "--direction", direction, "--json", "-"))
        assert row["efficiency"] > 0.995, direction


def test_a_shared_controller_port_shows(sluice: Sluice) -> None:
    options = ("--direction", "duplex", "--runs", "1", "--start-cost-ns", "0")
    shared, apart = rows(sluice(*ROW, *options, "--ports", "0,1", "--ports", "0,2", "--json", "-"))
    assert apart["efficiency"] > 0.97
    assert shared["efficiency"] < apart["efficiency"] - 0.02


def test_same_seed_same_samples_whatever_the_jobs(
    sluice: Sluice, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = (*ROW, "--direction", "duplex", "--ports", "0,1", "--bytes", "16KiB", "--runs", "4")

    def samples(*more: str) -> list[float]:
        (row,) = rows(sluice(*options, *more, "--json", "-"))
        found: list[float] = row["mb_s"]["samples"]
        return found

    monkeypatch.setattr("sluice.experiments.rates.runner._JOB_S", 100.0)
    once = samples("--jobs", "1")
    monkeypatch.setattr("sluice.experiments.rates.runner._JOB_S", 0.0)
    assert samples("--jobs", "4") == once
    assert len(set(once)) > 1  # the skew differs from run to run
    assert samples("--seed", str(int(SEED) + 1)) != once


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["zynq7010"], "there is no experiment 'zynq7010'"),
        (["zynq7010-hp", "--width", "128"], "allowed: 32, 64"),
        (["zynq7010-hp", "--ports", "4"], "no port '4'"),
        (["zynq7010-hp", "--bytes", "0"], "a transfer of 0 bytes"),
        (["zynq7010-hp", "--bytes", "64MiB"], "allows 1 to 67108863"),
        (["zynq7010-hp", "--clock-mhz", "1000"], "allowed: 10 to 250"),
        (["zynq7010-hp", "--json", "/gone/r.json"], "there is no directory /gone"),
    ],
)
def test_wrong_input(refused: Callable[..., str], arguments: list[str], message: str) -> None:
    assert message in refused("run", *arguments)


def bench_says(*words: str) -> tuple[int, str]:
    """Return the exit status of the real sluice-bench and what it complains of."""
    done = subprocess.run(
        [find_bench(), *words], capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )
    assert not done.stdout
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--width", "4"), "a stream has 8 to 1024 bits, a power of two, not 4"),
        (("--width", "0"), "a stream has 8 to 1024 bits, a power of two, not 0"),
        (("--width", "96"), "a stream has 8 to 1024 bits, a power of two, not 96"),
        (("--width", "2048"), "a stream has 8 to 1024 bits, a power of two, not 2048"),
        (("--clock-mhz", "0"), "a clock is above 0 and at most 10000 MHz, not 0"),
        (("--clock-mhz", "inf"), "a clock is above 0 and at most 10000 MHz, not inf"),
        (("--clock-mhz", "nan"), "a clock is above 0 and at most 10000 MHz, not nan"),
    ],
)
def test_what_no_device_has_is_refused(words: tuple[str, ...], sentence: str) -> None:
    found = bench_says("measure", "--device", "dev:none", *words)
    assert found == (2, f"sluice-bench: {sentence}\n")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("list", "--device", "dev:none"), "there is no board in"),
        (("cpu", "--board", "none"), "none"),
        (("cpu", "--kind", "pio_read", "--bytes", "6"), "multiples of 4 bytes"),
        (("measure", "--design", "none"), "none"),
        (("measure", "--bytes", "7"), "a transfer must be a multiple of 8 bytes"),
        (("measure", "--first-run", "4294967295", "--runs", "2"), "--first-run"),
        (("isolation", "--board", "none"), "none"),
        (("isolation", "--board", "zynq7020", "--design", "hp_stress"), "no hardware threads"),
        (("isolation", "--rogue-thread", "9"), "there is no thread 9"),
        (("isolation", "--threads", "0,1", "--rogue-thread", "1"), "thread 1 is the rogue"),
        (("isolation", "--threads", "1,1", "--rogue-thread", "0"), "thread 1 is given twice"),
        (("isolation", "--bytes", "0"), "at least 1 byte"),
        (("pipeline", "--board", "none"), "none"),
        (("pipeline", "--pipelines", "3"), "1 to 2 pipelines"),
        (("pipeline", "--words", "1"), "out of range"),
    ],
)
def test_bad_input_of_every_command_is_said_by_its_status(
    words: tuple[str, ...], sentence: str
) -> None:
    status, said = bench_says(*words)
    assert (status, said.count("\n")) == (2, 1), said
    assert said.startswith("sluice-bench: ")
    assert sentence in said


def children(parent: int) -> list[str]:
    listed = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="utf-8")
    return listed.split()


def test_ctrl_c(tmp_path: Path) -> None:
    result = tmp_path / "r.json"
    options = ("--bytes", "64KiB", "--runs", "200", "--jobs", "2", "--json", str(result))
    process = spawn("run", "zynq7010-hp", *options)
    # One child lists the boards, then two measure at a time: with the fourth, one has measured.
    deadline = time.monotonic() + PATIENCE_S
    seen: set[str] = set()
    while len(seen) < 4:
        assert time.monotonic() < deadline, "sluice-bench was not started"
        seen.update(children(process.pid))
        time.sleep(0.001)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, err
    document = json.loads(result.read_text(encoding="utf-8"))
    assert document["partial"] is True
    assert 0 < sum(len(row["runs"]) for row in document["rows"]) < 30 * 200
    assert "PARTIAL" in out


@pytest.fixture
def orphans() -> Iterator[None]:
    """Let processes whose parent has gone be children of this one."""
    prctl, subreaper = ctypes.CDLL(None).prctl, 36
    assert prctl(subreaper, 1, 0, 0, 0) == 0
    yield
    prctl(subreaper, 0, 0, 0, 0)


@pytest.mark.usefixtures("orphans")
def test_a_command_that_is_killed_takes_its_bench_with_it() -> None:
    """By a signal, and not as it finds that nobody reads what it prints."""
    process = spawn("run", "zynq7010-hp", "--bytes", "1MiB", "--jobs", "1")

    def measures(number: str) -> bool:
        try:
            return b"\0measure\0" in Path(f"/proc/{number}/cmdline").read_bytes()
        except OSError:
            return False

    found: list[str] = []
    wait_until(lambda: found.extend(filter(measures, children(process.pid))) or found)
    process.kill()
    process.communicate(timeout=PATIENCE_S)
    _, status = os.waitpid(int(found[0]), 0)
    assert os.WTERMSIG(status) == signal.SIGKILL


def test_report(tmp_path: Path) -> None:
    """The two commands as a user types them, joined by a pipe."""
    command = f"{sys.executable} -m sluice"
    line = (
        f"{command} run zynq7010-streamsize --bytes 4KiB --runs 2 --json - "
        f"| {command} report - -o {tmp_path}/out"
    )
    done = subprocess.run(
        ["/bin/bash", "-o", "pipefail", "-c", line], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "index.html").is_file()
    assert list((tmp_path / "out").glob("*.png"))


def test_hardware_threads_as_ports(sluice: Sluice) -> None:
    found = rows(
        sluice(
            *("run", "streamif-measures", "--direction", "duplex", "--bytes", "64KiB"),
            *("--runs", "1", "--start-cost-ns", "0", "--skew-ns", "0", "--json", "-"),
        )
    )
    rates = {
        (row["attributes"]["ports.turn_cycles"], row["placement"]["stagger_bytes"]): row["mb_s"]
        for row in found
    }
    assert len(rates) == 4
    # Turns of directions, and buffers a bank apart, are each worth something.
    assert rates[128, 12288]["mean"] > rates[128, 0]["mean"]
    assert rates[128, 12288]["mean"] > rates[0, 12288]["mean"]


def test_hardware_threads_beside_one_another(sluice: Sluice, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        """
        kind = "threads"
        title = "Threads"
        description = "Small."
        board = "zynq7020"
        design = "streamif_threads"
        plot = "pixels"
        [[case]]
        name = "a rogue that asks for what it may not"
        scenario = "isolation"
        options = { threads = "6", rogue = "forbidden", bytes = "16384" }
        [[case]]
        name = "direct"
        scenario = "pipeline"
        options = { words = "16", rows = "8", frames = "2" }
        [[case]]
        name = "through memory"
        scenario = "pipeline"
        options = { words = "16", rows = "8", frames = "2", pipelines = "2", through-memory = true }
        """,
        encoding="utf-8",
    )
    done = sluice("run", path, "--json", "-")
    assert done.status == 0, done.err
    isolation, direct, memory = done.json["rows"]
    assert all(row["verified"] for row in done.json["rows"])
    figures = {figure["name"]: figure["value"] for figure in isolation["figures"]}
    assert figures["refused"] > 0
    assert figures["rogue"] == 0
    assert figures["slowest thread"] > 600
    per_pixel = [
        next(f["value"] for f in row["figures"] if f["name"] == "memory per pixel")
        for row in (direct, memory)
    ]
    assert per_pixel[0] < 1.1
    assert per_pixel[1] > 4
