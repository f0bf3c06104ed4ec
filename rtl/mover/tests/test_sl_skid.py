# SPDX-License-Identifier: Apache-2.0
"""sl_skid: order and stability under random stalls, one word a cycle, latency 1, no path
through."""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge, Timer

from tb import run, seed, stall
from tb.signals import Writer, reader, reset
from tb.stalls import NO_STALL


async def start(dut: Any) -> None:
    dut.clear_i.value = 0
    dut.in_valid_i.value = 0
    dut.out_ready_i.value = 0
    await reset(dut)


@cocotb.test()
async def random_traffic(dut: Any) -> None:
    await start(dut)
    rng = seed("skid")
    valid, data, ready = Writer(dut.in_valid_i), Writer(dut.in_data_i), Writer(dut.out_ready_i)
    in_ready, out_valid = reader(dut.in_ready_o), reader(dut.out_valid_o)
    out_data = reader(dut.out_data_o)
    model: deque[int] = deque()
    edge = RisingEdge(dut.clk_i)
    offered, taking, word = False, False, 0
    for shares in ((0.3, 0.3), (0.0, 0.4), (0.4, 0.0), (0.0, 0.0)):
        pause_in = stall(rng, shares[0]) if shares[0] else NO_STALL
        pause_out = stall(rng, shares[1]) if shares[1] else NO_STALL
        moved = 0
        for _ in range(1000):
            await edge
            assert bool(out_valid()) == bool(model)
            if taking and model:
                assert out_data() == model.popleft()
                moved += 1
            if offered and in_ready():
                model.append(word)
                offered = False
            assert len(model) <= 2
            if not offered and not pause_in():
                word, offered = rng.getrandbits(13), True
            taking = not pause_out()
            valid(int(offered))
            data(word)
            ready(int(taking))
        assert moved >= (990 if shares == (0.0, 0.0) else 300)


@cocotb.test()
async def no_path_through(dut: Any) -> None:
    """Inputs changed in the middle of a cycle move no output."""
    await start(dut)
    for valid, ready in ((1, 0), (1, 1), (0, 1), (1, 0), (1, 0)):
        await RisingEdge(dut.clk_i)
        await Timer(2, unit="ns")
        before = (dut.in_ready_o.value, dut.out_valid_o.value, dut.out_data_o.value)
        dut.in_valid_i.value = valid
        dut.out_ready_i.value = ready
        dut.in_data_i.value = 5 + valid + ready
        await Timer(1, unit="ns")
        await ReadOnly()
        assert before == (dut.in_ready_o.value, dut.out_valid_o.value, dut.out_data_o.value)


def test_sl_skid() -> None:
    run("sl_skid", {"Width": 13})
