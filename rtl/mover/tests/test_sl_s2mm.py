# SPDX-License-Identifier: Apache-2.0
"""sl_s2mm against the reference: memory, statuses, bursts, early TLAST, errors, halt; rates and
latencies."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge
from reference import DECERR, INTERNAL, OKAY, SLVERR, bursts, is_bad, random_size

from tb import run, seed, stall
from tb.axi import AxiSlave, Stalls
from tb.command import Command, Commander, Status
from tb.figures import RATES, UNLIMITED, commands, figure, percent, rate_name
from tb.signals import reset
from tb.stalls import NO_STALL, parameters
from tb.stream import StreamSource

MEMORY = 1 << 18


def expected(
    commands: list[Command],
    packets: list[bytes],
    memory: bytearray,
    beat: int,
    max_burst: int,
    unaligned: bool,
    cut: bool,
    error: Callable[[int], int],
) -> tuple[list[Status], list[tuple[int, int]]]:
    """Writes into `memory` what the commands should; returns statuses and bursts. None of the
    packets may run out."""
    statuses, found = [], []
    rest = b""
    queue = list(packets)
    for command in commands:
        if is_bad(command, beat, unaligned):
            statuses.append(Status(0, False, INTERNAL, command.tag))
            continue
        rest = rest or queue.pop(0)
        part, rest = rest[: command.bytes], rest[command.bytes :]
        done, fault = 0, OKAY
        planned = bursts(command.addr, command.bytes, beat, max_burst)
        at = command.addr
        for addr, beats in planned:
            if at >= command.addr + len(part):
                break
            assert addr == at
            stop = min(command.addr + len(part), (addr - addr % beat) + beats * beat)
            used = (stop - 1) // beat - addr // beat + 1
            found.append((addr, beats if cut else used))
            worst = max(error(a) for a in range(addr - addr % beat, (addr - addr % beat) + found[-1][1] * beat, beat))
            for a in range(addr - addr % beat, stop, beat):
                low, high = max(a, addr), min(a + beat, stop)
                if error(a) < SLVERR:
                    memory[low:high] = part[low - command.addr : high - command.addr]
            if fault == OKAY:
                fault = worst
                done += stop - addr if worst == OKAY else 0
            at = stop
        statuses.append(Status(done, not rest, fault, command.tag))
    return statuses, found


class Bench:
    def __init__(self, dut: Any, rng: random.Random, share: float = 0.0, **slave: Any) -> None:
        self.dut = dut
        self.rng = rng
        p = parameters()
        self.beat = p.get("DataWidth", 64) // 8
        self.unaligned = bool(p.get("Unaligned", 0))
        self.cut = bool(p.get("CutThrough", 0))
        self.counted = bool(p.get("Counted", 0))
        self.max_burst = p.get("MaxBurst", 16)
        self.limit = (1 << p.get("LenWidth", 26)) - 1
        self.errors: dict[int, int] = {}

        def maybe(cause: float = 1.0) -> Any:
            return stall(random.Random(rng.random()), share * cause) if share else NO_STALL

        self.slave = AxiSlave(
            dut,
            memory=bytearray(rng.randbytes(MEMORY)),
            stalls=Stalls(aw=maybe(), w=maybe(), b=maybe()),
            error=lambda _, at: self.errors.get(at, OKAY),
            **slave,
        )
        self.before = bytearray(self.slave.memory)
        self.source = StreamSource(dut, stall=maybe())
        self.commands = Commander(dut, cmd_stall=maybe(0.5), sts_stall=maybe())
        self.sent: list[Command] = []
        self.packets: list[bytes] = []

    async def start(self, again: bool = False) -> None:
        self.dut.halt_i.value = 0
        await reset(self.dut, start_clock=not again)

    def stop(self) -> None:
        for part in (self.slave, self.source, self.commands):
            part.stop()

    def command(self, addr: int, count: int) -> None:
        self.commands(addr, count, True, len(self.sent) & 15)
        self.sent.append(self.commands.queue[-1])

    def packet(self, count: int) -> None:
        self.packets.append(self.rng.randbytes(count))
        self.source.send(self.packets[-1])

    async def check(self, limit: int = 400_000) -> None:
        await self.commands.wait(len(self.sent), limit)
        await ClockCycles(self.dut.clk_i, 4)
        assert self.dut.idle_o.value == 1 and self.slave.outstanding == 0
        statuses, found = expected(
            self.sent,
            self.packets,
            self.before,
            self.beat,
            self.max_burst,
            self.unaligned,
            self.cut,
            lambda at: self.errors.get(at, OKAY),
        )
        for got, want, command in zip(self.commands.statuses, statuses, self.sent, strict=True):
            got.edge = 0
            assert got == want, f"{command}: {got}, not {want}"
        assert [(b.addr, b.beats) for b in self.slave.log.writes] == found
        if self.before != self.slave.memory:
            at = next(i for i in range(MEMORY) if self.before[i] != self.slave.memory[i])
            raise AssertionError(f"memory differs from {at:#x} on")

    def random_traffic(self, budget: int, largest: int, bad: float = 0.03) -> None:
        """Packets of random sizes; commands that are as long and, if not Counted, longer or shorter
        (the next then gets the rest)."""
        while budget > 0:
            size = random_size(self.rng, min(largest, self.limit))
            self.packet(size)
            budget -= size + 100
            left = size
            while left > 0:
                kind = self.rng.random()
                if kind < 0.5 or self.counted:
                    count = left
                elif kind < 0.7:
                    count = min(left + self.rng.randint(1, 3 * self.beat * self.max_burst), self.limit)
                else:
                    count = self.rng.randint(1, left)
                    if not self.unaligned and count < left:
                        count += min(-count % self.beat, left - count)
                addr = self.rng.randrange(MEMORY - count)
                if not self.unaligned or self.rng.random() < 0.3:
                    addr -= addr % self.beat
                if self.rng.random() < bad:
                    self.command(addr, 0)
                self.command(addr, count)
                left -= count


@cocotb.test()
async def random_commands(dut: Any) -> None:
    """Random packets, commands and alignments; stalls of 10 to 40 % everywhere."""
    for number, share in enumerate((0.1, 0.25, 0.4)):
        bench = Bench(dut, seed(f"random{number}"), share, write_latency=5 + 30 * number)
        await bench.start(number > 0)
        bench.random_traffic(30_000 * bench.beat // 8, 8000)
        await bench.check()
        bench.stop()


@cocotb.test()
async def page_boundaries(dut: Any) -> None:
    """Commands that end at, start at, just miss and span 4 KiB boundaries; and one of 64 KiB."""
    bench = Bench(dut, seed("page"), write_latency=10)
    await bench.start()
    step = 1 if bench.unaligned else bench.beat
    for before in (0, 1, 2, 15, 16, 17):
        for after in (0, 1, 2, 16):
            if before + after:
                bench.command(4096 - before * step, (before + after) * step)
                bench.packet((before + after) * step)
    for addr, count in ((0, 4096), (4096 - step, 2 * step), (8192 - 64, 8192 + 128), (4096, 65536)):
        if count <= bench.limit:
            bench.command(addr, count)
            bench.packet(count)
    await bench.check()


@cocotb.test()
async def early_last(dut: Any) -> None:
    """Every packet length up to four bursts under a longer command (Counted: under one as long), at
    several offsets: the byte count is exact."""
    bench = Bench(dut, seed("early"), write_latency=8)
    await bench.start()
    window = bench.beat * bench.max_burst
    step = 1 if bench.beat <= 8 else 7
    for count in range(1, min(4 * bench.beat * min(bench.max_burst, 8), bench.limit), step):
        offset = bench.rng.randrange(bench.beat) if bench.unaligned else 0
        longer = count if bench.counted else min(count + window, bench.limit)
        bench.command(bench.rng.randrange(64) * bench.beat + offset, longer)
        bench.packet(count)
    await bench.check()


@cocotb.test()
async def queued_copies_at_offset(dut: Any) -> None:
    """Known failure of another engine: two queued 64 B transfers with destination offset 5."""
    bench = Bench(dut, seed("offset"), write_latency=20)
    await bench.start()
    offset = 5 if bench.unaligned else 0
    for i in range(2):
        bench.packet(64)
        bench.command(0x100 * i + offset, 64)
    await bench.check()


@cocotb.test()
async def ready_low_on_last(dut: Any) -> None:
    """Known failure of another engine: WREADY low on the last beat of a burst, for a while and
    every time."""
    bench = Bench(dut, seed("last"), write_latency=6)
    left = 0

    def low_on_last() -> bool:
        nonlocal left
        if dut.m_axi_wvalid.value == 1 and dut.m_axi_wlast.value == 1:
            left = (left + 1) % 4
            return left != 0
        return False

    bench.slave.stalls.w = low_on_last
    await bench.start()
    bench.random_traffic(6000, 2000)
    await bench.check()


@cocotb.test()
async def errors(dut: Any) -> None:
    """SLVERR and DECERR on any beat: the status claims exactly the bursts before it."""
    rng = seed("errors")
    bench = Bench(dut, rng, 0.15, write_latency=12)
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
        bench.packet(count)
        place += 64 * bench.beat
    await bench.check()


@cocotb.test()
async def halt(dut: Any) -> None:
    """Halt at random cycles: every issued burst completes legally, no byte outside the commands,
    then all is well."""
    rng = seed("halt")
    for number in range(14):
        bench = Bench(
            dut,
            random.Random(rng.random()),
            rng.choice((0, 0.3)),
            write_latency=rng.choice((3, 20, 60)),
        )
        await bench.start(number > 0)
        bench.random_traffic(4000, 1500)
        await ClockCycles(dut.clk_i, rng.randint(1, 12) if number % 3 == 0 else rng.randint(1, 400))
        dut.halt_i.value = 1
        bench.commands.queue.clear()
        for _ in range(3000):
            await RisingEdge(dut.clk_i)
            if dut.idle_o.value == 1:
                break
        assert dut.idle_o.value == 1
        assert bench.slave.outstanding == 0 and not bench.slave.early
        assert dut.m_axi_awvalid.value == 0 and dut.m_axi_wvalid.value == 0
        allowed = bytearray(MEMORY)
        for command in bench.sent:
            allowed[command.addr : command.addr + command.bytes] = b"\1" * command.bytes
        assert all(a or not w for a, w in zip(allowed, bench.slave.written, strict=True))
        bench.stop()
        dut.s_axis_tvalid.value = 0
        dut.cmd_valid_i.value = 0
        await ClockCycles(dut.clk_i, 1)
        dut.halt_i.value = 0
        await ClockCycles(dut.clk_i, 2)
        after = Bench(dut, random.Random(rng.random()), write_latency=5)
        after.random_traffic(1000, 500)
        await after.check()
        after.stop()


@cocotb.test()
async def halt_keeps_a_waiting_address(dut: Any) -> None:
    """AWVALID that waits at the halt stays until taken, that burst gets all its beats, and no other
    burst follows."""
    bench = Bench(dut, seed("wait"), write_latency=9)
    held = True
    bench.slave.stalls.aw = lambda: held
    await bench.start()
    bench.command(0, 40 * bench.beat)
    bench.packet(40 * bench.beat)
    bench.command(4096, 64)
    bench.packet(64)
    while dut.m_axi_awvalid.value == 0:
        await RisingEdge(dut.clk_i)
    await ClockCycles(dut.clk_i, 3)
    dut.halt_i.value = 1
    await ClockCycles(dut.clk_i, 30)
    assert dut.m_axi_awvalid.value == 1
    assert dut.idle_o.value == 0
    held = False
    while dut.idle_o.value == 0:
        await RisingEdge(dut.clk_i)
    await ClockCycles(dut.clk_i, 30)
    assert len(bench.slave.log.writes) == len(bench.slave.log.b_edges) == 1
    assert len(bench.slave.log.w_beats) == bench.slave.log.writes[0].beats
    assert not bench.commands.statuses


@cocotb.test()
async def blocked_memory(dut: Any) -> None:
    """No data, no address, no response taken for long: the buffer, then the queues of addresses and
    responses fill up; nothing is lost."""
    p = parameters()
    bench = Bench(dut, seed("blocked"), write_latency=3)
    held = {"w": True, "aw": False, "b": False}
    bench.slave.stalls = Stalls(*(lambda c=c: held.get(c, False) for c in ("ar", "r", "aw", "w", "b")))
    await bench.start()
    size = min(700 * bench.beat, bench.limit & ~63)
    bench.command(64, size)
    bench.packet(size)
    await ClockCycles(dut.clk_i, 1000)
    # Up to 62 bursts, or the buffer's 512 beats; the first burst is a short one.
    assert bench.source.taken >= min(p["BufferBeats"] - 64, 60 * bench.max_burst, size // bench.beat)
    assert dut.s_axis_tready.value == 0 or not bench.source.queue
    held.update(w=False)
    for i in range(150):
        bench.command(128 * i, bench.beat)
        bench.packet(bench.beat)
    for channel in ("aw", "b", "w"):
        await ClockCycles(dut.clk_i, 900 if channel == "aw" else 40)
        held[channel] = True
        await ClockCycles(dut.clk_i, 200)
        held[channel] = False
    await bench.check()


async def causes(dut: Any, cycles: int) -> Counter[str]:
    """Counts W beats and causes of cycles without one. Every cycle is exactly one of them."""
    count: Counter[str] = Counter()
    beat = None
    for _ in range(cycles):
        await ReadOnly()
        names = ("addr", "space", "data", "resp")
        found = [c for c in names if getattr(dut, f"stall_{c}_o").value == 1]
        if beat is not None:
            assert len(found) == 1 - beat, f"stalls {found}, beat {beat}"
            count.update(found or ["beat"])
        beat = int(dut.m_axi_wvalid.value & dut.m_axi_wready.value)
        await RisingEdge(dut.clk_i)
    return count


@cocotb.test()
async def stall_causes(dut: Any) -> None:
    """Each cause alone: no command; no stream; AWREADY low; WREADY low; B withheld, by the last
    command and until no burst may start. Then all mixed: the sum holds."""
    bench = Bench(dut, seed("causes"), write_latency=9)
    held = {"aw": False, "w": False, "b": False}
    bench.slave.stalls.aw = lambda: held["aw"]
    bench.slave.stalls.w = lambda: held["w"]
    bench.slave.stalls.b = lambda: held["b"]
    await bench.start()
    size = min(bench.limit & ~63, 16 * bench.beat)
    assert set(await causes(dut, 40)) == {"data"}
    bench.command(0, size)
    await ClockCycles(dut.clk_i, 6)
    assert set(await causes(dut, 40)) == {"data"}
    held["aw"] = held["w"] = True
    bench.packet(size)
    await ClockCycles(dut.clk_i, 40)
    assert set(await causes(dut, 40)) == {"addr"}
    held["aw"] = False
    await ClockCycles(dut.clk_i, 6)
    assert set(await causes(dut, 40)) == {"space"}
    held["w"], held["b"] = False, True
    await ClockCycles(dut.clk_i, 80)
    assert set(await causes(dut, 40)) == {"resp"}
    held["b"] = False
    await bench.check()
    await ClockCycles(dut.clk_i, 4)
    assert set(await causes(dut, 40)) == {"data"}
    held["b"] = True
    for _ in range(300):
        bench.command(0, bench.beat)
        bench.packet(bench.beat)
    await ClockCycles(dut.clk_i, 1000)
    assert set(await causes(dut, 40)) == {"resp"}
    held["b"] = False
    await bench.check()
    bench.stop()
    bench = Bench(dut, seed("mixed"), 0.3, write_latency=20)
    await bench.start(True)
    bench.random_traffic(20_000, 3000)
    assert set(await causes(dut, 1500)) >= {"beat", "addr", "space", "data"}
    await bench.check()


async def rate(
    dut: Any,
    count: int,
    latency: int,
    few: int,
    least: float,
    offset: int = 0,
    max_writes: int = UNLIMITED,
    again: bool = True,
) -> None:
    """W beats of `few` commands, or (not at an offset) of as many as the bench asks for; of those of
    a command that its offset makes one more, the stream's count."""
    bench = Bench(dut, seed("rate"), write_latency=latency, max_writes=max_writes)
    await bench.start(again)
    for i in range(few if offset else commands(few, count)):
        bench.command(
            (i * (count + 64 * bool(count % 128))) % (MEMORY - count - 128) // 64 * 64 + offset,
            count,
        )
        bench.packet(count)
    await bench.check(3_000_000)
    bench.stop()
    name = rate_name(count, latency, offset, max_writes)
    touched = (offset + count - 1) // bench.beat + 1
    figure(name, percent(bench.slave.log.w_beats, touched, -(-count // bench.beat)), least=least)


@cocotb.test()
async def throughput(dut: Any) -> None:
    """The header's rates; issue table 64 B, 256 B, 1 KiB, 64 KiB at latencies 20 and 120."""
    p = parameters()
    if p.get("DataWidth", 64) != 64:
        await rate(dut, 64, 20, 200, 98, again=False)
        return
    for count, latency, few in RATES:
        await rate(dut, count, latency, few, 99.9, again=(count, latency) != (64, 20))
    # Eight bursts of 16 beats outstanding and 120 cycles to the response: 128 beats in 136 cycles
    # at most.
    await rate(dut, 128, 120, 150, 94, max_writes=8)
    if p.get("Unaligned"):
        for offset in (1, 5, 7):
            await rate(dut, 64, 20, 150, 100 * 8 / 9 - 0.2, offset)
            await rate(dut, 1024, 120, 60, 100 * 128 / 129 - 0.2, offset)


@cocotb.test()
async def latency(dut: Any) -> None:
    """Exact cycles of one transfer of 64 B with WLAST-to-B 20, stream waiting, from command to
    status."""
    p = parameters()
    bench = Bench(dut, seed("latency"), write_latency=20)
    await bench.start()
    beats = 64 // bench.beat
    for _ in range(2):
        bench.packet(64)
        await ClockCycles(dut.clk_i, 10)
        bench.commands.taken_edges.clear()
        bench.command(4096, 64)
        await bench.commands.wait(len(bench.sent))
        total = bench.commands.statuses[-1].edge - bench.commands.taken_edges[0]
        wait = 2 if p.get("CutThrough") else max(4, 1 + beats)  # at least 3 through the RAM
        assert total == wait + bool(p.get("Unaligned")) + beats - 1 + 20 + 1, total
        await ClockCycles(dut.clk_i, 5)
    figure("one of 64 B, L=20: status", total)


@pytest.mark.parametrize(
    ("width", "unaligned", "cut", "burst", "length", "buffer"),
    [
        (64, 0, 0, 16, 26, 512),
        (64, 1, 0, 16, 26, 512),
        (64, 1, 1, 16, 26, 512),
        (64, 0, 1, 16, 26, 512),
        (32, 1, 0, 256, 14, 512),
        (128, 1, 1, 4, 20, 512),
        (512, 1, 0, 64, 26, 128),
    ],
)
def test_sl_s2mm(width: int, unaligned: int, cut: int, burst: int, length: int, buffer: int) -> None:
    run(
        "sl_s2mm",
        {
            "DataWidth": width,
            "Unaligned": unaligned,
            "CutThrough": cut,
            "MaxBurst": burst,
            "LenWidth": length,
            "BufferBeats": buffer,
        },
    )


@pytest.mark.parametrize(("width", "unaligned", "cut", "length"), [(64, 0, 0, 26), (64, 1, 1, 26), (32, 1, 0, 14)])
def test_counted(width: int, unaligned: int, cut: int, length: int) -> None:
    run(
        "sl_s2mm",
        {
            "DataWidth": width,
            "Unaligned": unaligned,
            "CutThrough": cut,
            "LenWidth": length,
            "BufferBeats": 512,
            "Counted": 1,
        },
    )


def test_refuses_width() -> None:
    run(
        "sl_s2mm",
        {"BufferBeats": 64},
        expect_build_error="BufferBeats must be",
    )
