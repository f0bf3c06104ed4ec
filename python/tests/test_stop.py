# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C and SIGTERM: what was measured is kept, what runs is not waited for, no process stays.

The stand-in answers for the first runs at once and then sleeps for an hour, so that a test knows
what was measured when it stops the command, however busy the machine is.
"""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from calling import PATIENCE_S, Sluice, bench_processes, spawn, wait_for, wait_until
from sluice import conditions
from sluice.__main__ import main
from sluice.experiments.result import Versions

HOUR = "3600"
FREE_RUNS = 2  # as many as run side by side
SLOW = {"FAKE_BENCH_SLEEP_S": HOUR, "FAKE_BENCH_FREE": str(FREE_RUNS)}
HP = ("run", "zynq7010-hp", "--jobs", "2")


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_signal_keeps_what_was_measured(
    tmp_path: Path, number: signal.Signals, status: int
) -> None:
    log, result = tmp_path / "log", tmp_path / "r.json"
    process = spawn(*HP, "--json", result, FAKE_BENCH_LOG=str(log), **SLOW)
    wait_for(log, 4)
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == status
    document = json.loads(result.read_text(encoding="utf-8"))
    assert document["partial"] is True
    assert document["rows"]
    runs = sum(len(row["runs"]) for row in document["rows"])
    assert runs == FREE_RUNS
    assert f"stopped by {number.name}; {runs} of 120 runs were measured" in err
    assert "PARTIAL" in out
    assert "Traceback" not in err
    assert bench_processes(str(log)) == []


def test_partial_json_on_standard_output(tmp_path: Path) -> None:
    log = tmp_path / "log"
    process = spawn(*HP, "--json", "-", FAKE_BENCH_LOG=str(log), **SLOW)
    wait_for(log, 3)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert json.loads(out)["partial"] is True


def test_a_command_that_is_killed_takes_its_benches_with_it(tmp_path: Path) -> None:
    log = tmp_path / "log"
    process = spawn(*HP, FAKE_BENCH_LOG=str(log), SLUICE_PARENT="1", **SLOW)
    wait_for(log, 4)
    process.kill()
    process.communicate(timeout=PATIENCE_S)
    wait_until(lambda: not bench_processes(str(log)))


def test_a_bench_that_does_not_listen_and_an_impatient_user(tmp_path: Path) -> None:
    log, result = tmp_path / "log", tmp_path / "r.json"
    environment = {
        "FAKE_BENCH_LOG": str(log),
        "FAKE_BENCH_MODE": "deaf",
        "FAKE_BENCH_SLEEP_S": HOUR,
    }
    process = spawn(*HP, "--json", result, **environment)
    wait_for(log, 2)
    for _ in range(5):
        process.send_signal(signal.SIGINT)
        time.sleep(0.02)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert json.loads(result.read_text(encoding="utf-8"))["rows"] == []
    assert "Nothing was measured." in out
    assert "0 of 120 runs" in err
    assert bench_processes(str(log)) == []


def test_a_signal_after_the_last_run_loses_nothing(
    sluice: Sluice, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    versions = conditions.versions

    def late(bench_version: str) -> Versions:
        os.kill(os.getpid(), signal.SIGINT)  # all is measured, and nothing saved
        return versions(bench_version)

    monkeypatch.setattr(conditions, "versions", late)
    result = tmp_path / "r.json"
    done = sluice(*HP, "--width", "64", "--runs", "1", "--json", result)
    assert (done.status, done.err) == (0, "")
    assert json.loads(result.read_text(encoding="utf-8"))["partial"] is False


@pytest.mark.parametrize("place", ["sluice.cli.command", "sluice.bench.catalogue"])
def test_an_early_interrupt_leaves_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], place: str
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(place, interrupt)
    monkeypatch.setattr(sys, "argv", ["sluice", *HP])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
    assert capfd.readouterr() == ("", "")


def test_ctrl_c_on_a_terminal(tmp_path: Path) -> None:
    log, result = tmp_path / "log", tmp_path / "r.json"
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "sluice", *HP, "--json", str(result)],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env=os.environ | SLOW | {"FAKE_BENCH_LOG": str(log), "TERM": "xterm-256color"},
        start_new_session=True,
        preexec_fn=lambda: _control(follower),  # noqa: PLW1509
    )
    os.close(follower)
    shown = b""
    pressed = 0.0
    while True:
        ready, _, _ = select.select([leader], [], [], 0.05)
        if ready:
            try:
                shown += os.read(leader, 1 << 16)
            except OSError:
                break  # the terminal closed
        if not pressed and log.exists() and len(log.read_text("utf-8").splitlines()) >= 4:
            pressed = time.monotonic()
            os.write(leader, b"\x03")
        if pressed and time.monotonic() > pressed + PATIENCE_S:
            process.kill()
            pytest.fail("Ctrl-C did not end the command")
    process.wait(timeout=PATIENCE_S)
    os.close(leader)
    assert process.returncode == 130
    text = shown.decode()
    assert "zynq7010-hp" in text
    assert "/120" in text  # the progress bar
    assert "\x1b[?25h" in text  # the cursor is back
    assert "PARTIAL" in text
    assert "Traceback" not in text
    assert json.loads(result.read_text(encoding="utf-8"))["partial"] is True
    assert bench_processes(str(log)) == []


def _control(terminal: int) -> None:
    """Make the terminal the one that sends this process its Ctrl-C."""
    import fcntl  # noqa: PLC0415
    import termios  # noqa: PLC0415

    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)


def test_a_reader_that_leaves() -> None:
    process = spawn("list")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    err = process.stderr.read()
    process.wait(timeout=PATIENCE_S)
    assert "Traceback" not in err
    assert "Exception ignored" not in err
