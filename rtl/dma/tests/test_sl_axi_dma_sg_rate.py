# SPDX-License-Identifier: Apache-2.0
"""What the scatter-gather engine reaches, and holds: 64 bits, memory and descriptor port with a latency
of 60 cycles each, a beat a cycle each way."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from pg021 import BD_EOF, BD_SOF, DMASR, SR_ERR, SR_IDLE
from sg_bench import MEMORY_BYTES, SgBench

from tb import run
from tb.figures import commands, figure, percent

LATENCY = 60
TABLE_BYTES = 1 << 18  # two rings of as many descriptors as the bench asks for
# bytes, scattered, least percent of a beat a cycle
GOALS = [(256, False, 80.0), (256, True, 45.0), (1024, False, 95.0), (4096, False, 98.0)]

CONFIG = {"DataWidth": 64, "LenWidth": 14, "MaxBurst": 16, "BufferBeats": 512, "IncludeSg": 1}


@pytest.mark.parametrize("side", ["send", "receive", "both"])
def test_rate(side: str) -> None:
    run("sl_axi_dma", CONFIG, testcase=side)


class Bench(SgBench):
    """Buffers overlap: only the beats' times count here."""

    def ring(self, at: int, count: int, length: int, scattered: bool) -> list[Any]:
        slots = MEMORY_BYTES // 2 // length
        base = 0 if at == 0 else MEMORY_BYTES // 2
        buffers = [(base + i % slots * length, length) for i in range(count)]
        return self.chain(self.places(count, at, scattered), buffers, [BD_SOF | BD_EOF] * count)


async def measure(dut: Any, sides: tuple[str, ...]) -> None:
    bench = Bench(dut, "rate", latency=LATENCY, table_bytes=TABLE_BYTES)
    await bench.begin()
    for length, scattered, goal in GOALS:
        count = commands(min(33 + max(24, 60_000 // length), 200), length)
        for channel in (bench.mm2s, bench.s2mm):
            await channel.reset()
        bench.sink.beats.clear()
        bench.memory.log.w_beats.clear()
        running = []
        if "send" in sides:
            await bench.start(bench.mm2s, bench.ring(0, count, length, scattered))
            running.append(bench.mm2s)
        if "receive" in sides:
            for _ in range(count):
                bench.source.send(bytes(length))
            await bench.start(bench.s2mm, bench.ring(TABLE_BYTES // 2, count, length, scattered))
            running.append(bench.s2mm)
        for channel in running:
            status = await channel.poll(DMASR, SR_IDLE, SR_IDLE, 1_000_000)
            assert not status & SR_ERR
        for side, edges in (("send", bench.sink.beats), ("receive", bench.memory.log.w_beats)):
            if side not in sides:
                continue
            assert len(edges) == count * length // 8
            where = "scattered" if scattered else "contiguous"
            figure(f"{side}, {length} B {where}", percent(edges, length // 8), least=goal)


@cocotb.test()
async def send(dut: Any) -> None:
    await measure(dut, ("send",))


@cocotb.test()
async def receive(dut: Any) -> None:
    await measure(dut, ("receive",))


@cocotb.test()
async def both(dut: Any) -> None:
    await measure(dut, ("send", "receive"))
