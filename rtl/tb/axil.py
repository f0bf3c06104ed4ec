# SPDX-License-Identifier: Apache-2.0
"""Register access as software does it: an AXI4-Lite master."""

from __future__ import annotations

from typing import Any

from cocotb.triggers import RisingEdge

from .axi import OKAY
from .signals import Writer, reader
from .stalls import NO_STALL, Stall

_OUTPUTS = (
    *("awaddr", "awprot", "awvalid", "wdata", "wstrb", "wvalid", "bready"),
    *("araddr", "arprot", "arvalid", "rready"),
)
_INPUTS = ("awready", "wready", "bvalid", "bresp", "arready", "rvalid", "rdata", "rresp")


class AxiLite:
    """One access at a time on <prefix>_*; `stall` delays addresses, data and the taking of
    responses independently."""

    def __init__(self, dut: Any, stall: Stall = NO_STALL, prefix: str = "s_axil") -> None:
        self.edge = RisingEdge(dut.clk_i)
        self.stall = stall
        self._out = {n: Writer(getattr(dut, f"{prefix}_{n}")) for n in _OUTPUTS}
        self._in = {n: reader(getattr(dut, f"{prefix}_{n}")) for n in _INPUTS}

    async def _step(self, todo: dict[str, bool], answer: str) -> None:
        """Offers what is in `todo`, then takes the answer; returns at the edge that takes it."""
        put, get = self._out, self._in
        offered = dict.fromkeys(todo, False)
        taking = False
        for _ in range(10_000):
            for name, done in todo.items():
                if not done and not offered[name] and not self.stall():
                    put[f"{name}valid"](1)
                    offered[name] = True
            if not taking and all(todo.values()) and not self.stall():
                put[f"{answer}ready"](1)
                taking = True
            await self.edge
            for name, done in todo.items():
                if not done and offered[name] and get[f"{name}ready"]():
                    todo[name] = True
                    put[f"{name}valid"](0)
            if taking and get[f"{answer}valid"]():
                put[f"{answer}ready"](0)
                return
        raise AssertionError(f"no answer on {answer} within 10,000 cycles")

    async def write_resp(self, addr: int, data: int, strobe: int = 0xF) -> int:
        self._out["awaddr"](addr)
        self._out["wdata"](data)
        self._out["wstrb"](strobe)
        await self._step({"aw": False, "w": False}, "b")
        return self._in["bresp"]()

    async def read_resp(self, addr: int) -> tuple[int, int]:
        self._out["araddr"](addr)
        await self._step({"ar": False}, "r")
        return self._in["rdata"](), self._in["rresp"]()

    async def write(self, addr: int, data: int, strobe: int = 0xF) -> None:
        resp = await self.write_resp(addr, data, strobe)
        assert resp == OKAY, f"write of {addr:#x}: response {resp}"

    async def read(self, addr: int) -> int:
        data, resp = await self.read_resp(addr)
        assert resp == OKAY, f"read of {addr:#x}: response {resp}"
        return data
