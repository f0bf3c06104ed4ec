# SPDX-License-Identifier: Apache-2.0
"""sl_xdma as software sees it: registers, chains of descriptors in the host's memory, interrupts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pcie_bench import CARD_BASE, HOST_BASE, EngineBench

from tb import REPO, seed, stall
from tb.axi import OKAY, AxiSlave, Stalls
from tb.signals import reset

sys.path[:0] = [str(REPO / "regs" / "gen" / "python")]

from sluice_regs import sl_xdma as top
from sluice_regs import sl_xdma_channel as regs
from sluice_regs import sl_xdma_sgdma as sgdma

MAGIC = 0xAD4B
STOP, COMPLETED, EOP = 1, 2, 16
RUN = 1
NOTE_ALL = 0x00FFFE7E  # what AMD's driver sets beside RUN
POLL_WB = 1 << 26
BUSY, ST_STOPPED, ST_COMPLETED, ST_MAGIC, ST_LENGTH, ST_IDLE = 1, 2, 4, 16, 32, 64
READ_DEC, READ_SLV, WRITE_DEC, WRITE_SLV, DESC_DEC, DESC_SLV = (1 << n for n in (9, 10, 14, 15, 19, 20))
DONE = ST_STOPPED | ST_COMPLETED
DESC_BYTES = 32
MEMORY_BYTES = 1 << 18
DATA_BYTES = MEMORY_BYTES // 2  # the rest of the host's has descriptors, results and counts


@dataclass(frozen=True)
class Descriptor:
    src: int
    dst: int
    size: int
    flags: int = 0
    magic: int = MAGIC

    def image(self, adjacent: int, following: int) -> bytes:
        words = (self.magic << 16 | adjacent << 8 | self.flags, self.size)
        wide = (self.src, self.dst, following)
        return b"".join(w.to_bytes(4, "little") for w in words) + b"".join(w.to_bytes(8, "little") for w in wide)


def ending(descriptors: Sequence[Descriptor], flags: int = STOP | COMPLETED) -> list[Descriptor]:
    """The same, the last one with these flags too."""
    *others, last = descriptors
    return [*others, replace(last, flags=last.flags | flags)]


class Channel:
    """One channel's registers."""

    def __init__(self, bench: Bench, c2h: bool, number: int) -> None:
        self.bus = bench.bus
        self.edge = bench.edge
        self.c2h = c2h
        self.number = number
        self.mask = 1 << (16 * c2h + number)  # in registers that all channels share
        self.at = (top.c2h if c2h else top.h2c)(number)
        self.sgdma = (top.c2h_sgdma if c2h else top.h2c_sgdma)(number)

    def __str__(self) -> str:
        return f"{'C2H' if self.c2h else 'H2C'} {self.number}"

    async def read(self, offset: int) -> int:
        return await self.bus.read(self.at + offset)

    async def write(self, offset: int, value: int) -> None:
        await self.bus.write(self.at + offset, value)

    async def begin(self, first: int, adjacent: int, control: int = 0) -> None:
        """As AMD's driver starts an engine."""
        await self.bus.write(self.sgdma + sgdma.FIRST_LO_OFFSET, first & 0xFFFFFFFF)
        await self.bus.write(self.sgdma + sgdma.FIRST_HI_OFFSET, first >> 32)
        await self.bus.write(self.sgdma + sgdma.FIRST_ADJACENT_OFFSET, adjacent)
        await self.write(regs.CONTROL_OFFSET, NOTE_ALL | control | RUN)

    async def end(self) -> None:
        await self.write(regs.CONTROL_W1C_OFFSET, RUN)

    async def poll_at(self, address: int) -> None:
        await self.write(regs.POLL_WB_LO_OFFSET, address & 0xFFFFFFFF)
        await self.write(regs.POLL_WB_HI_OFFSET, address >> 32)

    async def status(self) -> int:
        return await self.read(regs.STATUS_OFFSET)

    async def stopped(self) -> int:
        """Waits until it is not busy; its status, which that clears."""
        for _ in range(20_000):
            if not await self.status() & BUSY:
                return await self.read(regs.STATUS_RC_OFFSET)
            for _ in range(20):
                await self.edge
        raise AssertionError(f"{self} stays busy")

    async def completed(self) -> int:
        return await self.read(regs.COMPLETED_COUNT_OFFSET)


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
        self.room_used = 0
        self.host_error: Callable[[bool, int], int] = lambda write, at: OKAY
        self.card_error: Callable[[bool, int], int] = lambda write, at: OKAY
        self.silent: set[AxiSlave] = set()  # neither take nor answer
        self._remake = lambda: (
            self._memory("m_axi_host", HOST_BASE, host_latency, busy, lambda *beat: self.host_error(*beat)),
            self._memory("m_axi_card", CARD_BASE, card_latency, busy, lambda *beat: self.card_error(*beat)),
        )
        self.host, self.card = self._remake()
        self.h2c = [Channel(self, False, n) for n in range(int(self.config.get("NumH2c", 1)))]
        self.c2h = [Channel(self, True, n) for n in range(int(self.config.get("NumC2h", 1)))]
        self.channels = self.h2c + self.c2h
        for name in ("cfg_bdf_i", "cfg_max_payload_i", "cfg_max_read_request_i", "cfg_msi_i", "cfg_msix_i"):
            getattr(dut, name).value = 0
        for name in ("user_irq_i", "m_axis_h2c_tready"):
            getattr(dut, name).value = 0
        for name in ("tdata", "tkeep", "tlast", "tvalid"):
            getattr(dut, f"s_axis_c2h_{name}").value = 0

    def _memory(self, prefix: str, base: int, latency: int, busy: float, error: Callable[[bool, int], int]) -> AxiSlave:
        def some() -> Any:
            refuses = stall(seed(f"{prefix}/{self.rng.random()}"), busy)
            return lambda: memory in self.silent or refuses()

        memory = AxiSlave(
            self.dut,
            prefix,
            bytearray(self.rng.randbytes(MEMORY_BYTES)),
            base=base,
            read_latency=latency,
            write_latency=latency,
            stalls=Stalls(some(), some(), some(), some(), some()),
            error=error,
        )
        return memory

    async def restart(self) -> None:
        """Resets the card; memories that have forgotten what they were asked, with other content."""
        for memory in (self.host, self.card):
            memory.stop()
            for name in ("arready", "rvalid", "awready", "wready", "bvalid"):
                getattr(self.dut, f"{memory.prefix}_{name}").value = 0
        await reset(self.dut, start_clock=False)
        self.host, self.card = self._remake()

    async def vector(self, number: int) -> None:
        """Waits for an interrupt, and takes it."""
        for _ in range(400_000):
            if number in self.vectors:
                self.vectors.remove(number)
                return
            await self.edge
        raise AssertionError(f"no vector {number}")

    # ---- memory ----------------------------------------------------------------------------------
    def source(self, item: Channel) -> AxiSlave:
        return self.card if item.c2h else self.host

    def target(self, item: Channel) -> AxiSlave:
        return self.host if item.c2h else self.card

    def room(self, size: int, align: int = DESC_BYTES) -> int:
        """Address of room in the half of the host's memory that is not for data."""
        at = -(-self.room_used // align) * align
        assert at + size <= MEMORY_BYTES - DATA_BYTES, "no room in the host's memory"
        self.room_used = at + size
        return HOST_BASE + DATA_BYTES + at

    def chain(
        self, descriptors: Sequence[Descriptor], blocks: Sequence[int] = (), garble: bool = True
    ) -> tuple[int, int]:
        """Writes a chain, in blocks of so many or in random ones; address and adjacent count of the first one.
        `garble`: NEXT and NEXT_ADJACENT inside a block are such as must not be looked at."""
        sizes = list(blocks)
        while sum(sizes) < len(descriptors):
            left = len(descriptors) - sum(sizes)
            sizes.append(min(left, self.rng.choice((1, 1, 2, 3, 7, 16, 40, 64))))
        places = [self.room(DESC_BYTES * size) for size in sizes]
        done = 0
        for number, (at, size) in enumerate(zip(places, sizes, strict=True)):
            for index, item in enumerate(descriptors[done : done + size]):
                adjacent, following = size - 2 - index, at + DESC_BYTES * (index + 1)
                if index + 1 == size:
                    ends = number + 1 == len(sizes)
                    adjacent, following = (0, 0) if ends else (sizes[number + 1] - 1, places[number + 1])
                elif garble:
                    adjacent, following = self.rng.randrange(64), self.rng.randrange(1 << 40) & ~31
                self.put(at + DESC_BYTES * index, item.image(adjacent, following))
            done += size
        return places[0], sizes[0] - 1

    def copies(self, count: int, c2h: bool, part: int = 0, parts: int = 1, most: int = 2000) -> list[Descriptor]:
        """Random copies, out of all data of one side into a part of the other's: their targets do not meet."""
        span = DATA_BYTES // parts
        room = span // count
        near, far = (CARD_BASE, HOST_BASE) if c2h else (HOST_BASE, CARD_BASE)
        made = []
        for n in range(count):
            size = min(room, self.rng.choice((1, 4, 32, 64, 256, self.rng.randint(1, most))))
            target = part * span + n * room + self.rng.randrange(room - size + 1)
            made.append(Descriptor(near + self.rng.randrange(DATA_BYTES - size), far + target, size))
        return made

    def expected(self, item: Channel, done: Sequence[Descriptor]) -> bytearray:
        """What the target's memory, as it is now, becomes by copies out of the source's as it is."""
        image = bytearray(self.target(item).memory)
        self.copy(item, image, bytes(self.source(item).memory), done)
        return image

    @staticmethod
    def copy(item: Channel, image: bytearray, source: bytes, done: Sequence[Descriptor]) -> None:
        from_base, to_base = (CARD_BASE, HOST_BASE) if item.c2h else (HOST_BASE, CARD_BASE)
        for d in done:
            src, dst = d.src - from_base, d.dst - to_base
            image[dst : dst + d.size] = source[src : src + d.size]
