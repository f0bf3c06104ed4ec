# SPDX-License-Identifier: Apache-2.0
"""Tests in the simulator for test_tb_run.py, one of which fails."""

from __future__ import annotations

from typing import Any

import cocotb

from tb.signals import reset
from tb.stalls import parameters, seed


@cocotb.test()
async def passes(dut: Any) -> None:
    dut.in_valid_i.value = dut.out_ready_i.value = dut.clear_i.value = 0
    await reset(dut)
    assert len(dut.in_data_i) == parameters()["Width"]
    print(f"drew {seed('run').random()}")


@cocotb.test()
async def fails(dut: Any) -> None:
    await reset(dut)
    raise AssertionError("as it should")


@cocotb.test(skip=True)
async def skipped(dut: Any) -> None:
    raise AssertionError("runs, although it is skipped")
