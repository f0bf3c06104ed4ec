# SPDX-License-Identifier: Apache-2.0
"""Drives every input of a checker cycle by cycle and reads which rules it saw broken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

from tb.signals import CLOCK_NS, Writer, reader

Cycle = Mapping[str, int]


class Monitor:
    """`step(**signals)` puts the signals on the bus for one rising edge, everything not named at 0."""

    def __init__(self, dut: Any, prefix: str, inputs: Sequence[str], rules: Sequence[str]) -> None:
        self.dut = dut
        self.edge = RisingEdge(dut.clk_i)
        self.signals = {name: Writer(getattr(dut, f"{prefix}_{name}")) for name in inputs}
        self.rst = Writer(dut.rst_ni)
        self.violation = reader(dut.violation_o)
        self.rules = rules
        Clock(dut.clk_i, CLOCK_NS, unit="ns").start()

    async def step(self, rst_ni: int = 1, **signals: int) -> None:
        for name, write in self.signals.items():
            write(signals.pop(name, 0))
        assert not signals, f"no such inputs: {list(signals)}"
        self.rst(rst_ni)
        await self.edge

    async def reset(self) -> None:
        for _ in range(2):
            await self.step(rst_ni=0)
        await self.step()

    async def broken(self) -> set[str]:
        """The rules broken up to the last step (one idle cycle later, when the vector shows it)."""
        await self.edge
        return self.now()

    def now(self) -> set[str]:
        value = self.violation()
        return {rule for bit, rule in enumerate(self.rules) if value >> bit & 1}

    async def play(self, cycles: Sequence[Cycle]) -> set[str]:
        """Resets, plays the cycles from the first cycle after reset but one, says what was broken."""
        await self.reset()
        for cycle in cycles:
            await self.step(**cycle)
        return await self.broken()
