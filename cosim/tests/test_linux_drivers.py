# SPDX-License-Identifier: Apache-2.0
"""Linux's own drivers, unchanged, on our engines, in a real kernel, the RTL behind PCI Express."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from conftest import Boot
from linux_drivers import (
    OUR_DRIVER,
    boot_bare,
    boot_cards,
    channels,
    dmatest,
    load,
    must,
    pci,
    traces,
    unload,
)

from cosim.guests import Guest

FULL = os.environ.get("SLUICE_FULL") is not None
COPIES = 1000 if FULL else 100  # a channel
COPY_MAX = 1 << 20 if FULL else 1 << 16
LANES = 4

# A card each, in slots 1 and up, of one guest: booting costs more than most tests.
DESIGNS = ("cdma",)
CDMA = 1


@pytest.fixture(scope="module")
def guest() -> Iterator[Guest]:
    with boot_cards(Boot("linux-drivers"), *DESIGNS) as guest:
        yield guest


def test_dmatest_on_cdma(guest: Guest) -> None:
    copies = dmatest(guest, channels(guest, CDMA, LANES), COPIES, COPY_MAX)
    for name, result in copies.items():
        assert result.tests == COPIES and result.failures == 0, (name, result)


def test_design_without_overlay_is_refused(boot: Boot) -> None:
    with boot_bare(boot, "hp_stress") as guest:
        load(guest, "sluice_pci")
        text = must(guest, "dmesg")
        assert "no overlay for design 0x534c4850" in text, text
        must(guest, f"[ ! -e {OUR_DRIVER}/{pci(1)} ]")
        unload(guest, "sluice_pci")


def test_unbinding_leaves_nothing(boot: Boot) -> None:
    with boot_bare(boot, "cdma") as guest:
        before = traces(guest)
        for _ in range(3):
            load(guest, "sluice_pci")
            load(guest, "sluice_selftest")
            dmatest(guest, channels(guest, 1, LANES), iterations=2, size=4096)
            device = pci(1)
            must(guest, f"echo {device} > {OUR_DRIVER}/unbind")
            channels(guest, 1, 0)
            must(guest, f"echo {device} > {OUR_DRIVER}/bind")
            dmatest(guest, channels(guest, 1, LANES), iterations=2, size=4096)
            unload(guest, "sluice_pci")
            unload(guest, "sluice_selftest")
            assert traces(guest) == before
    told = [line for line in guest.console.lines() if "OF: ERROR" in line or "leak" in line]
    assert not told, told
