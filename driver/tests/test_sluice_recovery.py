# SPDX-License-Identifier: Apache-2.0
"""sluice.ko when programs die, time is over, or the device goes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from linux_drivers import OUR_DRIVER, pci
from sluice_guest import (
    DEBUG,
    DEBUG_KERNEL,
    FULL,
    KERNELS,
    ONE_PORT,
    SEED,
    TEST,
    boot_sluice,
    channel,
    run,
)

from cosim.boot import Boot
from cosim.commands import must
from cosim.guests import VERSION, Card, Guest

KILLS = 200 if FULL else 20
UNBINDS = 50 if FULL else 2
CALLS = 100_000 if FULL else 1_000
DEBUGFS = "/sys/kernel/debug"
# What fails on command, wherever sluice.ko is among the callers: allocations, copies.
FAULTS = ("failslab", "fail_page_alloc", "fail_usercopy")
FAULT_PERCENT = 3
MOST_FAULTS = 1_000_000_000
# The DMA API's own checks, which end, and say so, when they have no memory.
SPARED = "add_dma_entry"
LEAK_AGE_S = 6  # kmemleak names nothing younger than 5 s
STUCK = "the engine does not end"  # sluice.ko, 10 s after the board has gone
LOOPBACK, OTHER = 1, 2  # slots
TX, RX = channel(LOOPBACK, "hp0.mm2s"), channel(LOOPBACK, "hp0.s2mm")


@contextmanager
def booted(kernel: str, other: str) -> Iterator[Guest]:
    """A guest with the loop-back in one slot and a design that copies in the next."""
    debug = kernel == DEBUG_KERNEL
    cards = [Card(f"zynq7010/{name}", ONE_PORT) for name in ("dma_loopback", other)]
    with boot_sluice(
        Boot(f"sluice-recovery-{kernel}-{other}"),
        *cards,
        flavour="arm64-debug" if debug else "arm64",
        version=VERSION if debug else kernel,
        append="kmemleak=on" if debug else "",
    ) as guest:
        yield guest
        if debug:
            assert int(must(guest, "cat /sys/kernel/debug/dma-api/error_count")) == 0


@pytest.fixture(scope="module", params=[*KERNELS, DEBUG])
def guest(request: pytest.FixtureRequest) -> Iterator[Guest]:
    with booted(request.param, "cdma") as guest:
        yield guest


# altera-msgdma of 6.12.107 uses memcpy() on its registers, which KASAN's memcpy() cannot do.
@pytest.fixture(scope="module", params=KERNELS)
def msgdma(request: pytest.FixtureRequest) -> Iterator[Guest]:
    """With an engine that cannot be stopped."""
    with booted(request.param, "msgdma") as guest:
        yield guest


def test_time_limits_and_cancelling(guest: Guest) -> None:
    run(guest, "limits", TX, RX)


def test_a_blocked_capture_ends_when_the_sender_is_stopped(guest: Guest) -> None:
    run(guest, "stop_capture", TX, RX)


def test_fences_after_both_channels_are_stopped(guest: Guest) -> None:
    run(guest, "stop_fence", TX, RX, channel(OTHER, "hp0.copy"), timeout_s=600)


def test_a_reader_hears_of_the_senders_stop(guest: Guest) -> None:
    run(guest, "stop_read", TX, RX)


def test_killed_programs(guest: Guest) -> None:
    run(guest, "kill", TX, RX, KILLS, SEED, timeout_s=1800)


def unbind_under(guest: Guest, test: str, node: str, slot: int = LOOPBACK) -> None:
    """A program holds a channel when its board goes, and has to end well."""
    must(guest, f"{TEST} {test} {node} > /tmp/held 2>&1 & echo $! > /tmp/pid")
    alive = "kill -0 $(cat /tmp/pid) 2> /dev/null"
    must(guest, f"until grep -q holds /tmp/held || ! {alive}; do sleep 0.1; done")
    must(guest, f"echo {pci(slot)} > {OUR_DRIVER}/unbind")
    must(guest, f"while {alive}; do sleep 0.1; done")
    assert must(guest, "cat /tmp/held") == "holds\n"
    must(guest, f"[ ! -e {node} ]")
    must(guest, f"echo {pci(slot)} > {OUR_DRIVER}/bind")
    run(guest, "few", TX, RX)


def test_unbinding_with_work_queued(guest: Guest) -> None:
    for _ in range(UNBINDS):
        unbind_under(guest, "hold", RX)


def test_unbinding_with_data_not_sent(guest: Guest) -> None:
    for _ in range(UNBINDS):
        unbind_under(guest, "unsent", TX)


def test_unbinding_an_engine_that_cannot_be_stopped(msgdma: Guest) -> None:
    node = channel(OTHER, "hp0.copy")
    unbind_under(msgdma, "hold_copy", node, OTHER)
    assert not [line for line in msgdma.console.lines() if STUCK in line]
    run(msgdma, "copy", node, "system", 1 << 18, SEED)


def test_random_calls_of_several_processes(guest: Guest) -> None:
    found = run(guest, "random", TX, RX, 4, CALLS // 4, SEED, timeout_s=3600)
    assert found["calls"][0] >= CALLS
    run(guest, "few", TX, RX)


def set_faults(guest: Guest, percent: int) -> None:
    for fault in FAULTS:
        lines = [
            f"cd {DEBUGFS}/{fault}",
            "start=$(cat /sys/module/sluice/sections/.text)",
            "size=$(awk '$1 == \"sluice\" { print $2 }' /proc/modules)",
            "echo $start > require-start",
            # Code comes first in a module's memory: all of it, and no other module's.
            "printf '%#x' $((start + size)) > require-end",
            f"set -- $(grep -A 1 ' {SPARED}$' /proc/kallsyms | cut -d ' ' -f 1)",
            "echo 0x$1 > reject-start; echo 0x$2 > reject-end",
            f"echo 32 > stacktrace-depth; echo {MOST_FAULTS} > times; echo 0 > verbose",
            "for f in ignore-gfp-wait min-order; do [ ! -e $f ] || echo 0 > $f; done",
            f"echo {percent} > probability",
        ]
        must(guest, "; ".join(lines))


def leaks(guest: Guest) -> str:
    """What of ours nobody can reach any longer: found twice, since what moves may be missed."""
    for _ in range(2):
        must(guest, f"sleep {LEAK_AGE_S}; echo scan > {DEBUGFS}/kmemleak", 300)
    found = must(guest, f"cat {DEBUGFS}/kmemleak").split("unreferenced object")
    return "".join(report for report in found if "sluice" in report)


def test_random_calls_while_the_kernel_is_out_of_memory(guest: Guest) -> None:
    if guest.run(f"[ -e {DEBUGFS}/failslab ]").status:
        pytest.skip("no faults in this kernel")
    must(guest, f"echo clear > {DEBUGFS}/kmemleak")
    set_faults(guest, FAULT_PERCENT)
    try:
        found = run(guest, "random", TX, RX, 4, CALLS // 4, SEED, timeout_s=3600)
        left = [int(must(guest, f"cat {DEBUGFS}/{fault}/times")) for fault in FAULTS]
    finally:
        set_faults(guest, 0)
    assert all(number < MOST_FAULTS for number in left), left
    assert found["calls"][0] >= CALLS
    run(guest, "few", TX, RX)
    run(guest, "pipe", TX, RX, 1 << 16, SEED)
    assert leaks(guest) == ""


def test_closing_with_copies_queued(guest: Guest) -> None:
    run(guest, "leave", channel(OTHER, "hp0.copy"), SEED)


def test_closing_an_engine_that_cannot_be_stopped(msgdma: Guest) -> None:
    """What it has is left to it; the next one can work."""
    run(msgdma, "leave", channel(OTHER, "hp0.copy"), SEED)


def test_other_tests_in_this_kernel(guest: Guest) -> None:
    run(guest, "abi", TX, RX)
    run(guest, "fence", TX, RX)
    run(guest, "pipe", TX, RX, 1 << 18, SEED)
    run(guest, "loopback", TX, RX, "system", 1 << 18, SEED)
    run(guest, "copy", channel(OTHER, "hp0.copy"), "system", 1 << 18, SEED)


def test_unloading(guest: Guest) -> None:
    for _ in range(3):
        must(guest, "rmmod sluice && insmod /modules/sluice.ko")
        run(guest, "few", TX, RX)
    must(guest, "rmmod sluice && rmmod sluice_pci")
    must(guest, "insmod /modules/sluice_pci.ko && insmod /modules/sluice.ko")
    run(guest, "few", TX, RX)
