# SPDX-License-Identifier: Apache-2.0
"""Where the project's files are taken from."""

from pathlib import Path

import pytest

from sluice import paths


def test_a_wheel_inside_a_checkout_is_not_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its boards are its own, so a result must not name the checkout's commit."""
    (tmp_path / "bench" / "experiments").mkdir(parents=True)
    package = tmp_path / "venv" / "sluice"
    package.mkdir(parents=True)
    monkeypatch.setattr(paths, "__file__", str(package / "paths.py"))
    monkeypatch.delenv("SLUICE_CHECKOUT", raising=False)
    assert paths.repository() == tmp_path
    (package / "share").mkdir()
    assert paths.repository() is None
    monkeypatch.setenv("SLUICE_CHECKOUT", str(tmp_path))
    assert paths.repository() == tmp_path
