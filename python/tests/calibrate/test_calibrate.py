# SPDX-License-Identifier: Apache-2.0
"""`sluice calibrate`: it finds what the stand-in was made from, and always the same."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from calling import Sluice
from sluice.calibrate.fits import Fit
from sluice.calibrate.search import Point
from sluice.calibrate.specification import Specification, load_specification
from sluice.paths import repository

SPECIFICATION = """
experiment = "zynq7010-hp"
bytes = "4MiB"
runs = 1
final_runs = 2
seed = 1
[[rows]]
width_bits = 64
direction = "duplex"
ports = ["0,1", "0,1,2"]
[[parameters]]
name = "read_ram_words"
start = 28
least = 20
most = 36
step = 4
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "fit.toml"
    path.write_text(SPECIFICATION, encoding="utf-8")
    return path


def test_the_result(sluice: Sluice, file: Path) -> None:
    done = sluice("calibrate", file)
    assert done.status == 0, done.err
    result = file.with_suffix(".json")
    assert done.out == f"{result}\n"
    text = result.read_text(encoding="utf-8")
    document = json.loads(text)
    (parameter,) = document["parameters"]
    assert parameter["name"] == "read_ram_words"
    assert parameter["value"] in range(20, 37, 4)
    assert [row["row"] for row in document["rows"]] == [
        "64-bit duplex HP0,1",
        "64-bit duplex HP0,1,2",
    ]
    assert all(row["degraded"] for row in document["rows"])
    assert document["conditions"]["runs"] == 2
    sluice("calibrate", file, "--jobs", "2")
    assert result.read_text(encoding="utf-8") == text


PREDICTED = """[[rows]]
width_bits = 64
direction = "duplex"
ports = ["0,1,2,3"]
predicted = true
[[parameters]]"""


def test_nothing_is_fitted_to_predicted_rows(sluice: Sluice, file: Path, tmp_path: Path) -> None:
    points = tmp_path / "points"
    file.write_text(SPECIFICATION.replace("[[parameters]]", PREDICTED), encoding="utf-8")
    assert sluice("calibrate", file, "--points", points).status == 0
    document = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
    first, second, third = document["rows"]
    assert "predicted" not in first | second
    assert third["row"] == "64-bit duplex HP0,1,2,3"
    assert third["predicted"]
    assert third["left_out_error_percent"] == third["error_percent"]
    errors = [abs(row["error_percent"]) for row in document["rows"]]
    assert document["worst_percent"] == max(errors)
    # The search measured the two fitted rows.
    for line in points.read_text(encoding="utf-8").splitlines()[1:]:
        assert len(json.loads(line)[1]) == 2


def test_a_bad_predicted_row_is_refused_before_the_search(
    refused: Callable[..., str], file: Path, tmp_path: Path
) -> None:
    points = tmp_path / "points"
    unpublished = PREDICTED.replace("[[rows]]", '[[rows]]\nexperiment = "zynq-110"')
    unpublished = unpublished.replace("duplex", "mm2s")
    file.write_text(SPECIFICATION.replace("[[parameters]]", unpublished), encoding="utf-8")
    refusal = refused("calibrate", file, "--points", points)
    assert "nothing is published about 64-bit PS to PL HP0,1,2,3" in refusal
    assert len(points.read_text(encoding="utf-8").splitlines()) == 1  # no point was measured


class Bowl(Fit):
    """A fit whose rows are known functions of the point."""

    def error(self, point: Point) -> tuple[float, ...]:  # noqa: D102
        first, second = point
        self.errors[point] = ((first - 7) / 10 + (second - 20) / 40, (second - 20) / 10)
        return self.errors[point]


def test_the_descent_finds_the_bottom(file: Path) -> None:
    extra = '[[parameters]]\nname = "read_bursts"\nstart = 12\nleast = 0\nmost = 40\nstep = 1\n'
    text = SPECIFICATION.replace(
        "start = 28\nleast = 20\nmost = 36\nstep = 4", "start = 1\nleast = 0\nmost = 9\nstep = 1"
    )
    file.write_text(text + extra, encoding="utf-8")
    fit = Bowl(load_specification(file), file, None, 1, None)  # type: ignore[arg-type]
    assert fit.descend((1, 12)) == (7, 20)
    # Without the second row only the first one counts, which has its zero elsewhere as well.
    assert fit.error(fit.best_without(1))[0] == pytest.approx(0, abs=0.03)


def test_a_first_step_comes_before_the_others(file: Path) -> None:
    extra = '[[parameters]]\nname = "read_bursts"\nstart = 0\nleast = 0\nmost = 4000\nstep = 1\n'
    text = SPECIFICATION.replace(
        "start = 28\nleast = 20\nmost = 36\nstep = 4", "start = 1\nleast = 0\nmost = 9\nstep = 1"
    )
    file.write_text(text + extra.replace("start = 0", "start = 3000"), encoding="utf-8")
    plain = Bowl(load_specification(file), file, None, 1, None)  # type: ignore[arg-type]
    file.write_text(text + extra.replace("start = 0", "start = 3000\nfirst_step = 500"))
    stepped = Bowl(load_specification(file), file, None, 1, None)  # type: ignore[arg-type]
    assert plain.descend((1, 3000)) == stepped.descend((1, 3000)) == (7, 20)
    assert len(stepped.errors) < len(plain.errors) / 10


CPU_SPECIFICATION = """
experiment = "zynq-cpu-access"
works = ["copy, 4 MiB, again", "L1 miss, L2 hit, beside a hit"]
[[parameters]]
name = "l2_path_ps"
start = 10
least = 0
most = 20
step = 5
"""


def test_works_of_the_cpu_are_fitted_too(sluice: Sluice, file: Path, tmp_path: Path) -> None:
    file.write_text(CPU_SPECIFICATION, encoding="utf-8")
    points = tmp_path / "points"
    assert sluice("calibrate", file, "--points", points).status == 0
    text = file.with_suffix(".json").read_text(encoding="utf-8")
    document = json.loads(text)
    assert [row["row"] for row in document["rows"]] == [
        "copy, 4 MiB, again",
        "L1 miss, L2 hit, beside a hit",
    ]
    # The stand-in knows no settings: nothing is better than the start.
    assert document["parameters"][0]["value"] == 10
    assert len(points.read_text(encoding="utf-8").splitlines()) == 1 + document["points_measured"]
    sluice("calibrate", file, "--points", points)
    assert file.with_suffix(".json").read_text(encoding="utf-8") == text


def test_a_work_without_a_published_figure_is_refused(
    refused: Callable[..., str], file: Path
) -> None:
    file.write_text(CPU_SPECIFICATION.replace("copy, 4 MiB, again", "load, L1 hit"))
    assert "nothing is published about 'load, L1 hit'" in refused("calibrate", file)


def test_points_make_a_search_go_on(
    sluice: Sluice, file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    points = tmp_path / "points"
    assert sluice("calibrate", file, "--points", points).status == 0
    kept = points.read_text(encoding="utf-8")
    text = file.with_suffix(".json").read_text(encoding="utf-8")
    monkeypatch.setenv("FAKE_BENCH_LOG", str(tmp_path / "log"))
    sluice("calibrate", file, "--points", points)
    assert file.with_suffix(".json").read_text(encoding="utf-8") == text
    assert points.read_text(encoding="utf-8") == kept
    # Only the final runs of the best point were measured again.
    assert len((tmp_path / "log").read_text(encoding="utf-8").splitlines()) <= 4
    # Of another specification the points are of no use.
    file.write_text(SPECIFICATION.replace("seed = 1", "seed = 2"), encoding="utf-8")
    sluice("calibrate", file, "--points", points)
    assert points.read_text(encoding="utf-8").splitlines()[0] != kept.splitlines()[0]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("seed = 1\n", "", "seed: is missing"),
        ("seed = 1\n", "seed = 1\nsed = 2\n", "sed: unknown key"),
        ("start = 28", "start = 40", "start: must lie between least and most"),
        (
            "direction =",
            "predicted = true\ndirection =",
            "rows: must have one that is not predicted",
        ),
        ('ports = ["0,1", "0,1,2"]', 'ports = ["0,3"]', "no row with exactly these ports"),
        ('bytes = "4MiB"', 'bytes = "64KiB"', "nothing is published about 64-bit duplex HP0,1"),
    ],
)
def test_refusals(
    refused: Callable[..., str], file: Path, old: str, new: str, message: str
) -> None:
    assert old in SPECIFICATION
    file.write_text(SPECIFICATION.replace(old, new), encoding="utf-8")
    assert message in refused("calibrate", file)


def test_the_committed_results_belong_to_their_specifications() -> None:
    root = repository()
    assert root is not None
    for path in sorted((root / "model" / "calibration").glob("*.toml")):
        specification = load_specification(path)
        document = json.loads(specification.result_file.read_text(encoding="utf-8"))
        assert document["specification"] == path.name
        assert [(entry["name"], entry["searched"]) for entry in document["parameters"]] == [
            (parameter.name, [parameter.least, parameter.most, parameter.step])
            for parameter in specification.parameters
        ]
        if isinstance(specification, Specification):
            assert document["conditions"]["skew_ns"] == specification.experiment.defaults.skew_ns
        else:
            assert [row["row"] for row in document["rows"]] == list(specification.works)
