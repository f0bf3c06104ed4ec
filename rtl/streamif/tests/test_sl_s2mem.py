# SPDX-License-Identifier: Apache-2.0
"""sl_s2mem against a model byte by byte: any words, lengths and packets, both directions at once."""

from __future__ import annotations

import random
import sys
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from tb import RTL, run, seed, stall
from tb.axi import OKAY, SLVERR, AxiSlave, Stalls
from tb.command import Commander
from tb.figures import figure
from tb.signals import reset
from tb.stalls import NO_STALL, parameters
from tb.stream import StreamSink, StreamSource

sys.path.insert(0, str(RTL / "mover" / "tests"))

from reference import random_size

MEMORY = 1 << 16
INTERNAL = 1


class Side:
    """The signals of one direction under the names that Commander looks for."""

    def __init__(self, dut: Any, prefix: str) -> None:
        self.clk_i = dut.clk_i
        for name in ("cmd_valid_i", "cmd_ready_o", "cmd_addr_i", "cmd_tag_i"):
            setattr(self, name, getattr(dut, f"{prefix}_{name}"))
        for name in ("valid_o", "ready_i", "eop_o", "error_o", "tag_o"):
            setattr(self, f"sts_{name}", getattr(dut, f"{prefix}_sts_{name}"))
        self.cmd_bytes_i = getattr(dut, f"{prefix}_cmd_span_i")
        self.sts_bytes_o = getattr(dut, f"{prefix}_sts_span_o")
        if prefix == "rd":
            self.cmd_eop_i = dut.rd_cmd_eop_i


class Bench:
    def __init__(self, dut: Any, rng: random.Random, share: float = 0.0, **slave: Any) -> None:
        self.dut = dut
        self.rng = rng
        self.size = parameters().get("StreamWidth", 32) // 8
        self.errors: dict[int, int] = {}

        def maybe(cause: float = 1.0) -> Any:
            return stall(random.Random(rng.random()), share * cause) if share else NO_STALL

        self.slave = AxiSlave(
            dut,
            memory=bytearray(rng.randbytes(MEMORY)),
            stalls=Stalls(maybe(), maybe(), maybe(), maybe(), maybe()),
            error=lambda _, at: self.errors.get(at, OKAY),
            max_burst=16,
            **slave,
        )
        self.sink = StreamSink(dut, stall=maybe())
        self.source = StreamSource(dut, stall=maybe())
        self.rd = Commander(Side(dut, "rd"), cmd_stall=maybe(0.5), sts_stall=maybe())
        self.wr = Commander(Side(dut, "wr"), cmd_stall=maybe(0.5), sts_stall=maybe())
        self.sent = bytearray()
        self.statuses: list[tuple[int, bool, int, int]] = []
        self.packets: list[list[int | None]] = []
        self.part: list[int | None] = []
        self.wr_statuses: list[tuple[int, bool, int, int]] = []
        self.image = bytearray(self.slave.memory)
        self.touched = bytearray(MEMORY)

    async def start(self, again: bool = False) -> None:
        self.dut.halt_i.value = 0
        await reset(self.dut, start_clock=not again)

    def stop(self) -> None:
        for part in (self.slave, self.sink, self.source, self.rd, self.wr):
            part.stop()

    def span(self, addr: int, count: int) -> int:
        """Bytes from the beat's first one, where words start in its upper half."""
        return count + 4 if self.size == 4 and addr & 4 and count else count

    def read(self, addr: int, count: int, eop: bool = True) -> None:
        """Queues a read and what it has to give. Bytes of a failed beat are of no value."""
        tag = len(self.statuses) & 1
        self.rd(addr, self.span(addr, count), eop, tag)
        if addr % 4 or count == 0 or (self.size == 4 and not eop and count % 4):
            self.statuses.append((0, False, INTERNAL, tag))
            return
        failed = [at for at in range(addr & ~7, addr + count, 8) if self.errors.get(at, 0) >= SLVERR]
        moved = max(failed[0] - addr, 0) if failed else count
        self.statuses.append((self.span(addr, moved), eop, self.errors[failed[0]] if failed else 0, tag))
        for at in range(addr, addr + count):
            bad = self.errors.get(at & ~7, 0) >= SLVERR
            self.part.append(None if bad else self.slave.memory[at])
        if eop:
            self.packets.append(self.part)
            self.part = []

    def write(self, addr: int, room: int, packet: bytes, last: bool) -> None:
        """Queues a write and its bytes. The bytes are at most `room`, exactly without `last`."""
        tag = len(self.wr_statuses) & 1
        self.wr(addr, self.span(addr, room), tag=tag)
        if addr % 4 or room == 0:
            self.wr_statuses.append((0, False, INTERNAL, tag))
            return
        assert len(packet) == room or last
        self.source.send(packet, last)
        self.image[addr : addr + len(packet)] = packet
        for at in range(addr, addr + len(packet)):
            self.touched[at] += 1
        self.wr_statuses.append((self.span(addr, len(packet)), last, 0, tag))

    def random_read(self, limit: int) -> int:
        count = random_size(self.rng, limit)
        eop = self.rng.random() < 0.6
        if not eop:
            count += -count % 4
        addr = self.rng.randrange(0, MEMORY // 2 - count) & ~3
        if self.rng.random() < 0.03:
            addr, count = self.rng.choice(((addr + 1, count), (addr, 0)))
        self.read(addr, count, eop)
        return count

    def random_write(self, at: int, limit: int) -> int:
        """From `at` on, a command; returns where it ends."""
        room = random_size(self.rng, limit)
        last = self.rng.random() < 0.6
        # Without end of packet whole beats of the stream: the source sends no others.
        room += -room % (4 if last else self.size)
        count = self.rng.randint(1, room) if last else room
        if self.rng.random() < 0.03:
            self.write(at + 2, room, b"", True)
        self.write(at, room, self.rng.randbytes(count), last)
        return at + room + self.rng.choice((0, 4, 8, 12))

    async def check(self, limit: int = 400_000) -> None:
        await self.rd.wait(len(self.statuses), limit)
        await self.wr.wait(len(self.wr_statuses), limit)
        await ClockCycles(self.dut.clk_i, 4)
        assert self.dut.idle_o.value == 1
        for name, got, wanted in (("read", self.rd, self.statuses), ("write", self.wr, self.wr_statuses)):
            assert [(s.bytes, s.eop, s.error, s.tag) for s in got.statuses] == wanted, name
        assert len(self.sink.packets) == len(self.packets)
        for one, other in zip(self.sink.packets, self.packets, strict=True):
            assert len(one) == len(other)
            assert all(w is None or g == w for g, w in zip(one, other, strict=True))
        half = MEMORY // 2
        assert self.slave.memory[half:] == self.image[half:], "memory"
        assert self.slave.written[half:] == self.touched[half:], "every byte written once, no other"


@cocotb.test()
async def random_commands(dut: Any) -> None:
    """Reads of the lower half, writes of the upper one, at once; stalls of 0 to 40 % everywhere."""
    for number, share in enumerate((0.0, 0.15, 0.4)):
        bench = Bench(dut, seed(f"random{number}"), share, read_latency=5 + 20 * number, write_latency=4 + 9 * number)
        await bench.start(number > 0)
        budget, at = 24_000, MEMORY // 2
        while budget > 0:
            budget -= bench.random_read(4000 if budget > 8000 else 200) + 40
        while at < MEMORY - 6000:
            at = bench.random_write(at, 4000 if at < MEMORY - 20000 else 90)
        bench.read(0, 8)
        await bench.check()
        bench.stop()


@cocotb.test()
async def small_commands(dut: Any) -> None:
    """Every start in a beat by every short length, with and without end of packet, in a row."""
    bench = Bench(dut, seed("small"), 0.1, read_latency=7)
    await bench.start()
    at = MEMORY // 2
    for start in (0, 4):
        for count in range(1, 26):
            bench.read(64 + start, count)
            if count % 4 == 0:
                bench.read(128 + start, count, eop=False)
            at += -at % 8 + start
            bench.write(at, count + -count % 4, bench.rng.randbytes(count), True)
            at += count + -count % 4
            if count % bench.size == 0:
                at += -at % 8 + start
                bench.write(at, count, bench.rng.randbytes(count), False)
                at += count
    bench.read(0, 8)
    await bench.check()


@cocotb.test()
async def page_boundaries(dut: Any) -> None:
    """Commands that end at, start at, just miss and span 4 KiB, from either word of a beat."""
    bench = Bench(dut, seed("page"), read_latency=10)
    await bench.start()
    for page, (before, after) in enumerate(((1, 1), (2, 3), (33, 1), (1, 40), (1, 2000)), 1):
        bench.read(4096 * page - 4 * before, 4 * (before + after))
        middle = MEMORY // 2 + 4096 * page
        bench.write(middle - 4 * before, 4 * (before + after), bench.rng.randbytes(4 * (before + after)), True)
    await bench.check()


@cocotb.test()
async def stream_waits(dut: Any) -> None:
    """A thread that takes nothing holds up no bus channel; its writes go on. Without a command
    nothing of its stream is taken but what the mover holds."""
    bench = Bench(dut, seed("waits"), read_latency=3)
    await bench.start()
    bench.sink.enabled = False
    bench.read(4, 8000)
    for number in range(20):
        bench.write(MEMORY // 2 + 256 * number, 200, bench.rng.randbytes(200), True)
    await bench.wr.wait(20, 3000)
    assert sum(b.beats for b in bench.slave.log.reads) <= 128
    bench.sink.enabled = True
    await bench.check()
    taken = bench.source.taken
    bench.source.send(bytes(64), True)
    await ClockCycles(dut.clk_i, 50)
    assert bench.source.taken - taken <= (0 if bench.size == 4 else 1)


@cocotb.test()
async def errors(dut: Any) -> None:
    """A beat of a burst fails: the status has the bytes before it, packets stay whole."""
    bench = Bench(dut, seed("errors"), 0.1, read_latency=9)
    await bench.start()
    for case in range(24):
        count = bench.rng.randint(1, 300)
        addr = 1024 * case + 4 * bench.rng.randrange(4)
        at = bench.rng.randrange(addr & ~7, addr + count, 8)
        bench.errors[at] = bench.rng.choice((2, 3))
        bench.read(addr, count)
    for case in range(24):
        count = bench.rng.randint(1, 300)
        addr = MEMORY // 2 + 1024 * case + 4 * bench.rng.randrange(4)
        at = bench.rng.randrange(addr & ~7, addr + count, 8)
        code = bench.errors[at] = bench.rng.choice((2, 3))
        bench.wr(addr, bench.span(addr, count), tag=case & 1)
        bench.source.send(bench.rng.randbytes(count), True)
        # Bytes of the bursts (128 B) before the one that failed.
        moved = bench.span(addr, max((at & ~127) - addr, 0))
        bench.wr_statuses.append((moved, True, code, case & 1))
    await bench.rd.wait(24)
    await bench.wr.wait(24)
    bench.image[:] = bench.slave.memory
    bench.touched[:] = bench.slave.written
    await bench.check()


@cocotb.test()
async def halt(dut: Any) -> None:
    """A halt at any cycle: bursts issued end, nothing else is, and what follows is whole."""
    rng = seed("halt")
    for number in range(16):
        bench = Bench(dut, random.Random(rng.random()), rng.choice((0, 0.3)), read_latency=rng.choice((3, 30)))
        await bench.start(number > 0)
        at = MEMORY // 2
        for _ in range(6):
            bench.random_read(900)
            at = bench.random_write(at, 900)
        await ClockCycles(dut.clk_i, rng.randint(1, 400))
        dut.halt_i.value = 1
        bench.source.stop()
        dut.s_axis_tvalid.value = 0
        for _ in range(2000):
            await RisingEdge(dut.clk_i)
            if dut.idle_o.value == 1:
                break
        assert dut.idle_o.value == 1 and bench.slave.outstanding == 0
        assert dut.m_axis_tvalid.value == 0 and dut.s_axis_tready.value == 0
        for commands in (bench.rd, bench.wr):
            commands.queue.clear()
        await ClockCycles(dut.clk_i, 3)
        bench.stop()
        dut.halt_i.value = 0
        dut.rd_cmd_valid_i.value = 0
        dut.wr_cmd_valid_i.value = 0
        again = Bench(dut, random.Random(rng.random()), 0.1, read_latency=6)
        await ClockCycles(dut.clk_i, 4)
        at = MEMORY // 2 + 4
        for _ in range(4):
            again.random_read(300)
            at = again.random_write(at, 300)
        again.read(0, 8)
        await again.check()
        again.stop()


@cocotb.test()
async def rate(dut: Any) -> None:
    """Both directions at once, a beat of the narrower side a cycle; odd starts too."""
    least_count = 64 if parameters().get("StreamWidth", 32) == 32 else 128
    for number, (offset, count) in enumerate(((0, least_count), (0, 1024), (4, 1024), (4, 4096))):
        bench = Bench(dut, seed("rate"), read_latency=60, write_latency=40)
        await bench.start(number > 0)
        few = 8192 // count
        for i in range(few):
            bench.read(offset + i * count, count, eop=True)
            bench.write(MEMORY // 2 + offset + i * count, count, bench.rng.randbytes(count), True)
        await bench.check()
        for name, edges in (("read", bench.sink.beats), ("write", bench.source.beats)):
            counted = edges[len(edges) // 4 :]
            percent = 100 * (len(counted) - 1) / (counted[-1] - counted[0])
            # Memory's 8 bytes a cycle; an odd start costs the written words one cycle.
            most = min(100.0, 800 / bench.size)
            figure(f"{count} B at +{offset}, {name}", percent, least=(0.98 if offset else 0.999) * most)
        bench.stop()


@pytest.mark.parametrize(("width", "early"), [(32, 0), (32, 1), (64, 0), (128, 0)])
def test_sl_s2mem(width: int, early: int) -> None:
    run("sl_s2mem", {"StreamWidth": width, "CutThrough": early})


@pytest.mark.parametrize(
    ("config", "message"),
    [({"StreamWidth": 16}, "StreamWidth must be"), ({"AddrWidth": 63}, "AddrWidth must be")],
)
def test_refused(config: dict[str, int], message: str) -> None:
    run("sl_s2mem", config, expect_build_error=message)
