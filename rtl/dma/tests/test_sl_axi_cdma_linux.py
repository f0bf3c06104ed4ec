# SPDX-License-Identifier: Apache-2.0
"""sl_axi_cdma driven register by register as Linux's mainline xilinx_dma does, in scatter-gather and in simple mode."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from cdma_bench import ALL_IRQ, CR, CR_IRQ, CR_SG, MEMORY, SR, SR_IDLE, SR_SG, CdmaBench, name
from cocotb.triggers import ClockCycles
from xilinx_cdma import Copy, Driver

from tb import run, seed, stall
from tb.axi import DECERR, SLVERR
from tb.signals import reset
from tb.stalls import parameters

CONFIGURATIONS = [
    {"DataWidth": 64, "LenWidth": 14, "BufferBeats": 128, "AddrWidth": 40, "IncludeSg": 1},
    {"DataWidth": 64, "LenWidth": 14, "BufferBeats": 128, "IncludeSg": 1, "CutThrough": 1},
    {"DataWidth": 64, "LenWidth": 14, "BufferBeats": 128, "IncludeSg": 0, "IdWidth": 4, "ResetTimeout": 0},
]
WITH_SG = bool(parameters().get("IncludeSg"))
HALF = MEMORY // 2


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=name)
def test_sl_axi_cdma_linux(config: dict[str, Any]) -> None:
    run("sl_axi_cdma", config)


class Linux(CdmaBench):
    """With the driver, probed and allocated; descriptors below 4 GiB, as the driver links them."""

    def __init__(self, dut: Any, label: str, busy: float = 0.1) -> None:
        super().__init__(dut, label, busy, base=0x5000_0000)
        self.driver = Driver(self, (1 << int(parameters()["LenWidth"])) - 1)
        self.wanted = bytearray(self.memory.memory)
        self.bytes = 0

    async def boot(self) -> None:
        await reset(self.dut)
        await self.driver.probe()
        assert self.driver.has_sg == WITH_SG
        await self.driver.allocate()

    def prepare(self, src: int, dst: int, size: int) -> Copy:
        self.wanted[dst : dst + size] = self.wanted[src : src + size]
        self.bytes += size
        return self.driver.prepare(src, dst, size)

    def some(self, count: int, most: int, at: int = HALF) -> list[Copy]:
        """Copies at random out of the lower half, each to its own part of the 32 KiB from `at`."""
        room = HALF // 2 // count
        copies = []
        for i in range(count):
            size = self.rng.randint(1, most)
            dst = at + i * room + self.rng.randrange(room - size)
            copies.append(self.prepare(self.rng.randrange(HALF - size), dst, size))
        return copies

    async def finish(self, copies: list[Copy]) -> None:
        """All are done, each told once, without residue; memory is right, no byte beside or twice."""
        await self.driver.handle(lambda: all(copy.done for copy in copies))
        assert not self.driver.err
        assert all(copy.callbacks == 1 and copy.residue == 0 and not copy.failed for copy in copies)
        self.check_memory()

    def check_memory(self) -> None:
        assert self.memory.memory == self.wanted
        assert sum(self.memory.written) == self.bytes, "written beside, or not once"
        self.forget()

    def forget(self) -> None:
        """Takes memory as it is."""
        self.memory.written[:] = bytes(MEMORY)
        self.wanted[:] = self.memory.memory
        self.bytes = 0


@cocotb.test()
async def copies_one_by_one(dut: Any) -> None:
    """submit, issue, callback, again and again: from one byte to over 8 KiB, any alignment."""
    bench = Linux(dut, "one_by_one")
    await bench.boot()
    for most in (1, 3, 8, 64, 65, 300, 1000, 4096, 16383):
        bench.vary()
        copies = bench.some(1, most)
        await bench.driver.issue_pending()
        await bench.finish(copies)


@cocotb.test(skip=not WITH_SG)
async def offset_5(dut: Any) -> None:
    """Two copies of 64 B queued to destination offset 5, which another engine fails, under every stall."""
    bench = Linux(dut, "offset_5")
    await bench.boot()
    for share in (0.0, 0.1, 0.25, 0.4):
        for slave in (bench.memory, bench.table):
            for channel in ("ar", "r", "aw", "w", "b"):
                setattr(slave.stalls, channel, stall(seed(f"5/{channel}/{share}"), share))
        copies = [bench.prepare(i * 64, HALF + i * 256 + 5, 64) for i in range(2)]
        await bench.driver.issue_pending()
        await bench.finish(copies)
        copies = [bench.prepare(i * 64, HALF + 5 + i * 64, 64) for i in range(2)]  # side by side
        await bench.driver.issue_pending()
        await bench.finish(copies)


@cocotb.test(skip=not WITH_SG)
async def batches(dut: Any) -> None:
    """Several copies issued together, one interrupt by the threshold; more that are submitted while they
    run start from the handler."""
    bench = Linux(dut, "batches")
    await bench.boot()
    for _ in range(6):
        bench.vary()
        first = bench.some(bench.rng.choice((2, 5, 20)), 400)
        assert all(bench.driver.residue(copy) == copy.segment.size for copy in first)
        await bench.driver.issue_pending()
        second = bench.some(bench.rng.choice((1, 3)), 400, HALF + HALF // 2)
        await bench.driver.issue_pending()  # the engine is busy: nothing yet
        assert len(bench.driver.pending) == len(second)
        await bench.finish(first + second)


@cocotb.test()
async def terminate(dut: Any) -> None:
    """terminate_all with copies running, at any cycle: Idle comes, the reset ends, the next copies are right."""
    bench = Linux(dut, "terminate")
    await bench.boot()
    for _ in range(6):
        bench.vary()
        bench.some(8 if WITH_SG else 1, 500)
        await bench.driver.issue_pending()
        await ClockCycles(dut.clk_i, bench.rng.randint(1, 300))
        await bench.driver.terminate()
        assert not bench.driver.err and bench.memory.outstanding == bench.table.outstanding == 0
        assert not await bench.bus.read(CR) & CR_SG
        bench.forget()
        copies = bench.some(3 if WITH_SG else 1, 300)
        await bench.driver.issue_pending()
        await bench.finish(copies)


@cocotb.test()
async def errors(dut: Any) -> None:
    """An error on any beat, read or write, sets the channel's err flag and nothing starts; terminate recovers. No
    byte outside the destinations."""
    bench = Linux(dut, "errors")
    await bench.boot()
    for turn in range(8):
        bench.vary()
        batch = bench.some(4 if WITH_SG else 1, 600)
        bad = bench.rng.choice(batch).segment
        on_write, resp = bool(turn & 1), SLVERR if turn & 2 else DECERR
        at = bench.rng.randrange(bad.size) + (bad.dst if on_write else bad.src)

        def error(write: bool, addr: int, at: int = at // 8, on: bool = on_write, resp: int = resp) -> int:
            return resp if write == on and addr // 8 == at else 0

        bench.memory.error = error
        await bench.driver.issue_pending()
        await bench.driver.handle(lambda: bench.driver.err)
        later = bench.driver.prepare(0, HALF, 64)
        reads = len(bench.memory.log.reads)
        await bench.driver.issue_pending()
        await ClockCycles(dut.clk_i, 50)
        assert not later.done and len(bench.memory.log.reads) == reads, "starts although an error stands"
        bench.memory.error = None
        await bench.driver.terminate()
        assert not bench.driver.err
        bench.check_within([copy.segment for copy in batch])
        bench.forget()
        copies = bench.some(1, 300)
        await bench.driver.issue_pending()
        await bench.finish(copies)


@cocotb.test()
async def spurious(dut: Any) -> None:
    """Of an interrupt line shared with others: no bit is set, the handler leaves the engine alone."""
    bench = Linux(dut, "spurious")
    await bench.boot()
    assert not await bench.driver.interrupt()
    assert await bench.bus.read(SR) & (SR_IDLE | SR_SG) == SR_IDLE | (SR_SG if WITH_SG else 0)
    assert await bench.bus.read(CR) & ALL_IRQ == (ALL_IRQ if WITH_SG else CR_IRQ)
