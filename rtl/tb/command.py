# SPDX-License-Identifier: Apache-2.0
"""The movers' command and status ports."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge

from .signals import Writer, reader
from .stalls import NO_STALL, Stall


@dataclass
class Command:
    addr: int
    bytes: int
    eop: bool = True
    tag: int = 0


@dataclass
class Status:
    bytes: int
    eop: bool
    error: int
    tag: int
    edge: int = 0


class Commander:
    """Presents queued commands and collects statuses; edges of both are kept."""

    def __init__(self, dut: Any, cmd_stall: Stall = NO_STALL, sts_stall: Stall = NO_STALL) -> None:
        self.clk = dut.clk_i
        self.queue: deque[Command] = deque()
        self.taken: list[Command] = []
        self.taken_edges: list[int] = []
        self.statuses: list[Status] = []
        self.cycle = 0
        self.cmd_stall = cmd_stall
        self.sts_stall = sts_stall
        self._set = {
            n: Writer(getattr(dut, f"cmd_{n}_i")) for n in ("valid", "addr", "bytes", "tag")
        }
        self._eop = Writer(dut.cmd_eop_i) if hasattr(dut, "cmd_eop_i") else None
        self._cmd_ready = reader(dut.cmd_ready_o)
        self._sts = [reader(getattr(dut, f"sts_{n}_o")) for n in ("bytes", "eop", "error", "tag")]
        self._sts_valid = reader(dut.sts_valid_o)
        self._sts_ready = Writer(dut.sts_ready_i)
        self._task = cocotb.start_soon(self._run())

    def __call__(self, addr: int, count: int, eop: bool = True, tag: int = 0) -> None:
        self.queue.append(Command(addr, count, eop, tag))

    async def wait(self, count: int, limit: int = 200_000) -> list[Status]:
        """Waits for `count` statuses in all; fails after `limit` cycles."""
        edge = RisingEdge(self.clk)
        for _ in range(limit):
            if len(self.statuses) >= count:
                return self.statuses
            await edge
        raise AssertionError(f"{len(self.statuses)} of {count} statuses after {limit} cycles")

    def stop(self) -> None:
        """Ends the coroutine; the signals stay as they are."""
        self._task.cancel()

    async def _run(self) -> None:
        edge = RisingEdge(self.clk)
        valid = ready = False
        current = Command(0, 0)
        put = self._set
        while True:
            await edge
            self.cycle += 1
            if valid and self._cmd_ready():
                self.taken.append(current)
                if self.queue and self.queue[0] is current:
                    self.queue.popleft()
                self.taken_edges.append(self.cycle)
                valid = False
            if not self.queue:
                valid = False
            elif not valid and not self.cmd_stall():
                current = command = self.queue[0]
                put["addr"](command.addr)
                put["bytes"](command.bytes)
                put["tag"](command.tag)
                if self._eop is not None:
                    self._eop(int(command.eop))
                valid = True
            put["valid"](int(valid))
            if ready and self._sts_valid():
                got = [get() for get in self._sts]
                self.statuses.append(Status(got[0], bool(got[1]), got[2], got[3], self.cycle))
            ready = not self.sts_stall()
            self._sts_ready(int(ready))
