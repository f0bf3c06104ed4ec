# SPDX-License-Identifier: Apache-2.0
"""Blocks of the designs as software sees them: the streams' ends of a lane, an mSGDMA; a memory that falls silent."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

from tb import REPO, RTL

sys.path[:0] = [str(RTL / "dma" / "tests"), str(REPO / "regs" / "gen" / "python")]

from msgdma import CONTROL, CT_IRQ_EN, CT_RESET, ST_RESETTING, Msgdma
from sluice_regs import sl_design_page as page_regs
from sluice_regs import sl_hp_lane as lane_regs
from sluice_regs import sl_stream_sink as sink_regs
from sluice_regs import sl_stream_source as source_regs

from tb.axi import AxiSlave
from tb.axil import AxiLite

RESET_TIMEOUT = 2000  # ResetTimeout of the designs under test


def design(name: str, config: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of sl_hp_ports for one of its designs, as run() takes them."""
    return {"Design": f'"{name}"', **config}


def pattern(start: int, size: int) -> bytes:
    return b"".join((start + i & 0xFFFFFFFF).to_bytes(4, "little") for i in range(size // 4))


class LaneStreams:
    """The three pages of sl_lane_streams, at these addresses of a control port."""

    def __init__(self, bus: AxiLite, source: int, sink: int, control: int) -> None:
        self.bus = bus
        self._source, self._sink, self._control = source, sink, control

    async def _access(self, addr: int, value: int | None = None) -> int:
        if value is None:
            return await self.bus.read(addr)
        await self.bus.write(addr, value)
        return 0

    async def route(self, loopback: bool) -> None:
        await self.bus.write(self._control + lane_regs.ROUTE_OFFSET, int(loopback))

    async def source(self, offset: int, value: int | None = None) -> int:
        return await self._access(self._source + offset, value)

    async def sink(self, offset: int, value: int | None = None) -> int:
        return await self._access(self._sink + offset, value)

    async def level(self) -> int:
        return await self._access(self._control + lane_regs.FIFO_LEVEL_OFFSET)

    async def emit(self, start: int, beats: int, flags: int = 0) -> None:
        """A gated run of the source: one packet of `beats`."""
        await self.source(source_regs.CONTROL_OFFSET, source_regs.CONTROL_CLEAR_MASK)
        await self.source(source_regs.PACKET_BEATS_OFFSET, beats)
        await self.source(source_regs.FRAME_PACKETS_OFFSET, 1)
        await self.source(source_regs.FRAMES_OFFSET, 1)
        await self.source(source_regs.START_OFFSET, start)
        await self.source(
            source_regs.CONTROL_OFFSET,
            source_regs.CONTROL_CLEAR_MASK | source_regs.CONTROL_ENABLE_MASK | flags,
        )

    async def expect(self, start: int) -> None:
        await self.sink(sink_regs.CONTROL_OFFSET, 0)
        await self.sink(sink_regs.START_OFFSET, start)
        await self.sink(
            sink_regs.CONTROL_OFFSET,
            sink_regs.CONTROL_CLEAR_MASK | sink_regs.CONTROL_ENABLE_MASK | sink_regs.CONTROL_CHECK_MASK,
        )


class Window:
    """A block's registers at its address of the design's control port."""

    def __init__(self, bus: AxiLite, base: int) -> None:
        self.bus, self.base = bus, base
        self.edge = bus.edge

    async def read(self, addr: int) -> int:
        return await self.bus.read(self.base + addr)

    async def write(self, addr: int, data: int) -> None:
        await self.bus.write(self.base + addr, data)


class MsgdmaAt(Msgdma):
    """An mSGDMA whose three ports stand at `base`, +0x20 and +0x40 of a control port."""

    def __init__(self, bus: AxiLite, base: int, irq: Callable[[], int]) -> None:
        self.csr, self.desc, self.resp = (Window(bus, base + at) for at in (0, 0x20, 0x40))  # type: ignore[assignment]
        self.extended = True
        self.irq = irq
        self.edge = bus.edge

    async def begin(self) -> None:
        await self.csr.write(CONTROL, CT_RESET)
        await self.poll(ST_RESETTING, 0)
        await self.csr.write(CONTROL, CT_IRQ_EN)


def always() -> bool:
    return True


class Silence:
    """A memory that answers nothing any more, and FAULTS of the design page at `page`."""

    def __init__(self, bus: AxiLite, page: int, memory: AxiSlave) -> None:
        self._bus, self._page, self._memory = bus, page, memory

    async def faults(self) -> int:
        return await self._bus.read(self._page + page_regs.FAULTS_OFFSET)

    async def begin(self) -> None:
        """Returns when all that can still move has, before a reset is asked for."""
        self._memory.stalls.r = self._memory.stalls.b = always
        for _ in range(300):
            await self._bus.edge
        assert await self.faults() == 0
        self._start = self._memory.cycle

    async def end(self, faults: int) -> None:
        """After the reset: it took ResetTimeout, and these engines say so."""
        took = self._memory.cycle - self._start
        assert RESET_TIMEOUT <= took < RESET_TIMEOUT + 400, f"the reset took {took} cycles"
        assert await self.faults() == faults
