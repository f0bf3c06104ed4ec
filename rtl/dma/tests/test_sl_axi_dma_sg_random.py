# SPDX-License-Identifier: Apache-2.0
"""Random chains on both channels at once, with random stalls on every channel of every port, and with
error responses on descriptors, write-backs and data, against a model of what PG021 wants."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import cocotb
import pytest
from cocotb.triggers import Lock, RisingEdge
from pg021 import (
    ALL_ERRORS,
    ALL_IRQ,
    BD_BYTES,
    BD_COMPLETE,
    BD_DEC_ERR,
    BD_EOF,
    BD_INT_ERR,
    BD_LENGTH,
    BD_SLV_ERR,
    BD_SOF,
    CURDESC,
    DMASR,
    SR_DEC_ERR,
    SR_HALTED,
    SR_IDLE,
    SR_SG_DEC_ERR,
    SR_SG_SLV_ERR,
    SR_SLV_ERR,
    Channel,
    Descriptor,
)
from sg_bench import MEMORY_BYTES, SgBench, receive

from tb import FULL, run, seed, stall
from tb.axi import DECERR, OKAY, SLVERR, Stalls

ROUNDS = 400 if FULL else 40
CONFIGURATIONS = [
    {"DataWidth": 64, "LenWidth": 14, "BufferBeats": 128, "IncludeSg": 1, "Unaligned": 1},
    {"DataWidth": 64, "StreamWidth": 32, "LenWidth": 14, "BufferBeats": 128, "IncludeSg": 1, "AddrWidth": 40},
    {"DataWidth": 128, "LenWidth": 26, "BufferBeats": 128, "IncludeSg": 1, "Unaligned": 1},
]
BD_ERRORS = BD_INT_ERR | BD_SLV_ERR | BD_DEC_ERR
RESPONSES = {SLVERR: (SR_SLV_ERR, SR_SG_SLV_ERR, BD_SLV_ERR), DECERR: (SR_DEC_ERR, SR_SG_DEC_ERR, BD_DEC_ERR)}


def name(config: dict[str, Any]) -> str:
    return "-".join(f"{k}={v}" for k, v in config.items())


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=name)
def test_random(config: dict[str, Any]) -> None:
    run("sl_axi_dma", config)


@dataclass
class Job:
    """One channel's chain, what comes of it, and the fault in it, if any."""

    channel: Channel
    chain: list[Descriptor]
    packets: list[bytes]
    receives: bool
    fault: tuple[str, int, int] | None = None  # where, descriptor, response
    seen: int = 0
    statuses: list[int] = field(default_factory=list)


class Bench(SgBench):
    def __init__(self, dut: Any, label: str) -> None:
        super().__init__(dut, label, busy=0.0, latency=1)
        self.lock = Lock()

    def vary(self) -> None:
        """Other stalls and latencies for the next round."""
        for slave in (self.memory, self.table):
            share = self.rng.choice((0.1, 0.25, 0.4))
            slave.stalls = Stalls(*(stall(seed(f"{self.rng.random()}"), share) for _ in range(5)))
            slave.read_latency = self.rng.choice((1, 5, 30))
            slave.write_latency = self.rng.choice((1, 5, 30))
        for stream in (self.source, self.sink):
            stream.stall = stall(seed(f"{self.rng.random()}"), self.rng.choice((0.0, 0.1, 0.4)))

    def lengths(self, count: int) -> list[int]:
        most = min(self.len_max, self.rng.choice((3 * self.size, 100, 700)))
        return [self.rng.randint(1, max(1, most // self.step)) * self.step for _ in range(count)]

    def sender(self) -> Job:
        count = self.rng.randint(1, 24)
        flags, first = [], True
        for i in range(count):
            last = i + 1 == count or self.rng.random() < 0.5
            flags.append((BD_SOF if first else 0) | (BD_EOF if last else 0))
            first = last
        lengths = [
            length if not flag & BD_EOF else self.rng.randint(1, length)
            for length, flag in zip(self.lengths(count), flags, strict=True)
        ]
        buffers = self.buffers(lengths, 0, MEMORY_BYTES // 2)
        packets, part = [], b""
        for (buffer, length), flag in zip(buffers, flags, strict=True):
            data = self.rng.randbytes(length)
            self.memory.memory[buffer : buffer + length] = data
            part += data
            if flag & BD_EOF:
                packets.append(part)
                part = b""
        places = self.places(count, 0, self.rng.random() < 0.4)
        return Job(self.mm2s, self.chain(places, buffers, flags), packets, False)

    def receiver(self) -> Job:
        lengths = self.lengths(self.rng.randint(1, 24))
        packets: list[bytes] = []
        while True:
            packet = self.rng.randbytes(self.rng.randint(1, self.rng.choice((2 * self.size, 200, 900))))
            if len(receive(lengths, [*packets, packet])) == len(lengths):
                break
            packets.append(packet)
        lengths = lengths[: len(receive(lengths, packets))] or [self.size]
        if not packets:
            packets = [self.rng.randbytes(self.rng.randint(1, lengths[0]))]
        buffers = self.buffers(lengths, MEMORY_BYTES // 2, MEMORY_BYTES // 2)
        places = self.places(len(lengths), 0x4000, self.rng.random() < 0.4)
        return Job(self.s2mm, self.chain(places, buffers), packets, True)

    def break_it(self, job: Job) -> None:
        """A fault at a descriptor that will be run."""
        job.fault = (
            self.rng.choice(("read", "write", "data")),
            self.rng.randrange(len(job.chain)),
            self.rng.choice((SLVERR, DECERR)),
        )

    def answer(self, jobs: list[Job]) -> None:
        """The slaves' responses that make the jobs' faults."""
        table: dict[tuple[bool, int], int] = {}
        memory: dict[tuple[bool, int], int] = {}
        for job in jobs:
            if job.fault is None:
                continue
            where, i, resp = job.fault
            descriptor = job.chain[i]
            if where == "data":
                beat = descriptor.buffer // self.size
                memory[job.receives, beat] = resp
                # A beat of two descriptors fails in the first of them.
                used = [d.control & BD_LENGTH for d in job.chain]
                if job.receives:
                    used = [piece.status & BD_LENGTH for piece in receive(used, job.packets)]
                ends = [(d.buffer + n - 1) // self.size for d, n in zip(job.chain, used, strict=True)]
                job.fault = where, min(j for j in range(i + 1) if ends[j] >= beat), resp
            else:
                table[where == "write", descriptor.at // BD_BYTES] = resp

        def table_error(write: bool, addr: int) -> int:
            return table.get((write, addr // BD_BYTES), OKAY)

        def memory_error(write: bool, addr: int) -> int:
            return memory.get((write, addr // self.size), OKAY)

        self.table.error = table_error if table else None
        self.memory.error = memory_error if memory else None

    async def drive(self, job: Job) -> None:
        """Starts the chain, adds the rest of it behind the tail in pieces, and waits for its end."""
        rng, channel = self.rng, job.channel
        shown = rng.randint(1, len(job.chain))
        async with self.lock:
            await self.start(channel, job.chain[:shown])
        if job.receives:
            for packet in job.packets:
                self.send(packet)
        edge = RisingEdge(self.dut.clk_i)
        assert channel.irq is not None
        for _ in range(4000):
            if shown < len(job.chain) and rng.random() < 0.3:
                shown = rng.randint(shown + 1, len(job.chain))
                async with self.lock:
                    await self.append(channel, job.chain[shown - 1].at)
            for _ in range(rng.randrange(20)):
                await edge
            async with self.lock:
                status = await channel.get(DMASR)
            job.statuses.append(status)
            if channel.irq():
                async with self.lock:
                    await channel.put(DMASR, status & ALL_IRQ)
            done = bool(status & SR_IDLE) and shown == len(job.chain)
            if done if job.fault is None else bool(status & SR_HALTED):
                return
        raise AssertionError(f"no end, DMASR {status:#x}, {self.statuses(job.chain)}")

    def check_fault(self, job: Job, current: int) -> None:
        """The failing descriptor is told, those before it are whole, none claims too much."""
        assert job.fault is not None
        where, at, resp = job.fault
        data_bit, sg_bit, bd_bit = RESPONSES[resp]
        errors = job.statuses[-1] & ALL_ERRORS
        wanted = receive([d.control & BD_LENGTH for d in job.chain], job.packets) if job.receives else []
        assert current == job.chain[at].at, f"CURDESC {current:#x}, not of descriptor {at}"
        assert errors & ~data_bit & ~sg_bit == 0 and errors & (data_bit if where == "data" else sg_bit), f"{errors:#x}"
        for i, descriptor in enumerate(job.chain):
            status = self.status(descriptor)
            length = descriptor.control & BD_LENGTH
            full = wanted[i].status if job.receives else BD_COMPLETE | length
            if i < at:
                assert status == full, f"{where}, {at}: descriptor {i} {status:#x}, not {full:#x}"
            elif i == at and where == "data":
                assert status & (BD_COMPLETE | BD_ERRORS) == BD_COMPLETE | bd_bit
                assert status & BD_LENGTH < length, "not all of it is there"
            elif i == at:
                assert status == 0, "refused by the port"
            else:
                assert status in (0, full) or status & bd_bit, f"descriptor {i}: {status:#x}"
        if not job.receives:
            whole = sum(bool(d.control & BD_EOF) for d in job.chain[:at])
            assert self.sink.packets[:whole] == job.packets[:whole]

    async def settle(self) -> None:
        """Resets, and takes what is left out of the streams."""
        self.answer([])
        for _ in range(2):
            async with self.lock:
                await self.s2mm.reset()
            self.source.clear()
            self.send(bytes(self.size))
            room = [(MEMORY_BYTES // 2 + i * 8192, 8192) for i in range(4)]
            async with self.lock:
                await self.start(self.s2mm, self.chain(self.places(4, 0x4000), room))
            await self.drained()
        await self.s2mm.reset()
        self.sink.packets.clear()
        self.sink.part.clear()
        self.memory.written[:] = bytes(MEMORY_BYTES)

    async def round(self, broken: int) -> None:
        """Both channels at once; `broken`: bit 0 a fault in MM2S, bit 1 in S2MM."""
        self.vary()
        jobs = [self.sender(), self.receiver()]
        for bit, job in enumerate(jobs):
            if broken >> bit & 1:
                self.break_it(job)
        self.answer(jobs)
        tasks = [cocotb.start_soon(self.drive(job)) for job in jobs]
        for task in tasks:
            await task
        out, into = jobs
        if out.fault is None:
            self.check_sent(out.chain, out.packets)
            assert out.statuses[-1] & ALL_ERRORS == 0
        if into.fault is None:
            lengths = [d.control & BD_LENGTH for d in into.chain]
            self.check_received(into.chain, receive(lengths, into.packets))
            assert into.statuses[-1] & ALL_ERRORS == 0
        else:
            allowed = bytearray(MEMORY_BYTES)
            for descriptor in into.chain:
                length = descriptor.control & BD_LENGTH
                allowed[descriptor.buffer : descriptor.buffer + length] = b"\1" * length
            assert not any(w > a for w, a in zip(self.memory.written, allowed, strict=True)), "beside the buffers"
        for job in jobs:
            if job.fault is not None:
                self.check_fault(job, await job.channel.get_pointer(CURDESC))
        assert self.memory.outstanding == self.table.outstanding == 0
        if broken:
            await self.settle()
        else:
            for job in jobs:
                await job.channel.stop()
            self.sink.packets.clear()
            self.memory.written[:] = bytes(MEMORY_BYTES)


@cocotb.test()
async def random_chains(dut: Any) -> None:
    bench = Bench(dut, "chains")
    await bench.begin()
    for _ in range(ROUNDS):
        await bench.round(0)


@cocotb.test()
async def random_errors(dut: Any) -> None:
    bench = Bench(dut, "errors")
    await bench.begin()
    for turn in range(ROUNDS):
        await bench.round(1 + turn % 3)
