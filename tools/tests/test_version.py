# SPDX-License-Identifier: Apache-2.0
"""The version of Sluice is that of the file VERSION everywhere."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tools import version


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for path in (*version.files(version.ROOT), Path("VERSION"), version.CHANGELOG):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(version.ROOT / path, tmp_path / path)
    return tmp_path


def test_every_file_has_the_version() -> None:
    assert version.main(["--check"]) == 0


def test_a_new_version_reaches_every_file(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (copy / "VERSION").write_text("1.20.3\n")
    assert version.main(["--root", str(copy)]) == 2
    assert "add an entry, for example with dch --newversion 1.20.3-1" in capsys.readouterr().err
    (copy / version.CHANGELOG).write_text("sluice (1.20.3-1) unstable; urgency=medium\n")
    assert version.main(["--root", str(copy), "--check"]) == 1
    said = capsys.readouterr().out
    for name in ("lib/include/sluice.h", "driver/dkms.conf", "rtl/axi/axi.core"):
        assert f"differs: {name}\n" in said
    assert version.main(["--root", str(copy)]) == 0
    assert version.main(["--root", str(copy), "--check"]) == 0
    assert '#define SLUICE_VERSION "1.20.3"' in (copy / "lib/include/sluice.h").read_text()
    assert "find_package(sluice 1.20.3 " in (copy / "docs/howto/install.md").read_text()
    assert "dkms install sluice/1.20.3" in (copy / "docs/howto/use-the-linux-driver.md").read_text()


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("VERSION", "1.2\n", "VERSION has '1.2'; give major.minor.patch, for example 1.2.0"),
        ("driver/dkms.conf", "", 'driver/dkms.conf has no version after PACKAGE_VERSION="'),
    ],
)
def test_what_is_no_version_is_refused(
    copy: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, sentence: str
) -> None:
    (copy / name).write_text(text)
    assert version.main(["--root", str(copy)]) == 2
    assert capsys.readouterr().err == f"version: {sentence}\n"
