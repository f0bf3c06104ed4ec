# SPDX-License-Identifier: Apache-2.0
"""AXI-Stream source and sink, one Python step a cycle. TKEEP is contiguous from byte 0 and partial
only with TLAST."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge

from .signals import Writer, reader
from .stalls import NO_STALL, Stall


class StreamSource:
    """Drives <prefix>_tdata/tkeep/tlast/tvalid. `send()` queues bytes; `edge` of each taken beat
    goes to `beats`."""

    def __init__(self, dut: Any, prefix: str = "s_axis", stall: Stall = NO_STALL) -> None:
        self.clk = dut.clk_i
        self.stall = stall
        self.size = len(getattr(dut, f"{prefix}_tdata")) // 8
        self.set_data = Writer(getattr(dut, f"{prefix}_tdata"))
        self.set_keep = Writer(getattr(dut, f"{prefix}_tkeep"))
        self.set_last = Writer(getattr(dut, f"{prefix}_tlast"))
        self.set_valid = Writer(getattr(dut, f"{prefix}_tvalid"))
        self.get_ready = reader(getattr(dut, f"{prefix}_tready"))
        self.queue: deque[tuple[int, int, int]] = deque()
        self.taken = 0
        self.cycle = 0
        self.beats: list[int] = []
        self._task = cocotb.start_soon(self._run())

    def send(self, data: bytes, last: bool = True) -> None:
        """Queues `data`; the final beat carries TLAST if `last`. Without TLAST the length is whole
        beats."""
        size = self.size
        assert data and (last or len(data) % size == 0)
        for at in range(0, len(data), size):
            part = data[at : at + size]
            self.queue.append(
                (
                    int.from_bytes(part, "little"),
                    (1 << len(part)) - 1,
                    int(last and at + size >= len(data)),
                )
            )

    def clear(self) -> None:
        """Drops all beats not yet presented."""
        self.queue.clear()

    def stop(self) -> None:
        """Ends the coroutine; the signals stay as they are."""
        self._task.cancel()

    async def _run(self) -> None:
        edge = RisingEdge(self.clk)
        valid = False
        while True:
            await edge
            self.cycle += 1
            if valid and self.get_ready():
                self.taken += 1
                self.beats.append(self.cycle)
                valid = False
            if not valid and self.queue and not self.stall():
                data, keep, last = self.queue.popleft()
                self.set_data(data)
                self.set_keep(keep)
                self.set_last(last)
                valid = True
            self.set_valid(int(valid))


class StreamSink:
    """Takes beats from <prefix>_*. `packets` holds finished packets, `part` the open one; edges of
    beats in `beats`."""

    def __init__(
        self,
        dut: Any,
        prefix: str = "m_axis",
        stall: Stall = NO_STALL,
        on_beat: Callable[[int], None] | None = None,
    ) -> None:
        self.clk = dut.clk_i
        self.stall = stall
        self.size = len(getattr(dut, f"{prefix}_tdata")) // 8
        self.get_data = reader(getattr(dut, f"{prefix}_tdata"))
        self.get_keep = reader(getattr(dut, f"{prefix}_tkeep"))
        self.get_last = reader(getattr(dut, f"{prefix}_tlast"))
        self.get_valid = reader(getattr(dut, f"{prefix}_tvalid"))
        self.set_ready = Writer(getattr(dut, f"{prefix}_tready"))
        self.part = bytearray()
        self.packets: list[bytes] = []
        self.cycle = 0
        self.beats: list[int] = []
        self.on_beat = on_beat
        self.enabled = True
        self._task = cocotb.start_soon(self._run())

    def stop(self) -> None:
        """Ends the coroutine; the signals stay as they are."""
        self._task.cancel()

    async def _run(self) -> None:
        edge = RisingEdge(self.clk)
        ready = False
        full = (1 << self.size) - 1
        while True:
            await edge
            self.cycle += 1
            if ready and self.get_valid():
                keep = self.get_keep()
                last = self.get_last()
                count = keep.bit_count()
                assert keep == (1 << count) - 1 and count > 0, (
                    f"TKEEP {keep:#x} is not contiguous from byte 0"
                )
                assert last or keep == full, f"TKEEP {keep:#x} without TLAST"
                self.part += self.get_data().to_bytes(self.size, "little")[:count]
                self.beats.append(self.cycle)
                if self.on_beat is not None:
                    self.on_beat(self.cycle)
                if last:
                    self.packets.append(bytes(self.part))
                    self.part.clear()
            ready = self.enabled and not self.stall()
            self.set_ready(int(ready))
