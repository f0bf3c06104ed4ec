# SPDX-License-Identifier: Apache-2.0
"""Source, dropper, FIFO and sink in a row: what one end counts as sent and lost, the other has to count as well."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from cocotb.triggers import ClockCycles
from registers import Registers

from tb import run, seed
from tb.signals import reset
from tb.stalls import parameters

SOURCES = ["stream/tests/stream_chain.sv"]


@pytest.mark.parametrize("width", [64, 512])
def test_stream_chain(width: int) -> None:
    run("stream_chain", {"DataWidth": width}, sources=SOURCES)


@cocotb.test()
async def loss_adds_up(dut: Any) -> None:
    rng = seed("chain")
    words = parameters()["DataWidth"] // 32
    source = Registers(dut, "sl_stream_source", "source_axil")
    sink = Registers(dut, "sl_stream_sink", "sink_axil")
    await reset(dut)
    lossy = 0
    for free in (True, True, True, True, False):
        start = rng.getrandbits(32)
        frame_packets, packet_beats = rng.randint(1, 4), rng.choice([1, 2, 5, 16])
        frames = 600 // (frame_packets * packet_beats)
        await source.write("PACKET_BEATS", packet_beats)
        await source.write("FRAME_PACKETS", frame_packets)
        await source.write("PAUSE_TICKS", rng.randint(0, 2))
        await source.write("FRAMES", frames)
        await source.write("START", start)
        await sink.write("START", start)
        await sink.write("STALL_PROB", rng.choice([60, 130, 220]))
        await sink.write("STALL_SEED", rng.getrandbits(32))
        control = sink.mask("CONTROL_ENABLE") | sink.mask("CONTROL_CHECK") | sink.field("CONTROL_STALL_MODE", 2)
        await sink.write("CONTROL", control | sink.mask("CONTROL_CLEAR"))
        enable = source.mask("CONTROL_ENABLE") | free * source.mask("CONTROL_FREE_RUN")
        await source.write("CONTROL", enable | source.mask("CONTROL_CLEAR"))
        while not await source.read("STATUS") & source.mask("STATUS_DONE"):
            await ClockCycles(dut.clk_i, 20)
        for _ in range(200):
            await ClockCycles(dut.clk_i, 20)
            if not dut.level_o.value:
                break
        await ClockCycles(dut.clk_i, 100)
        total = frames * frame_packets * packet_beats
        dropped, runs = await source.read("DROP_BEATS"), await source.read("DROP_RUNS")
        vanished, first = await source.read("DROP_PACKETS"), await source.read("DROP_FIRST")
        await source.check(BEATS=total, PACKETS=frames * frame_packets)
        marks = int(dut.marks_o.value)
        assert marks in (runs, runs - 1)  # a gap at the very end has nobody to mark
        bad = sink.mask("STATUS_MISMATCH") if marks else 0
        await sink.check(
            BEATS=total - dropped,
            BYTES=(total - dropped) * words * 4,
            GAPS=marks,
            PACKETS=frames * frame_packets - vanished,
            FIRST_BAD=first if marks else 0,
            STATUS=sink.mask("STATUS_SEEN") | bad,
        )
        assert free or not dropped
        lossy += dropped > 0
    assert lossy >= 2
