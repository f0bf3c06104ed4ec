# SPDX-License-Identifier: Apache-2.0
"""Experiment files: the project's own are right, and a wrong one is told where it is wrong."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from sluice.errors import InputError
from sluice.experiments.rates.experiment import RatesExperiment
from sluice.experiments.rates.published import Conditions, Figure
from sluice.experiments.registry import load
from sluice.paths import experiment_files, find_experiment

HP = experiment_files()["zynq7010-hp"]
STREAMSIZE = experiment_files()["zynq7010-streamsize"]


def load_experiment(path: Path) -> RatesExperiment:
    _, experiment = load(path)
    assert isinstance(experiment, RatesExperiment)
    return experiment


def test_the_thirty_row_study() -> None:
    experiment = load_experiment(HP)
    assert experiment.row_count == 30
    assert experiment.axes.width_bits == (32, 64)
    assert experiment.axes.direction == ("duplex", "mm2s", "s2mm")
    assert list(experiment.axes.ports) == [(0,), (0, 1), (0, 2), (0, 1, 2), (0, 1, 2, 3)]
    assert list(experiment.axes.clock_mhz) == [100]
    assert experiment.sizes == (1 << 20,)
    assert experiment.defaults.full_bytes == 32 << 20


def test_the_sizes_of_the_stream_study() -> None:
    experiment = load_experiment(STREAMSIZE)
    assert experiment.axes.bytes == tuple(1 << n for n in range(6, 25))
    assert [experiment.runs_of(1 << n, "hp_stress") for n in (6, 20, 21, 24)] == [8, 8, 1, 1]
    assert experiment.defaults.full_bytes is None


def figure(experiment: RatesExperiment, *conditions: Any) -> Figure | None:  # noqa: ANN401
    assert experiment.published is not None
    return experiment.published.figure(Conditions(*conditions))


def test_published_means() -> None:
    experiment = load_experiment(HP)
    found = figure(experiment, 64, "duplex", "HP0,2", 100, 1 << 20)
    assert found is not None
    assert (found.relation, found.mb_s, found.min) == ("equal", 3197.63, 3193.18)
    assert (found.max, found.sigma) == (3198.68, 0.8462)
    found = figure(experiment, 64, "mm2s", "HP0,1,2,3", 100, 32 << 20)
    assert found is not None
    assert found.mb_s == 3184.87
    found = figure(experiment, 64, "s2mm", "HP0", 100.0, 1 << 20)
    assert found is not None
    assert found.mb_s == 799.98
    for other in (
        (32, "duplex", "HP0", 100, 1 << 20),  # not given
        (64, "duplex", "HP0", 150, 1 << 20),  # another clock
        (64, "duplex", "HP0", 100, 4096),  # another block
        (64, "duplex", "HP1", 100, 1 << 20),  # not measured
    ):
        assert figure(experiment, *other) is None


def test_published_statement() -> None:
    experiment = load_experiment(STREAMSIZE)
    assert figure(experiment, 64, "duplex", "HP0", 100, 1 << 15) is None
    found = figure(experiment, 64, "duplex", "HP0", 100, 1 << 16)
    assert found is not None
    assert (found.relation, found.mb_s, found.max) == ("above", 1440, None)
    assert figure(experiment, 64, "duplex", "HP0", 200, 1 << 16) is None


def test_the_cyclone_v_studies() -> None:
    experiment = load_experiment(experiment_files()["cyclonev-f2s"])
    assert experiment.row_count == 12
    # Its table has one port, and so no column for ports.
    found = figure(experiment, 128, "mm2s", "F2S0", 100, 4 << 20)
    assert found is not None
    assert (found.table, found.mb_s, found.max) == ("5", 1569.88, 1570.9)
    assert figure(experiment, 128, "mm2s", "F2S1", 100, 4 << 20) is None
    assert figure(experiment, 256, "mm2s", "F2S0", 100, 4 << 20) is None  # not given
    streamsize = load_experiment(experiment_files()["cyclonev-streamsize"])
    assert streamsize.row_count == 19
    assert figure(streamsize, 64, "duplex", "F2S0", 100, 1 << 18) is None
    found = figure(streamsize, 64, "duplex", "F2S0", 100, 1 << 19)
    assert found is not None
    assert (found.relation, found.mb_s) == ("above", 1440)
    assert load_experiment(experiment_files()["cyclonev-110"]).axes.width_bits == (64, 128, 256)


def test_published_series_and_labels() -> None:
    experiment = load_experiment(HP.parent / "streamif-2017.toml")
    found = figure(experiment, 32, "mm2s", "T0", 100, 1 << 20)
    assert found is not None
    assert found.table == "4"
    assert found.mb_s == pytest.approx(331.68 * 1.048576)
    found = figure(experiment, 32, "duplex", "T0", 100, 4 << 20)
    assert found is not None
    assert found.table == "3"
    assert found.mb_s == pytest.approx(622.45 * 1.048576)
    assert figure(experiment, 32, "duplex", "T0,1", 100, 4 << 20) is None  # not given
    assert experiment.labels is not None
    assert experiment.labels.of("s2mm", 3) == {"mode": "wo", "threads": 3}


def test_names() -> None:
    assert find_experiment("zynq7010-hp") == HP
    assert find_experiment(str(HP)) == HP
    with pytest.raises(InputError, match=r"no experiment 'zynq'; experiments: .*zynq7010-hp, "):
        find_experiment("zynq")
    with pytest.raises(InputError, match=r"no experiment file \./gone.toml"):
        find_experiment("./gone.toml")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('board = "zynq7010"\n', "", "board: is missing"),
        ('full_bytes = "32MiB"\n', "", "defaults.full_bytes: is missing: the block that --full"),
        (
            "stagger_bytes = 0\n",
            "",
            "placement.stagger_bytes: is missing, and axes.stagger_bytes too",
        ),
        ('title = "', 'titel = "', "titel: unknown key; allowed here: .*title"),
        ("runs = 4", "runs = 4\nrun = 5", "defaults.run: unknown key; allowed here: bytes, "),
        ("runs = 4", "runs = 0", "defaults.runs: must be at least 1, is 0"),
        ("runs = 4", "runs = 10001", "defaults.runs: must be at most 10000, is 10001"),
        ("runs = 4", 'runs = "4"', "defaults.runs: must be a whole number, is '4'"),
        ("seed = 1", "seed = -1", "defaults.seed: must be at least 0, is -1"),
        ('bytes = "1MiB"\n', 'bytes = "1 mib"\n', "defaults.bytes: '1 mib' is not a size"),
        ('bytes = "1MiB"\n', 'bytes = "0"\n', "defaults.bytes: must be at least 1 byte"),
        (
            '"mm2s", "s2mm"]',
            '"mm2s", "up"]',
            r"axes.direction\[2\]: 'up' is not one of duplex, mm2s, s2mm",
        ),
        ("[32, 64]", "[32, 32]", "axes.width_bits: holds 32 twice"),
        ("[32, 64]", "[]", "axes.width_bits: must be a list with entries"),
        ("[[0], [0, 1]", "[0, [0, 1]", "axes.ports: must be a list of port sets"),
        ("[[0], [0, 1]", "[[1, 0], [0, 1]", r"axes.ports: holds \[0, 1\] twice"),
        ("clock_mhz = [100]", "clock_mhz = [0]", "axes.clock_mhz: must hold clocks above 0"),
        ("clock_mhz = [100]", "clock_mhz = []", "axes.clock_mhz: must hold clocks above 0"),
        ('dataset = "vieira2020"', 'dataset = "v"', "published.dataset: .*v.json cannot be read"),
        ('table = "3"', 'table = "9"', "published.table: .* has no table '9'; tables: 3, 4, 5"),
        ('mean = "average"', 'mean = "avg"', "published.columns.mean: .* no column 'avg'"),
        ('s2mm = "PL to PS" }', "}", "published.directions.s2mm: is missing|not a TOML file"),
        ("stagger_bytes = 0", "stagger_bytes = 0.5", "placement.stagger_bytes: must be a whole"),
        (
            "[axes]",
            "[axes]\nbytes = ['64B']",
            "defaults.bytes: must not be combined with axes.bytes",
        ),
        (
            "runs = 4",
            'runs = 4\nlevel = "up"',
            "defaults.level: 'up' is not one of rtl, transaction",
        ),
        ("[axes]", "[model]\ntREFI = -1\n[axes]", "model.tREFI: must be at least 0, is -1"),
        (
            "[axes]",
            "[axes]\nstagger_bytes = [0, 64]",
            "placement.stagger_bytes: must not be combined with axes.stagger_bytes",
        ),
        ("[axes]", "[axes", "is not a TOML file"),
    ],
)
def test_a_wrong_file(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = HP.read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "wrong.toml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError, match=f"^{re.escape(str(path))}:? .*({message})"):
        load_experiment(path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('unit = "MiB/s"', 'unit = "GB/s"', "published.unit: 'GB/s' is not one of MB/s, MiB/s"),
        ('["3", "streamif_rw"]', '["3"]', "published.series.duplex: must hold a table and a"),
        ('["3", "streamif_rw"]', '["9", "x"]', "published.series.table: .* has no table '9'"),
        ('["3", "streamif_rw"]', '["3", "x"]', "published.series.duplex: .* no column 'x'"),
        ("series = { duplex", "series = { up", "published.series.up: is not one of duplex, mm2s"),
        ('ro", s2mm = "wo" }', 'ro" }', "labels.words.s2mm: is missing"),
    ],
)
def test_a_wrong_series(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = (HP.parent / "streamif-2017.toml").read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "wrong.toml"
    data = HP.parent.parent / "published" / "guven2017.json"
    text = text.replace('"guven2017"', f'"{data}"').replace(old, new, 1)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        load_experiment(path)


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        load_experiment(tmp_path / "gone.toml")
    path = tmp_path / "binary.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="is not a TOML file"):
        load_experiment(path)


def test_published_figures_beside_the_file(tmp_path: Path) -> None:
    data = (HP.parent.parent / "published" / "vieira2020.json").read_bytes()
    (tmp_path / "mine.json").write_bytes(data)
    path = tmp_path / "mine.toml"
    text = HP.read_text(encoding="utf-8").replace('"vieira2020"', '"mine.json"')
    path.write_text(text, encoding="utf-8")
    found = figure(load_experiment(path), 64, "duplex", "HP0", 100, 1 << 20)
    assert found is not None
    assert found.dataset == "mine.json"


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("fast", "published.columns.mean: column 'average' of table 3 of mine.json must hold num"),
        (True, "must hold numbers, holds true"),
        (0, "must hold a figure above 0 here, holds 0"),
        (-1.5, "must hold a figure above 0 here, holds -1.5"),
        ([1], r"published.dataset: .*tables\[0\].rows\[0\]: must have texts, numbers and nulls"),
    ],
)
def test_cells_that_are_no_figure(tmp_path: Path, cell: object, message: str) -> None:
    data = json.loads((HP.parent.parent / "published" / "vieira2020.json").read_bytes())
    table = next(table for table in data["tables"] if table["table"] == "3")
    table["rows"][0][table["columns"].index("average")] = cell
    data["tables"] = [table]
    (tmp_path / "mine.json").write_text(json.dumps(data), encoding="utf-8")
    path = tmp_path / "mine.toml"
    text = HP.read_text(encoding="utf-8").replace('"vieira2020"', '"mine.json"')
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=f"^{re.escape(str(path))}: .*{message}"):
        load_experiment(path)


@pytest.mark.parametrize("share", ["0", "-0.9"])
def test_a_statement_about_no_rate(tmp_path: Path, share: str) -> None:
    text = (HP.parent / "zynq7010-streamsize.toml").read_text(encoding="utf-8")
    path = tmp_path / "wrong.toml"
    path.write_text(re.sub(r"share = [0-9.]+", f"share = {share}", text), encoding="utf-8")
    with pytest.raises(InputError, match=r"published.threshold.share: must be above 0"):
        load_experiment(path)
