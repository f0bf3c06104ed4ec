# SPDX-License-Identifier: Apache-2.0
"""sl_msgdma register by register as Intel's guide states it, and as Linux's altera-msgdma drives
it."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge
from msgdma import (
    COMPLETE_IRQ,
    CONFIG_1,
    CONFIG_2,
    CONTROL,
    CT_IRQ_EN,
    CT_ON_EARLY,
    CT_ON_ERROR,
    CT_RESET,
    CT_STOP,
    CT_STOP_DESC,
    DECERR_BIT,
    EARLY,
    EARLY_IRQ,
    END_ON_EOP,
    END_ON_LEN,
    ERROR_IRQ,
    FILL_LEVEL,
    GEN_EOP,
    GO,
    READ_FAILED,
    REFUSED,
    RESP_FILL_LEVEL,
    SEQ_NUM,
    SLVERR_BIT,
    ST_AT_RESET,
    ST_BUSY,
    ST_DESC_FULL,
    ST_IRQ,
    ST_ON_EARLY,
    ST_ON_ERROR,
    ST_RESP_EMPTY,
    ST_RESP_FULL,
    ST_STOPPED,
    STATUS,
    WRITE_FAILED,
    Descriptor,
    Msgdma,
)

from tb import run, seed, stall
from tb.axi import DECERR, OKAY, SLVERR, AxiSlave, Stalls
from tb.signals import reader, reset
from tb.stalls import parameters
from tb.stream import StreamSink, StreamSource

SOURCES = [
    "../regs/gen/sv/sl_msgdma_csr_regs_pkg.sv",
    "../regs/gen/sv/sl_msgdma_desc_regs_pkg.sv",
    "../regs/gen/sv/sl_msgdma_resp_regs_pkg.sv",
    "mover/sl_mover_pkg.sv",
    "dma/sl_msgdma_pkg.sv",
    "../regs/gen/sv/sl_msgdma_csr_regs.sv",
    "../regs/gen/sv/sl_msgdma_desc_regs.sv",
    "../regs/gen/sv/sl_msgdma_resp_regs.sv",
    "mover/sl_fifo.sv",
    "mover/sl_skid.sv",
    "mover/sl_burst_split.sv",
    "mover/sl_realign.sv",
    "mover/sl_mm2s.sv",
    "mover/sl_s2mm.sv",
    "axi/sl_axi_check.sv",
    "axi/sl_axil_check.sv",
    "axi/sl_axis_check.sv",
    "dma/sl_dma_reset.sv",
    "dma/sl_msgdma_desc.sv",
    "dma/sl_msgdma_resp.sv",
    "dma/sl_msgdma_dispatch.sv",
    "dma/sl_msgdma.sv",
]

COPY = ("register_values", "copies", "queue_full", "errors", "refused", "interrupts", "stop", "soft_reset", "linux")
COPIES = [
    {"DataWidth": 64, "LenWidth": 14, "BufferBeats": 128, "QueueDepth": 8},
    {"DataWidth": 32, "LenWidth": 14, "BufferBeats": 128, "QueueDepth": 8, "Unaligned": 1, "ExtendedDesc": 0},
    {
        "DataWidth": 256,
        "BufferBeats": 128,
        "MaxBurst": 32,
        "QueueDepth": 16,
        "Unaligned": 1,
        "AddrWidth": 40,
        "CutThrough": 1,
    },
]
STREAMS = [
    {"DataWidth": 64, "LenWidth": 14, "BufferBeats": 512, "QueueDepth": 1024, "Packets": 1},
    {
        "DataWidth": 32,
        "LenWidth": 14,
        "BufferBeats": 128,
        "QueueDepth": 8,
        "Packets": 1,
        "Unaligned": 1,
        "CutThrough": 1,
    },
    {"DataWidth": 256, "BufferBeats": 128, "QueueDepth": 16, "Unaligned": 1, "ExtendedDesc": 0},
]
REFUSED_PARAMETERS = [
    ({"Mode": 3}, "Mode must be 0, 1 or 2, is 3"),
    ({"LenWidth": 9}, "LenWidth must be 10..26, is 9"),
    ({"DataWidth": 48}, "DataWidth must be 32, 64, 128, 256 or 512, is 48"),
    ({"QueueDepth": 24}, "QueueDepth must be a power of two in 8..1024, is 24"),
    ({"AddrWidth": 65}, "AddrWidth must be 32..64, is 65"),
]


def name(config: dict[str, Any]) -> str:
    return "-".join(f"{k}={v}" for k, v in config.items())


@pytest.fixture(autouse=True)
def makeflags(monkeypatch: pytest.MonkeyPatch) -> None:
    """Verilator splits a wide engine over several files, and its makefile then includes a
    precompiled header by a flag of clang's; this names gcc's."""
    monkeypatch.setenv("MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include OPT_FAST=-O1")


@pytest.mark.parametrize("config", COPIES, ids=name)
def test_memory_to_memory(config: dict[str, Any]) -> None:
    run("sl_msgdma", SOURCES, {"Mode": 0, **config}, testcase=COPY)


@pytest.mark.parametrize("config", [STREAMS[0], STREAMS[2]], ids=name)
def test_memory_to_stream(config: dict[str, Any]) -> None:
    tests = ["register_values", "to_stream", "to_stream_errors", "stream_reset"]
    tests += ["stream_rates"] if config["QueueDepth"] == 1024 else []
    run("sl_msgdma", SOURCES, {"Mode": 1, **config}, testcase=tests)


@pytest.mark.parametrize("config", STREAMS, ids=name)
def test_stream_to_memory(config: dict[str, Any]) -> None:
    tests = ["register_values", "from_stream", "from_stream_errors", "stream_reset"]
    tests += ["early_termination"] if config.get("Packets") else []
    tests += ["stream_rates"] if config["QueueDepth"] == 1024 else []
    run("sl_msgdma", SOURCES, {"Mode": 2, **config}, testcase=tests)


def test_rates() -> None:
    """Also that all works without responses."""
    config = {"QueueDepth": 1024, "Unaligned": 1, "CutThrough": 1, "IncludeResponse": 0}
    run("sl_msgdma", SOURCES, config, testcase="rates")


@pytest.mark.parametrize(
    ("config", "message"), REFUSED_PARAMETERS, ids=lambda x: name(x) if isinstance(x, dict) else ""
)
def test_refused(config: dict[str, Any], message: str) -> None:
    run("sl_msgdma", SOURCES, config, expect_build_error=message)


MEMORY_BYTES = 1 << 18
HALF = MEMORY_BYTES // 2
FILL = 0xA5


class Bench:
    """The engine with memory (sources in the lower half, destinations in the upper), streams and
    register access; `busy` is the share of stalled cycles everywhere."""

    def __init__(self, dut: Any, label: str, busy: float = 0.0, latency: int = 8, **slave: Any) -> None:
        self.dut = dut
        self.rng = seed(label)
        p = parameters()
        self.mode = int(p.get("Mode", 0))
        self.size = int(p.get("DataWidth", 64)) // 8
        self.unaligned = bool(p.get("Unaligned", 0))
        self.packets = bool(p.get("Packets", 0))
        self.extended = bool(p.get("ExtendedDesc", 1))
        self.depth = int(p.get("QueueDepth", 32))
        self.len_width = int(p.get("LenWidth", 26))
        self.addr_width = int(p.get("AddrWidth", 32))
        self.p = p

        def some() -> Any:
            return stall(seed(f"{label}/{self.rng.random()}"), busy)

        self.memory = AxiSlave(
            dut,
            "m_axi",
            MEMORY_BYTES,
            read_latency=latency,
            write_latency=latency,
            max_burst=int(p.get("MaxBurst", 16)),
            stalls=Stalls(some(), some(), some(), some(), some()),
            **slave,
        )
        self.source = StreamSource(dut, "s_axis", some())
        self.sink = StreamSink(dut, "m_axis", some())
        self.dma = Msgdma(dut, self.extended, some())
        self.next_write = HALF

    @property
    def step(self) -> int:
        return 1 if self.unaligned else self.size

    async def begin(self) -> None:
        self.fresh()
        await reset(self.dut)

    async def clocks(self, count: int) -> None:
        if count:
            await ClockCycles(self.dut.clk_i, count)

    def fresh(self) -> None:
        """New contents everywhere, destinations blank again."""
        self.memory.memory[:HALF] = self.rng.randbytes(HALF)
        self.memory.memory[HALF:] = bytes([FILL]) * HALF
        self.memory.written[:] = bytes(MEMORY_BYTES)
        self.next_write = HALF

    def length(self, most: int = 1500) -> int:
        return self.rng.choice((self.rng.randint(1, most), self.rng.randint(1, 4 * self.size), most))

    def descriptor(self, length: int, control: int = 0) -> Descriptor:
        """Random addresses of the alignment that the engine takes; destinations never meet."""
        rng = self.rng
        read = rng.randrange(0, HALF - length) // self.step * self.step
        write = self.next_write + rng.randrange(0, 64) // self.step * self.step
        self.next_write = -(-(write + length) // self.size) * self.size
        assert self.next_write <= MEMORY_BYTES
        seq = rng.randrange(1 << 16) if self.extended else 0
        return Descriptor(read, write, length, GO | END_ON_LEN | control, seq)

    def data(self, d: Descriptor) -> bytes:
        return bytes(self.memory.memory[d.read : d.read + d.length])

    def check_written(self, descriptors: list[Descriptor]) -> None:
        """Each destination holds its source, each byte written once; no other byte was."""
        expected = bytearray(MEMORY_BYTES)
        for d in descriptors:
            assert self.memory.memory[d.write : d.write + d.length] == self.data(d), f"wrong data at {d.write:#x}"
            expected[d.write : d.write + d.length] = b"\1" * d.length
        assert self.memory.written == expected, "written beside a destination, or not once"

    def check_within(self, descriptors: list[Descriptor]) -> None:
        rest = bytearray(self.memory.written)
        for d in descriptors:
            rest[d.write : d.write + d.length] = bytes(d.length)
        assert not any(rest), "written outside the destinations"

    async def at_reset(self) -> None:
        csr = self.dma.csr
        assert [await csr.read(a) for a in (STATUS, CONTROL, FILL_LEVEL, RESP_FILL_LEVEL, SEQ_NUM)] == [
            ST_AT_RESET,
            0,
            0,
            0,
            0,
        ]

    async def copy(self, length: int) -> None:
        """One transfer as the driver does it, data checked."""
        self.fresh()
        d = self.descriptor(length, COMPLETE_IRQ)
        assert await self.dma.transfer(d) == (length, 0)
        self.check_written([d])


@cocotb.test()
async def register_values(dut: Any) -> None:
    """Reset values, constants, which bits are written, words of the descriptor by byte."""
    bench = Bench(dut, "register_values", busy=0.2)
    await bench.begin()
    csr, desc, resp = bench.dma.csr, bench.dma.desc, bench.dma.resp
    await bench.at_reset()
    for addr in (STATUS, FILL_LEVEL, RESP_FILL_LEVEL, SEQ_NUM, CONFIG_1, CONFIG_2, 0x1C):
        before = await csr.read(addr)
        await csr.write(addr, 0xFFFFFFFF)
        assert await csr.read(addr) == before, f"register {addr:#x}"
    one, two = await csr.read(CONFIG_1), await csr.read(CONFIG_2)
    assert 8 << (one >> 10 & 7) == 8 * bench.size and 8 << (one >> 13 & 7) == bench.depth
    assert one >> 16 & 3 == bench.mode and one >> 18 & 1 == bench.extended
    assert one & 7 == 3 and one >> 19 & 0xF == 9 and one >> 27 == bench.len_width - 10
    assert 16 << (one >> 6 & 15) == bench.p.get("BufferBeats", 512) and 2 << (one >> 23 & 15) == bench.memory.max_burst
    response = 0 if bench.p.get("IncludeResponse", 1) else 2
    assert two == (bench.packets << 16) | (response << 19) | ((2 if bench.unaligned else 1) << 21)
    keep = CT_STOP | CT_ON_ERROR | CT_ON_EARLY | CT_IRQ_EN | CT_STOP_DESC
    await csr.write(CONTROL, 0xFFFFFFFF & ~CT_RESET)
    assert await csr.read(CONTROL) == keep
    assert await csr.read(STATUS) == ST_AT_RESET | ST_STOPPED
    await csr.write(CONTROL, 0)
    words = 8 if bench.extended else 4
    for n in range(8):
        value = bench.rng.getrandbits(31)
        for lane in range(4):
            await desc.write(4 * n, value, strobe=1 << lane)
        assert await desc.read(4 * n) == (value if n < words else 0)
    for addr in (0, 4):
        assert await resp.read(addr) == 0
        await resp.write(addr, 1)
    await bench.at_reset()
    assert not bench.memory.log.reads and not bench.memory.log.writes


@cocotb.test()
async def linux(dut: Any) -> None:
    """Probe, then copy after copy with one transaction in flight; transactions of several
    descriptors, of which the last interrupts; the words before control in any order."""
    bench = Bench(dut, "linux", busy=0.15)
    await bench.begin()
    dma = bench.dma
    await dma.reset()
    assert await dma.csr.read(CONTROL) == CT_ON_ERROR | CT_ON_EARLY | CT_IRQ_EN
    for _ in range(6):
        await bench.copy(bench.length())
    for _ in range(3):
        bench.fresh()
        ds = [bench.descriptor(bench.length(400), ERROR_IRQ) for _ in range(bench.rng.randint(2, 12))]
        ds[-1].control |= COMPLETE_IRQ
        for d in ds:
            await dma.submit(d)
        status = await dma.interrupt()
        assert not status & ST_BUSY
        assert await dma.responses() == [(d.length, 0) for d in ds]
        bench.check_written(ds)
    bench.fresh()
    d = bench.descriptor(100, COMPLETE_IRQ)
    words = list(enumerate(d.words(bench.extended)))
    order = words[:-1]
    bench.rng.shuffle(order)
    for n, word in [*order, words[-1]]:
        await dma.desc.write(4 * n, word)
    await dma.interrupt()
    assert await dma.responses() == [(100, 0)]
    bench.check_written([d])


@cocotb.test()
async def copies(dut: Any) -> None:
    """Random sizes and alignments through the queue, with stalls of 10 to 40 % everywhere; responses
    taken while it runs; sizes around 4 KiB and the longest."""
    for busy in (0.1, 0.25, 0.4):
        bench = Bench(dut, f"copies{busy}", busy=busy, latency=bench_latency(busy))
        if busy == 0.1:
            await bench.begin()
        else:
            bench.fresh()
        ds = [bench.descriptor(bench.length()) for _ in range(24)]
        ds += [bench.descriptor(n) for n in (1, 4095, 4096, 4097, 8200)]
        bench.rng.shuffle(ds)
        got: list[tuple[int, int]] = []

        async def collect(bench: Bench = bench, got: list[tuple[int, int]] = got, count: int = len(ds)) -> None:
            while len(got) < count:
                got += await bench.dma.responses()
                await bench.clocks(bench.rng.randrange(300))

        task = cocotb.start_soon(collect())
        for d in ds:
            await bench.dma.write(d)
        await task
        assert got == [(d.length, 0) for d in ds]
        bench.check_written(ds)
        if bench.extended:
            assert await bench.dma.csr.read(SEQ_NUM) == ds[-1].seq << 16 | ds[-1].seq
        assert await bench.dma.status() == ST_AT_RESET
        stop(bench)
    if bench.len_width >= 17:
        bench = Bench(dut, "long")
        bench.fresh()
        d = bench.descriptor(65536)
        await bench.dma.write(d)
        await bench.dma.idle()
        assert await bench.dma.responses() == [(65536, 0)]
        bench.check_written([d])


def bench_latency(busy: float) -> int:
    return int(busy * 100)


def stop(bench: Bench) -> None:
    """Ends a bench's coroutines, so that another may take the ports; the engine is at rest."""
    for part in (bench.memory, bench.source, bench.sink):
        part.stop()


@cocotb.test()
async def queue_full(dut: Any) -> None:
    """Fill levels count up to the depth; a further GO waits without an answer, and is queued once
    there is room. Unread responses stop completion, not the ports."""
    bench = Bench(dut, "queue_full", latency=20)
    await bench.begin()
    dma = bench.dma
    await dma.csr.write(CONTROL, CT_STOP_DESC)
    ds = [bench.descriptor(64) for _ in range(bench.depth + 1)]
    for n, d in enumerate(ds[:-1]):
        assert not await dma.status() & ST_DESC_FULL
        await dma.write(d)
        assert await dma.csr.read(FILL_LEVEL) == (n + 1) * 0x10001
    assert await dma.status() & (ST_DESC_FULL | ST_BUSY | ST_STOPPED) == ST_DESC_FULL | ST_BUSY | ST_STOPPED
    task = cocotb.start_soon(dma.write(ds[-1]))
    await bench.clocks(300)
    assert not task.done() and not bench.memory.log.reads
    await dma.csr.write(CONTROL, 0)
    await task
    await dma.idle()
    assert await dma.csr.read(FILL_LEVEL) == 0
    more = [bench.descriptor(32) for _ in range(bench.depth)]
    for d in more:
        await dma.write(d)
    ds += more
    await bench.clocks(200)
    status = await dma.status()
    assert status & (ST_RESP_FULL | ST_BUSY) == ST_RESP_FULL | ST_BUSY
    assert await dma.csr.read(RESP_FILL_LEVEL) == 2 * bench.depth
    got = [await dma.response()]
    await dma.idle()
    got += await dma.responses()
    assert got == [(d.length, 0) for d in ds]
    assert await dma.response() == (0, 0) and await dma.status() & ST_RESP_EMPTY
    bench.check_written(ds)


@cocotb.test()
async def errors(dut: Any) -> None:
    """SLVERR or DECERR on any beat of either side: the response names it and claims no byte that did
    not arrive; with stop-on-error the next descriptor waits until STOP is cleared."""
    bench = Bench(dut, "errors", busy=0.15)
    await bench.begin()
    dma, rng = bench.dma, bench.rng
    await dma.reset()
    for _ in range(24):
        bench.fresh()
        d, after = bench.descriptor(bench.length(900), ERROR_IRQ), bench.descriptor(bench.length(200), COMPLETE_IRQ)
        write, resp = rng.random() < 0.5, rng.choice((SLVERR, DECERR))
        start = d.write if write else d.read
        beat = rng.randrange(start, start + d.length) // bench.size * bench.size
        bench.memory.error = lambda w, addr, at=beat, side=write, r=resp: r if w == side and addr == at else OKAY
        count, status = await dma.transfer(d)
        assert status == (SLVERR_BIT if resp == SLVERR else DECERR_BIT) | (WRITE_FAILED if write else READ_FAILED)
        good = max(beat - start, 0)
        assert count <= good and (write or count == good), f"{count} bytes claimed, {good} before the error"
        assert bench.memory.memory[d.write : d.write + count] == bench.data(d)[:count]
        bench.check_within([d])
        bench.memory.error = None
        assert await dma.poll(ST_STOPPED, ST_STOPPED) & (ST_ON_ERROR | ST_ON_EARLY) == ST_ON_ERROR
        bursts = len(bench.memory.log.reads)
        await dma.submit(after)
        await bench.clocks(40)
        assert len(bench.memory.log.reads) == bursts and await dma.status() & ST_BUSY
        control = await dma.csr.read(CONTROL)
        assert control & CT_STOP
        await dma.csr.write(CONTROL, control & ~CT_STOP)
        await dma.interrupt()
        assert await dma.responses() == [(after.length, 0)]
        assert not await dma.status() & (ST_ON_ERROR | ST_STOPPED)
    # Without stop-on-error the descriptors behind a failed one go on, in order.
    await dma.csr.write(CONTROL, CT_IRQ_EN)
    bench.fresh()
    ds = [bench.descriptor(256) for _ in range(5)]
    at = ds[2].read + bench.size
    bench.memory.error = lambda w, addr: SLVERR if not w and at <= addr < at + 64 else OKAY
    ds = [d for d in ds if d is ds[2] or d.read + 256 + bench.size <= at or d.read >= at + 64]
    for d in ds:
        await dma.write(d)
    await dma.idle()
    for d, (count, status) in zip(ds, await dma.responses(), strict=True):
        assert (status == SLVERR_BIT | READ_FAILED) == (d.read + bench.size == at) and (status or count == 256)


@cocotb.test()
async def refused(dut: Any) -> None:
    """Descriptors that cannot be are answered in their place, without an access."""
    bench = Bench(dut, "refused", busy=0.1)
    await bench.begin()
    dma = bench.dma
    bad = [Descriptor(0, HALF, 0), Descriptor(0, HALF, 1 << bench.len_width), Descriptor(0, HALF, 0xFFFFFFFF)]
    if bench.extended:
        bad += [Descriptor(1 << bench.addr_width, HALF, 64), Descriptor(0, 1 << 63, 64)]
    if not bench.unaligned:
        bad += [Descriptor(1, HALF, 64), Descriptor(0, HALF + bench.size - 1, 64)]
    good = []
    for d in bad:
        d.control |= ERROR_IRQ
        good.append(bench.descriptor(bench.length(100)))
        for one in (d, good[-1]):
            await dma.write(one)
        await dma.idle()
        assert await dma.responses() == [(0, REFUSED), (good[-1].length, 0)]
    bench.check_written(good)
    await dma.write(Descriptor(0, HALF, 64, END_ON_LEN))  # no GO
    assert not await dma.status() & ST_BUSY


@cocotb.test()
async def interrupts(dut: Any) -> None:
    """Which descriptors interrupt; an event while interrupts are off is not kept."""
    bench = Bench(dut, "interrupts")
    await bench.begin()
    dma = bench.dma

    async def once(control: int, error: bool) -> int:
        bench.fresh()
        d = bench.descriptor(64, control)
        bench.memory.error = (lambda w, addr: SLVERR if w else OKAY) if error else None
        await dma.csr.write(STATUS, ST_IRQ)
        await dma.write(d)
        await dma.idle()
        await dma.responses()
        now = dma.irq()
        assert bool(await dma.status() & ST_IRQ) == bool(now)
        return now

    for enable in (0, CT_IRQ_EN):
        await dma.csr.write(CONTROL, enable)
        assert not dma.irq()
        on = int(bool(enable))
        assert await once(COMPLETE_IRQ, False) == on
        assert await once(0, False) == 0
        assert await once(ERROR_IRQ, False) == 0
        assert await once(EARLY_IRQ, False) == 0
        assert await once(ERROR_IRQ, True) == on
        assert await once(1 << 17, True) == on  # SLVERR
        assert await once(1 << 18 | 1 << 19, True) == 0  # DECERR, read failed
        assert await once(COMPLETE_IRQ, True) == on
        await dma.csr.write(STATUS, 0x1FF)
        assert dma.irq() == on
        await dma.csr.write(STATUS, ST_IRQ)
        assert dma.irq() == 0


@cocotb.test(name="stop")
async def stop_and_go(dut: Any) -> None:
    """STOP and STOP_DESC let what has begun complete, hold back the rest, and lose nothing."""
    bench = Bench(dut, "stop", busy=0.2)
    await bench.begin()
    dma = bench.dma
    for _ in range(6):
        bench.fresh()
        ds = [bench.descriptor(bench.length(600)) for _ in range(bench.depth)]
        task = cocotb.start_soon(write_all(dma, ds))
        for _ in range(3):
            await bench.clocks(bench.rng.randrange(150))
            await dma.csr.write(CONTROL, bench.rng.choice((CT_STOP, CT_STOP_DESC)))
            await dma.poll(ST_STOPPED, ST_STOPPED)
            assert bench.memory.outstanding == 0
            bursts = len(bench.memory.log.reads)
            await bench.clocks(30)
            assert len(bench.memory.log.reads) == bursts
            await dma.csr.write(CONTROL, 0)
        await task
        await dma.idle()
        assert await dma.responses() == [(d.length, 0) for d in ds]
        bench.check_written(ds)


async def write_all(dma: Msgdma, descriptors: list[Descriptor]) -> None:
    for d in descriptors:
        await dma.write(d)


@cocotb.test()
async def soft_reset(dut: Any) -> None:
    """A reset at any cycle: bursts end legally, nothing outside the destinations is written, queues
    and registers are as after a hard reset, and the next transfer works."""
    bench = Bench(dut, "soft_reset", busy=0.25)
    await bench.begin()
    dma = bench.dma
    for trial in range(16):
        bench.fresh()
        ds = [bench.descriptor(bench.length(900), COMPLETE_IRQ) for _ in range(bench.depth)]
        await dma.csr.write(CONTROL, CT_IRQ_EN if trial % 4 else CT_IRQ_EN | CT_STOP)
        task = cocotb.start_soon(write_all(dma, ds))
        await bench.clocks(bench.rng.randrange(900))
        await dma.csr.write(CONTROL, CT_RESET)
        await dma.poll(64, 0)
        assert bench.memory.outstanding == 0
        await task
        bench.check_within(ds)
        await dma.csr.write(CONTROL, CT_RESET)
        await dma.poll(64, 0)
        assert bench.memory.outstanding == 0
        await bench.at_reset()
        assert not dma.irq()
        await dma.reset()
        await bench.copy(bench.length(300))


@cocotb.test()
async def rates(dut: Any) -> None:
    """Issue 3's bench: percent of a beat a cycle, from the first data beat of the 33rd descriptor to
    the last, through a queue filled beforehand; and the time of one 64 B copy."""
    edge = RisingEdge(dut.clk_i)
    first = True
    for length, latency, count, goal in (
        (64, 20, 1024, 98),
        (64, 120, 1024, 94),
        (256, 120, 512, 98),
        (1024, 120, 256, 99.5),
    ):
        bench = Bench(dut, f"rates{length}", latency=latency)
        if first:
            await bench.begin()
        else:
            bench.fresh()
        first = False
        dma = bench.dma
        await dma.csr.write(CONTROL, CT_STOP)
        await dma.write(Descriptor(0, HALF, length, 0))
        places = HALF // 2 // length
        for n in range(count):
            await dma.desc.write(0, n % places * length)
            await dma.desc.write(4, HALF + n % places * length)
            await dma.desc.write(0x1C, GO | END_ON_LEN)
        await dma.csr.write(CONTROL, 0)
        await dma.idle()
        beats = bench.memory.log.w_beats[32 * length // bench.size :]
        assert len(beats) == (count - 32) * length // bench.size
        percent = 100 * len(beats) / (beats[-1] - beats[0] + 1)
        print(f"memory to memory, {length} B, latency {latency}: {percent:.2f} %")
        assert percent >= goal, f"{length} B at latency {latency}: {percent:.2f} %, goal {goal}"
        done = min(count, places) * length
        assert bench.memory.memory[HALF : HALF + done] == bench.memory.memory[:done]
        assert await dma.csr.read(RESP_FILL_LEVEL) == 0 and await dma.response() == (0, 0)
        stop(bench)
    bench = Bench(dut, "one", latency=20)
    bench.fresh()
    await bench.dma.csr.write(CONTROL, CT_IRQ_EN)
    go = reader(dut.s_axil_desc_wready)
    await bench.dma.write(Descriptor(0, HALF, 64, 0))
    task = cocotb.start_soon(bench.dma.desc.write(0x1C, GO | COMPLETE_IRQ))
    while not (go() and dut.s_axil_desc_wvalid.value == 1):
        await edge
    cycles = address = 0
    asked = reader(dut.m_axi_arvalid)
    while not bench.dma.irq():
        await edge
        cycles += 1
        if not address and asked():
            address = cycles
    await task
    print(f"one copy of 64 B, latency 20: GO taken to ARVALID {address} cycles, to the interrupt {cycles}")
    assert address <= 4 and cycles <= 57


@cocotb.test()
async def to_stream(dut: Any) -> None:
    """Memory to stream: packets of one or several descriptors leave whole; TLAST only where GEN_EOP
    asks for it; refused ones leave nothing."""
    bench = Bench(dut, "to_stream", busy=0.25)
    await bench.begin()
    dma, rng = bench.dma, bench.rng
    await dma.reset()
    for _ in range(4):
        bench.fresh()
        packets: list[bytes] = []
        ds: list[Descriptor] = []
        for _ in range(8):
            packet = b""
            parts = rng.randint(1, 3)
            for part in range(parts):
                length = bench.length(600)
                if part < parts - 1:
                    length = max(length // bench.step, 1) * bench.step
                d = bench.descriptor(length, GEN_EOP if part == parts - 1 else 0)
                packet += bench.data(d)
                ds.append(d)
            packets.append(packet)
        ds[-1].control |= COMPLETE_IRQ
        bench.sink.packets.clear()
        got: list[tuple[int, int]] = []
        for d in ds:
            await dma.write(d)
            got += await dma.responses()
        await dma.interrupt()
        got += await dma.responses()
        assert got == [(d.length, 0) for d in ds]
        await bench.clocks(2)
        assert bench.sink.packets == packets and not bench.sink.part
    await dma.csr.write(CONTROL, 0)
    bad = [Descriptor(0, 0, 0, GO | GEN_EOP)]
    bad += [] if bench.unaligned else [Descriptor(0, 0, bench.size + 1, GO), Descriptor(1, 0, 8, GO | GEN_EOP)]
    for d in bad:
        await dma.write(d)
        await dma.idle()
        assert await dma.responses() == [(0, REFUSED)]
    assert not any(bench.memory.written) and bench.sink.packets == packets


@cocotb.test()
async def to_stream_errors(dut: Any) -> None:
    """A failed read: the packet stays whole, the response has the bytes before it."""
    bench = Bench(dut, "to_stream_errors", busy=0.15)
    await bench.begin()
    dma, rng = bench.dma, bench.rng
    await dma.csr.write(CONTROL, CT_IRQ_EN)
    for _ in range(12):
        bench.fresh()
        d, resp = bench.descriptor(bench.length(900), GEN_EOP | ERROR_IRQ), rng.choice((SLVERR, DECERR))
        beat = rng.randrange(d.read, d.read + d.length) // bench.size * bench.size
        bench.memory.error = lambda w, addr, at=beat, r=resp: r if addr == at else OKAY
        bench.sink.packets.clear()
        status = (SLVERR_BIT if resp == SLVERR else DECERR_BIT) | READ_FAILED
        good = max(beat - d.read, 0)
        assert await dma.transfer(d) == (good, status)
        await bench.clocks(2)
        assert [len(p) for p in bench.sink.packets] == [d.length]
        assert bench.sink.packets[0][:good] == bench.data(d)[:good]


@cocotb.test()
async def from_stream(dut: Any) -> None:
    """Stream to memory: with Packets a descriptor takes a packet, and its response has the packet's
    bytes; else the stream is cut by length alone, TLAST or not."""
    bench = Bench(dut, "from_stream", busy=0.25)
    await bench.begin()
    dma, rng = bench.dma, bench.rng
    await dma.reset()
    for _ in range(4):
        bench.fresh()
        ds, sent = [], []
        for _ in range(20):
            room = bench.length(700)
            if not bench.packets:
                room = -(-room // bench.size) * bench.size
            d = bench.descriptor(room, END_ON_EOP | EARLY_IRQ)
            count = rng.randint(1, room) if bench.packets else room
            data = rng.randbytes(count)
            bench.source.send(data, bench.packets or rng.random() < 0.5)
            ds.append(d)
            sent.append(data)
        ds[-1].control |= COMPLETE_IRQ
        got: list[tuple[int, int]] = []
        for d in ds:
            await dma.write(d)
            got += await dma.responses()
        await dma.interrupt()
        got += await dma.responses()
        assert got == [(len(data), 0) for data in sent]
        expected = bytearray(MEMORY_BYTES)
        for d, data in zip(ds, sent, strict=True):
            assert bench.memory.memory[d.write : d.write + len(data)] == data
            expected[d.write : d.write + len(data)] = b"\1" * len(data)
        assert bench.memory.written == expected, "written beside a destination, or not once"


@cocotb.test()
async def early_termination(dut: Any) -> None:
    """A packet longer than its descriptor: flagged, stops where asked, and the rest of the packet goes
    to the next descriptor."""
    bench = Bench(dut, "early_termination", busy=0.1)
    await bench.begin()
    dma, rng = bench.dma, bench.rng
    await dma.reset()
    for control in (END_ON_EOP | EARLY_IRQ, END_ON_EOP, 0) * 2:
        bench.fresh()
        room = bench.size * rng.randint(1, 40)
        rest = rng.randint(1, 300)
        data = rng.randbytes(room + rest)
        first, second = bench.descriptor(room, control), bench.descriptor(400, COMPLETE_IRQ | END_ON_EOP)
        await dma.csr.write(CONTROL, CT_ON_EARLY | CT_IRQ_EN)
        bench.source.send(data)
        early = bool(control & END_ON_EOP)
        await dma.write(first)
        await dma.idle()
        assert dma.irq() == bool(control & EARLY_IRQ)
        await dma.csr.write(STATUS, ST_IRQ)
        assert await dma.responses() == [(room, EARLY if early else 0)]
        status = await dma.status()
        assert bool(status & ST_ON_EARLY) == bool(status & ST_STOPPED) == early and not status & ST_ON_ERROR
        await dma.write(second)
        await bench.clocks(50)
        if early:
            assert await dma.status() & ST_BUSY
        await dma.csr.write(CONTROL, CT_IRQ_EN)
        await dma.interrupt()
        assert await dma.responses() == [(rest, 0)]
        assert bench.memory.memory[first.write : first.write + room] == data[:room]
        assert bench.memory.memory[second.write : second.write + rest] == data[room:]
        bench.check_within([first, second])


@cocotb.test()
async def from_stream_errors(dut: Any) -> None:
    """A failed write: the response claims no byte that was not acknowledged."""
    bench = Bench(dut, "from_stream_errors", busy=0.15)
    await bench.begin()
    dma, rng = bench.dma, bench.rng
    await dma.csr.write(CONTROL, CT_IRQ_EN)
    for _ in range(12):
        bench.fresh()
        d = bench.descriptor(bench.size * rng.randint(1, 100), END_ON_EOP | ERROR_IRQ)
        resp, data = rng.choice((SLVERR, DECERR)), rng.randbytes(d.length)
        beat = rng.randrange(d.write, d.write + d.length) // bench.size * bench.size
        bench.memory.error = lambda w, addr, at=beat, r=resp: r if addr == at else OKAY
        bench.source.send(data)
        count, status = await dma.transfer(d)
        assert status == (SLVERR_BIT if resp == SLVERR else DECERR_BIT) | WRITE_FAILED
        assert count <= max(beat - d.write, 0)
        assert bench.memory.memory[d.write : d.write + count] == data[:count]
        bench.check_within([d])


@cocotb.test()
async def stream_reset(dut: Any) -> None:
    """A reset at any cycle of a transfer to or from the stream; then transfers work."""
    bench = Bench(dut, "stream_reset", busy=0.25)
    await bench.begin()
    dma, rng = bench.dma, bench.rng
    low = reader(dut.stream_rst_no)
    valid = reader(dut.s_axis_tvalid)
    for _ in range(12):
        bench.fresh()
        lengths = [max(bench.length(900) // bench.size, 1) * bench.size for _ in range(min(bench.depth, 16))]
        ds = [bench.descriptor(n, GEN_EOP | END_ON_EOP) for n in lengths]
        if bench.mode == 2:
            for d in ds:
                bench.source.send(rng.randbytes(d.length))
        task = cocotb.start_soon(write_all(dma, ds))
        await bench.clocks(rng.randrange(1500))
        await task
        await dma.csr.write(CONTROL, CT_RESET)
        bench.source.clear()
        await dma.poll(64, 0)
        assert bench.memory.outstanding == 0 and low() == 1
        await bench.at_reset()
        if bench.mode == 2:
            bench.check_within(ds)
            await bench.clocks(40)
            if valid():  # the beat that was on offer at the reset
                d = Descriptor(0, HALF, bench.size, GO)
                await dma.write(d)
                await dma.idle()
                assert len(await dma.responses()) == 1
            data = rng.randbytes(4 * bench.size)
            bench.source.send(data)
            assert await dma.transfer_polled(Descriptor(0, HALF, len(data), GO | END_ON_EOP)) == (len(data), 0)
            assert bench.memory.memory[HALF : HALF + len(data)] == data
        else:
            bench.sink.part.clear()
            bench.sink.packets.clear()
            assert await dma.transfer_polled(Descriptor(64, 0, 100, GO | GEN_EOP)) == (100, 0)
            await bench.clocks(2)
            assert bench.sink.packets == [bench.memory.memory[64:164]]


@cocotb.test()
async def stream_rates(dut: Any) -> None:
    """Issue 3's bench for the stream variants, through a queue filled beforehand."""
    first = True
    for length, latency, count, goals in (
        (64, 20, 1024, (97, 98)),
        (64, 120, 1024, (94, 94)),
        (256, 120, 512, (98, 98.5)),
        (1024, 120, 256, (99.5, 99.5)),
    ):
        bench = Bench(dut, f"rates{length}", latency=latency)
        if first:
            await bench.begin()
        else:
            bench.fresh()
        first = False
        dma = bench.dma
        await dma.csr.write(CONTROL, CT_STOP)
        await dma.write(Descriptor(0, HALF, length, 0))
        places = HALF // 2 // length
        for n in range(count):
            await dma.desc.write(0, n % places * length)
            await dma.desc.write(4, HALF + n % places * length)
            await dma.desc.write(0x1C, GO | END_ON_LEN | GEN_EOP)
        data = b"".join(bytes(bench.memory.memory[n % places * length :][:length]) for n in range(count))
        if bench.mode == 2:
            bench.source.send(data, last=False)
        await dma.csr.write(CONTROL, 0)
        await dma.idle()
        await bench.clocks(2)
        taken = bench.memory.log.w_beats if bench.mode == 2 else bench.sink.beats
        beats = taken[32 * length // bench.size :]
        assert len(beats) == (count - 32) * length // bench.size
        percent = 100 * len(beats) / (beats[-1] - beats[0] + 1)
        print(f"mode {bench.mode}, {length} B, latency {latency}: {percent:.2f} %")
        assert percent >= goals[bench.mode - 1], f"{length} B at latency {latency}: {percent:.2f} %"
        if bench.mode == 1:
            assert b"".join(bench.sink.packets) == data and len(bench.sink.packets) == count
        else:
            done = min(count, places) * length
            assert bench.memory.memory[HALF : HALF + done] == bench.memory.memory[:done]
        assert await dma.responses() == [(length, 0)] * count
        stop(bench)
