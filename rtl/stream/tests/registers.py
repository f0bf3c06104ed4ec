# SPDX-License-Identifier: Apache-2.0
"""Register access by name, with the offsets and masks that are generated from regs/."""

from __future__ import annotations

import importlib
from typing import Any

from tb.axil import AxiLite


class Registers:
    """`block` names the generated module. `read` of X takes X, or X_LO and X_HI, whichever exists."""

    def __init__(self, dut: Any, block: str, prefix: str = "s_axil") -> None:
        self.names = importlib.import_module(f"sluice_regs.{block}")
        self.bus = AxiLite(dut, prefix=prefix)

    def mask(self, name: str) -> int:
        return int(getattr(self.names, f"{name}_MASK"))

    def field(self, name: str, value: int) -> int:
        return value << int(getattr(self.names, f"{name}_SHIFT"))

    async def write(self, name: str, value: int) -> None:
        await self.bus.write(getattr(self.names, f"{name}_OFFSET"), value)

    async def read(self, name: str) -> int:
        if hasattr(self.names, f"{name}_OFFSET"):
            return await self.bus.read(getattr(self.names, f"{name}_OFFSET"))
        low = await self.bus.read(getattr(self.names, f"{name}_LO_OFFSET"))
        return low | await self.bus.read(getattr(self.names, f"{name}_HI_OFFSET")) << 32

    async def check(self, **expected: int) -> None:
        for name, value in expected.items():
            found = await self.read(name)
            assert found == value, f"{name} is {found}, expected {value}"
