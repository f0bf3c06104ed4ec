# SPDX-License-Identifier: Apache-2.0
"""tools/qemu.py: the machine's own QEMU is used where it is new enough for what is asked of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import qemu
from tools.debian import UnavailableError


def refuse(*_: object) -> None:
    raise UnavailableError("Debian's is asked for")


def test_the_own_program_is_used_where_it_is_new_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "qemu-system-arm"
    own.write_text("#!/bin/sh\necho QEMU emulator version 10.1.2\n")
    own.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr(qemu, "Unpacked", refuse)
    assert qemu.command("arm") == [str(own)]
    with pytest.raises(UnavailableError, match="Debian's is asked for"):
        qemu.command("arm", qemu.FOR_PLUGINS)
