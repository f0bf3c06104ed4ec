# SPDX-License-Identifier: Apache-2.0
"""Campaigns: tests as jobs of a sweep, each run with a seed of its own."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from calling import PATIENCE_S, Sluice, spawn, wait_for
from sluice.models import read_model
from sluice.paths import repository
from sluice.sweep.specification import Sweep
from sweep.conftest import measured

ROOT = repository() or Path()
CAMPAIGNS = sorted((ROOT / "bench" / "sweeps").glob("campaign-*.toml"))
CHECK = """
import os
from pathlib import Path
import pytest

def test_seed():
    folder = Path(os.environ["SLUICE_GUEST_LOGS"])
    folder.mkdir()
    (folder / "seen").write_text(os.environ["SEED"])
    assert os.environ["SEED"] != "6", "six is wrong"

def test_variable():
    if os.environ["COLOUR"] == "red":
        pytest.skip("not red")
"""


def test_a_campaign(sluice: Sluice, tmp_path: Path) -> None:
    check = tmp_path / f"test_{os.getpid()}.py"
    check.write_text(CHECK, encoding="utf-8")
    file = tmp_path / "campaign.toml"
    file.write_text(
        f'title = "t"\ndescription = "d"\nchecks = ["{check}"]\nruns = 2\nseed = 5\n'
        '[axes]\nCOLOUR = ["red", "blue"]\n',
        encoding="utf-8",
    )
    done = sluice("sweep", file, "-o", tmp_path / "a.parquet")
    assert done.status == 0, done
    rows = measured(tmp_path / "a.parquet")
    outcome = [
        (row["COLOUR"], row["seed"], row["passed"], row["failed"], row["skipped"]) for row in rows
    ]
    assert outcome == [
        ("red", 5, 1, 0, 1),
        ("red", 6, 0, 1, 1),
        ("blue", 5, 2, 0, 0),
        ("blue", 6, 1, 1, 0),
    ]
    assert rows[0]["words"] == "test_variable: not red"
    assert rows[3]["words"].startswith("test_seed: AssertionError: six is wrong")
    kept = [row["logs"] and ROOT / row["logs"] for row in rows]
    assert kept[0] is kept[2] is None
    assert kept[1] != kept[3]
    for folder in (kept[1], kept[3]):  # of those that failed
        assert "six is wrong" in (folder / "pytest.log").read_text(encoding="utf-8")
        assert (folder / "guests" / "seen").read_text(encoding="utf-8") == "6"
        shutil.rmtree(folder)
    assert not [*(ROOT / "build" / "campaigns").glob(f"{check.name}-*")]
    assert sluice("report", tmp_path / "a.parquet", "-o", tmp_path / "report").status == 0


@pytest.mark.parametrize("name", ["SEED", "SLUICE_GUEST_LOGS", "check", "passed", "defaults.level"])
def test_axes_of_a_campaign_are_other_variables(
    refused: Callable[..., str], tmp_path: Path, name: str
) -> None:
    file = tmp_path / "campaign.toml"
    file.write_text(
        f'title = "t"\ndescription = "d"\nchecks = ["none.py"]\n[axes]\n"{name}" = [1, 2]\n',
        encoding="utf-8",
    )
    said = refused("sweep", file, "-o", tmp_path / "a.parquet")
    assert f"axes.{name}: is not allowed; with checks, an axis is an environment variable" in said


@pytest.mark.parametrize(
    ("check", "sentence"),
    [
        ("-x", "checks[0]: must be a test as pytest names it, is '-x'; write ./-x"),
        ("@file", "checks[0]: must be a test as pytest names it, is '@file'; write ./@file"),
        ("a\\u0000b", "checks[0]: 'a\\x00b' has a NUL character, which no program accepts"),
    ],
)
def test_checks_are_names_of_tests(
    refused: Callable[..., str], tmp_path: Path, check: str, sentence: str
) -> None:
    said = refused("sweep", campaign(tmp_path, check), "-o", tmp_path / "a.parquet")
    assert sentence in said


def test_a_variable_holds_no_nul(refused: Callable[..., str], tmp_path: Path) -> None:
    file = campaign(tmp_path, "none.py")
    file.write_text(file.read_text(encoding="utf-8") + '[axes]\nCOLOUR = ["\\u0000"]\n')
    said = refused("sweep", file, "-o", tmp_path / "a.parquet")
    assert "axes.COLOUR: '\\x00' has a NUL character, which no program accepts" in said


ENDS_IN_ORDER = """
import os, time
from pathlib import Path

def test_it():
    Path(os.environ["STARTED"]).write_text(f"{os.getpid()}\\n")
    try:
        time.sleep(1000)
    finally:
        Path(os.environ["ENDED"]).touch()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_check_ends_with_the_command(tmp_path: Path, number: signal.Signals) -> None:
    check, started, ended = (tmp_path / n for n in (f"test_{os.getpid()}.py", "started", "ended"))
    check.write_text(ENDS_IN_ORDER, encoding="utf-8")
    file = tmp_path / "campaign.toml"
    file.write_text(f'title = "t"\ndescription = "d"\nchecks = ["{check}"]\n', encoding="utf-8")
    words = ("sweep", file, "-o", tmp_path / "a.parquet")
    process = spawn(*words, STARTED=str(started), ENDED=str(ended))
    wait_for(started, 1)
    process.send_signal(number)
    _, said = process.communicate(timeout=PATIENCE_S)
    running = Path("/proc") / started.read_text(encoding="utf-8").strip()
    if number == signal.SIGINT:
        assert process.returncode == 130
        assert "stopped by SIGINT; 0 of 1 jobs" in said
        assert ended.exists()  # pytest was interrupted, and took its guests down
    else:
        deadline = time.monotonic() + PATIENCE_S
        while running.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        shutil.rmtree(next((ROOT / "build" / "campaigns").glob(f"{check.name}-*")))
    assert not running.exists()


def test_a_pytest_that_cannot_run(
    sluice: Sluice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "test_it.py").write_text("def test_it(): pass\n", encoding="utf-8")
    monkeypatch.setenv("PYTEST_ADDOPTS", "--no-such-option")
    file = tmp_path / "campaign.toml"
    check = tmp_path / "test_it.py"
    file.write_text(f'title = "t"\ndescription = "d"\nchecks = ["{check}"]\n', encoding="utf-8")
    done = sluice("sweep", file, "-o", tmp_path / "a.parquet")
    assert done.status == 1
    assert f"sluice: checks: pytest ended with status 4 on '{check}': " in done.err
    assert "unrecognized arguments: --no-such-option" in done.err
    shutil.rmtree(kept_folder(done.err))


def kept_folder(said: str) -> Path:
    """Return the folder that a sentence names."""
    found = re.search(r"logs of its guests are in (\S+)$", said.strip())
    assert found is not None, said
    return ROOT / found[1]


def campaign(folder: Path, check: str) -> Path:
    """Return the file of a campaign of one job."""
    file = folder / "campaign.toml"
    file.write_text(f'title = "t"\ndescription = "d"\nchecks = ["{check}"]\n', encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("body", "status"), [("raise KeyboardInterrupt", 2), ("import os; os._exit(3)", 3)]
)
def test_a_pytest_that_ends_early_gives_no_row(
    sluice: Sluice, tmp_path: Path, body: str, status: int
) -> None:
    check, target = tmp_path / "test_it.py", tmp_path / "a.parquet"
    check.write_text(f"def test_it():\n    {body}\n", encoding="utf-8")
    done = sluice("sweep", campaign(tmp_path, str(check)), "-o", target)
    assert done.status == 1
    assert f"pytest ended with status {status} on '{check}'" in done.err
    folder = kept_folder(done.err)
    assert (folder / "pytest.log").is_file()
    shutil.rmtree(folder)
    assert not target.exists() or measured(target) == []


def test_a_module_that_cannot_be_loaded_is_a_failure(sluice: Sluice, tmp_path: Path) -> None:
    check, target = tmp_path / "test_it.py", tmp_path / "a.parquet"
    check.write_text(
        "raise ImportError('sh: verilator: not found')\ndef test_a(): pass\n", encoding="utf-8"
    )
    assert sluice("sweep", campaign(tmp_path, f"{check}::test_a"), "-o", target).status == 0
    (row,) = measured(target)
    assert (row["passed"], row["failed"]) == (0, 1)
    shutil.rmtree(ROOT / row["logs"])


def test_logs_stay_when_the_same_job_passes_elsewhere(sluice: Sluice, tmp_path: Path) -> None:
    check = tmp_path / "test_it.py"
    file = campaign(tmp_path, str(check))
    check.write_text("def test_it(): assert False\n", encoding="utf-8")
    assert sluice("sweep", file, "-o", tmp_path / "a.parquet").status == 0
    check.write_text("def test_it(): pass\n", encoding="utf-8")
    assert sluice("sweep", file, "-o", tmp_path / "b.parquet").status == 0
    (row,) = measured(tmp_path / "a.parquet")
    assert (ROOT / row["logs"] / "pytest.log").is_file()
    shutil.rmtree(ROOT / row["logs"])


def test_a_check_that_is_not_there(sluice: Sluice, tmp_path: Path) -> None:
    file = tmp_path / "campaign.toml"
    file.write_text('title = "t"\ndescription = "d"\nchecks = ["none.py"]\n', encoding="utf-8")
    done = sluice("sweep", file, "-o", tmp_path / "a.parquet")
    assert done.status == 2
    assert f"sluice: checks: pytest finds no test 'none.py' in {ROOT}\n" in done.err


def test_a_checkout_is_needed(
    sluice: Sluice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "campaign.toml"
    file.write_text('title = "t"\ndescription = "d"\nchecks = ["none.py"]\n', encoding="utf-8")
    monkeypatch.setattr("sluice.sweep.checks.repository", lambda: None)
    done = sluice("sweep", file, "-o", tmp_path / "a.parquet")
    assert done.status == 2
    assert "name one in SLUICE_CHECKOUT" in done.err


def test_campaigns_name_tests_that_are_there() -> None:
    named = {check for path in CAMPAIGNS for check in read_model(Sweep, path).checks or ()}
    assert named
    files = {check.partition("::")[0] for check in named}
    collected = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", *sorted(files)],
        cwd=ROOT,
        env=os.environ | {"SLUICE_FULL": "1"},
        capture_output=True,
        text=True,
        check=False,
    ).stdout.splitlines()
    there = {line.strip() for line in collected}
    there |= {line.partition("[")[0] for line in there}
    assert named <= there


@pytest.mark.skipif(not os.environ.get("SLUICE_FULL"), reason="boots a guest: set SLUICE_FULL=1")
def test_a_job_of_a_campaign_boots_a_guest(sluice: Sluice, tmp_path: Path) -> None:
    text = (ROOT / "bench" / "sweeps" / "campaign-faults.toml").read_text(encoding="utf-8")
    seed = int(os.environ.get("SEED") or 1)
    one, count = re.subn(r"(?m)^runs = .*", f"runs = 1\nsamples = 1\nseed = {seed}", text)
    assert count == 1
    file = tmp_path / "campaign.toml"
    file.write_text(one, encoding="utf-8")
    booted = ROOT / "build" / "guests" / "booted"
    before = booted.read_text(encoding="utf-8") if booted.exists() else ""
    done = sluice("sweep", file, "-o", tmp_path / "a.parquet")
    assert done.status == 0, done
    (row,) = measured(tmp_path / "a.parquet")
    if not row["passed"] + row["failed"]:
        pytest.skip(row["words"])  # where there is nothing to boot with
    assert row["failed"] == 0, row
    assert row["seed"] == seed
    assert booted.read_text(encoding="utf-8").count("\n") > before.count("\n")
