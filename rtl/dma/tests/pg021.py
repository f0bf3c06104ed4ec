# SPDX-License-Identifier: Apache-2.0
"""A channel of the AXI DMA driven as Linux's driver does, and descriptors in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tb.axil import AxiLite
from tb.signals import reader

MM2S, S2MM = 0x00, 0x30
DMACR, DMASR, ADDRESS, ADDRESS_MSB, LENGTH = 0x00, 0x04, 0x18, 0x1C, 0x28
CURDESC, CURDESC_MSB, TAILDESC, TAILDESC_MSB = 0x08, 0x0C, 0x10, 0x14

CR_RS, CR_RESERVED_ONE, CR_RESET, CR_IOC_EN, CR_ERR_EN = 1 << 0, 1 << 1, 1 << 2, 1 << 12, 1 << 14
CR_DELAY_EN, CR_CYCLIC, CR_THRESHOLD, CR_DELAY = 1 << 13, 1 << 4, 16, 24
SR_HALTED, SR_IDLE, SR_SG = 1 << 0, 1 << 1, 1 << 3
SR_INT_ERR, SR_SLV_ERR, SR_DEC_ERR = 1 << 4, 1 << 5, 1 << 6
SR_SG_INT_ERR, SR_SG_SLV_ERR, SR_SG_DEC_ERR = 1 << 8, 1 << 9, 1 << 10
SR_IOC, SR_DELAY, SR_ERR = 1 << 12, 1 << 13, 1 << 14
ALL_ERRORS = 0x770
ALL_IRQ = 7 << 12
CR_AT_RESET, SR_AT_RESET = 0x00010002, 0x00010001

BD_BYTES = 64
BD_SOF, BD_EOF, BD_COMPLETE = 1 << 27, 1 << 26, 1 << 31
BD_INT_ERR, BD_SLV_ERR, BD_DEC_ERR = 1 << 28, 1 << 29, 1 << 30
BD_LENGTH = (1 << 26) - 1


@dataclass
class Descriptor:
    """A buffer descriptor of PG021 as software writes it, and where."""

    at: int
    next: int
    buffer: int
    control: int
    status: int = 0

    def words(self) -> list[int]:
        low, high = 0xFFFFFFFF, 32
        words = [self.next & low, self.next >> high, self.buffer & low, self.buffer >> high]
        return [*words, 0, 0, self.control, self.status]

    def store(self, memory: bytearray, base: int = 0) -> None:
        at = self.at - base
        memory[at : at + 32] = b"".join(word.to_bytes(4, "little") for word in self.words())


def bd_status(memory: bytearray, at: int) -> int:
    return int.from_bytes(memory[at + 28 : at + 32], "little")


class Channel:
    """One direction; `base` is where the engine's page stands, `side` MM2S or S2MM."""

    def __init__(self, bus: AxiLite, side: int, base: int = 0, irq: Any = None) -> None:
        self.bus = bus
        self.at = base + side
        self.irq = reader(irq) if irq is not None else None

    async def get(self, reg: int) -> int:
        return await self.bus.read(self.at + reg)

    async def put(self, reg: int, value: int) -> None:
        await self.bus.write(self.at + reg, value)

    async def set_bits(self, reg: int, bits: int) -> None:
        await self.put(reg, await self.get(reg) | bits)

    async def clear_bits(self, reg: int, bits: int) -> None:
        await self.put(reg, await self.get(reg) & ~bits)

    async def poll(self, reg: int, mask: int, value: int, limit: int = 2000) -> int:
        for _ in range(limit):
            now = await self.get(reg)
            if now & mask == value:
                return now
        raise AssertionError(f"register {self.at + reg:#x} is {now:#x}, waited for {value:#x} in {mask:#x}")

    async def reset(self) -> None:
        """As xilinx_dma does at probe: set Reset, poll until it clears itself, enable every
        interrupt."""
        await self.set_bits(DMACR, CR_RESET)
        await self.poll(DMACR, CR_RESET, 0)
        await self.set_bits(DMACR, ALL_IRQ)

    async def run(self) -> None:
        await self.set_bits(DMACR, CR_RS)
        await self.poll(DMASR, SR_HALTED, 0)

    async def stop(self) -> None:
        await self.clear_bits(DMACR, CR_RS)
        await self.poll(DMASR, SR_HALTED, SR_HALTED)

    async def start(self, addr: int, length: int) -> None:
        """As xilinx_dma starts a segment in simple mode: threshold, run, address low then high,
        length."""
        control = await self.get(DMACR)
        await self.put(DMACR, control & ~(0xFF << 16) | 1 << 16)
        await self.run()
        await self.put(ADDRESS, addr & 0xFFFFFFFF)
        await self.put(ADDRESS_MSB, addr >> 32)
        await self.put(LENGTH, length)

    async def interrupt(self, limit: int = 20_000) -> int:
        """Waits for the interrupt output, acknowledges it as the driver does, returns the status
        read."""
        assert self.irq is not None
        for _ in range(limit):
            if self.irq():
                break
            await self.bus.edge
        else:
            raise AssertionError(f"no interrupt in {limit} cycles, status {await self.get(DMASR):#x}")
        status = await self.get(DMASR)
        await self.put(DMASR, status & ALL_IRQ)
        return status

    async def put_pointer(self, reg: int, value: int, wide: bool = False) -> None:
        """CURDESC or TAILDESC; with wide addresses low half, then high half."""
        await self.put(reg, value & 0xFFFFFFFF)
        if wide:
            await self.put(reg + 4, value >> 32)

    async def get_pointer(self, reg: int) -> int:
        return await self.get(reg) | await self.get(reg + 4) << 32

    async def run_chain(self, first: int, tail: int, control: int = 0, wide: bool = False) -> None:
        """CURDESC, RS with all interrupts and `control`, TAILDESC: what starts a chain."""
        await self.put_pointer(CURDESC, first, wide)
        if not control >> CR_THRESHOLD & 0xFF:
            control |= 1 << CR_THRESHOLD
        await self.put(DMACR, control | ALL_IRQ | CR_RS)
        await self.put_pointer(TAILDESC, tail, wide)

    async def transfer(self, addr: int, length: int) -> int:
        await self.start(addr, length)
        return await self.interrupt()
