# SPDX-License-Identifier: Apache-2.0
"""`sluice run --device`: the rows of an experiment on a board that is not simulated."""

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from calling import Sluice, check
from sluice.paths import experiment_files

HP = "zynq7010-hp"
DEVICE = ("--device", "dev:card")
ONE = (HP, *DEVICE, "--width", "64", "--direction", "duplex", "--ports", "0,2")


def test_a_row_says_what_was_measured_by_which_clock(sluice: Sluice) -> None:
    done = sluice("run", *ONE, "--json", "-")
    assert done.status == 0, done.err
    document = done.json
    check(document)
    (row,) = document["rows"]
    assert row["device"] == "dev:card"
    assert (row["board"], row["design"], row["ports"]) == ("zynq7010", "hp_stress", ["HP0", "HP2"])
    assert (row["start_cost_ns"], row["skew_ns"]) == (0, 0)
    assert row["expected_mb_s"] == 3200
    assert {run["clock"] for run in row["runs"]} == {"CLOCK_MONOTONIC_RAW"}
    assert document["provenance"]["command"].endswith(
        " --width 64 --direction duplex --ports 0,2 --device dev:card"
    )
    row["runs"][0]["clock"] = "an hourglass"
    with pytest.raises(jsonschema.ValidationError):
        check(document)


def test_simulated_rows_name_no_device(sluice: Sluice) -> None:
    words = (HP, "--width", "64", "--direction", "duplex", "--ports", "0,2", "--json", "-")
    (row,) = sluice("run", *words).json["rows"]
    assert row["device"] is None
    assert {run["clock"] for run in row["runs"]} == {"simulated"}


def test_the_device_is_asked_by_one_process_at_a_time(
    sluice: Sluice, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    monkeypatch.setenv("FAKE_BENCH_LOG", str(log))
    assert sluice("run", *ONE, "--jobs", "1", "--runs", "1").status == 0
    (line,) = log.read_text(encoding="utf-8").splitlines()
    assert "--device dev:card" in line
    for option in ("--board", "--design", "--level", "--set", "--start-cost-ns", "--skew-ns"):
        assert option not in line


def test_table_and_page_name_the_device_and_its_clock(sluice: Sluice, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    said = sluice("run", *ONE, "--json", path).out
    assert "measured on dev:card" in said
    assert "of CLOCK_MONOTONIC_RAW" in said
    assert "simulated" not in said
    assert sluice("report", path, "-o", tmp_path / "r.html").status == 0
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Measured on dev:card: time is CLOCK_MONOTONIC_RAW" in page
    assert "simulated time" not in page
    assert "Start cost" not in page


def test_continue_keeps_runs_of_this_device_only(sluice: Sluice, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    words = ("--json", path, "--continue")
    assert sluice("run", *ONE, *words).status == 0
    first = json.loads(path.read_bytes())["rows"]
    assert sluice("run", *ONE, *words).status == 0
    assert json.loads(path.read_bytes())["rows"] == first
    assert sluice("run", HP, "--device", "dev:other", *ONE[3:], *words).status == 0
    assert json.loads(path.read_bytes())["rows"][0]["device"] == "dev:other"


@pytest.mark.parametrize("width", [4, 12, 2048])
def test_widths_that_no_stream_has_are_refused(
    refused: Callable[..., str], width: int, tmp_path: Path
) -> None:
    path = tmp_path / "mine.toml"
    text = experiment_files()[HP].read_text(encoding="utf-8")
    assert "width_bits = [32, 64]" in text
    text = text.replace("width_bits = [32, 64]", f"width_bits = [{width}]")
    path.write_text(text[: text.index("[published")], encoding="utf-8")
    assert f"a stream has no {width} bits; allowed: 8, 16, 32" in refused("run", path, *DEVICE)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((HP, *DEVICE), "dev:card has one of 32 or 64: say which by --width"),
        ((*ONE[:5], "--direction", "duplex"), "has no port 1. Give --ports; it has 0, 2"),
        ((*ONE[:5], "--ports", "0"), "does not go mm2s at HP0. Give --direction; allowed: duplex"),
        ((*ONE, "--bytes", "2MiB"), "a transfer of 2097152 bytes is not possible"),
        ((*ONE, "--level", "rtl"), "--level is for simulated boards"),
        ((*ONE, "--fast-forward"), "--fast-forward is for simulated boards"),
        ((*ONE, "--skew-ns", "0"), "--skew-ns is for simulated boards"),
        ((*ONE, "--set", "a=1"), "--set is for simulated boards"),
        ((*ONE, "--jobs", "2"), "a device serves one process at a time"),
        ((HP, "--device", "dev:none"), "unknown board 'none'; /dev/sluice has: card"),
        ((HP, "--device", "vfio:0000:00:03.0"), "has dma_loopback, not the hp_stress of"),
        ((*ONE, "--clock-mhz", "inf"), "no clock of inf MHz; allowed: 0.001 to 10000"),
        ((*ONE, "--clock-mhz", "nan"), "no clock of nan MHz; allowed: 0.001 to 10000"),
        ((*ONE, "--clock-mhz", "0"), "no clock of 0 MHz; allowed: 0.001 to 10000"),
        (("zynq-cpu-access", *DEVICE), "of kind cpu, which does not take --device"),
        (("streamif-measures", *DEVICE), "dev:card"),
    ],
)
def test_what_a_device_cannot_do_is_refused(
    refused: Callable[..., str], words: tuple[str, ...], sentence: str
) -> None:
    assert sentence in refused("run", *words)
