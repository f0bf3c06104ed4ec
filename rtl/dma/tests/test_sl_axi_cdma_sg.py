# SPDX-License-Identifier: Apache-2.0
"""sl_axi_cdma in scatter-gather mode: registers, chains with stalls and errors against a model of what
PG034 wants, register by register as Linux's xilinx_dma drives it, and its rates."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge
from pg021 import AxiLite
from test_sl_axi_cdma import (
    BTT,
    CR,
    CR_RESET,
    DA,
    DA_MSB,
    ENGINE,
    SA,
    SA_MSB,
    SR,
    SR_DEC_ERR,
    SR_ERR,
    SR_IDLE,
    SR_INT_ERR,
    SR_IOC,
    SR_SLV_ERR,
    makeflags,  # noqa: F401
    name,
)

from tb import REPO, run, seed, stall
from tb.axi import DECERR, OKAY, SLVERR, AxiSlave, Stalls
from tb.signals import reader, reset
from tb.stalls import parameters

sys.path.insert(0, str(REPO / "regs" / "gen" / "python"))

from sluice_regs import sl_axi_cdma_bd as bd

SOURCES = [
    "../regs/gen/sv/sl_axi_cdma_bd_addr_pkg.sv",
    *ENGINE[:2],
    "sg/sl_sg_pkg.sv",
    *ENGINE[2:-1],
    "sg/sl_sg_fetch.sv",
    "sg/sl_sg_update.sv",
    "sg/sl_sg_irq.sv",
    "dma/sl_axi_cdma_sg.sv",
    ENGINE[-1],
]
CONFIGURATIONS = [
    {"DataWidth": 64, "LenWidth": 17, "IncludeSg": 1},
    {"DataWidth": 32, "LenWidth": 14, "BufferBeats": 128, "IncludeSg": 1, "AddrWidth": 40, "Unaligned": 0},
]
TESTS = ["registers", "linux", "linux_reset", "delay_interrupt", "random_chains", "random_errors", "resets"]
ROUNDS = 200 if os.environ.get("SLUICE_FULL") else 16

CURDESC, TAILDESC = 0x08, 0x10
CR_SG, CR_CYCLIC, CR_DELAY_EN, CR_THRESHOLD, CR_DELAY = 1 << 3, 1 << 6, 1 << 13, 16, 24
ALL_IRQ = 7 << 12
SR_SG, SR_DELAY = 1 << 3, 1 << 13
SR_SG_INT, SR_SG_SLV, SR_SG_DEC = 1 << 8, 1 << 9, 1 << 10
ERRORS = 0x770
AT_REST = 1 << 16 | SR_IDLE | SR_SG
COMPLETE, BD_LENGTH = bd.STATUS_COMPLETE_MASK, bd.STATUS_LENGTH_MASK
BD_INT, BD_SLV, BD_DEC = bd.STATUS_INTERR_MASK, bd.STATUS_SLVERR_MASK, bd.STATUS_DECERR_MASK
BD, TABLE, MEMORY = 64, 1 << 14, 1 << 17
# bytes, scattered, least percent of a beat a cycle (issue 3)
GOALS = [(256, False, 80.0), (256, True, 45.0), (1024, False, 95.0), (4096, False, 98.0)]


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=name)
def test_sl_axi_cdma_sg(config: dict[str, Any]) -> None:
    run("sl_axi_cdma", SOURCES, config, testcase=TESTS if config["DataWidth"] == 32 else [*TESTS, "rates"])


@dataclass
class Segment:
    """A descriptor and the copy it commands."""

    at: int
    src: int
    dst: int
    size: int
    next: int = 0


class Bench:
    """The engine, one memory for source and destination, one for the descriptors."""

    def __init__(self, dut: Any, label: str, busy: float = 0.1, latency: int = 8) -> None:
        self.dut, self.rng, self.edge = dut, seed(label), RisingEdge(dut.clk_i)
        p = parameters()
        self.wide = int(p.get("AddrWidth", 32)) > 32
        self.base = 0x12_0000_0000 if self.wide else 0x5000_0000
        self.step = 1 if p.get("Unaligned", 1) else int(p["DataWidth"]) // 8
        self.size = int(p["DataWidth"]) // 8
        self.memory = AxiSlave(dut, "m_axi", bytearray(self.rng.randbytes(MEMORY)), max_burst=16)
        self.table = AxiSlave(dut, "m_axi_sg", bytearray(self.rng.randbytes(TABLE)), base=self.base, max_burst=8)
        for slave in (self.memory, self.table):
            slave.read_latency = slave.write_latency = latency
            slave.stalls = Stalls(*(stall(seed(f"{label}/{self.rng.random()}"), busy) for _ in range(5)))
        self.bus = AxiLite(dut, stall(seed(label), busy))
        self.irq = reader(dut.irq_o)
        self.done, self.done_bytes = reader(dut.done_o), reader(dut.done_bytes_o)
        self.told: list[int] = []
        cocotb.start_soon(self._watch())

    async def _watch(self) -> None:
        while True:
            await self.edge
            if self.done() and self.dut.rst_ni.value:
                self.told.append(self.done_bytes())

    def vary(self) -> None:
        for slave in (self.memory, self.table):
            share = self.rng.choice((0.0, 0.1, 0.4))
            slave.stalls = Stalls(*(stall(seed(f"{self.rng.random()}"), share) for _ in range(5)))
            slave.read_latency = self.rng.choice((1, 5, 30))
            slave.write_latency = self.rng.choice((1, 5, 30))

    # ------------------------------------------------------------------------------------- registers
    async def set_bits(self, bits: int) -> None:
        await self.bus.write(CR, await self.bus.read(CR) | bits)

    async def clear_bits(self, bits: int) -> None:
        await self.bus.write(CR, await self.bus.read(CR) & ~bits)

    async def pointer(self, reg: int, value: int) -> None:
        await self.bus.write(reg, value & 0xFFFFFFFF)
        if self.wide:
            await self.bus.write(reg + 4, value >> 32)

    async def current(self) -> int:
        return await self.bus.read(CURDESC) | await self.bus.read(CURDESC + 4) << 32

    async def recover(self) -> None:
        """chan_reset: Reset, polled until it clears itself; interrupts on."""
        await self.set_bits(CR_RESET)
        for _ in range(1000):
            if not await self.bus.read(CR) & CR_RESET:
                break
        assert await self.bus.read(SR) == AT_REST
        assert self.memory.outstanding == self.table.outstanding == 0
        await self.set_bits(ALL_IRQ)

    async def start(self, segments: list[Segment], count: int | None = None) -> None:
        """start_transfer: threshold, SG mode toggled, CURDESC, TAILDESC."""
        control = await self.bus.read(CR) & ~(0xFF << CR_THRESHOLD)
        await self.bus.write(CR, control | (count or min(len(segments), 255)) << CR_THRESHOLD)
        await self.clear_bits(CR_SG)
        await self.set_bits(CR_SG)
        await self.pointer(CURDESC, segments[0].at)
        await self.pointer(TAILDESC, segments[-1].at)

    async def interrupt(self) -> int:
        for _ in range(30_000):
            if self.irq():
                break
            await self.edge
        else:
            raise AssertionError(f"no interrupt, CDMASR {await self.bus.read(SR):#x}")
        status = await self.bus.read(SR)
        await self.bus.write(SR, status & ALL_IRQ)
        return status

    async def until_idle(self) -> int:
        for _ in range(5000):
            status = await self.bus.read(SR)
            if status & SR_IDLE:
                return status
        raise AssertionError(f"not idle, CDMASR {status:#x}")

    # ----------------------------------------------------------------------------------- descriptors
    def segments(self, count: int, most: int, scattered: float) -> list[Segment]:
        free, at, found = set(range(TABLE // BD)), self.rng.randrange(TABLE // BD - count), []
        half = MEMORY // 2
        room = half // count
        for i in range(count):
            if at not in free or self.rng.random() < scattered:
                at = self.rng.choice(sorted(free))
            free.discard(at)
            size = self.rng.randint(1, min(most, room - 16))
            src = self.rng.randrange(half - size) // self.step * self.step
            dst = half + (i * room + self.rng.randrange(room - size + 1)) // self.step * self.step
            found.append(Segment(self.base + at * BD, src, dst, size))
            at += 1
        for one, following in zip(found, [*found[1:], found[0]], strict=True):
            one.next = following.at
            self.store(one)
        return found

    def store(self, segment: Segment, status: int = 0) -> None:
        s, low = segment, 0xFFFFFFFF
        words = [s.next & low, s.next >> 32, s.src & low, s.src >> 32, s.dst & low, s.dst >> 32, s.size, status]
        at = s.at - self.base
        self.table.memory[at : at + 32] = b"".join(word.to_bytes(4, "little") for word in words)

    def status(self, segment: Segment) -> int:
        at = segment.at - self.base + bd.STATUS_OFFSET
        return int.from_bytes(self.table.memory[at : at + 4], "little")

    def expect(self, segments: list[Segment]) -> bytearray:
        """Memory after the copies; forgets what was written so far."""
        wanted = bytearray(self.memory.memory)
        for s in segments:
            wanted[s.dst : s.dst + s.size] = wanted[s.src : s.src + s.size]
        self.memory.written[:] = bytes(MEMORY)
        self.told.clear()
        return wanted

    def check(self, segments: list[Segment], wanted: bytearray) -> None:
        assert self.memory.memory == wanted
        assert sum(self.memory.written) == sum(s.size for s in segments), "written beside, or not once"
        for i, s in enumerate(segments):
            assert self.status(s) == COMPLETE | s.size, f"descriptor {i}: {self.status(s):#x}"
        assert self.told == [s.size for s in segments]

    def check_within(self, segments: list[Segment]) -> None:
        allowed = bytearray(MEMORY)
        for s in segments:
            allowed[s.dst : s.dst + s.size] = b"\1" * s.size
        assert not any(w and not a for w, a in zip(self.memory.written, allowed, strict=True)), "written beside"


@cocotb.test()
async def registers(dut: Any) -> None:
    """Reset values, what is writable, BTT in scatter-gather mode, TAILDESC in simple mode, and simple
    copies before and after chains."""
    bench = Bench(dut, "registers")
    await reset(dut)
    bus = bench.bus
    assert await bus.read(CR) == 1 << 16 | 2 and await bus.read(SR) == AT_REST
    high = 0xFF if bench.wide else 0
    for reg, wanted in ((CURDESC, 0xFFFFFFC0), (CURDESC + 4, high), (TAILDESC, 0xFFFFFFC0), (TAILDESC + 4, high)):
        await bus.write(reg, 0xFFFFFFFF)
        assert await bus.read(reg) == wanted
    await ClockCycles(dut.clk_i, 100)
    assert not bench.table.log.reads, "TAILDESC has started a chain in simple mode"
    await bus.write(CR, 0xFFFFFFFF & ~CR_RESET)
    assert await bus.read(CR) == 0xFFFF0000 | ALL_IRQ | CR_CYCLIC | CR_SG | 2
    await bus.write(CR, CR_SG | ALL_IRQ)
    assert await bus.read(CR) == 0x00FF0000 | CR_SG | ALL_IRQ | 2, "a threshold of 0 is not taken"
    for reg, value in ((SA, 0), (SA_MSB, 0), (DA, MEMORY // 2), (DA_MSB, 0), (BTT, 64)):
        await bus.write(reg, value)
    await ClockCycles(dut.clk_i, 100)
    assert not bench.memory.log.reads, "BTT has started a copy in scatter-gather mode"
    await bench.recover()
    for turn in range(4):
        one = bench.segments(1, 200, 0.0)
        wanted = bench.expect(one)
        if turn & 1:
            await bench.start(one)
            assert await bench.interrupt() == AT_REST | SR_IOC
        else:
            await bench.clear_bits(CR_SG)
            for reg, value in ((SA, one[0].src), (DA, one[0].dst), (BTT, one[0].size)):
                await bus.write(reg, value)
            assert await bench.interrupt() & ~(0xFF << 16) == SR_IDLE | SR_SG | SR_IOC
            bench.store(one[0], COMPLETE | one[0].size)
        bench.check(one, wanted)


@cocotb.test()
async def linux(dut: Any) -> None:
    """probe, then batches of memcpy: one interrupt a batch by the threshold, the next batch started
    from the handler right away, residue 0 of what is done and all of what is not."""
    bench = Bench(dut, "linux")
    await reset(dut)
    await bench.recover()
    assert await bench.bus.read(SR) & SR_SG, "the driver sees no scatter-gather"
    for turn in range(12):
        batch = bench.segments(bench.rng.choice((1, 2, 5, 20)), 600, 0.0)
        wanted = bench.expect(batch)
        assert all(s.size - (bench.status(s) & BD_LENGTH) == s.size for s in batch)
        await bench.start(batch)
        status = await bench.interrupt()
        assert status & ALL_IRQ == SR_IOC, f"turn {turn}: {status:#x}"
        assert all(bench.status(s) & COMPLETE for s in batch)
        assert sum(s.size - (bench.status(s) & BD_LENGTH) for s in batch) == 0, "residue"
        bench.check(batch, wanted)


@cocotb.test()
async def linux_reset(dut: Any) -> None:
    """terminate_all with chains running: CDMA's answer is the reset; the next batch is right."""
    bench = Bench(dut, "linux_reset")
    await reset(dut)
    await bench.recover()
    for _ in range(8):
        batch = bench.segments(8, 600, 0.0)
        bench.expect(batch)
        await bench.start(batch)
        await ClockCycles(dut.clk_i, bench.rng.randrange(300))
        await bench.recover()
        bench.check_within(batch)
        batch = bench.segments(3, 300, 0.0)
        wanted = bench.expect(batch)
        await bench.start(batch)
        assert await bench.interrupt() & ALL_IRQ == SR_IOC
        bench.check(batch, wanted)


@cocotb.test()
async def delay_interrupt(dut: Any) -> None:
    """A threshold that is not reached: the delay timer tells, once the engine is idle; TAILDESC alone
    goes on where the chain has ended."""
    bench = Bench(dut, "delay")
    await reset(dut)
    await bench.recover()
    await bench.bus.write(CR, await bench.bus.read(CR) | 2 << CR_DELAY)
    chain = bench.segments(9, 300, 0.3)
    wanted = bench.expect(chain)
    await bench.start(chain[:4], count=7)
    status = await bench.interrupt()
    assert status & (ALL_IRQ | SR_IDLE) == SR_DELAY | SR_IDLE
    await bench.pointer(TAILDESC, chain[8].at)  # the count starts anew with the delay interrupt
    assert await bench.interrupt() & ALL_IRQ == SR_DELAY
    bench.check(chain, wanted)


@cocotb.test()
async def random_chains(dut: Any) -> None:
    """Chains that grow behind the tail while they run, contiguous and scattered, under stalls."""
    bench = Bench(dut, "chains")
    await reset(dut)
    await bench.recover()
    for _ in range(ROUNDS):
        bench.vary()
        chain = bench.segments(
            bench.rng.randint(1, 24), bench.rng.choice((20, 200, 1500)), bench.rng.choice((0.0, 0.2, 1.0))
        )
        wanted = bench.expect(chain)
        shown = bench.rng.randint(1, len(chain))
        await bench.start(chain[:shown], count=255)
        while shown < len(chain):
            await ClockCycles(dut.clk_i, bench.rng.choice((1, 20, 200)))
            shown = bench.rng.randint(shown + 1, len(chain))
            await bench.pointer(TAILDESC, chain[shown - 1].at)
        status = await bench.until_idle()
        assert status & ERRORS == 0
        bench.check(chain, wanted)


@cocotb.test()
async def random_errors(dut: Any) -> None:
    """A fault in one descriptor, its write-back, its data, or its content: those before it are whole,
    its status and CURDESC tell it, nothing runs before a reset."""
    bench = Bench(dut, "errors")
    await reset(dut)
    await bench.recover()
    kinds = ("read", "write", "source", "destination", "stale", "link", "empty")
    for turn in range(2 * ROUNDS):
        bench.vary()
        chain = bench.segments(bench.rng.randint(1, 16), bench.rng.choice((40, 400)), bench.rng.choice((0.0, 0.3, 1.0)))
        at, kind = bench.rng.randrange(len(chain)), kinds[turn % len(kinds)]
        resp = bench.rng.choice((SLVERR, DECERR))
        bad = chain[at]
        sg = kind in ("read", "write", "stale", "link")
        if kind == "stale":
            bench.store(bad, COMPLETE)
        elif kind == "link":
            bad.next += 4
            bench.store(bad)
        elif kind == "empty":
            bad.size = 0
            bench.store(bad)

        def table_error(write: bool, addr: int, bad: int = bad.at, kind: str = kind, resp: int = resp) -> int:
            return resp if kind == ("write" if write else "read") and addr // BD == bad // BD else OKAY

        # A beat of two sources belongs to the first that reads it: then that one fails.
        beat = (bad.dst if kind == "destination" else bad.src) // bench.size
        if kind in ("source", "destination"):
            ends = [(s.dst, s.size) if kind == "destination" else (s.src, s.size) for s in chain]
            at = min(i for i, (p, n) in enumerate(ends) if p // bench.size <= beat <= (p + n - 1) // bench.size)
            bad = chain[at]

        def memory_error(write: bool, addr: int, beat: int = beat, kind: str = kind, resp: int = resp) -> int:
            hit = kind == ("destination" if write else "source") and addr // bench.size == beat
            return resp if hit else OKAY

        bench.table.error, bench.memory.error = table_error, memory_error
        bench.expect(chain)
        await bench.start(chain, count=255)
        status = await bench.interrupt()
        where = f"turn {turn}, {kind}, descriptor {at} of {len(chain)}: {status:#x}"
        internal = kind in ("stale", "link", "empty")
        which = 0 if internal else 1 if resp == SLVERR else 2
        wanted = (SR_SG_INT, SR_SG_SLV, SR_SG_DEC)[which] if sg else (SR_INT_ERR, SR_SLV_ERR, SR_DEC_ERR)[which]
        assert status & SR_ERR and status & ERRORS == wanted, where
        assert (await bench.until_idle()) & ERRORS == wanted, where
        assert await bench.current() == bad.at, where
        assert bench.memory.outstanding == bench.table.outstanding == 0, where
        for i, s in enumerate(chain[:at]):
            assert bench.status(s) == COMPLETE | s.size, f"{where}: descriptor {i}"
            assert bench.told[i] == s.size
        assert len(bench.told) >= at, where
        if not sg:
            bits = (BD_INT, BD_SLV, BD_DEC)[which]
            now = bench.status(bad)
            assert now & 0xF0000000 == COMPLETE | bits and now & BD_LENGTH <= bad.size, f"{where}: {now:#x}"
        elif kind != "stale":
            assert bench.status(bad) == 0, where
        bench.check_within(chain)
        reads = len(bench.table.log.reads)
        await bench.pointer(TAILDESC, chain[-1].at)
        await ClockCycles(dut.clk_i, 60)
        assert len(bench.table.log.reads) == reads, f"{where}: goes on without a reset"
        bench.table.error = bench.memory.error = None
        await bench.recover()


@cocotb.test()
async def resets(dut: Any) -> None:
    """A soft reset at any cycle, cyclic chains too: bursts end legally, nothing is written beside."""
    bench = Bench(dut, "resets")
    await reset(dut)
    await bench.recover()
    for turn in range(ROUNDS):
        bench.vary()
        chain = bench.segments(bench.rng.randint(1, 12), 300, bench.rng.choice((0.0, 1.0)))
        bench.expect(chain)
        if turn & 1:
            await bench.set_bits(CR_CYCLIC)
        await bench.start(chain)
        await ClockCycles(dut.clk_i, bench.rng.randint(1, 600))
        if turn & 1 and turn % 4 == 3:
            await ClockCycles(dut.clk_i, 2000)
            assert len(bench.told) > len(chain) and bench.told[: len(chain)] == [s.size for s in chain]
        await bench.recover()
        bench.check_within(chain)
        assert all(bench.status(s) in (0, COMPLETE | s.size) for s in chain)


@cocotb.test()
async def rates(dut: Any) -> None:
    """Beats written over cycles, from the 33rd descriptor's first on; L=60 on both ports."""
    bench = Bench(dut, "rates", busy=0.0, latency=60)
    await reset(dut)
    failures = []
    for size, scattered, goal in GOALS:
        await bench.recover()
        count = 33 + max(24, min(160, 60_000 // size))
        stride = 2 if scattered and count * 2 * BD <= TABLE else 1
        slots = [i * stride for i in range(count)]
        if scattered and stride == 1:
            slots = [i ^ 1 for i in range(count)]
        half = MEMORY // 2
        chain = [
            Segment(bench.base + slot * BD, i * size % (half // 2), half + i * size % (half // 2), size)
            for i, slot in enumerate(slots)
        ]
        for one, following in zip(chain, [*chain[1:], chain[0]], strict=True):
            one.next = following.at
            bench.store(one)
        bench.memory.log.w_beats.clear()
        await bench.start(chain)
        status = await bench.interrupt()
        assert status & ERRORS == 0 and len(bench.memory.log.w_beats) == count * size // 8
        beats = bench.memory.log.w_beats[32 * size // 8 :]
        rate = 100 * (len(beats) - 1) / (beats[-1] - beats[0])
        where = f"{size} B {'scattered' if scattered else 'contiguous'}"
        print(f"cdma: scatter-gather, {where}: {rate:.2f} % (goal {goal}), {count} descriptors")
        if rate < goal:
            failures.append(f"{where}: {rate:.2f} %")
    assert not failures, "; ".join(failures)
