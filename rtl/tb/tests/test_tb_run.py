# SPDX-License-Identifier: Apache-2.0
"""run(): what is wrong in the simulator or in a build fails the pytest function, and says what."""

from __future__ import annotations

from typing import Any

import pytest

from tb import run

WIDTH = {"Width": 8}
CASES = "run_cases"


@pytest.fixture(autouse=True)
def chosen_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("K", raising=False)


def fails(message: str, *args: Any, **more: Any) -> str:
    """Holds that run() fails with `message`; the whole text of it."""
    with pytest.raises(pytest.fail.Exception, match=message) as failure:
        run(*args, **more)
    return str(failure.value)


def test_passes(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """SEED reaches the simulator; what a test prints is shown."""
    drawn = []
    for seed in ("1", "2", "1"):
        monkeypatch.setenv("SEED", seed)
        run("sl_skid", WIDTH, CASES, testcase="passes")
        drawn.append(capfd.readouterr().out)
    assert "drew 0." in drawn[0] and drawn[0] == drawn[2] != drawn[1]


def test_a_failing_test_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Named, with its traceback and the command that repeats it."""
    monkeypatch.setenv("SEED", "7")
    text = fails("failed: fails", "sl_skid", WIDTH, CASES)
    assert "AssertionError: as it should" in text
    assert "tb/tests/test_tb_run.py::test_a_failing_test_fails' SEED=7" in text


def test_a_skipped_test_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """By name too: then the pytest function is skipped, unless another test that was chosen ran."""
    monkeypatch.setenv("K", "skipped")
    with pytest.raises(pytest.skip.Exception, match="all that K=skipped chooses"):
        run("sl_skid", WIDTH, CASES)
    monkeypatch.setenv("K", "skipped|passes")
    run("sl_skid", WIDTH, CASES)


def test_no_test_ran(monkeypatch: pytest.MonkeyPatch) -> None:
    fails("0 tests ran", "sl_skid", WIDTH, CASES, testcase=["absent", "skipped"])
    monkeypatch.setenv("K", "absent")
    fails("0 tests ran", "sl_skid", WIDTH, CASES)


def test_a_simulator_that_dies() -> None:
    fails("simulator exit", "sl_skid", WIDTH, "no_such_module")


def test_source_missing() -> None:
    fails(
        r"source .*/mover/sl_nothing\.sv does not exist", "sl_skid", sources=["mover/sl_nothing.sv"]
    )


def test_build_fails() -> None:
    fails("(?s)Verilator reports:.*NoSuch", "sl_skid", {"NoSuch": 1})


def test_not_refused() -> None:
    fails("should be refused with 'x'", "sl_skid", WIDTH, expect_build_error="x")


def test_refused_otherwise() -> None:
    fails("(?s)no '9..99' in:.*1..4096", "sl_skid", {"Width": 0}, expect_build_error="9..99")
