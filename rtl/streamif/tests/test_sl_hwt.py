# SPDX-License-Identifier: Apache-2.0
"""A hardware thread as software and streams see it: jobs by mail to each kernel, mailboxes, halts."""

from __future__ import annotations

import random
from functools import reduce
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ClockCycles
from sluice_regs import sl_hwt as regs
from test_sl_hwt_sobel import picture, sobel

from tb import run, seed, stall
from tb.axil import AxiLite
from tb.figures import figure
from tb.signals import Cycles, reader, reset
from tb.stalls import NO_STALL
from tb.stream import StreamSink, StreamSource

NONE, COPY, COUNT, XOR, REDUCE, SOBEL = range(6)
DEPTH, MAX_WORDS = 8, 16


def words(data: bytes) -> list[int]:
    return [int.from_bytes(data[n : n + 4], "little") for n in range(0, len(data), 4)]


def xor(data: bytes) -> int:
    return reduce(lambda a, b: a ^ b, words(data), 0)


class Bench:
    def __init__(self, dut: Any, label: str, share: float = 0.0) -> None:
        self.dut = dut
        self.rng = seed(label)

        def maybe(cause: float = 1.0) -> Any:
            return stall(random.Random(self.rng.random()), share * cause) if share else NO_STALL

        self.bus = AxiLite(dut, maybe(0.5))
        self.source = StreamSource(dut, stall=maybe())
        self.sink = StreamSink(dut, stall=maybe())
        self.irq, self.active = reader(dut.irq_o), reader(dut.active_o)

    async def start(self, kernel: int = NONE) -> None:
        self.dut.thread_rst_ni.value = 1
        await reset(self.dut)
        assert await self.bus.read(regs.IDENTITY_OFFSET) == 0x534C4854
        await self.kernel(kernel)

    async def kernel(self, kernel: int) -> None:
        await self.bus.write(regs.KERNEL_OFFSET, kernel)

    async def put(self, *mail: int) -> None:
        for word in mail:
            await self.bus.write(regs.PUT_OFFSET, word)

    async def fill(self) -> int:
        return await self.bus.read(regs.GET_STATE_OFFSET) & 0xFF

    async def get(self, limit: int = 5000) -> int:
        for _ in range(limit):
            if await self.fill():
                return await self.bus.read(regs.GET_OFFSET)
        raise AssertionError("no mail")

    async def state(self) -> tuple[int, bool, bool, int]:
        """State, halted, refused, jobs."""
        value = await self.bus.read(regs.STATE_OFFSET)
        return value & 3, bool(value >> 8 & 1), bool(value >> 9 & 1), value >> 16

    async def halt(self, cycles: int = 3) -> None:
        """As sl_streamif halts a thread: what it sends and gets is dropped at once."""
        self.dut.thread_rst_ni.value = 0
        await ClockCycles(self.dut.clk_i, cycles)
        self.dut.thread_rst_ni.value = 1

    def job(self) -> tuple[int, int, int, bytes, bytes | None, int]:
        """Kernel, A, B, what it gets, what it has to send, its result."""
        rng = self.rng
        kernel = rng.choice((COPY, COUNT, XOR, REDUCE, SOBEL))
        count = rng.choice((1, 2, 3, 16, rng.randint(1, 80)))
        data = rng.randbytes(4 * count)
        if kernel == COUNT:
            first = rng.choice((0, rng.getrandbits(32), 0xFFFFFFFE))
            data = b"".join((first + n & 0xFFFFFFFF).to_bytes(4, "little") for n in range(count))
            return kernel, count, first, b"", data, xor(data)
        if kernel == XOR:
            return kernel, count, rng.getrandbits(32), data, None, xor(data)
        if kernel == COPY:  # to the last word or to the packet's end, whichever comes first
            short = rng.random() < 0.5
            if short:
                data = data[: -rng.randint(1, 3)]
            return kernel, count + 7 * short, 0, data, data, xor(data)
        if kernel == SOBEL:
            width, rows = 4 * rng.randint(2, MAX_WORDS), rng.choice((1, 2, 3, rng.randint(1, 9)))
            image = picture(rng, width, rows)
            out = sobel(image, width, rows)
            return kernel, width // 4, rows, image, out, xor(out)
        group = rng.choice((1, 2, rng.randint(1, 2 * count)))
        groups = -(-count // group) + rng.choice((0, 3)) if count % group else count // group
        sums = [sum(data[at : at + 4 * group]) for at in range(0, len(data), 4 * group)]
        out = b"".join(n.to_bytes(4, "little") for n in sums)
        return kernel, group, groups, data, out, xor(out)


@cocotb.test()
async def jobs(dut: Any) -> None:
    """Jobs of all kernels one after another, streams and bus with and without stalls."""
    for share in (0.0, 0.3):
        bench = Bench(dut, f"jobs{share}", share)
        await bench.start()
        for number in range(40):
            kernel, a, b, given, wanted, result = bench.job()
            await bench.kernel(kernel)
            await bench.put(a, b)
            if given:
                bench.source.send(given)
            assert await bench.get() == result, f"kernel {kernel}, {a}, {b}"
            await ClockCycles(dut.clk_i, 40)
            assert bench.sink.packets == ([wanted] if wanted is not None else [])
            assert not bench.sink.part
            bench.sink.packets.clear()
            assert await bench.state() == (0, False, False, number + 1)
            assert await bench.bus.read(regs.RESULT_OFFSET) == result
        bench.source.stop()
        bench.sink.stop()


@cocotb.test()
async def queued_jobs(dut: Any) -> None:
    """As many jobs as the mailbox holds, each takes its part of one stream and no word of the next
    one's; the results wait in their mailbox, and one job more waits for room."""
    bench = Bench(dut, "queued", 0.2)
    await bench.start(REDUCE)
    results = []
    for number in range(DEPTH + 1):
        group, groups = bench.rng.randint(1, 6), bench.rng.randint(1, 3)
        data = bench.rng.randbytes(4 * group * groups)
        while await bench.bus.read(regs.PUT_STATE_OFFSET) < 2:
            pass
        await bench.put(group, groups)
        bench.source.send(data, last=number % 2 == 0)
        sums = [sum(data[at : at + 4 * group]) for at in range(0, len(data), 4 * group)]
        results.append(reduce(lambda a, b: a ^ b, sums))
    for _ in range(500):
        if await bench.state() == (3, False, False, DEPTH):
            break
    assert await bench.fill() == DEPTH
    assert await bench.state() == (3, False, False, DEPTH)
    assert [await bench.get() for _ in range(DEPTH + 1)] == results
    assert len(bench.sink.packets) == DEPTH + 1


@cocotb.test()
async def mailboxes(dut: Any) -> None:
    """Free and fill counts at their ends, lost and missed words, the interrupt line; words of
    parameters that wait for a kernel."""
    bench = Bench(dut, "mail")
    await bench.start()
    bus = bench.bus
    assert await bus.read(regs.PUT_STATE_OFFSET) == DEPTH
    assert await bus.read(regs.IRQ_PENDING_OFFSET) == regs.IRQ_PENDING_EMPTY_MASK and not bench.irq()
    await bus.write(regs.IRQ_ENABLE_OFFSET, regs.IRQ_ENABLE_EMPTY_MASK)
    assert bench.irq()
    assert await bus.read(regs.GET_OFFSET) == 0
    assert await bus.read(regs.GET_STATE_OFFSET) == regs.GET_STATE_MISSED_MASK
    for number in range(DEPTH):
        await bench.put(number + 1)
        assert await bus.read(regs.PUT_STATE_OFFSET) == DEPTH - 1 - number
    assert not bench.irq()
    await bench.put(99)
    assert await bus.read(regs.PUT_STATE_OFFSET) == regs.PUT_STATE_LOST_MASK
    await bus.write(regs.PUT_STATE_OFFSET, regs.PUT_STATE_LOST_MASK)
    assert await bus.read(regs.PUT_STATE_OFFSET) == 0
    assert not bench.active()
    await bus.write(regs.IRQ_ENABLE_OFFSET, regs.IRQ_ENABLE_MAIL_MASK)
    assert not bench.irq()
    await bench.kernel(COUNT)
    assert bench.active()
    # Jobs of 1, 3, 5, 7 words from 2, 4, 6, 8 on.
    for number in range(DEPTH // 2):
        a, b = 2 * number + 1, 2 * number + 2
        assert await bench.get() == reduce(lambda x, y: x ^ y, range(b, b + a))
        assert await bus.read(regs.GET_STATE_OFFSET) & regs.GET_STATE_MISSED_MASK == 0
    assert [len(p) // 4 for p in bench.sink.packets] == [1, 3, 5, 7]
    assert not bench.irq()
    await bench.put(1)
    await ClockCycles(dut.clk_i, 3)
    assert (await bench.state())[0] == 1
    await bench.put(7)
    await ClockCycles(dut.clk_i, 10)
    assert bench.irq() and await bus.read(regs.IRQ_PENDING_OFFSET) == 3
    assert await bench.get() == 7
    assert not bench.irq() and await bus.read(regs.GET_OFFSET) == 0
    assert await bus.read(regs.GET_STATE_OFFSET) == regs.GET_STATE_MISSED_MASK


@cocotb.test()
async def refused(dut: Any) -> None:
    """Parameters on each bound of what a kernel takes, and beyond it: the job ends at once, nothing
    moves; the next one is as ever."""
    bench = Bench(dut, "refused")
    await bench.start()
    bad = [
        *((kernel, 0, 5) for kernel in range(COPY, SOBEL + 1)),
        *((REDUCE, 1, 0), (REDUCE, 1 << 16, 1)),
        *((SOBEL, 1, 1), (SOBEL, MAX_WORDS + 1, 1), (SOBEL, 2, 0), (SOBEL, 2, 1 << 16)),
        *((SOBEL, 1 << 31 | 4, 2), (SOBEL + 1, 4, 4), (8 + COPY, 4, 4), (15, 4, 4)),
    ]
    for kernel, a, b in bad:
        await bench.kernel(kernel)
        await bench.put(a, b)
        assert await bench.get() == 0
        assert (await bench.state())[:3] == (0, False, True), (kernel, a, b)
    for kernel, a, b in ((REDUCE, (1 << 16) - 1, (1 << 32) - 1), (SOBEL, MAX_WORDS, 65535), (SOBEL, 2, 1)):
        await bench.kernel(kernel)
        await bench.put(a, b)
        await ClockCycles(dut.clk_i, 8)
        assert (await bench.state())[:3] == (2, False, False), (kernel, a, b)
        await bench.halt()
    assert not bench.source.taken and not bench.sink.beats


@cocotb.test()
async def halts(dut: Any) -> None:
    """A halt at any moment of a job leaves nothing of it behind: mailboxes, kernel, streams."""
    bench = Bench(dut, "halts", 0.2)
    await bench.start()
    bench.source.stop()
    bench.sink.stop()
    for _ in range(15):
        source, sink = StreamSource(dut), StreamSink(dut)
        kernel, a, b, given, _, _ = bench.job()
        await bench.kernel(kernel)
        await bench.put(a, b, 3)
        if given:
            source.send(given)
        await ClockCycles(dut.clk_i, bench.rng.randint(0, 60))
        source.stop()
        sink.stop()
        dut.s_axis_tvalid.value = 0
        dut.m_axis_tready.value = 0
        dut.thread_rst_ni.value = 0
        await ClockCycles(dut.clk_i, 2)
        assert not int(dut.m_axis_tvalid.value) and not int(dut.s_axis_tready.value)
        assert await bench.state() == (0, True, False, 0)
        assert await bench.bus.read(regs.PUT_STATE_OFFSET) & 0xFF == 0  # no room while halted
        await bench.put(5)
        assert await bench.bus.read(regs.PUT_STATE_OFFSET) == regs.PUT_STATE_LOST_MASK
        await bench.bus.write(regs.PUT_STATE_OFFSET, regs.PUT_STATE_LOST_MASK)
        assert await bench.bus.read(regs.IRQ_PENDING_OFFSET) == 0
        dut.thread_rst_ni.value = 1
        assert await bench.bus.read(regs.PUT_STATE_OFFSET) == DEPTH
        assert await bench.fill() == 0
        assert await bench.bus.read(regs.KERNEL_OFFSET) == kernel
        source, sink = StreamSource(dut), StreamSink(dut)
        kernel, a, b, given, wanted, result = bench.job()
        await bench.kernel(kernel)
        await bench.put(a, b)
        if given:
            source.send(given)
        assert await bench.get() == result
        await ClockCycles(dut.clk_i, 4)
        assert sink.packets == ([wanted] if wanted is not None else [])
        source.stop()
        sink.stop()
        dut.s_axis_tvalid.value = 0


@cocotb.test()
async def rates(dut: Any) -> None:
    """A word a cycle through every kernel."""
    bench = Bench(dut, "rates")
    cycles = Cycles(dut)
    await bench.start()
    count = 1600
    image = picture(bench.rng, 4 * MAX_WORDS, count // MAX_WORDS)
    for kernel, a, b in (
        *((COPY, count, 0), (COUNT, count, 0), (XOR, count, 0)),
        *((REDUCE, MAX_WORDS, count // MAX_WORDS), (SOBEL, MAX_WORDS, count // MAX_WORDS)),
    ):
        await bench.kernel(kernel)
        await bench.put(a, b)
        bench.source.beats.clear()
        bench.sink.beats.clear()
        begun = cycles.now
        if kernel != COUNT:
            bench.source.send(image)
        await bench.get()
        beats = bench.sink.beats if kernel == COUNT else bench.source.beats
        assert len(beats) == count
        assert beats[-1] - beats[0] == count - 1, f"kernel {kernel}"
        figure(f"cycles of a job of {count} words, kernel {kernel}", cycles.now - begun, most=count + 50)


def test_sl_hwt() -> None:
    run("sl_hwt", {"Depth": DEPTH, "MaxWords": MAX_WORDS})


@pytest.mark.parametrize("depth", [2, 12, 128])
def test_refused_depth(depth: int) -> None:
    run("sl_hwt", {"Depth": depth}, expect_build_error="Depth must be")
