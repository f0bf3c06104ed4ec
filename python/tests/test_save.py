# SPDX-License-Identifier: Apache-2.0
"""Result files: checked before measuring, written whole or not at all."""

import os
from pathlib import Path

import pytest

from sluice import save
from sluice.errors import InputError, RunError


def test_write_new_and_over_old(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    save.check_writable(path)
    assert list(tmp_path.iterdir()) == []
    save.write(path, b"one")
    path.chmod(0o640)
    save.write(path, b"two")
    assert path.read_bytes() == b"two"
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_mode_of_a_new_file_follows_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        save.write(tmp_path / "r", b"")
    finally:
        os.umask(before)
    assert (tmp_path / "r").stat().st_mode & 0o777 == 0o640


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("there")
    save.write(tmp_path / "link", b"x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there").read_bytes() == b"x"


def test_a_failed_write_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "r"
    path.write_bytes(b"old")

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RunError, match="r cannot be written: no space left on device"):
        save.write(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_what_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="it is a directory"):
        save.check_writable(tmp_path)
    with pytest.raises(InputError, match=r"gone/r cannot be written: there is no directory .*gone"):
        save.check_writable(tmp_path / "gone" / "r")
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(InputError, match="there is no directory"):
        save.check_writable(tmp_path / "file" / "r")
    with pytest.raises(InputError, match=r"the folder .* cannot be made: "):
        save.check_folder(tmp_path / "file" / "sub")
    with pytest.raises(InputError, match="cannot be written"):
        save.check_writable(Path("/proc/self/r.json"))


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_permissions(tmp_path: Path) -> None:
    path = tmp_path / "r"
    path.write_bytes(b"")
    path.chmod(0o400)
    with pytest.raises(InputError, match="permission denied"):
        save.check_writable(path)
    tmp_path.chmod(0o500)
    with pytest.raises(InputError, match="permission denied"):
        save.check_writable(tmp_path / "new")


def test_devices_are_written_to() -> None:
    save.check_writable(Path("/dev/null"))
    save.write(Path("/dev/null"), b"x")
    assert Path("/dev/null").is_char_device()
    with pytest.raises(RunError, match="no space left"):
        save.write(Path("/dev/full"), b"x")
