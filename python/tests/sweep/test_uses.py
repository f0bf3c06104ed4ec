# SPDX-License-Identifier: Apache-2.0
"""What reads a sweep: a report, a plan."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet
import pytest

from calling import FAKE_BENCH, Sluice
from sluice.cli import command
from sluice.sweep.report.charts import front_of
from sluice.sweep.report.view import read_view
from sweep.conftest import GRID

Spec = Callable[..., Path]
PLOTS = """
[[heat_map]]
x = "stagger_bytes"
y = "skew_ns"
value = "mb_s"
by = ["ports"]

[[pareto]]
maximise = "mb_s"
minimise = "skew_ns"
"""
SKEWS = '"defaults.skew_ns" = {from = 0, to = 200, step = 100}'
CONFIGURATIONS = (
    ("[0, 4096]", "[0, 8192]"),
    (SKEWS, '"axes.width_bits" = [32, 64]'),
    ("[[0, 1], [0, 2]]", "[[0], [0, 2], [0, 1], [0, 1, 2], [0, 1, 2, 3]]"),
    ("runs = 3", "runs = 8"),
)


BEST = '\n[best]\nmaximise = "mb_s"\n'


@pytest.fixture(scope="module")
def swept_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a sweep that was measured. Do not change it."""
    file = tmp_path_factory.mktemp("swept") / "grid.toml"
    file.write_text(GRID + BEST + PLOTS, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SLUICE_BENCH", str(FAKE_BENCH))
        assert command(["sweep", str(file), "-o", str(file.with_suffix(".parquet"))]) == 0
    return file.with_suffix(".parquet")


@pytest.fixture
def swept(swept_once: Path, tmp_path: Path) -> Path:
    """Return a copy of it."""
    for suffix in (".json", ".parquet"):
        shutil.copy(swept_once.with_suffix(suffix), tmp_path)
    return tmp_path / "grid.parquet"


def test_a_report(sluice: Sluice, swept_once: Path, swept: Path, tmp_path: Path) -> None:
    done = sluice("report", swept, "-o", tmp_path / "report")
    assert done.status == 0, done
    names = [Path(line).name for line in done.out.splitlines()]
    assert names == [
        "index.html",
        "grid-result.json",
        "grid-rows.csv",
        *(
            f"grid-{chart}.{kind}"
            for chart in ("map", "parallel", "pareto")
            for kind in ("png", "svg")
        ),
    ]
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert "Placement by skew" in page
    assert "Best mb_s (mean of its runs): " in page
    assert f"sluice sweep {swept_once.with_suffix('.toml')} -o {swept_once}" in page
    assert "sluice report grid.parquet" in page
    # A mark with an opacity of its own costs the PNG a full image: 1500 lines took a minute.
    for drawing in (tmp_path / "report").glob("*.svg"):
        assert ' opacity="0.' not in drawing.read_text(encoding="utf-8")
    # Each cell of the map says its figure.
    means = read_view(swept).means(("stagger_bytes", "skew_ns", "ports"), "mb_s")
    for (stagger, skew, _), (mean,) in means.items():
        where = f"stagger_bytes {'4 KiB' if stagger else 0}, skew_ns {skew}"
        assert f"{where}: mb_s {mean:.5g}" in page


def test_a_sweep_without_rows_says_how_to_continue_it(
    sluice: Sluice, swept_once: Path, swept: Path, tmp_path: Path
) -> None:
    pyarrow.parquet.write_table(pyarrow.parquet.read_table(swept).slice(0, 0), swept)
    assert sluice("report", swept, "-o", tmp_path / "r.html").status == 0
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "The sweep has no rows: " in page
    command = f"sluice sweep {swept_once.with_suffix('.toml')} -o {swept_once} --continue"
    assert f"{command}\nsluice report grid.parquet" in page


def test_a_report_of_a_sweep_beside_a_result(sluice: Sluice, swept: Path, tmp_path: Path) -> None:
    result = tmp_path / "zynq-placement.json"
    one = ("--runs", "1", "--ports", "0,2", "--json", result)
    assert sluice("run", "zynq-placement", *one).status == 0
    assert sluice("report", result, swept, "-o", tmp_path / "both.html").status == 0
    page = (tmp_path / "both.html").read_text(encoding="utf-8")
    assert "zynq-placement, grid</title>" in page


def test_what_a_report_refuses(
    refused: Callable[..., str], sluice: Sluice, spec: Spec, swept: Path, tmp_path: Path
) -> None:
    other = BEST + PLOTS.replace('y = "skew_ns"', 'y = "skew"')
    assert sluice("sweep", spec(more=other), "-o", swept, "--continue").status == 0
    said = refused("report", swept)
    assert "grid: heat_map.y: there is no column 'skew'; columns: stagger_bytes, " in said
    (tmp_path / "text.parquet").write_text("text", encoding="utf-8")
    (tmp_path / "grid.json").rename(tmp_path / "text.json")
    assert "is not a Parquet file" in refused("report", tmp_path / "text.parquet")
    said = refused("report", swept)
    assert f"{tmp_path / 'grid.json'}, the record beside {swept}, cannot be read" in said


def test_a_damaged_page_is_named(refused: Callable[..., str], grid: Path) -> None:
    """The end of the file, which says what there is, is whole."""
    damaged = bytearray(grid.read_bytes())
    damaged[50:250] = b"\xff" * 200
    grid.write_bytes(damaged)
    assert f"{grid} cannot be read: " in refused("report", grid)
    words = ("sweep", grid.with_suffix(".toml"), "-o", grid, "--continue")
    assert f"{grid} cannot be read: " in refused(*words)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('value = "mb_s"', 'value = "board"', "heat_map.value: 'board' is no column of numbers"),
        ('maximise = "mb_s"', 'maximise = "level"', "pareto.maximise: 'level' is no column of num"),
        ('minimise = "skew_ns"', 'minimise = "ports"', "pareto.minimise: 'ports' is no column of"),
    ],
)
def test_words_cannot_be_drawn(
    refused: Callable[..., str], sluice: Sluice, spec: Spec, swept: Path, old: str, new: str,
    sentence: str,
) -> None:  # fmt: skip
    # Other plots change no figure.
    file = spec(more=BEST + PLOTS.replace(old, new))
    assert sluice("sweep", file, "-o", swept, "--continue").status == 0
    assert f"grid: {sentence}" in refused("report", swept)


def test_a_figure_after_others_is_no_condition(sluice: Sluice, spec: Spec, tmp_path: Path) -> None:
    more = '\n[best]\nmaximise = "efficiency"\n'
    assert sluice("sweep", spec(more=more), "-o", tmp_path / "a.parquet").status == 0
    view = read_view(tmp_path / "a.parquet")
    assert view.figure == "efficiency"
    assert list(view.varied) == ["stagger_bytes", "skew_ns", "ports"]


def test_the_front_has_what_nothing_beats() -> None:
    points = {("a",): (1.0, 5.0), ("b",): (2.0, 5.0), ("c",): (2.0, 7.0), ("d",): (3.0, 6.0)}
    assert list(front_of(points)) == [("a",), ("c",)]


def test_a_plan_of_a_sweep_is_that_of_simulating(
    sluice: Sluice, spec: Spec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "ports.parquet"
    done = sluice("sweep", spec(*CONFIGURATIONS, name="ports"), "-o", target)
    assert done.status == 0, done
    words = ("plan", "--board", "zynq7010", "--read", "700MB/s", "--write", "700MB/s")
    words = (*words, "--chunk", "64KiB")
    simulated = sluice(*words, "--json")
    monkeypatch.setenv("FAKE_BENCH_LOG", str(tmp_path / "log"))
    taken = sluice(*words, "--sweep", target, "--json")
    assert not (tmp_path / "log").exists()  # nothing was simulated
    assert taken.status == simulated.status == 0, taken
    ours, theirs = taken.json, simulated.json
    assert [r["placements"] for r in ours["rows"]] == [r["placements"] for r in theirs["rows"]]
    assert ours["conditions"]["sweep"] == str(target)
    assert f"--sweep {target}" in ours["provenance"]["command"]
    assert f"Ranges are over the runs in {target}" in sluice(*words, "--sweep", target).out


def test_a_plan_needs_a_sweep_that_fits(
    refused: Callable[..., str], swept: Path, tmp_path: Path
) -> None:
    words = ("plan", "--board", "zynq7010", "--read", "700MB/s", "--sweep")
    said = refused(*words, swept)
    assert f"sluice: {swept} has no configuration that can be planned with, such as 32-bit" in said
    assert "with blocks of 1 MiB, staggered by 0 and 8192 bytes" in said
    assert "cannot be read" in refused(*words, tmp_path / "none.parquet")
    said = refused("plan", "--board", "pcie-gen3x8", "--read", "1GB/s", "--sweep", swept)
    assert "board pcie-gen3x8 is a card" in said
    record = swept.with_suffix(".json")
    document = json.loads(record.read_text(encoding="utf-8"))
    document["document"]["axes"]["attributes"] = {"read_bursts": [16, 32]}  # of the logic
    record.write_text(json.dumps(document), encoding="utf-8")
    assert "the sweep changes axes.attributes" in refused(*words, swept)
