# SPDX-License-Identifier: Apache-2.0
"""What Linux's xilinx_dma (6.12) does to the registers and descriptors of an AXI CDMA, access by access: probe, channel
allocation, memcpy, start, interrupt, residue, termination."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from cdma_bench import (
    ALL_IRQ,
    BD,
    BTT,
    CR,
    CR_RESET,
    CR_SG,
    CR_THRESHOLD,
    CURDESC,
    DA,
    ERRORS,
    SA,
    SR,
    SR_DELAY,
    SR_ERR,
    SR_IDLE,
    SR_INT_ERR,
    SR_IOC,
    SR_SG,
    TAILDESC,
    CdmaBench,
    Segment,
)

POLLS = 5000  # of a register, before the driver gives up (there: 10^6)


@dataclass
class Copy:
    """A descriptor of dmaengine: for a CDMA always of one segment."""

    segment: Segment
    residue: int = 0
    callbacks: int = 0
    failed: bool = False

    @property
    def done(self) -> bool:
        return self.callbacks > 0


@dataclass
class Driver:
    """The channel. Segments come from a DMA pool: a last-in, first-out list of blocks."""

    bench: CdmaBench
    length_mask: int
    has_sg: bool = False
    idle: bool = True
    err: bool = False
    pending: deque[Copy] = field(default_factory=deque)
    active: deque[Copy] = field(default_factory=deque)
    free: list[int] = field(default_factory=list)

    # --------------------------------------------------------------------------------------- set-up
    async def probe(self) -> None:
        self.has_sg = bool(await self.bench.bus.read(SR) & SR_SG)
        await self.reset()

    async def reset(self) -> None:
        """chan_reset."""
        await self.bench.set_bits(CR_RESET)
        for _ in range(POLLS):
            if not await self.bench.bus.read(CR) & CR_RESET:
                break
        else:
            raise AssertionError("reset timeout")
        self.err = False
        await self.bench.set_bits(ALL_IRQ)

    async def allocate(self, count: int = 64) -> None:
        """alloc_chan_resources: the pool, SGMode."""
        self.free = [self.bench.base + i * BD for i in reversed(range(count))]
        if self.has_sg:
            await self.bench.set_bits(CR_SG)

    # --------------------------------------------------------------------------------------- copies
    def prepare(self, src: int, dst: int, size: int) -> Copy:
        """prep_dma_memcpy and submit: a segment that points to itself, then the one before to it."""
        at = self.free.pop()
        copy = Copy(Segment(at, src, dst, size, next=at))
        self.bench.store(copy.segment)
        if self.pending:
            before = self.pending[-1].segment
            before.next = at & 0xFFFFFFFF  # the driver writes the low word alone
            self.bench.store(before)
        self.pending.append(copy)
        return copy

    async def issue_pending(self) -> None:
        await self.start_transfer()

    async def start_transfer(self) -> None:
        if self.err or not self.idle or not self.pending:
            return
        bus, first, last = self.bench.bus, self.pending[0].segment, self.pending[-1].segment
        control = await bus.read(CR)
        if len(self.pending) <= 255:
            control = control & ~(0xFF << CR_THRESHOLD) | len(self.pending) << CR_THRESHOLD
            await bus.write(CR, control)
        if self.has_sg:
            await self.bench.clear_bits(CR_SG)
            await self.bench.set_bits(CR_SG)
            await self.bench.pointer(CURDESC, first.at)
            await self.bench.pointer(TAILDESC, last.at)
        else:  # the first alone is started, whatever is pending
            await self.bench.pointer(SA, first.src)
            await self.bench.pointer(DA, first.dst)
            await bus.write(BTT, first.size & self.length_mask)
        self.active.extend(self.pending)
        self.pending.clear()
        self.idle = False

    # ------------------------------------------------------------------------------------- interrupt
    async def interrupt(self) -> bool:
        """The handler; False if the interrupt was not this channel's."""
        bus = self.bench.bus
        status = await bus.read(SR)
        if not status & ALL_IRQ:
            return False
        await bus.write(SR, status & ALL_IRQ)
        if status & SR_ERR:
            await bus.write(SR, status & ERRORS & SR_INT_ERR)  # what a VDMA recovers from
            self.err = True
        if status & (SR_IOC | SR_DELAY):
            self._complete()
            self.idle = True
            await self.start_transfer()
        return True

    def _complete(self) -> None:
        """All that is active: of a CDMA the driver does not look at Cmplt."""
        while self.active:
            copy = self.active.popleft()
            copy.residue = self.residue(copy) if self.has_sg else 0
            copy.failed = self.err
            copy.callbacks += 1
            self.free.append(copy.segment.at)

    async def handle(self, until: Callable[[], bool], limit: int = 30_000) -> None:
        """Runs the handler at every interrupt until `until`."""
        for _ in range(limit):
            if until():
                return
            if self.bench.irq():
                await self.interrupt()
            else:
                await self.bench.edge
        raise AssertionError(f"not done, CDMASR {await self.bench.bus.read(SR):#x}")

    # ----------------------------------------------------------------------------------------- state
    def residue(self, copy: Copy) -> int:
        return (copy.segment.size & self.length_mask) - (self.bench.status(copy.segment) & self.length_mask)

    async def terminate(self) -> None:
        """terminate_all: waits for Idle, resets, frees all, leaves scatter-gather mode."""
        for _ in range(POLLS):
            if await self.bench.bus.read(SR) & SR_IDLE:
                break
        else:
            self.err = True
        await self.reset()
        self.free += [copy.segment.at for copy in (*self.active, *self.pending)]
        self.active.clear()
        self.pending.clear()
        self.idle = True
        if self.has_sg:
            await self.bench.clear_bits(CR_SG)
