# SPDX-License-Identifier: Apache-2.0
"""Fast access to two-state top-level signals: reads without building a LogicArray, writes only what
changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cocotb.clock import Clock
from cocotb.triggers import ClockCycles
from cocotb.utils import get_sim_time

CLOCK_NS = 10


def reader(handle: Any) -> Callable[[], int]:
    """A function that reads the signal as an unsigned integer."""
    get = handle._handle.get_signal_val_binstr
    return lambda: int(get(), 2)


class Writer:
    """Writes a signal if its value changes."""

    def __init__(self, handle: Any, value: int = 0) -> None:
        self.handle = handle
        self.last = value
        handle.value = value

    def __call__(self, value: int) -> None:
        if value != self.last:
            self.last = value
            self.handle.value = value


async def reset(dut: Any, cycles: int = 4, start_clock: bool = True) -> None:
    """Starts the clock at 10 ns (once a test) and gives a synchronous reset; returns right after a
    rising edge."""
    if start_clock:
        Clock(dut.clk_i, CLOCK_NS, unit="ns").start()
    dut.rst_ni.value = 0
    await ClockCycles(dut.clk_i, cycles)
    dut.rst_ni.value = 1
    await ClockCycles(dut.clk_i, 1)


class Cycles:
    """Counts rising edges, for tests that state exact cycles. `cycles.now` is the number of the
    last edge since this was made."""

    def __init__(self, dut: Any) -> None:
        self._begun = self._edges()

    @staticmethod
    def _edges() -> int:
        return int(get_sim_time("ns")) // CLOCK_NS

    @property
    def now(self) -> int:
        return self._edges() - self._begun
