# SPDX-License-Identifier: Apache-2.0
"""Sweeps on this machine: what is measured, kept, gone on with and refused."""

import json
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from calling import PATIENCE_S, Sluice, bench_processes, spawn, wait_for, wait_until
from sluice.sweep.store import journal_of
from sweep.conftest import measured

Spec = Callable[..., Path]
JOBS = 36
MANY_AXES = "\n".join(f'"x.a{i}" = {{from = 0, to = 9998, step = 1}}' for i in range(5))


def test_a_row_for_each_run_of_each_point(sluice: Sluice, spec: Spec, tmp_path: Path) -> None:
    target = tmp_path / "a.parquet"
    done = sluice("sweep", spec(), "-o", target)
    assert done.status == 0, done
    assert f"{JOBS} jobs in {target}" in done.out
    rows = measured(target)
    places = [(row["stagger_bytes"], row["skew_ns"], row["ports"], row["run"]) for row in rows]
    assert places == [
        (stagger, skew, ports, run)
        for stagger in (0, 4096)
        for skew in (0, 100, 200)
        for ports in ("HP0,1", "HP0,2")
        for run in range(3)
    ]
    assert {row["level"] for row in rows} == {"transaction"}
    assert {row["bytes"] for row in rows} == {65536}
    assert all(row["verified"] for row in rows)
    assert not journal_of(target).exists()


def test_figures_are_those_of_run(sluice: Sluice, grid: Path) -> None:
    options = ("--bytes", "64KiB", "--runs", "3", "--skew-ns", "100", "--stagger-bytes", "4096")
    run = sluice("run", "zynq-placement", *options, "--ports", "0,2", "--json", "-").json
    rows = measured(grid)
    here = [r["mb_s"] for r in rows if (r["skew_ns"], r["ports"]) == (100, "HP0,2")]
    assert here[3:] == run["rows"][0]["mb_s"]["samples"]


def test_jobs_change_no_figure(
    sluice: Sluice, grid: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_BENCH_SLEEP_S", "0.01")
    target = tmp_path / "7.parquet"
    assert sluice("sweep", grid.with_suffix(".toml"), "-o", target, "--jobs", "7").status == 0
    assert measured(target) == measured(grid)  # with one job at a time


def test_the_record_says_where_the_rows_come_from(
    sluice: Sluice, spec: Spec, tmp_path: Path
) -> None:
    file = spec()
    said = sluice("sweep", file, "-o", tmp_path / "a.parquet", "--json").json
    assert said == json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    assert (said["format"], said["jobs"], said["wanted"]) == ("sluice-sweep-1", JOBS, JOBS)
    assert not said["partial"]
    assert said["provenance"]["command"] == f"sluice sweep {file} -o {tmp_path / 'a.parquet'}"
    assert said["provenance"]["versions"]["sluice_bench"] == "0.0.0-fake"
    assert said["spec"]["axes"]["defaults.skew_ns"] == [0, 100, 200]
    assert said["document"]["title"] == "Zynq-7010: what the placement of buffers is worth"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_what_is_there_is_kept_and_gone_on_with(
    sluice: Sluice, grid: Path, spec: Spec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    number: signal.Signals,
) -> None:  # fmt: skip
    file, log = spec(("runs = 3", "runs = 1"), name="one"), tmp_path / "log"
    target = tmp_path / "a.parquet"
    words = ("sweep", file, "-o", target, "--jobs", "2")
    process = spawn(*words, FAKE_BENCH_SLEEP_S="0.25", FAKE_BENCH_LOG=str(log), MARK=str(tmp_path))
    wait_for(log, 5)  # two ended before the third began
    process.send_signal(number)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == (-9 if number == signal.SIGKILL else 128 + number)
    if number != signal.SIGKILL:
        assert "jobs are in" in err
        assert not bench_processes(str(tmp_path))
        kept = measured(target)
        assert 1 <= len(kept) < JOBS / 3
        assert json.loads(target.with_suffix(".json").read_text(encoding="utf-8"))["partial"]
    wait_until(lambda: not bench_processes(str(tmp_path)))
    before = len(log.read_text(encoding="utf-8").splitlines())
    monkeypatch.setenv("FAKE_BENCH_LOG", str(log))
    assert sluice(*words, "--continue").status == 0
    again = len(log.read_text(encoding="utf-8").splitlines()) - before
    assert again < JOBS / 3  # less than all
    assert measured(target) == [row for row in measured(grid) if row["run"] == 0]
    assert not journal_of(target).exists()


def test_a_journal_that_was_cut_short_loses_its_last_line(sluice: Sluice, grid: Path) -> None:
    target, file = grid, grid.with_suffix(".toml")
    rows = measured(target)
    target.unlink()
    kept = {name: rows[0][name] for name in rows[0] if name not in ("point", "run", "row")}
    line = json.dumps({"job": [0, 0], "rows": [kept]})
    journal_of(target).write_text(f"{line}\n{line[:40]}", encoding="utf-8")
    assert sluice("sweep", file, "-o", target, "--continue").status == 0
    assert measured(target) == rows


def test_going_on_with_all_of_it_measures_nothing(
    sluice: Sluice, grid: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, file, log = grid, grid.with_suffix(".toml"), tmp_path / "log"
    monkeypatch.setenv("FAKE_BENCH_LOG", str(log))
    rows = measured(target)
    assert sluice("sweep", file, "-o", target, "--continue").status == 0
    assert measured(target) == rows
    assert not log.exists()


def test_a_failure_keeps_what_was_measured(
    sluice: Sluice, spec: Spec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_BENCH_MODE", "fail")  # with run 1
    done = sluice("sweep", spec(), "-o", tmp_path / "a.parquet", "-j", "1")
    assert done.status == 1
    assert "DECERR" in done.err
    rows = measured(tmp_path / "a.parquet")
    assert 0 in {row["run"] for row in rows}
    assert 1 not in {row["run"] for row in rows}


def test_a_record_is_of_its_file_after_a_kill(
    sluice: Sluice, spec: Spec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, file, log = tmp_path / "a.parquet", spec(), tmp_path / "log"
    monkeypatch.setenv("FAKE_BENCH_MODE", "fail")  # with run 1
    assert sluice("sweep", file, "-o", target, "-j", "1").status == 1
    monkeypatch.delenv("FAKE_BENCH_MODE")
    words = ("sweep", file, "-o", target, "--continue", "--jobs", "1")
    process = spawn(*words, FAKE_BENCH_SLEEP_S="60", FAKE_BENCH_LOG=str(log), MARK=str(tmp_path))
    wait_for(log, 1)
    process.kill()
    process.communicate(timeout=PATIENCE_S)
    wait_until(lambda: not bench_processes(str(tmp_path)))
    record = json.loads(target.with_suffix(".json").read_text(encoding="utf-8"))
    assert record["jobs"] == len(measured(target)) > 0


def test_a_full_disk_is_a_sentence_and_keeps_rows(
    sluice: Sluice, spec: Spec, small_disk: Path
) -> None:
    words = ("sweep", spec(("runs = 3", "runs = 40")), "-o", small_disk / "a.parquet", "-j", "1")
    done = sluice(*words)
    assert done.status == 1
    journal = journal_of(small_disk / "a.parquet")
    said = f"sluice: {journal} cannot be written: no space left on device; kept: "
    assert done.err.startswith(said)
    assert done.err.count("\n") == 1
    kept = int(done.err.removeprefix(said).split()[0])
    target = small_disk / "a.parquet"
    there = len(measured(target)) if target.exists() else journal.read_bytes().count(b"\n")
    assert there == kept > 0


def test_a_file_is_written_by_one_command(
    refused: Callable[..., str], sluice: Sluice, spec: Spec, tmp_path: Path
) -> None:
    target, file, log = tmp_path / "a.parquet", spec(), tmp_path / "log"
    words = ("sweep", file, "-o", target)
    process = spawn(*words, "-j", "1", FAKE_BENCH_SLEEP_S="3600", FAKE_BENCH_LOG=str(log))
    wait_for(log, 1)
    for more in ((), ("--continue",)):
        assert refused(*words, *more) == (
            f"sluice: {target} is being written by another command (process {process.pid}); wait "
            "for it, or give another file by -o\n"
        )
    process.kill()
    process.communicate(timeout=PATIENCE_S)
    assert sluice(*words, "--continue").status == 0
    assert {path.name for path in tmp_path.iterdir()} == {
        "a.json", "a.parquet", "grid.toml", "log"
    }  # fmt: skip


def test_samples_are_points_of_the_grid(
    sluice: Sluice, grid: Path, spec: Spec, tmp_path: Path
) -> None:
    some = spec(("runs = 3", "runs = 3\nsamples = 4"), name="some")
    assert sluice("sweep", some, "-o", tmp_path / "some.parquet").status == 0
    found = measured(tmp_path / "some.parquet")
    points = {row["point"] for row in found}
    assert len(points) == 4
    assert found == [r for r in measured(grid) if r["point"] in points]


def test_a_kind_without_chance(sluice: Sluice, tmp_path: Path) -> None:
    file = tmp_path / "card.toml"
    file.write_text(
        'title = "t"\ndescription = "d"\nexperiment = "pcie-descriptors"\n'
        "[set]\nseries = [{code = 'FH', smallest = '32KiB', largest = '64KiB', depth = 256, "
        "completions = 'poll'}]\n"
        "[axes]\nboard = ['pcie-gen2x4', 'pcie-gen3x8']\n",
        encoding="utf-8",
    )
    done = sluice("sweep", file, "-o", tmp_path / "card.parquet")
    assert done.status == 0, done
    rows = measured(tmp_path / "card.parquet")
    assert {row["board"] for row in rows} == {"pcie-gen2x4", "pcie-gen3x8"}
    assert [row["row"] for row in rows if row["point"] == 1] == list(range(len(rows) // 2))
    file.write_text(file.read_text(encoding="utf-8").replace("[set]", "runs = 2\n[set]"))
    done = sluice("sweep", file, "-o", tmp_path / "b.parquet")
    assert done.err == (
        "sluice: runs: 2 runs of an experiment of kind transfers would all be the same; leave "
        "runs out\n"
    )


def test_another_sweep_is_not_gone_on_with(
    refused: Callable[..., str], grid: Path, spec: Spec
) -> None:
    target = grid
    assert refused("sweep", spec(), "-o", target) == (
        f"sluice: {target} exists; give --continue to continue it, or another file by -o\n"
    )
    other = spec(("[0, 4096]", "[0, 8192]"))
    assert refused("sweep", other, "-o", target, "--continue") == (
        f"sluice: {target} holds another sweep, or one of an experiment that has changed since; "
        "give another file by -o\n"
    )


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('experiment = "zynq-placement"', "", "experiment: must be given, or checks, and not both"),
        ("zynq-placement", "none", "there is no experiment 'none'"),
        ("[0, 4096]", "[]", "axes.axes.stagger_bytes: must be a list of values or a range, is an"),
        ("[0, 4096]", "[0, 0]", "axes.axes.stagger_bytes: holds 0 twice"),
        ("[0, 4096]", "[0, 63]", "stagger_bytes: 63 is not possible; give a multiple of 64"),
        ("axes.stagger_bytes", "axes.nothing", "axes.nothing: unknown key; allowed here: "),
        ("defaults.skew_ns", "defaults.seed", "axes: defaults.seed has no effect; give runs and"),
        ('defaults.bytes" = "64KiB"', 'defaults.runs" = 4', "set: defaults.runs has no effect"),
        ("defaults.skew_ns", "skew_ns", "skew_ns: unknown key; allowed here: "),
        ("defaults.skew_ns", "title.x", "axes: 'title.x': the experiment has no table 'title'"),
        ("step = 100", "count = 1", "a range: count: must be at least 2, is 1"),
        (", step = 100", "", "a range: step: must be given, or count, and not both"),
        ("to = 200", "to = 0", "a range: to: must be above from, is 0"),
        ("step = 100", 'count = 3, scale = "log"', "a range: scale: log needs count, and from ab"),
        ("step = 100", "step = 0.001", "a range: step: gives 200001 values; at most 10000 are"),
        ("step = 100", "step = 1e-305", "a range: step: gives 2e+307 values; at most 10000 are"),
        ("step = 100", "step = 1e-310", "a range: step: gives inf values; at most 10000 are"),
        pytest.param("[axes]", f"[axes]\n{MANY_AXES}", "axes: gives more than 922337", id="many"),
        ("runs = 3", "runs = 0", "runs: must be at least 1, is 0"),
        ("runs = 3", "samples = 13", "samples: must be at most 12, the number of points"),
        ("runs = 3", "steps = 3", "steps: unknown key; allowed here: axes, best, checks"),
    ],
)
def test_what_a_file_may_not_say(
    refused: Callable[..., str], spec: Spec, tmp_path: Path, old: str, new: str, sentence: str
) -> None:
    said = refused("sweep", spec((old, new)), "-o", tmp_path / "a.parquet")
    assert sentence in said
    assert not (tmp_path / "a.parquet").exists()


def test_what_the_command_refuses(refused: Callable[..., str], spec: Spec, tmp_path: Path) -> None:
    file = spec()
    assert refused("sweep", file, "-o", "a.csv") == (
        "sluice: -o a.csv is not allowed; give a file that ends in .parquet\n"
    )
    assert refused("sweep", file, "--scheduler", "host", "-o", tmp_path / "a.parquet") == (
        "sluice: --scheduler host is not allowed; give local:N, slurm, or the address of a "
        "scheduler, such as tcp://host:8786\n"
    )
    assert "--jobs 0 is not allowed" in refused("sweep", file, "--jobs", "0")
    assert "cannot be read" in refused("sweep", tmp_path / "none.toml")
