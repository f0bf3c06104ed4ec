# SPDX-License-Identifier: Apache-2.0
"""sl_axi_gather: a processor's bursts of all kinds on wider block RAM, through random stalls."""

from __future__ import annotations

import random
from typing import Any

import cocotb
import pytest
from axi_pins import Pins
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiBurstType
from test_sl_axi_join import quiet_master
from traffic import FIXED, INCR, WRAP, Burst, random_burst

from tb import run, seed
from tb.signals import reader, reset
from tb.stalls import parameters

SOURCES = ["axi/tests/sl_axi_gather_pins.sv"]
CONFIGURATIONS: list[dict[str, Any]] = [
    {"DataWidth": 32, "IdWidth": 1},
    {"DataWidth": 64, "IdWidth": 12},
    {"DataWidth": 128, "IdWidth": 3, "Beats": 64},
]
OKAY, SLVERR = 0, 2
WORD = 4
IDS = 2


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=lambda c: f"{c['DataWidth']}")
def test_sl_axi_gather(config: dict[str, Any]) -> None:
    run("sl_axi_gather_pins", config, sources=SOURCES)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"SlaveWidth": 64}, "need AXI4 buses of 32 bits, and 32 or more, addresses alike, have 64 and 64"),
        ({"Beats": 8}, "Beats must be a power of two in 16..256, is 8"),
        ({"Beats": 24}, "Beats must be a power of two in 16..256, is 24"),
    ],
)
def test_refused(config: dict[str, Any], message: str) -> None:
    run("sl_axi_gather_pins", config, expect_build_error=message, sources=SOURCES)


def ram_bytes() -> int:
    return 512 * int(parameters()["DataWidth"]) // 8


def place_of(burst: Burst, beat: int) -> int:
    """Address of a word's first byte, of a beat."""
    lanes = burst.lanes(beat, WORD)
    first = (lanes & -lanes).bit_length() - 1
    aligned = burst.addr - burst.addr % burst.size
    if beat == 0 or burst.kind == FIXED:
        at = burst.addr
    elif burst.kind == INCR:
        at = aligned + beat * burst.size
    else:
        total = burst.size * burst.length
        base = burst.addr - burst.addr % total
        at = base + (burst.addr - base + beat * burst.size) % total
    assert at % WORD == first
    return at - first


def legal(rng: random.Random, longest: int) -> Burst:
    burst = random_burst(rng, IDS, WORD, False, longest)
    burst.addr %= 1 << 16  # beyond the RAM too
    return burst


@cocotb.test()
async def bursts_of_all_kinds(dut: Any) -> None:
    """Every byte where its beat's address says, whatever size and type; errors and IDs come back in order."""
    rng = seed("bursts_of_all_kinds")
    image = bytearray(ram_bytes())
    pins = Pins(dut, rng, 0.25, "s_axi")
    await reset(dut)
    pins.start()
    for at in range(0, len(image), 64):  # a known start
        burst = Burst(0, at, 16, WORD, INCR)
        words = [rng.getrandbits(32) for _ in range(16)]
        image[at : at + 64] = b"".join(word.to_bytes(4, "little") for word in words)
        pins.writes.append((burst, [(word, 15) for word in words]))
    await pins.settle()
    for _ in range(40):
        answers, found = len(pins.answers), len(pins.found)
        expected = []
        for _ in range(5):
            burst = legal(rng, rng.choice((16, 256)))
            beats = []
            worst = OKAY
            for beat in range(burst.length):
                data, strobe = rng.getrandbits(32), burst.lanes(beat, WORD)
                if rng.random() < 0.3:
                    strobe &= rng.randrange(16)
                beats.append((data, strobe))
                at = place_of(burst, beat)
                if at >= len(image):
                    worst = SLVERR
                    continue
                for lane in range(WORD):
                    if strobe >> lane & 1:
                        image[at + lane] = data >> 8 * lane & 255
            expected.append((burst.ident, worst))
            pins.writes.append((burst, beats))
        await pins.settle()
        assert pins.answers[answers:] == expected
        reads = [legal(rng, rng.choice((16, 256))) for _ in range(5)]
        pins.reads += reads
        await pins.settle()
        got = iter(pins.found[found:])
        for burst in reads:
            for beat in range(burst.length):
                ident, data, response, last = next(got)
                at = place_of(burst, beat)
                assert (ident, last) == (burst.ident, int(beat == burst.length - 1))
                assert response == (OKAY if at < len(image) else SLVERR)
                for lane in range(WORD):
                    if at < len(image) and burst.lanes(beat, WORD) >> lane & 1:
                        assert data >> 8 * lane & 255 == image[at + lane], f"{at + lane:#x}"


@cocotb.test()
async def the_bus_waits_for_no_data(dut: Any) -> None:
    """Bursts that fit are presented whole however slowly their data comes; of longer ones data is owed."""
    rng = seed("the_bus_waits_for_no_data")
    owed = reader(dut.owed_o)
    pins = Pins(dut, rng, 0.6, "s_axi")
    await reset(dut)
    pins.start()
    waited = 0

    async def watch() -> None:
        nonlocal waited
        while True:
            await RisingEdge(dut.clk_i)
            waited += owed()

    cocotb.start_soon(watch())
    most = int(parameters().get("Beats", 16))
    for length in [most, *(rng.randint(1, most) for _ in range(30))]:
        at = rng.randrange(0, 4096 - WORD * length + 1, WORD)
        pins.writes.append((Burst(0, at, length, WORD, INCR), [(0, 15)] * length))
    await pins.settle()
    assert waited == 0
    pins.writes += [(Burst(0, 0, 256, WORD, INCR), [(0, 15)] * 256) for _ in range(4)]
    await pins.settle()
    assert waited > 0, "the bench sees it"


@cocotb.test()
async def a_beat_a_cycle(dut: Any) -> None:
    """Bursts of 16 follow one another without a gap, each way."""
    pins = Pins(dut, seed("a_beat_a_cycle"), 0, "s_axi")
    await reset(dut)
    count = 60
    pins.writes += [(Burst(0, 64 * n % 1024, 16, WORD, INCR), [(n, 15)] * 16) for n in range(count)]
    pins.start()
    await pins.settle()
    assert pins.ends[-1] - pins.ends[0] <= 16 * (count - 1) + 4
    pins.reads += [Burst(0, 64 * n % 1024, 16, WORD, INCR) for n in range(count)]
    await pins.settle()
    assert pins.beats[-1] - pins.beats[0] <= 16 * count + 4


@cocotb.test()
async def a_master_of_others(dut: Any) -> None:
    """cocotbext-axi's master, which nobody here wrote and whose data may come before its address, finds what it wrote;
    FIXED bursts leave their last beat."""
    rng = seed("a_master_of_others")
    master: Any = quiet_master(dut, "s_axi", rng, 0.2)
    await reset(dut)
    image = bytearray(ram_bytes())
    await master.write(0, bytes(image))
    for _ in range(60):
        length = rng.choice((1, 3, 64, rng.randint(1, 300)))
        at = rng.randrange(len(image) - length)
        data = rng.randbytes(length)
        image[at : at + length] = data
        await master.write(at, data, size=rng.choice((0, 1, 2)))
        at = rng.randrange(len(image) - length)
        assert (await master.read(at, length)).data == image[at : at + length]
    await master.write(64, bytes(range(16)), burst=AxiBurstType.FIXED)
    assert (await master.read(64, 4)).data == bytes(range(12, 16))
    assert WRAP == AxiBurstType.WRAP
