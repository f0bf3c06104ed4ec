# SPDX-License-Identifier: Apache-2.0
"""Campaigns: tests as jobs of a sweep, each run with a seed of its own."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from calling import Sluice
from sluice.models import read_model
from sluice.paths import repository
from sluice.sweep.specification import Sweep
from sweep.conftest import measured

ROOT = repository() or Path()
CAMPAIGNS = sorted((ROOT / "bench" / "sweeps").glob("campaign-*.toml"))
CHECK = """
import os
import pytest

def test_seed():
    assert os.environ["SEED"] != "6", "six is wrong"

def test_variable():
    if os.environ["COLOUR"] == "red":
        pytest.skip("not red")
"""


def test_a_campaign(sluice: Sluice, tmp_path: Path) -> None:
    check = tmp_path / "test_it.py"
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
    assert sluice("report", tmp_path / "a.parquet", "-o", tmp_path / "report").status == 0


@pytest.mark.parametrize("name", ["SEED", "check", "passed", "defaults.level"])
def test_axes_of_a_campaign_are_other_variables(
    refused: Callable[..., str], tmp_path: Path, name: str
) -> None:
    file = tmp_path / "campaign.toml"
    file.write_text(
        f'title = "t"\ndescription = "d"\nchecks = ["none.py"]\n[axes]\n"{name}" = [1, 2]\n',
        encoding="utf-8",
    )
    said = refused("sweep", file, "-o", tmp_path / "a.parquet")
    assert f"axes.{name}: is not allowed; beside checks, give environment variables" in said


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
