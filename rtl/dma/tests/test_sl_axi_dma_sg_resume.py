# SPDX-License-Identifier: Apache-2.0
"""sl_axi_dma in scatter-gather mode: TAILDESC written again with the value that it has.

AMD's XAxiDma_Resume does that after XAxiDma_Pause, with RS still set, while the last descriptor given is not yet
complete. PG021, "Tail Descriptor Pointer": it has no effect then except to reposition the pause point. U-Boot, with one
descriptor in its ring, does it to give that descriptor to an idle engine."""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb
import pytest
from pg021 import ALL_ERRORS, CR_THRESHOLD, DMASR, SR_IOC, Descriptor
from sg_bench import MEMORY_BYTES
from test_sl_axi_dma_sg import Bench

from tb import FULL, run, seed

CONFIGURATIONS = [
    {"DataWidth": 64, "LenWidth": 14, "MaxBurst": 16, "BufferBeats": 128, "IncludeSg": 1},
    {"DataWidth": 32, "LenWidth": 14, "MaxBurst": 16, "BufferBeats": 128, "IncludeSg": 1, "IncludeDirect": 1},
]
# One seed a round; the sequence of XAxiDma over 200 of them is run by `make test-full`.
ROUNDS = 200 if FULL else 25
SIZE = 64  # bytes of a packet, and of the buffer for one


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=lambda c: f"DataWidth={c['DataWidth']}")
def test_sl_axi_dma_sg_resume(config: dict[str, Any]) -> None:
    run("sl_axi_dma", config)


@cocotb.test()
async def receive_queued(dut: Any) -> None:
    """S2MM: two of four descriptors given, TAILDESC again before a packet comes: two packets arrive."""
    bench = Bench(dut, "receive_queued")
    await bench.begin()
    chain = bench.receiving([SIZE] * 4)
    await bench.start(bench.s2mm, chain, tail=1)
    await bench.clocks(300)
    await bench.append(bench.s2mm, chain[1].at)
    for _ in range(4):
        bench.send(bench.packet(SIZE))
    await bench.idle(bench.s2mm)
    await bench.clocks(400)
    assert [bench.complete(d) for d in chain] == [True, True, False, False]
    assert bench.source.taken * bench.size == 2 * SIZE, "a packet without a descriptor was taken"


@cocotb.test()
async def send_queued(dut: Any) -> None:
    """MM2S: the same with a consumer that waits."""
    bench = Bench(dut, "send_queued")
    await bench.begin()
    chain, packets = bench.sending([SIZE] * 4)
    bench.sink.enabled = False
    await bench.start(bench.mm2s, chain, tail=1)
    await bench.clocks(300)
    await bench.append(bench.mm2s, chain[1].at)
    bench.sink.enabled = True
    await bench.idle(bench.mm2s)
    await bench.clocks(400)
    assert bench.sink.packets == packets[:2]
    assert [bench.complete(d) for d in chain] == [True, True, False, False]


@cocotb.test()
async def idle_engine(dut: Any) -> None:
    """An idle engine goes on with the same tail once software has given the tail's descriptor back, and is idle all
    the time else; a ring of one descriptor, and of three."""
    bench = Bench(dut, "idle_engine", busy=0.1)
    await bench.begin()
    for count in (1, 3):
        chain, packets = bench.sending([SIZE] * count)
        bench.sink.packets.clear()
        await bench.start(bench.mm2s, chain, control=count << CR_THRESHOLD)
        assert await bench.mm2s.interrupt() & SR_IOC
        for turn in range(1, 4):
            await bench.idle(bench.mm2s)
            await bench.append(bench.mm2s, chain[-1].at)
            await bench.clocks(200)
            assert bench.sink.packets == packets * turn, "sent what nobody gave"
            for descriptor in chain:
                bench.store(descriptor)
            await bench.append(bench.mm2s, chain[-1].at)
            assert await bench.mm2s.interrupt() & (SR_IOC | ALL_ERRORS) == SR_IOC
            await bench.until(lambda: bench.sink.packets == packets * (turn + 1), what="the ring")  # noqa: B023
        await bench.mm2s.stop()


class Ring:
    """What software does with a ring: gives descriptors, takes back complete ones, pauses and resumes; and the
    packets that have to arrive for it."""

    def __init__(self, bench: Bench, receive: bool, count: int) -> None:
        self.bench, self.receive, self.rng = bench, receive, bench.rng
        self.channel = bench.s2mm if receive else bench.mm2s
        self.ring = bench.receiving([SIZE] * count) if receive else bench.sending([SIZE] * count)[0]
        self.free = deque(self.ring)
        self.given: deque[Descriptor] = deque()
        self.started = False
        self.wanted: list[bytes] = []  # packets on the stream, in order
        self.taken = 0  # of these, by software

    def bytes_of(self, descriptor: Descriptor) -> slice:
        return slice(descriptor.buffer, descriptor.buffer + SIZE)

    def send(self) -> None:
        self.wanted.append(self.rng.randbytes(SIZE))
        self.bench.send(self.wanted[-1])

    async def give(self, count: int) -> None:
        batch = [self.free.popleft() for _ in range(min(count, len(self.free)))]
        for descriptor in batch:
            if not self.receive:
                self.wanted.append(self.rng.randbytes(SIZE))
                self.bench.memory.memory[self.bytes_of(descriptor)] = self.wanted[-1]
            self.bench.store(descriptor)
        self.given.extend(batch)
        if batch and self.started:
            await self.bench.append(self.channel, batch[-1].at)
        elif batch:
            self.started = True
            await self.bench.start(self.channel, self.ring, tail=len(batch) - 1)

    def take_back(self) -> None:
        while self.given and self.bench.complete(self.given[0]):
            descriptor = self.given.popleft()
            where, packet = self.bytes_of(descriptor), self.wanted[self.taken]
            if self.receive:
                assert self.bench.memory.memory[where] == packet, f"packet {self.taken}"
                self.bench.memory.written[where] = bytes(SIZE)
            self.taken += 1
            self.free.append(descriptor)

    async def resume(self) -> None:
        """The register accesses of XAxiDma_Pause (none, with descriptors) and XAxiDma_Resume."""
        if self.given and not self.bench.complete(self.given[-1]):
            await self.bench.append(self.channel, self.given[-1].at)

    def check(self) -> None:
        """Descriptors and buffers that software has belong to it alone."""
        for descriptor in self.free:
            assert not any(self.bench.memory.written[self.bytes_of(descriptor)]), "a buffer that was taken back"
        if not self.receive:
            assert self.bench.sink.packets == self.wanted[: len(self.bench.sink.packets)]


async def play(bench: Bench, receive: bool) -> None:
    rng = bench.rng
    bench.sink.packets.clear()
    bench.memory.written[:] = bytes(MEMORY_BYTES)
    bench.memory.read_latency = bench.table.read_latency = rng.choice((1, 12, 40))
    ring = Ring(bench, receive, rng.randint(1, 5))
    await ring.channel.reset()
    for _ in range(rng.randint(6, 14)):
        what = rng.random()
        if what < 0.25:
            await ring.give(rng.randint(1, 5))
        elif what < 0.6:
            await ring.resume()
        elif what < 0.8:
            ring.take_back()
        elif receive:
            ring.send()
        else:
            bench.sink.enabled = not bench.sink.enabled
        await bench.clocks(rng.choice((0, 2, 9, 40, 120)))
        ring.check()
    bench.sink.enabled = True
    for _ in range(100):
        if ring.started and ring.taken == len(ring.wanted):
            break
        ring.take_back()
        await ring.resume()
        if receive or not ring.started:
            await ring.give(5)
        if receive and not ring.wanted:
            ring.send()
        await bench.clocks(40)
    assert ring.taken == len(ring.wanted), f"{ring.taken} of {len(ring.wanted)} packets"
    await bench.clocks(100)
    ring.check()
    assert not await ring.channel.get(DMASR) & ALL_ERRORS
    assert receive or bench.sink.packets == ring.wanted


@cocotb.test()
async def pause_and_resume(dut: Any) -> None:
    """Descriptors given, packets, XAxiDma_Pause and _Resume at any time: no packet in a buffer that software has taken
    back, none lost, none twice, none out of order, for either direction."""
    bench = Bench(dut, "pause_and_resume", busy=0.1)
    await bench.begin()
    for turn in range(ROUNDS):
        for receive in (True, False):
            bench.rng = seed(f"resume/{turn}/{receive}")
            await play(bench, receive)
