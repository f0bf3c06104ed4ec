# SPDX-License-Identifier: Apache-2.0
"""dma_loopback: what it has not of hp_stress, and hp_stress's tests of the loop on it."""

from __future__ import annotations

import sys
from typing import Any

import cocotb
import pytest

from tb import REPO, RTL, run
from tb.signals import reset
from tb.stalls import parameters

sys.path[:0] = [str(RTL / "dma" / "tests"), str(REPO / "regs" / "gen" / "python")]

from lane import sources
from sluice_regs import dma_loopback as top
from sluice_regs import sl_design_page as page

from tb.axi import DECERR, OKAY
from tb.axil import AxiLite

CONFIGURATION = {"NumPorts": 2, "DataWidth": 64, "LenWidth": 16, "BufferBeats": 128, "FifoBeats": 64}
TESTS = ["pages", "loop_back", "soft_reset_empties_the_loop"]


def test_dma_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    # Verilator splits a design of this size, and its makefile then includes a precompiled header
    # by a flag of clang's.
    monkeypatch.setenv("MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include OPT_FAST=-O1")
    run("dma_loopback", sources("dma_loopback"), CONFIGURATION, ["test_dma_loopback", "test_hp_stress"], testcase=TESTS)


@cocotb.test()
async def pages(dut: Any) -> None:
    """The design page is its own; source and sink are not there."""
    bus = AxiLite(dut)
    ports = parameters()["NumPorts"]
    await reset(dut)
    assert await bus.read_resp(top.PAGE_OFFSET + page.IDENTITY_OFFSET) == (0x534C4C42, OKAY)
    for port in range(4):
        for block in range(16):
            there = port < ports and block << 12 in (top.HP_DMA_OFFSET, top.HP_CONTROL_OFFSET)
            at = port << 16 | block << 12
            assert (await bus.read_resp(at))[1] == (OKAY if there else DECERR), f"{at:#x}"
