# SPDX-License-Identifier: Apache-2.0
"""sluice.ko: capture without end, with every period that was lost named."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from linux_drivers import OUR_DRIVER, pci
from sluice_guest import (
    FULL,
    KERNELS,
    SEED,
    TEST,
    TRACING,
    Traced,
    boot_sluice,
    channel,
    completes_all,
    keep,
    run,
    sysfs,
)

from cosim.boot import Boot
from cosim.commands import must
from cosim.guests import Card, Guest

PERIODS = 10_000 if FULL else 300
# Ticks after each period, where the reader is blocked: for the checks of what it has missed.
PAUSE = 4096
RX = channel(1, "hp0.s2mm")
CONTROL = channel(1, "control")
BAR = f"/sys/bus/pci/devices/{pci(1)}/resource0"


@pytest.fixture(scope="module", params=KERNELS)
def guest(request: pytest.FixtureRequest) -> Iterator[Guest]:
    boot = Boot(f"sluice-capture-{request.param}")
    with boot_sluice(boot, Card("zynq7010/capture", nice=19), version=request.param) as guest:
        yield guest


def test_attributes(guest: Guest) -> None:
    found = run(guest, "control", CONTROL, BAR)
    assert found["hp0.source.packet_beats"] == [(1 << 24) - 1]
    assert found["hp0.drop.beats"] == found["hp0.capability.stall_resp"] == [0]
    assert not [name for name in found if "dma" in name or "snap" in name]


def test_every_word_while_the_reader_keeps_up(guest: Guest) -> None:
    keep(guest, f"{TEST} capture {RX} {CONTROL} {PERIODS} keep {SEED}")


def test_a_look_without_a_new_period_is_all_that_there_is(guest: Guest) -> None:
    """The kernel counts where a period has ended. A period takes some milliseconds here, in each of
    which the kernel looks."""
    event = f"{TRACING}/events/workqueue/workqueue_execute_start/enable"
    with Traced(guest) as traced:
        must(guest, f"echo 1 > {event}")
        try:
            run(guest, "capture", RX, CONTROL, 100, "hold", SEED, PAUSE, timeout_s=600)
        finally:
            must(guest, f"echo 0 > {event}")
    counts = [line for line in traced.lines if "function sluice_capture_work" in line]
    periods = len(traced.of("period"))
    # Its driver may call back for each period as well.
    assert 0 < len(counts) <= 2 * periods + 10, (len(counts), periods)


def test_losses_are_the_missing_periods(guest: Guest) -> None:
    before = int(must(guest, f"cat {sysfs(1, 'hp0.s2mm', 'stall_data')}"))
    with Traced(guest) as traced:
        found = run(guest, "capture", RX, CONTROL, PERIODS, "hold", SEED, PAUSE, timeout_s=600)
    assert found["lost"][0] > 0
    # One event each, all of a run that was longer, and of a short one after it.
    assert sum(e["count"] for e in traced.of("loss")) >= found["lost"][0]
    assert len(traced.of("period")) >= min(PERIODS, 1000)
    # The source pauses, and the engine waits for it.
    assert int(must(guest, f"cat {sysfs(1, 'hp0.s2mm', 'stall_data')}")) > before + PAUSE


def test_nothing_is_lost_while_the_stream_waits(guest: Guest) -> None:
    found = run(guest, "capture", RX, CONTROL, PERIODS, "stall", SEED, 0, timeout_s=600)
    assert found["lost"] == [0]


def test_without_the_capability_block(guest: Guest) -> None:
    if completes_all(guest):
        found = guest.run(f"{TEST} capture {RX} {CONTROL} 100 inexact {SEED} {PAUSE}")
        assert found.status == 1 and "Operation not supported" in found.text, found
    else:
        run(guest, "capture", RX, CONTROL, 100, "inexact", SEED, PAUSE, timeout_s=600)


@pytest.mark.skipif(not FULL, reason="the debug kernel is booted by make test-full")
def test_debug_kernel_has_no_complaint(boot: Boot) -> None:
    with boot_sluice(boot, Card("zynq7010/capture"), flavour="arm64-debug") as guest:
        run(guest, "capture", RX, CONTROL, 150, "hold", SEED, PAUSE, timeout_s=600)
        must(guest, f"echo {pci(1)} > {OUR_DRIVER}/unbind")
        must(guest, f"echo {pci(1)} > {OUR_DRIVER}/bind")
        run(guest, "capture", RX, CONTROL, 100, "hold", SEED, PAUSE, timeout_s=600)
        assert int(must(guest, "cat /sys/kernel/debug/dma-api/error_count")) == 0
