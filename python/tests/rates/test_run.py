# SPDX-License-Identifier: Apache-2.0
"""`sluice run` from the command line to the result, with a stand-in for sluice-bench."""

import io
import json
import re
from asyncio.subprocess import Process
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
from rich.console import Console

from calling import Sluice, check
from sluice.errors import InputError
from sluice.experiments.rates.result import RatesResult
from sluice.experiments.rates.show import print_result
from sluice.experiments.registry import read_result
from sluice.experiments.result import to_json
from test_stop import bench_processes

HP = "zynq7010-hp"
ONE = (HP, "--width", "64", "--direction", "duplex", "--ports", "0,2")


def test_one_row_as_json(sluice: Sluice) -> None:
    done = sluice("run", *ONE, "--json", "-")
    assert done.status == 0
    assert done.err == ""
    document = done.json
    check(document)
    assert document["experiment"] == HP
    assert document["partial"] is False
    assert document["provenance"]["versions"]["sluice_bench"] == "0.0.0-fake"
    (row,) = document["rows"]
    assert row["board"] == "zynq7010"
    assert row["design"] == "hp_stress"
    assert row["ports"] == ["HP0", "HP2"]
    assert row["width_bits"] == 64
    assert row["direction"] == "duplex"
    assert row["clock_mhz"] == 100
    assert row["bytes"] == 1 << 20
    assert row["expected_mb_s"] == 3200
    assert row["published"] == 3197.63
    assert row["verified"] is True
    assert row["seed"] == 1
    assert row["difference"] == pytest.approx(row["mb_s"]["mean"] / 3197.63 - 1)
    assert [run["run"] for run in row["runs"]] == [0, 1, 2, 3]
    assert [run["mb_s"] for run in row["runs"]] == row["mb_s"]["samples"]


@pytest.mark.parametrize("index", [0, 1])
def test_a_whole_experiment_obeys_the_schema(recorded: list[Path], index: int) -> None:
    text = recorded[index].read_text(encoding="utf-8")
    check(json.loads(text))
    assert to_json(read_result(text, "r")[1]) == text
    assert len(json.loads(text)["rows"]) == (30, 19)[index]


def test_a_file_and_a_folder(sluice: Sluice, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    assert sluice("run", *ONE, "--json", path, "-o", tmp_path / "a" / "b").status == 0
    assert (tmp_path / "a" / "b" / f"{HP}.json").read_bytes() == path.read_bytes()


def test_the_schema_and_the_reader_name_the_same_fields(sluice: Sluice) -> None:
    document = sluice("run", *ONE, "--json", "-").json
    for path in (
        ("rows", 0, "mb_s", "p99"),
        ("rows", 0, "seed"),
        ("title",),
        ("provenance", "versions"),
    ):
        broken = json.loads(json.dumps(document))
        holder = broken
        for step in path[:-1]:
            holder = holder[step]
        del holder[path[-1]]
        with pytest.raises(jsonschema.ValidationError):
            check(broken)
        with pytest.raises(Exception, match=f"{path[-1]}: is missing"):
            read_result(json.dumps(broken), "r")


def test_table(sluice: Sluice) -> None:
    done = sluice("run", *ONE)
    assert done.status == 0
    for word in ("expected", "min", "median", "mean", "max", "sigma", "eff. %", "publ.", "diff %"):
        assert word in done.out
    assert re.search(r"HP0,2 +3200\.0 .* 3197\.6 +-0\.\d\d\n", done.out)
    assert "64-bit duplex" in done.out
    assert "verified byte by byte" in done.out
    assert "1 MiB blocks" in done.out
    assert done.err == ""  # no progress bar where there is no terminal


def test_a_heading_comes_once(sluice: Sluice, tmp_path: Path) -> None:
    """Though clocks vary within a set of ports."""
    path = tmp_path / "clocks.toml"
    path.write_text(
        'title = "t"\ndescription = "d"\nboard = "zynq7010"\ndesign = "hp_stress"\n'
        '[placement]\nrule = "r"\nstagger_bytes = 0\n'
        '[defaults]\nruns = 1\nseed = 0\npreset = "bare_metal"\nskew_ns = 0\n'
        'bytes = "4KiB"\nfull_bytes = "8KiB"\n'
        '[axes]\nwidth_bits = [64]\ndirection = ["s2mm"]\nports = [[0], [1]]\n'
        "clock_mhz = [50, 60]\n",
        encoding="utf-8",
    )
    heads = [line for line in sluice("run", path).out.splitlines() if line.startswith("64-bit")]
    assert [line.strip() for line in heads] == [
        "64-bit PL to PS, 50 MHz",
        "64-bit PL to PS, 60 MHz",
    ]


@pytest.mark.parametrize("index", [0, 1])
def test_table_fits_eighty_columns(recorded: list[Path], index: int) -> None:
    _, result = read_result(recorded[index].read_bytes(), "r")
    assert isinstance(result, RatesResult)
    console = Console(width=80, file=io.StringIO())
    with console.capture() as shown:
        print_result(result, console)
    figures = [line for line in shown.get().splitlines() if line.startswith((" HP", " 1", "──"))]
    assert len(figures) >= 5
    assert all("…" not in line and len(line.split()) >= 10 for line in figures)


def test_statement_of_the_stream_study(sluice: Sluice) -> None:
    done = sluice("run", "zynq7010-streamsize", "--bytes", "64KiB", "--json", "-")
    (row,) = done.json["rows"]
    assert row["published"] is None
    assert row["published_detail"]["relation"] == "above"
    assert row["published_detail"]["mb_s"] == 1440
    done = sluice("run", "zynq7010-streamsize", "--bytes", "64KiB")
    assert re.search(r">1440\.0 +met", done.out)


def test_same_seed_same_samples_whatever_the_jobs(
    sluice: Sluice, monkeypatch: pytest.MonkeyPatch
) -> None:
    def samples(*options: str) -> list[object]:
        document = sluice(
            "run", HP, "--ports", "0,2", "--width", "64", "--runs", "5", "--json", "-", *options
        ).json
        return [(row["ports"], row["mb_s"]) for row in document["rows"]]

    monkeypatch.setattr("sluice.experiments.rates.runner._JOB_S", 1.0)
    once = samples("--jobs", "1")
    monkeypatch.setattr("sluice.experiments.rates.runner._JOB_S", 0.01)
    assert samples("--jobs", "5") == once
    assert samples("--seed", "2") != once


def test_the_command_line_of_bench(
    sluice: Sluice, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("FAKE_BENCH_LOG", str(tmp_path / "log"))
    options = ("--clock-mhz", "133.5", "--bytes", "64KiB", "--runs", "1", "--seed", "9")
    sluice("run", *ONE, *options, "--start-cost-ns", "0", "--skew-ns", "250", "--json", "-")
    assert (tmp_path / "log").read_text(encoding="utf-8") == (
        "measure --board zynq7010 --design hp_stress --level rtl --width 64 --ports 0,2 "
        "--direction duplex --clock-mhz 133.5 --bytes 65536 --runs 1 --first-run 0 --seed 9 "
        "--start-cost-ns 0 --skew-ns 250 --stagger-bytes 0\n"
    )


def test_level_and_settings_reach_bench(
    sluice: Sluice, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("FAKE_BENCH_LOG", str(tmp_path / "log"))
    options = ("--level", "transaction", "--set", "tREFI=8000", "--stagger-bytes", "4096")
    (row,) = sluice("run", *ONE, *options, "--runs", "1", "--json", "-").json["rows"]
    said = (tmp_path / "log").read_text(encoding="utf-8")
    assert "--level transaction " in said
    assert said.endswith("--stagger-bytes 4096 --set engine.max_read_bursts=6 --set tREFI=8000\n")
    assert row["level"] == "transaction"
    assert row["settings"] == {"engine.max_read_bursts": 6, "tREFI": 8000}
    text = sluice("run", *ONE, *options, "--runs", "1").out
    assert "transaction level" in text
    assert "The memory model was changed: tREFI = 8000." in text
    assert "The engines were changed: max_read_bursts = 6." in text


def test_leaving_out_reaches_bench_and_the_result(
    sluice: Sluice, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "hp.json"
    slow = ("run", *ONE, "--level", "transaction", "--runs", "1")
    sluice(*slow, "--json", file)
    monkeypatch.setenv("FAKE_BENCH_LOG", str(tmp_path / "log"))
    # The run that is there was simulated as a whole.
    done = sluice(*slow, "--fast-forward", "--json", file, "--continue")
    assert done.status == 0, done.err
    assert " --fast-forward --set" in (tmp_path / "log").read_text(encoding="utf-8")
    assert "transaction level, fast-forward, " in done.out
    (row,) = json.loads(file.read_text(encoding="utf-8"))["rows"]
    assert row["fast_forward"] is True
    page = tmp_path / "page"
    assert sluice("report", file, "-o", page).status == 0
    assert "the simulation skipped the middle of long transfers (--fast-forward)" in "".join(
        text.read_text(encoding="utf-8") for text in page.rglob("*.html")
    )


def test_leaving_out_is_of_transactions(refused: Callable[..., str]) -> None:
    said = refused("run", *ONE, "--fast-forward")
    assert "--fast-forward is for --level transaction; give both" in said


@pytest.mark.parametrize("text", ["tREFI", "tREFI=", "=1", "tREFI=-1", "tREFI=1.5"])
def test_a_setting_that_is_none(refused: Callable[..., str], text: str) -> None:
    assert "is not of the form NAME=N" in refused("run", *ONE, "--set", text)


def test_continue_measures_only_what_is_missing(
    sluice: Sluice, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "hp.json"
    whole = sluice("run", *ONE, "--runs", "6", "--json", "-").json
    sluice("run", *ONE, "--runs", "2", "--json", file)
    monkeypatch.setattr("sluice.experiments.rates.runner._JOB_S", 100.0)
    monkeypatch.setenv("FAKE_BENCH_LOG", str(tmp_path / "log"))
    done = sluice("run", *ONE, "--runs", "6", "--json", file, "--continue")
    assert done.status == 0
    assert json.loads(file.read_text(encoding="utf-8"))["rows"] == whole["rows"]
    assert "--runs 4 --first-run 2" in (tmp_path / "log").read_text(encoding="utf-8")
    # Under other conditions nothing that is there is of use.
    (tmp_path / "log").unlink()
    sluice("run", *ONE, "--runs", "6", "--seed", "9", "--json", file, "--continue")
    assert "--runs 6 --first-run 0" in (tmp_path / "log").read_text(encoding="utf-8")


def test_continue_needs_a_file(refused: Callable[..., str]) -> None:
    assert "--continue needs the file" in refused("run", *ONE, "--continue")


def test_the_recorded_command_measures_the_same(sluice: Sluice) -> None:
    more = ("--level", "transaction", "--fast-forward", "--set", "tREFI=8000")
    more = (*more, "--stagger-bytes", "64")
    first = sluice("run", *ONE, "--seed", "5", "--bytes", "4096", *more, "--json", "-").json
    words = first["provenance"]["command"].split()
    assert words[0] == "sluice"
    again = sluice(*words[1:], "--json", "-").json
    assert again["rows"] == first["rows"]


MINE = (
    'title = "t"\ndescription = "d"\nboard = "zynq7010"\ndesign = "hp_stress"\n'
    '[placement]\nrule = "r"\nstagger_bytes = 4096\n'
    '[defaults]\nruns = 1\nseed = 0\npreset = "bare_metal"\nskew_ns = 0\n'
    'bytes = "4KiB"\nfull_bytes = "8KiB"\n'
    '[axes]\nwidth_bits = [64]\ndirection = ["s2mm"]\nports = [[1, 3]]\nclock_mhz = [50, 60]\n'
)


def test_an_experiment_file_of_ones_own(sluice: Sluice, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(MINE, encoding="utf-8")
    document = sluice("run", path, "--json", "-").json
    assert document["experiment"] == "mine"
    assert [(row["ports"], row["clock_mhz"]) for row in document["rows"]] == [
        (["HP1", "HP3"], 50),
        (["HP1", "HP3"], 60),
    ]
    assert document["rows"][0]["placement"] == {"rule": "r", "stagger_bytes": 4096}


def test_attributes_of_the_design_are_an_axis(
    sluice: Sluice, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("FAKE_BENCH_LOG", str(tmp_path / "log"))
    path = tmp_path / "mine.toml"
    path.write_text(MINE + '[axes.attributes]\n"a.b" = [0, 7]\nc = [1]\n', encoding="utf-8")
    saved = tmp_path / "r.json"
    assert sluice("run", path, "--json", saved).status == 0
    said = (tmp_path / "log").read_text(encoding="utf-8").splitlines()
    for value in (0, 7):
        assert sum(line.endswith(f"--attribute a.b={value} --attribute c=1") for line in said) == 2
    assert len(said) == 4
    rows = json.loads(saved.read_text(encoding="utf-8"))["rows"]
    assert [row["attributes"] for row in rows] == 2 * [{"a.b": 0, "c": 1}] + 2 * [
        {"a.b": 7, "c": 1}
    ]
    # They tell runs apart that were saved, and rows that are shown.
    path.write_text(MINE + '[axes.attributes]\n"a.b" = [7, 8]\nc = [1]\n', encoding="utf-8")
    table = sluice("run", path, "--json", saved, "--continue").out
    assert len((tmp_path / "log").read_text(encoding="utf-8").splitlines()) == 4 + 2
    for value in (7, 8):
        assert f"hp_stress, a.b = {value}, c = 1, 64-bit PL to PS" in table
    assert sluice("report", saved, "-o", tmp_path / "out").status == 0
    assert "hp_stress, a.b = 8, c = 1" in (tmp_path / "out/index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gone"], "there is no experiment 'gone'; experiments: "),
        (["./gone.toml"], "there is no experiment file"),
        ([HP, "--width", "48"], "--width 48: zynq7010-hp has no such row; allowed: 32, 64"),
        ([HP, "--width", "wide"], "--width"),
        ([HP, "--direction", "up"], "allowed: duplex, mm2s, s2mm"),
        ([HP, "--ports", "7"], "no port '7'"),
        ([HP, "--ports", "1"], "no row with exactly these ports"),
        ([HP, "--clock-mhz", "9000"], "allowed: 10 to 250"),
        ([HP, "--clock-mhz", "fast"], "--clock-mhz"),
        ([HP, "--start-cost-ns", "0.5"], "--start-cost-ns"),
        ([HP, "--bytes", "0"], "a transfer of 0 bytes is not possible"),
        ([HP, "--bytes", "64MiB"], "board zynq7010 allows 1 to 67108863"),
        ([HP, "--bytes", "7"], "no multiple of a beat"),
        ([HP, "--bytes", "much"], "'much' is not a size"),
        ([HP, "--full", "--bytes", "64"], "give one of them"),
        ([HP, "--runs", "0"], "--runs 0 is not allowed"),
        ([HP, "--jobs", "0"], "--jobs 0 is not allowed"),
        ([HP, "--json", ""], "the name of the file is empty"),
        ([HP, "--json", "/gone/r.json"], "there is no directory /gone"),
        ([HP, "--json", "/"], "it is a directory"),
        ([HP, "-o", "/dev/null/r"], "cannot be made"),
    ],
)
def test_wrong_input(
    refused: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    arguments: list[str],
    message: str,
) -> None:
    log = tmp_path / "log"
    monkeypatch.setenv("FAKE_BENCH_LOG", str(log))
    assert message in refused("run", *arguments)
    assert not log.exists()  # refused before anything was measured


@pytest.mark.parametrize(
    ("mode", "status", "message"),
    [
        ("garbage", 1, "64-bit duplex HP0,2, 1 MiB: sluice-bench printed a line that is not JSON"),
        ("array", 1, "sluice-bench: must be a table"),
        ("short", 1, "ended without reporting run 0"),
        ("silent", 1, "ended without reporting run 0"),
        ("wrong-run", 1, "reported run 1000, which it was not asked for"),
        ("twice", 1, "reported run 0 twice"),
        ("fail", 1, "sluice-bench: port HP0: DMA reports DECERR at 0x20000000"),
        ("crash", 1, "sluice-bench was ended by SIGSEGV"),
        ("refuse", 2, "sluice-bench: --bytes 7 is below 8"),
        ("corrupt", 1, "1 of 1 rows carried wrong data: 64-bit duplex HP0,2"),
    ],
)
def test_bench_that_fails(
    sluice: Sluice,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    mode: str,
    status: int,
    message: str,
) -> None:
    monkeypatch.setenv("FAKE_BENCH_MODE", mode)
    path = tmp_path / "r.json"
    done = sluice("run", *ONE, "--jobs", "1", "--json", path)
    assert done.status == status
    assert message in done.err
    assert "Traceback" not in done.err
    document = json.loads(path.read_text(encoding="utf-8"))
    check(document)
    assert document["partial"] is (mode != "corrupt")
    if mode in ("fail", "crash"):
        assert [run["run"] for run in document["rows"][0]["runs"]] == [0]  # kept
    if mode == "corrupt":
        assert document["rows"][0]["verified"] is False
        assert "WRONG DATA" in done.out


def test_an_earlier_result_stays_where_nothing_was_measured(
    sluice: Sluice, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "r.json"
    assert sluice("run", *ONE, "--json", path).status == 0
    earlier = path.read_bytes()
    monkeypatch.setenv("FAKE_BENCH_MODE", "garbage")
    assert sluice("run", *ONE, "--json", path).status == 1
    assert path.read_bytes() == earlier


@pytest.mark.parametrize("words", [("--set", "a\0=1"), ("--device", "dev:\0")])
def test_a_value_that_no_program_takes(sluice: Sluice, words: tuple[str, str]) -> None:
    done = sluice("run", *ONE, *words)
    assert done.status == 2
    assert done.err.endswith(": a value has a NUL character, which no program accepts\n")
    assert done.err.count("\n") == 1


def test_a_failure_ends_the_others_without_taking_their_exit_status(
    sluice: Sluice, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """These methods reap a process that has just ended; the event loop then complains of it."""
    for name in ("send_signal", "kill", "terminate"):
        monkeypatch.setattr(Process, name, lambda *_: pytest.fail("a process may be reaped twice"))
    log = tmp_path / "log"
    settings = {"MODE": "fail", "SLEEP_S": "3600", "FREE": "1", "LOG": str(log)}
    for name, value in settings.items():
        monkeypatch.setenv(f"FAKE_BENCH_{name}", value)
    done = sluice("run", HP, "--jobs", "4", "--runs", "2", "--bytes", "4KiB")
    assert done.status == 1
    assert done.err.count("\n") == 1
    assert "DMA reports DECERR" in done.err
    assert bench_processes(str(log)) == []


def test_a_result_that_cannot_be_written_in_the_end(sluice: Sluice) -> None:
    done = sluice("run", *ONE, "--json", "/dev/full")
    assert done.status == 1
    assert "/dev/full cannot be written: no space left on device" in done.err
    assert "HP0,2" in done.out  # the table is not lost


def test_the_schema_refuses_a_port_twice_as_the_reader_does(sluice: Sluice) -> None:
    document = sluice("run", *ONE, "--json", "-").json
    document["rows"][0]["ports"] = ["HP0", "HP0"]
    with pytest.raises(jsonschema.ValidationError):
        check(document)
    with pytest.raises(InputError, match=r"rows\[0\].ports: holds 'HP0' twice"):
        read_result(json.dumps(document), "r")


def test_rows_at_overload_are_marked_with_the_models_error(sluice: Sluice) -> None:
    done = sluice("run", HP, "--width", "64", "--direction", "duplex", "--json", "-")
    rows = {",".join(row["ports"]): row for row in done.json["rows"]}
    assert {name for name, row in rows.items() if row["at_overload"]} == {
        "HP0,HP1",
        "HP0,HP1,HP2",
        "HP0,HP1,HP2,HP3",
    }
    error = {"mean_percent": 3.0, "worst_percent": 6.0}
    assert rows["HP0,HP1"]["overload_error"] == error
    assert rows["HP0"]["overload_error"] is None
    table = sluice("run", HP, "--width", "64", "--direction", "duplex").out
    assert re.findall(r"^ (HP[0-9,]*) \*", table, re.MULTILINE) == ["HP0,1", "HP0,1,2", "HP0,1,2,3"]
    assert "3.0 % from silicon on average, 6.0 % at worst" in " ".join(table.split())


def test_software_that_starts_short_blocks_is_no_overload(sluice: Sluice) -> None:
    done = sluice("run", *ONE, "--bytes", "4KiB", "--json", "-")
    (row,) = done.json["rows"]
    assert row["at_overload"] is False
