# SPDX-License-Identifier: Apache-2.0
"""How QEMU is built from its source with the door in it, on a stand-in for that source: what is
built when, and what is said. The real build is test_pl.py's, in make test-full."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cosim.guests import BuildError, ChoiceError, qemu_source
from tools.debian import UnavailableError

WHY = "a test asks for it"
SUBDIR = "subdir('sluice')"
VERSION = "1:11.9.0-1"
# Leaves a line for each run beside the source, and what ninja needs in the build's folder.
CONFIGURE = """\
#!/bin/sh -e
source=$(dirname "$0")
echo "$@" >>"$source/configured"
cat >build.ninja <<EOF
rule copy
  command = ! grep BROKEN \\$in && cp \\$in \\$out
build qemu-system-arm: copy $source/emulator
build sluice/pl.so: copy $source/sluice/pl.c
build scrap.o: copy $source/emulator
EOF
ninja scrap.o
"""


class Source:
    """Stands in for debian.Source."""

    fetched = True

    def __init__(self, tree: Path) -> None:
        self.tree = tree
        tree.mkdir()
        (tree / "configure").write_text(CONFIGURE)
        (tree / "configure").chmod(0o755)
        (tree / "meson.build").write_text("project('emulator')\n")
        (tree / "emulator").write_text("emulator")

    def __call__(self, *_: object) -> Source:
        return self

    def fetch(self) -> str:
        return VERSION

    def configured(self) -> list[str]:
        """The words of each time that it was configured."""
        return (self.tree / "configured").read_text().splitlines()


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Source:
    """With a door of its own, and without what would come from the network."""
    source = Source(tmp_path / "tree")
    nothing = tmp_path / "requirements"
    nothing.write_text("")
    monkeypatch.setattr(qemu_source, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(qemu_source, "REQUIREMENTS", nothing)
    monkeypatch.setattr(qemu_source, "Source", source)
    files = {path: tmp_path / "door" / path for path in qemu_source.FILES}
    for path, file in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(qemu_source.FILES[path], file)
    monkeypatch.setattr(qemu_source, "FILES", files)
    try:
        qemu_source.check()
    except UnavailableError as error:
        pytest.skip(str(error))
    return source


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the environment for Meson, which the stand-in does not use."""
    monkeypatch.setattr(qemu_source, "environment", lambda _: Path(sys.executable))


def change_door(text: str) -> None:
    file = qemu_source.FILES[Path("sluice/pl.c")]
    file.write_text(file.read_text() + text)


def test_the_door_is_built_within_qemu(
    source: Source, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    program, plugin = qemu_source.built(WHY)
    assert program.read_text() == "emulator"
    assert plugin.read_text() == (qemu_source.DOOR / "pl.c").read_text()
    assert (source.tree / "sluice" / "include" / "sluice" / "cosim" / "pl_wire.h").exists()
    assert (source.tree / "meson.build").read_text() == "project('emulator')\nsubdir('sluice')\n"
    (words,) = source.configured()
    assert "--target-list=arm-softmmu --without-default-features --enable-tcg" in words
    assert "--enable-plugins" in words
    assert not list((tmp_path / "cache").rglob("scrap.o"))
    how = f"building QEMU {VERSION} from its source, 10 minutes of processor time, once"
    assert f"guests: {WHY}: {how}\n" in capfd.readouterr().err


@pytest.mark.usefixtures("quick")
def test_qemu_is_built_once_and_the_plugin_for_each_door(source: Source) -> None:
    program, first = qemu_source.built(WHY)
    assert qemu_source.built(WHY) == (program, first)
    change_door("/* another */\n")
    again, second = qemu_source.built(WHY)
    assert again == program
    assert first.read_text() + "/* another */\n" == second.read_text()
    assert len(source.configured()) == 1


@pytest.mark.usefixtures("quick")
def test_a_build_that_fails_is_told_and_made_again(source: Source, tmp_path: Path) -> None:
    change_door("BROKEN\n")
    with pytest.raises(BuildError) as error:
        qemu_source.built(WHY)
    log = next((tmp_path / "cache").rglob("pl.log"))
    told = str(error.value).splitlines()[0]
    assert told == f"building the door's plugin in QEMU failed; all of it is in {log}:"
    assert "BROKEN" in log.read_text()
    file = qemu_source.FILES[Path("sluice/pl.c")]
    file.write_text(file.read_text().replace("BROKEN", ""))
    _, plugin = qemu_source.built(WHY)
    assert plugin.exists()
    assert len(source.configured()) == 2


def test_missing_programs_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UnavailableError) as error:
        qemu_source.built(WHY)
    assert str(error.value) == (
        "what builds QEMU from its source is missing, gcc ninja-build pkg-config dpkg-dev patch: "
        "run tools/setup guest, or have those packages installed"
    )


def test_missing_headers_are_named(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    headers = qemu_source.HEADERS | {"sluice/nowhere.h": "libnowhere-dev"}
    monkeypatch.setattr(qemu_source, "HEADERS", headers)
    with pytest.raises(UnavailableError, match="is missing, libnowhere-dev: run tools/setup guest"):
        qemu_source.built(WHY)


def release(folder: Path, source: Source, version: str = "11.9.2") -> Path:
    """A folder of QEMU's makers' like the stand-in, and beside it an archive of that."""
    given = folder / f"qemu-{version}"
    shutil.copytree(source.tree, given)
    (given / "VERSION").write_text(version + "\n")
    (given / ".git").mkdir()
    (given / ".git" / "unread").write_text("")
    pack(given)
    return given


def pack(given: Path) -> None:
    archive = given.with_name(f"{given.name}.tar.xz")
    command = ["tar", "-cJf", archive, "--exclude=.git", "-C", given.parent, given.name]
    subprocess.run(command, check=True)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("suffix", ["", ".tar.xz"])
def test_a_source_at_hand_is_copied_and_built(
    source: Source, tmp_path: Path, capfd: pytest.CaptureFixture[str], suffix: str
) -> None:
    folder = release(tmp_path, source)
    given = folder.with_name(folder.name + suffix)
    program, plugin = qemu_source.built(WHY, given)
    assert program.read_text() == "emulator"
    assert plugin.exists()
    said = capfd.readouterr().err
    assert f"guests: taking QEMU's source from {given}\n" in said
    assert f"guests: {WHY}: building QEMU 11.9.2 from its source, 10 minutes" in said
    assert not (folder / "sluice").exists()
    assert SUBDIR not in (folder / "meson.build").read_text()
    assert not list((tmp_path / "cache").rglob("unread"))
    assert qemu_source.built(WHY, given) == (program, plugin)
    assert not capfd.readouterr().err
    (folder / "emulator").write_text("another emulator")
    pack(folder)
    another, _ = qemu_source.built(WHY, given)
    assert another.read_text() == "another emulator"
    assert program.read_text() == "emulator"


def test_what_is_no_source_of_qemu_is_refused(source: Source, tmp_path: Path) -> None:
    old = release(tmp_path, source, "10.2.1")
    empty = tmp_path / "empty"
    empty.mkdir()
    broken = tmp_path / "broken.tar.xz"
    broken.write_text("no archive")
    unnamed = release(tmp_path, source, "11.0")
    (unnamed / "VERSION").write_text("eleven\n")
    for given, told in [
        (old, f"{old} is the source of QEMU 10.2.1; allowed: 11.0 or newer"),
        (
            empty,
            f"{empty} is not QEMU's source: it has no VERSION and no configure and no meson.build",
        ),
        (unnamed, f"{unnamed} is not QEMU's source: its VERSION is no version"),
        (broken, f"{broken} is no archive that tar unpacks ("),
    ]:
        with pytest.raises(ChoiceError) as error:
            qemu_source.built(WHY, given)
        assert str(error.value).startswith(told)
        assert not list((tmp_path / "cache").glob("given-*"))


def test_without_debians_source_another_is_proposed(
    source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing() -> str:
        raise UnavailableError("the source of qemu is not in Debian")

    monkeypatch.setattr(source, "fetch", nothing)
    with pytest.raises(UnavailableError) as error:
        qemu_source.built(WHY)
    assert str(error.value) == (
        "the source of qemu is not in Debian; SLUICE_QEMU=PATH builds from a folder or an archive "
        "of QEMU's source"
    )
