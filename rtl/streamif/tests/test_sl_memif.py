# SPDX-License-Identifier: Apache-2.0
"""sl_memif of one thread, the fewest that there may be; test_sl_streamif.py has the other tests of it."""

from __future__ import annotations

from typing import Any

import cocotb
from sluice_regs import sl_streamif as regs

from tb import run
from tb.axil import AxiLite
from tb.signals import reset


def test_one_thread() -> None:
    run("sl_memif", {"NumThreads": 1})


@cocotb.test()
async def alone(dut: Any) -> None:
    """It is there, and has one thread on one port."""
    await reset(dut)
    config = await AxiLite(dut).read(regs.CONFIG_OFFSET)
    assert config == 1 | 1 << 8 | 4 << 16 | 26 << 24
