# SPDX-License-Identifier: Apache-2.0
"""sl_timer: every register, the cycle of each event and interrupt, races of writes with both."""

from __future__ import annotations

import sys
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from tb import REPO, run, seed, stall
from tb.axi import OKAY, SLVERR
from tb.axil import AxiLite
from tb.signals import Cycles, reader, reset

sys.path.append(str(REPO / "regs" / "gen" / "python"))

from sluice_regs import sl_timer as regs

EXPIRED = regs.EVENT_EXPIRED_MASK
LATENCY = 1  # cycles more than DELAY from the write that is taken to the event
SHORT = 12  # an access takes less
RESTARTS = 60


def test_sl_timer() -> None:
    run("sl_timer")


@pytest.mark.parametrize(("bits", "message"), [(6, "AddrWidth must be 7..32, is 6")])
def test_refused(bits: int, message: str) -> None:
    run("sl_timer", {"AddrWidth": bits}, expect_build_error=message)


class Bench:
    """Software's accesses, and the edges at which writes were taken and the interrupt rose and fell."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.bus = AxiLite(dut)
        self.irq = reader(dut.irq_o)
        self.taken = [reader(getattr(dut, f"s_axil_{name}")) for name in ("awvalid", "awready")]
        self.write_at = self.rise_at = self.fall_at = -1
        self.rises = 0

    async def begin(self) -> None:
        await reset(self.dut)
        self.cycles = Cycles(self.dut)
        cocotb.start_soon(self._watch())

    async def _watch(self) -> None:
        """`write_at`: the edge that took the last write; `rise_at`: that after which irq_o was first high."""
        before = 0
        while True:
            await ReadOnly()
            now = self.irq()
            if now and not before:
                self.rise_at = self.cycles.now
                self.rises += 1
            elif before and not now:
                self.fall_at = self.cycles.now
            before = now
            if all(get() for get in self.taken):
                self.write_at = self.cycles.now + 1
            await RisingEdge(self.dut.clk_i)

    async def wait(self, cycles: int) -> None:
        for _ in range(cycles):
            await RisingEdge(self.dut.clk_i)

    async def start(self, delay: int) -> int:
        """Starts the timer; the edge that took the write."""
        await self.bus.write(regs.DELAY_OFFSET, delay)
        return self.write_at

    async def enable(self) -> None:
        await self.bus.write(regs.IRQ_ENABLE_OFFSET, regs.IRQ_ENABLE_EXPIRED_MASK)

    async def clear(self) -> None:
        await self.bus.write(regs.EVENT_OFFSET, EXPIRED)


@cocotb.test()
async def registers(dut: Any) -> None:
    """What software may write holds it, byte by byte; the rest does not change; nothing is beyond."""
    bench = Bench(dut)
    await bench.begin()
    rng = seed("registers")
    bench.bus.stall = stall(rng, 0.3)
    assert await bench.bus.read(regs.IDENTITY_OFFSET) == int.from_bytes(b"SLTM", "big")
    held = {regs.SCRATCH_OFFSET: 0, regs.IRQ_ENABLE_OFFSET: 0}
    for _ in range(100):
        at, value, strobe = rng.choice([*held]), rng.getrandbits(32), rng.randrange(16)
        mask = sum(0xFF << (8 * lane) for lane in range(4) if strobe >> lane & 1)
        await bench.bus.write(at, value, strobe)
        held[at] = held[at] & ~mask | value & mask
        for place, expected in held.items():
            assert await bench.bus.read(place) == expected
    for at in (regs.IDENTITY_OFFSET, regs.EXPIRED_OFFSET, regs.CYCLES_HI_OFFSET, regs.CYCLES_LO_OFFSET):
        await bench.bus.write(at, 0xFFFFFFFF)
    assert await bench.bus.read(regs.IDENTITY_OFFSET) == regs.IDENTITY_DEFAULT
    assert await bench.bus.read(regs.EXPIRED_OFFSET) == 0
    assert await bench.bus.read(regs.CYCLES_HI_OFFSET) == 0
    for at in range(0, regs.WINDOW, 4):
        expected = OKAY if at <= regs.EXPIRED_OFFSET else SLVERR
        assert (await bench.bus.read_resp(at))[1] == expected, f"{at:#x}"
    assert await bench.bus.write_resp(regs.EXPIRED_OFFSET + 4, 1) == SLVERR


@cocotb.test()
async def cycles_count(dut: Any) -> None:
    """CYCLES is the number of the edge before the one that takes the read's address."""
    bench = Bench(dut)
    await bench.begin()
    values = []
    for gap in (0, 1, 7, 100):
        await bench.wait(gap)
        values.append((bench.cycles.now, await bench.bus.read(regs.CYCLES_LO_OFFSET)))
    first = values[0]
    for now, value in values[1:]:
        assert value - first[1] == now - first[0]


@cocotb.test()
async def expires_on_time(dut: Any) -> None:
    """In the cycle that the delay says and none before, and only then; EXPIRED is the cycle of it."""
    bench = Bench(dut)
    await bench.begin()
    await bench.enable()
    for count, delay in enumerate((1, 2, 3, SHORT, 100, 1000), 1):
        taken = await bench.start(delay)
        await bench.wait(delay + SHORT)
        assert bench.rises == count and bench.rise_at == taken + delay + LATENCY, delay
        assert await bench.bus.read(regs.EVENT_OFFSET) == EXPIRED
        age = await bench.bus.read(regs.CYCLES_LO_OFFSET) - await bench.bus.read(regs.EXPIRED_OFFSET)
        read_at = bench.cycles.now
        # The first of the two reads ended as long before as the second took.
        assert abs(age - (read_at - bench.rise_at)) <= SHORT
        await bench.clear()
        assert bench.fall_at == bench.write_at, "a level until software clears it"
        assert await bench.bus.read(regs.EVENT_OFFSET) == 0
    await bench.wait(2000)
    assert bench.rises == 6, "once a write"


@cocotb.test()
async def expired_is_the_cycle_of_the_interrupt(dut: Any) -> None:
    """Against CYCLES as a read returns it: two reads tell which edge its value is of."""
    bench = Bench(dut)
    await bench.begin()
    await bench.enable()
    await bench.start(50)
    await bench.wait(50 + SHORT)
    begun = bench.cycles.now
    value = await bench.bus.read(regs.CYCLES_LO_OFFSET)
    # The address is on the bus from `begun` on and taken at the next edge, with what CYCLES was in that cycle.
    assert await bench.bus.read(regs.EXPIRED_OFFSET) == value - (begun - bench.rise_at)


@cocotb.test()
async def mask_hides_the_interrupt_alone(dut: Any) -> None:
    bench = Bench(dut)
    await bench.begin()
    await bench.start(5)
    await bench.wait(20)
    assert not bench.irq() and await bench.bus.read(regs.EVENT_OFFSET) == EXPIRED
    await bench.enable()
    assert bench.irq() and bench.rise_at == bench.write_at
    await bench.bus.write(regs.IRQ_ENABLE_OFFSET, ~EXPIRED & 0xFFFFFFFF)
    assert not bench.irq() and await bench.bus.read(regs.EVENT_OFFSET) == EXPIRED


@cocotb.test()
async def writes_race_with_the_end(dut: Any) -> None:
    """DELAY again, or 0, in each cycle around the end: what is taken before the event takes its place. A clear in
    the cycle of the event loses nothing."""
    bench = Bench(dut)
    await bench.begin()
    await bench.enable()
    for gap in range(RESTARTS):
        again = gap % 2 * 40
        before = bench.rises
        first = await bench.start(30)
        await bench.wait(gap)
        second = await bench.start(again)
        await bench.wait(60)
        in_time = second < first + 30 + LATENCY
        expected = (second + again if in_time else first + 30) + LATENCY
        ends = bool(again) or not in_time
        assert bench.rises - before == ends, (gap, first, second)
        assert not ends or bench.rise_at == expected, (gap, first, second)
        await bench.clear()
    for gap in range(20):
        before = bench.rises
        taken = await bench.start(14)
        await bench.wait(gap)
        await bench.clear()
        cleared = bench.write_at
        await bench.wait(30)
        late = cleared > taken + 14 + LATENCY
        assert bench.irq() == (not late), gap
        assert bench.rises == before + 1
        await bench.clear()
