# SPDX-License-Identifier: Apache-2.0
"""The README's table is what the boards deliver.

`make figures` measures the table. Here the first run of each of its rows is measured again, and
must be the same run of the result that the table is made from, within the table's rounding. The
same seed gives the same run, so nothing but a change of the boards makes them differ.
"""

import sys
from pathlib import Path

import pytest

from calling import Sluice
from sluice.errors import RunError
from sluice.experiments.rates.result import RatesResult, RatesRow
from sluice.experiments.registry import read_result

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
import figures

ROUNDING_MB_S = 0.5  # the table has whole MB/s
MEASURED = {"mb_s", "runs", "runs_wanted", "efficiency", "difference"}


def first_run(row: RatesRow) -> float:
    (rate,) = (run.mb_s for run in row.runs if run.run == 0)
    return rate


def differing(shown: RatesResult, fresh: RatesResult) -> list[str]:
    """Return the rows whose conditions, or whose first runs, are not the same."""
    assert len(shown.rows) == len(fresh.rows) == 15
    return [
        row.label
        for row, now in zip(shown.rows, fresh.rows, strict=True)
        if row.model_dump(exclude=MEASURED) != now.model_dump(exclude=MEASURED)
        or abs(first_run(row) - first_run(now)) > ROUNDING_MB_S
    ]


@pytest.mark.usefixtures("real_bench")
def test_the_boards_deliver_what_the_readme_shows(sluice: Sluice, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    done = sluice("run", *figures.EXPERIMENT, "--runs", "1", "--json", path)
    assert done.status == 0, done.err
    _, fresh = read_result(path.read_bytes(), str(path))
    assert isinstance(fresh, RatesResult)
    shown = figures.committed()
    assert not shown.partial
    assert shown.provenance.command == "sluice run zynq7010-hp --width 64"
    assert differing(shown, fresh) == [], "the README's table is out of date: run `make figures`"
    # The comparison would notice a row that is off by one in the table.
    row = shown.rows[3]
    moved = [run.model_copy(update={"mb_s": run.mb_s + 1}) for run in row.runs]
    rows = list(shown.rows)
    rows[3] = row.model_copy(update={"runs": tuple(moved)})
    assert differing(shown.model_copy(update={"rows": tuple(rows)}), fresh) == [row.label]


def test_the_readme_shows_the_result(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shown = figures.committed()
    assert figures.stale(shown) == []
    readme = tmp_path / "README.md"
    text = figures.README.read_text(encoding="utf-8")
    first = f"{shown.rows[0].mb_s.mean:.0f}"
    readme.write_text(text.replace(first, str(int(first) + 1)), encoding="utf-8")
    monkeypatch.setattr(figures, "README", readme)
    assert figures.stale(shown) == ["README.md"]
    faster = shown.rows[0].mb_s.model_copy(update={"mean": 0.9 * shown.rows[0].mb_s.mean})
    rows = (shown.rows[0].model_copy(update={"mb_s": faster}), *shown.rows[1:])
    changed = shown.model_copy(update={"rows": rows})
    assert figures.stale(changed) == ["README.md", "zynq7010-hp-64bit.png"]


def test_a_table_without_a_row_is_refused() -> None:
    with pytest.raises(RunError, match="has 0 rows 'duplex, simulated' in tables, must have 1"):
        figures.with_rates("# Sluice\n", figures.committed())
