# SPDX-License-Identifier: Apache-2.0
"""Sweeps to measure, with the stand-in for sluice-bench."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from calling import FAKE_BENCH
from sluice.cli import command

GRID = """
title = "Placement by skew"
description = "Of four ports."
experiment = "zynq-placement"
runs = 3

[set]
"defaults.bytes" = "64KiB"

[axes]
"axes.stagger_bytes" = [0, 4096]
"defaults.skew_ns" = {from = 0, to = 200, step = 100}
"axes.ports" = [[0, 1], [0, 2]]
"""


@pytest.fixture
def spec(tmp_path: Path) -> Callable[..., Path]:
    """Return what writes a sweep's file: the grid, with some text replaced or added."""

    def write(*replaced: tuple[str, str], more: str = "", name: str = "grid") -> Path:
        text = GRID
        for old, new in replaced:
            assert old in text
            text = text.replace(old, new)
        path = tmp_path / f"{name}.toml"
        path.write_text(text + more, encoding="utf-8")
        return path

    return write


@pytest.fixture(scope="session")
def whole_grid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of the grid, with the rows and the record of its sweep beside it."""
    file = tmp_path_factory.mktemp("whole") / "grid.toml"
    file.write_text(GRID, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SLUICE_BENCH", str(FAKE_BENCH))
        words = ["sweep", str(file), "-o", str(file.with_suffix(".parquet")), "--jobs", "1"]
        assert command(words) == 0
    return file


@pytest.fixture
def grid(whole_grid: Path, tmp_path: Path) -> Path:
    """Return a copy of the rows of the grid's sweep; its file and its record are beside it."""
    for suffix in (".toml", ".json", ".parquet"):
        shutil.copy(whole_grid.with_suffix(suffix), tmp_path)
    return tmp_path / "grid.parquet"


def measured(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a Parquet file, without what is of the machine that simulated."""
    rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    for row in rows:
        del row["elapsed_s"]
    return rows
