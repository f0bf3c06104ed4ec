# SPDX-License-Identifier: Apache-2.0
"""sl_fifo against a Python deque: order, level, latency, throughput, clear."""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from tb import run, seed, stall
from tb.signals import Writer, reader, reset
from tb.stalls import parameters


async def start(dut: Any) -> None:
    dut.clear_i.value = 0
    dut.in_valid_i.value = 0
    dut.out_ready_i.value = 0
    await reset(dut)


async def move(dut: Any, cycles: int, in_share: float, out_share: float, clear: float = 0.0) -> int:
    """Random traffic against a deque; returns the number of words moved."""
    rng = seed(f"{in_share}/{out_share}/{clear}")
    depth, width = parameters()["Depth"], parameters()["Width"]
    bypass = parameters().get("Bypass", 1)
    pause_in, pause_out = stall(rng, in_share), stall(rng, out_share)
    valid, data, ready = Writer(dut.in_valid_i), Writer(dut.in_data_i), Writer(dut.out_ready_i)
    set_clear = Writer(dut.clear_i)
    in_ready, out_valid, out_data = (
        reader(dut.in_ready_o),
        reader(dut.out_valid_o),
        reader(dut.out_data_o),
    )
    count = reader(dut.count_o)
    model: deque[int] = deque()
    edge = RisingEdge(dut.clk_i)
    set_clear(1)
    await edge
    set_clear(0)
    await edge
    word, offered, taking, clearing, moved = 0, False, False, False, 0
    for _ in range(cycles):
        await edge
        assert not (out_valid() and not model), "a word from an empty FIFO"
        assert out_valid() or not model or not bypass, "a held word is not shown"
        assert len(model) - 3 <= count() <= len(model) and (depth > 64 or count() == len(model))
        if taking and out_valid():
            assert out_data() == model.popleft()
            moved += 1
        if offered and in_ready():
            model.append(word)
            offered = False
        if clearing:
            model.clear()
        if not offered and not pause_in():
            word = rng.getrandbits(width)
            offered = True
        taking = not pause_out()
        clearing = rng.random() < clear
        valid(int(offered))
        data(word)
        ready(int(taking))
        set_clear(int(clearing))
    assert len(model) <= depth + 3
    return moved


@cocotb.test()
async def random_traffic(dut: Any) -> None:
    await start(dut)
    for shares in ((0.3, 0.3), (0.1, 0.5), (0.6, 0.1), (0.0, 0.3), (0.3, 0.0)):
        assert await move(dut, 1500, *shares) > 300


@cocotb.test()
async def random_clear(dut: Any) -> None:
    await start(dut)
    await move(dut, 2000, 0.2, 0.4, 0.02)


@cocotb.test()
async def full_rate(dut: Any) -> None:
    """One word a cycle through any fill level: first filled a little by a stalled output, then
    never a gap."""
    await start(dut)
    depth, least = parameters()["Depth"], 0 if parameters().get("Bypass", 1) else 2
    for ahead in (a for a in (0, 1, 2, 3, 5, 40) if least <= a < depth - 1):
        dut.clear_i.value = 1
        dut.in_valid_i.value = 0
        await RisingEdge(dut.clk_i)
        dut.clear_i.value = 0
        dut.in_valid_i.value = 1
        taken = 0
        for cycle in range(ahead + 41):
            dut.in_data_i.value = cycle & 1
            dut.out_ready_i.value = int(cycle > ahead)
            await RisingEdge(dut.clk_i)
            if cycle > ahead:
                assert dut.out_valid_o.value == 1, f"gap in cycle {cycle} with {ahead} words ahead"
                assert int(dut.out_data_o.value) & 1 == taken & 1
                taken += 1


@cocotb.test()
async def latency(dut: Any) -> None:
    """A word taken at edge t is at the output before edge t + 1, and not before edge t; without
    the bypass before edge t + 3."""
    await start(dut)
    cycles = 1 if parameters().get("Bypass", 1) else 3
    dut.in_valid_i.value = 1
    dut.in_data_i.value = 1
    dut.out_ready_i.value = 1
    for _ in range(cycles):
        await RisingEdge(dut.clk_i)
        assert dut.out_valid_o.value == 0
        dut.in_valid_i.value = 0
    await RisingEdge(dut.clk_i)
    assert dut.out_valid_o.value == 1


@pytest.mark.parametrize(("width", "depth", "bypass"), [(9, 2, 1), (37, 32, 1), (66, 128, 1), (66, 128, 0)])
def test_sl_fifo(width: int, depth: int, bypass: int) -> None:
    run("sl_fifo", {"Width": width, "Depth": depth, "Bypass": bypass})


def test_refuses_depth() -> None:
    run(
        "sl_fifo",
        {"Depth": 24},
        expect_build_error="Depth must be a power of two",
    )
