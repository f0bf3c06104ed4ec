# SPDX-License-Identifier: Apache-2.0
"""`sluice plan`: what reaches a wish, in what order, and what limits the rest."""

from collections.abc import Callable
from typing import Any

import pytest

from calling import Sluice
from sluice.errors import InputError
from sluice.units import parse_rate

PLAN = ("plan", "--board", "zynq7010")


@pytest.mark.parametrize(
    ("text", "mb_s"),
    [("600MB/s", 600), ("1.2GB/s", 1200), ("1 MiB/s", 1.048576), ("0.5 kB/s", 0.0005)],
)
def test_rates(text: str, mb_s: float) -> None:
    assert parse_rate(text) == pytest.approx(mb_s)


@pytest.mark.parametrize("text", ["600", "600MB", "MB/s", "-1MB/s", "1e3MB/s", "1 Mb/s", "5/s"])
def test_rates_that_are_none(text: str) -> None:
    with pytest.raises(InputError, match="is not a rate"):
        parse_rate(text)


def found(sluice: Sluice, *options: str) -> list[dict[str, Any]]:
    configurations: list[dict[str, Any]] = sluice(*PLAN, *options, "--json").json["configurations"]
    return configurations


def reaches(configuration: dict[str, Any]) -> bool:
    return any(placement["reaches"] for placement in configuration["placements"])


def test_cheapest_first(sluice: Sluice) -> None:
    bits = [len(entry["ports"]) * entry["width_bits"] for entry in found(sluice, "--read", "1GB/s")]
    assert len(bits) == 10
    assert bits == sorted(bits)


def test_one_way(sluice: Sluice) -> None:
    for option, direction in (("--read", "mm2s"), ("--write", "s2mm")):
        document = sluice(*PLAN, option, "700MB/s", "--json").json
        assert document["direction"] == direction
        enough = [entry for entry in document["configurations"] if reaches(entry)]
        assert enough[0]["ports"] == ["HP0"]
        assert enough[0]["width_bits"] == 64


def test_both_ways_need_the_larger_rate_in_each(sluice: Sluice) -> None:
    entries = found(sluice, "--read", "790MB/s", "--write", "1MB/s")
    single = next(e for e in entries if e["ports"] == ["HP0"] and e["width_bits"] == 64)
    assert reaches(single)
    assert single["placements"][0]["mb_s_a_direction"][1] == pytest.approx(799, rel=0.01)


def test_limits(sluice: Sluice) -> None:
    entries = found(sluice, "--read", "1GB/s", "--clock-mhz", "100")
    assert entries[0]["limits"] == ["ports and clock: 400 MB/s a direction at 100 MHz"]
    assert all(bool(entry["limits"]) != reaches(entry) for entry in entries)
    done = sluice(*PLAN, "--read", "5GB/s", "--clock-mhz", "250")
    assert done.status == 1
    assert "No configuration reaches it." in done.out
    assert "the memory's peak, 4264 MB/s" in done.out


def test_short_chunks(sluice: Sluice) -> None:
    entries = found(sluice, "--read", "700MB/s", "--chunk", "4KiB")
    single = next(e for e in entries if e["ports"] == ["HP0"] and e["width_bits"] == 64)
    assert "chunks of 4 KiB are too short" in single["limits"][0]


def test_the_table(sluice: Sluice) -> None:
    done = sluice(*PLAN, "--read", "1GB/s", "--write", "600MB/s")
    assert done.status == 0
    assert "zynq7010 at 100 MHz, chunks of 1 MiB: read 1000 MB/s and write 600 MB/s" in done.out
    assert "reaches it" in done.out
    assert "Take " in done.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "give --read or --write"),
        (("--read", "fast"), "'fast' is not a rate"),
        (("--read", "1GB/s", "--clock-mhz", "1000"), "no clock of 1000 MHz"),
        (("--read", "1GB/s", "--chunk", "100"), "100 bytes are no multiple"),
        (("--read", "1GB/s", "--jobs", "0"), "--jobs 0 is not allowed"),
    ],
)
def test_refusals(refused: Callable[..., str], options: tuple[str, ...], message: str) -> None:
    assert message in refused(*PLAN, *options)


def test_a_board_that_is_none(refused: Callable[..., str]) -> None:
    assert "there is no board 'x'" in refused("plan", "--board", "x", "--read", "1GB/s")
