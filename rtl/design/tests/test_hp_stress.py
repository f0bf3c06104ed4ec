# SPDX-License-Identifier: Apache-2.0
"""hp_stress through its control port: every lane in loop-back and split mode, loss counts,
interrupts, address map."""

from __future__ import annotations

import sys
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from tb import REPO, RTL, run, seed, stall
from tb.axi import AxiSlave, Stalls
from tb.signals import reader, reset
from tb.stalls import parameters

sys.path[:0] = [str(RTL / "dma" / "tests"), str(REPO / "regs" / "gen" / "python")]

from lane import RESET_TIMEOUT, LaneStreams, Silence, design, pattern
from pg021 import DMACR, DMASR, LENGTH, MM2S, S2MM, SR_AT_RESET, SR_ERR, SR_IOC, SR_SLV_ERR, Channel
from sluice_regs import hp_stress as top
from sluice_regs import sl_design_page as page
from sluice_regs import sl_stream_sink as sink_regs
from sluice_regs import sl_stream_source as source_regs

from tb.axi import DECERR, OKAY
from tb.axil import AxiLite

CONFIGURATIONS = [
    {
        "NumPorts": 4,
        "DataWidth": 64,
        "LenWidth": 26,
        "BufferBeats": 128,
        "FifoBeats": 128,
        "ResetTimeout": RESET_TIMEOUT,
    },
    {
        "NumPorts": 1,
        "DataWidth": 32,
        "LenWidth": 14,
        "BufferBeats": 128,
        "FifoBeats": 32,
        "Unaligned": 1,
        "ResetTimeout": RESET_TIMEOUT,
    },
]
REFUSED = [
    ({"NumPorts": 0}, "NumPorts must be 1..4, is 0"),
    ({"NumPorts": 5}, "NumPorts must be 1..4, is 5"),
    ({"DataWidth": 128}, "DataWidth must be 32 or 64, is 128"),
    ({"DataWidth": 128}, "need m_axi of 32 or 64 bits"),
    ({"Design": '"other"'}, "Design must be hp_stress, dma_loopback, cdma or msgdma, is other"),
    ({"Design": '"msgdma"', "IncludeSg": 1}, "a parameter of another design is not its default"),
    ({"RamBeats": 1024}, "a parameter of another design is not its default"),
    ({"IncludeResponse": 0}, "a parameter of another design is not its default"),
    ({"Design": '"msgdma"', "FifoBeats": 64}, "a parameter of another design is not its default"),
]


def name(config: dict[str, Any]) -> str:
    return "-".join(f"{k}={v}" for k, v in config.items())


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=name)
def test_hp_stress(config: dict[str, Any]) -> None:
    run("sl_hp_ports", design("hp_stress", config))


@pytest.mark.parametrize(("config", "message"), REFUSED, ids=lambda x: name(x) if isinstance(x, dict) else "")
def test_refused(config: dict[str, Any], message: str) -> None:
    run("sl_hp_ports", design("hp_stress", config), expect_build_error=message)


MEMORY_BYTES = 1 << 16


class Lane(LaneStreams):
    """One port: its memory and its registers."""

    def __init__(self, bench: Bench, port: int, stalls: Stalls, latency: int) -> None:
        self.bench = bench
        self.port = port
        self.base = port << 16
        super().__init__(
            bench.bus,
            self.base + top.HP_SOURCE_OFFSET,
            self.base + top.HP_SINK_OFFSET,
            self.base + top.HP_CONTROL_OFFSET,
        )
        self.memory = AxiSlave(
            bench.dut,
            f"m_axi_hp{port}",
            MEMORY_BYTES,
            read_latency=latency,
            write_latency=latency,
            max_burst=16,
            stalls=stalls,
        )
        self.mm2s = Channel(bench.bus, MM2S, self.base)
        self.s2mm = Channel(bench.bus, S2MM, self.base)
        self.mm2s.irq = lambda: bench.irq() >> 2 * port & 1
        self.s2mm.irq = lambda: bench.irq() >> 2 * port + 1 & 1

    async def begin(self, loopback: bool) -> None:
        await self.route(loopback)
        await self.mm2s.reset()
        for channel in (self.mm2s, self.s2mm):
            await channel.put(DMACR, 0x5001)


class Bench:
    def __init__(self, dut: Any, label: str, busy: float = 0.0, latency: int = 10) -> None:
        self.dut = dut
        p = parameters()
        self.ports = int(p["NumPorts"])
        self.size = int(p["DataWidth"]) // 8
        self.config = p
        self.rng = seed(label)
        self.irq = reader(dut.irq_o)
        self.bus = AxiLite(dut)

        def some() -> Any:
            return stall(seed(f"{label}/{self.rng.random()}"), busy)

        self.lanes = [
            Lane(self, port, Stalls(some(), some(), some(), some(), some()), latency) for port in range(self.ports)
        ]

    async def begin(self, loopback: bool) -> None:
        await reset(self.dut)
        for lane in self.lanes:
            await lane.begin(loopback)

    async def wait(self, bits: int, limit: int = 20_000) -> None:
        """Until all of these interrupts are up."""
        edge = RisingEdge(self.dut.clk_i)
        for _ in range(limit):
            if self.irq() & bits == bits:
                return
            await edge
        raise AssertionError(f"interrupts {self.irq():#x} after {limit} cycles, waited for {bits:#x}")


@cocotb.test()
async def address_map(dut: Any) -> None:
    """The design page, and DECERR wherever no page stands, reads and writes; the port works on
    afterwards."""
    bench = Bench(dut, "address_map")
    await reset(dut)
    read = bench.bus.read_resp
    config = bench.config
    assert await read(top.PAGE_OFFSET + page.IDENTITY_OFFSET) == (0x534C4850, OKAY)
    assert await read(top.PAGE_OFFSET + page.VERSION_OFFSET) == (0x0101, OKAY)
    assert await read(top.PAGE_OFFSET + page.CONFIG_OFFSET) == (
        bench.ports | bench.size << 8 | config["LenWidth"] << 16 | config.get("Unaligned", 0) << 24,
        OKAY,
    )
    ticks = [(await read(top.PAGE_OFFSET + page.TICKS_LO_OFFSET))[0] for _ in range(2)]
    assert 0 < ticks[0] < ticks[1] < 1000
    assert await read(top.PAGE_OFFSET + page.TICKS_HI_OFFSET) == (0, OKAY)
    pages = {port << 16 | block << 12 for port in range(bench.ports) for block in range(4)} | {top.PAGE_OFFSET}
    for addr in (
        {block << 12 for block in range(256)}
        if bench.ports == 1
        else {
            *(port << 16 | block << 12 for port in range(8) for block in (0, 1, 3, 4, 8, 15)),
            0x80000,
            0xFF000,
        }
    ):
        for at in (addr, addr + 0xFFC):
            if addr in pages:
                assert (await read(at))[1] == OKAY, f"{at:#x}"
            else:
                assert (await read(at))[1] == DECERR and await bench.bus.write_resp(at, 0) == DECERR, f"{at:#x}"
    for lane in bench.lanes:
        assert await lane.mm2s.get(DMASR) == SR_AT_RESET
        assert await lane.s2mm.get(DMASR) == SR_AT_RESET
        await lane.mm2s.put(LENGTH, 16 * lane.port + 1)
    for lane in bench.lanes:
        assert await lane.mm2s.get(LENGTH) == 16 * lane.port + 1, "lanes apart"
    for port in range(bench.ports, 4):
        for out in ("arvalid", "awvalid", "wvalid", "rready", "bready", "araddr", "awaddr"):
            assert int(getattr(dut, f"m_axi_hp{port}_{out}").value) == 0, "tied off"


@cocotb.test()
async def interrupt_wiring(dut: Any) -> None:
    """Each channel raises its own bit of irq_o and no other."""
    bench = Bench(dut, "interrupt_wiring")
    await bench.begin(loopback=False)
    for lane in bench.lanes:
        for side, channel in enumerate((lane.mm2s, lane.s2mm)):
            assert bench.irq() == 0
            await channel.put(LENGTH, 0)
            await ClockCycles(dut.clk_i, 4)
            assert bench.irq() == 1 << 2 * lane.port + side
            await channel.put(DMASR, SR_ERR)
            await ClockCycles(dut.clk_i, 2)
    assert bench.irq() == 0


@cocotb.test()
async def loop_back(dut: Any) -> None:
    """Every lane at once, memory to memory through the FIFO, with stalls on all ports."""
    bench = Bench(dut, "loop_back", busy=0.15)
    await bench.begin(loopback=True)
    for _ in range(2):
        data = []
        for lane in bench.lanes:
            # Some longer than FIFO and buffers, so that S2MM has to run along; the last beat may
            # be partial.
            length = bench.rng.randint(1200, 1600) if lane.port % 2 == 0 else bench.rng.randint(1, 300)
            payload = bench.rng.randbytes(length)
            data.append(payload)
            lane.memory.memory[0x1000 : 0x1000 + length] = payload
            await lane.s2mm.start(0x8000, 2000)
            await lane.mm2s.start(0x1000, length)
        await bench.wait((1 << 2 * bench.ports) - 1)
        for lane, payload in zip(bench.lanes, data, strict=True):
            for channel in (lane.mm2s, lane.s2mm):
                assert await channel.interrupt() & (SR_IOC | SR_ERR) == SR_IOC
            assert lane.memory.memory[0x8000 : 0x8000 + len(payload)] == payload
            assert not any(lane.memory.memory[0x8000 + len(payload) : 0x9000])
            assert await lane.s2mm.get(LENGTH) == len(payload)
            assert await lane.level() == 0
            lane.memory.memory[0x8000:0x9000] = bytes(0x1000)
        assert bench.irq() == 0


@cocotb.test()
async def split(dut: Any) -> None:
    """Every lane at once: source to memory, memory to a checking sink."""
    bench = Bench(dut, "split", busy=0.1)
    await bench.begin(loopback=False)
    beats = 100
    size = beats * bench.size
    for lane in bench.lanes:
        lane.memory.memory[0x2000 : 0x2000 + size] = pattern(7 + lane.port, size)
        await lane.expect(7 + lane.port)
        await lane.s2mm.start(0x8000, size)
        await lane.mm2s.start(0x2000, size)
        await lane.emit(0xFFFFFFF0 + lane.port, beats)
    await bench.wait((1 << 2 * bench.ports) - 1)
    for lane in bench.lanes:
        for channel in (lane.mm2s, lane.s2mm):
            assert await channel.interrupt() & (SR_IOC | SR_ERR) == SR_IOC
        assert lane.memory.memory[0x8000 : 0x8000 + size] == pattern(0xFFFFFFF0 + lane.port, size)
        assert await lane.source(source_regs.STATUS_OFFSET) == source_regs.STATUS_DONE_MASK
        assert await lane.source(source_regs.BEATS_LO_OFFSET) == beats
        assert await lane.source(source_regs.DROP_BEATS_LO_OFFSET) == 0
        assert await lane.sink(sink_regs.STATUS_OFFSET) == sink_regs.STATUS_SEEN_MASK, "seen, no mismatch"
        assert await lane.sink(sink_regs.BEATS_LO_OFFSET) == beats
        assert await lane.sink(sink_regs.BYTES_LO_OFFSET) == size
        assert await lane.sink(sink_regs.PACKETS_OFFSET) == 1
        assert await lane.sink(sink_regs.GAPS_OFFSET) == 0
    # A wrong word in memory is seen by the sink of this lane.
    lane = bench.rng.choice(bench.lanes)
    await lane.expect(7 + lane.port)
    lane.memory.memory[0x2000 + 20 * bench.size] ^= 0x10
    await lane.mm2s.start(0x2000, size)
    await lane.mm2s.interrupt()
    await ClockCycles(dut.clk_i, 8)
    assert await lane.sink(sink_regs.STATUS_OFFSET) & sink_regs.STATUS_MISMATCH_MASK
    assert await lane.sink(sink_regs.FIRST_BAD_LO_OFFSET) == 20


@cocotb.test()
async def free_running_source(dut: Any) -> None:
    """A source that does not wait, memory at a third of its rate: what is missing is counted, and
    where."""
    bench = Bench(dut, "free_running_source", busy=0.65)
    await bench.begin(loopback=False)
    beats = 500
    for lane in bench.lanes:
        await lane.s2mm.start(0x4000, min(beats * bench.size, (1 << bench.config["LenWidth"]) - 1))
        await lane.emit(0, beats, source_regs.CONTROL_FREE_RUN_MASK)
    await bench.wait(sum(2 << 2 * lane.port for lane in bench.lanes))
    for lane in bench.lanes:
        assert await lane.s2mm.interrupt() & (SR_IOC | SR_ERR) == SR_IOC
        got = await lane.s2mm.get(LENGTH)
        assert got % bench.size == 0
        words = bench.size // 4
        indices = [
            int.from_bytes(lane.memory.memory[at : at + 4], "little") // words
            for at in range(0x4000, 0x4000 + got, bench.size)
        ]
        missing = sorted(set(range(beats)) - set(indices))
        assert indices == sorted(set(indices)) and indices[-1] < beats, "in order, none twice"
        assert len(missing) > 50, "the test shall lose beats"
        runs = sum(index - 1 not in missing for index in missing)
        assert await lane.source(source_regs.BEATS_LO_OFFSET) == beats
        assert await lane.source(source_regs.DROP_BEATS_LO_OFFSET) == len(missing)
        assert await lane.source(source_regs.DROP_RUNS_OFFSET) == runs
        assert await lane.source(source_regs.DROP_FIRST_LO_OFFSET) == missing[0]
        assert await lane.source(source_regs.DROP_PACKETS_OFFSET) == 0


@cocotb.test()
async def soft_reset_empties_the_loop(dut: Any) -> None:
    """Beats of a transfer that a reset cut short do not reach the next one."""
    bench = Bench(dut, "soft_reset", busy=0.1)
    await bench.begin(loopback=True)
    for turn in range(3):
        for lane in bench.lanes:
            await lane.mm2s.start(0x1000, 1500)
            if turn:
                await lane.s2mm.start(0x8000, 1500)
        await ClockCycles(dut.clk_i, bench.rng.randrange(100))
        for lane in bench.lanes:
            assert turn or await lane.level() > 0
            await (lane.mm2s if turn & 1 else lane.s2mm).reset()
            assert await lane.level() == 0
            assert lane.memory.outstanding == 0
            for channel in (lane.mm2s, lane.s2mm):
                await channel.put(DMACR, 0x5001)
            data = bench.rng.randbytes(200)
            lane.memory.memory[0x1000:0x10C8] = data
            await lane.s2mm.start(0x8000, 500)
            await lane.mm2s.start(0x1000, 200)
            assert await lane.s2mm.interrupt() & (SR_IOC | SR_ERR) == SR_IOC
            assert await lane.mm2s.interrupt() & (SR_IOC | SR_ERR) == SR_IOC
            assert lane.memory.memory[0x8000:0x80C8] == data
            assert await lane.s2mm.get(LENGTH) == 200


@cocotb.test()
async def memory_falls_silent(dut: Any) -> None:
    """The memory of one port answers no more: a reset ends after ResetTimeout, FAULTS names the port until a hard
    reset, what is started on it fails at once; the other ports work on."""
    bench = Bench(dut, "silence")
    await bench.begin(loopback=True)
    lane = bench.rng.choice(bench.lanes)
    silence = Silence(bench.bus, top.PAGE_OFFSET, lane.memory)
    await lane.s2mm.start(0x8000, 0x400)
    await lane.mm2s.start(0x1000, 0x400)
    await silence.begin()
    await lane.mm2s.reset()
    await silence.end(1 << lane.port)
    for other in bench.lanes:
        await other.begin(loopback=True)
        other.memory.memory[0x1000:0x1400] = bench.rng.randbytes(0x400)
        await other.s2mm.start(0x8000, 0x400)
        await other.mm2s.start(0x1000, 0x400)
    await bench.wait((1 << 2 * bench.ports) - 1)
    for other in bench.lanes:
        for channel in (other.mm2s, other.s2mm):
            assert await channel.interrupt() & SR_SLV_ERR == (SR_SLV_ERR if other is lane else 0)
        if other is not lane:
            assert other.memory.memory[0x8000:0x8400] == other.memory.memory[0x1000:0x1400]
    await lane.mm2s.reset()
    assert await silence.faults() == 1 << lane.port, "until rst_ni"
    await reset(dut, start_clock=False)
    assert await silence.faults() == 0
