# SPDX-License-Identifier: Apache-2.0
"""The reference pages say what the command and the schema say; what the howto shows works."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from calling import Sluice

ROOT = Path(__file__).resolve().parents[2]
HOWTO = (ROOT / "docs" / "howto" / "run-an-experiment.md").read_text(encoding="utf-8")


def test_reference_is_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "python" / "tools" / "reference.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["list", "run", "report"])
def test_every_option_of_the_help_is_in_the_reference(sluice: Sluice, name: str) -> None:
    page = (ROOT / "docs" / "reference" / "sluice.md").read_text(encoding="utf-8")
    section = page.split(f"## sluice {name}\n")[1].split("\n## ")[0]
    options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", sluice(name, "--help").out))
    assert options >= {"--help"}
    assert {option for option in options if option not in section} == set()


def test_the_experiment_of_the_howto(sluice: Sluice, tmp_path: Path) -> None:
    toml = HOWTO.split("```toml\n")[1].split("```")[0]
    (tmp_path / "mine.toml").write_text(toml, encoding="utf-8")
    document = sluice("run", tmp_path / "mine.toml", "--runs", "1", "--json", "-").json
    assert [row["ports"] for row in document["rows"]] == [["HP0", "HP1"], ["HP0", "HP2"]]
