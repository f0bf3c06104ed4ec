# SPDX-License-Identifier: Apache-2.0
"""f2s_stress through its control port: every lane in loop-back and split mode, errors, resets,
interrupts, address map."""

from __future__ import annotations

import sys
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from tb import REPO, RTL, run, seed, stall
from tb.axi import OKAY, SLVERR, AxiSlave, Stalls
from tb.signals import reader, reset
from tb.stalls import parameters

sys.path[:0] = [str(RTL / "dma" / "tests"), str(REPO / "regs" / "gen" / "python")]

from lane import RESET_TIMEOUT, LaneStreams, MsgdmaAt, Silence, always, pattern
from msgdma import (
    COMPLETE_IRQ,
    CONTROL,
    CT_RESET,
    END_ON_EOP,
    END_ON_LEN,
    ERROR_IRQ,
    GEN_EOP,
    GO,
    READ_FAILED,
    RESP_FILL_LEVEL,
    SLVERR_BIT,
    ST_AT_RESET,
    ST_BUSY,
    ST_IRQ,
    ST_RESETTING,
    STATUS,
    Descriptor,
)
from sluice_regs import f2s_stress as top
from sluice_regs import sl_design_page as page
from sluice_regs import sl_stream_sink as sink_regs
from sluice_regs import sl_stream_source as source_regs

from tb.axi import DECERR
from tb.axil import AxiLite

CONFIGURATIONS = [
    {
        "NumPorts": 1,
        "DataWidth": 256,
        "LenWidth": 32,
        "BufferBeats": 128,
        "FifoBeats": 32,
        "ResetTimeout": RESET_TIMEOUT,
    },
    {
        "NumPorts": 4,
        "DataWidth": 32,
        "LenWidth": 14,
        "BufferBeats": 128,
        "FifoBeats": 128,
        "Unaligned": 1,
        "ResetTimeout": RESET_TIMEOUT,
    },
]
REFUSED = [
    ({"NumPorts": 0}, "NumPorts must be 1..4, is 0"),
    ({"NumPorts": 5}, "NumPorts must be 1..4, is 5"),
    ({"DataWidth": 512}, "DataWidth must be 32, 64, 128 or 256, is 512"),
]


def name(config: dict[str, Any]) -> str:
    return "-".join(f"{k}={v}" for k, v in config.items())


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=name)
def test_f2s_stress(config: dict[str, Any]) -> None:
    run("f2s_stress", config)


@pytest.mark.parametrize(("config", "message"), REFUSED, ids=lambda x: name(x) if isinstance(x, dict) else "")
def test_refused(config: dict[str, Any], message: str) -> None:
    run("f2s_stress", config, expect_build_error=message)


MEMORY_BYTES = 1 << 16
SEND = GO | GEN_EOP | COMPLETE_IRQ | ERROR_IRQ
RECEIVE = GO | END_ON_LEN | END_ON_EOP | COMPLETE_IRQ | ERROR_IRQ


class Lane(LaneStreams):
    """One port: its memory and its registers."""

    def __init__(self, bench: Bench, port: int, stalls: Stalls, latency: int) -> None:
        self.port = port
        self.base = port << 16
        super().__init__(
            bench.bus,
            self.base + top.F2S_SOURCE_OFFSET,
            self.base + top.F2S_SINK_OFFSET,
            self.base + top.F2S_CONTROL_OFFSET,
        )
        self.broken: set[int] = set()
        self.memory = AxiSlave(
            bench.dut,
            f"m_axi_f2s{port}",
            MEMORY_BYTES,
            read_latency=latency,
            write_latency=latency,
            max_burst=16,
            stalls=stalls,
            error=lambda _, addr: SLVERR if addr >> 6 in self.broken else OKAY,
        )
        self.mm2s = MsgdmaAt(bench.bus, self.base + top.F2S_MM2S_CSR_OFFSET, lambda: bench.irq() >> 2 * port & 1)
        self.s2mm = MsgdmaAt(bench.bus, self.base + top.F2S_S2MM_CSR_OFFSET, lambda: bench.irq() >> 2 * port + 1 & 1)

    async def begin(self, loopback: bool) -> None:
        await self.route(loopback)
        for engine in (self.mm2s, self.s2mm):
            await engine.begin()

    async def send(self, addr: int, length: int) -> None:
        await self.mm2s.write(Descriptor(read=addr, length=length, control=SEND))

    async def receive(self, addr: int, length: int) -> None:
        await self.s2mm.write(Descriptor(write=addr, length=length, control=RECEIVE))


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


async def answer(engine: MsgdmaAt) -> tuple[int, int]:
    """After its interrupt: not busy, one response, which is taken; the interrupt is cleared."""
    assert await engine.interrupt() & (ST_BUSY | ST_IRQ) == ST_IRQ
    (found,) = await engine.responses()
    return found


@cocotb.test()
async def address_map(dut: Any) -> None:
    """The design page, and DECERR wherever no block stands; the port works on afterwards."""
    bench = Bench(dut, "address_map")
    await reset(dut)
    read = bench.bus.read_resp
    config = bench.config
    assert await read(top.PAGE_OFFSET + page.IDENTITY_OFFSET) == (0x534C4632, OKAY)
    assert await read(top.PAGE_OFFSET + page.VERSION_OFFSET) == (0x0101, OKAY)
    assert await read(top.PAGE_OFFSET + page.CONFIG_OFFSET) == (
        bench.ports | bench.size << 8 | config["LenWidth"] << 16 | config.get("Unaligned", 0) << 24,
        OKAY,
    )
    ticks = [(await read(top.PAGE_OFFSET + page.TICKS_LO_OFFSET))[0] for _ in range(2)]
    assert 0 < ticks[0] < ticks[1] < 1000
    assert await read(top.PAGE_OFFSET + page.TICKS_HI_OFFSET) == (0, OKAY)
    blocks = [(0x0000, 0x48), (0x1000, 0x1000), (0x2000, 0x1000), (0x3000, 0x1000), (0x4000, 0x48)]
    for lane in range(5):
        for block, length in blocks:
            here = [lane << 16 | block, (lane << 16 | block) + length - 4]
            there = [(lane << 16 | block) + length] if length < 0x1000 else []
            for at in here:
                resp = OKAY if lane < bench.ports or (at < top.PAGE_OFFSET + 0x1000 and lane == 4) else DECERR
                assert (await read(at))[1] == resp, f"{at:#x}"
            for at in there if lane < 4 else []:
                assert (await read(at))[1] == DECERR and await bench.bus.write_resp(at, 0) == DECERR, f"{at:#x}"
    for at in (0x5000, 0xF000, 0x41000, 0x80000, 0xFF000):
        assert (await read(at))[1] == DECERR and await bench.bus.write_resp(at, 0) == DECERR, f"{at:#x}"
    for lane in bench.lanes:
        assert await lane.mm2s.status() == ST_AT_RESET
        assert await lane.s2mm.status() == ST_AT_RESET
        await lane.mm2s.desc.write(8, 16 * lane.port + 1)
        await lane.s2mm.desc.write(8, 16 * lane.port + 2)
    for lane in bench.lanes:
        assert await lane.mm2s.desc.read(8) == 16 * lane.port + 1, "engines apart"
        assert await lane.s2mm.desc.read(8) == 16 * lane.port + 2, "engines apart"
    for port in range(bench.ports, 4):
        for out in ("arvalid", "awvalid", "wvalid", "rready", "bready", "araddr", "awaddr"):
            assert int(getattr(dut, f"m_axi_f2s{port}_{out}").value) == 0, "tied off"


@cocotb.test()
async def interrupt_wiring(dut: Any) -> None:
    """Each engine raises its own bit of irq_o and no other."""
    bench = Bench(dut, "interrupt_wiring")
    await bench.begin(loopback=False)
    for lane in bench.lanes:
        for side, engine in enumerate((lane.mm2s, lane.s2mm)):
            assert bench.irq() == 0
            await engine.write(Descriptor(length=0, control=SEND))  # refused
            await ClockCycles(dut.clk_i, 40)
            assert bench.irq() == 1 << 2 * lane.port + side
            assert (await answer(engine))[0] == 0
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
            longest = 200 * bench.size if lane.port % 2 == 0 else 300
            length = bench.rng.randint(longest // 2, longest)
            payload = bench.rng.randbytes(length)
            data.append(payload)
            lane.memory.memory[0x1000 : 0x1000 + length] = payload
            await lane.receive(0x8000, 0x2000)
            await lane.send(0x1000, length)
        await bench.wait((1 << 2 * bench.ports) - 1)
        for lane, payload in zip(bench.lanes, data, strict=True):
            assert (await answer(lane.mm2s))[0] == len(payload)
            assert (await answer(lane.s2mm))[0] == len(payload)
            end = 0x8000 + len(payload)
            assert lane.memory.memory[0x8000:end] == payload
            assert not any(lane.memory.memory[end:0xA000])
            assert await lane.level() == 0
            lane.memory.memory[0x8000:0xA000] = bytes(0x2000)
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
        await lane.receive(0x8000, size)
        await lane.send(0x2000, size)
        await lane.emit(0xFFFFFFF0 + lane.port, beats)
    await bench.wait((1 << 2 * bench.ports) - 1)
    for lane in bench.lanes:
        assert await answer(lane.mm2s) == (size, 0)
        assert (await answer(lane.s2mm))[0] == size
        assert lane.memory.memory[0x8000 : 0x8000 + size] == pattern(0xFFFFFFF0 + lane.port, size)
        assert await lane.source(source_regs.STATUS_OFFSET) == source_regs.STATUS_DONE_MASK
        assert await lane.sink(sink_regs.STATUS_OFFSET) == sink_regs.STATUS_SEEN_MASK, "seen, no mismatch"
        assert await lane.sink(sink_regs.BYTES_LO_OFFSET) == size
        assert await lane.sink(sink_regs.PACKETS_OFFSET) == 1
    # A wrong word in memory is seen by the sink of this lane.
    lane = bench.rng.choice(bench.lanes)
    await lane.expect(7 + lane.port)
    lane.memory.memory[0x2000 + 20 * bench.size] ^= 0x10
    await lane.send(0x2000, size)
    await answer(lane.mm2s)
    await ClockCycles(dut.clk_i, 8)
    assert await lane.sink(sink_regs.STATUS_OFFSET) & sink_regs.STATUS_MISMATCH_MASK
    assert await lane.sink(sink_regs.FIRST_BAD_LO_OFFSET) == 20


@cocotb.test()
async def errors_stay_in_their_lane(dut: Any) -> None:
    """A failed read stands in the response of its engine; the other engine and lanes work on."""
    bench = Bench(dut, "errors", busy=0.1)
    await bench.begin(loopback=True)
    broken = bench.rng.choice(bench.lanes)
    broken.broken = {0x1200 >> 6}
    for lane in bench.lanes:
        await lane.receive(0x8000, 0x800)
        await lane.send(0x1000, 0x400)
    await bench.wait((1 << 2 * bench.ports) - 1)
    for lane in bench.lanes:
        sent = await answer(lane.mm2s)
        received = await answer(lane.s2mm)
        assert received[0] == 0x400
        if lane is broken:
            assert sent[0] <= 0x200
            assert sent[1] & 0xFF == SLVERR_BIT | READ_FAILED
        else:
            assert sent == (0x400, 0)


@cocotb.test()
async def rate(dut: Any) -> None:
    """Loop-back moves a beat a cycle each way once it runs."""
    bench = Bench(dut, "rate", latency=20)
    await bench.begin(loopback=True)
    lane = bench.lanes[-1]
    size = 300 * bench.size
    await lane.receive(0x8000, size)
    await lane.send(0x1000, size)
    await bench.wait(2 << 2 * lane.port)
    beats = lane.memory.log.r_beats
    assert beats[-1] - beats[0] + 1 <= len(beats) * 1.01
    beats = lane.memory.log.w_beats
    assert beats[-1] - beats[0] + 1 <= len(beats) * 1.01


@cocotb.test()
async def soft_reset_empties_the_loop(dut: Any) -> None:
    """Beats of a transfer that resets cut short do not reach the next one."""
    bench = Bench(dut, "soft_reset", busy=0.1)
    await bench.begin(loopback=True)
    for turn in range(3):
        for lane in bench.lanes:
            await lane.send(0x1000, 160 * bench.size)
            if turn:
                await lane.receive(0x8000, 160 * bench.size)
        await ClockCycles(dut.clk_i, bench.rng.randrange(100))
        for lane in bench.lanes:
            assert turn or await lane.level() > 0
            await lane.mm2s.begin()
            await lane.s2mm.begin()
            assert await lane.level() == 0
            assert lane.memory.outstanding == 0
            assert await lane.mm2s.csr.read(RESP_FILL_LEVEL) == 0
            assert await lane.mm2s.csr.read(STATUS) & ST_BUSY == 0
            data = bench.rng.randbytes(200)
            lane.memory.memory[0x1000:0x10C8] = data
            await lane.receive(0x8000, 512)
            await lane.send(0x1000, 200)
            assert (await answer(lane.s2mm))[0] == 200
            assert await answer(lane.mm2s) == (200, 0)
            assert lane.memory.memory[0x8000:0x80C8] == data


@cocotb.test()
async def memory_falls_silent(dut: Any) -> None:
    """The memory of one port answers no more: a reset of either engine ends after ResetTimeout, FAULTS names both
    until a hard reset; the other ports work on."""
    bench = Bench(dut, "silence")
    await bench.begin(loopback=True)
    lane = bench.rng.choice(bench.lanes)
    silence = Silence(bench.bus, top.PAGE_OFFSET, lane.memory)
    lane.memory.stalls.b = always
    await lane.receive(0x8000, 0x2000)
    await lane.send(0x1000, 0x2000)
    await ClockCycles(dut.clk_i, 80)  # both engines have accesses under way
    await silence.begin()
    for engine in (lane.mm2s, lane.s2mm):
        await engine.csr.write(CONTROL, CT_RESET)
    for engine in (lane.mm2s, lane.s2mm):
        await engine.poll(ST_RESETTING, 0)
    await silence.end(3 << 2 * lane.port)
    others = [other for other in bench.lanes if other is not lane]
    for other in others:
        other.memory.memory[0x1000:0x1400] = bench.rng.randbytes(0x400)
        await other.receive(0x8000, 0x400)
        await other.send(0x1000, 0x400)
    for other in others:
        assert await answer(other.mm2s) == (0x400, 0)
        assert (await answer(other.s2mm))[0] == 0x400
        assert other.memory.memory[0x8000:0x8400] == other.memory.memory[0x1000:0x1400]
    await reset(dut, start_clock=False)
    assert await silence.faults() == 0
