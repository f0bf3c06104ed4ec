# SPDX-License-Identifier: Apache-2.0
"""Register access by name, with the offsets and masks that are generated from regs/."""

from __future__ import annotations

import importlib
from typing import Any

from cocotb.triggers import RisingEdge

from tb.signals import Writer, reader


class Registers:
    """`block` names the generated module. `read` of X takes X, or X_LO and X_HI, whichever exists."""

    def __init__(self, dut: Any, block: str, prefix: str = "s_axil") -> None:
        self.names = importlib.import_module(f"sluice_regs.{block}")
        self.edge = RisingEdge(dut.clk_i)
        outputs = (
            "awaddr",
            "awprot",
            "awvalid",
            "wdata",
            "wstrb",
            "wvalid",
            "bready",
            "araddr",
            "arprot",
            "arvalid",
            "rready",
        )
        self.put = {name: Writer(getattr(dut, f"{prefix}_{name}")) for name in outputs}
        self.get = {
            name: reader(getattr(dut, f"{prefix}_{name}"))
            for name in ("awready", "wready", "bvalid", "bresp", "arready", "rvalid", "rdata", "rresp")
        }

    def mask(self, name: str) -> int:
        return int(getattr(self.names, f"{name}_MASK"))

    def field(self, name: str, value: int) -> int:
        return value << int(getattr(self.names, f"{name}_SHIFT"))

    async def write(self, name: str, value: int) -> None:
        put, get = self.put, self.get
        put["awaddr"](getattr(self.names, f"{name}_OFFSET"))
        put["wdata"](value)
        put["wstrb"](15)
        waiting = {"aw", "w"}
        for channel in waiting:
            put[f"{channel}valid"](1)
        put["bready"](1)
        while True:
            await self.edge
            for channel in list(waiting):
                if get[f"{channel}ready"]():
                    put[f"{channel}valid"](0)
                    waiting.remove(channel)
            if get["bvalid"]():
                assert get["bresp"]() == 0
                put["bready"](0)
                return

    async def _read(self, offset: int) -> int:
        put, get = self.put, self.get
        put["araddr"](offset)
        put["arvalid"](1)
        put["rready"](1)
        while True:
            await self.edge
            if get["arready"]():
                put["arvalid"](0)
            if get["rvalid"]():
                assert get["rresp"]() == 0
                put["rready"](0)
                return int(get["rdata"]())

    async def read(self, name: str) -> int:
        if hasattr(self.names, f"{name}_OFFSET"):
            return await self._read(getattr(self.names, f"{name}_OFFSET"))
        low = await self._read(getattr(self.names, f"{name}_LO_OFFSET"))
        return low | await self._read(getattr(self.names, f"{name}_HI_OFFSET")) << 32

    async def check(self, **expected: int) -> None:
        for name, value in expected.items():
            found = await self.read(name)
            assert found == value, f"{name} is {found}, expected {value}"
