# SPDX-License-Identifier: Apache-2.0
"""sl_axi_cdma register by register as PG034 states it; sl_axi_cdma_copy: order, errors, rates."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge
from pg021 import AxiLite

from tb import run, seed, stall
from tb.axi import DECERR, OKAY, SLVERR, AxiSlave, Stalls
from tb.signals import Writer, reader, reset
from tb.stalls import parameters

COPY = [
    "mover/sl_mover_pkg.sv",
    "mover/sl_fifo.sv",
    "mover/sl_skid.sv",
    "mover/sl_burst_split.sv",
    "mover/sl_realign.sv",
    "mover/sl_mm2s.sv",
    "mover/sl_s2mm.sv",
    "dma/sl_axi_cdma_copy.sv",
]
ENGINE = [
    "../regs/gen/sv/sl_axi_cdma_regs_pkg.sv",
    COPY[0],
    "../regs/gen/sv/sl_axi_cdma_regs.sv",
    *COPY[1:],
    "axi/sl_axi_check.sv",
    "axi/sl_axil_check.sv",
    "dma/sl_dma_reset.sv",
    "dma/sl_axi_cdma.sv",
]
SMALL = {"BufferBeats": 128}
ENGINES = [
    {"DataWidth": 64, "LenWidth": 17, **SMALL},
    {"DataWidth": 32, "LenWidth": 14, "Unaligned": 0, "AddrWidth": 40, **SMALL},
]
ENGINE_TESTS = ["registers", "copies", "errors", "reset_at_any_cycle", "latency"]

CR, SR, SA, SA_MSB, DA, DA_MSB, BTT = 0x00, 0x04, 0x18, 0x1C, 0x20, 0x24, 0x28
CR_RESET, CR_IRQ, SR_IDLE = 1 << 2, 1 << 12 | 1 << 14, 1 << 1
SR_IOC, SR_ERR, SR_INT_ERR, SR_SLV_ERR, SR_DEC_ERR = 1 << 12, 1 << 14, 1 << 4, 1 << 5, 1 << 6
AT_REST = 1 << 16 | SR_IDLE
MEMORY = 1 << 18


def name(config: dict[str, Any]) -> str:
    return "-".join(f"{k}={v}" for k, v in config.items())


@pytest.fixture(autouse=True)
def makeflags(monkeypatch: pytest.MonkeyPatch) -> None:
    """See test_sl_axi_dma.py."""
    monkeypatch.setenv("MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include OPT_FAST=-O1")


@pytest.mark.parametrize("config", ENGINES, ids=name)
def test_sl_axi_cdma(config: dict[str, Any]) -> None:
    run("sl_axi_cdma", ENGINE, config, testcase=ENGINE_TESTS)


@pytest.mark.parametrize("cut", [0, 1])
def test_sl_axi_cdma_copy(cut: int) -> None:
    run("sl_axi_cdma_copy", COPY, {"CutThrough": cut}, testcase=["rates", "queued_copies"])


def test_refused() -> None:
    run("sl_axi_cdma", ENGINE, {"LenWidth": 7}, expect_build_error="LenWidth must be 8..26, is 7")


class Bench:
    """The engine with one memory for source and destination, and register access."""

    def __init__(self, dut: Any, label: str, busy: float = 0.0, latency: int = 8) -> None:
        self.dut, self.rng, self.edge = dut, seed(label), RisingEdge(dut.clk_i)
        p = parameters()
        self.step = 1 if p.get("Unaligned", 1) else int(p["DataWidth"]) // 8
        self.most = min((1 << int(p["LenWidth"])) - 1, 65536)

        def some() -> Any:
            return stall(seed(f"{label}/{self.rng.random()}"), busy)

        self.slave = AxiSlave(
            dut,
            "m_axi",
            bytearray(self.rng.randbytes(MEMORY)),
            read_latency=latency,
            write_latency=latency,
            max_burst=16,
            stalls=Stalls(some(), some(), some(), some(), some()),
        )
        self.bus = AxiLite(dut, some())
        self.irq = reader(dut.irq_o)

    async def begin(self) -> None:
        await reset(self.dut)
        await self.bus.write(CR, CR_IRQ)

    async def recover(self) -> None:
        await self.bus.write(CR, CR_RESET)
        for _ in range(500):
            if not await self.bus.read(CR) & CR_RESET:
                break
        assert await self.bus.read(SR) == AT_REST and self.slave.outstanding == 0
        await self.bus.write(CR, CR_IRQ)

    def ranges(self, size: int) -> tuple[int, int]:
        """Source and destination in their halves of memory."""
        half = MEMORY // 2
        src, dst = (self.rng.randrange(0, half - size) // self.step * self.step for _ in "sd")
        if self.rng.random() < 0.3:  # across 4 KiB
            dst = 8192 - self.rng.randrange(1, 64) // self.step * self.step
        return (src, half + dst) if dst + size <= half else (src, half)

    async def start(self, src: int, dst: int, size: int) -> None:
        for reg, value in ((SA, src), (SA_MSB, 0), (DA, dst), (DA_MSB, 0), (BTT, size)):
            await self.bus.write(reg, value)

    async def finish(self) -> int:
        for _ in range(60_000):
            if self.irq():
                break
            await self.edge
        else:
            raise AssertionError("no interrupt")
        status = await self.bus.read(SR)
        await self.bus.write(SR, SR_IOC | SR_ERR)
        return status

    async def copy(self, src: int, dst: int, size: int) -> None:
        """One copy: exactly the destination is written, each byte once."""
        wanted = bytearray(self.slave.memory)
        wanted[dst : dst + size] = wanted[src : src + size]
        self.slave.written[:] = bytes(MEMORY)
        await self.start(src, dst, size)
        assert await self.finish() == AT_REST | SR_IOC
        assert self.slave.memory == wanted, f"{src:#x} to {dst:#x}, {size} bytes"
        assert self.slave.written == bytes(dst) + b"\1" * size + bytes(MEMORY - dst - size)

    def check_within(self, dst: int, size: int) -> None:
        written = self.slave.written
        assert not any(written[:dst]) and not any(written[dst + size :]), "written outside the range"


@cocotb.test()
async def registers(dut: Any) -> None:
    """Reset values, widths, reserved offsets; BTT of 0; BTT, SA and DA written during a copy."""
    bench = Bench(dut, "registers", busy=0.2, latency=60)
    await reset(dut)
    bus = bench.bus
    assert await bus.read(CR) == 1 << 16 and await bus.read(SR) == AT_REST
    high = (1 << int(parameters().get("AddrWidth", 32)) - 32) - 1
    for reg in range(0x08, 0x60, 4):
        if reg != BTT:
            await bus.write(reg, 0xFFFFFFFF)
            wanted = {SA: 0xFFFFFFFF, DA: 0xFFFFFFFF, SA_MSB: high, DA_MSB: high}.get(reg, 0)
            assert await bus.read(reg) == wanted, f"{reg:#x}"
    await bus.write(CR, 0xFFFFFFFF & ~CR_RESET)
    assert await bus.read(CR) == 1 << 16 | CR_IRQ

    size = 512
    before = bytes(bench.slave.memory[1024 : 1024 + size])
    await bench.start(1024, 1 << 17, size)
    await bus.write(BTT, 64)
    await bus.write(SA, 0)
    assert not await bus.read(SR) & SR_IDLE
    assert await bus.read(BTT) == size
    assert await bench.finish() == AT_REST | SR_IOC
    assert bench.slave.memory[1 << 17 : (1 << 17) + size] == before
    assert sum(bench.slave.written) == size
    await ClockCycles(dut.clk_i, 200)
    assert sum(bench.slave.written) == size, "the second write of BTT has started a copy"

    bursts = len(bench.slave.log.reads) + len(bench.slave.log.writes)
    wrong = [(0, 0, 0)] + ([(1, 0, 64), (0, 1, 64)] if bench.step > 1 else [])
    for src, dst, size in wrong:
        await bench.start(src, dst, size)
        assert await bench.finish() & ~SR_IDLE == 1 << 16 | SR_ERR | SR_INT_ERR
        await bench.start(0, 1 << 17, 64)
        await ClockCycles(dut.clk_i, 200)
        assert await bus.read(SR) == AT_REST | SR_INT_ERR, "a copy started although an error stands"
        await bench.recover()
    assert bursts == len(bench.slave.log.reads) + len(bench.slave.log.writes)


@cocotb.test()
async def copies(dut: Any) -> None:
    """Sizes and alignments at random, stalls of 10 to 40 % on all channels; one of over 8 KiB."""
    for busy in (0.1, 0.25, 0.4):
        bench = Bench(dut, f"copies{busy}", busy=busy)
        await reset(dut, start_clock=busy == 0.1)
        await bench.bus.write(CR, CR_IRQ)
        sizes = [1, 2, bench.rng.randint(3, 80), 4096, bench.rng.randint(1, 2000), min(bench.most, 9001)]
        if busy == 0.1:
            sizes.append(bench.most)
        for size in sizes:
            await bench.copy(*bench.ranges(size), size)
        bench.slave.stop()


@cocotb.test()
async def errors(dut: Any) -> None:
    """SLVERR and DECERR on a random beat, read or write; reset recovers."""
    bench = Bench(dut, "errors", busy=0.15)
    await bench.begin()
    for turn in range(12):
        size = bench.rng.randint(1, 1500)
        src, dst = bench.ranges(size)
        on_write, resp = bool(turn & 1), SLVERR if turn & 2 else DECERR
        at = (dst if on_write else src) + bench.rng.randrange(size)
        beat = at - at % (len(dut.m_axi_rdata) // 8)

        def error(write: bool, addr: int, on: bool = on_write, beat: int = beat, resp: int = resp) -> int:
            return resp if write == on and addr == beat else OKAY

        bench.slave.error = error
        bench.slave.written[:] = bytes(MEMORY)
        await bench.start(src, dst, size)
        status = await bench.finish()
        assert status & ~SR_IDLE == 1 << 16 | SR_ERR | (SR_SLV_ERR if turn & 2 else SR_DEC_ERR)
        for _ in range(1000):
            if await bench.bus.read(SR) & SR_IDLE:
                break
        assert bench.slave.outstanding == 0, "idle with bursts in flight"
        bench.check_within(dst, size)
        bench.slave.error = None
        await bench.recover()
        await bench.copy(*bench.ranges(100), 100)


@cocotb.test()
async def reset_at_any_cycle(dut: Any) -> None:
    """A soft reset during a copy: bursts end legally (checker), nothing beside the range."""
    bench = Bench(dut, "reset", busy=0.15)
    await bench.begin()
    for _ in range(20):
        size = bench.rng.randint(1, 1500)
        src, dst = bench.ranges(size)
        bench.slave.written[:] = bytes(MEMORY)
        await bench.start(src, dst, size)
        await ClockCycles(dut.clk_i, bench.rng.randint(1, 300))
        await bench.recover()
        bench.check_within(dst, size)
    await bench.copy(*bench.ranges(1000), 1000)


@cocotb.test()
async def latency(dut: Any) -> None:
    """One copy of 64 B at L=20, from the write of BTT to the interrupt."""
    bench = Bench(dut, "latency", latency=20)
    await bench.begin()
    for reg, value in ((SA, 0), (DA, 1 << 17)):
        await bench.bus.write(reg, value)
    start = bench.slave.cycle
    await bench.bus.write(BTT, 64)
    await bench.finish()
    slave = bench.slave
    print(f"cdma: 64 B at L=20: {slave.log.b_edges[0] - start} cycles from BTT to the last response")


class Copies:
    """Drives the commands of sl_axi_cdma_copy; `done` has (edge, bytes, error, tag)."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.queue: list[tuple[int, int, int]] = []
        self.taken: list[int] = []
        self.done: list[tuple[int, int, int, int]] = []
        self.cycle = 0
        cocotb.start_soon(self._run())

    async def _run(self) -> None:
        dut, edge = self.dut, RisingEdge(self.dut.clk_i)
        put = [Writer(getattr(dut, f"cmd_{n}_i")) for n in ("valid", "src", "dst", "bytes", "tag")]
        get = [reader(getattr(dut, f"sts_{n}_o")) for n in ("valid", "bytes", "error", "tag")]
        ready = reader(dut.cmd_ready_o)
        dut.sts_ready_i.value = 1
        dut.halt_i.value = 0
        valid = False
        while True:
            await edge
            self.cycle += 1
            if get[0]():
                self.done.append((self.cycle, get[1](), get[2](), get[3]()))
            if valid and ready():
                self.taken.append(self.cycle)
                valid = False
            if not valid and self.queue:
                src, dst, size = self.queue.pop(0)
                for write, value in zip(put[1:], (src, dst, size, len(self.taken) & 15), strict=True):
                    write(value)
                valid = True
            put[0](int(valid))

    async def wait(self, count: int) -> None:
        for _ in range(100_000):
            if len(self.done) >= count:
                return
            await RisingEdge(self.dut.clk_i)
        raise AssertionError(f"{len(self.done)} of {count} statuses")


@cocotb.test()
async def rates(dut: Any) -> None:
    """Issue 3's table: beats a cycle from the 33rd command's first beat written on."""
    first, copies = True, Copies(dut)
    for latency, size, count, goal in (
        (20, 64, 256, 98.0),
        (120, 64, 256, 94.0),
        (120, 256, 128, 98.0),
        (120, 1024, 64, 99.5),
        (120, 65536, 2, 99.9),
    ):
        slave = AxiSlave(dut, "m_axi", 1 << 18, read_latency=latency, write_latency=latency, max_burst=16)
        await reset(dut, start_clock=first)
        first = False
        before = len(copies.done)
        copies.queue += [(i * size % 65536, 131072 + i * size % 65536, size) for i in range(count)]
        await copies.wait(before + count)
        beats = slave.log.w_beats
        skip = 32 * size // 8 if count > 32 else 1
        rate = 100 * (len(beats) - skip) / (beats[-1] - beats[skip] + 1)
        print(f"copy: {size} B, L={latency}: {rate:.2f} % (goal {goal})")
        assert rate >= goal
        slave.stop()


@cocotb.test()
async def queued_copies(dut: Any) -> None:
    """One 64 B copy's latency; two queued ones to offset 5; a queue of any sizes, with stalls."""
    slave = AxiSlave(dut, "m_axi", bytearray(seed("q").randbytes(1 << 18)), read_latency=20, write_latency=20)
    copies = Copies(dut)
    await reset(dut)
    copies.queue.append((0, 131072, 64))
    await copies.wait(1)
    took = copies.done[0][0] - copies.taken[0]
    print(f"copy: one of 64 B at L=20: {took} cycles")
    assert took <= (56 if parameters().get("CutThrough") else 64)
    rng = seed("queue")
    wanted = bytearray(slave.memory)
    work = [(0, 131072 + 5, 64), (64, 131072 + 256 + 5, 64)]
    at = 131072 + 1024
    for _ in range(40):
        size = rng.choice((rng.randint(1, 40), rng.randint(1, 700)))
        work.append((rng.randrange(65536), at + rng.randrange(9), size))
        at += size + 16
    for busy in ("r", "w", "b"):
        setattr(slave.stalls, busy, stall(seed(busy), 0.25))
    for src, dst, size in work:
        wanted[dst : dst + size] = wanted[src : src + size]
    slave.written[:] = bytes(1 << 18)
    copies.queue += work
    await copies.wait(1 + len(work))
    assert slave.memory == wanted
    assert sum(slave.written) == sum(size for _, _, size in work)
    assert [d[1:3] for d in copies.done[1:]] == [(size, OKAY) for _, _, size in work]
