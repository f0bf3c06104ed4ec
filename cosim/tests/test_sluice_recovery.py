# SPDX-License-Identifier: Apache-2.0
"""sluice.ko when programs die, time is over, or the device goes."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from linux_drivers import OUR_DRIVER, must, pci
from sluice_guest import FULL, KERNELS, ONE_PORT, SEED, TEST, boot_sluice, channel, run

from cosim.boot import Boot
from cosim.guests import VERSION, Card, Guest

KILLS = 200 if FULL else 20
UNBINDS = 50 if FULL else 5
CALLS = 100_000 if FULL else 2_000
DEBUG = "/sys/kernel/debug"
# What fails on command, wherever sluice.ko is among the callers: allocations, copies.
FAULTS = ("failslab", "fail_page_alloc", "fail_usercopy")
FAULT_PERCENT = 3
MOST_FAULTS = 1_000_000_000
LEAK_AGE_S = 6  # kmemleak names nothing younger than 5 s
# What docs/reference/sluice-ko.md states, beside what a busy host takes for itself.
STOP_NS = 2_000_000_000
DRAIN_S = 9  # below the 10 after which sluice.ko takes such an engine for stuck
LOOPBACK, CDMA, MSGDMA = 1, 2, 3
# altera-msgdma of 6.12.107 uses memcpy() on its registers, which KASAN's memcpy() cannot do.
DESIGNS = {
    "arm64": ("dma_loopback", "cdma", "msgdma"),
    "arm64-debug": ("dma_loopback", "cdma"),
}

TX, RX = channel(LOOPBACK, "hp0.mm2s"), channel(LOOPBACK, "hp0.s2mm")


@pytest.fixture(scope="module", params=[*KERNELS, "debug"])
def guest(request: pytest.FixtureRequest) -> Iterator[Guest]:
    debug = request.param == "debug"
    flavour, version = ("arm64-debug", VERSION) if debug else ("arm64", request.param)
    cards = [Card(f"zynq7010/{name}", ONE_PORT) for name in DESIGNS[flavour]]
    boot = Boot(f"sluice-recovery-{request.param}")
    append = "kmemleak=on" if debug else ""
    with boot_sluice(boot, *cards, flavour=flavour, version=version, append=append) as guest:
        yield guest
        if debug:
            assert int(must(guest, "cat /sys/kernel/debug/dma-api/error_count")) == 0


def test_time_limits_and_cancelling(guest: Guest) -> None:
    found = run(guest, "limits", TX, RX)
    assert max(found["limit_ns"] + found["cancel_ns"]) < STOP_NS, found


def test_a_held_up_capture_ends_when_the_sender_is_stopped(guest: Guest) -> None:
    run(guest, "stop_capture", TX, RX)


def test_fences_after_both_channels_are_stopped(guest: Guest) -> None:
    run(guest, "stop_fence", TX, RX, channel(CDMA, "hp0.copy"), timeout_s=600)


def test_a_reader_hears_of_the_senders_stop(guest: Guest) -> None:
    run(guest, "stop_read", TX, RX)


def test_killed_programs(guest: Guest) -> None:
    found = run(guest, "kill", TX, RX, KILLS, SEED, timeout_s=1800)
    assert found["open_ns"][0] < STOP_NS, found


def unbind_under(guest: Guest, test: str, node: str, slot: int = LOOPBACK) -> float:
    """A program holds a channel when its board goes, and has to end well. How many seconds that
    took."""
    must(guest, f"{TEST} {test} {node} > /tmp/held 2>&1 & echo $! > /tmp/pid")
    must(guest, "for i in $(seq 200); do grep -q holds /tmp/held && break; sleep 0.1; done")
    before = time.monotonic()
    must(guest, f"echo {pci(slot)} > {OUR_DRIVER}/unbind")
    took = time.monotonic() - before
    must(guest, "while kill -0 $(cat /tmp/pid) 2> /dev/null; do sleep 0.1; done")
    assert must(guest, "cat /tmp/held") == "holds\n"
    must(guest, f"[ ! -e {node} ]")
    must(guest, f"echo {pci(slot)} > {OUR_DRIVER}/bind")
    run(guest, "few", TX, RX)
    return took


def test_unbinding_with_work_queued(guest: Guest) -> None:
    for _ in range(UNBINDS):
        unbind_under(guest, "hold", RX)


def test_unbinding_with_data_not_sent(guest: Guest) -> None:
    for _ in range(UNBINDS):
        unbind_under(guest, "unsent", TX)


def test_unbinding_an_engine_that_cannot_be_stopped(guest: Guest) -> None:
    if len(guest.cards) < MSGDMA:
        pytest.skip("no mSGDMA in this guest")
    node = channel(MSGDMA, "hp0.copy")
    assert unbind_under(guest, "hold_copy", node, MSGDMA) < DRAIN_S
    run(guest, "copy", node, "system", 1 << 18, SEED)


def test_random_calls_of_several_processes(guest: Guest) -> None:
    found = run(guest, "random", TX, RX, 4, CALLS // 4, SEED, timeout_s=3600)
    assert found["calls"][0] >= CALLS
    run(guest, "few", TX, RX)


def set_faults(guest: Guest, percent: int) -> None:
    for fault in FAULTS:
        lines = [
            f"cd {DEBUG}/{fault}",
            "start=$(cat /sys/module/sluice/sections/.text)",
            "size=$(awk '$1 == \"sluice\" { print $2 }' /proc/modules)",
            "echo $start > require-start",
            # Code comes first in a module's memory: all of it, and no other module's.
            "printf '%#x' $((start + size)) > require-end",
            f"echo 32 > stacktrace-depth; echo {MOST_FAULTS} > times; echo 0 > verbose",
            "for f in ignore-gfp-wait min-order; do [ ! -e $f ] || echo 0 > $f; done",
            f"echo {percent} > probability",
        ]
        must(guest, "; ".join(lines))


def leaks(guest: Guest) -> str:
    """What of ours nobody can reach any longer: found twice, since what moves may be missed."""
    for _ in range(2):
        must(guest, f"sleep {LEAK_AGE_S}; echo scan > {DEBUG}/kmemleak", 300)
    found = must(guest, f"cat {DEBUG}/kmemleak").split("unreferenced object")
    return "".join(report for report in found if "sluice" in report)


def test_random_calls_while_the_kernel_is_out_of_memory(guest: Guest) -> None:
    if guest.run(f"[ -e {DEBUG}/failslab ]").status:
        pytest.skip("no faults in this kernel")
    must(guest, f"echo clear > {DEBUG}/kmemleak")
    set_faults(guest, FAULT_PERCENT)
    try:
        found = run(guest, "random", TX, RX, 4, CALLS // 4, SEED, timeout_s=3600)
        left = [int(must(guest, f"cat {DEBUG}/{fault}/times")) for fault in FAULTS]
    finally:
        set_faults(guest, 0)
    assert all(number < MOST_FAULTS for number in left), left
    assert found["calls"][0] >= CALLS
    run(guest, "few", TX, RX)
    run(guest, "pipe", TX, RX, 1 << 16, SEED)
    assert leaks(guest) == ""


def test_closing_with_copies_queued(guest: Guest) -> None:
    """Where the engine cannot be stopped, what it has is left to it; the next one can work."""
    slot = MSGDMA if len(guest.cards) == MSGDMA else CDMA
    run(guest, "leave", channel(slot, "hp0.copy"), SEED)


def test_other_tests_in_this_kernel(guest: Guest) -> None:
    run(guest, "abi", TX, RX)
    run(guest, "fence", TX, RX)
    found = run(guest, "pipe", TX, RX, 1 << 18, SEED)
    assert found["open_ns"][0] < STOP_NS, found
    run(guest, "loopback", TX, RX, "system", 1 << 18, SEED)
    run(guest, "copy", channel(CDMA, "hp0.copy"), "system", 1 << 18, SEED)


def test_unloading(guest: Guest) -> None:
    for _ in range(3):
        must(guest, "rmmod sluice && insmod /modules/sluice.ko")
        run(guest, "few", TX, RX)
    must(guest, "rmmod sluice && rmmod sluice_pci")
