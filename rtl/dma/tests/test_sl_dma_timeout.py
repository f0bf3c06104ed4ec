# SPDX-License-Identifier: Apache-2.0
"""sl_dma_timeout: to the cycle; sticky, or not."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from cocotb.triggers import ClockCycles

from tb import run
from tb.signals import reader, reset
from tb.stalls import parameters


@cocotb.test()
async def to_the_cycle(dut: Any) -> None:
    """A wait one cycle short leaves nothing behind; one of Timeout cycles expires, until rst_ni."""
    timeout = int(parameters()["Timeout"])
    expired = reader(dut.expired_o)
    dut.wait_i.value = 0
    await reset(dut)
    if timeout == 0:
        dut.wait_i.value = 1
        await ClockCycles(dut.clk_i, 300)
        assert not expired()
        return
    for _ in range(3):
        if timeout > 1:
            dut.wait_i.value = 1
            await ClockCycles(dut.clk_i, timeout - 1)
        dut.wait_i.value = 0
        await ClockCycles(dut.clk_i, 3)
        assert not expired(), "one cycle early"
    dut.wait_i.value = 1
    await ClockCycles(dut.clk_i, timeout)
    dut.wait_i.value = 0
    await ClockCycles(dut.clk_i, 1)
    assert expired(), "on time"
    if not int(parameters().get("Hold", 1)):
        await ClockCycles(dut.clk_i, 1)
        assert not expired(), "not sticky"
        dut.wait_i.value = 1
        await ClockCycles(dut.clk_i, timeout + 100)
        assert expired(), "as long as the wait"
        return
    await ClockCycles(dut.clk_i, 20)
    assert expired(), "sticky"
    await reset(dut, start_clock=False)
    assert not expired()


@pytest.mark.parametrize("hold", [1, 0])
@pytest.mark.parametrize("timeout", [0, 1, 2, 37, 64])
def test_sl_dma_timeout(timeout: int, hold: int) -> None:
    run("sl_dma_timeout", {"Timeout": timeout, "Hold": hold})
