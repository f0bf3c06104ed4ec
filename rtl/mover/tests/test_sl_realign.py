# SPDX-License-Identifier: Apache-2.0
"""sl_realign against byte lists: any lanes in, dense beats out, both uses (packing, and placing at
an offset), flushes with and without spill, random stalls; one input beat a cycle."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from tb import run, seed, stall
from tb.signals import Writer, reader, reset
from tb.stalls import NO_STALL, parameters

Beat = tuple[int, int, int, int, int, int]  # data, beg, bytes - 1, first, fill, flush


def make(rng: Any, lanes: int, placed: bool, whole: bool) -> tuple[list[Beat], list[list[tuple[int, int]]]]:
    """Input beats, and per output beat the (lane, byte) pairs wanted."""
    beats: list[Beat] = []
    wanted: list[list[tuple[int, int]]] = []
    for _ in range(40):
        fill = rng.randrange(lanes) if placed else 0
        at = fill
        part: list[tuple[int, int]] = []
        runs = rng.randint(1, 6)
        for number in range(runs):
            beg = 0 if whole else rng.randrange(lanes)
            end = lanes - 1 if whole else rng.randrange(beg, lanes)
            raw = rng.randbytes(lanes)
            flush = int(number + 1 == runs)
            first = int(placed and number == 0)
            beats.append((int.from_bytes(raw, "little"), beg, end - beg, first, fill if first else 0, flush))
            for lane in range(beg, end + 1):
                part.append((at, raw[lane]))
                at += 1
                if at == lanes:
                    wanted.append(part)
                    part, at = [], 0
        if part:
            wanted.append(part)
    return beats, wanted


async def check(dut: Any, placed: bool, share: float, whole: bool = False) -> tuple[int, int, int]:
    """Returns input beats, flushes that spilled, cycles."""
    rng = seed(f"{placed}{share}{whole}")
    lanes = parameters()["DataWidth"] // 8
    beats, wanted = make(rng, lanes, placed, whole)
    names = ("data", "beg", "count", "cut", "cut_count", "flush")
    put = [Writer(getattr(dut, f"in_{n}_i")) for n in names]
    start, start_fill = Writer(dut.start_i), Writer(dut.start_fill_i)
    valid, ready = Writer(dut.in_valid_i), Writer(dut.out_ready_i)
    in_ready, out_valid = reader(dut.in_ready_o), reader(dut.out_valid_o)
    data, beg, end, last = (reader(getattr(dut, f"out_{n}_o")) for n in ("data", "beg", "end", "last"))
    pause_in = stall(rng, share) if share else NO_STALL
    pause_out = stall(rng, share) if share else NO_STALL
    edge, middle = RisingEdge(dut.clk_i), FallingEdge(dut.clk_i)
    at_in = at_out = cycles = spills = 0
    started = 0  # beats up to here may be offered: their start_i was given
    offered = taking = False
    while at_in < len(beats) or at_out < len(wanted):
        await middle
        # As early as allowed: in the cycle in which the beat before is taken.
        following = at_in + (offered and taking and in_ready())
        begin = following < len(beats) and following == started and not (offered and following == at_in)
        if begin:
            started += 1
        begin = begin and beats[following][3] == 1
        start(int(begin))
        start_fill(beats[following][4] if begin else rng.randrange(lanes))
        await edge
        cycles += 1
        assert cycles < 20 * len(beats)
        if taking and offered and out_valid():
            want = wanted[at_out]
            assert (beg(), end()) == (want[0][0], want[-1][0])
            raw = data().to_bytes(lanes, "little")
            assert all(raw[lane] == byte for lane, byte in want)
            spills += bool(beats[at_in][5] and not last())
            at_out += 1
        if taking and offered and in_ready():
            at_in += 1
            offered = False
        if at_in < started and not offered and not pause_in():
            word, lane, count, _, _, flush = beats[at_in]
            # The count that is not chosen is any.
            cut = rng.randrange(2)
            counts = [rng.randrange(lanes), rng.randrange(lanes)]
            counts[cut] = count
            for write, value in zip(put, (word, lane, counts[0], cut, counts[1], flush), strict=True):
                write(value)
            offered = True
        taking = not pause_out()
        valid(int(offered))
        ready(int(taking))
    return len(beats), spills, cycles


@cocotb.test()
async def packs_and_places(dut: Any) -> None:
    dut.clear_i.value = 0
    await reset(dut)
    for placed in (False, True):
        for share in (0.0, 0.3):
            await check(dut, placed, share)


@cocotb.test()
async def rate(dut: Any) -> None:
    """One input beat a cycle, and one cycle more for a flush that spills; one to start."""
    dut.clear_i.value = 0
    await reset(dut)
    for placed in (False, True):
        beats, spills, cycles = await check(dut, placed, 0.0, whole=True)
        assert cycles == beats + spills + 1


@pytest.mark.parametrize("width", [32, 64, 512])
def test_sl_realign(width: int) -> None:
    run("sl_realign", {"DataWidth": width})
