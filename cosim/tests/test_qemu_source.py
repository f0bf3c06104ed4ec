# SPDX-License-Identifier: Apache-2.0
"""How QEMU is built from its source with the door in it, on a stand-in for that source: what is
built when, and what is said. The real build is test_pl.py's, in make test-full."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from cosim.guests import BuildError, qemu_source
from tools.debian import UnavailableError

WHY = "a test asks for it"
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
