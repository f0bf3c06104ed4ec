# SPDX-License-Identifier: Apache-2.0
"""Memory that never answers sl_axi_cdma: after ResetTimeout the reset ends (or the halt after an error does), the ports
are isolated, fault_o stands until rst_ni."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from cdma_bench import (
    CR,
    CR_AT_RESET,
    CR_RESET,
    MEMORY,
    SR,
    SR_ERR,
    SR_IDLE,
    SR_IOC,
    SR_SG_SLV,
    SR_SLV_ERR,
    CdmaBench,
    name,
)
from cocotb.triggers import ClockCycles

from tb import NO_STALL, run
from tb.axi import SLVERR, Stalls
from tb.signals import reader, reset
from tb.stalls import parameters

TIMEOUT = 500
WITH_SG = bool(parameters().get("IncludeSg"))
SMALL = {"DataWidth": 64, "LenWidth": 14, "BufferBeats": 128, "ResetTimeout": TIMEOUT}
CONFIGURATIONS = [{**SMALL, "IncludeSg": 1, "IdWidth": 4}, {**SMALL, "IncludeSg": 0}]
SIZE = 512


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=name)
def test_sl_axi_cdma_timeout(config: dict[str, Any]) -> None:
    run("sl_axi_cdma", config)


def test_refused() -> None:
    run("sl_axi_cdma", {"ResetTimeout": (1 << 30) + 1}, expect_build_error="Timeout must be 0..2^30")


def always() -> bool:
    return True


class Bench(CdmaBench):
    def __init__(self, dut: Any, label: str) -> None:
        super().__init__(dut, label, busy=0.0, latency=6)
        self.fault = reader(dut.fault_o)
        self.valids = [
            reader(getattr(dut, f"{port}_{valid}"))
            for port in ("m_axi", "m_axi_sg")
            for valid in ("arvalid", "awvalid", "wvalid")
        ]

    async def begin(self) -> None:
        await reset(self.dut)
        await self.recover()

    async def work(self) -> None:
        """Starts a copy of SIZE bytes; in scatter-gather mode of eight descriptors of as many."""
        if WITH_SG:
            chain = self.segments(8, SIZE, 0.0)
            self.expect(chain)
            await self.start(chain)
        else:
            await self.copy(0, MEMORY // 2, SIZE)

    async def poll(self, reg: int, mask: int, value: int) -> int:
        for _ in range(400):
            now = await self.bus.read(reg)
            if now & mask == value:
                return now
        raise AssertionError(f"register {reg:#x} is {now:#x}, waited for {value:#x} in {mask:#x}")

    def counts(self) -> list[int]:
        return [len(log) for s in (self.memory, self.table) for log in (s.log.reads, s.log.writes)]


PORTS = ["memory", "table"] if WITH_SG else ["memory"]


@cocotb.test()
@cocotb.parametrize(port=PORTS, silent=["ar", "r", "aw", "w", "b"])
async def reset_ends(dut: Any, port: str, silent: str) -> None:
    """A channel of a port falls silent in the middle of the work: the reset bit clears after ResetTimeout cycles, not
    sooner; VALIDs that stood are taken in the end, no other comes; the copies after it fail at once, until a hard
    reset."""
    bench = Bench(dut, f"reset_ends/{port}/{silent}")
    await bench.begin()
    slave = getattr(bench, port)
    if silent in ("ar", "aw"):
        setattr(slave.stalls, silent, always)
    await bench.work()
    await ClockCycles(dut.clk_i, bench.rng.randrange(1, 20))
    setattr(slave.stalls, silent, always)
    await ClockCycles(dut.clk_i, 300)
    assert not bench.fault() and not await bench.bus.read(SR) & SR_IDLE
    start = slave.cycle
    await bench.set_bits(CR_RESET)
    await bench.poll(CR, CR_RESET, 0)
    took = slave.cycle - start
    assert bench.fault() and TIMEOUT <= took < TIMEOUT + 300, f"{took} cycles, fault {bench.fault()}"
    assert await bench.bus.read(CR) == CR_AT_RESET | (2 if WITH_SG else 0)
    assert await bench.bus.read(SR) == bench.at_rest
    bench.memory.stalls, bench.table.stalls = Stalls(), Stalls()
    await ClockCycles(dut.clk_i, 80)
    assert not any(valid() for valid in bench.valids), "taken in the end"
    counts = bench.counts()
    await bench.work()
    status = await bench.poll(SR, SR_ERR, SR_ERR)
    assert status & (SR_SG_SLV if WITH_SG else SR_SLV_ERR), f"{status:#x}"
    await bench.poll(SR, SR_IDLE, SR_IDLE)
    await bench.set_bits(CR_RESET)
    await bench.poll(CR, CR_RESET, 0)
    assert bench.fault(), "until rst_ni"
    assert counts == bench.counts()
    await reset(dut, start_clock=False)
    assert not bench.fault()


@cocotb.test()
async def answers_in_time(dut: Any) -> None:
    """Memory that is late, but not too late: no fault, and the ports work on."""
    bench = Bench(dut, "in_time")
    await bench.begin()
    await bench.work()
    await ClockCycles(dut.clk_i, 12)
    for slave in (bench.memory, bench.table):
        slave.stalls.r = slave.stalls.b = always
    await ClockCycles(dut.clk_i, 100)
    await bench.set_bits(CR_RESET)
    await ClockCycles(dut.clk_i, TIMEOUT - 150)
    assert await bench.bus.read(CR) & CR_RESET
    for slave in (bench.memory, bench.table):
        slave.stalls.r = slave.stalls.b = NO_STALL
    await bench.poll(CR, CR_RESET, 0)
    assert not bench.fault() and bench.memory.outstanding == bench.table.outstanding == 0
    await bench.recover()
    wanted = bytearray(bench.memory.memory)
    wanted[MEMORY // 2 : MEMORY // 2 + SIZE] = wanted[:SIZE]
    await bench.copy(0, MEMORY // 2, SIZE)
    assert await bench.interrupt() & (SR_ERR | SR_IOC) == SR_IOC
    assert bench.memory.memory == wanted


@cocotb.test(skip=not WITH_SG)
async def error_halt_ends(dut: Any) -> None:
    """A copy fails while bursts of those behind it are never answered: Idle comes after ResetTimeout."""
    bench = Bench(dut, "error_halt")
    await bench.begin()
    chain = bench.segments(8, SIZE, 0.0)
    for segment in chain:
        segment.size = SIZE
        bench.store(segment)
    bad = chain[0].src // 8 * 8
    bench.memory.error = lambda write, addr: SLVERR if not write and addr == bad else 0
    bench.expect(chain)
    await bench.start(chain)
    while len(bench.memory.log.b_edges) < 5:  # the first copy's bursts
        await bench.edge
    bench.memory.stalls.b = always
    while not await bench.bus.read(SR) & SR_ERR:
        pass
    await ClockCycles(dut.clk_i, TIMEOUT - 150)
    assert not bench.fault() and not await bench.bus.read(SR) & SR_IDLE
    status = await bench.poll(SR, SR_IDLE, SR_IDLE)
    assert bench.fault() and status & SR_SLV_ERR
