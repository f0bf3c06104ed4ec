# SPDX-License-Identifier: Apache-2.0
"""The stream variants of sl_msgdma."""

from __future__ import annotations

from typing import Any

import cocotb
from msgdma import (
    COMPLETE_IRQ,
    CONTROL,
    CT_IRQ_EN,
    CT_ON_EARLY,
    CT_RESET,
    DECERR_BIT,
    EARLY,
    EARLY_IRQ,
    END_ON_EOP,
    ERROR_IRQ,
    GEN_EOP,
    GO,
    READ_FAILED,
    REFUSED,
    SLVERR_BIT,
    ST_BUSY,
    ST_IRQ,
    ST_ON_EARLY,
    ST_ON_ERROR,
    ST_STOPPED,
    STATUS,
    WRITE_FAILED,
    Descriptor,
)
from msgdma_bench import HALF, MEMORY_BYTES, Bench, write_all

from tb.axi import DECERR, OKAY, SLVERR
from tb.signals import reader
from tb.stalls import parameters

P = parameters()
MODE, PACKETS, LEN_WIDTH = int(P.get("Mode", 0)), bool(P.get("Packets", 0)), int(P.get("LenWidth", 31))


@cocotb.test(skip=MODE != 1)
async def to_stream(dut: Any) -> None:
    """Memory to stream: packets of one or several descriptors leave whole; TLAST only where GEN_EOP
    asks for it; refused ones leave nothing."""
    bench = Bench(dut, "to_stream", busy=0.25)
    await bench.begin()
    dma, rng = bench.dma, bench.rng
    await dma.reset()
    for _ in range(4):
        bench.fresh()
        packets: list[bytes] = []
        ds: list[Descriptor] = []
        for _ in range(8):
            packet = b""
            parts = rng.randint(1, 3)
            for part in range(parts):
                length = bench.length(600)
                if part < parts - 1:
                    length = max(length // bench.step, 1) * bench.step
                d = bench.descriptor(length, GEN_EOP if part == parts - 1 else 0)
                packet += bench.data(d)
                ds.append(d)
            packets.append(packet)
        ds[-1].control |= COMPLETE_IRQ
        bench.sink.packets.clear()
        got: list[tuple[int, int]] = []
        for d in ds:
            await dma.write(d)
            got += await dma.responses()
        await dma.interrupt()
        got += await dma.responses()
        assert got == [(d.length, 0) for d in ds]
        await bench.clocks(2)
        assert bench.sink.packets == packets and not bench.sink.part
    await dma.csr.write(CONTROL, 0)
    bad = [Descriptor(0, 0, 0, GO | GEN_EOP)]
    bad += [] if bench.unaligned else [Descriptor(0, 0, bench.size + 1, GO), Descriptor(1, 0, 8, GO | GEN_EOP)]
    for d in bad:
        await dma.write(d)
        await dma.idle()
        assert await dma.responses() == [(0, REFUSED)]
    assert not any(bench.memory.written) and bench.sink.packets == packets


@cocotb.test(skip=MODE != 1)
async def to_stream_errors(dut: Any) -> None:
    """A failed read: the packet stays whole, the response has the bytes before it."""
    bench = Bench(dut, "to_stream_errors", busy=0.15)
    await bench.begin()
    dma, rng = bench.dma, bench.rng
    await dma.csr.write(CONTROL, CT_IRQ_EN)
    for _ in range(12):
        bench.fresh()
        d, resp = bench.descriptor(bench.length(900), GEN_EOP | ERROR_IRQ), rng.choice((SLVERR, DECERR))
        beat = rng.randrange(d.read, d.read + d.length) // bench.size * bench.size
        bench.memory.error = lambda w, addr, at=beat, r=resp: r if addr == at else OKAY
        bench.sink.packets.clear()
        status = (SLVERR_BIT if resp == SLVERR else DECERR_BIT) | READ_FAILED
        good = max(beat - d.read, 0)
        assert await dma.transfer(d) == (good, status)
        await bench.clocks(2)
        assert [len(p) for p in bench.sink.packets] == [d.length]
        assert bench.sink.packets[0][:good] == bench.data(d)[:good]


@cocotb.test(skip=MODE != 2)
async def from_stream(dut: Any) -> None:
    """Stream to memory: with Packets a descriptor takes a packet, and its response has the packet's
    bytes; else the stream is cut by length alone, TLAST or not."""
    bench = Bench(dut, "from_stream", busy=0.25)
    await bench.begin()
    dma, rng = bench.dma, bench.rng
    await dma.reset()
    for _ in range(4):
        bench.fresh()
        ds, sent = [], []
        for _ in range(20):
            room = bench.length(700)
            if not bench.packets:
                room = -(-room // bench.size) * bench.size
            d = bench.descriptor(room, END_ON_EOP | EARLY_IRQ)
            count = rng.randint(1, room) if bench.packets else room
            data = rng.randbytes(count)
            bench.source.send(data, bench.packets or rng.random() < 0.5)
            ds.append(d)
            sent.append(data)
        ds[-1].control |= COMPLETE_IRQ
        got: list[tuple[int, int]] = []
        for d in ds:
            await dma.write(d)
            got += await dma.responses()
        await dma.interrupt()
        got += await dma.responses()
        assert got == [(len(data), 0) for data in sent]
        expected = bytearray(MEMORY_BYTES)
        for d, data in zip(ds, sent, strict=True):
            assert bench.memory.memory[d.write : d.write + len(data)] == data
            expected[d.write : d.write + len(data)] = b"\1" * len(data)
        assert bench.memory.written == expected, "written beside a destination, or not once"


@cocotb.test(skip=MODE != 2 or not PACKETS)
async def early_termination(dut: Any) -> None:
    """A packet longer than its descriptor: flagged, stops where asked, and the rest of the packet goes
    to the next descriptor."""
    bench = Bench(dut, "early_termination", busy=0.1)
    await bench.begin()
    dma, rng = bench.dma, bench.rng
    await dma.reset()
    for control in (END_ON_EOP | EARLY_IRQ, END_ON_EOP, 0) * 2:
        bench.fresh()
        room = bench.size * rng.randint(1, 40)
        rest = rng.randint(1, 300)
        data = rng.randbytes(room + rest)
        first, second = bench.descriptor(room, control), bench.descriptor(400, COMPLETE_IRQ | END_ON_EOP)
        await dma.csr.write(CONTROL, CT_ON_EARLY | CT_IRQ_EN)
        bench.source.send(data)
        early = bool(control & END_ON_EOP)
        await dma.write(first)
        await dma.idle()
        assert dma.irq() == bool(control & EARLY_IRQ)
        await dma.csr.write(STATUS, ST_IRQ)
        assert await dma.responses() == [(room, EARLY if early else 0)]
        status = await dma.status()
        assert bool(status & ST_ON_EARLY) == bool(status & ST_STOPPED) == early and not status & ST_ON_ERROR
        await dma.write(second)
        await bench.clocks(50)
        if early:
            assert await dma.status() & ST_BUSY
        await dma.csr.write(CONTROL, CT_IRQ_EN)
        await dma.interrupt()
        assert await dma.responses() == [(rest, 0)]
        assert bench.memory.memory[first.write : first.write + room] == data[:room]
        assert bench.memory.memory[second.write : second.write + rest] == data[room:]
        bench.check_within([first, second])


@cocotb.test(skip=MODE != 2)
async def from_stream_errors(dut: Any) -> None:
    """A failed write: the response claims no byte that was not acknowledged."""
    bench = Bench(dut, "from_stream_errors", busy=0.15)
    await bench.begin()
    dma, rng = bench.dma, bench.rng
    await dma.csr.write(CONTROL, CT_IRQ_EN)
    for _ in range(12):
        bench.fresh()
        d = bench.descriptor(bench.size * rng.randint(1, 100), END_ON_EOP | ERROR_IRQ)
        resp, data = rng.choice((SLVERR, DECERR)), rng.randbytes(d.length)
        beat = rng.randrange(d.write, d.write + d.length) // bench.size * bench.size
        bench.memory.error = lambda w, addr, at=beat, r=resp: r if addr == at else OKAY
        bench.source.send(data)
        count, status = await dma.transfer(d)
        assert status == (SLVERR_BIT if resp == SLVERR else DECERR_BIT) | WRITE_FAILED
        assert count <= max(beat - d.write, 0)
        assert bench.memory.memory[d.write : d.write + count] == data[:count]
        bench.check_within([d])


@cocotb.test()
async def stream_reset(dut: Any) -> None:
    """A reset at any cycle of a transfer to or from the stream; then transfers work."""
    bench = Bench(dut, "stream_reset", busy=0.25)
    await bench.begin()
    dma, rng = bench.dma, bench.rng
    low = reader(dut.stream_rst_no)
    valid = reader(dut.s_axis_tvalid)
    for _ in range(12):
        bench.fresh()
        lengths = [max(bench.length(900) // bench.size, 1) * bench.size for _ in range(min(bench.depth, 16))]
        ds = [bench.descriptor(n, GEN_EOP | END_ON_EOP) for n in lengths]
        if bench.mode == 2:
            for d in ds:
                bench.source.send(rng.randbytes(d.length))
        task = cocotb.start_soon(write_all(dma, ds))
        await bench.clocks(rng.randrange(1500))
        await task
        await dma.csr.write(CONTROL, CT_RESET)
        bench.source.clear()
        await dma.poll(64, 0)
        assert bench.memory.outstanding == 0 and low() == 1
        await bench.at_reset()
        if bench.mode == 2:
            bench.check_within(ds)
            await bench.clocks(40)
            if valid():  # the beat that was on offer at the reset
                d = Descriptor(0, HALF, bench.size, GO)
                await dma.write(d)
                await dma.idle()
                assert len(await dma.responses()) == 1
            data = rng.randbytes(4 * bench.size)
            bench.source.send(data)
            assert await dma.transfer_polled(Descriptor(0, HALF, len(data), GO | END_ON_EOP)) == (len(data), 0)
            assert bench.memory.memory[HALF : HALF + len(data)] == data
        else:
            bench.sink.part.clear()
            bench.sink.packets.clear()
            assert await dma.transfer_polled(Descriptor(64, 0, 100, GO | GEN_EOP)) == (100, 0)
            await bench.clocks(2)
            assert bench.sink.packets == [bench.memory.memory[64:164]]


@cocotb.test(skip=LEN_WIDTH < 31 or (MODE == 2 and not PACKETS))
async def longest(dut: Any) -> None:
    """A descriptor of the longest length: from a stream the end of the packet ends it; to a stream it
    runs on until a reset."""
    bench = Bench(dut, "longest", busy=0.1)
    await bench.begin()
    dma, rng = bench.dma, bench.rng
    length = (1 << bench.len_width) - bench.size
    for room in (length, length >> 1, 1 << 26, 1 << (bench.len_width - 1)):
        bench.fresh()
        room = room // bench.size * bench.size
        if bench.mode == 2:
            data = rng.randbytes(rng.randint(1, 3000))
            bench.source.send(data)
            count, status = await dma.transfer_polled(Descriptor(0, HALF, room, GO | END_ON_EOP))
            assert (count, status) == (len(data), 0)
            assert bench.memory.memory[HALF : HALF + len(data)] == data
            bench.check_within([Descriptor(0, HALF, len(data))])
        else:
            bench.sink.part.clear()
            await dma.write(Descriptor(0, 0, room, GO | GEN_EOP))
            await bench.clocks(2000)
            assert await dma.status() & ST_BUSY
            assert len(bench.sink.part) > 4000 and not bench.sink.packets
            assert bench.sink.part == bench.memory.memory[: len(bench.sink.part)]
            await dma.reset()
            assert bench.memory.outstanding == 0
