# SPDX-License-Identifier: Apache-2.0
"""The lock files of tools/requirements: each level has all that its .in file and the levels within
it name. tools/setup installs the lock of the highest level alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "requirements"
NAMED = re.compile(r"^([A-Za-z0-9][\w.-]*)==(\S+)", re.MULTILINE)
WITHIN = re.compile(r"^-r (\w+)\.in", re.MULTILINE)


def entries(text: str) -> set[tuple[str, str]]:
    return {
        (re.sub(r"[-_.]+", "-", name).lower(), version) for name, version in NAMED.findall(text)
    }


def locked(level: str) -> set[tuple[str, str]]:
    return entries((FOLDER / f"{level}.txt").read_text())


@pytest.mark.parametrize("level", sorted(path.stem for path in FOLDER.glob("*.in")))
def test_a_lock_has_what_its_level_needs(level: str) -> None:
    wanted = (FOLDER / f"{level}.in").read_text()
    assert entries(wanted) <= locked(level), "run tools/lock"
    for inner in WITHIN.findall(wanted):
        assert locked(inner) <= locked(level), (
            f"{level}.txt lacks some of {inner}.txt: run tools/lock"
        )


def test_what_is_installed_into_one_environment_agrees() -> None:
    docs, rest = locked("docs"), locked("hw")
    shared = {name for name, _ in docs} & {name for name, _ in rest}
    differing = {(name, version) for name, version in docs ^ rest if name in shared}
    assert differing == set(), "docs.txt has other versions than hw.txt: run tools/lock"
