# SPDX-License-Identifier: Apache-2.0
"""Experiments about transfers of a card, with a stand-in for sluice-bench."""

import importlib
import json
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from calling import PATIENCE_S, Sluice, bench_processes, check, spawn, wait_for
from sluice.errors import InputError
from sluice.experiments.registry import load, read_result
from sluice.experiments.transfers.result import fit_line
from sluice.paths import experiment_files

NAME = "pcie-transfers"
FILE = experiment_files()[NAME]
SMALL = ("--code", "FH", "--size", "4", "--size", "8", "--size", "16")
# Of all series, as few as have a fit.
FEW = ("--size", "4", "--size", "4KiB", "--size", "64KiB")


def test_a_fit_of_each_series_stands_beside_the_printed_one(sluice: Sluice) -> None:
    document = sluice("run", NAME, *FEW, "--json", "-").json
    check(document)
    assert document["kind"] == "transfers"
    fits = {fit["series"]: fit for fit in document["fits"]}
    assert len(fits) == 21
    assert {"FH (polled)", "FM", "GH", "HG (pageable)", "FGR (p2p_window = 3)"} < set(fits)
    fit = fits["FH (polled)"]
    assert fit["code"] == "FH"
    assert fit["bandwidth_mb_s"] == pytest.approx(2000, rel=1e-3)  # 1 ns for 2 bytes
    assert fit["latency_us"] == pytest.approx(2, rel=1e-2)
    assert fit["r2"] == pytest.approx(1, abs=1e-6)
    assert fit["published"]["bandwidth_mb_s"] == 1817
    assert fit["difference"] == pytest.approx(fit["bandwidth_mb_s"] / 1817 - 1)
    assert fits["HM"]["published"] is None
    row = next(row for row in document["rows"] if row["bytes"] == 4096 and row["code"] == "FH")
    assert row["us"] == pytest.approx(2 + 2.048)
    assert row["mb_s"] == pytest.approx(4096 / row["us"])
    assert (row["iterations"], row["depth"], row["tags_share"]) == (64, 1, 0.25)


def test_a_fit_weighs_relative_errors() -> None:
    points = [(4.0 * 2**n, 3 + 4.0 * 2**n / 1800) for n in range(24)]
    latency, slope, r2 = fit_line(points)
    assert (latency, 1 / slope, r2) == pytest.approx((3, 1800, 1))
    # The largest is 1 % off: plain least squares would give a latency below 0.
    size, time = points[-1]
    latency, slope, r2 = fit_line([*points[:-1], (size, 1.01 * time)])
    assert latency == pytest.approx(3, rel=0.01)
    assert 1 / slope == pytest.approx(1800, rel=0.01)
    assert r2 < 1


def test_percentiles_are_samples(sluice: Sluice) -> None:
    document = sluice("run", "pcie-latency", "--json", "-").json
    check(document)
    assert document["fits"] == []
    latency = document["rows"][0]["latency"]  # 98 of 100 take 2.002 us, two 9
    assert latency == {
        "min_us": 2.002,
        "p50_us": 2.002,
        "p90_us": 2.002,
        "p99_us": 9.0,
        "max_us": 9.0,
    }


def test_both_directions_count(sluice: Sluice) -> None:
    document = sluice("run", "pcie-descriptors", "--iterations", "7", "--json", "-").json
    check(document)
    row = next(row for row in document["rows"] if row["code"] == "FH+HF")
    assert row["iterations"] == 7
    assert row["mb_s"] == pytest.approx(2 * row["bytes"] / row["us"])
    assert {row["series"] for row in document["rows"]} >= {
        "FH (xdma_stream, depth 256, polled)",
        "FH+HF (depth 256, polled)",
    }


def test_rows_are_chosen(sluice: Sluice) -> None:
    document = sluice(
        "run", NAME, "--code", "HM", "--code", "FH", "--size", "4KiB", "--size", "64", "--json", "-"
    ).json
    check(document)
    found = [(row["code"], row["bytes"]) for row in document["rows"]]
    assert found == [("FH", 64), ("FH", 4096), ("HM", 64), ("HM", 4096)]
    assert document["fits"] == []
    assert document["provenance"]["designs"] == ["xdma"]


def test_level_of_the_chosen_rows_alone(sluice: Sluice) -> None:
    done = sluice("run", "pcie-descriptors", "--level", "transaction", "--code", "FH+HF")
    assert done.status == 0, done.err


@pytest.mark.parametrize("times", [(2.0, 2.0, 2.0), (2.1, 2.05, 2.0)])
def test_times_that_do_not_grow_have_no_fit(sluice: Sluice, times: tuple[float, ...]) -> None:
    document = sluice("run", NAME, *SMALL, "--json", "-").json
    assert len(document["fits"]) == 1
    for row, us in zip(document["rows"], times, strict=True):
        row["us"] = us
    _, result = read_result(json.dumps(document).encode(), "small.json")
    assert [row.us for row in result.rows] == list(times)
    assert result.fits == ()


def test_the_packets_of_one_row_are_recorded(
    sluice: Sluice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, result = tmp_path / "log", tmp_path / "r.json"
    monkeypatch.setenv("FAKE_BENCH_LOG", str(log))
    words = ("run", NAME, "--code", "FH", "--size", "4KiB", "--json", result, "--continue")
    for _ in range(2):  # although the row is known when it is asked for again
        assert sluice(*words, "--tlp", tmp_path / "link.pcap").status == 0
    said = log.read_text(encoding="utf-8").splitlines()
    assert len(said) == 2
    assert all(f"--tlp {tmp_path / 'link.pcap'}" in line for line in said)


def test_a_path_of_a_gpu(sluice: Sluice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log, steps = tmp_path / "log", tmp_path / "steps.csv"
    monkeypatch.setenv("FAKE_BENCH_LOG", str(log))
    words = ("run", NAME, "--code", "FGR", "--code", "HG", "--size", "32MiB", "--json", "-")
    rows = {row["series"]: row for row in sluice(*words).json["rows"]}
    assert set(rows) == {"FGR", "FGR (p2p_window = 3)", "HG", "HG (pageable)"}
    assert {row["gpu"] for row in rows.values()} == {"model quadro-m2000"}
    slot = rows["FGR (p2p_window = 3)"]
    assert slot["settings"] == {"p2p_window": 3}
    assert slot["published"]["mb_s"] == 885
    assert slot["difference"] == pytest.approx(slot["mb_s"] / 885 - 1)
    assert rows["FGR"]["published"] is None
    assert (rows["HG"]["host"], rows["HG (pageable)"]["host"]) == ("pinned", "pageable")
    asked = log.read_text(encoding="utf-8").splitlines()
    assert sum("--set p2p_window=3" in line for line in asked) == 1
    assert sum("--pageable" in line for line in asked) == 1
    assert all("--gpu quadro-m2000" in line for line in asked)

    words = ("run", NAME, "--code", "FIP", "--size", "4KiB", "--log", str(steps))
    assert sluice(*words).status == 0
    assert steps.read_text(encoding="utf-8") == (
        "what,transfer,bytes,start_ns,finish_ns\nc2h,0,4096,0,4048\n"
    )


def test_a_gpu_of_the_machine_and_a_card_that_is_a_device(
    sluice: Sluice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log"
    monkeypatch.setenv("FAKE_BENCH_LOG", str(log))
    words = ("run", NAME, "--size", "4KiB")
    document = sluice(*words, "--cuda", "0", "--code", "GH", "--code", "FH", "--json", "-").json
    check(document)
    assert {row["gpu"] for row in document["rows"]} == {"stub", None}
    gpu = next(row for row in document["rows"] if row["code"] == "GH")
    assert (gpu["clock"], gpu["up_share"]) == ("CLOCK_MONOTONIC_RAW", None)
    assert document["conditions"]["cuda"] == 0
    document = sluice(*words, "--cuda", "0", "--code", "FGR", "--json", "-").json
    assert [row["series"] for row in document["rows"]] == ["FGR"]
    done = sluice(*words, "--cuda", "0", "--code", "GH", "--code", "FH", "-o", tmp_path)
    assert "Time of the machine that measured: GH, GH (pageable). Beside a stub" in done.out
    assert "Simulated time: FH (polled)." in done.out
    assert sluice("report", tmp_path / f"{NAME}.json", "-o", tmp_path / "page").status == 0

    log.unlink()
    document = sluice(*words, "--device", "dev:0000:01:00.0", "--json", "-").json
    check(document)
    assert {row["code"] for row in document["rows"]} == {"FH", "HF", "FM", "HM"}
    assert all(
        row[name] is None for row in document["rows"] for name in ("level", "design", "completions")
    )
    assert {row["series"] for row in document["rows"]} == {"FH", "HF", "FM", "HM"}
    assert document["conditions"]["board"] == "dev:0000:01:00.0"
    asked = log.read_text(encoding="utf-8").splitlines()
    assert all("--device dev:0000:01:00.0" in line and "--level" not in line for line in asked)
    words = (*words, "--device", "dev:0000:01:00.0", "--cuda", "0", "--code", "FR", "--json", "-")
    assert sluice(*words).json["rows"][0]["gpu"] == "stub"
    log.unlink()
    words = ("run", NAME, "--size", "4KiB", "--device", "dev:x", "--peer", "0000:02:00.0/2")
    document = sluice(*words, "--json", "-").json
    check(document)
    assert {row["code"] for row in document["rows"]} == {"FH", "HF", "FM", "HM", "FR", "GR"}
    assert document["conditions"]["peer"] == "0000:02:00.0/2"
    asked = log.read_text(encoding="utf-8").splitlines()
    assert sum("--peer 0000:02:00.0/2" in line for line in asked) == 2


def test_a_device_is_measured_once_however_it_would_be_waited_for(sluice: Sluice) -> None:
    for name in ("pcie-latency", "pcie-descriptors"):
        document = sluice("run", name, "--device", "dev:x", "--json", "-").json
        check(document)
        rows = [(row["series"], row["bytes"]) for row in document["rows"]]
        assert len(rows) == len(set(rows)) > 0
        assert not any(word in series for series, _ in rows for word in ("polled", "xdma_stream"))


@pytest.mark.parametrize("where", [("--cuda", "0"), ("--device", "dev:x")])
def test_rows_in_real_time_are_measured_one_at_a_time(
    sluice: Sluice, monkeypatch: pytest.MonkeyPatch, where: tuple[str, str]
) -> None:
    measure = importlib.import_module("sluice.experiments.transfers.measure")
    measure_all, seen = measure.measure_all, []

    def noted(missing: object, jobs: int, on_answer: object) -> object:
        seen.append(jobs)
        return measure_all(missing, jobs, on_answer)

    monkeypatch.setattr(measure, "measure_all", noted)
    assert sluice("run", NAME, "--size", "4", *where, "--jobs", "4").status == 0
    assert seen == [1]


def test_continue_from_an_older_result_keeps_its_level(sluice: Sluice, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    words = ("run", NAME, "--code", "FH", "--size", "4", "--json", path)
    assert sluice(*words, "--level", "transaction").status == 0
    document = json.loads(path.read_text(encoding="utf-8"))
    for row in document["rows"]:
        row["level"] = None  # an older one has it in the conditions alone
    path.write_text(json.dumps(document), encoding="utf-8")
    # RTL is asked for, and is not what is known; the other way is.
    assert sluice(*words, "--continue").status == 0
    levels = [row["level"] for row in json.loads(path.read_text(encoding="utf-8"))["rows"]]
    assert levels == ["rtl"]
    document["rows"][0]["mb_s"] = 1.0
    path.write_text(json.dumps(document), encoding="utf-8")
    assert sluice(*words, "--level", "transaction", "--continue").status == 0
    row = json.loads(path.read_text(encoding="utf-8"))["rows"][0]
    assert (row["mb_s"], row["level"]) == (1.0, "transaction")


def test_continue_takes_no_model_for_a_gpu(
    sluice: Sluice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, path = tmp_path / "log", tmp_path / "r.json"
    monkeypatch.setenv("FAKE_BENCH_LOG", str(log))
    words = ("run", NAME, "--code", "FI", "--size", "4", "--json", path, "--continue")
    # What a stub has measured is measured again: it may be a GPU's turn.
    for gpu in ((), ("--gpu", "gtx-950"), ("--gpu", "gtx-950"), ("--cuda", "0"), ("--cuda", "0")):
        assert sluice(*words, *gpu).status == 0
    asked = log.read_text(encoding="utf-8").splitlines()
    assert len(asked) == 4
    assert "--gpu gtx-950" in asked[1]


def test_continue_measures_only_what_is_missing(
    sluice: Sluice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, result = tmp_path / "log", tmp_path / "r.json"
    monkeypatch.setenv("FAKE_BENCH_LOG", str(log))

    def measured(*words: str) -> int:
        log.unlink(missing_ok=True)
        assert sluice("run", NAME, *words, "--json", result, "--continue").status == 0
        return len(log.read_text(encoding="utf-8").splitlines()) if log.exists() else 0

    assert measured("--code", "FM") == 15
    assert measured("--code", "FM", "--code", "HM") == 19
    assert measured("--code", "FM", "--code", "HM") == 0
    document = json.loads(result.read_text(encoding="utf-8"))
    assert [fit["code"] for fit in document["fits"]] == ["FM", "HM"]
    assert measured("--code", "FM", "--mps", "128") == 15
    assert measured("--code", "FM", "--mps", "128", "--iterations", "3") == 15


def test_a_signal_keeps_the_rows_that_were_measured(tmp_path: Path) -> None:
    log, result = tmp_path / "log", tmp_path / "r.json"
    environment = {"FAKE_BENCH_LOG": str(log), "FAKE_BENCH_SLEEP_S": "3600", "FAKE_BENCH_FREE": "2"}
    process = spawn("run", NAME, "--jobs", "2", "--json", result, **environment)
    wait_for(log, 4)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    document = json.loads(result.read_text(encoding="utf-8"))
    check(document)
    assert document["partial"] is True
    sizes = [row["bytes"] for row in document["rows"]]
    assert len(sizes) == 2
    assert sizes == sorted(sizes)
    assert "stopped by SIGINT; 2 of 485 transfers were measured" in err
    assert bench_processes(str(log)) == []


def test_another_board_or_payload_has_nothing_printed(sluice: Sluice) -> None:
    for options in (["--board", "pcie-gen3x8"], ["--set", "tags=16"], ["--mps", "128"]):
        document = sluice("run", NAME, *SMALL, *options, "--json", "-").json
        check(document)
        assert all(fit["published"] is None for fit in document["fits"])
    assert document["conditions"]["settings"] == {"mps": 128}


def test_the_level_is_passed_on_and_shown(sluice: Sluice, tmp_path: Path) -> None:
    done = sluice("run", "pcie-latency", "--level", "transaction", "-o", str(tmp_path))
    assert done.status == 0, done.err
    assert "transaction level" in done.out
    document = sluice("run", "pcie-latency", "--level", "transaction", "--json", "-").json
    check(document)
    assert document["conditions"]["level"] == "transaction"
    assert all(row["level"] == "transaction" for row in document["rows"])
    document = sluice("run", "pcie-latency", "--json", "-").json
    assert document["conditions"]["level"] is None  # each row says it
    assert all(row["level"] == "rtl" for row in document["rows"])


def test_table_and_page(sluice: Sluice, tmp_path: Path) -> None:
    done = sluice("run", NAME, *FEW, "--size", "8MiB", "-o", str(tmp_path))
    assert done.status == 0, done.err
    for text in ("FH (polled)", "1817", "tags 25 %", "table 8", "GPU: model quadro-m2000"):
        assert text in done.out
    assert "Card at transaction level: FR (polled), GR (polled), GH" in done.out
    assert "GR (polled), 8 MiB" in done.out
    other = tmp_path / "other.json"
    done = sluice("run", NAME, *SMALL, "--set", "tags=16", "--json", other)
    assert "tags = 16" in done.out
    assert "1817" not in done.out
    done = sluice("report", tmp_path / f"{NAME}.json", other, "-o", tmp_path / "report")
    assert done.status == 0, done.err
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    for text in ("FH (polled)", "1817", "8 MiB", "tags = 16"):
        assert text in page
    charts = [path.stem for path in (tmp_path / "report").glob(f"{NAME}-?-rates*.png")]
    places = ("card-gpu", "card-host", "gpu-host", "through-host")  # of many series
    assert sorted(charts) == [*(f"{NAME}-1-rates-{one}" for one in places), f"{NAME}-2-rates"]


def test_wrong_data_is_shown(sluice: Sluice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_BENCH_MODE", "corrupt")
    done = sluice("run", "pcie-latency")
    assert done.status == 1
    assert "WRONG" in done.out


def test_what_the_bench_refuses(sluice: Sluice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_BENCH_MODE", "refuse")
    done = sluice("run", NAME, "--jobs", "1")
    assert done.status == 2
    assert "FH (polled), 4 B: sluice-bench: a transfer has at most 64 bytes, not 4" in done.err


def test_options_that_are_refused(refused: Callable[..., str]) -> None:
    assert "--mps must be one of 128, 256, 512, 1024, is 200" in refused(
        "run", NAME, "--mps", "200"
    )
    assert "--level gates is not allowed; give rtl or transaction" in refused(
        "run", NAME, "--level", "gates"
    )
    assert "--level: design xdma_stream has no level transaction; allowed: rtl" in refused(
        "run", "pcie-descriptors", "--level", "transaction"
    )
    assert "--code GF: pcie-latency has no such transfers; allowed: FH, HF" in refused(
        "run", "pcie-latency", "--code", "GF"
    )
    assert "--size 5 B: pcie-transfers has no such transfers; allowed: 4 B, 8 B" in refused(
        "run", NAME, "--size", "5"
    )
    assert "--size 1 MiB: pcie-transfers has no such transfers" in refused(
        "run", NAME, "--code", "FM", "--size", "1MiB"
    )
    assert "a recording is of one row, and 24 are to be measured" in refused(
        "run", NAME, "--code", "FH", "--tlp", "link.pcap"
    )
    assert "the CPU's copies have no steps" in refused(
        "run", NAME, "--code", "FM", "--size", "4KiB", "--log", "steps.csv"
    )
    assert "there is no directory /none" in refused(
        "run", NAME, "--code", "FH", "--size", "4KiB", "--tlp", "/none/link.pcap"
    )
    assert "no board 'none'" in refused("run", NAME, "--board", "none")
    assert "is beside a card that is a device" in refused("run", NAME, "--peer", "x/2")
    assert "--gpu voodoo is not known; allowed: quadro-m2000, gtx-950" in refused(
        "run", NAME, "--gpu", "voodoo"
    )
    assert "--gpu gtx-950: is a model" in refused("run", NAME, "--gpu", "gtx-950", "--cuda", "0")
    assert "is in the GPU's place" in refused(
        "run", NAME, "--device", "dev:x", "--peer", "x/2", "--cuda", "0"
    )
    for words in (
        ["--mps", "128"],
        ["--level", "rtl"],
        ["--board", "pcie-gen3x8"],
        ["--set", "tags=4"],
    ):
        assert f"{words[0]}: is of simulated cards, not of --device dev:x" in refused(
            "run", NAME, "--device", "dev:x", *words
        )
    for option in ("--device", "--peer"):
        assert "--device and --peer need a name" in refused("run", NAME, option, "")
    device = ("run", NAME, "--device", "dev:x")
    assert "needs a GPU; give --cuda or --peer" in refused(*device, "--code", "GH")
    assert "needs a GPU that copies; give --cuda" in refused(
        *device, "--peer", "0000:02:00.0/2", "--code", "GH"
    )
    assert "has no design 'xdma'" in refused("run", NAME, "--board", "zynq7010")
    assert "of kind transfers, which does not take" in refused("run", NAME, "--runs", "3")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('code = "FM"', 'code = "FX"', "'FX' is not one of FH, HF, FM"),
        ('largest = "64KiB"', 'largest = "65KiB"', "doubled a whole number of times"),
        ('largest = "64KiB"', 'largest = "2B"', "must be no less than smallest"),
        ('code = "HM"', 'code = "FM"', "series that differ in code"),
        ('quantity = "FH"', 'quantity = "XX"', "table 8 has no row 'XX'"),
        ('table = "8"', 'table = "1"', "no column 'bandwidth'"),
        ("fit = true", "depth = 3", "unknown key"),
        ('gpu = "quadro-m2000"', "", r"gpu: must be given: series\[4\] is FR"),
        ('gpu = "quadro-m2000"', 'gpu = "voodoo"', "'voodoo' is not one of quadro-m2000"),
        ('host = "pageable"', 'host = "paged"', "'paged' is not one of pinned, pageable"),
        ('code = "FI"', 'code = "FI"\nhost = "pageable"', "must be pinned, but of GH and HG"),
        ('size = "8MiB"', 'size = "3B"', r"published_rates\[1\].size: must be one of the sizes"),
        ('"GR >=8 MB"', '"GR"', "table text has no row 'GR'"),
    ],
)
def test_wrong_files(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "mine.toml"
    text = FILE.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        load(path)
