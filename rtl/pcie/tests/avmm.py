# SPDX-License-Identifier: Apache-2.0
"""sl_avmm_table as software sees it: registers, a table of descriptors and status words in the host's memory, done
words that it polls, interrupts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pcie_bench import CARD_BASE, HOST_BASE, EngineBench

from tb import REPO, seed, stall
from tb.axi import OKAY, SLVERR, AxiSlave, Stalls

sys.path[:0] = [str(REPO / "regs" / "gen" / "python")]

from sluice_regs import sl_avmm_ext as ext

# The published map: these numbers are the specification's, not the generated ones.
BASE_LO, BASE_HI, FIFO_LO, FIFO_HI, LAST_PTR, TABLE_SIZE, CONTROL = range(0, 0x1C, 4)
NOTHING = 0xFF  # LAST_PTR after reset
WORDS_BYTES = 512
DESC_BYTES = 32
MOST = 128
DONE = 1
ERROR = 2

ST_BUSY, ST_FULL, ST_IRQ = 1, 2, 4
E_LENGTH, E_INDEX, E_FETCH, E_READ, E_WRITE, E_WORD, E_POINTER, E_OVERRUN = (1 << n for n in range(8))

SPAN = 1 << 16  # of the sources and of the targets, on either side
SLOT = SPAN // MOST
BAD_BYTES = 1 << 12  # answered with SLVERR, behind sources and targets
HOST_BYTES = 4 * SPAN
CARD_BYTES = 2 * SPAN + BAD_BYTES


@dataclass(frozen=True)
class Transfer:
    src: int
    dst: int
    size: int  # bytes
    cause: int = 0  # bits of ERROR that it has to end with
    index: int | None = None  # where not its place

    def image(self, place: int, exact: bool) -> bytes:
        """`exact`: with the extension's length in bytes; else garbage, which must not be looked at."""
        index = place if self.index is None else self.index
        dwords = self.size // 4 if not exact else (self.size * 7 + 5) % (1 << 18)
        if exact and self.size == 0:
            dwords = 0
        words = (dwords | index << 18, self.size if exact else 0xDEADBEEF, 0x12345678, 0x9ABCDEF0)
        addresses = self.src.to_bytes(8, "little") + self.dst.to_bytes(8, "little")
        return addresses + b"".join(w.to_bytes(4, "little") for w in words)


class Table:
    """One direction: its registers, and its table in the host's memory."""

    def __init__(self, bench: Bench, write: bool) -> None:
        self.bench = bench
        self.write = write
        self.at = 0x100 if write else 0x000
        self.ext = 0x1100 if write else 0x1000
        # Of the first table the status words or the descriptors go over 4 GiB.
        room = bench.rng.choice((range(0, 4096 - WORDS_BYTES, 32), range(4096 - WORDS_BYTES, 4096, 32)))
        self.base = HOST_BASE + (3 if write else 2) * SPAN + bench.rng.choice(room)
        self.size = MOST
        self.exact = False
        self.last = MOST - 1  # place of the descriptor requested last

    def __str__(self) -> str:
        return "write" if self.write else "read"

    async def get(self, offset: int) -> int:
        return await self.bench.bus.read(self.at + offset)

    async def put(self, offset: int, value: int) -> None:
        await self.bench.bus.write(self.at + offset, value)

    async def get_ext(self, offset: int) -> int:
        return await self.bench.bus.read(self.ext + offset)

    async def put_ext(self, offset: int, value: int) -> None:
        await self.bench.bus.write(self.ext + offset, value)

    async def setup(self, size: int = MOST, done: int = 1, exact: bool = False, control: int = 0) -> None:
        """As a driver begins."""
        self.size, self.exact = size, exact
        self.last = size - 1
        await self.put(BASE_HI, self.base >> 32)
        await self.put(BASE_LO, self.base & 0xFFFFFFFF)
        await self.put(FIFO_HI, 0)
        await self.put(FIFO_LO, 0x80000000)
        await self.put(TABLE_SIZE, size - 1)
        await self.put(CONTROL, done)
        if exact or control:
            await self.put_ext(ext.CONTROL_OFFSET, control | (ext.CONTROL_BYTES_MASK if exact else 0))

    def next(self, count: int = 1) -> list[int]:
        """The places that follow the last one."""
        return [(self.last + 1 + n) % self.size for n in range(count)]

    def fill(self, place: int, item: Transfer) -> None:
        self.bench.put(self.base + 4 * place, bytes(4))
        self.bench.put(self.base + WORDS_BYTES + DESC_BYTES * place, item.image(place, self.exact))

    def word(self, place: int) -> int:
        return int.from_bytes(self.bench.get(self.base + 4 * place, 4), "little")

    async def ring(self, place: int) -> None:
        """Requests the descriptors up to this place."""
        await self.put(LAST_PTR, place)
        self.last = place

    async def request(self, items: Sequence[Transfer]) -> list[int]:
        """Fills the places that follow and requests them; the places."""
        places = self.next(len(items))
        for place, item in zip(places, items, strict=True):
            self.fill(place, item)
        await self.ring(places[-1])
        return places

    async def ended(self, places: Sequence[int]) -> None:
        """Waits until each has its word."""
        for place in places:
            for _ in range(100_000):
                if self.word(place):
                    break
                await self.bench.edge
            else:
                raise AssertionError(f"{self}: no word of {place}")

    async def idle(self) -> None:
        for _ in range(10_000):
            if not await self.get_ext(ext.STATUS_OFFSET) & ST_BUSY:
                return
            await self.bench.wait(20)
        raise AssertionError(f"{self} stays busy")

    async def reset(self) -> None:
        await self.put_ext(ext.CONTROL_OFFSET, ext.CONTROL_RESET_MASK)
        for _ in range(2_000):
            if not await self.get_ext(ext.CONTROL_OFFSET) & ext.CONTROL_RESET_MASK:
                return
        raise AssertionError(f"{self}: the reset does not end")

    # ---- memory ----------------------------------------------------------------------------------
    @property
    def source(self) -> tuple[AxiSlave, int, int]:
        """Memory, its address, and where in it the sources begin."""
        return (self.bench.card, CARD_BASE, 0) if self.write else (self.bench.host, HOST_BASE, 0)

    @property
    def target(self) -> tuple[AxiSlave, int, int]:
        return (self.bench.host, HOST_BASE, SPAN) if self.write else (self.bench.card, CARD_BASE, SPAN)

    def targets(self) -> bytearray:
        """A copy of all that transfers write to."""
        memory, _, at = self.target
        return bytearray(memory.memory[at : at + SPAN])

    def transfer(self, slot: int, exact: bool | None = None, most: int = SLOT) -> Transfer:
        """A random one into its own part of the targets."""
        rng = self.bench.rng
        exact = self.exact if exact is None else exact
        unit = 1 if exact else 4
        room = min(most, SLOT) // unit
        size = unit * min(room, rng.choice((1, 2, 8, 16, 64, rng.randint(1, room))))
        _, from_base, from_at = self.source
        _, to_base, to_at = self.target
        src = from_at + unit * rng.randrange((SPAN - size) // unit + 1)
        dst = to_at + slot * SLOT + unit * rng.randrange((SLOT - size) // unit + 1)
        return Transfer(from_base + src, to_base + dst, size)

    def apply(self, image: bytearray, items: Sequence[Transfer]) -> None:
        """What the transfers make of a copy of the targets."""
        memory, from_base, _ = self.source
        _, to_base, to_at = self.target
        for item in items:
            src, dst = item.src - from_base, item.dst - to_base - to_at
            image[dst : dst + item.size] = memory.memory[src : src + item.size]

    def copy_back(self, image: bytearray, item: Transfer) -> None:
        """Of a transfer that failed: its destination holds anything."""
        memory, to_base, to_at = self.target
        at = item.dst - to_base
        if to_at <= at < to_at + SPAN:
            image[at - to_at : at - to_at + item.size] = memory.memory[at : at + item.size]

    def bad_source(self) -> int:
        """An address that reads fail at, by SLVERR or by DECERR."""
        memory, base, _ = self.source
        return base + self.bench.rng.choice((self.bench.bad_at(memory), len(memory.memory) + 0x100000))

    def bad_target(self) -> int:
        memory, base, _ = self.target
        return base + self.bench.rng.choice((self.bench.bad_at(memory), len(memory.memory) + 0x100000))


class Bench(EngineBench):
    """The engine between a host's memory and a card's."""

    def __init__(
        self,
        dut: Any,
        label: str,
        busy: float = 0.0,
        host_latency: int = 30,
        card_latency: int = 10,
        refusing_vectors: float = 0.0,
    ) -> None:
        super().__init__(dut, label, refusing_vectors)
        self.host_error: Callable[[bool, int], int] = lambda write, at: OKAY
        self.host = self._memory("m_axi_host", HOST_BASE, HOST_BYTES, host_latency, busy)
        self.card = self._memory("m_axi_card", CARD_BASE, CARD_BYTES, card_latency, busy)
        self.host.error = self._host_answer
        self.card.error = self._card_answer
        self.read = Table(self, False)
        self.write = Table(self, True)
        self.tables = (self.read, self.write)

    def _memory(self, prefix: str, base: int, size: int, latency: int, busy: float) -> AxiSlave:
        def some() -> Any:
            return stall(seed(f"{prefix}/{self.rng.random()}"), busy)

        return AxiSlave(
            self.dut,
            prefix,
            bytearray(self.rng.randbytes(size)),
            base=base,
            read_latency=latency,
            write_latency=latency,
            stalls=Stalls(some(), some(), some(), some(), some()),
        )

    def bad_at(self, memory: AxiSlave) -> int:
        return (2 * SPAN if memory is self.card else HOST_BYTES - BAD_BYTES) + 64

    def _card_answer(self, write: bool, at: int) -> int:
        return SLVERR if at >= CARD_BASE + 2 * SPAN else OKAY

    def _host_answer(self, write: bool, at: int) -> int:
        return SLVERR if at >= HOST_BASE + HOST_BYTES - BAD_BYTES else self.host_error(write, at)
