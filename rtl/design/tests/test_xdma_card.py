# SPDX-License-Identifier: Apache-2.0
"""xdma_card through its pins: registers and their holes, DMA beside the BAR, interrupts as messages, streams."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from card import CardBench
from lane import LaneStreams, pattern
from xdma import CARD_BASE, DATA_BYTES, DONE, EOP, HOST_BASE, Channel, Descriptor, ending, regs

from tb import run
from tb.axi import OKAY
from tb.stalls import parameters

from sluice_regs import sl_design_page as page  # isort: skip
from sluice_regs import sl_msix_pba as pba  # isort: skip
from sluice_regs import sl_stream_sink as sink  # isort: skip
from sluice_regs import sl_xdma_config as config  # isort: skip
from sluice_regs import xdma_card as top  # isort: skip

CONFIGURATIONS: list[dict[str, Any]] = [
    {"Stream": 0, "DataWidth": 128, "BufferBeats": 128},
    {"Stream": 0, "DataWidth": 64, "BufferBeats": 128, "NumH2c": 2, "NumC2h": 3},
    {"Stream": 1, "DataWidth": 256, "BufferBeats": 128, "FifoBeats": 64},
    {"Stream": 1, "DataWidth": 512, "BufferBeats": 128, "FifoBeats": 64, "NumH2c": 2, "MaxBurst": 8},
]
COMMON = ["holes", "bar_alone", "intx", "masked"]
TESTS = {0: [*COMMON, "interrupts", "bar_and_dma"], 1: [*COMMON, "sinks", "sources", "loops", "resets"]}


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=lambda c: f"{c['Stream']}-{c['DataWidth']}")
def test_xdma_card(config: dict[str, Any]) -> None:
    run("xdma_card", config, testcase=TESTS[config["Stream"]])


def streams() -> bool:
    return bool(parameters()["Stream"])


@cocotb.test()
async def holes(dut: Any) -> None:
    """Each block is at its address, and no address is without an answer."""
    bench = CardBench(dut, "holes", busy=0.2)
    await bench.begin()
    assert await bench.bus.read(top.PAGE_OFFSET + page.IDENTITY_OFFSET) == int.from_bytes(
        b"SLXS" if streams() else b"SLXM", "big"
    )
    built_as = await bench.bus.read(top.PAGE_OFFSET + page.CONFIG_OFFSET)
    assert built_as == 1 << 24 | 28 << 16 | bench.beat_bytes << 8 | max(len(bench.h2c), len(bench.c2h))
    for item in bench.channels:
        assert await item.read(0) == 0x1FC00006 | streams() << 15 | item.c2h << 16 | item.number << 8
    built = {
        *((c, n) for c, items in ((0, bench.h2c), (1, bench.c2h)) for n in range(len(items))),
    }
    for number in range(4):
        for c2h, at in ((0, top.h2c), (1, top.c2h)):
            if (c2h, number) not in built:
                assert await bench.bus.read_resp(at(number)) == (0, OKAY)
                assert await bench.bus.write_resp(at(number) + regs.CONTROL_OFFSET, 1) == OKAY
                assert await bench.bus.read_resp(at(number) + regs.CONTROL_OFFSET) == (0, OKAY)
    for n in (0, 31):
        assert await bench.bus.read(bench.table.at(n, 0xC)) == 1, "a vector is not masked"
    holes = [0x7000, 0x8200, 0x8FC0, 0x9000, 0xF000, 0x11000, 0x20000, 0x30000, 0x40000, 0xFFFFC]
    holes += [bench.rng.randrange(0x9000, 0x10000) & ~3 for _ in range(10)]
    holes += [] if streams() else [top.stream_source(0), top.stream_sink(0), top.stream_control(0)]
    for address in holes:
        assert await bench.bus.write_resp(address, 0xFFFFFFFF) == OKAY
        assert await bench.bus.read_resp(address) == (0, OKAY), f"{address:#x}"


@cocotb.test()
async def bar_alone(dut: Any) -> None:
    """The BAR reaches all of the card's memory, with accesses of any size, several at once."""
    bench = CardBench(dut, "bar_alone", busy=0.2)
    await bench.begin()
    tasks = bench.bar.start()
    await bench.wait(6000)
    await bench.bar.end(tasks)
    data = bench.rng.randbytes(3000)
    await bench.bar.write(CARD_BASE + 5, data)
    assert bench.card.memory[5:3005] == data
    assert await bench.bar.read(CARD_BASE + 5, 3000) == data


async def transfer(bench: CardBench, item: Channel, todo: list[Descriptor], control: int = 0) -> None:
    """A chain from its start to its end by polling, the lower half of the target's memory compared."""
    chain = bench.chain(todo)
    image = bench.expected(item, todo)
    await item.begin(*chain, control)
    assert await item.stopped() == DONE, str(item)
    assert await item.completed() == len(todo)
    assert bench.target(item).memory[:DATA_BYTES] == image[:DATA_BYTES], str(item)
    await item.end()


@cocotb.test()
async def bar_and_dma(dut: Any) -> None:
    """Accesses of the BAR beside DMA, byte by byte; then DMA of what the BAR wrote, and the BAR's read of DMA."""
    bench = CardBench(dut, "bar_and_dma", busy=0.15)
    await bench.begin()
    tasks = bench.bar.start()
    for item in bench.channels:
        for count in (1, 30):
            bench.room_used = 0
            await transfer(bench, item, ending(bench.copies(count, item.c2h)))
    await bench.bar.end(tasks)
    for _ in range(5):
        bench.room_used = 0
        size = bench.rng.randint(1, 5000)
        at = bench.rng.randrange(DATA_BYTES - size)
        data = bench.rng.randbytes(size)
        await bench.bar.write(CARD_BASE + at, data)
        await transfer(bench, bench.c2h[0], ending([Descriptor(CARD_BASE + at, HOST_BASE + 7, size)]))
        assert bench.get(HOST_BASE + 7, size) == data
        bench.put(HOST_BASE + 7, data[::-1])
        await transfer(bench, bench.h2c[0], ending([Descriptor(HOST_BASE + 7, CARD_BASE + at, size)]))
        assert await bench.bar.read(CARD_BASE + at, size) == data[::-1]


class Masks:
    """Masks and unmasks vectors and the function at random moments, until it is ended, all unmasked."""

    def __init__(self, bench: CardBench) -> None:
        self.bench = bench
        self.running = True
        self.changes = 0
        self._tasks = [cocotb.start_soon(self._function())]

    async def _function(self) -> None:
        bench = self.bench
        while self.running:
            await bench.wait(bench.rng.randrange(300))
            bench.msix_mask(1)
            await bench.wait(bench.rng.randrange(1, 200))
            bench.msix_mask(0)
            self.changes += 1

    async def end(self) -> None:
        self.running = False
        for task in self._tasks:
            await task


@cocotb.test()
async def interrupts(dut: Any) -> None:
    """Each chain on each channel sends one message, after its data, while masks change at random moments."""
    bench = CardBench(dut, "interrupts", busy=0.15)
    await bench.begin()
    await bench.set_up()
    tasks, masks = bench.bar.start(), Masks(bench)
    images: dict[int, bytearray] = {}

    def arrived(number: int) -> None:
        item = bench.channels[number]
        assert bench.target(item).memory[:DATA_BYTES] == images[number][:DATA_BYTES], f"{item}: before its data"

    bench.when_heard = arrived
    for turn in range(1, 7):
        for n, item in enumerate(bench.channels):
            bench.room_used = 0
            todo = ending(bench.copies(bench.rng.randint(1, 12), item.c2h))
            chain = bench.chain(todo)
            images[n] = bench.expected(item, todo)
            if bench.rng.random() < 0.5:
                await bench.table.mask(n)
            await item.begin(*chain)
            if bench.rng.random() < 0.7:
                await bench.wait(bench.rng.randrange(600))
            heard = bench.heard(n)
            await bench.table.unmask(n)
            assert heard <= turn
            await bench.message(n, turn)
            assert await item.read(regs.STATUS_RC_OFFSET) == DONE
            await item.end()
    await masks.end()
    await bench.bar.end(tasks)
    await bench.wait(500)
    assert [bench.heard(n) for n in range(len(bench.channels))] == [6] * len(bench.channels)
    assert masks.changes > 20
    assert await bench.bus.read(top.MSIX_PBA_OFFSET + pba.PENDING_OFFSET) == 0


@cocotb.test()
async def masked(dut: Any) -> None:
    """No message comes while the vector or the function is masked; its bit is pending; it comes when unmasked."""
    bench = CardBench(dut, "masked")
    await bench.begin()
    await bench.set_up()
    for n, item in enumerate(bench.channels[:2]):
        for by_vector in (True, False):
            bench.room_used = 0
            bench.messages.clear()
            if by_vector:
                await bench.table.mask(n)
            bench.msix_mask(int(not by_vector))
            await item.begin(*bench.chain([Descriptor(0, 0, 0)]))
            await bench.wait(500)
            assert not bench.messages
            assert await bench.bus.read(top.MSIX_PBA_OFFSET + pba.PENDING_OFFSET) == 1 << n
            bench.msix_mask(0)
            if by_vector:
                await bench.table.unmask(n)
            await bench.message(n, 1)
            assert await item.stopped()
            await item.end()
            await bench.wait(300)
            assert bench.heard(n) == len(bench.messages) == 1
            assert await bench.bus.read(top.MSIX_PBA_OFFSET + pba.PENDING_OFFSET) == 0


@cocotb.test()
async def intx(dut: Any) -> None:
    """The level while neither MSI-X nor MSI is enabled; no message is sent meanwhile, nor afterwards."""
    bench = CardBench(dut, "intx")
    await bench.begin()
    await bench.set_up()
    bench.msix(0)
    item = bench.h2c[0]
    await item.begin(*bench.chain([Descriptor(0, 0, 0)]))  # refused for its length
    for _ in range(2000):
        await bench.edge
        if dut.irq_o.value != 0:
            break
    assert dut.irq_o.value == 1
    await bench.wait(20)  # the vector comes a little later than the level, and is dropped
    for enable in (bench.msix, bench.msi):
        enable(1)
        await bench.wait(3)
        assert dut.irq_o.value == 0
        enable(0)
        await bench.wait(3)
        assert dut.irq_o.value == 1
    assert await item.stopped()
    await bench.wait(5)
    assert dut.irq_o.value == 0
    await item.end()
    bench.msix(1)
    await bench.wait(100)
    assert not bench.messages


def lane(bench: CardBench, number: int) -> LaneStreams:
    places = (top.stream_source(number), top.stream_sink(number), top.stream_control(number))
    return LaneStreams(bench.bus, *places)


def pieces(bench: CardBench, at: int, size: int) -> list[tuple[int, int]]:
    """Address and size of random parts of a buffer, in order."""
    made = []
    while size:
        part = min(size, bench.rng.choice((1, 64, 256, bench.rng.randint(1, 3000))))
        made.append((at, part))
        at, size = at + part, size - part
    return made


@cocotb.test()
async def sinks(dut: Any) -> None:
    """What the host has arrives at each channel's sink, in order, cut into descriptors at any byte."""
    bench = CardBench(dut, "sinks", busy=0.15)
    await bench.begin()
    tasks = bench.bar.start()
    for item in bench.h2c:
        streams = lane(bench, item.number)
        for _ in range(3):
            bench.room_used = 0
            start, words = bench.rng.getrandbits(32), bench.rng.randint(1, 3000)
            bench.put(HOST_BASE + 12, pattern(start, 4 * words))
            await streams.expect(start)
            todo = ending([Descriptor(at, 0, size) for at, size in pieces(bench, HOST_BASE + 12, 4 * words)])
            todo = ending(todo, EOP)
            await item.begin(*bench.chain(todo))
            assert await item.stopped() == DONE
            await item.end()
            await bench.wait(50)  # the last beat may be taken after the reads have completed
            assert await streams.sink(sink.BYTES_LO_OFFSET) == 4 * words
            assert await streams.sink(sink.PACKETS_OFFSET) == 1
            assert await streams.sink(sink.STATUS_OFFSET) == sink.STATUS_SEEN_MASK, "a word was wrong"
    await bench.bar.end(tasks)


@cocotb.test()
async def sources(dut: Any) -> None:
    """What each channel's source sends arrives in the host's buffers."""
    bench = CardBench(dut, "sources", busy=0.15)
    await bench.begin()
    for item in bench.c2h:
        streams = lane(bench, item.number)
        for _ in range(3):
            bench.room_used = 0
            start, beats = bench.rng.getrandbits(32), bench.rng.randint(1, 200)
            size = beats * bench.beat_bytes
            bench.put(HOST_BASE, bytes(size + 64))
            todo = ending([Descriptor(0, at, part) for at, part in pieces(bench, HOST_BASE + 3, size)])
            await item.begin(*bench.chain(todo))
            await streams.emit(start, beats)
            assert await item.stopped() == DONE
            assert await item.completed() == len(todo)
            assert bench.get(HOST_BASE, size + 64) == bytes(3) + pattern(start, size) + bytes(61)
            await item.end()


@cocotb.test()
async def loops(dut: Any) -> None:
    """Packets go out by H2C and come back by C2H of the same lane, beside the BAR; one message each a chain, after
    its data, while masks change."""
    bench = CardBench(dut, "loops", busy=0.15)
    await bench.begin()
    await bench.set_up()
    tasks, masks = bench.bar.start(), Masks(bench)
    here, back, most = HOST_BASE, HOST_BASE + DATA_BYTES // 2, DATA_BYTES // 2
    for number in range(min(len(bench.h2c), len(bench.c2h))):
        to, fro = bench.h2c[number], bench.c2h[number]
        n, m = bench.channels.index(to), bench.channels.index(fro)
        await lane(bench, number).route(True)
        due = [b""]  # what comes back, of each turn

        def arrived(vector: int, m: int = m, due: list[bytes] = due) -> None:
            if vector == m:
                assert bench.get(back, len(due[-1])) == due[-1], "a message before its data"

        bench.when_heard = arrived
        for turn in range(1, 6):
            bench.room_used = 0
            packets = [bench.rng.randint(1, 4000) for _ in range(bench.rng.randint(1, 8))]
            due.append(bench.get(here, sum(packets)))
            bench.put(back, bytes(most))
            out, into, at = [], [], 0
            for size in packets:
                out += ending([Descriptor(a, 0, s) for a, s in pieces(bench, here + at, size)], EOP)
                into.append(Descriptor(0, back + at, size))
                at += size
            chains = bench.chain(ending(into)), bench.chain(ending(out))
            for item, chain in zip((fro, to), chains, strict=True):
                await item.begin(*chain)
            if bench.rng.random() < 0.5:
                await bench.table.mask(m)
                await bench.wait(bench.rng.randrange(2000))
                await bench.table.unmask(m)
            for vector, item, count in ((n, to, len(out)), (m, fro, len(into))):
                await bench.message(vector, turn)
                assert await item.read(regs.STATUS_RC_OFFSET) == DONE
                assert await item.completed() == count
                await item.end()
            assert bench.get(back, len(due[-1]) + 1) == due[-1] + bytes(1)
        assert (bench.heard(n), bench.heard(m)) == (5, 5)
    await masks.end()
    await bench.bar.end(tasks)
    await bench.wait(500)
    assert len(bench.messages) == 10 * min(len(bench.h2c), len(bench.c2h))


@cocotb.test()
async def resets(dut: Any) -> None:
    """A RESET of an H2C channel empties its lane's FIFO: the next packet comes back alone."""
    bench = CardBench(dut, "resets")
    await bench.begin()
    to, fro, streams = bench.h2c[0], bench.c2h[0], lane(bench, 0)
    await streams.route(True)
    for _ in range(3):
        bench.room_used = 0
        await to.begin(*bench.chain(ending([Descriptor(HOST_BASE, 0, 20_000, EOP)])))
        await bench.wait(bench.rng.randrange(300, 600))
        assert await streams.level() > 0
        await bench.bus.write(top.CONFIG_OFFSET + config.RESET_OFFSET, to.mask)
        while await bench.bus.read(top.CONFIG_OFFSET + config.RESET_OFFSET):
            pass
        assert await streams.level() == 0
        size = bench.rng.randint(1, 2000)
        bench.put(HOST_BASE + DATA_BYTES // 2, bytes(2048))
        await fro.begin(*bench.chain(ending([Descriptor(0, HOST_BASE + DATA_BYTES // 2, size)])))
        await to.begin(*bench.chain(ending([Descriptor(HOST_BASE, 0, size, EOP)])))
        for item in (to, fro):
            assert await item.stopped() == DONE
            await item.end()
        assert bench.get(HOST_BASE + DATA_BYTES // 2, 2048) == bench.get(HOST_BASE, size) + bytes(2048 - size)
