# SPDX-License-Identifier: Apache-2.0
"""An AXI4 master that issues any legal burst, one coroutine, one step a cycle."""

from __future__ import annotations

import random
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge
from traffic import Burst


class Pins:
    """The master of <prefix>_*, pin by pin: any legal burst, each channel with gaps of its own, several bursts under
    way. Beats follow their address; settle() waits until all has been answered."""

    def __init__(self, dut: Any, rng: random.Random, pause: float, prefix: str) -> None:
        self.dut, self.rng, self.pause, self.prefix = dut, rng, pause, prefix
        self.writes: list[tuple[Burst, list[tuple[int, int]]]] = []  # with data and strobe of each beat
        self.reads: list[Burst] = []
        self.answers: list[tuple[int, int]] = []  # ID and response, of writes
        self.found: list[tuple[int, int, int, int]] = []  # ID, data, response, last, of beats read
        self.cycle = 0
        self.ends: list[int] = []  # cycles of WLAST taken
        self.beats: list[int] = []  # cycles of beats read
        for name in ("awvalid", "wvalid", "arvalid", "bready", "rready"):
            self._set(name, 0)

    def _set(self, name: str, value: int) -> None:
        getattr(self.dut, f"{self.prefix}_{name}").value = value

    def _get(self, name: str) -> int:
        return int(getattr(self.dut, f"{self.prefix}_{name}").value)

    def start(self) -> None:
        cocotb.start_soon(self._run())

    def _rests(self) -> bool:
        return self.rng.random() < self.pause

    async def _run(self) -> None:
        aw = w = ar = 0  # of the bursts that come next on each channel
        beat = 0
        driven = {"aw": False, "w": False, "ar": False}
        while True:
            if not driven["aw"] and aw < len(self.writes) and not self._rests():
                for name, value in self.writes[aw][0].signals("aw").items():
                    self._set(name, value)
                driven["aw"] = True
            if not driven["w"] and (w < aw or (w == aw and driven["aw"])) and not self._rests():
                data, strobe = self.writes[w][1][beat]
                self._set("wdata", data)
                self._set("wstrb", strobe)
                self._set("wlast", int(beat == len(self.writes[w][1]) - 1))
                self._set("wvalid", 1)
                driven["w"] = True
            if not driven["ar"] and ar < len(self.reads) and not self._rests():
                for name, value in self.reads[ar].signals("ar").items():
                    self._set(name, value)
                driven["ar"] = True
            ready = {"b": not self._rests(), "r": not self._rests()}
            self._set("bready", int(ready["b"]))
            self._set("rready", int(ready["r"]))
            await RisingEdge(self.dut.clk_i)
            self.cycle += 1
            if driven["aw"] and self._get("awready"):
                aw += 1
                driven["aw"] = False
                self._set("awvalid", 0)
            if driven["w"] and self._get("wready"):
                beat += 1
                if beat == len(self.writes[w][1]):
                    self.ends.append(self.cycle)
                    w, beat = w + 1, 0
                driven["w"] = False
                self._set("wvalid", 0)
            if driven["ar"] and self._get("arready"):
                ar += 1
                driven["ar"] = False
                self._set("arvalid", 0)
            if ready["b"] and self._get("bvalid"):
                self.answers.append((self._get("bid"), self._get("bresp")))
            if ready["r"] and self._get("rvalid"):
                self.beats.append(self.cycle)
                self.found.append((self._get("rid"), self._get("rdata"), self._get("rresp"), self._get("rlast")))

    async def settle(self) -> None:
        """Until all that was asked has been answered."""
        beats = sum(burst.length for burst in self.reads)
        for _ in range(200_000):
            if len(self.answers) == len(self.writes) and len(self.found) == beats:
                return
            await RisingEdge(self.dut.clk_i)
        raise AssertionError("no answer")
