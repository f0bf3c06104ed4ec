# SPDX-License-Identifier: Apache-2.0
"""Experiments with hardware threads, with a stand-in for sluice-bench."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from calling import Sluice
from sluice.cpu import load_any
from sluice.errors import InputError
from sluice.experiment import load_experiment
from sluice.paths import experiment_files
from sluice.published import Conditions
from sluice.threads import ThreadsExperiment

TEXT = """
kind = "threads"
title = "Threads"
description = "Beside one another."
board = "zynq7010"
design = "hp_stress"
plot = "slowest thread"

[[case]]
name = "alone"
scenario = "isolation"
options = { threads = "6", rogue = "idle" }

[[case]]
name = "in a row"
scenario = "pipeline"
options = { pipelines = "2", through-memory = true }
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_cases_become_commands_and_figures(sluice: Sluice, file: Path, tmp_path: Path) -> None:
    result = tmp_path / "mine.json"
    done = sluice("run", file, "--json", result)
    assert done.status == 0, done.err
    assert "795.2" in done.out
    document = sluice("run", file, "--json", "-").json
    assert document["format"] == "sluice-threads-result-1"
    alone, row = document["rows"]
    assert alone["command"] == (
        "isolation --board zynq7010 --design hp_stress --threads 6 --rogue idle"
    )
    assert row["command"].endswith("--pipelines 2 --through-memory")
    assert row["figures"][0] == {"name": "slowest thread", "value": 790.5, "unit": "MB/s"}
    done = sluice("report", result, "-o", tmp_path / "report")
    assert done.status == 0, done.err
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    for text in ("in a row", "790.5", "slowest thread", "<svg", "sluice-bench pipeline"):
        assert text in page
    assert (tmp_path / "report" / "mine-cases.png").is_file()


def test_wrong_data_is_told(sluice: Sluice, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_BENCH_MODE", "corrupt")
    done = sluice("run", file)
    assert done.status != 0
    assert "wrong data: alone, in a row" in done.err


def test_options_without_meaning_are_refused(refused: Callable[..., str], file: Path) -> None:
    assert "takes --json and -o alone" in refused("run", file, "--runs", "3")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"isolation"', '"war"', "'war' is none of isolation, pipeline"),
        ('name = "in a row"', 'name = "alone"', "each under its own name"),
        ('plot = "slowest thread"', "", "plot: is missing"),
        ('rogue = "idle"', "rogue = 3", "rogue"),
        ('title = "Threads"', 'title = "Threads"\ncolour = 1', "unknown key"),
    ],
)
def test_wrong_files(file: Path, old: str, new: str, message: str) -> None:
    assert old in TEXT
    file.write_text(TEXT.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        load_any(file)


def test_the_projects_own_are_read() -> None:
    for name in ("streamif-isolation", "streamif-pipeline"):
        assert isinstance(load_any(experiment_files()[name]), ThreadsExperiment)


def test_designs_are_an_axis_with_a_published_column_each() -> None:
    experiment = load_experiment(experiment_files()["streamif-rw"])
    assert experiment.designs == ("streamif_threads", "memif_threads")
    assert experiment.rows == 16
    assert experiment.runs_of(1 << 19, "memif_threads") == 1
    assert experiment.runs_of(1 << 19, "streamif_threads") == experiment.runs > 1
    assert experiment.published is not None
    figure = experiment.published.figure

    def at(design: str, ports: str) -> float | None:
        found = figure(Conditions(32, "duplex", ports, 100, 1 << 20, design))
        return None if found is None else round(found.mb_s / 1.048576, 2)

    assert at("memif_threads", "T0") == 224.56
    assert at("memif_threads", "T0,1,2,3,4,5,6,7") == 235.46
    assert at("streamif_threads", "T0") == 622.45
    assert at("streamif_threads", "T0,1") is None
    assert at("another", "T0") is None


def test_plots_of_several_designs(recorded: list[Path], tmp_path: Path, sluice: Sluice) -> None:
    document = json.loads(recorded[0].read_text(encoding="utf-8"))
    document["experiment"] = "two"
    for row in document["rows"][1::2]:
        row["design"] = "other"
    both = tmp_path / "two.json"
    both.write_text(json.dumps(document), encoding="utf-8")
    done = sluice("report", both, "-o", tmp_path / "report")
    assert done.status == 0, done.err
    assert "two-by-count.png" in done.out
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    for text in ("Rate by number of ports", "hp_stress and other", "other, 64-bit"):
        assert text in page
    ports = document["rows"][0]["ports"]
    document["rows"] = [
        row for row in document["rows"] if row["ports"] == ports and row["width_bits"] == 64
    ]
    document["rows"][0]["placement"]["stagger_bytes"] = 4096
    for index, row in enumerate(document["rows"]):
        row["design"] = "other" if index else "hp_stress"
    both.write_text(json.dumps(document), encoding="utf-8")
    done = sluice("report", both, "-o", tmp_path / "report")
    assert done.status == 0, done.err
    assert "two-by-design.png" in done.out


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("designs = [", 'design = "x"\ndesigns = [', "must not stand beside designs"),
        ('"streamif_threads", "memif', '"memif_threads", "memif', "twice"),
        ("memif_threads = { duplex", "memif_threads = { sideways", "sideways: is none of"),
    ],
)
def test_wrong_designs(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = experiment_files()["streamif-rw"].read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "mine.toml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        load_experiment(path)
