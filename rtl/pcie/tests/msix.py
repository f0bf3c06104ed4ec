# SPDX-License-Identifier: Apache-2.0
"""A model of what MSI-X owes a host: which vectors have come, which messages were allowed and which are missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tb.axil import AxiLite

from sluice_regs import sl_msix as top  # isort: skip
from sluice_regs import sl_msix_pba as pba  # isort: skip
from sluice_regs import sl_msix_vector as entry  # isort: skip

FOREVER = 1 << 60


@dataclass
class Vector:
    """One vector. Edges are numbers of rising edges."""

    address: int = -1  # of its messages
    data: int = 0
    came: list[int] = field(default_factory=list)  # edges at which it was taken, no message since
    masked_from: int = 0  # no message starts at an edge from this one
    masked_to: int = FOREVER  # to before this one
    sent: int = 0


class Owed:
    """Compares messages with the vectors that were taken. Messages are told by their start, the edge that raises
    AWVALID."""

    def __init__(self, vectors: int) -> None:
        self.vectors = [Vector() for _ in range(vectors)]
        self.disabled = 0  # how often MSI-X was disabled

    def came(self, number: int, edge: int) -> None:
        if number < len(self.vectors):
            self.vectors[number].came.append(edge)

    def disable(self) -> None:
        self.disabled += 1
        for vector in self.vectors:
            vector.came.clear()

    def message(self, address: int, data: int, edge: int) -> int:
        """Checks one; the vector that it is of."""
        number = next((n for n, v in enumerate(self.vectors) if v.address == address), None)
        assert number is not None, f"message to {address:#x}, which no vector has"
        vector = self.vectors[number]
        assert data == vector.data, f"vector {number}: data {data:#x}, not {vector.data:#x}"
        assert not vector.masked_from <= edge < vector.masked_to, f"vector {number}: a message while it is masked"
        told = [e for e in vector.came if e < edge]
        assert told, f"vector {number}: a message that nothing asked for"
        vector.came = [e for e in vector.came if e >= edge]
        vector.sent += 1
        return number

    @property
    def missing(self) -> set[int]:
        return {n for n, v in enumerate(self.vectors) if v.came}


class Table:
    """The table through a control bus, as a driver's kernel uses it; tells the model when masks change."""

    def __init__(self, bus: AxiLite, owed: Owed, now: Callable[[], int], base: int = 0) -> None:
        self.bus, self.owed, self.now, self.base = bus, owed, now, base

    def at(self, number: int, offset: int) -> int:
        return self.base + top.VECTOR_OFFSET + top.VECTOR_STRIDE * number + offset

    async def mask(self, number: int) -> None:
        vector = self.owed.vectors[number]
        await self.bus.write(self.at(number, entry.CONTROL_OFFSET), 1)
        vector.masked_from, vector.masked_to = self.now() + 1, FOREVER

    async def unmask(self, number: int) -> None:
        self.owed.vectors[number].masked_to = self.now()
        await self.bus.write(self.at(number, entry.CONTROL_OFFSET), 0)

    async def flush(self) -> int:
        return await self.bus.read(self.at(0, entry.CONTROL_OFFSET))

    async def set(self, number: int, address: int, data: int) -> None:
        """Gives a masked vector its message."""
        vector = self.owed.vectors[number]
        vector.address, vector.data = address, data
        for offset, value in (
            (entry.ADDR_LO_OFFSET, address & 0xFFFFFFFF),
            (entry.ADDR_HI_OFFSET, address >> 32),
            (entry.DATA_OFFSET, data),
        ):
            await self.bus.write(self.at(number, offset), value)

    async def pending(self) -> int:
        return await self.bus.read(self.base + top.PBA_OFFSET + pba.PENDING_OFFSET)

    async def failed(self) -> int:
        return await self.bus.read(self.base + top.PBA_OFFSET + pba.FAILED_OFFSET)
