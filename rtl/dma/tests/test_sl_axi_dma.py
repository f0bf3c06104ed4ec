# SPDX-License-Identifier: Apache-2.0
"""sl_axi_dma register by register as PG021 states it, and as Linux's xilinx_dma drives it in
simple mode."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from cocotb.triggers import ClockCycles, Lock, RisingEdge
from pg021 import (
    ADDRESS,
    ADDRESS_MSB,
    ALL_IRQ,
    CR_AT_RESET,
    CR_CYCLIC,
    CR_DELAY,
    CR_DELAY_EN,
    CR_ERR_EN,
    CR_IOC_EN,
    CR_RESERVED_ONE,
    CR_RESET,
    CR_RS,
    CR_THRESHOLD,
    CURDESC,
    DMACR,
    DMASR,
    LENGTH,
    MM2S,
    S2MM,
    SR_AT_RESET,
    SR_DEC_ERR,
    SR_ERR,
    SR_HALTED,
    SR_IDLE,
    SR_INT_ERR,
    SR_IOC,
    SR_SG,
    SR_SLV_ERR,
    Channel,
)

from tb import run, seed, stall
from tb.axi import DECERR, OKAY, SLVERR, AxiSlave, Stalls
from tb.axil import AxiLite
from tb.signals import reader, reset
from tb.stalls import parameters
from tb.stream import StreamSink, StreamSource

CONFIGURATIONS = [
    {"DataWidth": 64, "LenWidth": 14, "MaxBurst": 16, "BufferBeats": 128},
    {"DataWidth": 32, "StreamWidth": 128, "LenWidth": 8, "BufferBeats": 128, "Unaligned": 1},
    {
        "DataWidth": 64,
        "LenWidth": 26,
        "MaxBurst": 64,
        "BufferBeats": 512,
        "Unaligned": 1,
        "AddrWidth": 40,
        "IncludeSg": 1,
        "IncludeDirect": 1,
    },
    {"DataWidth": 512, "LenWidth": 23, "MaxBurst": 8, "BufferBeats": 128, "Unaligned": 1},
    {"DataWidth": 64, "StreamWidth": 32, "LenWidth": 14, "MaxBurst": 16, "BufferBeats": 128},
]
REFUSED = [
    ({"LenWidth": 7}, "LenWidth must be 8..26, is 7"),
    ({"LenWidth": 27}, "LenWidth must be 8..26, is 27"),
    ({"DataWidth": 48}, "DataWidth must be 32, 64, 128, 256 or 512, is 48"),
    ({"StreamWidth": 16}, "StreamWidth must be 32, 64, 128, 256 or 512, is 16"),
    ({"AddrWidth": 31}, "AddrWidth must be 32..64, is 31"),
    ({"IncludeDirect": 0}, "IncludeSg and IncludeDirect are both 0"),
]


def name(config: dict[str, Any]) -> str:
    return "-".join(f"{k}={v}" for k, v in config.items())


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=name)
def test_sl_axi_dma(config: dict[str, Any]) -> None:
    run("sl_axi_dma", config)


@pytest.mark.parametrize("absent", ["IncludeMm2s", "IncludeS2mm"])
def test_one_channel(absent: str) -> None:
    config = {"DataWidth": 32, "LenWidth": 14, "BufferBeats": 128, absent: 0}
    run("sl_axi_dma", config, testcase="one_channel")


@pytest.mark.parametrize(("config", "message"), REFUSED, ids=lambda x: name(x) if isinstance(x, dict) else "")
def test_refused(config: dict[str, Any], message: str) -> None:
    run("sl_axi_dma", config, expect_build_error=message)


MEMORY_BYTES = 1 << 16
FILL = 0xA5


class Bench:
    """The engine with memory, streams and register access; `busy` is the share of stalled cycles
    everywhere."""

    def __init__(self, dut: Any, label: str, busy: float = 0.0, latency: int = 8, **slave: Any) -> None:
        self.dut = dut
        self.rng = seed(label)
        p = parameters()
        self.size = int(p["DataWidth"]) // 8
        self.beat = int(p.get("StreamWidth", p["DataWidth"])) // 8
        self.unaligned = bool(p.get("Unaligned", 0))
        self.len_max = (1 << int(p["LenWidth"])) - 1
        self.addr_width = int(p.get("AddrWidth", 32))
        self.sg = bool(p.get("IncludeSg", 0))
        self.rest = SR_AT_RESET | (SR_SG if self.sg else 0)  # DMASR
        rng = self.rng

        def some() -> Any:
            return stall(seed(f"{label}/{rng.random()}"), busy)

        self.memory = AxiSlave(
            dut,
            "m_axi",
            bytearray([FILL]) * MEMORY_BYTES,
            read_latency=latency,
            write_latency=latency,
            max_burst=int(p.get("MaxBurst", 16)),
            stalls=Stalls(some(), some(), some(), some(), some()),
            **slave,
        )
        self.source = StreamSource(dut, "s_axis", some())
        self.sink = StreamSink(dut, "m_axis", some())
        self.bus = AxiLite(dut, some())
        self.mm2s = Channel(self.bus, MM2S, irq=dut.mm2s_irq_o)
        self.s2mm = Channel(self.bus, S2MM, irq=dut.s2mm_irq_o)
        self.sent_beats = 0

    @property
    def channels(self) -> tuple[Channel, Channel]:
        return self.mm2s, self.s2mm

    @property
    def step(self) -> int:
        return 1 if self.unaligned else self.size

    def send(self, data: bytes, last: bool = True) -> None:
        self.source.send(data, last)
        self.sent_beats += -(-len(data) // self.beat)

    @property
    def unsent(self) -> int:
        """Beats of the source that nobody has taken."""
        return self.sent_beats - self.source.taken

    def address(self, length: int) -> int:
        return self.rng.randrange(256, MEMORY_BYTES - 256 - length, 1) // self.step * self.step

    def length(self, most: int = 1500) -> int:
        most = min(most, self.len_max)
        return self.rng.choice((self.rng.randint(1, most), self.rng.randint(1, min(most, 4 * self.size)), most))

    def data(self, length: int) -> bytes:
        return self.rng.randbytes(length)

    def fill(self, addr: int, data: bytes) -> None:
        self.memory.memory[addr : addr + len(data)] = data

    def blank(self) -> None:
        self.memory.memory[:] = bytes([FILL]) * MEMORY_BYTES
        self.memory.written[:] = bytes(MEMORY_BYTES)

    def check_written(self, addr: int, data: bytes) -> None:
        """Exactly `data` stands at `addr`, each byte written once, and not one byte beside it."""
        assert self.memory.memory[addr : addr + len(data)] == data, f"wrong data at {addr:#x}"
        expected = bytes(addr) + b"\1" * len(data) + bytes(MEMORY_BYTES - addr - len(data))
        assert self.memory.written == expected, f"written beside {addr:#x} + {len(data)}, or not once"

    def check_within(self, addr: int, length: int) -> None:
        """Nothing outside the range was written."""
        written = self.memory.written
        assert not any(written[:addr]) and not any(written[addr + length :]), "written outside the buffer"

    async def begin(self) -> None:
        await reset(self.dut)

    async def begin_linux(self) -> None:
        await self.begin()
        for channel in self.channels:
            await channel.reset()
        await self.enable()

    async def enable(self) -> None:
        """A reset hits both channels: the driver enables the interrupts again when it takes a
        channel into use."""
        for channel in self.channels:
            await channel.set_bits(DMACR, ALL_IRQ)

    async def clocks(self, count: int) -> None:
        if count:
            await ClockCycles(self.dut.clk_i, count)

    async def at_reset(self) -> None:
        for channel in self.channels:
            assert await channel.get(DMACR) == CR_AT_RESET
            assert await channel.get(DMASR) == self.rest
            for reg in (ADDRESS, ADDRESS_MSB, LENGTH):
                assert await channel.get(reg) == 0

    async def read_once(self, length: int, addr: int | None = None) -> None:
        """One MM2S transfer as the driver does it, data checked."""
        addr = self.address(length) if addr is None else addr
        data = self.data(length)
        self.fill(addr, data)
        before = len(self.sink.packets)
        status = await self.mm2s.transfer(addr, length)
        assert status & (SR_IOC | SR_IDLE | SR_ERR | SR_HALTED) == SR_IOC | SR_IDLE, f"status {status:#x}"
        await self.clocks(2)
        assert len(self.sink.packets) == before + 1 and self.sink.packets[-1] == data

    async def write_once(self, length: int, room: int | None = None, addr: int | None = None) -> None:
        """One S2MM transfer of a packet of `length` into `room` bytes, data and LENGTH checked."""
        room = length if room is None else room
        addr = self.address(room) if addr is None else addr
        data = self.data(length)
        self.blank()
        if self.rng.random() < 0.5:
            self.send(data)
            await self.s2mm.start(addr, room)
        else:
            await self.s2mm.start(addr, room)
            await self.clocks(self.rng.randrange(30))
            self.send(data)
        status = await self.s2mm.interrupt()
        assert status & (SR_IOC | SR_IDLE | SR_ERR | SR_HALTED) == SR_IOC | SR_IDLE, f"status {status:#x}"
        self.check_written(addr, data)
        assert await self.s2mm.get(LENGTH) == length

    async def drain(self) -> None:
        """Takes what is left of a packet out of the stream, with transfers into a buffer of its
        own."""
        while self.unsent:
            await self.s2mm.start(4096, min(self.len_max, 32768) // self.size * self.size)
            status = await self.s2mm.interrupt()
            if status & SR_ERR:
                await self.s2mm.reset()
                await self.enable()
        await self.clocks(4)

    async def recover(self) -> None:
        """What software does after an error: reset, both channels anew; leftovers in the streams
        are thrown away."""
        self.memory.error = None
        channel = self.rng.choice(self.channels)
        await channel.reset()
        assert self.memory.outstanding == 0
        await self.enable()
        self.sink.part.clear()
        await self.drain()
        self.blank()
        await self.read_once(self.length(300))
        await self.write_once(self.length(300))


@cocotb.test()
async def register_values(dut: Any) -> None:
    """Reset values, constant bits, widths of the fields, reserved offsets."""
    bench = Bench(dut, "register_values", busy=0.2)
    await bench.begin()
    await bench.at_reset()
    there = [DMACR, DMASR, ADDRESS, ADDRESS_MSB, LENGTH]
    there += range(CURDESC, ADDRESS, 4) if bench.sg else []
    for addr in range(0, 0x100, 4):
        if addr % 0x30 not in there or addr >= 0x60:
            await bench.bus.write(addr, 0xFFFFFFFF)
            assert await bench.bus.read(addr) == 0, f"reserved offset {addr:#x}"
    fields = CR_AT_RESET | CR_IOC_EN | CR_ERR_EN
    if bench.sg:
        fields |= CR_CYCLIC | CR_DELAY_EN | 0xFF << CR_DELAY | 0xFF << CR_THRESHOLD
    at_rest = CR_AT_RESET | fields & 0xFF << CR_THRESHOLD  # a threshold of 0 is not taken
    for channel in bench.channels:
        await channel.put(DMASR, 0xFFFFFFFF)
        assert await channel.get(DMASR) == bench.rest
        await channel.put(ADDRESS, 0xFFFFFFFF)
        assert await channel.get(ADDRESS) == 0xFFFFFFFF
        await channel.put(ADDRESS_MSB, 0xFFFFFFFF)
        assert await channel.get(ADDRESS_MSB) == (1 << (bench.addr_width - 32)) - 1
        await channel.put(LENGTH, 0xFFFFFFFF)
        assert await channel.get(LENGTH) == bench.len_max
        await channel.put(DMACR, 0xFFFFFFFF & ~(CR_RESET | CR_RS))
        assert await channel.get(DMACR) == fields
        await bench.bus.write(channel.at + DMACR, 0, strobe=0b0001)
        await channel.put(DMACR, 0)
        assert await channel.get(DMACR) == at_rest
    assert not bench.memory.log.reads and not bench.memory.log.writes


@cocotb.test()
async def linux_simple_mode(dut: Any) -> None:
    """Probe, and then transfer after transfer on either channel, as xilinx_dma does."""
    bench = Bench(dut, "linux_simple_mode", busy=0.15)
    await bench.begin_linux()
    enabled = ALL_IRQ if bench.sg else CR_IOC_EN | CR_ERR_EN
    for channel in bench.channels:
        assert bool(await channel.get(DMASR) & SR_SG) == bench.sg
        assert await channel.get(DMACR) == CR_AT_RESET | enabled
    for _ in range(5):
        await bench.read_once(bench.length())
        await bench.write_once(bench.length())
    room = bench.length()
    await bench.write_once(bench.rng.randint(1, room), room)
    for channel in bench.channels:
        await channel.stop()
        assert await channel.get(DMASR) == bench.rest


@cocotb.test()
async def halted_and_idle(dut: Any) -> None:
    """LENGTH does nothing while halted; Idle is 0 before the first transfer, during one, and while
    halted."""
    bench = Bench(dut, "halted_and_idle")
    await bench.begin()
    for channel in bench.channels:
        await channel.put(ADDRESS, 1024)
        await channel.put(LENGTH, 64)
        await bench.clocks(40)
        assert await channel.get(DMASR) == bench.rest
        await channel.set_bits(DMACR, CR_RS)
        assert await channel.get(DMASR) == bench.rest & ~SR_HALTED, "Halted falls with RS, Idle stays 0"
        await bench.clocks(40)
        assert await channel.get(DMASR) & (SR_IDLE | SR_IOC) == 0
        assert not bench.memory.log.reads and not bench.memory.log.writes
        await channel.stop()
    for channel in bench.channels:
        await channel.run()
        bench.sink.enabled = False
        await channel.put(LENGTH, 64)
        await bench.clocks(60)
        assert await channel.get(DMASR) & (SR_HALTED | SR_IDLE | SR_IOC) == 0, "in progress"
        bench.sink.enabled = True
        if channel is bench.s2mm:
            bench.send(bench.data(64))
        await bench.clocks(60)
        assert await channel.get(DMASR) == bench.rest & ~SR_HALTED | SR_IDLE | SR_IOC
        await channel.put(DMASR, SR_IOC)
        assert await channel.get(DMASR) == bench.rest & ~SR_HALTED | SR_IDLE
        await channel.stop()
        assert await channel.get(DMASR) == bench.rest
        await channel.run()
        assert await channel.get(DMASR) == bench.rest & ~SR_HALTED


@cocotb.test()
async def length_while_busy(dut: Any) -> None:
    """A LENGTH write during a transfer is ignored, and LENGTH keeps the length in progress."""
    bench = Bench(dut, "length_while_busy")
    await bench.begin_linux()
    data = bench.data(96)
    bench.fill(2048, data)
    bench.sink.enabled = False
    await bench.mm2s.start(2048, 96)
    await bench.mm2s.put(ADDRESS, 4096)
    await bench.mm2s.put(LENGTH, 32)
    assert await bench.mm2s.get(LENGTH) == 96
    await bench.s2mm.start(8192, 200)
    await bench.s2mm.put(LENGTH, 16)
    assert await bench.s2mm.get(LENGTH) == 200
    bench.send(bench.data(40))
    assert await bench.s2mm.interrupt() & SR_IOC
    assert await bench.s2mm.get(LENGTH) == 40
    bench.sink.enabled = True
    assert await bench.mm2s.interrupt() & SR_IOC
    await bench.clocks(100)
    assert bench.sink.packets == [data] and not bench.sink.part
    assert not await bench.mm2s.get(DMASR) & SR_IOC, "one transfer, one interrupt"
    assert not await bench.s2mm.get(DMASR) & SR_IOC


@cocotb.test()
async def interrupt_outputs(dut: Any) -> None:
    """Level outputs, each the OR of its enabled bits; write 1 clears, write 0 does not; channels
    apart."""
    bench = Bench(dut, "interrupt_outputs")
    await bench.begin()
    irq = {bench.mm2s: reader(dut.mm2s_irq_o), bench.s2mm: reader(dut.s2mm_irq_o)}
    for channel, other in ((bench.mm2s, bench.s2mm), (bench.s2mm, bench.mm2s)):
        await channel.run()
        await channel.put(ADDRESS, 1024)
        if channel is bench.s2mm:
            bench.send(bench.data(32))
        await channel.put(LENGTH, 32)
        await channel.poll(DMASR, SR_IOC, SR_IOC)
        assert not irq[channel](), "not enabled"
        await channel.set_bits(DMACR, CR_ERR_EN)
        assert not irq[channel](), "the other bit is enabled"
        await channel.put(DMASR, SR_ERR)
        assert await channel.get(DMASR) & SR_IOC, "the other bit was cleared"
        await channel.set_bits(DMACR, CR_IOC_EN)
        await bench.clocks(2)
        assert irq[channel]() and not irq[other]()
        await channel.put(DMASR, 0)
        await bench.clocks(20)
        assert irq[channel](), "level"
        await channel.put(DMASR, SR_IOC)
        await bench.clocks(2)
        assert not irq[channel]()
        await channel.put(LENGTH, 0)
        await channel.poll(DMASR, SR_HALTED | SR_ERR, SR_HALTED | SR_ERR)
        assert irq[channel]() and not irq[other]()
        await channel.clear_bits(DMACR, CR_ERR_EN)
        await bench.clocks(2)
        assert not irq[channel]()
        await channel.set_bits(DMACR, CR_ERR_EN)
        await channel.put(DMASR, SR_ERR)
        await bench.clocks(2)
        assert not irq[channel]()
        assert await channel.get(DMASR) & SR_INT_ERR, "error bits clear by reset only"


@cocotb.test()
async def stop_in_transfer(dut: Any) -> None:
    """RS = 0 lets the transfer in progress finish, with its interrupt, and then halts."""
    bench = Bench(dut, "stop_in_transfer", busy=0.2)
    await bench.begin_linux()
    length = min(bench.len_max, 700)
    data = bench.data(length)
    bench.fill(1024, data)
    bench.sink.enabled = False
    await bench.mm2s.start(1024, length)
    await bench.mm2s.clear_bits(DMACR, CR_RS)
    await bench.clocks(100)
    assert await bench.mm2s.get(DMASR) & (SR_HALTED | SR_IDLE | SR_IOC) == 0
    bench.sink.enabled = True
    status = await bench.mm2s.interrupt()
    assert status & SR_IOC and not status & SR_ERR
    await bench.mm2s.poll(DMASR, SR_HALTED | SR_IDLE, SR_HALTED)
    assert bench.sink.packets == [data]

    whole = max(bench.size, bench.beat)
    head = length // 2 // whole * whole
    bench.send(data[:head], last=False)
    await bench.s2mm.start(8192, length)
    await bench.clocks(60 + 4 * head // bench.size)
    assert bench.unsent < head // bench.beat, "begun"
    await bench.s2mm.clear_bits(DMACR, CR_RS)
    await bench.clocks(60)
    assert await bench.s2mm.get(DMASR) & (SR_HALTED | SR_IDLE | SR_IOC) == 0
    bench.send(data[head:])
    assert await bench.s2mm.interrupt() & SR_IOC
    await bench.s2mm.poll(DMASR, SR_HALTED | SR_IDLE, SR_HALTED)
    bench.check_written(8192, data)
    await bench.read_once(bench.length())
    await bench.write_once(bench.length())


@cocotb.test()
async def stop_before_first_beat(dut: Any) -> None:
    """RS = 0 on an S2MM transfer without data halts at once; the packet that then comes is not
    touched."""
    bench = Bench(dut, "stop_before_first_beat")
    await bench.begin_linux()
    for delay in range(12):
        bench.blank()
        data = bench.data(bench.length(200))
        await bench.s2mm.start(4096, len(data))
        stopping = cocotb.start_soon(bench.s2mm.clear_bits(DMACR, CR_RS))
        await bench.clocks(delay)
        bench.send(data)  # around the cycle in which RS falls: all of the packet is taken, or nothing
        await stopping
        status = await bench.s2mm.poll(DMASR, SR_HALTED, SR_HALTED)
        if status & SR_IOC:
            await bench.s2mm.put(DMASR, SR_IOC)
        else:
            assert bench.source.taken == bench.sent_beats - -(-len(data) // bench.beat), (
                f"a beat was lost, status {status:#x}"
            )
            assert not any(bench.memory.written)
            await bench.s2mm.start(4096, len(data))
            assert await bench.s2mm.interrupt() & (SR_IOC | SR_ERR) == SR_IOC
        bench.check_written(4096, data)
    assert not bench.unsent


@cocotb.test()
async def nothing_ahead_of_a_command(dut: Any) -> None:
    """Behind a packet the next one's beats wait in the stream; with Unaligned all but one of memory's width."""
    bench = Bench(dut, "nothing_ahead")
    await bench.begin_linux()
    most = max(bench.size, bench.beat) // bench.beat if bench.unaligned else 0
    for beats in range(1, 6):
        bench.blank()
        data = bench.data(beats * bench.size)
        bench.send(data)
        before = bench.sent_beats
        behind = bench.data(3 * bench.beat)
        bench.send(behind)
        await bench.s2mm.start(4096, len(data))
        assert await bench.s2mm.interrupt() & (SR_IOC | SR_ERR) == SR_IOC
        await bench.clocks(50)
        assert bench.source.taken <= before + most
        bench.check_written(4096, data)
        bench.blank()
        await bench.s2mm.start(4096, len(behind))
        assert await bench.s2mm.interrupt() & (SR_IOC | SR_ERR) == SR_IOC
        bench.check_written(4096, behind)


@cocotb.test()
async def stop_with_a_beat_ahead(dut: Any) -> None:
    """RS = 0 on an S2MM transfer whose first beat was taken along with the packet before: the packet is waited
    for, and whole."""
    bench = Bench(dut, "stop_with_a_beat_ahead", latency=120)
    await bench.begin_linux()
    width = max(bench.size, bench.beat)
    for beats in (1, 3):
        bench.blank()
        first, second = bench.data(2 * width), bench.data(beats * width)
        bench.send(first)
        bench.send(second[:width], last=beats == 1)
        await bench.s2mm.start(4096, len(first))
        assert await bench.s2mm.interrupt() & (SR_IOC | SR_ERR) == SR_IOC
        bench.check_written(4096, first)
        bench.blank()
        await bench.clocks(50)
        await bench.s2mm.start(8192, len(second))
        await bench.s2mm.clear_bits(DMACR, CR_RS)
        if beats > 1:
            await bench.clocks(60)
            bench.send(second[width:])
        assert await bench.s2mm.interrupt() & (SR_IOC | SR_ERR) == SR_IOC
        bench.check_written(8192, second)
        assert await bench.s2mm.poll(DMASR, SR_HALTED, SR_HALTED)
        assert not bench.unsent


@cocotb.test()
async def bad_starts(dut: Any) -> None:
    """LENGTH = 0, and an address off the data width without Unaligned: DMAIntErr, no bus access,
    reset recovers."""
    bench = Bench(dut, "bad_starts")
    await bench.begin_linux()
    for channel, other in ((bench.mm2s, bench.s2mm), (bench.s2mm, bench.mm2s)):
        for addr, length in ((1024, 0), (1025, 64), (1024 + bench.size // 2, 64)):
            if bench.unaligned and length:
                continue
            bench.memory.log.reads.clear()
            bench.memory.log.writes.clear()
            await other.run()
            await channel.start(addr, length)
            status = await channel.interrupt()
            assert status & (SR_INT_ERR | SR_SLV_ERR | SR_DEC_ERR | SR_ERR | SR_IOC) == SR_INT_ERR | SR_ERR
            assert await channel.poll(DMASR, SR_HALTED, SR_HALTED) == bench.rest | SR_INT_ERR
            assert not await channel.get(DMACR) & CR_RS
            await channel.set_bits(DMACR, CR_RS)
            assert not await channel.get(DMACR) & CR_RS, "no start before a reset"
            await channel.put(LENGTH, 64)
            await bench.clocks(40)
            assert await channel.get(DMASR) == bench.rest | SR_INT_ERR
            assert await other.get(DMASR) == bench.rest & ~SR_HALTED, "the other channel runs on"
            assert not bench.memory.log.reads and not bench.memory.log.writes
            await bench.recover()
            await channel.reset()
            await bench.enable()


@cocotb.test()
async def packet_ends_early(dut: Any) -> None:
    """S2MM: TLAST before LENGTH bytes; LENGTH reads the bytes received, not one byte more is
    written."""
    bench = Bench(dut, "packet_ends_early", busy=0.15)
    await bench.begin_linux()
    for room in (
        1,
        bench.size,
        bench.size + 1,
        3 * bench.size,
        200,
        255,
        min(1024, bench.len_max),
        bench.len_max,
    ):
        room = min(room, bench.len_max, 40_000)
        for length in {
            1,
            min(room, bench.size),
            bench.rng.randint(1, min(room, 600)),
            min(room, 600),
        }:
            await bench.write_once(length, room)


@cocotb.test()
async def packet_too_long(dut: Any) -> None:
    """S2MM: no TLAST within LENGTH bytes; they are in memory, nothing beyond them is, and the
    channel errs."""
    bench = Bench(dut, "packet_too_long", busy=0.15)
    await bench.begin_linux()
    for room in (1, bench.size, 3 * bench.size + 1, min(bench.len_max, 300)):
        if not bench.unaligned:  # the mover's limit: without realignment a command ends with a beat, or with TLAST
            room = -(-room // bench.size) * bench.size
        addr = bench.address(room)
        data = bench.data(room + bench.rng.choice((1, bench.size, 5 * bench.size)))
        bench.blank()
        bench.send(data)
        await bench.s2mm.start(addr, room)
        status = await bench.s2mm.interrupt()
        assert status & (SR_INT_ERR | SR_SLV_ERR | SR_DEC_ERR | SR_ERR | SR_IOC) == SR_INT_ERR | SR_ERR
        assert await bench.s2mm.poll(DMASR, SR_HALTED, SR_HALTED) == bench.rest | SR_INT_ERR
        bench.check_written(addr, data[:room])
        assert await bench.s2mm.get(LENGTH) == room
        await bench.recover()


@cocotb.test()
async def error_responses(dut: Any) -> None:
    """An error response on any beat: the channel errs, RS clears, Halted follows, a reset
    recovers."""
    bench = Bench(dut, "error_responses", busy=0.1)
    await bench.begin_linux()
    for turn in range(6):
        write = bool(turn & 1)
        channel, other = (bench.s2mm, bench.mm2s) if write else (bench.mm2s, bench.s2mm)
        resp = bench.rng.choice((SLVERR, DECERR))
        length = bench.length(1000)
        addr = bench.address(length)
        victim = bench.rng.randrange(addr // bench.size, (addr + length - 1) // bench.size + 1) * bench.size

        def answer(is_write: bool, at: int, write: bool = write, victim: int = victim, resp: int = resp) -> int:
            return resp if is_write == write and at == victim else OKAY

        bench.memory.error = answer
        bench.blank()
        data = bench.data(length)
        if write:
            bench.send(data)
        await channel.start(addr, length)
        status = await channel.interrupt()
        wanted = SR_SLV_ERR if resp == SLVERR else SR_DEC_ERR
        if write:
            wanted |= SR_INT_ERR
        assert status & (SR_INT_ERR | SR_SLV_ERR | SR_DEC_ERR | SR_ERR | SR_IOC) == wanted | SR_ERR, f"{status:#x}"
        assert await channel.poll(DMASR, SR_HALTED, SR_HALTED) & ~SR_IDLE == bench.rest | wanted
        assert not await channel.get(DMACR) & CR_RS
        assert bench.memory.outstanding == 0, "issued bursts have ended before Halted"
        if write:
            bench.check_within(addr, length)
            claimed = await channel.get(LENGTH)
            assert claimed <= max(0, victim - addr), "bytes claimed that memory refused"
            assert bench.memory.memory[addr : addr + claimed] == data[:claimed]
        # The other channel does not care.
        if other is bench.mm2s:
            await bench.read_once(64)
        await bench.recover()


@cocotb.test()
async def both_channels(dut: Any) -> None:
    """Both directions at once with stalls everywhere, random lengths and addresses."""
    bench = Bench(dut, "both_channels", busy=0.3)
    await bench.begin_linux()
    half = MEMORY_BYTES // 2
    reads, writes = seed("both/reads"), seed("both/writes")

    async def read_side() -> None:
        for _ in range(5):
            length = min(bench.len_max, reads.randint(1, 900))
            addr = reads.randrange(0, half - length) // bench.step * bench.step
            data = reads.randbytes(length)
            bench.fill(addr, data)
            status = await locked(bench.mm2s, addr, length)
            assert status & (SR_IOC | SR_ERR) == SR_IOC
            await bench.clocks(2)
            assert bench.sink.packets[-1] == data

    async def write_side() -> None:
        for _ in range(5):
            room = min(bench.len_max, writes.randint(1, 900))
            addr = half + writes.randrange(0, half - room) // bench.step * bench.step
            data = writes.randbytes(writes.randint(1, room))
            bench.send(data)
            status = await locked(bench.s2mm, addr, room)
            assert status & (SR_IOC | SR_ERR) == SR_IOC
            assert bench.memory.memory[addr : addr + len(data)] == data
            async with lock:
                assert await bench.s2mm.get(LENGTH) == len(data)

    lock = Lock()

    async def locked(channel: Channel, addr: int, length: int) -> int:
        """A transfer that shares the one register port with the other direction."""
        assert channel.irq is not None
        async with lock:
            await channel.start(addr, length)
        for _ in range(20_000):
            if channel.irq():
                break
            await RisingEdge(dut.clk_i)
        async with lock:
            return await channel.interrupt()

    tasks = [cocotb.start_soon(read_side()), cocotb.start_soon(write_side())]
    for task in tasks:
        await task
    assert len(bench.sink.packets) == 5 and not bench.unsent


@cocotb.test()
async def reset_in_flight(dut: Any) -> None:
    """A soft reset at a random cycle of two transfers: bursts end legally, registers return, the
    engine works on."""
    bench = Bench(dut, "reset_in_flight", busy=0.2, latency=12)
    await bench.begin_linux()
    for turn in range(12):
        bench.blank()
        length, room = bench.length(1000), bench.length(1000)
        addr = bench.address(room)
        data = bench.data(bench.rng.randint(1, room))
        if turn % 3 != 2:
            bench.send(data)
        if turn % 4 == 3:
            bench.sink.enabled = False
        await bench.mm2s.start(bench.address(length), length)
        await bench.s2mm.start(addr, room)
        await bench.clocks(bench.rng.randrange(2 + 2 * room // bench.size))
        channel, other = bench.rng.sample(bench.channels, 2)
        await channel.set_bits(DMACR, CR_RESET | CR_RS)
        await channel.poll(DMACR, CR_RESET, 0)
        assert bench.memory.outstanding == 0, "the reset ended before the bursts"
        await bench.at_reset()
        assert not await other.get(DMACR) & CR_RESET
        bench.check_within(addr, len(data))
        quiet = len(bench.memory.log.reads), len(bench.memory.log.writes)
        await bench.clocks(30)
        assert quiet == (len(bench.memory.log.reads), len(bench.memory.log.writes)), "bursts after the reset"
        bench.sink.enabled = True
        await bench.clocks(20)
        bench.sink.part.clear()
        bench.sink.packets.clear()
        await bench.enable()
        await bench.drain()
        await bench.read_once(bench.length(400))
        await bench.write_once(bench.length(400))


@cocotb.test()
async def reset_waits_for_memory(dut: Any) -> None:
    """Reset reads 1 in the register written as long as memory owes an answer; the streams are in
    reset."""
    bench = Bench(dut, "reset_waits_for_memory", latency=400)
    await bench.begin_linux()
    bench.send(bench.data(64))
    await bench.mm2s.start(1024, 64)
    await bench.s2mm.start(4096, 64)
    await bench.clocks(60)
    assert bench.memory.outstanding == 2
    streams_run = reader(dut.stream_rst_no)
    assert streams_run()
    await bench.mm2s.put(DMACR, CR_RESET)
    await bench.clocks(2)
    for _ in range(20):
        assert await bench.mm2s.get(DMACR) & (CR_RESET | CR_RESERVED_ONE) == CR_RESET | CR_RESERVED_ONE
        await bench.s2mm.put(LENGTH, 64)  # starts nothing
        assert not streams_run()
    assert bench.memory.outstanding == 2
    await bench.mm2s.poll(DMACR, CR_RESET, 0)
    assert bench.memory.outstanding == 0 and streams_run()
    await bench.at_reset()
    assert len(bench.memory.log.reads) == 1 and len(bench.memory.log.writes) == 1


@cocotb.test()
async def longest_transfer(dut: Any) -> None:
    """2^LenWidth - 1 bytes (16 KiB at most here), both ways, over many 4 KiB pages."""
    bench = Bench(dut, "longest_transfer", latency=20)
    await bench.begin_linux()
    length = min(bench.len_max, 16383)
    addr = 4096 - (1 if bench.unaligned else bench.size)
    await bench.read_once(length, addr)
    await bench.write_once(length, length, addr)


@cocotb.test()
async def start_latency(dut: Any) -> None:
    """Cycles from the edge that takes the LENGTH write's data to ARVALID, as the header says; a
    beat a cycle then."""
    bench = Bench(dut, "start_latency", latency=4)
    await bench.begin_linux()
    beats = min(bench.len_max // bench.size, 200)
    await bench.mm2s.run()
    await bench.mm2s.put(ADDRESS, 0)
    w_taken, valid = (
        (reader(dut.s_axil_wvalid), reader(dut.s_axil_wready)),
        reader(dut.m_axi_arvalid),
    )
    edges: list[int] = []

    async def watch() -> None:
        cycle = 0
        while len(edges) < 2:
            await RisingEdge(dut.clk_i)
            cycle += 1
            if (not edges and w_taken[0]() and w_taken[1]()) or (edges and valid()):
                edges.append(cycle)

    watcher = cocotb.start_soon(watch())
    await bench.mm2s.put(LENGTH, beats * bench.size)
    await watcher
    await bench.mm2s.interrupt()
    assert edges[1] - edges[0] == 3, f"{edges[1] - edges[0]} cycles from the write to ARVALID"
    span = bench.sink.beats[-1] - bench.sink.beats[0] + 1
    wanted = beats * bench.size // min(bench.size, bench.beat)  # cycles, at the narrower's rate
    assert len(bench.sink.beats) == -(-beats * bench.size // bench.beat)
    assert span <= wanted * 1.02 + 1, f"{span} cycles, not {wanted}"


@cocotb.test(skip=all(parameters().get(k, 1) for k in ("IncludeMm2s", "IncludeS2mm")))
async def one_channel(dut: Any) -> None:
    """A channel that was left out stays halted and silent; the other one works, reset included."""
    bench = Bench(dut, "one_channel", busy=0.1)
    await bench.begin_linux()
    absent = bench.s2mm if parameters().get("IncludeS2mm", 1) == 0 else bench.mm2s
    for _ in range(2):
        await absent.put(DMACR, CR_RS | CR_IOC_EN | CR_ERR_EN)
        assert await absent.get(DMACR) == CR_AT_RESET | CR_IOC_EN | CR_ERR_EN
        await absent.put(ADDRESS_MSB, 1)
        await absent.put(LENGTH, 64)
        await bench.clocks(40)
        assert await absent.get(DMASR) == bench.rest
        assert await absent.get(LENGTH) == await absent.get(ADDRESS_MSB) == 0
        if absent is bench.mm2s:
            await bench.write_once(bench.length())
            assert not bench.memory.log.reads
        else:
            await bench.read_once(bench.length())
            assert not bench.memory.log.writes
        await absent.reset()
        await bench.enable()
