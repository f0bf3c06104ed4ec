# SPDX-License-Identifier: Apache-2.0
"""Stall counters and worst waits against a count of every cycle."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from tb import run, seed
from tb.signals import Writer, reader, reset
from tb.stalls import parameters

CAUSES, WORST, MOST = 4, 4, 1023


class Bench:
    """Counts along: what each counter has to be when the shares are in."""

    def __init__(self, dut: Any, label: str) -> None:
        self.dut = dut
        self.rng = seed(label)
        self.channels = int(parameters()["Channels"])
        self.edge = RisingEdge(dut.clk_i)
        self.put = {n: Writer(getattr(dut, n)) for n in ("stall_i", "wait_i", "clear_i", "req_i", "chan_i", "word_i")}
        self.ack, self.data = reader(dut.ack_o), reader(dut.data_o)
        self.counts = [[0] * CAUSES for _ in range(self.channels)]
        self.runs = [0] * self.channels
        self.worst = [0] * self.channels

    async def step(self, stalls: list[int], waits: int) -> None:
        """A cycle: each channel's cause (CAUSES: none), and the channels that wait."""
        self.put["stall_i"](sum(1 << (CAUSES * c + k) for c, k in enumerate(stalls) if k < CAUSES))
        self.put["wait_i"](waits)
        await self.edge
        for c, k in enumerate(stalls):
            if k < CAUSES:
                self.counts[c][k] += 1
            self.runs[c] = self.runs[c] + 1 if waits >> c & 1 else 0
            self.worst[c] = min(MOST, max(self.worst[c], self.runs[c]))

    async def quiet(self, cycles: int) -> None:
        for _ in range(cycles):
            await self.step([CAUSES] * self.channels, 0)

    async def read(self, chan: int, word: int) -> int:
        self.put["chan_i"](chan)
        self.put["word_i"](word)
        self.put["req_i"](1)
        await self.edge
        self.put["req_i"](0)
        self.put["chan_i"](0)
        for _ in range(self.channels + 2):
            await self.edge
            if self.ack():
                return self.data()
        raise AssertionError("no answer")

    async def check(self) -> None:
        await self.quiet(self.channels + 2)
        for c in range(self.channels):
            got = [await self.read(c, word) for word in range(CAUSES)]
            assert got == self.counts[c], f"channel {c}: {got}, not {self.counts[c]}"
            assert await self.read(c, WORST) == self.worst[c]
            assert await self.read(c, WORST + 1) == 0


@cocotb.test()
async def counts(dut: Any) -> None:
    """Any causes, in bursts and one cycle each; every cycle counts, whenever a channel's turn is."""
    bench = Bench(dut, "counts")
    await reset(dut)
    await bench.check()
    rng = bench.rng
    now = [CAUSES] * bench.channels
    waits = 0
    for _ in range(1500):
        for c in range(bench.channels):
            if rng.random() < 0.2:
                now[c] = rng.randint(0, CAUSES)
            if rng.random() < 0.1:
                waits ^= 1 << c
        await bench.step(now, waits)
    await bench.check()
    for k in range(CAUSES):  # one cause all the time: the longest share
        for _ in range(70):
            await bench.step([k] * bench.channels, 0)
    await bench.check()


@cocotb.test()
async def clears(dut: Any) -> None:
    """One channel starts anew, the others go on."""
    bench = Bench(dut, "clears")
    await reset(dut)
    await bench.quiet(bench.channels)
    for chan in range(bench.channels):
        for _ in range(60):
            causes = [bench.rng.randint(0, CAUSES) for _ in range(bench.channels)]
            await bench.step(causes, bench.rng.getrandbits(bench.channels))
        await bench.quiet(bench.channels)
        bench.put["clear_i"](1 << chan)
        await bench.quiet(1)
        bench.put["clear_i"](0)
        bench.counts[chan] = [0] * CAUSES
        bench.worst[chan] = 0
        await bench.check()


@cocotb.test()
async def longest(dut: Any) -> None:
    """The worst wait one cycle short of its end, and beyond it."""
    bench = Bench(dut, "longest")
    await reset(dut)
    for cycles in (1, MOST - 1, MOST, MOST + 5):
        for _ in range(cycles):
            await bench.step([CAUSES] * bench.channels, 1)
        await bench.check()
        assert bench.worst[0] == min(cycles, MOST)


@pytest.mark.parametrize("channels", [2, 6, 16, 32])
def test_sl_streamif_stats(channels: int) -> None:
    run("sl_streamif_stats", {"Channels": channels})


def test_refused() -> None:
    run("sl_streamif_stats", {"Channels": 33}, expect_build_error="Channels must be")
