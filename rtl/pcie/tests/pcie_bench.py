# SPDX-License-Identifier: Apache-2.0
"""What the benches of the card's engines have in common: registers, the host's memory, MSI-X vectors, time."""

from __future__ import annotations

from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge

from tb import seed, stall
from tb.axi import AxiSlave
from tb.axil import AxiLite
from tb.signals import Cycles, Writer, reader, reset
from tb.stalls import parameters

# A multiple of 4 GiB lies in both: 4 KiB behind where descriptors begin, and among the data. What counts an address up
# in 32 bits goes wrong there.
HOST_BASE = 0x6_0000_0000 - 0x2_1000
CARD_BASE = 0x11_0000_0000 - 0x1_8000


class EngineBench:
    """An engine between a host's memory and a card's, both for the derived class to make.

    `label` names its random numbers; vectors are refused in that share of the cycles."""

    host: AxiSlave
    card: AxiSlave

    def __init__(self, dut: Any, label: str, refusing_vectors: float) -> None:
        self.dut = dut
        self.config = parameters()
        self.beat_bytes = int(self.config["DataWidth"]) // 8
        self.rng = seed(label)
        self.edge = RisingEdge(dut.clk_i)
        self.bus = AxiLite(dut)
        self.vectors: list[int] = []
        self._refuse = stall(seed(f"{label}/vectors"), refusing_vectors)
        dut.vector_ready_i.value = 0

    async def begin(self) -> None:
        await reset(self.dut)
        self.cycles = Cycles(self.dut)
        cocotb.start_soon(self._take_vectors())

    async def _take_vectors(self) -> None:
        valid, vector = reader(self.dut.vector_valid_o), reader(self.dut.vector_o)
        set_ready, ready = Writer(self.dut.vector_ready_i), False
        while True:
            await self.edge
            if ready and valid():
                self.vectors.append(vector())
            ready = not self._refuse()
            set_ready(int(ready))

    async def wait(self, cycles: int) -> None:
        if cycles:
            await ClockCycles(self.dut.clk_i, cycles)

    def put(self, address: int, data: bytes) -> None:
        """Writes the host's memory, past every bus."""
        at = address - HOST_BASE
        self.host.memory[at : at + len(data)] = data

    def get(self, address: int, size: int) -> bytes:
        at = address - HOST_BASE
        return bytes(self.host.memory[at : at + size])
