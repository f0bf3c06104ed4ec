# SPDX-License-Identifier: Apache-2.0
"""sluice.ko: capture without end, with every period that was lost named."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from linux_drivers import OUR_DRIVER, must, pci
from sluice_guest import FULL, KERNELS, TEST, boot_sluice, channel, run

from cosim.boot import Boot
from cosim.guests import Card, Guest

SEED = int(os.environ.get("SEED") or 1)
PERIODS = 10_000 if FULL else 300
# Ticks after each period of 512: at full rate the reader is overtaken, in a guest on a busy host.
PAUSE = 4096
RETRIES = 2  # a reader that a busy host held up for a whole ring
OVERTAKEN = 3
RX = channel(1, "hp0.s2mm")
BAR = f"/sys/bus/pci/devices/{pci(1)}/resource0"


@pytest.fixture(scope="module", params=KERNELS)
def guest(request: pytest.FixtureRequest) -> Iterator[Guest]:
    boot = Boot(f"sluice-capture-{request.param}")
    with boot_sluice(boot, Card("zynq7010/capture"), version=request.param) as guest:
        yield guest


def test_every_word_while_the_reader_keeps_up(guest: Guest) -> None:
    for _ in range(1 + RETRIES):
        result = guest.run(f"{TEST} capture {RX} {BAR} {PERIODS} keep {SEED} {PAUSE}", 1200)
        if result.status != OVERTAKEN:
            break
    assert result.status == 0, result
    assert "lost 0\n" in result.text


def test_losses_are_the_missing_periods(guest: Guest) -> None:
    found = run(guest, "capture", RX, BAR, PERIODS, "hold", SEED, PAUSE, timeout_s=600)
    assert found["lost"][0] > 0


def test_nothing_is_lost_while_the_stream_waits(guest: Guest) -> None:
    found = run(guest, "capture", RX, BAR, PERIODS, "stall", SEED, 0, timeout_s=600)
    assert found["lost"] == [0]


def test_without_the_capability_block(guest: Guest) -> None:
    run(guest, "capture", RX, BAR, 100, "inexact", SEED, PAUSE, timeout_s=600)


def test_debug_kernel_has_no_complaint(boot: Boot) -> None:
    with boot_sluice(boot, Card("zynq7010/capture"), flavour="arm64-debug") as guest:
        run(guest, "capture", RX, BAR, 150, "hold", SEED, PAUSE, timeout_s=600)
        must(guest, f"echo {pci(1)} > {OUR_DRIVER}/unbind")
        must(guest, f"echo {pci(1)} > {OUR_DRIVER}/bind")
        run(guest, "capture", RX, BAR, 100, "hold", SEED, PAUSE, timeout_s=600)
        assert int(must(guest, "cat /sys/kernel/debug/dma-api/error_count")) == 0
