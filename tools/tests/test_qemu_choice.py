# SPDX-License-Identifier: Apache-2.0
"""tools/qemu.py: the machine's own QEMU is used where it is new enough for what is asked of it,
else Debian's where that is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import qemu
from tools.debian import UnavailableError


class Debian:
    """Stands in for debian.Unpacked: has a program of version 10.1.2."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def __call__(self, *_: object) -> Debian:
        return self

    def command(self, name: str) -> list[str]:
        return [str(program(self.root, name))]

    def version(self) -> str:
        return "1:10.1.2+ds-1"


def program(folder: Path, name: str = "qemu-system-arm") -> Path:
    """A program that says it is 10.1.2."""
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text("#!/bin/sh\necho QEMU emulator version 10.1.2\n")
    file.chmod(0o755)
    return file


def refuse(*_: object) -> None:
    raise UnavailableError("Debian's is asked for")


def test_the_own_program_is_used_where_it_is_new_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = program(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr(qemu, "Unpacked", refuse)
    assert qemu.command("arm") == [str(own)]
    with pytest.raises(UnavailableError, match="Debian's is asked for"):
        qemu.command("arm", qemu.FOR_PLUGINS)


def test_debians_program_is_used_where_it_is_new_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    monkeypatch.setattr(qemu, "Unpacked", Debian(tmp_path))
    assert str(tmp_path / "qemu-system-arm") in qemu.command("arm")
    with pytest.raises(UnavailableError) as error:
        qemu.command("arm", qemu.FOR_PLUGINS)
    assert str(error.value) == (
        "qemu-system-arm 1:10.1.2+ds-1 of Debian trixie-backports is older than 11.0"
    )
