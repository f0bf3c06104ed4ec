# SPDX-License-Identifier: Apache-2.0
"""What the scatter-gather engine reaches, and holds: 64 bits, memory and descriptor port with a latency
of 60 cycles each, a beat a cycle each way. `RATES=1` prints the raw figures."""

from __future__ import annotations

import os
from typing import Any

import cocotb
import pytest
from pg021 import BD_EOF, BD_SOF, DMASR, SR_ERR, SR_IDLE
from sg_bench import MEMORY_BYTES, SOURCES, SgBench, makeflags  # noqa: F401

from tb import run

LATENCY = 60
WARM_UP = 33  # the descriptor with whose first beat the measurement begins
# bytes, scattered, least percent of a beat a cycle
GOALS = [(256, False, 80.0), (256, True, 45.0), (1024, False, 95.0), (4096, False, 98.0)]

CONFIG = {"DataWidth": 64, "LenWidth": 14, "MaxBurst": 16, "BufferBeats": 512, "IncludeSg": 1}


@pytest.mark.parametrize("side", ["send", "receive", "both"])
def test_rate(side: str) -> None:
    run("sl_axi_dma", SOURCES, CONFIG, testcase=side)


class Bench(SgBench):
    """Buffers overlap: only the beats' times count here."""

    def ring(self, at: int, count: int, length: int, scattered: bool) -> list[Any]:
        slots = MEMORY_BYTES // 2 // length
        base = 0 if at == 0 else MEMORY_BYTES // 2
        buffers = [(base + i % slots * length, length) for i in range(count)]
        return self.chain(self.places(count, at, scattered), buffers, [BD_SOF | BD_EOF] * count)


def percent(edges: list[int], length: int) -> float:
    """Beats over cycles from the first beat of descriptor WARM_UP to the last beat."""
    beats = edges[(WARM_UP - 1) * length // 8 :]
    return 100 * (len(beats) - 1) / (beats[-1] - beats[0])


async def measure(dut: Any, sides: tuple[str, ...], share: float = 1.0) -> None:
    """`share` of the goals where two directions have one descriptor port."""
    bench = Bench(dut, "rate", latency=LATENCY)
    await bench.begin()
    failures = []
    for length, scattered, goal in GOALS:
        count = WARM_UP + max(24, 60_000 // length)
        count = min(count, 200)
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
            await bench.start(bench.s2mm, bench.ring(0x4000, count, length, scattered))
            running.append(bench.s2mm)
        for channel in running:
            status = await channel.poll(DMASR, SR_IDLE, SR_IDLE, 10_000)
            assert not status & SR_ERR
        for side, edges in (("send", bench.sink.beats), ("receive", bench.memory.log.w_beats)):
            if side not in sides:
                continue
            assert len(edges) == count * length // 8
            rate = percent(edges, length)
            where = "scattered" if scattered else "contiguous"
            if os.environ.get("RATES"):
                print(f"rate: {'+'.join(sides)}: {side} {length} B {where}: {rate:.2f} %, {count} descriptors")
            if rate < goal * share:
                failures.append(f"{side} {length} B {where}: {rate:.2f} %, not {goal * share}")
    assert not failures, "; ".join(failures)


@cocotb.test()
async def send(dut: Any) -> None:
    await measure(dut, ("send",))


@cocotb.test()
async def receive(dut: Any) -> None:
    await measure(dut, ("receive",))


@cocotb.test()
async def both(dut: Any) -> None:
    await measure(dut, ("send", "receive"))
