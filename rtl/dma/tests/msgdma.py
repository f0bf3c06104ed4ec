# SPDX-License-Identifier: Apache-2.0
"""The three ports of sl_msgdma as software sees them, and the calls of Linux's altera-msgdma."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tb.axil import AxiLite
from tb.signals import reader
from tb.stalls import NO_STALL, Stall

STATUS, CONTROL, FILL_LEVEL, RESP_FILL_LEVEL, SEQ_NUM, CONFIG_1, CONFIG_2 = range(0, 0x1C, 4)
ST_BUSY, ST_DESC_EMPTY, ST_DESC_FULL, ST_RESP_EMPTY, ST_RESP_FULL = 1, 2, 4, 8, 16
ST_STOPPED, ST_RESETTING, ST_ON_ERROR, ST_ON_EARLY, ST_IRQ = 32, 64, 128, 256, 512
ST_AT_RESET = ST_DESC_EMPTY | ST_RESP_EMPTY
CT_STOP, CT_RESET, CT_ON_ERROR, CT_ON_EARLY, CT_IRQ_EN, CT_STOP_DESC = 1, 2, 4, 8, 16, 32

GEN_EOP, END_ON_EOP, END_ON_LEN, COMPLETE_IRQ, EARLY_IRQ = (1 << n for n in (9, 12, 13, 14, 15))
ERROR_IRQ, GO = 0xFF << 16, 1 << 31
REFUSED, SLVERR_BIT, DECERR_BIT, READ_FAILED, WRITE_FAILED, EARLY = 1, 2, 4, 8, 16, 256


@dataclass
class Descriptor:
    read: int = 0
    write: int = 0
    length: int = 0
    control: int = GO | END_ON_LEN
    seq: int = 0

    def words(self, extended: bool) -> list[int]:
        low = [self.read & 0xFFFFFFFF, self.write & 0xFFFFFFFF, self.length]
        if not extended:
            return [*low, self.control]
        return [*low, self.seq, 0x00010001, self.read >> 32, self.write >> 32, self.control]


class Msgdma:
    """One engine; `submit` and the methods below it go as altera-msgdma goes."""

    def __init__(self, dut: Any, extended: bool = True, stall: Stall = NO_STALL) -> None:
        self.csr, self.desc, self.resp = (AxiLite(dut, stall, f"s_axil_{p}") for p in ("csr", "desc", "resp"))
        self.extended = extended
        self.irq = reader(dut.irq_o)
        self.edge = self.csr.edge

    async def status(self) -> int:
        return await self.csr.read(STATUS)

    async def poll(self, mask: int, value: int, limit: int = 20_000) -> int:
        for _ in range(limit):
            now = await self.status()
            if now & mask == value:
                return now
        raise AssertionError(f"status is {now:#x}, waited for {value:#x} in {mask:#x}")

    async def idle(self) -> None:
        await self.poll(ST_BUSY, 0)

    async def write(self, descriptor: Descriptor) -> None:
        """All words, control last; the answer to that comes when the queue has room."""
        for n, word in enumerate(descriptor.words(self.extended)):
            await self.desc.write(4 * n, word)

    async def response(self) -> tuple[int, int]:
        """The oldest response, which the read of STATUS takes away: bytes, status."""
        count = await self.resp.read(0)
        return count, await self.resp.read(4)

    async def responses(self) -> list[tuple[int, int]]:
        return [await self.response() for _ in range(await self.csr.read(RESP_FILL_LEVEL))]

    async def transfer_polled(self, descriptor: Descriptor) -> tuple[int, int]:
        """Without interrupts."""
        await self.write(descriptor)
        await self.idle()
        found = await self.responses()
        assert len(found) == 1, f"{len(found)} responses"
        return found[0]

    async def reset(self) -> None:
        """Clear every status bit, reset, poll, clear, enable with both stops."""
        await self.csr.write(STATUS, 0x3FF)
        await self.csr.write(CONTROL, CT_RESET)
        await self.poll(ST_RESETTING, 0)
        await self.csr.write(STATUS, 0x3FF)
        await self.csr.write(CONTROL, CT_ON_ERROR | CT_ON_EARLY | CT_IRQ_EN)

    async def submit(self, descriptor: Descriptor) -> None:
        await self.poll(ST_DESC_FULL, 0)
        await self.write(descriptor)

    async def interrupt(self, limit: int = 20_000) -> int:
        """Waits for the interrupt; status first, then the interrupt is cleared."""
        for _ in range(limit):
            if self.irq():
                break
            await self.edge
        else:
            raise AssertionError(f"no interrupt in {limit} cycles")
        status = await self.status()
        await self.csr.write(STATUS, ST_IRQ)
        return status

    async def transfer(self, descriptor: Descriptor) -> tuple[int, int]:
        """One transaction in flight, as the driver keeps it: the engine is not busy and has one
        response when it interrupts."""
        await self.submit(descriptor)
        status = await self.interrupt()
        assert status & (ST_BUSY | ST_IRQ) == ST_IRQ, f"status {status:#x} at the interrupt"
        found = await self.responses()
        assert len(found) == 1, f"{len(found)} responses at the interrupt"
        return found[0]
