# SPDX-License-Identifier: Apache-2.0
"""sl_capability against a model that keeps every event of every cycle: constants, periods and
their snapshots, counters read at any moment, wrap, reset."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge

from tb import run, seed
from tb.axil import AxiLite
from tb.signals import reset
from tb.stalls import parameters

PERIOD, PERIODS, SELECT, STATE = 0x00, 0x04, 0x08, 0x0C
SNAPSHOT = (0x10, 0x18, 0x20)  # bytes, time, drops
COUNTERS = {
    "bytes": 0x28,
    "drops": 0x30,
    "beats": 0x40,
    "addr": 0x48,
    "space": 0x50,
    "data": 0x58,
    "resp": 0x60,
    "dones": 0x68,
}
STALLS = ("addr", "space", "data", "resp")


@dataclass
class Channel:
    period: int = 1
    done: int = 0
    count: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTERS, 0))
    # count, cycle by cycle; [0] before any
    history: list[dict[str, int]] = field(default_factory=list)
    snaps: list[tuple[int, int, int]] = field(default_factory=list)  # bytes, time, drops


class Bench:
    def __init__(self, dut: Any, name: str) -> None:
        p = parameters()
        self.dut = dut
        self.rng = random.Random(seed(name).random())
        self.num = p["NumChannels"]
        self.mask = (1 << p["CountWidth"]) - 1
        self.len = p["LenWidth"]
        self.kept = p["Snapshots"]
        self.channels = [Channel() for _ in range(self.num)]
        self.rate = 0.0
        self.bus = AxiLite(dut)
        self.cycle = 0  # cycles since reset: TIME in this one

    async def start(self) -> None:
        d = self.dut
        for name in ("fault_i", "beat_i", "stall_i", "drop_i", "done_i", "done_bytes_i"):
            getattr(d, name).value = 0
        await reset(d)
        cocotb.start_soon(self._drive())
        await RisingEdge(d.clk_i)

    async def _drive(self) -> None:
        """Draws each cycle's events, and counts them."""
        d, rng = self.dut, self.rng
        for c in self.channels:
            c.history.append(dict(c.count))
        # The next events are there one cycle later.
        await ReadOnly()
        self.cycle = int(d.time_q.value)
        while True:
            await RisingEdge(d.clk_i)
            self.cycle += 1
            beat = stall = drop = done = size = 0
            for i, c in enumerate(self.channels):
                if rng.random() < self.rate:
                    kind = rng.choice(("beats", *STALLS))
                    c.count[kind] += 1
                    if kind == "beats":
                        beat |= 1 << i
                    else:
                        stall |= 1 << (4 * i + STALLS.index(kind))
                if rng.random() < self.rate:
                    drop |= 1 << i
                    c.count["drops"] += 1
                if rng.random() < self.rate * 0.3:
                    n = rng.choice((0, 1, rng.getrandbits(self.len), (1 << self.len) - 1))
                    done |= 1 << i
                    size |= n << (self.len * i)
                    c.count["dones"] += 1
                    c.count["bytes"] += n
                    c.done += 1
                    if c.done >= max(c.period, 1):
                        c.done = 0
                        c.snaps.append((c.count["bytes"], self.cycle, c.count["drops"]))
                c.history.append(dict(c.count))
            d.beat_i.value = beat
            d.stall_i.value = stall
            d.drop_i.value = drop
            d.done_i.value = done
            d.done_bytes_i.value = size

    async def read64(self, addr: int) -> int:
        low = await self.bus.read(addr)
        await ClockCycles(self.dut.clk_i, self.rng.choice((1, 2, 30)))
        return low | await self.bus.read(addr + 4) << 32

    def at(self, channel: int, offset: int) -> int:
        return 0x400 + 0x80 * channel + offset

    async def counter(self, channel: int, name: str) -> tuple[int, int, int]:
        """Value, and the model's before and after the read of LO (modulo)."""
        history = self.channels[channel].history
        before = len(history) - 4
        low = await self.bus.read(self.at(channel, COUNTERS[name]))
        after = len(history) - 1
        await ClockCycles(self.dut.clk_i, self.rng.choice((1, 2, 30)))
        high = await self.bus.read(self.at(channel, COUNTERS[name] + 4))
        return high << 32 | low, history[max(before, 0)][name], history[after][name]

    async def quiet(self) -> None:
        self.rate = 0.0
        await ClockCycles(self.dut.clk_i, 6)


@cocotb.test()
async def constants(dut: Any) -> None:
    bench = Bench(dut, "constants")
    await bench.start()
    p = parameters()
    assert await bench.bus.read(0x00) == int.from_bytes(b"SLCP", "big")
    assert await bench.bus.read(0x04) == 0x100
    assert await bench.bus.read(0x08) == 8 | p["LenWidth"] << 8 | 32 << 16 | p["CountWidth"] << 24
    assert await bench.bus.read(0x0C) == 2 | p["NumChannels"] << 8 | p["Snapshots"] << 16
    assert await bench.bus.read(0x10) == 512
    assert await bench.bus.read(0x14) == 150_000_000
    times = []
    for _ in range(5):
        before = bench.cycle
        times.append(await bench.read64(0x18))
        assert before <= times[-1] <= bench.cycle
    assert times == sorted(times)
    assert await bench.bus.read(0x20) == 0
    for bit in (5, 0):
        dut.fault_i.value = 1 << bit
        await RisingEdge(dut.clk_i)
        dut.fault_i.value = 0
    await ClockCycles(dut.clk_i, 2)
    assert await bench.bus.read(0x20) == 0x21
    for channel in range(bench.num, 8):
        for offset in range(0, 0x80, 4):
            assert await bench.bus.read(bench.at(channel, offset)) == 0
    bench.rate = 1.0
    await ClockCycles(dut.clk_i, 60)
    await bench.quiet()
    for offset in (*range(0x38, 0x40, 4), *range(0x70, 0x80, 4)):
        assert await bench.bus.read(bench.at(0, offset)) == 0
    await bench.bus.write(bench.at(0, SELECT), 0x12345678)
    await bench.bus.write(bench.at(0, SELECT), 0xAABBCCDD, 0b0101)
    assert await bench.bus.read(bench.at(0, SELECT)) == 0x12BB56DD


@cocotb.test()
async def counters(dut: Any) -> None:
    """Random events at several rates, all cycles of some; reads in between are of a value between
    what was before and after; exact once quiet. Rates up to 1: no event of a busy slot is lost."""
    bench = Bench(dut, "counters")
    await bench.start()
    for rate in (0.02, 0.5, 1.0, 0.9):
        bench.rate = rate
        for _ in range(40):
            channel = bench.rng.randrange(bench.num)
            name = bench.rng.choice(list(COUNTERS))
            value, low, high = await bench.counter(channel, name)
            span = (value - low) & bench.mask
            assert span <= high - low, f"{channel} {name}: {value}, not in {low}..{high}"
            await ClockCycles(dut.clk_i, bench.rng.randrange(1, 60))
        await bench.quiet()
        for channel, model in enumerate(bench.channels):
            for name, offset in COUNTERS.items():
                got = await bench.read64(bench.at(channel, offset))
                assert got == model.count[name] & bench.mask, f"{channel} {name}"


@cocotb.test()
async def fast_reads(dut: Any) -> None:
    """Reads of one slot as fast as they go hold up all others' turns: nothing is lost."""
    bench = Bench(dut, "fast")
    await bench.start()
    bench.rate = 1.0
    for _ in range(400):
        await bench.bus.read(bench.at(0, COUNTERS["beats"]))
    await bench.quiet()
    for channel, model in enumerate(bench.channels):
        for name, offset in COUNTERS.items():
            got = await bench.read64(bench.at(channel, offset))
            assert got == model.count[name] & bench.mask, f"{channel} {name}"


@cocotb.test()
async def periods(dut: Any) -> None:
    """Every period's bytes, time and drops, exactly, for periods of several lengths; a slow reader
    is told what is gone, and never gets a mixture."""
    bench = Bench(dut, "periods")
    await bench.start()
    valid = gone = 0
    for length in (1, 3, 0, 7):
        await bench.quiet()
        for c, model in enumerate(bench.channels):
            # A period that has begun ends by the new length.
            await bench.bus.write(bench.at(c, PERIOD), length)
            model.period = length
        bench.rate = 0.25 if length > 1 else 0.08
        for _ in range(60):
            c = bench.rng.randrange(bench.num)
            model = bench.channels[c]
            total = await bench.bus.read(bench.at(c, PERIODS))
            assert len(model.snaps) - 3 <= total <= len(model.snaps)
            back = bench.rng.choice((1, 2, 3, bench.kept - 1, bench.kept, bench.kept + 1))
            if total < back:
                continue
            number = total - back
            await bench.bus.write(bench.at(c, SELECT), number)
            found = [await bench.read64(bench.at(c, a)) for a in SNAPSHOT]
            if await bench.bus.read(bench.at(c, STATE)) == 1:
                valid += 1
                size, time, drops = model.snaps[number]
                assert found == [size & bench.mask, time, drops & bench.mask], f"{c}, {number}"
            else:
                gone += 1
                assert number + bench.kept < len(model.snaps)
        await bench.quiet()
        for c, model in enumerate(bench.channels):
            total = await bench.bus.read(bench.at(c, PERIODS))
            assert total == len(model.snaps)
            for number in range(max(0, total - bench.kept - 2), total + 2):
                await bench.bus.write(bench.at(c, SELECT), number)
                found = [await bench.read64(bench.at(c, a)) for a in SNAPSHOT]
                state = await bench.bus.read(bench.at(c, STATE))
                assert state == (total - bench.kept <= number < total)
                if state:
                    size, time, drops = model.snaps[number]
                    assert found == [size & bench.mask, time, drops & bench.mask]
    assert valid > 20 and gone > 5, f"{valid} {gone}"


@cocotb.test()
async def reset_again(dut: Any) -> None:
    """A reset zeroes the counters, those in the RAM too, also for a read at once."""
    bench = Bench(dut, "reset")
    await bench.start()
    bench.rate = 1.0
    await ClockCycles(dut.clk_i, 300)
    await bench.quiet()
    dut.rst_ni.value = 0
    await ClockCycles(dut.clk_i, 3)
    dut.rst_ni.value = 1
    for channel in range(bench.num):
        for name, offset in reversed(COUNTERS.items()):
            assert await bench.read64(bench.at(channel, offset)) == 0, name
        assert await bench.bus.read(bench.at(channel, PERIODS)) == 0
        assert await bench.bus.read(bench.at(channel, PERIOD)) == 1


@pytest.mark.parametrize(
    ("channels", "length", "count", "snapshots"),
    [(2, 26, 64, 16), (1, 8, 8, 2), (8, 20, 40, 4)],
)
def test_sl_capability(channels: int, length: int, count: int, snapshots: int) -> None:
    run(
        "sl_capability",
        {
            "NumChannels": channels,
            "LenWidth": length,
            "CountWidth": count,
            "Snapshots": snapshots,
            "ClockHz": 150_000_000,
            "HasCyclic": 1,
        },
    )


@pytest.mark.parametrize(
    ("name", "value"), [("NumChannels", 9), ("LenWidth", 33), ("CountWidth", 65), ("Snapshots", 12)]
)
def test_refused(name: str, value: int) -> None:
    run("sl_capability", {name: value}, expect_build_error=f"{name} must be")
