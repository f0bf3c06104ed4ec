# SPDX-License-Identifier: Apache-2.0
"""msgdma through its control port: all engines at once, as Linux's altera-msgdma goes and with full queues; errors,
interrupts, address map."""

from __future__ import annotations

import random
import sys
from typing import Any

import cocotb
import pytest

from tb import REPO, RTL, run, seed, stall
from tb.axi import DECERR, OKAY, SLVERR, AxiSlave, Stalls
from tb.axil import AxiLite
from tb.signals import reader, reset
from tb.stalls import parameters

sys.path[:0] = [str(RTL / "dma" / "tests"), str(REPO / "regs" / "gen" / "python")]

from lane import RESET_TIMEOUT, MsgdmaAt, Silence, design
from msgdma import (
    COMPLETE_IRQ,
    ERROR_IRQ,
    GO,
    READ_FAILED,
    SLVERR_BIT,
    ST_AT_RESET,
    ST_BUSY,
    ST_IRQ,
    Descriptor,
)
from sluice_regs import msgdma as top
from sluice_regs import sl_design_page as page

COMMON = {"BufferBeats": 128, "ResetTimeout": RESET_TIMEOUT}
CONFIGURATIONS = [
    COMMON | {"NumPorts": 4, "DataWidth": 64, "LenWidth": 31},
    COMMON | {"NumPorts": 1, "DataWidth": 32, "LenWidth": 16, "Unaligned": 0},
]
SILENT = COMMON | {"NumPorts": 1, "DataWidth": 32, "LenWidth": 16, "Unaligned": 0, "IncludeResponse": 0}
REFUSED = [
    ({"NumPorts": 5}, "NumPorts must be 1..4, is 5"),
    ({"DataWidth": 128}, "DataWidth must be 32 or 64, is 128"),
]
MEMORY_BYTES = 1 << 16
HALF = MEMORY_BYTES // 2
CONTROL = GO | COMPLETE_IRQ | ERROR_IRQ


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=lambda c: f"{c['DataWidth']}")
def test_msgdma(config: dict[str, Any]) -> None:
    run("sl_hp_ports", design("msgdma", config))


def test_without_responses() -> None:
    run("sl_hp_ports", design("msgdma", SILENT), testcase="nobody_reads_responses")


@pytest.mark.parametrize(("config", "message"), REFUSED)
def test_refused(config: dict[str, Any], message: str) -> None:
    run("sl_hp_ports", design("msgdma", config), expect_build_error=message)


class Lane:
    """One port: its memory and its engine."""

    def __init__(self, bench: Bench, port: int, stalls: Stalls) -> None:
        self.port = port
        self.broken: set[int] = set()
        self.memory = AxiSlave(
            bench.dut,
            f"m_axi_hp{port}",
            bytearray(bench.rng.randbytes(MEMORY_BYTES)),
            read_latency=10,
            write_latency=10,
            max_burst=16,
            stalls=stalls,
            error=lambda write, addr: SLVERR if not write and addr >> 6 in self.broken else OKAY,
        )
        self.engine = MsgdmaAt(bench.bus, top.hp_csr(port), lambda: bench.irq() >> port & 1)


class Bench:
    def __init__(self, dut: Any, label: str, busy: float = 0.0) -> None:
        self.dut = dut
        self.config = parameters()
        self.ports = int(self.config["NumPorts"])
        self.step = 1 if self.config.get("Unaligned", 1) else int(self.config["DataWidth"]) // 8
        self.rng = seed(label)
        self.irq = reader(dut.irq_o)
        self.bus = AxiLite(dut)

        def some() -> Any:
            return stall(seed(f"{label}/{self.rng.random()}"), busy)

        self.lanes = [Lane(self, port, Stalls(some(), some(), some(), some(), some())) for port in range(self.ports)]

    async def begin(self) -> None:
        await reset(self.dut)
        for lane in self.lanes:
            await lane.engine.begin()

    def copy(self, rng: random.Random, most: int = 3000) -> Descriptor:
        """From the lower half of the memory to the upper one."""
        length = rng.choice((1, 5, 64, rng.randint(1, most)))
        length = max(length // self.step * self.step, self.step)
        source, target = (rng.randrange(0, HALF - length) // self.step * self.step for _ in range(2))
        return Descriptor(source, HALF + target, length, CONTROL)


def done(image: bytearray, copy: Descriptor) -> None:
    image[copy.write : copy.write + copy.length] = image[copy.read : copy.read + copy.length]


@cocotb.test()
async def address_map(dut: Any) -> None:
    """The design page, and DECERR wherever no block stands."""
    bench = Bench(dut, "address_map")
    await reset(dut)
    read, config = bench.bus.read_resp, bench.config
    assert await read(top.PAGE_OFFSET + page.IDENTITY_OFFSET) == (0x534C4D53, OKAY)
    assert await read(top.PAGE_OFFSET + page.CONFIG_OFFSET) == (
        bench.ports | config["DataWidth"] // 8 << 8 | config["LenWidth"] << 16 | config.get("Unaligned", 1) << 24,
        OKAY,
    )
    ends = {top.HP_CSR_OFFSET: 0x20, top.HP_DESC_OFFSET: 0x20, top.HP_RESP_OFFSET: 8}
    there = {at for first, size in ends.items() for at in range(first, first + size, 4)}
    for port in range(4):
        for at in (*range(0, 0x80, 4), 0x100, 0x1000, 0x8000, 0xFFFC):
            resp = OKAY if port < bench.ports and at in there else DECERR
            assert (await read(port << 16 | at))[1] == resp, f"{port << 16 | at:#x}"
    for lane in bench.lanes:
        assert await lane.engine.status() == ST_AT_RESET
    for port in range(bench.ports, 4):
        for out in ("arvalid", "awvalid", "wvalid", "rready", "bready", "araddr", "awaddr"):
            assert int(getattr(dut, f"m_axi_hp{port}_{out}").value) == 0, "tied off"


@cocotb.test()
async def one_in_flight(dut: Any) -> None:
    """As altera-msgdma: a transaction, its interrupt, its response; every engine at its turn, each its own line."""
    bench = Bench(dut, "one_in_flight", busy=0.15)
    await bench.begin()
    for _ in range(4):
        for lane in bench.lanes:
            copy = bench.copy(bench.rng)
            image = bytearray(lane.memory.memory)
            done(image, copy)
            await lane.engine.submit(copy)
            status = await lane.engine.interrupt()
            assert status & (ST_BUSY | ST_IRQ) == ST_IRQ and bench.irq() == 0
            assert await lane.engine.responses() == [(copy.length, 0)]
            assert lane.memory.memory == image


@cocotb.test()
async def full_queues(dut: Any) -> None:
    """Many copies queued on every engine, all engines at once: done in order, nothing else is touched."""
    bench = Bench(dut, "full_queues", busy=0.15)
    await bench.begin()
    plans = []
    for lane in bench.lanes:
        copies = [bench.copy(bench.rng, 600) for _ in range(12)]
        image = bytearray(lane.memory.memory)
        for copy in copies:
            done(image, copy)
            await lane.engine.write(copy)
        plans.append((lane, copies, image))
    for lane, copies, image in plans:
        await lane.engine.idle()
        assert await lane.engine.responses() == [(copy.length, 0) for copy in copies]
        assert lane.memory.memory == image


@cocotb.test(skip=bool(parameters().get("IncludeResponse", 1)))
async def nobody_reads_responses(dut: Any) -> None:
    """Software that never reads a response gets many times as many copies done as a queue of responses holds."""
    bench = Bench(dut, "nobody_reads")
    await bench.begin()
    (lane,) = bench.lanes
    for turn in range(200):
        at = 64 * (turn % 64)
        await lane.engine.submit(Descriptor(at, HALF + at, 64, CONTROL))
        assert await lane.engine.interrupt() & ST_BUSY == 0, f"copy {turn}"
    assert lane.memory.memory[HALF : HALF + 4096] == lane.memory.memory[:4096]
    assert await lane.engine.resp.read(0) == await lane.engine.resp.read(4) == 0


@cocotb.test()
async def errors_stay_in_their_lane(dut: Any) -> None:
    """A failed read is told in its response; the next copy, and the other engines, work."""
    bench = Bench(dut, "errors", busy=0.1)
    await bench.begin()
    broken = bench.rng.choice(bench.lanes)
    broken.broken = {0x1200 >> 6}
    for lane in bench.lanes:
        await lane.engine.write(Descriptor(0x1000, 0x9000, 0x400, CONTROL))
        await lane.engine.write(Descriptor(0x2000, 0xA000, 0x400, CONTROL))
    for lane in bench.lanes:
        await lane.engine.idle()
        first, second = await lane.engine.responses()
        if lane is broken:
            assert first[1] & (SLVERR_BIT | READ_FAILED) == SLVERR_BIT | READ_FAILED
        else:
            assert first == (0x400, 0)
            assert lane.memory.memory[0x9000:0x9400] == lane.memory.memory[0x1000:0x1400]
        assert second == (0x400, 0)
        assert lane.memory.memory[0xA000:0xA400] == lane.memory.memory[0x2000:0x2400]


@cocotb.test()
async def memory_falls_silent(dut: Any) -> None:
    """The memory of one port answers no more: a reset ends after ResetTimeout, FAULTS names the port until a hard
    reset, what is queued on it fails at once; the other ports work on."""
    bench = Bench(dut, "silence")
    await bench.begin()
    lane = bench.rng.choice(bench.lanes)
    silence = Silence(bench.bus, top.PAGE_OFFSET, lane.memory)
    copy = Descriptor(0x1000, 0x9000, 0x400, CONTROL)
    await lane.engine.write(copy)
    await silence.begin()
    await lane.engine.begin()
    await silence.end(1 << lane.port)
    for other in bench.lanes:
        await other.engine.write(copy)
    for other in bench.lanes:
        await other.engine.idle()
        ((count, status),) = await other.engine.responses()
        if other is lane:
            assert status & SLVERR_BIT and count == 0
        else:
            assert (count, status) == (0x400, 0)
            assert other.memory.memory[0x9000:0x9400] == other.memory.memory[0x1000:0x1400]
    await reset(dut, start_clock=False)
    assert await silence.faults() == 0
