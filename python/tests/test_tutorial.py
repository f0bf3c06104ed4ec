# SPDX-License-Identifier: Apache-2.0
"""The tutorial, and the how-tos that the documentation's front page leads to, are executed.

Their programs are built and run, their commands are given, and they print what the pages say.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from calling import PATIENCE_S, Sluice

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
TUTORIAL = (DOCS / "tutorials" / "first-transfer.md").read_text(encoding="utf-8")
PYTHON = (DOCS / "howto" / "use-a-board-from-python.md").read_text(encoding="utf-8")
EXPERIMENTS = (DOCS / "howto" / "run-an-experiment.md").read_text(encoding="utf-8")
FRONT = (DOCS / "README.md").read_text(encoding="utf-8")
BUILT = ROOT / "build" / "release"
FULL = bool(os.environ.get("SLUICE_FULL"))
SHOWN = re.compile(r"^ *\$ (.+)\n +(.+)$", re.MULTILINE)


def blocks(page: str, language: str) -> list[str]:
    """Return the code of a page in a language, without what a list indents it by."""
    found = re.finditer(rf"^( *)```{language}\n(.*?)^ *```$", page, re.MULTILINE | re.DOTALL)
    return [re.sub(rf"^{block[1]}", "", block[2], flags=re.MULTILINE) for block in found]


def shown(start: str) -> list[tuple[list[str], str]]:
    """Return the commands of the tutorial that begin so, and what it says that each prints."""
    found = [(shlex.split(command), said) for command, said in SHOWN.findall(TUTORIAL)]
    return [(words, said) for words, said in found if words[0].startswith(start)]


def said(*command: str | Path, cwd: Path = ROOT) -> str:
    """Return what a command prints, on both of its outputs."""
    done = subprocess.run(
        command,
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    return (done.stdout + done.stderr).rstrip("\n")


def test_the_example_says_what_the_tutorial_says() -> None:
    commands = shown("build/release/")
    assert len(commands) == 3
    for words, expected in commands:
        assert said(*words) == expected


def test_the_program_in_python_of_the_tutorial(tmp_path: Path) -> None:
    [program] = blocks(TUTORIAL, "python")
    [(words, expected)] = shown(".venv/bin/python")
    (tmp_path / words[1]).write_text(program, encoding="utf-8")
    assert said(sys.executable, words[1], cwd=tmp_path) == expected


@pytest.mark.skipif(shutil.which("pkg-config") is None, reason="needs pkg-config")
def test_the_program_in_c_of_the_tutorial(tmp_path: Path) -> None:
    [program] = blocks(TUTORIAL, "c")
    [commands] = [block for block in blocks(TUTORIAL, "") if block.startswith("cmake --install")]
    [(words, expected)] = shown("./mine")
    (tmp_path / "mine.c").write_text(program, encoding="utf-8")
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "release").symlink_to(BUILT)
    said("/bin/sh", "-ec", commands, cwd=tmp_path)
    assert said(*words, cwd=tmp_path) == expected
    assert "unknown design 'none'" in said(*words, "sim:zynq7010/none", cwd=tmp_path)


def test_the_programs_of_the_howto_for_python(tmp_path: Path) -> None:
    first, second = blocks(PYTHON, "python")
    for name, program in (("first.py", first), ("second.py", second)):
        (tmp_path / name).write_text(program, encoding="utf-8")
    assert said(sys.executable, "first.py", cwd=tmp_path) == "65536 bytes received"
    lines = said(sys.executable, "second.py", cwd=tmp_path).splitlines()
    assert [line.split()[0] for line in lines] == [str(number) for number in range(10)]


def test_the_commands_of_the_front_page(sluice: Sluice) -> None:
    lines = [line for block in blocks(FRONT, "") for line in block.splitlines()]
    commands = [shlex.split(line, comments=True) for line in lines]
    assert ["build/release/lib/sluice_example_loopback"] in commands
    assert ["make", "build"] in commands
    [words] = [words[1:] for words in commands if words[0] == ".venv/bin/sluice"]
    assert sluice(*words).status == 0
    for page in ("tutorials/first-transfer.md", "howto/run-an-experiment.md"):
        assert f"]({page})" in FRONT


def test_the_commands_of_the_howto_for_experiments(
    sluice: Sluice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stand-in for sluice-bench measures; in the gate one row of each experiment alone."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text(blocks(EXPERIMENTS, "toml")[0], encoding="utf-8")
    lines = [line for block in blocks(EXPERIMENTS, "") for line in block.splitlines()]
    commands = [line.split("|")[0] for line in lines if line.startswith("sluice ")]
    assert len(commands) > 10
    row = {"--width": "64", "--ports": "0", "--direction": "mm2s"}
    for command in commands:
        words = shlex.split(command, comments=True)[1:]
        if words[0] == "run" and words[1] != "./mine.toml" and not FULL:
            words += [
                word
                for option, value in row.items()
                if option not in words
                for word in (option, value)
            ]
        done = sluice(*words)
        assert (command, done.status, done.err.count("error")) == (command, 0, 0)
    assert (tmp_path / "report" / "index.html").is_file()
