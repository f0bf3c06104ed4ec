# SPDX-License-Identifier: Apache-2.0
"""`sluice plan` of a PCI Express card: which queue, which waiting, and what limits the rest."""

import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from calling import PATIENCE_S, Sluice, bench_processes, check, spawn, wait_for
from sluice.experiments.plan import cards, ports
from sluice.experiments.registry import load
from test_stop import HOUR

PLAN = ("plan", "--board", "pcie-gen3x8")
ORDER = [(depth, wait) for depth in (1, 4, 16, 64, 256) for wait in ("interrupt", "poll")]


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Let the stand-in be a card that has a queue and a link; return the file of its commands."""
    path = tmp_path / "log"
    monkeypatch.setenv("FAKE_BENCH_MODE", "card")
    monkeypatch.setenv("FAKE_BENCH_LOG", str(path))
    return path


def limits(sluice: Sluice, *options: str) -> dict[tuple[int, str], list[str]]:
    document = sluice(*PLAN, *options, "--json").json
    check(document)
    assert all(bool(row["limits"]) != row["reaches"] for row in document["rows"])
    return {(row["depth"], row["completions"]): row["limits"] for row in document["rows"]}


def test_cheapest_first(sluice: Sluice, log: Path) -> None:
    document = sluice(*PLAN, "--read", "1MB/s", "--chunk", "4KiB", "--json", "-").json
    check(document)
    assert [(row["depth"], row["completions"]) for row in document["rows"]] == ORDER
    row = document["rows"][0]
    assert (row["form"], row["code"], row["design"]) == ("card", "HF", "xdma")
    assert (row["width_bits"], row["clock_mhz"]) == (256, 250)
    assert row["mb_s_a_direction"] == pytest.approx(4096 / 2.5, rel=1e-3)
    assert document["provenance"]["designs"] == ["xdma"]
    assert document["provenance"]["seed"] is None
    assert len(log.read_text(encoding="utf-8").splitlines()) == len(ORDER)  # none is short


@pytest.mark.parametrize(
    ("options", "code", "direction"),
    [
        (("--read", "1MB/s"), "HF", "mm2s"),
        (("--write", "1MB/s"), "FH", "s2mm"),
        (("--read", "1MB/s", "--write", "1MB/s"), "FH+HF", "duplex"),
    ],
)
def test_directions(
    sluice: Sluice, log: Path, options: tuple[str, ...], code: str, direction: str
) -> None:
    document = sluice(*PLAN, *options, "--json").json
    assert {row["code"] for row in document["rows"]} == {code}
    assert document["conditions"]["direction"] == direction
    assert all(f"--code {code} " in line for line in log.read_text(encoding="utf-8").splitlines())


@pytest.mark.usefixtures("log")
def test_both_ways_need_the_larger_rate_in_each(sluice: Sluice) -> None:
    for small, large in (("--read", "--write"), ("--write", "--read")):
        found = limits(sluice, small, "1MB/s", large, "2GB/s", "--chunk", "4KiB")
        assert found[1, "interrupt"]
        assert not found[4, "interrupt"]


def test_chunks_are_enough(sluice: Sluice, log: Path) -> None:
    for chunk, depth, count in (("256B", 4, 256), ("4KiB", 256, 960), ("64MiB", 1, 2)):
        log.write_text("", encoding="utf-8")
        sluice(*PLAN, "--read", "1MB/s", "--chunk", chunk)
        lines = log.read_text(encoding="utf-8").splitlines()
        assert any(f"--iterations {count} --depth {depth} " in line for line in lines), lines


@pytest.mark.usefixtures("log")
@pytest.mark.parametrize(
    ("options", "configuration", "said"),
    [
        # 4 KiB in 2.5 us, 2 us without the cost of a start, 1.5 us polled, 1 us with neither
        (
            ("--read", "2GB/s", "--chunk", "4KiB"),
            (1, "interrupt"),
            ["software's start cost of 500 ns: at most 1638 MB/s in chunks of 4 KiB"],
        ),
        (
            ("--read", "2.5GB/s", "--chunk", "4KiB"),
            (1, "interrupt"),
            ["waiting by interrupt instead of polling: at most 1638 MB/s"],
        ),
        (
            ("--read", "5GB/s", "--chunk", "4KiB"),
            (1, "poll"),
            ["queue: at most 2731 MB/s with 1 x 4 KiB in flight"],
        ),
        (
            ("--read", "6GB/s", "--chunk", "64B"),
            (256, "poll"),
            [
                (
                    "the link: its wire to the host carries 4190 MB/s in chunks of 64 B, besides "
                    "headers, descriptors and DLLPs (100 % busy)"
                )
            ],
        ),
        (
            ("--read", "3GB/s", "--chunk", "64B"),
            (256, "poll"),
            ["tags: at most 2048 MB/s, reads wait for one 100 % of the time"],
        ),
        (
            ("--write", "7.3GB/s", "--chunk", "64KiB"),
            (256, "poll"),
            ["payload of a packet (MPS): at most 7180 MB/s, 512 B would reach it"],
        ),
    ],
)
def test_limits(
    sluice: Sluice, options: tuple[str, ...], configuration: tuple[int, str], said: list[str]
) -> None:
    assert limits(sluice, *options)[configuration] == said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--read", "9GB/s"), "the link's wires: 7857 MB/s a direction, headers included"),
        (
            ("--write", "900MB/s", "--clock-mhz", "25"),
            "the card's port: 256 bits at 25 MHz carry 800 MB/s a direction",
        ),
    ],
)
def test_bounds_need_no_search(
    sluice: Sluice, log: Path, options: tuple[str, ...], said: str
) -> None:
    found = limits(sluice, *options, "--chunk", "1B")
    assert set(map(tuple, found.values())) == {(said,)}
    assert len(log.read_text(encoding="utf-8").splitlines()) == len(ORDER)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "give --read or --write"),
        (("--read", "fast"), "'fast' is not a rate"),
        (("--read", "1GB/s", "--clock-mhz", "1000"), "no clock of 1000 MHz; allowed: 10 to 500"),
        (("--read", "1GB/s", "--chunk", "256MiB"), "has at most 268435455 bytes, not 268435456"),
        (("--read", "1GB/s", "--chunk", "0B"), "chunk: must be at least 1 byte"),
        (("--read", "1GB/s", "r.json"), "'r.json' is not an option"),
        (("--read", "1GB/s", "--json", "/none/r.json"), "there is no directory /none"),
    ],
)
def test_refusals(refused: Callable[..., str], options: tuple[str, ...], message: str) -> None:
    assert message in refused(*PLAN, *options)


@pytest.mark.usefixtures("real_bench")
def test_a_board_that_has_neither_ports_nor_a_card(refused: Callable[..., str]) -> None:
    said = refused("plan", "--board", "cyclonev", "--read", "1GB/s")
    assert "board cyclonev has no design 'hp_stress'" in said


@pytest.mark.usefixtures("log")
def test_the_table_and_the_page(sluice: Sluice, tmp_path: Path) -> None:
    saved = tmp_path / "card.json"
    done = sluice(*PLAN, "--read", "5GB/s", "--chunk", "4KiB", "--json", str(saved))
    assert done.status == 0, done.err
    for text in ("pcie-gen3x8 at 250 MHz, chunks of 4 KiB: read 5000 MB/s", "reaches it"):
        assert text in done.out
    assert "Queue 4 chunks at a time, and wait by interrupt." in done.out
    done = sluice("report", saved, "-o", tmp_path / "report")
    assert done.status == 0, done.err
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    for text in ("Queue 4 chunks at a time", ">interrupt</td>", "with 1 x 4 KiB in flight"):
        assert text in page
    assert '<th scope="row" class="name">256</th>' in page


def test_wrong_data_and_failures(sluice: Sluice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_BENCH_MODE", "corrupt")
    done = sluice(*PLAN, "--read", "1MB/s")
    assert done.status == 1
    assert "10 of 10 rows carried wrong data: HF, depth 1, interrupt" in done.err
    document = sluice(*PLAN, "--read", "1MB/s", "--json").json
    assert not any(row["reaches"] for row in document["rows"])
    monkeypatch.setenv("FAKE_BENCH_MODE", "refuse")
    done = sluice(*PLAN, "--read", "1MB/s")
    assert done.status == 2
    assert "sluice-bench: a transfer has at most 64 bytes" in done.err


def test_a_signal_ends_all_that_run(tmp_path: Path) -> None:
    log, result = tmp_path / "log", tmp_path / "r.json"
    slow = {"FAKE_BENCH_LOG": str(log), "FAKE_BENCH_SLEEP_S": HOUR}
    process = spawn(*PLAN, "--read", "1GB/s", "--jobs", "3", "--json", result, **slow)
    wait_for(log, 3)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert err == "sluice: stopped by SIGINT; 0 of 10 configurations were measured\n"
    assert json.loads(result.read_text(encoding="utf-8"))["partial"] is True
    assert bench_processes(str(log)) == []


def test_as_many_configurations_as_a_file_says(tmp_path: Path) -> None:
    path = tmp_path / "card.toml"
    path.write_text(
        'kind = "plan"\ntitle = "t"\ndescription = "d"\nboard = "pcie-gen3x8"\nread = "1GB/s"\n',
        encoding="utf-8",
    )
    _, experiment = load(path)
    assert experiment.row_count == len(cards.DEPTHS) * len(cards.WAITS)
    assert experiment.row_count == len(ports.WIDTHS) * len(ports.PORT_SETS)


def test_results_from_before_cards_are_read(sluice: Sluice, tmp_path: Path) -> None:
    document: dict[str, Any] = sluice(
        "plan", "--board", "zynq7010", "--read", "1GB/s", "--json"
    ).json
    for row in document["rows"]:
        assert row.pop("form") == "ports"
    saved = tmp_path / "old.json"
    saved.write_text(json.dumps(document), encoding="utf-8")
    done = sluice("report", saved, "-o", tmp_path / "r.html")
    assert done.status == 0, done.err
    assert "Take HP0" in (tmp_path / "r.html").read_text(encoding="utf-8")


@pytest.mark.usefixtures("real_bench")
def test_a_real_card(sluice: Sluice) -> None:
    found = sluice("plan", "--board", "pcie-gen2x4", "--read", "1GB/s", "--chunk", "4KiB", "--json")
    check(found.json)
    rows = {(row["depth"], row["completions"]): row for row in found.json["rows"]}
    assert all(row["verified"] for row in rows.values())
    assert rows[256, "poll"]["reaches"]
    assert rows[256, "poll"]["down_share"] > 0.95
    assert "queue: at most" in rows[1, "interrupt"]["limits"][-1]
    assert rows[1, "interrupt"]["mb_s_a_direction"] < rows[1, "poll"]["mb_s_a_direction"] < 1000
