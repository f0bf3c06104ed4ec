# SPDX-License-Identifier: Apache-2.0
"""Memory that never answers sl_msgdma: after ResetTimeout a reset or a stop ends, the port is
isolated, fault_o stands until rst_ni."""

from __future__ import annotations

from typing import Any

import cocotb
from msgdma import (
    CONTROL,
    CT_RESET,
    CT_STOP,
    GEN_EOP,
    READ_FAILED,
    SLVERR_BIT,
    ST_BUSY,
    ST_RESETTING,
    ST_STOPPED,
    WRITE_FAILED,
    Descriptor,
)
from msgdma_bench import Bench

from tb.axi import Stalls
from tb.signals import reader, reset
from tb.stalls import NO_STALL, parameters

P = parameters()
MODE = int(P.get("Mode", 0))
TIMEOUT = int(P.get("ResetTimeout", 1 << 20))
SILENT = [*(("ar", "r") if MODE != 2 else ()), *(("aw", "w", "b") if MODE != 1 else ())]
FAILED = SLVERR_BIT | READ_FAILED | WRITE_FAILED


def always() -> bool:
    return True


class FaultBench(Bench):
    def __init__(self, dut: Any, label: str) -> None:
        super().__init__(dut, label, latency=6)
        self.fault = reader(dut.fault_o)
        self.valids = [reader(getattr(dut, f"m_axi_{n}valid")) for n in ("ar", "aw", "w")]

    async def queue(self, count: int = 4) -> list[Descriptor]:
        """Descriptors of 64 beats, and where they take a stream data for them."""
        length = 64 * self.size
        ds = [self.descriptor(length, GEN_EOP) for _ in range(count)]
        if self.mode == 2:
            self.source.send(self.rng.randbytes(count * length), last=False)
        for d in ds:
            await self.dma.write(d)
        return ds

    def accesses(self) -> int:
        return len(self.memory.log.reads) + len(self.memory.log.writes) + len(self.memory.log.w_beats)


@cocotb.test()
@cocotb.parametrize(asked=[CT_RESET, CT_STOP], silent=SILENT)
async def memory_dies(dut: Any, asked: int, silent: str) -> None:
    """A channel falls silent in the middle of transfers: the reset or the stop ends after
    ResetTimeout cycles, not sooner; VALIDs that stood are taken in the end, no other comes; what
    follows fails at once, until a hard reset."""
    bench = FaultBench(dut, f"dies/{asked}/{silent}")
    await bench.begin()
    bench.fresh()
    dma, memory = bench.dma, bench.memory
    if silent in ("ar", "aw"):
        setattr(memory.stalls, silent, always)
    ds = await bench.queue()
    await bench.clocks(bench.rng.randrange(8))
    setattr(memory.stalls, silent, always)
    await bench.clocks(300)
    assert not bench.fault() and await dma.status() & ST_BUSY
    start = memory.cycle
    await dma.csr.write(CONTROL, asked)
    if asked == CT_RESET:
        await dma.poll(ST_RESETTING, 0)
    else:
        assert not await dma.status() & ST_STOPPED
        await dma.poll(ST_STOPPED, ST_STOPPED)
    took = memory.cycle - start
    assert bench.fault() and TIMEOUT <= took < TIMEOUT + 400, f"{took} cycles, fault {bench.fault()}"
    bench.check_within(ds)
    if asked == CT_RESET:
        await bench.at_reset()
    else:
        found = await dma.responses()
        assert found and found[-1][1] & SLVERR_BIT
        for d, (count, status) in zip(ds, found, strict=False):
            assert status & ~FAILED == 0 and (count == d.length if status == 0 else count < d.length)
            if MODE == 0:
                assert memory.memory[d.write : d.write + count] == bench.data(d)[:count]
    memory.stalls = Stalls()
    await bench.clocks(80)
    assert not any(valid() for valid in bench.valids), "taken in the end"
    before = bench.accesses()
    bench.source.clear()
    await dma.csr.write(CONTROL, 0)
    await bench.queue(1)
    await dma.idle()
    late = await dma.responses()
    assert len(late) == 1 + (0 if asked == CT_RESET else len(ds) - len(found))
    assert all(n == 0 and status & SLVERR_BIT and status & ~FAILED == 0 for n, status in late)
    await dma.reset()
    assert bench.fault() and bench.accesses() == before
    await reset(dut, start_clock=False)
    assert not bench.fault()


@cocotb.test()
@cocotb.parametrize(asked=[CT_RESET, CT_STOP])
async def memory_is_late(dut: Any, asked: int) -> None:
    """Not too late: no fault. A reset has to end in time, a stop waits for as long as memory answers
    now and then; then the engine works on."""
    bench = FaultBench(dut, f"late/{asked}")
    await bench.begin()
    bench.fresh()
    dma, stalls = bench.dma, bench.memory.stalls
    ds = await bench.queue()
    stalls.r = stalls.b = always
    await bench.clocks(100)
    await dma.csr.write(CONTROL, asked)
    for _ in range(1 if asked == CT_RESET else 3):
        await bench.clocks(TIMEOUT - (400 if asked == CT_RESET else 100))
        assert not await dma.status() & ST_STOPPED
        stalls.r = stalls.b = NO_STALL
        await bench.clocks(1)
        if asked == CT_STOP:
            stalls.r = stalls.b = always
    stalls.r = stalls.b = NO_STALL
    if asked == CT_RESET:
        await dma.poll(ST_RESETTING, 0)
    else:
        await dma.poll(ST_STOPPED, ST_STOPPED)
        await dma.csr.write(CONTROL, 0)
        await dma.idle()
        assert await dma.responses() == [(d.length, 0) for d in ds]
    assert not bench.fault() and bench.memory.outstanding == 0
    bench.source.clear()
    await bench.queue(1)
    await dma.idle()
    assert await dma.responses() == [(ds[0].length, 0)]


@cocotb.test(skip=MODE == 0)
async def stream_is_late(dut: Any) -> None:
    """A stop waits for a stream without limit, and is no fault."""
    bench = FaultBench(dut, "stream")
    await bench.begin()
    bench.fresh()
    dma = bench.dma
    bench.source.stall = bench.sink.stall = always
    ds = await bench.queue()
    await bench.clocks(200)
    await dma.csr.write(CONTROL, CT_STOP)
    await bench.clocks(TIMEOUT + 500)
    assert not bench.fault() and not await dma.status() & ST_STOPPED
    bench.source.stall = bench.sink.stall = NO_STALL
    await dma.poll(ST_STOPPED, ST_STOPPED)
    await dma.csr.write(CONTROL, 0)
    await dma.idle()
    assert not bench.fault() and await dma.responses() == [(d.length, 0) for d in ds]
