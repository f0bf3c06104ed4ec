# SPDX-License-Identifier: Apache-2.0
"""sl_msgdma with memory, streams and register access."""

from __future__ import annotations

from typing import Any

from cocotb.triggers import ClockCycles
from msgdma import (
    COMPLETE_IRQ,
    CONTROL,
    END_ON_LEN,
    FILL_LEVEL,
    GO,
    RESP_FILL_LEVEL,
    SEQ_NUM,
    ST_AT_RESET,
    STATUS,
    Descriptor,
    Msgdma,
)

from tb import seed, stall
from tb.axi import AxiSlave, Stalls
from tb.signals import reset
from tb.stalls import parameters
from tb.stream import StreamSink, StreamSource

MEMORY_BYTES = 1 << 18
HALF = MEMORY_BYTES // 2
FILL = 0xA5


class Bench:
    """The engine with memory (sources in the lower half, destinations in the upper), streams and
    register access; `busy` is the share of stalled cycles everywhere."""

    def __init__(self, dut: Any, label: str, busy: float = 0.0, latency: int = 8, **slave: Any) -> None:
        self.dut = dut
        self.rng = seed(label)
        p = parameters()
        self.mode = int(p.get("Mode", 0))
        self.size = int(p.get("DataWidth", 64)) // 8
        self.unaligned = bool(p.get("Unaligned", 0))
        self.packets = bool(p.get("Packets", 0))
        self.extended = bool(p.get("ExtendedDesc", 1))
        self.depth = int(p.get("QueueDepth", 32))
        self.len_width = int(p.get("LenWidth", 31))
        self.addr_width = int(p.get("AddrWidth", 32))
        self.p = p

        def some() -> Any:
            return stall(seed(f"{label}/{self.rng.random()}"), busy)

        self.memory = AxiSlave(
            dut,
            "m_axi",
            MEMORY_BYTES,
            read_latency=latency,
            write_latency=latency,
            max_burst=int(p.get("MaxBurst", 16)),
            stalls=Stalls(some(), some(), some(), some(), some()),
            **slave,
        )
        self.source = StreamSource(dut, "s_axis", some())
        self.sink = StreamSink(dut, "m_axis", some())
        self.dma = Msgdma(dut, self.extended, some())
        self.next_write = HALF

    @property
    def step(self) -> int:
        return 1 if self.unaligned else self.size

    async def begin(self) -> None:
        self.fresh()
        await reset(self.dut)

    async def clocks(self, count: int) -> None:
        if count:
            await ClockCycles(self.dut.clk_i, count)

    def fresh(self) -> None:
        """New contents everywhere, destinations blank again."""
        self.memory.memory[:HALF] = self.rng.randbytes(HALF)
        self.memory.memory[HALF:] = bytes([FILL]) * HALF
        self.memory.written[:] = bytes(MEMORY_BYTES)
        self.next_write = HALF

    def length(self, most: int = 1500) -> int:
        return self.rng.choice((self.rng.randint(1, most), self.rng.randint(1, 4 * self.size), most))

    def descriptor(self, length: int, control: int = 0) -> Descriptor:
        """Random addresses of the alignment that the engine takes; destinations never meet."""
        rng = self.rng
        read = rng.randrange(0, HALF - length) // self.step * self.step
        write = self.next_write + rng.randrange(0, 64) // self.step * self.step
        self.next_write = -(-(write + length) // self.size) * self.size
        assert self.next_write <= MEMORY_BYTES
        seq = rng.randrange(1 << 16) if self.extended else 0
        return Descriptor(read, write, length, GO | END_ON_LEN | control, seq)

    def data(self, d: Descriptor) -> bytes:
        return bytes(self.memory.memory[d.read : d.read + d.length])

    def check_written(self, descriptors: list[Descriptor]) -> None:
        """Each destination holds its source, each byte written once; no other byte was."""
        expected = bytearray(MEMORY_BYTES)
        for d in descriptors:
            assert self.memory.memory[d.write : d.write + d.length] == self.data(d), f"wrong data at {d.write:#x}"
            expected[d.write : d.write + d.length] = b"\1" * d.length
        assert self.memory.written == expected, "written beside a destination, or not once"

    def check_within(self, descriptors: list[Descriptor]) -> None:
        rest = bytearray(self.memory.written)
        for d in descriptors:
            rest[d.write : d.write + d.length] = bytes(d.length)
        assert not any(rest), "written outside the destinations"

    async def at_reset(self) -> None:
        csr = self.dma.csr
        assert [await csr.read(a) for a in (STATUS, CONTROL, FILL_LEVEL, RESP_FILL_LEVEL, SEQ_NUM)] == [
            ST_AT_RESET,
            0,
            0,
            0,
            0,
        ]

    async def copy(self, length: int) -> None:
        """One transfer as the driver does it, data checked."""
        self.fresh()
        d = self.descriptor(length, COMPLETE_IRQ)
        assert await self.dma.transfer(d) == (length, 0)
        self.check_written([d])


def stop(bench: Bench) -> None:
    """Ends a bench's coroutines, so that another may take the ports; the engine is at rest."""
    for part in (bench.memory, bench.source, bench.sink):
        part.stop()


async def write_all(dma: Msgdma, descriptors: list[Descriptor]) -> None:
    for d in descriptors:
        await dma.write(d)
