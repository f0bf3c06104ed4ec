# SPDX-License-Identifier: Apache-2.0
"""A card between its bridge and its memory: the host's memory, which takes the interrupts' messages too, the BAR."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiBus, AxiMaster

from tb import RTL, seed, stall, stall_pauses
from tb.axi import OKAY, AxiSlave, Stalls
from tb.axil import AxiLite
from tb.signals import Writer, reset
from tb.stalls import parameters

sys.path[:0] = [str(RTL / "pcie" / "tests")]

from msix import Owed, Table
from xdma import CARD_BASE, DATA_BYTES, HOST_BASE, MEMORY_BYTES, Bench, Channel, regs, top

from sluice_regs import sl_xdma_irq as irq  # isort: skip

MESSAGES = HOST_BASE + MEMORY_BYTES  # the interrupts' addresses, a page behind the host's memory
MESSAGES_BYTES = 4096


class Memory(AxiSlave):
    """A memory whose last page takes messages: `heard` is called with the address and the word of each."""

    heard: Callable[[int, int], None]

    def _write_beat(self, beat: tuple[int, int, int], size: int) -> None:
        burst = self.writes[0]
        super()._write_beat(beat, size)
        if burst.addr >= MESSAGES:
            data, strobe, _ = beat
            lane = burst.addr % size
            assert burst.beats == 1 and strobe == 0xF << lane, f"message with strobes {strobe:#x} at {burst.addr:#x}"
            self.heard(burst.addr, data >> 8 * lane & 0xFFFFFFFF)


class Bar:
    """The user-memory BAR: what it writes and reads is compared with a copy of its own."""

    def __init__(self, bench: CardBench, busy: float) -> None:
        self.bench = bench
        self.rng = seed(f"{bench.label}/bar")
        self.master = AxiMaster(
            AxiBus.from_prefix(bench.dut, "s_axi_bar"), bench.dut.clk_i, bench.dut.rst_ni, reset_active_level=False
        )
        for side in (self.master.write_if, self.master.read_if):
            side.log.setLevel("WARNING")
        for channel in (
            self.master.write_if.aw_channel,
            self.master.write_if.w_channel,
            self.master.write_if.b_channel,
            self.master.read_if.ar_channel,
            self.master.read_if.r_channel,
        ):
            channel.set_pause_generator(stall_pauses(self.rng, busy))
            channel.log.setLevel("WARNING")
        self.copy = bytearray(bench.card.memory[DATA_BYTES:])
        self.accesses = 0
        self.running = True

    async def write(self, address: int, data: bytes) -> None:
        assert (await self.master.write(address, data)).resp == OKAY

    async def read(self, address: int, size: int) -> bytes:
        answer = await self.master.read(address, size)
        assert answer.resp == OKAY
        return bytes(answer.data)

    def sizes(self) -> Iterator[int]:
        while True:
            yield self.rng.choice((1, 4, 8, 64, self.rng.randint(1, 300), self.rng.randint(1, 8000)))

    async def part(self, begin: int, end: int) -> None:
        """Random accesses to a part of the upper half of the card's memory, until `running` falls."""
        sizes = self.sizes()
        while self.running:
            size = min(next(sizes), end - begin)
            at = self.rng.randrange(begin, end - size + 1)
            if self.rng.random() < 0.5:
                data = self.rng.randbytes(size)
                await self.write(CARD_BASE + DATA_BYTES + at, data)
                self.copy[at : at + size] = data
            else:
                assert await self.read(CARD_BASE + DATA_BYTES + at, size) == self.copy[at : at + size]
            self.accesses += 1

    def start(self) -> list[Any]:
        """Several at once, each in a part of its own."""
        step = DATA_BYTES // 4
        return [cocotb.start_soon(self.part(n * step, (n + 1) * step)) for n in range(4)]

    async def end(self, tasks: list[Any]) -> None:
        self.running = False
        for task in tasks:
            await task
        assert self.bench.card.memory[DATA_BYTES:] == self.copy
        assert self.accesses > 20, f"{self.accesses} accesses are not many"


class CardBench(Bench):
    """The card; Bench has what makes chains, and the comparison."""

    def __init__(self, dut: Any, label: str, busy: float = 0.0, host_latency: int = 30, card_latency: int = 10) -> None:
        self.dut = dut
        self.label = label
        self.config = parameters()
        self.beat_bytes = int(self.config["DataWidth"]) // 8
        self.rng = seed(label)
        self.edge = RisingEdge(dut.clk_i)
        self.bus = AxiLite(dut, stall(seed(f"{label}/bus"), busy / 2))
        self._turn: deque[object] = deque()
        self.room_used = 0
        image = bytearray(self.rng.randbytes(MEMORY_BYTES)) + bytearray(MESSAGES_BYTES)
        self.host = Memory(
            dut,
            "m_axi_host",
            image,
            base=HOST_BASE,
            read_latency=host_latency,
            write_latency=host_latency,
            stalls=Stalls(*(stall(seed(f"{label}/host{n}"), busy) for n in range(5))),
        )
        self.host.heard = self._hear
        self.card = AxiSlave(
            dut,
            "m_axi_card",
            bytearray(self.rng.randbytes(MEMORY_BYTES)),
            base=CARD_BASE,
            read_latency=card_latency,
            write_latency=card_latency,
            stalls=Stalls(*(stall(seed(f"{label}/card{n}"), busy) for n in range(5))),
        )
        self.bar = Bar(self, busy)
        self.h2c = [Channel(self, False, n) for n in range(int(self.config.get("NumH2c", 1)))]
        self.c2h = [Channel(self, True, n) for n in range(int(self.config.get("NumC2h", 1)))]
        self.channels = self.h2c + self.c2h
        self.messages: list[tuple[int, int]] = []
        self.when_heard: Callable[[int], None] = lambda number: None
        self.msix, self.msix_mask = Writer(dut.cfg_msix_i), Writer(dut.cfg_msix_mask_i)
        self.msi = Writer(dut.cfg_msi_i)
        for name in ("cfg_bdf_i", "cfg_max_payload_i", "cfg_max_read_request_i"):
            getattr(dut, name).value = 0
        # What the messages are compared with is their vectors' addresses and data alone.
        self.table = Table(self.bus, Owed(32), lambda: 0, 0x8000)

    def _hear(self, address: int, data: int) -> None:
        number = (address - MESSAGES) // 4
        assert data == self.table.owed.vectors[number].data, f"message {number} has {data:#x}"
        self.messages.append((number, self.host.cycle))
        self.when_heard(number)

    async def begin(self) -> None:
        await reset(self.dut)

    async def set_up(self) -> None:
        """MSI-X as a driver sets it up: a vector a channel, all unmasked."""
        self.msix(1)
        for n, item in enumerate(self.channels):
            await self.table.set(n, MESSAGES + 4 * n, self.rng.getrandbits(32))
            await self.table.unmask(n)
            register = top.IRQ_OFFSET + (irq.CHANNEL_VECTOR0_OFFSET, irq.CHANNEL_VECTOR1_OFFSET)[n // 4]
            await self.bus.write(register, n << 8 * (n % 4), 1 << n % 4)
            await item.write(regs.IRQ_MASK_OFFSET, 0x00FFFE7E)
        await self.bus.write(top.IRQ_OFFSET + irq.CHANNEL_ENABLE_OFFSET, 0xFF)

    def heard(self, number: int) -> int:
        return sum(n == number for n, _ in self.messages)

    async def message(self, number: int, count: int) -> None:
        """Waits until so many of one vector have come."""
        for _ in range(200_000):
            if self.heard(number) >= count:
                return
            await self.edge
        raise AssertionError(f"{self.heard(number)} messages of vector {number}, not {count}")
