# SPDX-License-Identifier: Apache-2.0
"""sl_axi_dma stopped by RS = 0 while a stream stands still, and between packets: PG021, DMACR.RS, "pending commands or
transfers are flushed or completed; AXI4-Stream outs are potentially terminated". Software that waits for Halted, as
PYNQ's DMA class does without end, sees it."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from pg021 import ALL_ERRORS, ALL_IRQ, DMACR, DMASR, LENGTH, SR_HALTED, SR_IDLE, SR_IOC, Channel
from sg_bench import MEMORY_BYTES
from test_sl_axi_dma_sg import Bench

from tb import FULL, run, seed, stall
from tb.stalls import parameters

STOP = 250  # StopTimeout
ROUNDS = 40 if FULL else 20
COMMON = {"LenWidth": 14, "MaxBurst": 16, "BufferBeats": 128, "IncludeSg": 1, "IncludeDirect": 1, "StopTimeout": STOP}
CONFIGURATIONS = [
    {"DataWidth": 64, **COMMON},
    {"DataWidth": 64, "Unaligned": 1, **COMMON},
    {"DataWidth": 64, "StreamWidth": 32, **COMMON},
    {"DataWidth": 64, "StreamWidth": 32, "Unaligned": 1, **COMMON},
    {"DataWidth": 32, "StreamWidth": 64, "Unaligned": 1, **COMMON},
]
DIRECT, CHAIN = False, True


@pytest.mark.parametrize(
    "config", CONFIGURATIONS, ids=lambda c: "-".join(f"{k}={v}" for k, v in c.items() if k not in COMMON)
)
def test_sl_axi_dma_stop(config: dict[str, Any]) -> None:
    run("sl_axi_dma", config)


class StopBench(Bench):
    def __init__(self, dut: Any, label: str, **options: Any) -> None:
        super().__init__(dut, label, **options)
        p = parameters()
        self.stream = int(p.get("StreamWidth", p["DataWidth"])) // 8

    async def receive(self, chain: bool, length: int) -> int:
        """Starts S2MM for one packet of at most `length` bytes; returns the buffer's address."""
        if chain:
            descriptors = self.receiving([length])
            await self.start(self.s2mm, descriptors)
            return descriptors[0].buffer
        at = MEMORY_BYTES // 2
        await self.s2mm.set_bits(DMACR, ALL_IRQ)
        await self.s2mm.start(at, length)
        return at

    async def transmit(self, chain: bool, length: int) -> bytes:
        """Starts MM2S with one packet; returns it."""
        if chain:
            descriptors, packets = self.sending([length])
            await self.start(self.mm2s, descriptors)
            return packets[0]
        data = self.rng.randbytes(length)
        self.memory.memory[:length] = data
        await self.mm2s.set_bits(DMACR, ALL_IRQ)
        await self.mm2s.start(0, length)
        return data

    async def halts_late(self, channel: Channel) -> None:
        """RS = 0; Halted comes, and not long before StopTimeout; without an interrupt and without an error."""
        await channel.clear_bits(DMACR, 1)
        await self.clocks(STOP - 60)
        assert not await channel.get(DMASR) & SR_HALTED, "early"
        status = await channel.poll(DMASR, SR_HALTED, SR_HALTED, limit=100)
        assert not status & (ALL_IRQ | ALL_ERRORS | SR_IDLE), f"status {status:#x}"
        assert self.memory.outstanding == self.table.outstanding == 0


@cocotb.test()
async def starved_receiver(dut: Any) -> None:
    """S2MM in the middle of a packet whose rest does not come; afterwards the rest arrives as a packet."""
    bench = StopBench(dut, "starved_receiver")
    await bench.begin()
    for chain in (DIRECT, CHAIN):
        for beats in (1, 3, 20):
            await bench.receive(chain, 512)
            bench.send(bench.packet(beats * bench.stream), last=False)
            await bench.drained()
            await bench.halts_late(bench.s2mm)
            rest = bench.packet(64)
            bench.send(rest)
            await bench.clocks(30)
            at = await bench.receive(chain, 512)
            assert await bench.s2mm.interrupt() & (SR_IOC | ALL_ERRORS) == SR_IOC
            assert bench.memory.memory[at : at + 64] == rest
            if not chain:
                assert await bench.s2mm.get(LENGTH) == 64
            await bench.s2mm.stop()


@cocotb.test()
async def stalled_consumer(dut: Any) -> None:
    """MM2S whose consumer takes nothing more; afterwards a packet is sent whole."""
    bench = StopBench(dut, "stalled_consumer")
    await bench.begin()
    for chain in (DIRECT, CHAIN):
        for beats in (0, 1, 5):
            bench.sink.enabled = beats > 0
            packet = await bench.transmit(chain, 2048)
            await bench.until(lambda: len(bench.sink.part) >= beats * bench.stream, what="some beats")  # noqa: B023
            bench.sink.enabled = False
            await bench.clocks(100)
            await bench.halts_late(bench.mm2s)
            assert not dut.m_axis_tvalid.value, "a beat of a packet that is given up"
            bench.sink.enabled = True
            await bench.clocks(50)
            assert not bench.sink.packets and packet.startswith(bytes(bench.sink.part))
            bench.sink.part.clear()
            packet = await bench.transmit(chain, 200)
            assert await bench.mm2s.interrupt() & (SR_IOC | ALL_ERRORS) == SR_IOC
            await bench.clocks(5)
            assert bench.sink.packets == [packet]
            bench.sink.packets.clear()
            await bench.mm2s.stop()


@cocotb.test()
async def slow_but_moving(dut: Any) -> None:
    """A stream that moves within StopTimeout, and a memory that takes longer: what was begun is completed."""
    bench = StopBench(dut, "slow_but_moving")
    await bench.begin()
    for chain in (DIRECT, CHAIN):
        at = await bench.receive(chain, 64)
        packet = bench.packet(64)
        for first in range(0, 64, bench.stream):
            bench.send(packet[first : first + bench.stream], last=first + bench.stream == 64)
            await bench.clocks(20)
            if not first:
                await bench.s2mm.clear_bits(DMACR, 1)
            await bench.clocks(STOP - 60)
        assert await bench.s2mm.interrupt() & (SR_IOC | ALL_ERRORS) == SR_IOC
        assert bench.memory.memory[at : at + 64] == packet
        await bench.s2mm.poll(DMASR, SR_HALTED, SR_HALTED)
    bench.memory.read_latency = bench.memory.write_latency = 3 * STOP
    for chain in (DIRECT, CHAIN):
        packet = await bench.transmit(chain, 64)
        await bench.clocks(100)
        await bench.mm2s.clear_bits(DMACR, 1)
        assert await bench.mm2s.interrupt() & (SR_IOC | ALL_ERRORS) == SR_IOC
        await bench.mm2s.poll(DMASR, SR_HALTED, SR_HALTED)
        assert bench.sink.packets == [packet]
        bench.sink.packets.clear()
        at = await bench.receive(chain, 64)
        packet = bench.packet(64)
        bench.send(packet)
        await bench.clocks(100)
        await bench.s2mm.clear_bits(DMACR, 1)
        assert await bench.s2mm.interrupt() & (SR_IOC | ALL_ERRORS) == SR_IOC
        assert bench.memory.memory[at : at + 64] == packet
        await bench.s2mm.poll(DMASR, SR_HALTED, SR_HALTED)


@cocotb.test()
async def between_packets(dut: Any) -> None:
    """S2MM stopped and started at any cycle of a row of packets that come with gaps: every beat arrives, in order,
    once, those that the mover takes ahead too."""
    bench = StopBench(dut, "between_packets", busy=0.1, source_stall=stall(seed("between_packets/gaps"), 0.9))
    await bench.begin()
    for turn in range(ROUNDS):
        packets = [bench.packet(64) for _ in range(16)]
        for packet in packets:
            bench.send(packet)
        got: list[bytes] = []
        for _ in range(60):
            if len(got) == len(packets):
                break
            descriptors = bench.receiving([64] * min(bench.rng.randint(1, 8), len(packets) - len(got)))
            first = bench.rng.randrange(len(descriptors))  # more descriptors come when a beat may be held
            await bench.start(bench.s2mm, descriptors, tail=first)
            await bench.clocks(bench.rng.randrange(300))
            await bench.append(bench.s2mm, descriptors[-1].at)
            await bench.clocks(bench.rng.randrange(60))
            await bench.s2mm.stop()
            done = [bench.complete(d) for d in descriptors]
            assert done == sorted(done, reverse=True)
            got += [bytes(bench.memory.memory[d.buffer : d.buffer + 64]) for d in descriptors[: done.count(True)]]
        assert got == packets, f"turn {turn}"
        await bench.both_reset(bench.s2mm)


@cocotb.test()
async def first_beat_taken_ahead(dut: Any) -> None:
    """S2MM with descriptors is stopped while all that the mover has of a packet is the beat that it took along with the
    end of the packet before: the packet has begun, and is completed."""
    bench = StopBench(dut, "first_beat_taken_ahead")
    await bench.begin()
    for turn in range(12):
        first, second = bench.packet(64), bench.packet(64)
        bench.send(first)
        bench.send(second[: bench.stream], last=False)
        descriptors = bench.receiving([64, 64])
        await bench.start(bench.s2mm, descriptors, tail=0)
        await bench.idle(bench.s2mm)
        await bench.append(bench.s2mm, descriptors[1].at)
        await bench.clocks(3 * turn)
        await bench.s2mm.clear_bits(DMACR, 1)
        await bench.clocks(40)
        bench.send(second[bench.stream :])
        await bench.s2mm.poll(DMASR, SR_HALTED, SR_HALTED)
        done = [bench.complete(d) for d in descriptors]
        if not done[1]:  # stopped before the descriptor was read
            await bench.start(bench.s2mm, descriptors[1:])
            await bench.idle(bench.s2mm)
            await bench.s2mm.stop()
        for descriptor, packet in zip(descriptors, (first, second), strict=True):
            at = descriptor.buffer
            assert bench.memory.memory[at : at + 64] == packet, f"turn {turn}"
