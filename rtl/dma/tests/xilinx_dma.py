# SPDX-License-Identifier: Apache-2.0
"""What Linux's xilinx_dma (6.12) does to the registers and descriptors of an AXI DMA channel, access by
access: probe, channel allocation, start, interrupt, residue, cyclic, termination."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from pg021 import (
    ADDRESS,
    ALL_IRQ,
    BD_BYTES,
    BD_COMPLETE,
    BD_EOF,
    BD_SOF,
    CR_CYCLIC,
    CR_DELAY,
    CR_RESET,
    CR_RS,
    CR_THRESHOLD,
    CURDESC,
    DMACR,
    DMASR,
    LENGTH,
    SR_DELAY,
    SR_ERR,
    SR_HALTED,
    SR_IOC,
    SR_SG,
    TAILDESC,
    Channel,
    Descriptor,
    bd_status,
)

POLLS = 5000  # of a register, before the driver gives up (there: 10^6)


@dataclass
class Transfer:
    """A descriptor of dmaengine: segments, each a buffer descriptor."""

    segments: list[Descriptor]
    cyclic: bool = False
    residue: int = 0
    callbacks: int = 0
    done: bool = False


@dataclass
class Driver:
    """One channel. `table` is the coherent memory of the descriptors, from bus address `base` on."""

    channel: Channel
    table: bytearray
    base: int
    offset: int  # of this channel's pool in `table`
    to_device: bool
    wide: bool
    length_mask: int
    count: int = 16  # descriptors in the pool (there: 255)
    irq_delay: int = 0
    has_sg: bool = False
    idle: bool = True
    err: bool = False
    cyclic: bool = False
    pending: deque[Transfer] = field(default_factory=deque)
    active: deque[Transfer] = field(default_factory=deque)
    pool: list[Descriptor] = field(default_factory=list)
    free: deque[Descriptor] = field(default_factory=deque)
    cyclic_tail: int = 0

    # --------------------------------------------------------------------------------------- set-up
    async def probe(self) -> None:
        self.has_sg = bool(await self.channel.get(DMASR) & SR_SG)
        await self.reset()

    async def reset(self) -> None:
        await self.channel.set_bits(DMACR, CR_RESET)
        await self.channel.poll(DMACR, CR_RESET, 0, POLLS)
        self.err = False
        await self.channel.set_bits(DMACR, ALL_IRQ)

    async def allocate(self) -> None:
        """The pool: a ring, linked once; and a descriptor of its own as the tail of cyclic runs."""
        at = self.base + self.offset
        self.pool = [
            Descriptor(at + i * BD_BYTES, at + (i + 1) % self.count * BD_BYTES, 0, 0) for i in range(self.count)
        ]
        self.free = deque(self.pool)
        for segment in self.pool:
            segment.store(self.table, self.base)
        self.cyclic_tail = at + self.count * BD_BYTES
        Descriptor(self.cyclic_tail, self.cyclic_tail, 0, 0).store(self.table, self.base)
        await self.channel.set_bits(DMACR, ALL_IRQ)

    # ------------------------------------------------------------------------------------- transfers
    def _segment(self, addr: int, length: int) -> Descriptor:
        segment = self.free.popleft()
        segment.buffer, segment.control, segment.status = addr, length, 0
        return segment

    def _take_back(self, transfer: Transfer) -> None:
        for segment in transfer.segments:
            at = self.base + self.offset
            slot = (segment.at - at) // BD_BYTES
            segment.next = at + (slot + 1) % self.count * BD_BYTES
            segment.buffer = segment.control = segment.status = 0
            segment.store(self.table, self.base)
            self.free.append(segment)

    def prepare(self, pieces: list[tuple[int, int]]) -> Transfer:
        """prep_slave_sg and submit: (address, bytes) pieces make one packet."""
        transfer = Transfer([self._segment(addr, length) for addr, length in pieces])
        if self.to_device:
            transfer.segments[0].control |= BD_SOF
            transfer.segments[-1].control |= BD_EOF
        self._submit(transfer)
        return transfer

    async def prepare_cyclic(self, addr: int, period: int, periods: int) -> Transfer:
        """prep_dma_cyclic and submit."""
        segments = [self._segment(addr + i * period, period) for i in range(periods)]
        transfer = Transfer(segments, cyclic=True)
        self.cyclic = True
        await self.channel.set_bits(DMACR, CR_CYCLIC)
        segments[-1].next = segments[0].at
        if self.to_device:
            segments[0].control |= BD_SOF
            segments[-1].control |= BD_EOF
        self._submit(transfer)
        return transfer

    def _submit(self, transfer: Transfer) -> None:
        for segment in transfer.segments:
            segment.store(self.table, self.base)
        self.pending.append(transfer)

    async def issue_pending(self) -> None:
        await self.start_transfer()

    async def start_transfer(self) -> None:
        if self.err or not self.pending or not self.idle:
            return
        count = len(self.pending)
        control = await self.channel.get(DMACR)
        if count <= 255:
            control = control & ~(0xFF << CR_THRESHOLD) | count << CR_THRESHOLD
            await self.channel.put(DMACR, control)
        if self.has_sg:
            await self.channel.put_pointer(CURDESC, self.pending[0].segments[0].at, self.wide)
        control = control & ~(0xFF << CR_DELAY) | self.irq_delay << CR_DELAY
        await self.channel.put(DMACR, control)
        await self.channel.set_bits(DMACR, CR_RS)
        await self.channel.poll(DMASR, SR_HALTED, 0, POLLS)
        if self.has_sg:
            tail = self.cyclic_tail if self.cyclic else self.pending[-1].segments[-1].at
            self.active.extend(self.pending)
            self.pending.clear()
            await self.channel.put_pointer(TAILDESC, tail, self.wide)
        else:  # only the first segment of the first transfer
            transfer = self.pending.popleft()
            self.active.append(transfer)
            await self.channel.put_pointer(ADDRESS, transfer.segments[0].buffer, self.wide)
            await self.channel.put(LENGTH, transfer.segments[0].control & self.length_mask)
        self.idle = False

    # ------------------------------------------------------------------------------------- interrupt
    async def interrupt(self) -> bool:
        """The handler; False if the interrupt was not this channel's."""
        status = await self.channel.get(DMASR)
        if not status & ALL_IRQ:
            return False
        await self.channel.put(DMASR, status & ALL_IRQ)
        if status & SR_ERR:
            self.err = True
        if status & (SR_IOC | SR_DELAY):
            self._complete()
            self.idle = True
            await self.start_transfer()
        return True

    def _complete(self) -> None:
        while self.active:
            transfer = self.active[0]
            if self.has_sg and not self._hardware(transfer.segments[-1]) & BD_COMPLETE:
                return
            transfer.residue = self.residue(transfer) if self.has_sg else 0
            transfer.callbacks += 1
            if transfer.cyclic:
                return
            self.active.popleft()
            transfer.done = True
            self._take_back(transfer)

    async def handle(self, until: Callable[[], bool], limit: int = 30_000) -> None:
        """Runs the handler at every interrupt until `until`."""
        assert self.channel.irq is not None
        edge = self.channel.bus.edge
        for _ in range(limit):
            if until():
                return
            if self.channel.irq():
                await self.interrupt()
            else:
                await edge
        raise AssertionError(f"not done, DMASR {await self.channel.get(DMASR):#x}")

    # ----------------------------------------------------------------------------------------- state
    def _hardware(self, segment: Descriptor) -> int:
        return bd_status(self.table, segment.at - self.base)

    def residue(self, transfer: Transfer) -> int:
        """Bytes that did not come or go: of every segment control less status."""
        return sum(
            (segment.control & self.length_mask) - (self._hardware(segment) & self.length_mask)
            for segment in transfer.segments
        )

    async def terminate(self) -> None:
        if not self.cyclic:
            await self.channel.clear_bits(DMACR, CR_RS)
            for _ in range(POLLS):
                if await self.channel.get(DMASR) & SR_HALTED:
                    break
            else:
                self.err = True
        await self.reset()
        for transfer in (*self.active, *self.pending):
            self._take_back(transfer)
        self.active.clear()
        self.pending.clear()
        self.idle = True
        if self.cyclic:
            await self.channel.clear_bits(DMACR, CR_CYCLIC)
            self.cyclic = False
