# SPDX-License-Identifier: Apache-2.0
"""sl_stream_fifo: order, level, latency, throughput and clear, both kinds of memory."""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from tb import run, seed, stall
from tb.signals import Writer, reader, reset
from tb.stalls import parameters


@pytest.mark.parametrize(
    "config",
    [{"DataWidth": 64, "Depth": 128}, {"DataWidth": 512, "Depth": 16}],
    ids=lambda c: f"{c['DataWidth']}x{c['Depth']}",
)
def test_sl_stream_fifo(config: dict[str, Any]) -> None:
    run("sl_stream_fifo", config)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"DataWidth": 1024}, "DataWidth must be a power of two in 32..512, is 1024"),
        ({"Depth": 48}, "Depth must be a power of two in 4..32768, is 48"),
    ],
)
def test_refused(config: dict[str, Any], message: str) -> None:
    run("sl_stream_fifo", config, expect_build_error=message)


async def move(dut: Any, cycles: int, in_share: float, out_share: float, clears: int = 0) -> tuple[int, int]:
    """Random traffic against a deque; returns beats moved and the highest level."""
    rng = seed(f"{in_share}/{out_share}")
    width, depth = parameters()["DataWidth"], parameters()["Depth"]
    put = {
        n: Writer(getattr(dut, n))
        for n in ("s_axis_tvalid", "s_axis_tdata", "s_axis_tkeep", "s_axis_tlast", "m_axis_tready", "clear_i")
    }
    get = {
        n: reader(getattr(dut, n))
        for n in ("s_axis_tready", "m_axis_tvalid", "m_axis_tdata", "m_axis_tkeep", "m_axis_tlast", "level_o")
    }
    await reset(dut)
    edge = RisingEdge(dut.clk_i)
    pause, hold = stall(rng, in_share), stall(rng, out_share)
    clear_at = set(rng.sample(range(cycles), clears))
    model: deque[tuple[int, int, int]] = deque()
    taken_at: deque[int] = deque()
    beat: tuple[int, int, int] | None = None
    ready = clearing = False
    moved = top = 0
    for cycle in range(cycles):
        await edge
        assert get["level_o"]() == len(model)
        shown = get["m_axis_tvalid"]()
        assert bool(model) or not shown, "a beat from nowhere"
        assert shown or not model or cycle - taken_at[0] < 3, f"beat of cycle {taken_at[0]} not shown in {cycle}"
        if ready and shown:
            taken_at.popleft()
            assert (get["m_axis_tdata"](), get["m_axis_tkeep"](), get["m_axis_tlast"]()) == model.popleft()
            moved += 1
        if beat is not None and get["s_axis_tready"]():
            model.append(beat)
            taken_at.append(cycle)
            beat = None
        assert beat is None or clearing or len(model) >= depth - 1, "not full, but TREADY is low"
        if clearing:
            model.clear()
            taken_at.clear()
        top = max(top, len(model))
        clearing = cycle in clear_at
        if beat is None and not pause():
            last = rng.random() < 0.2
            keep = (1 << (rng.randint(1, width // 8) if last else width // 8)) - 1
            beat = (rng.getrandbits(width), keep, int(last))
        if beat is not None:
            put["s_axis_tdata"](beat[0])
            put["s_axis_tkeep"](beat[1])
            put["s_axis_tlast"](beat[2])
        put["s_axis_tvalid"](int(beat is not None))
        ready = not hold()
        put["m_axis_tready"](int(ready))
        put["clear_i"](int(clearing))
    return moved, top


@cocotb.test()
async def traffic(dut: Any) -> None:
    depth = parameters()["Depth"]
    moved, _ = await move(dut, 600, 0.4, 0.4, clears=4)
    assert moved > 100
    _, top = await move(dut, 600, 0.0, 0.8)
    assert top == depth
    moved, top = await move(dut, 300, 0.0, 0.0)
    assert moved >= 294 and top <= 3  # a beat a cycle
