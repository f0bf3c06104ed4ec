# SPDX-License-Identifier: Apache-2.0
"""sl_axi_dma in scatter-gather mode with memory, descriptor memory, streams and register access, and
an independent model of what a chain of descriptors does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cocotb.triggers import ClockCycles, RisingEdge
from pg021 import BD_BYTES, BD_COMPLETE, BD_EOF, BD_LENGTH, BD_SOF, MM2S, S2MM, TAILDESC, Channel, Descriptor, bd_status

from tb import seed, stall
from tb.axi import AxiSlave, Stalls
from tb.axil import AxiLite
from tb.signals import reader, reset
from tb.stalls import Stall, parameters
from tb.stream import StreamSink, StreamSource

MEMORY_BYTES = 1 << 17
TABLE_BYTES = 1 << 15
TABLE = 0x4000_0000  # where the descriptors stand
FILL = 0xA5


@dataclass
class Piece:
    """What a model expects of one descriptor: its status, and for S2MM what stands in its buffer."""

    status: int
    data: bytes = b""


def receive(lengths: Sequence[int], packets: Sequence[bytes]) -> list[Piece]:
    """S2MM as PG021 says: each packet begins in a descriptor of its own and fills as many as it
    needs. Returns a piece for every descriptor that `packets` complete."""
    pieces: list[Piece] = []
    for packet in packets:
        left, first = packet, True
        while left:
            if len(pieces) == len(lengths):
                return pieces
            part, left = left[: lengths[len(pieces)]], left[lengths[len(pieces)] :]
            flags = (BD_SOF if first else 0) | (0 if left else BD_EOF)
            pieces.append(Piece(BD_COMPLETE | flags | len(part), part))
            first = False
    return pieces


class SgBench:
    """`busy` is the share of stalled cycles everywhere, `sg_busy` the one on the descriptor port."""

    def __init__(
        self,
        dut: Any,
        label: str,
        busy: float = 0.0,
        latency: int = 8,
        sg_busy: float | None = None,
        sg_latency: int | None = None,
        source_stall: Stall | None = None,
        sink_stall: Stall | None = None,
        table_bytes: int = TABLE_BYTES,
    ) -> None:
        self.dut = dut
        self.table_bytes = table_bytes
        self.rng = seed(label)
        p = parameters()
        self.size = int(p["DataWidth"]) // 8
        self.unaligned = bool(p.get("Unaligned", 0))
        self.len_max = (1 << int(p["LenWidth"])) - 1
        self.addr_width = int(p.get("AddrWidth", 32))
        self.wide = self.addr_width > 32

        def some(share: float = busy) -> Stall:
            return stall(seed(f"{label}/{self.rng.random()}"), share)

        def stalls(share: float) -> Stalls:
            return Stalls(*(some(share) for _ in range(5)))

        self.memory = AxiSlave(
            dut,
            "m_axi",
            bytearray([FILL]) * MEMORY_BYTES,
            read_latency=latency,
            write_latency=latency,
            max_burst=int(p.get("MaxBurst", 16)),
            stalls=stalls(busy),
        )
        self.base = TABLE | (0x5A_0000_0000 if self.wide else 0)
        self.table = AxiSlave(
            dut,
            "m_axi_sg",
            table_bytes,
            base=self.base,
            read_latency=latency if sg_latency is None else sg_latency,
            write_latency=latency if sg_latency is None else sg_latency,
            max_burst=16,
            stalls=stalls(busy if sg_busy is None else sg_busy),
        )
        self.source = StreamSource(dut, "s_axis", source_stall or some())
        self.sink = StreamSink(dut, "m_axis", sink_stall or some())
        self.bus = AxiLite(dut, some())
        self.mm2s = Channel(self.bus, MM2S, irq=dut.mm2s_irq_o)
        self.s2mm = Channel(self.bus, S2MM, irq=dut.s2mm_irq_o)
        self.offered = reader(dut.s_axis_tvalid)

    # ------------------------------------------------------------------------------------ driving
    async def begin(self) -> None:
        await reset(self.dut)

    async def clocks(self, count: int) -> None:
        if count:
            await ClockCycles(self.dut.clk_i, count)

    async def until(self, condition: Callable[[], bool], limit: int = 20_000, what: str = "") -> None:
        edge = RisingEdge(self.dut.clk_i)
        for _ in range(limit):
            if condition():
                return
            await edge
        raise AssertionError(f"not within {limit} cycles: {what}")

    async def drained(self) -> None:
        """Until the source has nothing more to give, for a few cycles on end."""
        quiet = 0

        def empty() -> bool:
            nonlocal quiet
            quiet = 0 if self.source.queue or self.offered() else quiet + 1
            return quiet > 3

        await self.until(empty, what="the stream is drained")

    def send(self, data: bytes, last: bool = True) -> None:
        self.source.send(data, last)

    async def start(self, channel: Channel, chain: Sequence[Descriptor], tail: int = -1, control: int = 0) -> None:
        await channel.run_chain(chain[0].at, chain[tail].at, control, self.wide)

    async def append(self, channel: Channel, at: int) -> None:
        await channel.put_pointer(TAILDESC, at, self.wide)

    # -------------------------------------------------------------------------------- descriptors
    @property
    def step(self) -> int:
        return 1 if self.unaligned else self.size

    def places(self, count: int, at: int = 0, scattered: bool = False, room: int | None = None) -> list[int]:
        """Addresses for descriptors: a contiguous run, or spread at random over `room` (half the
        table)."""
        room = self.table_bytes // 2 if room is None else room
        slots = range(count) if not scattered else self.rng.sample(range(room // BD_BYTES), count)
        return [self.base + at + slot * BD_BYTES for slot in slots]

    def chain(
        self,
        places: Sequence[int],
        buffers: Sequence[tuple[int, int]],
        flags: Sequence[int] | None = None,
        ring: bool = True,
    ) -> list[Descriptor]:
        """Descriptors at `places` for `buffers` (address, bytes), each pointing to the next, stored."""
        made = []
        for i, (at, (buffer, length)) in enumerate(zip(places, buffers, strict=True)):
            following = places[(i + 1) % len(places)] if ring or i + 1 < len(places) else self.base
            control = length | (flags[i] if flags is not None else 0)
            made.append(Descriptor(at, following, buffer, control))
        for descriptor in made:
            self.store(descriptor)
        return made

    def store(self, descriptor: Descriptor) -> None:
        descriptor.store(self.table.memory, self.base)

    def status(self, descriptor: Descriptor) -> int:
        return bd_status(self.table.memory, descriptor.at - self.base)

    def statuses(self, chain: Sequence[Descriptor]) -> list[int]:
        return [self.status(descriptor) for descriptor in chain]

    def complete(self, descriptor: Descriptor) -> bool:
        return bool(self.status(descriptor) & BD_COMPLETE)

    def buffers(self, lengths: Sequence[int], at: int, room: int) -> list[tuple[int, int]]:
        """Places for buffers of `lengths` in order within [at, at + room), with gaps at random."""
        spare = room - sum(-(-length // self.size) * self.size + self.size for length in lengths)
        assert spare >= 0, "no room for the buffers"
        found = []
        for length in lengths:
            gap = self.rng.randint(0, min(spare, 2 * self.size))
            spare -= gap
            at += gap
            place = -(-at // self.step) * self.step
            found.append((place, length))
            at = place + length
        return found

    # -------------------------------------------------------------------------------------- checks
    def check_sent(self, chain: Sequence[Descriptor], packets: Sequence[bytes]) -> None:
        """MM2S: `packets` came out, nothing else; every descriptor says all its bytes."""
        assert self.sink.packets == list(packets), "wrong packets on the stream"
        assert not self.sink.part, "a packet without its end"
        for i, descriptor in enumerate(chain):
            assert self.status(descriptor) == BD_COMPLETE | descriptor.control & BD_LENGTH, f"descriptor {i}"

    def check_received(self, chain: Sequence[Descriptor], pieces: Sequence[Piece]) -> None:
        """S2MM: each descriptor's status and data are the model's, and not a byte else is written."""
        touched = bytearray(len(self.memory.memory))
        for i, (descriptor, piece) in enumerate(zip(chain, pieces, strict=False)):
            assert self.status(descriptor) == piece.status, (
                f"descriptor {i}: {self.status(descriptor):#x}, not {piece.status:#x}"
            )
            at = descriptor.buffer
            assert self.memory.memory[at : at + len(piece.data)] == piece.data, f"data of descriptor {i}"
            touched[at : at + len(piece.data)] = b"\1" * len(piece.data)
        assert self.memory.written == touched, "written beside the buffers, or not once"
        for i, descriptor in enumerate(chain[len(pieces) :]):
            assert self.status(descriptor) == descriptor.status, f"descriptor {len(pieces) + i} touched"
