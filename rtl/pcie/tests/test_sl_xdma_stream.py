# SPDX-License-Identifier: Apache-2.0
"""sl_xdma with streams: packets out of and into chains of buffers, their results, through stalls; resets."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from xdma import (
    BUSY,
    COMPLETED,
    DATA_BYTES,
    DONE,
    EOP,
    HOST_BASE,
    RUN,
    ST_COMPLETED,
    ST_IDLE,
    Bench,
    Descriptor,
    ending,
    regs,
    top,
)

from tb import run, seed, stall, swept
from tb.stream import StreamSink, StreamSource

from sluice_regs import sl_xdma_config as config  # isort: skip

CONFIGURATIONS = [
    swept({"Stream": 1, "DataWidth": 256, "BufferBeats": 128}),
    {"Stream": 1, "DataWidth": 64, "BufferBeats": 128},
]
NO_RESULT = 1 << 27
UNTOUCHED = b"\xee" * 8


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=lambda c: f"{c['DataWidth']}")
def test_sl_xdma_stream(config: dict[str, Any]) -> None:
    run("sl_xdma", config)


class Streams(Bench):
    """With what stands at its two streams."""

    def __init__(self, dut: Any, label: str, busy: float = 0.0) -> None:
        super().__init__(dut, label, busy)
        self.sink = StreamSink(dut, "m_axis_h2c", stall(seed(f"{label}/sink"), busy))
        self.source_of = StreamSource(dut, "s_axis_c2h", stall(seed(f"{label}/source"), busy))

    def buffers(self, count: int, most: int) -> list[tuple[int, int]]:
        """Address and size of buffers that do not meet."""
        room = DATA_BYTES // count
        made = []
        for n in range(count):
            size = self.rng.randint(1, min(most, room))
            made.append((HOST_BASE + n * room + self.rng.randrange(room - size + 1), size))
        return made


@cocotb.test()
async def sends(dut: Any) -> None:
    """Packets of several descriptors, ended by EOP alone."""
    bench = Streams(dut, "sends", busy=0.2)
    await bench.begin()
    (item,) = bench.h2c
    for _ in range(3):
        bench.room_used = 0
        bench.sink.packets.clear()
        todo, packets, part = [], [], b""
        buffers = bench.buffers(50, 1500)
        for n, (at, size) in enumerate(buffers):
            last = n + 1 == len(buffers) or bench.rng.random() < 0.4
            todo.append(Descriptor(at, bench.rng.randrange(1 << 60), size, EOP * last))
            part += bench.get(at, size)
            if last:
                packets.append(part)
                part = b""
        await item.begin(*bench.chain(ending(todo)))
        assert await item.stopped() == DONE
        assert await item.completed() == len(todo)
        assert bench.sink.packets == packets
        await item.end()


@cocotb.test()
async def counts_what_was_taken(dut: Any) -> None:
    """A packet counts when the stream has taken its last beat, wherever the stream stops, also where that beat has
    bytes of two beats of memory."""
    bench = Streams(dut, "counts")
    await bench.begin()
    (item,) = bench.h2c
    width = bench.beat_bytes
    met = set()
    for turn in range(40):
        bench.room_used = 0
        bench.sink.packets.clear()
        buffers = bench.buffers(12, 6 * width)
        await item.begin(*bench.chain(ending([Descriptor(at, 0, size, EOP) for at, size in buffers]), [12]))
        for _ in range(6):
            bench.sink.enabled = True
            await bench.wait(bench.rng.randrange(1, 12 if turn % 2 else 60))
            bench.sink.enabled = False
            await bench.wait(120)  # all that does not wait for the stream has happened
            taken, done = len(bench.sink.packets), await item.completed()
            assert done == taken, f"turn {turn}: {done} counted, {taken} taken"
            met.add(taken)
        bench.sink.enabled = True
        assert await item.stopped() == DONE
        assert bench.sink.packets == [bench.get(at, size) for at, size in buffers]
        await item.end()
    assert len(met) > 6, met


@cocotb.test()
async def receives(dut: Any) -> None:
    """Each descriptor gets at most a packet; its result says how much, and whether that ended it."""
    bench = Streams(dut, "receives", busy=0.2)
    await bench.begin()
    (item,) = bench.c2h
    for turn in range(4):
        bench.room_used = 0
        results = turn != 3
        todo, want, packet, left = [], [], b"", 0
        for at, size in bench.buffers(40, 700):
            if left == 0:
                packet = bench.rng.randbytes(bench.rng.choice((1, size, size + 1, bench.rng.randint(1, 1500))))
                left = len(packet)
            result = bench.room(8, 8) if bench.rng.random() < 0.8 else 0
            todo.append(Descriptor(result, at, size))
            part = packet[len(packet) - left :][:size]
            left -= len(part)
            want.append((at, size, part, result, left == 0))
            if left == 0:
                bench.source_of.send(packet)
        if left:
            bench.source_of.send(packet)
        for at, size, _, result, _ in want:
            bench.put(at, b"\xee" * size)
            if result:
                bench.put(result, UNTOUCHED)
        await item.begin(*bench.chain(ending(todo)), 0 if results else NO_RESULT)
        assert await item.stopped() == DONE
        assert await item.completed() == len(todo)
        for n, (at, size, part, result, ends) in enumerate(want):
            assert bench.get(at, size) == part + b"\xee" * (size - len(part)), f"buffer {n}"
            if result:
                told = (0x52B4 << 16 | ends).to_bytes(4, "little") + len(part).to_bytes(4, "little")
                assert bench.get(result, 8) == (told if results else UNTOUCHED), f"result {n}"
        await item.end()
        if left:  # the rest of the packet is the next chain's
            at, size = bench.buffers(1, 4000)[0]
            bench.put(at, b"\xee" * 4000)
            await item.begin(*bench.chain(ending([Descriptor(0, at, 4000)])))
            assert await item.stopped() == DONE
            assert bench.get(at, left) == packet[len(packet) - left :]
            await item.end()


@cocotb.test()
async def stops(dut: Any) -> None:
    """RUN cleared at any moment, also where no packet is: it ends, no byte is lost, and what comes after it goes into
    the next chain's buffers, not into those that were left."""
    bench = Streams(dut, "stops", busy=0.1)
    await bench.begin()
    (item,) = bench.c2h
    sent, got = b"", b""
    turns = 24
    for turn in range(turns):
        bench.room_used = 0
        buffers = bench.buffers(40, 400)
        results = [bench.room(8, 8) for _ in buffers]
        todo = [Descriptor(to, at, size, COMPLETED) for to, (at, size) in zip(results, buffers, strict=True)]
        for at, size in buffers:
            bench.put(at, b"\xee" * size)
        last = turn + 1 == turns
        if last or turn % 3:
            for _ in range(bench.rng.randint(1, 3)):
                packet = bench.rng.randbytes(bench.rng.randint(1, 1000))
                bench.source_of.send(packet)
                sent += packet
        await item.begin(*bench.chain(ending(todo)))
        await bench.wait(4000 if last else bench.rng.randrange(600))
        await item.end()
        for _ in range(200):
            if not await item.status() & BUSY:
                break
            await bench.wait(20)
        done = await item.completed()
        expected = DONE if done == len(todo) else ST_IDLE
        # COMPLETED is of those before the end.
        assert (await item.read(regs.STATUS_RC_OFFSET) | ST_COMPLETED) == expected | ST_COMPLETED, f"turn {turn}"
        for n, (at, size) in enumerate(buffers):
            length = int.from_bytes(bench.get(results[n] + 4, 4), "little") if n < done else 0
            got += bench.get(at, length)
            assert bench.get(at + length, size - length) == b"\xee" * (size - length), f"turn {turn}, buffer {n}"
        assert sent.startswith(got), f"turn {turn}"
    assert got == sent


@cocotb.test()
async def resets(dut: Any) -> None:
    """A reset gets a channel out of a stream that stands still; what comes next is right."""
    bench = Streams(dut, "resets", busy=0.1)
    await bench.begin()
    at = top.CONFIG_OFFSET + config.RESET_OFFSET
    for item in bench.channels:
        for _ in range(4):
            bench.room_used = 0
            bench.sink.enabled = item.c2h
            todo = [Descriptor(0 if item.c2h else a, a if item.c2h else 0, s, EOP) for a, s in bench.buffers(20, 3000)]
            if item.c2h:
                bench.source_of.send(bench.rng.randbytes(32 * 40), last=False)
            await item.begin(*bench.chain(ending(todo)))
            await bench.wait(bench.rng.randrange(500, 1500))
            await bench.bus.write(at, item.mask)
            begun = bench.cycles.now
            while await bench.bus.read(at):
                pass
            assert bench.cycles.now - begun < 1000
            assert await item.status() == 0 and await item.read(regs.CONTROL_OFFSET) & RUN == 0
            bench.sink.enabled = True
            bench.sink.part.clear()
            bench.sink.packets.clear()
            bench.source_of.clear()
            await bench.wait(20)
            size = 1000
            if item.c2h:  # a beat that was shown stays: the packet that it was of goes on
                bench.source_of.send(bytes(range(250)) * 4)
                bench.put(HOST_BASE, bytes(2000))
                await item.begin(*bench.chain(ending([Descriptor(0, HOST_BASE, 2000)])))
                assert await item.stopped() == DONE
                assert bytes(range(250)) * 4 in bench.get(HOST_BASE, 2000)
            else:
                await item.begin(*bench.chain(ending([Descriptor(HOST_BASE, 0, size, EOP)])))
                assert await item.stopped() == DONE
                await bench.wait(100)
                assert bench.sink.packets == [bench.get(HOST_BASE, size)]
            await item.end()
