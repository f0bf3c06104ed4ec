# SPDX-License-Identifier: Apache-2.0
"""sl_axi_cdma: sources and register bits; with memory, descriptor memory and register access, and a model of what a
chain of descriptors does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge
from sluice_regs import sl_axi_cdma_bd as bd

from tb import seed, stall
from tb.axi import AxiSlave, Stalls
from tb.axil import AxiLite
from tb.signals import reader
from tb.stalls import parameters

CR, SR, SA, SA_MSB, DA, DA_MSB, BTT = 0x00, 0x04, 0x18, 0x1C, 0x20, 0x24, 0x28
CR_RESET, CR_IRQ, SR_IDLE = 1 << 2, 1 << 12 | 1 << 14, 1 << 1
SR_IOC, SR_ERR, SR_INT_ERR, SR_SLV_ERR, SR_DEC_ERR = 1 << 12, 1 << 14, 1 << 4, 1 << 5, 1 << 6
CURDESC, TAILDESC = 0x08, 0x10
CR_SG, CR_CYCLIC, CR_DELAY_EN, CR_THRESHOLD, CR_DELAY = 1 << 3, 1 << 6, 1 << 13, 16, 24
ALL_IRQ = 7 << 12
SR_SG, SR_DELAY = 1 << 3, 1 << 13
SR_SG_INT, SR_SG_SLV, SR_SG_DEC = 1 << 8, 1 << 9, 1 << 10
ERRORS = 0x770
CR_AT_RESET, SR_AT_RESET = 1 << 16, 1 << 16 | SR_IDLE
COMPLETE, BD_LENGTH = bd.STATUS_COMPLETE_MASK, bd.STATUS_LENGTH_MASK
BD_INT, BD_SLV, BD_DEC = bd.STATUS_INTERR_MASK, bd.STATUS_SLVERR_MASK, bd.STATUS_DECERR_MASK
BD, TABLE, MEMORY = 64, 1 << 14, 1 << 17


def name(config: dict[str, Any]) -> str:
    return "-".join(f"{k}={v}" for k, v in config.items())


@dataclass
class Segment:
    """A descriptor and the copy it commands."""

    at: int
    src: int
    dst: int
    size: int
    next: int = 0


class CdmaBench:
    """The engine, one memory for source and destination, one for the descriptors, from bus address `base` on."""

    def __init__(
        self,
        dut: Any,
        label: str,
        busy: float = 0.1,
        latency: int = 8,
        base: int | None = None,
        table_bytes: int = TABLE,
    ) -> None:
        self.dut, self.rng, self.edge = dut, seed(label), RisingEdge(dut.clk_i)
        p = parameters()
        self.wide = int(p.get("AddrWidth", 32)) > 32
        self.sg = bool(p.get("IncludeSg"))
        self.at_rest = SR_AT_RESET | (SR_SG if self.sg else 0)
        self.base = base or (0x12_0000_0000 if self.wide else 0x5000_0000)
        self.step = 1 if p.get("Unaligned", 1) else int(p["DataWidth"]) // 8
        self.size = int(p["DataWidth"]) // 8
        self.memory = AxiSlave(dut, "m_axi", bytearray(self.rng.randbytes(MEMORY)), max_burst=16)
        self.table = AxiSlave(dut, "m_axi_sg", bytearray(self.rng.randbytes(table_bytes)), base=self.base, max_burst=8)
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
        assert await self.bus.read(SR) == self.at_rest
        assert self.memory.outstanding == self.table.outstanding == 0
        await self.set_bits(ALL_IRQ)

    async def copy(self, src: int, dst: int, size: int) -> None:
        """Simple mode: starts a copy."""
        await self.pointer(SA, src)
        await self.pointer(DA, dst)
        await self.bus.write(BTT, size)

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
