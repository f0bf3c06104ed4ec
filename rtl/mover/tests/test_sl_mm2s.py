# SPDX-License-Identifier: Apache-2.0
"""sl_mm2s against the reference: data, statuses, bursts, errors, halt; rates and latencies of its
header."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge
from reference import (
    DECERR,
    OKAY,
    SLVERR,
    bursts,
    expected_packets,
    expected_status,
    is_bad,
    random_size,
    same,
)

from tb import run, seed, stall
from tb.axi import AxiSlave, Stalls
from tb.command import Command, Commander
from tb.figures import RATES, UNLIMITED, commands, figure, percent, rate_name
from tb.signals import reset
from tb.stalls import NO_STALL, parameters
from tb.stream import StreamSink

MEMORY = 1 << 18


class Bench:
    def __init__(self, dut: Any, rng: random.Random, share: float = 0.0, **slave: Any) -> None:
        self.dut = dut
        self.rng = rng
        p = parameters()
        self.beat = p.get("DataWidth", 64) // 8
        self.unaligned = bool(p.get("Unaligned", 0))
        self.max_burst = p.get("MaxBurst", 16)
        self.limit = (1 << p.get("LenWidth", 26)) - 1
        self.errors: dict[int, int] = {}

        def maybe(cause: float = 1.0) -> Any:
            return stall(random.Random(rng.random()), share * cause) if share else NO_STALL

        self.slave = AxiSlave(
            dut,
            memory=bytearray(rng.randbytes(MEMORY)),
            stalls=Stalls(ar=maybe(), r=maybe()),
            error=lambda _, at: self.errors.get(at, OKAY),
            **slave,
        )
        self.sink = StreamSink(dut, stall=maybe())
        self.commands = Commander(dut, cmd_stall=maybe(0.5), sts_stall=maybe())
        self.sent: list[Command] = []

    async def start(self, again: bool = False) -> None:
        self.dut.halt_i.value = 0
        await reset(self.dut, start_clock=not again)

    def stop(self) -> None:
        for part in (self.slave, self.sink, self.commands):
            part.stop()

    def command(self, addr: int, count: int, eop: bool = True) -> None:
        self.commands(addr, count, eop, len(self.sent) & 15)
        self.sent.append(self.commands.queue[-1])

    async def check(self, limit: int = 400_000) -> None:
        """Waits for everything sent; compares statuses, packets and bursts."""
        await self.commands.wait(len(self.sent), limit)
        await ClockCycles(self.dut.clk_i, 4)
        assert self.dut.idle_o.value == 1

        def error(at: int) -> int:
            return self.errors.get(at, OKAY)

        for got, command in zip(self.commands.statuses, self.sent, strict=True):
            want = expected_status(command, self.beat, self.unaligned, error)
            got.edge = 0
            assert got == want, f"{command}: {got}, not {want}"
        packets, part = expected_packets(self.sent, bytes(self.slave.memory), self.beat, self.unaligned, error)
        assert len(self.sink.packets) == len(packets)
        for got_packet, wanted in zip(self.sink.packets, packets, strict=True):
            assert same(got_packet, wanted), f"packet of {len(wanted)} B: {len(got_packet)} B, or other data"
        whole = len(part) - len(part) % self.beat
        assert same(bytes(self.sink.part), part[:whole])
        wanted_bursts = [
            b
            for c in self.sent
            if not is_bad(c, self.beat, self.unaligned)
            for b in bursts(c.addr, c.bytes, self.beat, self.max_burst)
        ]
        assert [(b.addr, b.beats) for b in self.slave.log.reads] == wanted_bursts

    def random_command(self, limit: int, eop_share: float = 0.6) -> None:
        count = random_size(self.rng, min(limit, self.limit))
        eop = self.rng.random() < eop_share
        addr = self.rng.randrange(MEMORY - count)
        if not self.unaligned:
            addr -= addr % self.beat
            if not eop:
                count += -count % self.beat
                if count > self.limit:
                    count -= self.beat
        elif self.rng.random() < 0.3:
            addr -= addr % self.beat
        if self.rng.random() < 0.03:
            count = 0
        self.command(addr, count, eop)

    def finish_packet(self) -> None:
        self.command(0, self.beat, True)


@cocotb.test()
async def random_commands(dut: Any) -> None:
    """Random sizes, alignments and packets; stalls of 10 to 40 % everywhere."""
    for number, share in enumerate((0.1, 0.25, 0.4)):
        bench = Bench(dut, seed(f"random{number}"), share, read_latency=5 + 30 * number)
        await bench.start(number > 0)
        budget = 40_000 * bench.beat // 8
        while budget > 0:
            bench.random_command(16384 if budget > 16384 else 600)
            budget -= bench.sent[-1].bytes + 100
        bench.finish_packet()
        await bench.check()
        bench.stop()


@cocotb.test()
async def page_boundaries(dut: Any) -> None:
    """Commands that end at, start at, just miss and span 4 KiB boundaries; and one of 64 KiB."""
    bench = Bench(dut, seed("page"), read_latency=10)
    await bench.start()
    step = 1 if bench.unaligned else bench.beat
    for before in (0, 1, 2, 15, 16, 17):
        for after in (0, 1, 2, 16):
            if before + after:
                bench.command(4096 - before * step, (before + after) * step)
    bench.command(0, 4096)
    bench.command(4096 - step, 2 * step)
    bench.command(8192 - 64, 8192 + 128 if bench.limit > 9000 else bench.limit & ~63)
    if bench.limit > 65536:
        bench.command(4096, 65536)
    await bench.check()


@cocotb.test()
async def errors(dut: Any) -> None:
    """SLVERR and DECERR on single beats: first, last, any; the status claims exactly what came
    before."""
    rng = seed("errors")
    bench = Bench(dut, rng, 0.15, read_latency=12)
    await bench.start()
    place = 0
    step = 1 if bench.unaligned else bench.beat
    for case in range(40):
        count = rng.randint(1, 40 * bench.beat) if case % 3 else rng.randint(1, 2 * bench.beat)
        count = min(count, bench.limit)
        addr = place + rng.randrange(4 * bench.beat) // step * step
        first, last = addr - addr % bench.beat, (addr + count - 1) // bench.beat * bench.beat
        for _ in range(rng.randint(0, 2)):
            at = rng.choice((first, last, rng.randrange(first, last + 1, bench.beat)))
            bench.errors[at] = rng.choice((SLVERR, DECERR))
        bench.command(addr, count)
        place += 64 * bench.beat
    await bench.check()


@cocotb.test()
async def halt(dut: Any) -> None:
    """Halt at random cycles: every issued burst completes, nothing else appears, and the next
    commands are whole."""
    rng = seed("halt")
    for number in range(12):
        bench = Bench(
            dut,
            random.Random(rng.random()),
            rng.choice((0, 0.3)),
            read_latency=rng.choice((3, 20, 60)),
        )
        await bench.start(number > 0)
        for _ in range(8):
            bench.random_command(3000)
        await ClockCycles(dut.clk_i, rng.randint(1, 12) if number % 3 == 0 else rng.randint(1, 300))
        dut.halt_i.value = 1
        bench.commands.queue.clear()
        for _ in range(3000):
            await RisingEdge(dut.clk_i)
            if dut.idle_o.value == 1:
                break
        assert dut.idle_o.value == 1
        assert bench.slave.outstanding == 0 and dut.m_axi_arvalid.value == 0 and dut.m_axis_tvalid.value == 0
        dut.halt_i.value = 0
        await ClockCycles(dut.clk_i, 2)
        assert bench.slave.outstanding == 0
        bench.sink.part.clear()
        bench.sink.packets.clear()
        bench.commands.statuses.clear()
        bench.slave.log.reads.clear()
        bench.sent.clear()
        for _ in range(3):
            bench.random_command(500)
        bench.finish_packet()
        await bench.check()
        bench.stop()


@cocotb.test()
async def halt_keeps_a_waiting_address(dut: Any) -> None:
    """ARVALID that waits at the halt stays until taken, that burst's beats are taken, and no other
    burst follows."""
    bench = Bench(dut, seed("wait"), read_latency=9)
    held = True
    bench.slave.stalls.ar = lambda: held
    await bench.start()
    bench.command(0, 20 * bench.beat)
    bench.command(4096, 64)
    await ClockCycles(dut.clk_i, 12)
    assert dut.m_axi_arvalid.value == 1
    dut.halt_i.value = 1
    await ClockCycles(dut.clk_i, 30)
    assert dut.m_axi_arvalid.value == 1
    assert dut.idle_o.value == 0
    held = False
    while dut.idle_o.value == 0:
        await RisingEdge(dut.clk_i)
    await ClockCycles(dut.clk_i, 30)
    assert len(bench.slave.log.reads) == 1
    assert len(bench.slave.log.r_beats) == bench.slave.log.reads[0].beats
    assert not bench.sink.beats
    assert not bench.commands.statuses


@cocotb.test()
async def blocked_stream(dut: Any) -> None:
    """A consumer that takes nothing for long: reads stop at the buffer's size, and nothing is lost.
    More than 8 KiB in one command (known failure of another engine), then commands up to every
    queue's end."""
    bench = Bench(dut, seed("blocked"), read_latency=3)
    buffer = parameters()["BufferBeats"]
    bench.sink.enabled = False
    await bench.start()
    bench.command(64, min(64 * 600, bench.limit & ~63))
    await ClockCycles(dut.clk_i, 1200)
    assert sum(b.beats for b in bench.slave.log.reads) <= buffer
    assert dut.stall_space_o.value == (bench.limit > buffer * bench.beat)
    bench.sink.enabled = True
    for i in range(80):
        bench.command(128 * i, bench.beat)
    await ClockCycles(dut.clk_i, 600)
    bench.sink.enabled = False
    await ClockCycles(dut.clk_i, 600)
    bench.sink.enabled = True
    await bench.check()


async def causes(dut: Any, cycles: int) -> Counter[str]:
    """Counts R beats and causes of cycles without one. Every cycle is exactly one of them."""
    count: Counter[str] = Counter()
    beat = None
    for _ in range(cycles):
        await ReadOnly()
        names = ("addr", "space", "data", "resp")
        found = [c for c in names if getattr(dut, f"stall_{c}_o").value == 1]
        if beat is not None:
            assert len(found) == 1 - beat, f"stalls {found}, beat {beat}"
            count.update(found or ["beat"])
        beat = int(dut.m_axi_rvalid.value & dut.m_axi_rready.value)
        await RisingEdge(dut.clk_i)
    return count


@cocotb.test()
async def stall_causes(dut: Any) -> None:
    """Each cause alone: nothing commanded; ARREADY low; R withheld; a consumer that takes nothing,
    with bursts still to issue, and with all of them issued. Then all mixed: the sum holds."""
    bench = Bench(dut, seed("causes"), read_latency=9)
    held = {"ar": False, "r": False}
    bench.slave.stalls.ar = lambda: held["ar"]
    bench.slave.stalls.r = lambda: held["r"]
    await bench.start()
    size = min(bench.limit & ~63, 64 * bench.beat)
    assert set(await causes(dut, 40)) == {"data"}
    held["ar"] = True
    bench.command(0, size)
    await ClockCycles(dut.clk_i, 6)
    assert set(await causes(dut, 40)) == {"addr"}
    held["ar"], held["r"] = False, True
    await ClockCycles(dut.clk_i, 80)
    assert set(await causes(dut, 40)) == {"resp"}
    held["r"] = False
    await bench.check()
    await ClockCycles(dut.clk_i, 4)
    assert set(await causes(dut, 40)) == {"data"}
    # The consumer holds beats, all is issued and has come: its fault, though no burst waits.
    bench.sink.enabled = False
    bench.command(0, bench.beat)
    await ClockCycles(dut.clk_i, 40)
    assert set(await causes(dut, 40)) == {"space"}
    # Bursts wait for room that it holds.
    for _ in range(70):
        bench.command(0, size)
    await ClockCycles(dut.clk_i, 2000)
    assert set(await causes(dut, 40)) == {"space"}
    bench.sink.enabled = True
    await bench.check()
    bench.stop()
    bench = Bench(dut, seed("mixed"), 0.3, read_latency=20)
    await bench.start(True)
    seen: set[str] = set()
    for _ in range(8):  # the rarest is missing in one try of some
        for _ in range(20):
            bench.random_command(3000)
        bench.finish_packet()
        seen |= set(await causes(dut, 1500))
        await bench.check()
        if len(seen) == 5:
            break
    assert len(seen) == 5, seen


async def rate(
    dut: Any,
    count: int,
    latency: int,
    few: int,
    least: float,
    offset: int = 0,
    max_reads: int = UNLIMITED,
    again: bool = True,
) -> None:
    """Stream beats of `few` commands, or (not at an offset) of as many as the bench asks for."""
    bench = Bench(dut, seed("rate"), read_latency=latency, max_reads=max_reads)
    await bench.start(again)
    for i in range(few if offset else commands(few, count)):
        bench.command(
            (i * (count + 64 * bool(count % 128))) % (MEMORY - count - 128) // 64 * 64 + offset,
            count,
        )
    await bench.check(3_000_000)
    bench.stop()
    name = rate_name(count, latency, offset, max_reads)
    figure(name, percent(bench.sink.beats, -(-count // bench.beat)), least=least)


@cocotb.test()
async def throughput(dut: Any) -> None:
    """The header's rates; issue table 64 B, 256 B, 1 KiB, 64 KiB at latencies 20 and 120."""
    p = parameters()
    if p.get("DataWidth", 64) != 64:
        await rate(dut, 64, 20, 200, 98, again=False)
        return
    for count, latency, few in RATES:
        await rate(dut, count, latency, few, 99.9, again=(count, latency) != (64, 20))
    # A slave that holds 8 bursts of 8 beats and answers after 120 cycles cannot give more than 64
    # beats in 128.
    await rate(dut, 64, 120, 150, 49, max_reads=8)
    await rate(dut, 128, 120, 150, 94, max_reads=8)
    if p.get("Unaligned"):
        for offset in (1, 5, 7):
            await rate(dut, 64, 20, 150, 100 * 8 / 9 - 0.2, offset)
            await rate(dut, 1024, 120, 60, 100 * 128 / 129 - 0.2, offset)


@cocotb.test()
async def latency(dut: Any) -> None:
    """Exact cycles of one transfer of 64 B at AR-to-R 20: last beat after 29 (30 with Unaligned),
    status one later."""
    p = parameters()
    bench = Bench(dut, seed("latency"), read_latency=20)
    await bench.start()
    await ClockCycles(dut.clk_i, 10)
    for _ in range(2):
        bench.sink.beats.clear()
        bench.commands.taken_edges.clear()
        bench.slave.log.reads.clear()
        bench.command(4096, 64)
        await bench.commands.wait(len(bench.sent))
        issued = bench.slave.log.reads[0].edge - bench.commands.taken_edges[0]
        taken = bench.sink.beats[-1] - bench.commands.taken_edges[0]
        status = bench.commands.statuses[-1].edge - bench.sink.beats[-1]
        beats = 64 // bench.beat
        assert issued == 1
        assert taken == 1 + 20 + beats - 1 + 1 + bool(p.get("Unaligned"))
        assert status == 1
        await ClockCycles(dut.clk_i, 5)
    figure("one of 64 B, L=20: last beat", taken)
    figure("one of 64 B, L=20: status", taken + status)


@pytest.mark.parametrize(
    ("width", "unaligned", "burst", "length", "buffer"),
    [
        (64, 0, 16, 26, 512),
        (64, 1, 16, 26, 512),
        (32, 1, 256, 14, 512),
        (128, 1, 2, 20, 512),
        (512, 1, 64, 26, 256),
    ],
)
def test_sl_mm2s(width: int, unaligned: int, burst: int, length: int, buffer: int) -> None:
    run(
        "sl_mm2s",
        {
            "DataWidth": width,
            "Unaligned": unaligned,
            "MaxBurst": burst,
            "LenWidth": length,
            "BufferBeats": buffer,
        },
    )


def test_refuses_buffer() -> None:
    run(
        "sl_mm2s",
        {"BufferBeats": 500},
        expect_build_error="BufferBeats must be",
    )
