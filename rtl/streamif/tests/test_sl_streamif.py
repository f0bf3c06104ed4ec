# SPDX-License-Identifier: Apache-2.0
"""sl_streamif as software and threads see it: commands, statuses, windows, faults, routes, halts;
four threads on two ports, stalls everywhere, no word lost, doubled or anyone else's. And sl_memif,
which has the same control and streams, on its one port."""

from __future__ import annotations

import random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge
from sluice_regs import sl_streamif as regs
from sluice_regs import sl_streamif_channel as chan

from tb import run, seed, stall
from tb.axi import DECERR, OKAY, SLVERR, AxiSlave, Stalls
from tb.axil import AxiLite
from tb.signals import Cycles, reader, reset
from tb.stalls import NO_STALL, parameters
from tb.stream import StreamSink, StreamSource

BENCH = ["streamif/tests/streamif_bench.sv"]
THREADS, DEPTH = 4, 8
AREA = 1 << 14  # of memory, a thread's: the lower half is read, the upper one written
INTERNAL = 1


class Channel:
    """One direction of one thread, as software drives it."""

    def __init__(self, bench: Bench, thread: int, write: bool) -> None:
        self.bus = bench.bus
        self.number = 2 * thread + int(write)
        self.base = 0x1000 + 0x80 * self.number
        self.queued = 0
        self.known = 0
        self.statuses: list[tuple[int, bool, int, bool]] = []  # bytes, eop, error, refused

    async def push(self, addr: int, count: int, eop: bool = True, irq: bool = False) -> None:
        while self.queued - self.known >= DEPTH:
            await self.poll()
        await self.bus.write(self.base + chan.QUEUE_ADDR_OFFSET, addr)
        await self.bus.write(self.base + chan.QUEUE_COMMAND_OFFSET, count | irq << 30 | eop << 31)
        self.queued += 1

    async def poll(self) -> None:
        """Takes the statuses that are there."""
        state = await self.bus.read(self.base + chan.QUEUE_STATE_OFFSET)
        assert state & 15 == self.queued & 15 and not state >> 16
        while self.known & 15 != state >> 8 & 15:
            value = await self.bus.read(self.base + chan.QUEUE_STATUS0_OFFSET + 4 * (self.known % DEPTH))
            self.statuses.append((value & 0x7FFFFFF, bool(value >> 29 & 1), value >> 30, bool(value >> 28 & 1)))
            self.known += 1

    async def wait(self, limit: int = 3000) -> list[tuple[int, bool, int, bool]]:
        for _ in range(limit):
            if self.known == self.queued:
                return self.statuses
            await self.poll()
        raise AssertionError(f"channel {self.number}: {self.known} of {self.queued} statuses")

    async def totals(self) -> tuple[int, int]:
        low = await self.bus.read(self.base + chan.QUEUE_BYTES_LO_OFFSET)
        high = await self.bus.read(self.base + chan.QUEUE_BYTES_HI_OFFSET)
        return await self.bus.read(self.base + chan.QUEUE_DONES_OFFSET), high << 32 | low

    def forget(self) -> None:
        self.queued = self.known = 0
        self.statuses.clear()


class Bench:
    def __init__(self, dut: Any, label: str, share: float = 0.0, latency: int = 12) -> None:
        self.dut = dut
        self.rng = seed(label)
        self.errors: dict[int, int] = {}
        self.memif = bool(int(parameters()["Memif"]))
        self.ports = 1 if self.memif else 2

        def maybe(cause: float = 1.0) -> Any:
            return stall(random.Random(self.rng.random()), share * cause) if share else NO_STALL

        self.memory = bytearray(self.rng.randbytes(THREADS * AREA))
        self.before = bytes(self.memory)
        self.slaves = [
            AxiSlave(
                dut,
                f"m{port}",
                self.memory,
                stalls=Stalls(maybe(), maybe(), maybe(), maybe(), maybe()),
                error=lambda _, at: self.errors.get(at, OKAY),
                read_latency=latency,
                write_latency=latency,
                max_burst=16,
            )
            for port in range(self.ports)
        ]
        self.sinks = [StreamSink(dut, f"to{t}", maybe()) for t in range(THREADS)]
        self.sources = [StreamSource(dut, f"from{t}", maybe()) for t in range(THREADS)]
        self.bus = AxiLite(dut, maybe(0.3))
        self.reads = [Channel(self, t, False) for t in range(THREADS)]
        self.writes = [Channel(self, t, True) for t in range(THREADS)]
        self.irq = reader(dut.irq_o)

    async def start(self, windows: bool = True) -> None:
        await reset(self.dut)
        if windows:
            for t in range(THREADS):
                await self.window(t, 0, t * AREA, t * AREA + AREA // 2 - 1, read=True)
                await self.window(t, 1, t * AREA + AREA // 2, (t + 1) * AREA - 1, write=True)

    async def window(
        self, thread: int, number: int, base: int, limit: int, read: bool = False, write: bool = False
    ) -> None:
        await self.bus.write(regs.WINDOW_BASE_OFFSET, base)
        await self.bus.write(regs.WINDOW_LIMIT_OFFSET, limit)
        await self.bus.write(
            regs.WINDOW_SET_OFFSET, thread | number << 8 | int(read) << 16 | int(write) << 17 | 1 << 31
        )
        while await self.bus.read(regs.WINDOW_SET_OFFSET) >> 31:
            pass

    async def route(self, thread: int, source: int, direct: bool = True) -> None:
        await self.bus.write(regs.ROUTE_SET_OFFSET, thread | source << 8 | int(direct) << 16 | 1 << 31)

    async def halt(self, threads: int) -> None:
        """Halts the threads of these bits until they are idle; their sources and sinks are reset."""
        await self.bus.write(regs.HALT_OFFSET, threads)
        for _ in range(2000):
            if await self.bus.read(regs.IDLE_OFFSET) & threads == threads:
                break
        else:
            raise AssertionError(f"idle: {await self.bus.read(regs.IDLE_OFFSET):#x}")
        assert int(self.dut.thread_rst_no.value) == 15 & ~threads
        for t in range(THREADS):
            if threads >> t & 1:
                self.sources[t].stop()
                getattr(self.dut, f"from{t}_tvalid").value = 0
                self.sources[t] = StreamSource(self.dut, f"from{t}")
                self.sinks[t].part.clear()
                self.reads[t].forget()
                self.writes[t].forget()
        await self.bus.write(regs.HALT_OFFSET, 0)
        await ClockCycles(self.dut.clk_i, 4)

    def untouched(self) -> None:
        """No thread's lower half was written, by whomsoever."""
        for t in range(THREADS):
            half = slice(t * AREA, t * AREA + AREA // 2)
            assert self.memory[half] == self.before[half]


async def traffic(bench: Bench, thread: int, commands: int, rng: random.Random) -> None:
    """Random commands of both directions of a thread; at the end all are as they have to be."""
    base = thread * AREA
    packets: list[bytes] = []
    part = b""
    wanted_r: list[tuple[int, bool, int, bool]] = []
    wanted_w: list[tuple[int, bool, int, bool]] = []
    written: list[tuple[int, bytes]] = []
    at = base + AREA // 2
    had = len(bench.sinks[thread].packets)
    old = [len(c.statuses) for c in (bench.reads[thread], bench.writes[thread])]
    for number in range(commands):
        count = 4 * rng.choice((1, 2, 3, 15, 16, 17, 33, 100, rng.randint(1, 250)))
        eop = number == commands - 1 or rng.random() < 0.7
        addr = base + 4 * rng.randrange((AREA // 2 - count) // 4)
        await bench.reads[thread].push(addr, count, eop)
        part += bench.memory[addr : addr + count]
        wanted_r.append((count, eop, 0, False))
        if eop:
            packets.append(part)
            part = b""
        room = 4 * rng.randint(1, 100)
        if at + room > base + AREA:
            at = base + AREA // 2 + 4 * (number & 1)
        data = rng.randbytes(rng.randint(1, room))
        bench.sources[thread].send(data)
        await bench.writes[thread].push(at, room)
        written.append((at, data))
        wanted_w.append((len(data), True, 0, False))
        at += room
    assert (await bench.reads[thread].wait())[old[0] :] == wanted_r
    assert (await bench.writes[thread].wait())[old[1] :] == wanted_w
    await ClockCycles(bench.dut.clk_i, 20)
    assert bench.sinks[thread].packets[had:] == packets
    image = bytearray(bench.before[base : base + AREA])
    for addr, data in written:
        image[addr - base : addr - base + len(data)] = data
    if not old[1]:
        assert bench.memory[base : base + AREA] == image


@cocotb.test()
async def threads_together(dut: Any) -> None:
    """All threads at once, both directions, without stalls, and with them on every interface."""
    bench = Bench(dut, "together", 0.2, latency=25)
    await bench.start()
    assert await bench.bus.read(regs.IDENTITY_OFFSET) == 0x534C5349
    config = await bench.bus.read(regs.CONFIG_OFFSET)
    assert config == THREADS | bench.ports << 8 | 4 << 16 | 26 << 24
    # The control port has one master: the threads' software takes turns at it.
    for thread in range(THREADS):
        await traffic(bench, thread, 12, seed(f"thread{thread}"))
    rng = seed("mixed")
    wanted: list[list[bytes]] = [[] for _ in range(THREADS)]
    had = [len(s.packets) for s in bench.sinks]
    for number in range(6 * THREADS):
        t = number % THREADS
        count = 4 * rng.randint(1, 400)
        addr = t * AREA + 4 * rng.randrange((AREA // 2 - count) // 4)
        await bench.reads[t].push(addr, count)
        wanted[t].append(bytes(bench.memory[addr : addr + count]))
        data = rng.randbytes(4 * rng.randint(1, 300))
        bench.sources[t].send(data)
        await bench.writes[t].push(t * AREA + AREA // 2, AREA // 2)
    for t in range(THREADS):
        for status in (await bench.reads[t].wait(), await bench.writes[t].wait()):
            assert all(s[2] == 0 and not s[3] for s in status)
    await ClockCycles(dut.clk_i, 100)
    for t in range(THREADS):
        assert bench.sinks[t].packets[had[t] :] == wanted[t]
        dones, total = await bench.reads[t].totals()
        assert (dones, total) == (18, sum(s[0] for s in bench.reads[t].statuses))
    bench.untouched()
    assert await bench.bus.read(regs.IDLE_OFFSET) == 15
    assert await bench.bus.read(regs.FAULT_OFFSET) == 0


@cocotb.test()
async def windows(dut: Any) -> None:
    """Before any window is set nothing passes. Then each bound, one beat inside and outside, the
    rights, a neighbour's window, the last address; in their turn among others, with no burst."""
    bench = Bench(dut, "windows")
    await bench.start(windows=False)
    read, write = bench.reads[1], bench.writes[1]
    await read.push(AREA, 4)
    assert await read.wait() == [(0, False, INTERNAL, True)]
    assert not any(s.log.reads for s in bench.slaves)
    await bench.window(1, 2, AREA + 64, AREA + 127, read=True)
    await bench.window(1, 3, AREA + 128, AREA + 255, read=True, write=True)
    await bench.window(2, 0, 0, 0xFFFFFFFF, read=True, write=True)
    await bench.window(1, 1, 0xFFFFFF00, 0xFFFFFFFF, read=True)
    cases = [
        (AREA + 64, 64, True),
        (AREA + 60, 8, False),
        (AREA + 124, 4, True),
        (AREA + 124, 8, False),  # in two windows
        (AREA + 128, 128, True),
        (AREA + 128, 129, False),
        (AREA + 252, 4, True),
        (AREA + 256, 4, False),
        (0xFFFFFFFC, 8, False),
        (0, 4, False),
    ]
    wanted = []
    for addr, count, good in cases:
        await read.push(addr, count)
        wanted.append((count, True, 0, False) if good else (0, False, INTERNAL, True))
    assert (await read.wait())[1:] == wanted
    await ClockCycles(dut.clk_i, 60)
    assert [len(p) for p in bench.sinks[1].packets] == [c for _, c, good in cases if good]
    assert sum(len(s.log.reads) for s in bench.slaves) == sum(1 for c in cases if c[2])
    bench.sources[1].send(b"12345678")
    await write.push(AREA + 64, 8)
    await write.push(AREA + 160, 8)
    assert await write.wait() == [(0, False, INTERNAL, True), (8, True, 0, False)]
    assert bench.memory[AREA + 160 : AREA + 168] == b"12345678"
    assert sum(len(s.log.writes) for s in bench.slaves) == 1
    # Revoked again.
    await bench.window(1, 3, AREA + 128, AREA + 255)
    await read.push(AREA + 128, 4)
    assert (await read.wait())[-1][3]


@cocotb.test()
async def faults(dut: Any) -> None:
    """The record is of the first refused command, with its interrupt, until it is cleared."""
    bench = Bench(dut, "faults", 0.1)
    await bench.start()
    assert int(dut.fault_irq_o.value) == 0
    await bench.bus.write(regs.FAULT_IRQ_OFFSET, 1)
    await bench.writes[3].push(4096, 100)
    await bench.reads[2].push(0, 8)
    await bench.writes[3].wait()
    await bench.reads[2].wait()
    assert int(dut.fault_irq_o.value) == 1
    assert await bench.bus.read(regs.FAULT_OFFSET) == 1 | 1 << 1 | 3 << 4 | 2 << 16
    assert await bench.bus.read(regs.FAULT_ADDR_OFFSET) == 4096
    assert await bench.bus.read(regs.FAULT_BYTES_OFFSET) == 100
    await bench.bus.write(regs.FAULT_OFFSET, 1)
    assert int(dut.fault_irq_o.value) == 0
    await bench.reads[2].push(12, 4)
    await bench.reads[2].wait()
    assert await bench.bus.read(regs.FAULT_OFFSET) == 1 | 2 << 4 | 3 << 16
    assert await bench.bus.read(regs.FAULT_ADDR_OFFSET) == 12


@cocotb.test()
async def fault_while_cleared(dut: Any) -> None:
    """A fault in the very cycle in which software clears the one before: the record is of the new one."""
    bench = Bench(dut, "cleared")
    await bench.start()
    for turn in range(200):
        await bench.writes[3].push(4096, 100)
        await bench.writes[3].wait()
        await bench.reads[2].push(12, 4)
        await ClockCycles(dut.clk_i, bench.rng.randrange(1, 25))
        await bench.bus.write(regs.FAULT_OFFSET, 1)
        await bench.reads[2].wait()
        if await bench.bus.read(regs.FAULT_OFFSET) & 1:
            assert await bench.bus.read(regs.FAULT_ADDR_OFFSET) == 12, f"turn {turn}"
        await bench.bus.write(regs.FAULT_OFFSET, 1)


@cocotb.test()
async def lost_commands(dut: Any) -> None:
    """What comes while the queue is full is lost, and takes the place of none that was accepted, however quickly
    the queue empties."""
    bench = Bench(dut, "lost")
    await bench.start()
    channel = bench.reads[1]
    await bench.bus.write(channel.base + chan.QUEUE_ADDR_OFFSET, AREA)
    longest = 0
    for _ in range(800):
        words = 0  # of most: they are done at once
        if bench.rng.random() < 0.2:
            words = longest = longest + 1
        await bench.bus.write(channel.base + chan.QUEUE_COMMAND_OFFSET, 4 * words | 1 << 31)
    await ClockCycles(dut.clk_i, 5000)
    lengths = [len(packet) for packet in bench.sinks[1].packets if packet]
    assert lengths == sorted(set(lengths)), lengths
    assert len(lengths) > 10, lengths
    assert await bench.bus.read(channel.base + chan.QUEUE_STATE_OFFSET) >> 16 & 1


@cocotb.test()
async def interrupts(dut: Any) -> None:
    """A channel's line rises for a command that asked, or failed, and for no other; a full queue."""
    bench = Bench(dut, "interrupts")
    await bench.start()
    await bench.bus.write(regs.IRQ_ENABLE_OFFSET, 0x7F)
    await bench.reads[0].push(0, 64)
    await bench.reads[0].wait()
    assert bench.irq() == 0
    await bench.reads[0].push(0, 64, irq=True)
    await bench.reads[0].wait()
    assert bench.irq() == 1 and await bench.bus.read(regs.IRQ_PENDING_OFFSET) == 1
    await bench.bus.write(regs.IRQ_CLEAR_OFFSET, 1)
    await ClockCycles(dut.clk_i, 2)  # from the write's answer on
    assert bench.irq() == 0
    bench.errors[2 * AREA] = SLVERR
    await bench.reads[2].push(2 * AREA, 64)
    assert await bench.reads[2].wait() == [(0, True, SLVERR, False)]
    await bench.writes[3].push(0, 4)  # refused; its line is not enabled
    await bench.writes[3].wait()
    assert bench.irq() == 1 << 4
    assert await bench.bus.read(regs.IRQ_PENDING_OFFSET) == 1 << 4 | 1 << 7
    await bench.bus.write(regs.IRQ_CLEAR_OFFSET, 1 << 7)
    await ClockCycles(dut.clk_i, 2)
    assert await bench.bus.read(regs.IRQ_PENDING_OFFSET) == 1 << 4 and bench.irq() == 1 << 4
    bench.sinks[1].enabled = False
    base = bench.reads[1].base
    await bench.bus.write(base + chan.QUEUE_ADDR_OFFSET, AREA)
    for _ in range(DEPTH + 1):
        await bench.bus.write(base + chan.QUEUE_COMMAND_OFFSET, 1024 | 1 << 31)
    state = await bench.bus.read(base + chan.QUEUE_STATE_OFFSET)
    assert state == DEPTH | 1 << 16
    assert await bench.bus.read(base + chan.QUEUE_ADDR_OFFSET) == AREA
    bench.sinks[1].enabled = True
    await ClockCycles(dut.clk_i, 8 * 500)
    assert len(bench.sinks[1].packets) == DEPTH


@cocotb.test()
async def stuck_thread(dut: Any) -> None:
    """A thread that takes nothing and sends nothing, with commands queued both ways, holds up none
    of the others, its port's neighbour included."""
    bench = Bench(dut, "stuck", 0.1)
    await bench.start()
    bench.sinks[0].enabled = False
    for _ in range(DEPTH):
        await bench.reads[0].push(0, 2000)
        await bench.writes[0].push(AREA // 2, 2000)
    for thread in (1, 2, 3):
        await traffic(bench, thread, 6, seed(f"beside{thread}"))
    bench.sinks[0].enabled = True
    bench.sources[0].send(bytes(2000 * DEPTH))
    assert all(s == (2000, True, 0, False) for s in await bench.reads[0].wait())
    assert [s[0] for s in await bench.writes[0].wait()] == [2000] * DEPTH


@cocotb.test()
async def halts(dut: Any) -> None:
    """A thread is halted at any moment while the others run; it then starts anew. Nobody's data
    suffers."""
    bench = Bench(dut, "halts", 0.15, latency=20)
    await bench.start()
    for number in range(6):
        victim = number % THREADS
        for t in range(THREADS):
            for n in range(2):
                await bench.reads[t].push(t * AREA + 4 * n, 1200 + 4 * number)
                bench.sources[t].send(bytes([t + 16 * number]) * 900)
                await bench.writes[t].push(t * AREA + AREA // 2 + 1024 * n, 1000)
        await ClockCycles(dut.clk_i, bench.rng.randint(1, 300))
        await bench.halt(1 << victim)
        for t in range(THREADS):
            if t == victim:
                continue
            await bench.reads[t].wait()
            for status in await bench.writes[t].wait():
                assert status[1:] == (True, 0, False)
            await ClockCycles(dut.clk_i, 30)
            assert bench.sinks[t].packets[-1] == bench.before[t * AREA + 4 : t * AREA + 4 + 1200 + 4 * number]
            got = bench.memory[t * AREA + AREA // 2 + 1024 :][:900]
            assert got == bytes([t + 16 * number]) * 900
        await bench.reads[victim].push(victim * AREA, 40)
        assert await bench.reads[victim].wait() == [(40, True, 0, False)]
        await ClockCycles(dut.clk_i, 20)
        assert bench.sinks[victim].packets[-1] == bench.before[victim * AREA : victim * AREA + 40]
    bench.untouched()


@cocotb.test()
async def errors_of_one(dut: Any) -> None:
    """Memory fails beats of one thread, reads and writes; its statuses tell, the others' data and
    its own next command do not know."""
    bench = Bench(dut, "errors", 0.1)
    await bench.start()
    victim = 2
    base = victim * AREA
    for number in range(6):
        read_at = base + 8 * bench.rng.randrange(100)
        write_at = base + AREA // 2 + 8 * bench.rng.randrange(100)
        bench.errors = {read_at: SLVERR, write_at: DECERR}
        await bench.reads[victim].push(base, 808)
        bench.sources[victim].send(bytes(808))
        await bench.writes[victim].push(base + AREA // 2, 808)
        for t in (0, 1, 3):
            await bench.reads[t].push(t * AREA + 4 * number, 600)
            bench.sources[t].send(bytes([t + 16 * number]) * 500)
            await bench.writes[t].push(t * AREA + AREA // 2, 600)
        failed = await bench.reads[victim].wait()
        assert failed[-1] == (read_at - base, True, SLVERR, False)
        # A write tells the bytes of the bursts (128 B) before the one that failed.
        failed = await bench.writes[victim].wait()
        assert failed[-1] == (write_at - base - AREA // 2 & ~127, True, DECERR, False)
        for t in (0, 1, 3):
            assert (await bench.reads[t].wait())[-1] == (600, True, 0, False)
            assert (await bench.writes[t].wait())[-1] == (500, True, 0, False)
            await ClockCycles(dut.clk_i, 20)
            at = t * AREA + 4 * number
            assert bench.sinks[t].packets[-1] == bench.before[at : at + 600]
            at = t * AREA + AREA // 2
            assert bench.memory[at : at + 500] == bytes([t + 16 * number]) * 500
    bench.errors = {}
    await bench.reads[victim].push(base, 40)
    assert (await bench.reads[victim].wait())[-1] == (40, True, 0, False)


@cocotb.test()
async def routes(dut: Any) -> None:
    """Threads pass streams on directly, while others use memory; then memory again."""
    bench = Bench(dut, "routes", 0.2)
    if bench.memif:
        return  # it has none
    await bench.start()
    await bench.route(1, 0)
    await bench.route(0, 3)
    payloads = [bench.rng.randbytes(4 * n + 3) for n in (1, 40, 200)]
    for payload in payloads:
        bench.sources[0].send(payload)
        bench.sources[3].send(payload[::-1])
    await traffic(bench, 2, 6, seed("beside"))
    await ClockCycles(dut.clk_i, 600)
    assert bench.sinks[1].packets == payloads
    assert bench.sinks[0].packets == [p[::-1] for p in payloads]
    assert not any(w.addr // AREA in (0, 3) for s in bench.slaves for w in s.log.writes)
    await bench.halt(0b1011)
    for sink in bench.sinks:
        sink.packets.clear()
    await bench.route(1, 0, False)
    await bench.route(0, 0, False)
    for t in (0, 1, 3):
        await traffic(bench, t, 4, seed(f"back{t}"))


@cocotb.test()
async def fair_share(dut: Any) -> None:
    """Two threads on a port that gives less than they want: when one has all of its data the other
    has most of it, though it began later. That no burst waits for more than one of the other,
    sl_port_share watches itself."""
    bench = Bench(dut, "fair", latency=10)
    bench.slaves[0].stalls.r = stall(bench.rng, 0.6)
    await bench.start()
    for t in range(2):
        for _ in range(4):
            await bench.reads[t].push(t * AREA, 4096)
    for _ in range(20_000):
        await RisingEdge(dut.clk_i)
        if any(len(bench.sinks[t].packets) == 4 for t in range(2)):
            break
    words = [len(bench.sinks[t].beats) for t in range(2)]
    assert max(words) == 4096 and min(words) >= 3000, words


@cocotb.test()
async def turns(dut: Any) -> None:
    """While addresses of both directions wait at all times, new ones of one direction alone come to
    the ports for TURNS.CYCLES, then of the other; 0 and 1: as they come. A change holds at once."""
    bench = Bench(dut, "turns")
    if bench.memif:
        return  # it has none
    for slave in bench.slaves:
        # So that memory asks for less than the streams carry: then both directions always wait.
        slave.stalls.ar, slave.stalls.aw = stall(bench.rng, 0.95), stall(bench.rng, 0.95)
    await bench.start()
    assert await bench.bus.read(regs.TURNS_OFFSET) == regs.TURNS_DEFAULT == 128
    for thread in range(THREADS):
        for _ in range(DEPTH):
            bench.sources[thread].send(bytes(AREA // 2))
            await bench.writes[thread].push(thread * AREA + AREA // 2, AREA // 2)
            await bench.reads[thread].push(thread * AREA, AREA // 2)
    signals = {
        (port, way): (reader(getattr(dut, f"m{port}_{way}valid")), reader(getattr(dut, f"m{port}_{way}ready")))
        for port in range(bench.ports)
        for way in ("ar", "aw")
    }

    async def switches(cycles: int) -> int:
        """How often the addresses that are new at a port are of another direction than before."""
        stands = dict.fromkeys(signals, True)
        last, count = "", 0
        for _ in range(cycles):
            await ReadOnly()
            now = set()
            for (port, way), (valid, ready) in signals.items():
                if valid() and not stands[port, way]:
                    now.add(way)
                stands[port, way] = bool(valid()) and not ready()
            for way in sorted(now, key=lambda way: way != last):
                count += bool(last) and way != last
                last = way
            await RisingEdge(dut.clk_i)
        return count

    await ClockCycles(dut.clk_i, 300)
    for cycles, length in ((128, 128), (50, 50), (0, 0), (200, 200), (1, 0)):
        await bench.bus.write(regs.TURNS_OFFSET, 0xABCD << 16 | cycles)
        assert await bench.bus.read(regs.TURNS_OFFSET) == cycles
        await ClockCycles(dut.clk_i, 100)
        count = await switches(1200)
        assert abs(count - 1200 / length) <= 1 if length else count > 30, (cycles, count)
    await bench.halt(15)


@cocotb.test()
async def statistics(dut: Any) -> None:
    """Of a channel's causes exactly one counts in every cycle without a beat; the worst wait is of a
    burst that memory kept standing; both start anew when they are cleared, and only then."""
    bench = Bench(dut, "statistics", latency=30)
    await bench.start()
    cycles = Cycles(dut)

    async def causes(channel: Channel) -> list[int]:
        return [await bench.bus.read(channel.base + chan.STATS_STALL_ADDR_OFFSET + 4 * n) for n in range(4)]

    async def worst(channel: Channel) -> int:
        return await bench.bus.read(channel.base + chan.STATS_WORST_WAIT_OFFSET)

    assert await bench.bus.read(regs.LIMITS_OFFSET) >> 16 == 1
    read, idle = bench.reads[1], bench.reads[2]
    if not bench.memif:
        bench.slaves[0].stalls.ar = lambda: True
    begun, before = cycles.now, [await causes(read), await causes(idle)]
    for n in range(3):
        await read.push(AREA, 2048)
        if n == 0:
            await ClockCycles(dut.clk_i, 300)
            bench.slaves[0].stalls.ar = NO_STALL
    await read.wait()
    await ClockCycles(dut.clk_i, 500)
    passed, after = cycles.now - begun, [await causes(read), await causes(idle)]
    moved = [[b - a for a, b in zip(*pair, strict=True)] for pair in zip(before, after, strict=True)]
    beats = 3 * 2048 // (4 if bench.memif else 8)
    assert abs(sum(moved[0]) + beats - passed) < 60, (moved, passed)
    assert abs(sum(moved[1]) - passed) < 60 and moved[1][2] == sum(moved[1]), (moved, passed)
    if not bench.memif:
        # It stood from its dispatch, some cycles after the command, until memory took addresses.
        assert 250 <= await worst(read) <= min(300, moved[0][0])
    assert moved[0][3] > 20 and await worst(idle) == 0
    await bench.bus.write(regs.STATS_CLEAR_OFFSET, 1 << idle.number)
    await ClockCycles(dut.clk_i, 10)
    assert sum(await causes(idle)) < 200 and sum(await causes(read)) >= sum(after[0])
    await bench.bus.write(regs.STATS_CLEAR_OFFSET, 1 << read.number)
    await ClockCycles(dut.clk_i, 10)
    assert sum(await causes(read)) < 200 and await worst(read) == 0
    assert (await read.totals())[1] == 3 * 2048  # not these


def test_sl_memif() -> None:
    run("streamif_bench", {"Memif": 1}, sources=BENCH)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"FifoWords": 96}, "FifoWords must be"),
        ({"ChunkWords": 128}, "ChunkWords must be"),
        ({"RequestCycles": 256}, "RequestCycles must be"),
        ({"TurnCycles": 0}, "TurnCycles must be"),
    ],
)
def test_memif_refused(config: dict[str, int], message: str) -> None:
    run("sl_memif", config, expect_build_error=message)


def test_sl_streamif() -> None:
    run("streamif_bench", {"Memif": 0}, sources=BENCH)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"NumThreads": 17}, "NumThreads must be"),
        ({"NumPorts": 2, "PortMap": 2}, "PortMap sends thread 0 to port 2"),
    ],
)
def test_refused(config: dict[str, int], message: str) -> None:
    run("sl_streamif", config, expect_build_error=message)
