# SPDX-License-Identifier: Apache-2.0
"""The Zynq's guest: its own DMA controller, mainline's `pl330` works; and time that is counted in
instructions, so that what a program costs is the same figure on every host."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cosim.boot import Boot
from cosim.commands import dmatest, must
from cosim.guests import FLAVOURS, program

FULL = os.environ.get("SLUICE_FULL") is not None
HERE = Path(__file__).resolve().parent
CHANNELS = 8
COPIES = 20
COPY_BYTES = 1 << 16
HANGING_S = 120
NS_PER_INSTRUCTION = 16  # of the machine, see flavours.py

pytestmark = pytest.mark.skipif(not FULL, reason="zynq is booted by make test-full")


def test_outer_cache_is_maintained(boot: Boot) -> None:
    """As on hardware, where what Linux does for the PL310 costs instructions."""
    with boot("zynq") as guest:
        told = [line for line in guest.console.lines() if "L2C-310" in line]
    assert any("cache controller enabled, 8 ways" in line for line in told), told


def test_timers_have_a_high_resolution(boot: Boot) -> None:
    """A short sleep does not last to the next tick of 10 ms."""
    with boot("zynq") as guest:
        told = must(guest, "grep hres_active /proc/timer_list")
    assert told.split() == [".hres_active", ":", "1"]


def test_linux_interrupts_itself(boot: Boot) -> None:
    """Work that it puts off to an interrupt of its own is done: setting the tracer's functions a
    second time waits for it."""
    with boot("zynq-trace") as guest:
        must(guest, "mount -t tracefs tracefs /sys/kernel/tracing")
        for _ in range(2):
            must(guest, "echo schedule > /sys/kernel/tracing/set_graph_function", HANGING_S)
        label, count, *_ = must(guest, "grep 'IRQ work' /proc/interrupts").split()
    assert int(count) > 0, label


@pytest.mark.parametrize("flavour", ["zynq", "zynq-debug"])
def test_dmatest_on_pl330(boot: Boot, flavour: str) -> None:
    with boot(flavour) as guest:
        names = must(guest, "ls /sys/class/dma").split()
        assert len(names) == CHANNELS
        for name, copies in dmatest(guest, names, COPIES, COPY_BYTES).items():
            assert copies.tests == COPIES and copies.failures == 0, (name, copies)


def boot_lines(lines: list[str]) -> list[str]:
    """What the kernel says, with the time of each line, until programs run."""
    return lines[: next(n for n, line in enumerate(lines) if "Run /init" in line)]


def test_time_is_the_same_each_run(boot: Boot) -> None:
    """Of the whole boot, and of system calls: as many instructions as they take, and each takes
    the time that the machine gives it."""
    costs = program(FLAVOURS["zynq"].processor, [HERE / "zynq" / "costs.c"])
    boots, counts = [], []
    for _ in range(2):
        with boot("zynq", files={"/tests/costs": costs}) as guest:
            text = must(guest, "/tests/costs")
        boots.append(boot_lines(guest.console.lines()))
        counts.append([int(ns) / NS_PER_INSTRUCTION for ns in text.split()])
    assert boots[0] == boots[1]
    for name, *pair in zip(("two", "a loop", "getppid", "read"), *counts, strict=True):
        assert pair[0] == pytest.approx(pair[1], abs=1), name
    two, loop, getppid, read = counts[0]
    assert two == pytest.approx(2, abs=0.1)  # of whole nanoseconds
    assert 2 <= loop < 10 < getppid < read < 2000, counts
