# SPDX-License-Identifier: Apache-2.0
"""How fast sl_msgdma is."""

from __future__ import annotations

from typing import Any

import cocotb
from cocotb.triggers import RisingEdge
from msgdma import COMPLETE_IRQ, CONTROL, CT_IRQ_EN, CT_STOP, END_ON_LEN, GEN_EOP, GO, ST_BUSY, Descriptor
from msgdma_bench import HALF, Bench, stop

from tb.figures import RATES, UNLIMITED, commands, figure, percent, rate_name
from tb.signals import reader
from tb.stalls import parameters

P = parameters()
WORK = [(*row, UNLIMITED) for row in RATES] + [(128, 120, 150, 8)]
GOALS = {  # by mode, for each of WORK
    0: (98, 94, 98, 99.5, 99.9, 94),
    1: (97, 94, 98, 99.5, 99.9, 94),
    2: (98, 94, 98.5, 99.5, 99.9, 94),
}


@cocotb.test(skip=int(P.get("QueueDepth", 32)) < 1024)
async def rates(dut: Any) -> None:
    """Issue 3's bench: from the first data beat of the 33rd descriptor to the last, through a queue
    filled beforehand."""
    goals = GOALS[int(P.get("Mode", 0))]
    for (length, latency, few, most), goal in zip(WORK, goals, strict=True):
        label = rate_name(length, latency, outstanding=most)
        bench = Bench(dut, label, latency=latency, max_reads=most, max_writes=most)
        if (length, latency) == RATES[0][:2]:
            await bench.begin()
        bench.fresh()
        dma, memory = bench.dma, bench.memory
        count = commands(few, length)
        await dma.csr.write(CONTROL, CT_STOP)
        await dma.write(Descriptor(0, HALF, length, 0))
        places = HALF // length
        for n in range(count):
            await dma.desc.write(0, n % places * length)
            await dma.desc.write(4, HALF + n % places * length)
            await dma.desc.write(0x1C, GO | END_ON_LEN | GEN_EOP)
        data = b"".join(bytes(memory.memory[n % places * length :][:length]) for n in range(count))
        if bench.mode == 2:
            bench.source.send(data, last=False)
        await dma.csr.write(CONTROL, 0)
        await dma.poll(ST_BUSY, 0, 100_000)
        await bench.clocks(2)
        beats = bench.sink.beats if bench.mode == 1 else memory.log.w_beats
        assert len(beats) == count * length // bench.size
        figure(label, percent(beats, length // bench.size), least=goal)
        if bench.mode == 1:
            assert b"".join(bench.sink.packets) == data and len(bench.sink.packets) == count
        else:
            done = min(count, places) * length
            assert memory.memory[HALF : HALF + done] == data[:done]
        kept = count if bench.p.get("IncludeResponse", 1) else 0
        assert await dma.responses() == [(length, 0)] * kept
        assert await dma.response() == (0, 0)
        stop(bench)


@cocotb.test(skip=int(P.get("Mode", 0)) != 0)
async def one_copy(dut: Any) -> None:
    """The time of one copy of 64 B at latency 20."""
    bench = Bench(dut, "one", latency=20)
    await bench.begin()
    await bench.dma.csr.write(CONTROL, CT_IRQ_EN)
    await bench.dma.write(Descriptor(0, HALF, 64, 0))
    valid, ready, asked = (
        reader(getattr(dut, s)) for s in ("s_axil_desc_wvalid", "s_axil_desc_wready", "m_axi_arvalid")
    )
    edge = RisingEdge(dut.clk_i)
    task = cocotb.start_soon(bench.dma.desc.write(0x1C, GO | COMPLETE_IRQ))
    while not (ready() and valid()):
        await edge
    cycles = address = 0
    while not bench.dma.irq():
        await edge
        cycles += 1
        if not address and asked():
            address = cycles
    await task
    figure("one of 64 B, L=20: GO to ARVALID", address, most=4)
    most = 58 if bench.p.get("CutThrough") else 65
    figure("one of 64 B, L=20: GO to interrupt", cycles, most=most)
