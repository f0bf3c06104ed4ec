# SPDX-License-Identifier: Apache-2.0
"""Experiments with hardware threads, with a stand-in for sluice-bench."""

import json
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from calling import PATIENCE_S, Sluice, check, spawn
from sluice.errors import InputError
from sluice.experiments.rates.experiment import RatesExperiment
from sluice.experiments.rates.published import Conditions
from sluice.experiments.registry import load
from sluice.experiments.threads.experiment import ThreadsExperiment
from sluice.paths import experiment_files
from test_stop import HOUR, bench_processes, wait_for

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
    check(document)
    assert document["kind"] == "threads"
    alone, row = document["rows"]
    assert alone["command"] == (
        "isolation --board zynq7010 --design hp_stress --threads 6 --rogue idle"
    )
    assert row["command"].endswith("--pipelines 2 --through-memory")
    assert row["figures"][0] == {"name": "slowest thread", "value": 790.5, "unit": "MB/s"}
    done = sluice("report", result, "-o", tmp_path / "report")
    assert done.status == 0, done.err
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    for text in ("in a row", "790.5", "slowest thread", "<figure", "sluice-bench pipeline"):
        assert text in page
    assert (tmp_path / "report" / "mine-cases.png").is_file()


def test_wrong_data_is_told(sluice: Sluice, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_BENCH_MODE", "corrupt")
    done = sluice("run", file)
    assert done.status != 0
    assert "2 of 2 rows carried wrong data: alone, in a row" in done.err
    assert "Every byte was verified" not in done.out
    monkeypatch.delenv("FAKE_BENCH_MODE")
    assert "Every byte was verified" in sluice("run", file).out


@pytest.mark.parametrize("name", ["mine", "zynq-cpu-access"])
def test_where_it_cannot_be_written_nothing_is_measured(
    refused: Callable[..., str],
    file: Path,
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log = tmp_path / "log"
    monkeypatch.setenv("FAKE_BENCH_LOG", str(log))
    experiment = file if name == "mine" else name
    assert "is a directory" in refused("run", experiment, "--json", tmp_path)
    assert "cannot be made" in refused("run", experiment, "-o", file / "sub")
    assert not log.exists()


@pytest.mark.parametrize("name", ["mine", "zynq-cpu-access"])
def test_a_file_that_fails_costs_neither_the_table_nor_the_other(
    sluice: Sluice, file: Path, name: str, tmp_path: Path
) -> None:
    experiment = file if name == "mine" else name
    done = sluice("run", experiment, "--json", "/dev/full", "-o", tmp_path)
    assert done.status == 1
    assert "/dev/full cannot be written" in done.err
    assert (tmp_path / f"{name}.json").is_file()
    assert "MB = 10^6 bytes" in done.out


def test_a_failure_keeps_what_was_measured(
    sluice: Sluice, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_BENCH_MODE", "fail")
    result = tmp_path / "mine.json"
    done = sluice("run", file, "--json", result)
    assert done.status == 1
    assert "in a row: sluice-bench: a command failed" in done.err
    assert "795.2" in done.out
    assert "PARTIAL" in done.out
    document = json.loads(result.read_text(encoding="utf-8"))
    assert document["partial"] is True
    assert [row["name"] for row in document["rows"]] == ["alone"]
    monkeypatch.delenv("FAKE_BENCH_MODE")
    assert sluice("report", result, "-o", tmp_path / "report").status == 0
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert "<strong>Partial.</strong>" in page
    assert sluice("run", file, "--json", result).status == 0
    document = json.loads(result.read_text(encoding="utf-8"))
    assert document["partial"] is False


@pytest.mark.parametrize("free", [0, 1])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_keeps_what_was_measured(
    sluice: Sluice, file: Path, tmp_path: Path, number: signal.Signals, free: int
) -> None:
    log, result = tmp_path / "log", tmp_path / "mine.json"
    slow = {"FAKE_BENCH_SLEEP_S": HOUR, "FAKE_BENCH_FREE": str(free)}
    process = spawn("run", file, "--json", result, FAKE_BENCH_LOG=str(log), **slow)
    wait_for(log, free + 1)
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 128 + number
    assert err == f"sluice: stopped by {number.name}; {free} of 2 cases were measured\n"
    assert ("795.2" if free else "Nothing was measured.") in out
    document = json.loads(result.read_text(encoding="utf-8"))
    assert document["partial"] is True
    assert [row["name"] for row in document["rows"]] == ["alone"][:free]
    assert bench_processes(str(log)) == []
    assert sluice("report", result, "-o", tmp_path / "report").status == 0


def test_a_signal_ends_an_experiment_about_the_cpu(tmp_path: Path) -> None:
    log = tmp_path / "log"
    slow = {"FAKE_BENCH_SLEEP_S": HOUR, "FAKE_BENCH_FREE": "1"}
    process = spawn("run", "zynq-cpu-access", FAKE_BENCH_LOG=str(log), **slow)
    wait_for(log, 2)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, err) == (
        143,
        "sluice: stopped by SIGTERM; 1 of 11 works were measured\n",
    )
    assert bench_processes(str(log)) == []


def test_options_without_meaning_are_refused(refused: Callable[..., str], file: Path) -> None:
    assert "of kind threads, which does not take --runs; it takes --jobs, --json and -o" in refused(
        "run", file, "--runs", "3"
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"isolation"', '"war"', "'war' is not one of isolation, pipeline"),
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
        load(file)


def test_the_projects_own_are_read() -> None:
    for name in ("streamif-isolation", "streamif-pipeline"):
        assert isinstance(load(experiment_files()[name])[1], ThreadsExperiment)


def test_designs_are_an_axis_with_a_published_column_each() -> None:
    _, experiment = load(experiment_files()["streamif-rw"])
    assert isinstance(experiment, RatesExperiment)
    assert experiment.design_names == ("streamif_threads", "memif_threads")
    assert experiment.row_count == 16
    assert experiment.runs_of(1 << 19, "memif_threads") == 1
    assert experiment.runs_of(1 << 19, "streamif_threads") == experiment.defaults.runs > 1
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
    assert "two-by-count-rate.png" in done.out
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
    assert "two-rate.png" in done.out


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("designs = [", 'design = "x"\ndesigns = [', "must not be combined with designs"),
        ('"streamif_threads", "memif', '"memif_threads", "memif', "twice"),
        ("memif_threads = { duplex", "memif_threads = { sideways", "sideways: is not one of"),
    ],
)
def test_wrong_designs(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = experiment_files()["streamif-rw"].read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "mine.toml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        load(path)
