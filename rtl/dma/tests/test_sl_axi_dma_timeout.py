# SPDX-License-Identifier: Apache-2.0
"""Memory that never answers sl_axi_dma: after ResetTimeout the reset ends (or Halted comes), the ports
are isolated, fault_o stands until rst_ni."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from pg021 import (
    BD_EOF,
    BD_SOF,
    CR_AT_RESET,
    CR_RESET,
    DMACR,
    DMASR,
    SR_AT_RESET,
    SR_ERR,
    SR_HALTED,
    SR_IDLE,
    SR_SG,
    SR_SG_SLV_ERR,
    SR_SLV_ERR,
    Channel,
)
from sg_bench import MEMORY_BYTES, SgBench

from tb import NO_STALL, run
from tb.axi import SLVERR, Stalls
from tb.signals import reader, reset
from tb.stalls import parameters

TIMEOUT = 500
WITH_SG = bool(parameters().get("IncludeSg"))
CONFIGURATIONS = [
    {"DataWidth": 64, "LenWidth": 14, "BufferBeats": 128, "IncludeSg": 1, "ResetTimeout": TIMEOUT},
    {"DataWidth": 64, "LenWidth": 14, "BufferBeats": 128, "IncludeSg": 0, "ResetTimeout": TIMEOUT},
]


def name(config: dict[str, Any]) -> str:
    return "-".join(f"{k}={v}" for k, v in config.items())


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=name)
def test_sl_axi_dma_timeout(config: dict[str, Any]) -> None:
    run("sl_axi_dma", config)


def test_refused() -> None:
    run("sl_axi_dma", {"ResetTimeout": (1 << 30) + 1}, expect_build_error="Timeout must be 0..2^30")


def always() -> bool:
    return True


class Bench(SgBench):
    def __init__(self, dut: Any, label: str) -> None:
        super().__init__(dut, label, latency=6)
        self.fault = reader(dut.fault_o)
        self.valids = [
            reader(getattr(dut, f"{port}_{valid}"))
            for port in ("m_axi", "m_axi_sg")
            for valid in ("arvalid", "awvalid", "wvalid")
        ]

    async def transfer(self, channel: Channel, length: int = 512) -> None:
        """Starts one, with data for it; in scatter-gather mode of four descriptors."""
        receives = channel is self.s2mm
        at = MEMORY_BYTES // 2 if receives else 0
        if receives:
            self.send(self.rng.randbytes(length))
        if WITH_SG:
            buffers = [(at + i * length // 4, length // 4) for i in range(4)]
            flags = [BD_SOF, 0, 0, BD_EOF] if not receives else None
            chain = self.chain(self.places(4, 0x4000 if receives else 0), buffers, flags)
            await self.start(channel, chain)
        else:
            await channel.start(at, length)


PORTS = ["memory", "table"] if WITH_SG else ["memory"]


@cocotb.test()
@cocotb.parametrize(port=PORTS, silent=["ar", "r", "aw", "w", "b"])
async def reset_ends(dut: Any, port: str, silent: str) -> None:
    """A channel of a port falls silent in the middle of transfers of both directions: the reset bit
    clears after ResetTimeout cycles, not sooner; VALIDs that stood are taken in the end, no other
    comes; the transfers after it fail at once, until a hard reset."""
    bench = Bench(dut, f"reset_ends/{port}/{silent}")
    await bench.begin()
    slave = getattr(bench, port)
    if silent in ("ar", "aw"):
        setattr(slave.stalls, silent, always)
    for channel in (bench.mm2s, bench.s2mm):
        await bench.transfer(channel)
        if channel is bench.mm2s and silent == "r":
            setattr(slave.stalls, silent, always)
    await bench.clocks(bench.rng.randrange(0, 6))
    setattr(slave.stalls, silent, always)
    await bench.clocks(150)
    assert not bench.fault()
    start = slave.cycle
    await bench.mm2s.set_bits(DMACR, CR_RESET)
    await bench.mm2s.poll(DMACR, CR_RESET, 0)
    took = slave.cycle - start
    assert bench.fault() and TIMEOUT <= took < TIMEOUT + 300, f"{took} cycles, fault {bench.fault()}"
    for channel in (bench.mm2s, bench.s2mm):
        assert await channel.get(DMACR) == CR_AT_RESET
        assert await channel.get(DMASR) == SR_AT_RESET | (SR_SG if WITH_SG else 0)
    bench.memory.stalls, bench.table.stalls = Stalls(), Stalls()
    await bench.clocks(80)
    assert not any(valid() for valid in bench.valids), "taken in the end"
    counts = [len(log) for s in (bench.memory, bench.table) for log in (s.log.reads, s.log.writes)]
    for channel in (bench.mm2s, bench.s2mm):
        await bench.transfer(channel)
        status = await channel.poll(DMASR, SR_ERR, SR_ERR)
        assert status & (SR_SG_SLV_ERR if WITH_SG else SR_SLV_ERR), f"{status:#x}"
        await channel.poll(DMASR, SR_HALTED, SR_HALTED)
    await bench.mm2s.reset()
    assert bench.fault(), "until rst_ni"
    assert counts == [len(log) for s in (bench.memory, bench.table) for log in (s.log.reads, s.log.writes)]
    await reset(dut, start_clock=False)
    assert not bench.fault()


@cocotb.test()
async def answers_in_time(dut: Any) -> None:
    """Memory that is late, but not too late: no fault, and the port works on."""
    bench = Bench(dut, "in_time")
    await bench.begin()
    await bench.transfer(bench.mm2s)
    await bench.clocks(12)
    bench.memory.stalls.r = bench.memory.stalls.b = always
    await bench.clocks(100)
    await bench.mm2s.set_bits(DMACR, CR_RESET)
    await bench.clocks(TIMEOUT - 150)
    assert await bench.mm2s.get(DMACR) & CR_RESET
    bench.memory.stalls.r = bench.memory.stalls.b = NO_STALL
    await bench.mm2s.poll(DMACR, CR_RESET, 0)
    assert not bench.fault() and bench.memory.outstanding == 0
    bench.sink.part.clear()
    await bench.transfer(bench.mm2s)
    await bench.mm2s.poll(DMASR, SR_IDLE, SR_IDLE)
    assert len(bench.sink.packets[-1]) == 512


@cocotb.test()
async def error_halt_ends(dut: Any) -> None:
    """S2MM: an error while other bursts are never answered: Halted comes after ResetTimeout."""
    bench = Bench(dut, "error_halt")
    await bench.begin()
    bench.memory.error = lambda write, addr: SLVERR if write and addr < MEMORY_BYTES // 2 + 128 else 0
    await bench.transfer(bench.s2mm)
    await bench.until(lambda: len(bench.memory.log.b_edges) == 1, what="the first response")
    bench.memory.stalls.b = always
    if WITH_SG:
        await bench.clocks(TIMEOUT - 100)
        assert not bench.fault() and not await bench.s2mm.get(DMASR) & SR_HALTED
        status = await bench.s2mm.poll(DMASR, SR_HALTED, SR_HALTED)
        assert bench.fault() and status & SR_SLV_ERR
    else:  # one transfer: its status comes after its last response, or, with a reset, never
        await bench.s2mm.set_bits(DMACR, CR_RESET)
        await bench.s2mm.poll(DMACR, CR_RESET, 0)
        assert bench.fault()


@cocotb.test(skip=not WITH_SG)
@cocotb.parametrize(receive=[False, True])
async def descriptors_fall_silent(dut: Any, receive: bool) -> None:
    """RS is cleared while descriptors that were read ahead are never answered: Halted comes after ResetTimeout."""
    bench = Bench(dut, f"descriptors/{receive}")
    await bench.begin()
    bench.table.stalls.r = always
    channel = bench.s2mm if receive else bench.mm2s
    await bench.transfer(channel)
    await bench.clocks(100)
    await channel.clear_bits(DMACR, 1)
    await bench.clocks(TIMEOUT - 100)
    assert not bench.fault() and not await channel.get(DMASR) & SR_HALTED
    await channel.poll(DMASR, SR_HALTED, SR_HALTED)
    assert bench.fault()


@cocotb.test(skip=not WITH_SG)
async def error_without_descriptors(dut: Any) -> None:
    """MM2S: an error while descriptors that were read ahead are never answered: Halted comes all the same."""
    bench = Bench(dut, "error_without_descriptors")
    await bench.begin()
    bench.memory.error = lambda write, addr: 0 if write else SLVERR
    bench.memory.stalls.r = always
    await bench.transfer(bench.mm2s)
    await bench.until(lambda: len(bench.memory.log.reads) >= 1, what="the first data read")
    bench.table.stalls.r = always
    bench.memory.stalls.r = NO_STALL
    await bench.clocks(TIMEOUT + 600)
    status = await bench.mm2s.poll(DMASR, SR_HALTED, SR_HALTED)
    assert status & SR_SLV_ERR, f"{status:#x}"
