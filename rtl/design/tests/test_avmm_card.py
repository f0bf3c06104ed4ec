# SPDX-License-Identifier: Apache-2.0
"""avmm_card through its pins: registers and their holes, DMA by tables beside the BAR, interrupts as messages."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from card import MESSAGES, MESSAGES_BYTES, Bar, Memory
from cocotb.triggers import RisingEdge
from msix import Owed
from msix import Table as Msix

from tb import run, seed, stall
from tb.axi import OKAY, AxiSlave, Stalls
from tb.axil import AxiLite
from tb.signals import Writer, reset
from tb.stalls import parameters

from avmm import CARD_BASE, DONE, HOST_BASE, HOST_BYTES, LAST_PTR, MOST, NOTHING, SPAN, Bench, Table, ext  # isort: skip
from sluice_regs import avmm_card as top  # isort: skip
from sluice_regs import sl_design_page as page  # isort: skip
from sluice_regs import sl_msix_pba as pba  # isort: skip

CONFIGURATIONS: list[dict[str, Any]] = [
    {"DataWidth": 128, "BufferBeats": 128},
    {"DataWidth": 64, "BufferBeats": 128},
    {"DataWidth": 256, "BufferBeats": 512},
    {"DataWidth": 512, "BufferBeats": 128, "MaxBurst": 8},
]


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=lambda c: str(c["DataWidth"]))
def test_avmm_card(config: dict[str, Any]) -> None:
    run("avmm_card", config)


class CardBench(Bench):
    """The card between a host's memory, which takes messages too, and its own; the BAR has its upper half."""

    def __init__(self, dut: Any, label: str, busy: float = 0.0) -> None:
        self.dut = dut
        self.label = label
        self.config = parameters()
        self.beat_bytes = int(self.config["DataWidth"]) // 8
        self.rng = seed(label)
        self.edge = RisingEdge(dut.clk_i)
        self.bus = AxiLite(dut, stall(seed(f"{label}/bus"), busy / 2))
        self.host = Memory(
            dut,
            "m_axi_host",
            bytearray(self.rng.randbytes(HOST_BYTES)) + bytearray(MESSAGES_BYTES),
            base=HOST_BASE,
            read_latency=30,
            write_latency=30,
            stalls=Stalls(*(stall(seed(f"{label}/host{n}"), busy) for n in range(5))),
        )
        self.host.heard = self._hear
        self.card = AxiSlave(
            dut,
            "m_axi_card",
            bytearray(self.rng.randbytes(4 * SPAN)),
            base=CARD_BASE,
            read_latency=10,
            write_latency=10,
            stalls=Stalls(*(stall(seed(f"{label}/card{n}"), busy) for n in range(5))),
        )
        self.bar = Bar(self, busy)
        self.read, self.write = Table(self, False), Table(self, True)
        self.tables = (self.read, self.write)
        self.messages: list[int] = []
        self.when_heard = lambda number: None
        self.msix_enable, self.msix_mask = Writer(dut.cfg_msix_i), Writer(dut.cfg_msix_mask_i)
        self.msi = Writer(dut.cfg_msi_i)
        for name in ("cfg_bdf_i", "cfg_max_payload_i", "cfg_max_read_request_i"):
            getattr(dut, name).value = 0
        self.msix = Msix(self.bus, Owed(32), lambda: 0, 0x8000)

    def _hear(self, address: int, data: int) -> None:
        number = (address - MESSAGES) // 4
        assert data == self.msix.owed.vectors[number].data, f"message {number} has {data:#x}"
        self.messages.append(number)
        self.when_heard(number)

    async def begin(self) -> None:
        await reset(self.dut)

    async def vectors(self) -> None:
        """MSI-X as a driver sets it up: a vector a direction, both unmasked."""
        self.msix_enable(1)
        for number, table in enumerate(self.tables):
            await self.msix.set(number, MESSAGES + 4 * number, self.rng.getrandbits(32))
            await self.msix.unmask(number)
            await table.put_ext(ext.VECTOR_OFFSET, number)


@cocotb.test()
async def holes(dut: Any) -> None:
    """Each block is at its address, and no address is without an answer."""
    bench = CardBench(dut, "holes", busy=0.2)
    await bench.begin()
    assert await bench.bus.read(top.PAGE_OFFSET + page.IDENTITY_OFFSET) == int.from_bytes(b"SLAV", "big")
    config = await bench.bus.read(top.PAGE_OFFSET + page.CONFIG_OFFSET)
    assert config == 1 << 24 | 28 << 16 | bench.beat_bytes << 8 | 1
    for table in bench.tables:
        assert await table.get(LAST_PTR) == NOTHING
        assert await table.get_ext(ext.CAPABILITY_OFFSET) == 0x534C4301
    for number in (0, 31):
        assert await bench.bus.read(bench.msix.at(number, 0xC)) == 1, "a vector is not masked"
    holes = [0x200, 0xFFC, 0x1200, 0x2000, 0x4000, 0x8200, 0x8FC0, 0x9000, 0x11000, 0x20000, 0xFFFFC]
    holes += [bench.rng.randrange(0x2000, 0x8000) & ~3 for _ in range(10)]
    for address in holes:
        assert await bench.bus.write_resp(address, 0xFFFFFFFF) == OKAY
        assert await bench.bus.read_resp(address) == (0, OKAY), f"{address:#x}"


@cocotb.test()
async def bar_and_dma(dut: Any) -> None:
    """Accesses of the BAR beside DMA both ways, byte by byte; then DMA of what the BAR wrote, and its read of DMA."""
    bench = CardBench(dut, "bar_and_dma", busy=0.15)
    await bench.begin()
    for table in bench.tables:
        await table.setup(exact=True)
    tasks = bench.bar.start()
    for _ in range(3):
        work = []
        for table in bench.tables:
            items = [table.transfer(slot) for slot in range(MOST)]
            image = table.targets()
            table.apply(image, items)
            work.append((table, image, await table.request(items)))
        for table, image, places in work:
            await table.ended(places)
            assert table.targets() == image, str(table)
            assert all(table.word(place) == DONE for place in places)
    await bench.bar.end(tasks)
    for turn in range(5):
        item = bench.write.transfer(turn)
        data = bench.rng.randbytes(item.size)
        await bench.bar.write(item.src, data)
        await bench.write.ended(await bench.write.request([item]))
        assert bench.get(item.dst, item.size) == data
        item = bench.read.transfer(turn)
        bench.put(item.src, bench.rng.randbytes(item.size))
        await bench.read.ended(await bench.read.request([item]))
        assert await bench.bar.read(item.dst, item.size) == bench.get(item.src, item.size)


@cocotb.test()
async def interrupts(dut: Any) -> None:
    """Each request sends one message, after its done word and its data, while masks change at random moments."""
    bench = CardBench(dut, "interrupts", busy=0.15)
    await bench.begin()
    for table in bench.tables:
        await table.setup()
    await bench.vectors()
    tasks = bench.bar.start()
    running = True

    async def function_mask() -> None:
        while running:
            await bench.wait(bench.rng.randrange(300))
            bench.msix_mask(1)
            await bench.wait(bench.rng.randrange(1, 200))
            bench.msix_mask(0)

    masks = cocotb.start_soon(function_mask())
    images: dict[int, bytearray] = {}
    last: dict[int, int] = {}

    def arrived(number: int) -> None:
        table = bench.tables[number]
        assert table.word(last[number]) == DONE, f"{table}: before its done word"
        assert table.targets() == images[number], f"{table}: before its data"

    bench.when_heard = arrived
    turns = 8
    for turn in range(1, turns + 1):
        for number, table in enumerate(bench.tables):
            items = [table.transfer(slot) for slot in range(bench.rng.randint(1, 12))]
            images[number] = table.targets()
            table.apply(images[number], items)
            last[number] = table.next(len(items))[-1]
            masked = bench.rng.random() < 0.5
            if masked:
                await bench.msix.mask(number)
            await table.request(items)
            await bench.wait(bench.rng.randrange(600))
            if masked:
                await table.ended([last[number]])
                await table.idle()
                await bench.wait(20)
                assert bench.messages.count(number) == turn - 1
                assert await bench.bus.read(top.MSIX_PBA_OFFSET + pba.PENDING_OFFSET) == 1 << number
                await bench.msix.unmask(number)
            for _ in range(20_000):
                if bench.messages.count(number) == turn:
                    break
                await bench.edge
            else:
                raise AssertionError(f"{table}: no message")
    running = False
    await masks
    await bench.bar.end(tasks)
    await bench.wait(300)
    assert [bench.messages.count(number) for number in range(2)] == [turns] * 2


@cocotb.test()
async def intx(dut: Any) -> None:
    """The level while neither MSI-X nor MSI is enabled, where software has asked for it; no message meanwhile."""
    bench = CardBench(dut, "intx")
    await bench.begin()
    await bench.vectors()
    bench.msix_enable(0)
    for table in bench.tables:
        await table.setup()
        await table.ended(await table.request([table.transfer(0)]))
        await table.idle()
        assert dut.irq_o.value == 0
        await table.put_ext(ext.CONTROL_OFFSET, ext.CONTROL_INTX_MASK)
        await bench.wait(3)
        assert dut.irq_o.value == 1
        for enable in (bench.msix_enable, bench.msi):
            enable(1)
            await bench.wait(3)
            assert dut.irq_o.value == 0
            enable(0)
            await bench.wait(3)
            assert dut.irq_o.value == 1
        await table.put_ext(ext.STATUS_OFFSET, ext.STATUS_IRQ_MASK)
        await bench.wait(3)
        assert dut.irq_o.value == 0
    bench.msix_enable(1)
    await bench.wait(100)
    assert not bench.messages
