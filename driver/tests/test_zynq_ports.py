# SPDX-License-Identifier: Apache-2.0
"""What a program under Linux gets of a Zynq's ports, in modelled time: a short form of `make
zynq-queue`, without RTL; test_zynq_logic.py has the long one."""

from __future__ import annotations

import os

import pytest

from driver.overhead import queue
from tools.debian import UnavailableError

FULL = os.environ.get("SLUICE_FULL") is not None
PORTS = 4
PORT_MB_S = 800  # 64 bits at 100 MHz
BYTES = 1 << 16
DEPTH = 16
TRANSFERS = 64 if FULL else 32  # a port


def measured(level: str) -> list[dict[str, object]]:
    way = queue.WAYS["stream"]
    planned = queue.steps(way, [PORTS], [1, DEPTH], ["none"], BYTES, TRANSFERS)
    try:
        return [dict(row) for row in queue.rows(queue.Machine(level), way, planned)]
    except UnavailableError as error:
        pytest.skip(str(error))


def rate(row: dict[str, object]) -> float:
    found = row["mb_s"]
    assert isinstance(found, float)
    return found


def test_a_queue_gets_the_rate_of_four_ports() -> None:
    """The kernel's own xilinx_dma, sluice.ko and libsluice: with transfers one at a time an engine
    is idle from its interrupt until the program has reaped and submitted again; a program that
    waits for one port while another is idle gets 0.42. A queue of 16 leaves hardly any time. An
    engine without a model of its time, or a clock that is not the board's, is far off on either
    side."""
    one, many = measured("transaction")
    assert 0.7 * PORTS * PORT_MB_S < rate(one) < 0.85 * PORTS * PORT_MB_S, one
    assert 0.9 * PORTS * PORT_MB_S < rate(many) < PORTS * PORT_MB_S, many


@pytest.mark.skipif(not FULL, reason="make test-full boots twice")
def test_two_boots_measure_the_same_time() -> None:
    """To the nanosecond: nothing but the guest's own clock decides."""
    first, second = measured("transaction"), measured("transaction")
    assert first == second


@pytest.mark.skipif(not FULL, reason="make test-full compares the levels")
def test_both_levels_take_the_same_time() -> None:
    rtl, fast = (measured(level) for level in ("rtl", "transaction"))
    for ours, theirs in zip(fast, rtl, strict=True):
        assert rate(ours) == pytest.approx(rate(theirs), rel=0.01), (ours, theirs)
