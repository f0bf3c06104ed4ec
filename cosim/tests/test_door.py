# SPDX-License-Identifier: Apache-2.0
"""Which QEMU has the door to the Zynq's logic: the one that is there if the plugin fits it, else
one that is built from its source. The build itself: test_qemu_source.py."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cosim.guests import BuildError, door, qemu_source
from cosim.guests.door import Door
from tools import qemu
from tools.debian import UnavailableError

ROOT = Path(__file__).resolve().parents[2]
CLOCK_SENTENCE = (
    "sluice-pl: this QEMU's virtual clock cannot be advanced; it needs -icount shift=N with N of 1 "
    "to 10, and QEMU 11"
)


class Source:
    """Stands in for the build from QEMU's source: gives a QEMU, and knows why it was asked."""

    def __init__(self, program: Path, plugin: Path = door.PLUGIN) -> None:
        self.asked: list[str] = []
        self.given: Path | None = None
        self._found = (program, plugin)

    def built(self, why: str, given: Path | None) -> tuple[Path, Path]:
        self.asked.append(why)
        self.given = given
        return self._found


@pytest.fixture(autouse=True)
def forgetful(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing of a test's choice is left for another."""
    monkeypatch.delenv(door.CHOICE, raising=False)
    door.find.cache_clear()
    yield
    door.find.cache_clear()


@pytest.fixture
def real() -> list[str]:
    """A QEMU that the plugin of build/release fits."""
    if not door.PLUGIN.exists():
        pytest.skip("pl.so is not built: run 'make build'")
    try:
        return qemu.command("arm", qemu.FOR_PLUGINS)
    except UnavailableError as error:
        pytest.skip(str(error))


def script(folder: Path, *lines: str) -> Path:
    """A qemu-system-arm that says it is new enough, and then does as `lines` say."""
    folder.mkdir(exist_ok=True)
    program = folder / "qemu-system-arm"
    version = '[ "$1" != --version ] || { echo QEMU emulator version 11.1.2; exit; }'
    program.write_text("\n".join(["#!/bin/sh", version, *lines, ""]))
    program.chmod(0o755)
    return program


def use(monkeypatch: pytest.MonkeyPatch, program: Path, source: Source) -> None:
    """Has `program` be the machine's own QEMU."""
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    monkeypatch.setattr(qemu_source, "built", source.built)


def passing_on(folder: Path, real: list[str]) -> Path:
    """The real QEMU behind a script."""
    return script(folder, f'exec {shlex.join(real)} "$@"')


def unfit(folder: Path, real: list[str]) -> Path:
    """The real QEMU, but with its clock on the host's: the plugin cannot advance that."""
    drop = f"s/ -icount {door.CLOCK}//"
    return script(folder, f'exec {shlex.join(real)} $(echo "$*" | sed "{drop}")')


def too_old(*_: object) -> None:
    raise UnavailableError("QEMU 10.0 of Debian is older than 11.0")


def no_compiler(*_: object) -> None:
    raise UnavailableError("there is no compiler")


def test_a_qemu_that_fits_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, real: list[str]
) -> None:
    program = passing_on(tmp_path, real)
    source = Source(program)
    use(monkeypatch, program, source)
    assert door.find() == Door((str(program),), door.PLUGIN)
    assert not source.asked


def test_another_is_built_for_one_that_does_not_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, real: list[str]
) -> None:
    source = Source(passing_on(tmp_path / "source", real))
    use(monkeypatch, unfit(tmp_path / "own", real), source)
    assert door.find() == Door((str(tmp_path / "source" / "qemu-system-arm"),), door.PLUGIN)
    assert door.find().plugin == door.PLUGIN
    assert source.asked == [f"the QEMU here does not fit the plugin ({CLOCK_SENTENCE})"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("echo Could not load plugin >&2; exit 1", "Could not load plugin"),
        ("kill -SEGV $$", "its self-test ends with status -11"),
        ("exec sleep 1000", "its self-test does not end in 1 s"),
    ],
)
def test_a_qemu_that_cannot_be_tested_does_not_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, reason: str
) -> None:
    if "sleep" in line:
        monkeypatch.setattr(door, "CHECK_S", 1)
    assert door.misfit(Door((str(script(tmp_path, line)),), door.PLUGIN)) == reason


def test_an_older_plugin_is_not_blamed_on_qemu(tmp_path: Path) -> None:
    program = script(tmp_path, "echo \"sluice-pl: unknown argument 'check=on'\" >&2; exit 1")
    with pytest.raises(UnavailableError, match=r"pl.so is of another version .*: run 'make build'"):
        door.misfit(Door((str(program),), door.PLUGIN))


def test_one_is_built_where_none_is_new_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, real: list[str]
) -> None:
    source = Source(passing_on(tmp_path, real))
    monkeypatch.setattr(qemu, "command", too_old)
    monkeypatch.setattr(qemu_source, "built", source.built)
    assert door.find().qemu == (str(tmp_path / "qemu-system-arm"),)
    assert source.asked == [
        "no QEMU here has what the plugin needs (QEMU 10.0 of Debian is older than 11.0)"
    ]


def test_a_built_one_is_tested_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, real: list[str]
) -> None:
    program = unfit(tmp_path, real)
    use(monkeypatch, program, Source(program))
    with pytest.raises(BuildError) as error:
        door.find()
    assert str(error.value) == (
        f"QEMU built from its source does not fit the plugin ({CLOCK_SENTENCE}); "
        f"the QEMU here does not fit the plugin ({CLOCK_SENTENCE})"
    )


def test_what_does_not_fit_and_cannot_be_built_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, real: list[str]
) -> None:
    """No reason to skip a test."""
    program = unfit(tmp_path, real)
    use(monkeypatch, program, Source(program))
    monkeypatch.setattr(qemu_source, "built", no_compiler)
    with pytest.raises(BuildError) as error:
        door.find()
    assert str(error.value) == (
        "QEMU cannot be built from its source: there is no compiler; "
        f"the QEMU here does not fit the plugin ({CLOCK_SENTENCE})"
    )


def test_a_machine_that_has_no_qemu_at_all_is_a_reason_to_skip(
    monkeypatch: pytest.MonkeyPatch, real: list[str]
) -> None:
    monkeypatch.setattr(qemu, "command", too_old)
    monkeypatch.setattr(qemu_source, "built", no_compiler)
    with pytest.raises(UnavailableError) as error:
        door.find()
    assert str(error.value) == (
        "QEMU cannot be built from its source: there is no compiler; "
        "no QEMU here has what the plugin needs (QEMU 10.0 of Debian is older than 11.0)"
    )


def test_a_person_may_ask_for_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, real: list[str]
) -> None:
    """Whatever QEMU is there."""
    source = Source(passing_on(tmp_path / "source", real))
    use(monkeypatch, passing_on(tmp_path / "own", real), source)
    monkeypatch.setenv(door.CHOICE, "source")
    assert door.find().qemu == (str(tmp_path / "source" / "qemu-system-arm"),)
    assert source.asked == ["SLUICE_QEMU=source asks for it"]
    assert source.given is None


def test_a_person_may_give_the_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, real: list[str]
) -> None:
    source = Source(passing_on(tmp_path / "source", real))
    use(monkeypatch, passing_on(tmp_path / "own", real), source)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(door.CHOICE, "qemu-11.9.2")
    (tmp_path / "qemu-11.9.2").mkdir()
    assert door.find().qemu == (str(tmp_path / "source" / "qemu-system-arm"),)
    assert source.asked == ["SLUICE_QEMU=qemu-11.9.2 asks for it"]
    assert source.given == tmp_path / "qemu-11.9.2"


def test_another_choice_is_refused() -> None:
    command = [sys.executable, "-m", "cosim.guests", "zynq"]
    done = subprocess.run(
        command, env=os.environ | {door.CHOICE: "newest"}, cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 2
    allowed = "source, the path of a folder or an archive of QEMU's source, or nothing"
    assert f"SLUICE_QEMU is 'newest'; allowed: {allowed}" in done.stderr
