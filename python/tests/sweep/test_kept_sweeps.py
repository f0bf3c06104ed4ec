# SPDX-License-Identifier: Apache-2.0
"""The sweeps in docs/evidence are of the files in bench/sweeps, and what the boards deliver."""

import os
import random
from pathlib import Path

import pytest

from sluice.paths import repository
from sluice.stop import Stop
from sluice.sweep.job import measure_point
from sluice.sweep.record import read_record
from sluice.sweep.run import read_sweep, text_of
from sweep.conftest import measured

ROOT = repository() or Path()
KEPT = sorted((ROOT / "docs" / "evidence" / "sweeps").glob("*.parquet"))
MEASURED = [path for path in KEPT if not path.stem.startswith("campaign-")]
POINTS = 8


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_a_kept_sweep_is_whole(path: Path) -> None:
    record = read_record(path)
    recipe = read_sweep(ROOT / "bench" / "sweeps" / f"{path.stem}.toml")
    spec = recipe.spec
    axes = spec.model_dump(mode="python")["axes"]
    assert record.spec.get("axes", {}) == axes
    assert tuple(record.spec.get("checks", ())) == (spec.checks or ())
    kept, now = (document.get("axes", {}) for document in (record.document, recipe.document))
    assert kept.keys() == now.keys()
    assert not record.partial
    rows = measured(path)
    assert len(rows) == record.jobs == spec.points * spec.runs
    if spec.checks is None:
        assert all(row["verified"] for row in rows)
    else:
        assert all(row["passed"] and not row["failed"] for row in rows)


@pytest.mark.skipif(not os.environ.get("SLUICE_FULL"), reason="a long sweep: set SLUICE_FULL=1")
@pytest.mark.usefixtures("real_bench")
@pytest.mark.parametrize("path", MEASURED, ids=lambda path: path.stem)
def test_a_kept_sweep_is_what_the_board_delivers(path: Path) -> None:
    recipe = read_sweep(ROOT / "bench" / "sweeps" / f"{path.stem}.toml")
    spec = recipe.spec
    kept: dict[int, list[dict[str, object]]] = {}
    for row in measured(path):
        kept.setdefault(row["point"], []).append(row)
    seed = int(os.environ.get("SEED") or 1)
    points = random.Random(seed).sample(range(spec.points), POINTS)  # noqa: S311
    for point in points:
        found = measure_point(text_of(recipe), point, range(spec.runs), Stop())
        for row in kept[point]:
            (again,) = found[row["run"]]  # type: ignore[index]
            assert again == {name: row[name] for name in again}, f"point {point}; SEED={seed}"
