# SPDX-License-Identifier: Apache-2.0
"""Linux's own drivers, unchanged, on our engines, in a real kernel, the RTL behind PCI Express."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator

import pytest
from linux_drivers import (
    OUR_DRIVER,
    boot_bare,
    boot_cards,
    channels,
    pci,
    selftest,
    selftest_devices,
    traces,
)

from cosim.boot import Boot
from cosim.commands import dmatest, load, must, unload
from cosim.guests import VERSION, VERSIONS, Guest

FULL = os.environ.get("SLUICE_FULL") is not None
SEED = int(os.environ.get("SEED") or 1)
COPIES = 100  # a channel
COPY_MAX = 1 << 16
LONG_COPIES = 1000
LONG_COPY_MAX = 1 << 20
LANES = 4
LOOPBACK_BYTES = 64 << 20
PERIODS = 10_000
LAPPED_RETRIES = 20  # a reader that a busy host blocked for a whole ring

# A card each, in slots 1 and up, of one guest: booting costs more than most tests.
DESIGNS = ("cdma", "dma_loopback", "capture", "msgdma")
CDMA, LOOPBACK, CAPTURE, MSGDMA = range(1, len(DESIGNS) + 1)


def skip_unless_tested(version: str) -> None:
    if version != VERSION and not FULL:
        pytest.skip(f"{version} is booted by make test-full")


@pytest.fixture(scope="module", params=VERSIONS)
def guest(request: pytest.FixtureRequest) -> Iterator[Guest]:
    skip_unless_tested(request.param)
    name = f"linux-drivers-{request.param}"
    with boot_cards(Boot(name), *DESIGNS, version=request.param) as guest:
        yield guest


@pytest.mark.parametrize("slot", [CDMA, MSGDMA], ids=["cdma", "msgdma"])
def test_dmatest(guest: Guest, slot: int) -> None:
    for name, result in dmatest(guest, channels(guest, slot, LANES), COPIES, COPY_MAX).items():
        assert result.tests == COPIES and result.failures == 0, (name, result)


# Of a design with one port, which simulates faster.
@pytest.mark.skipif(not FULL, reason="the long copies are for make test-full")
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("design", ["cdma", "msgdma"])
def test_dmatest_at_length(boot: Boot, design: str, version: str) -> None:
    with boot_cards(boot, design, version=version, options=("--ports", "1")) as guest:
        [result] = dmatest(guest, channels(guest, 1, 1), LONG_COPIES, LONG_COPY_MAX).values()
        assert result.tests == LONG_COPIES and result.failures == 0, result


def test_axi_dma_loopback(guest: Guest) -> None:
    devices = selftest_devices(guest, LOOPBACK, LANES)
    results = selftest(guest, devices, bytes=LOOPBACK_BYTES // LANES, seed=SEED)
    for device, result in zip(devices, results, strict=True):
        assert result["status"] == 0, (device, result)
        assert result["bytes"] >= LOOPBACK_BYTES // LANES
        assert result["short_packets"] > 0 and result["segments"] > 2 * result["packets"]


def test_axi_dma_cyclic(guest: Guest) -> None:
    for _ in range(1 + LAPPED_RETRIES):
        [result] = selftest(guest, selftest_devices(guest, CAPTURE, 1), periods=PERIODS)
        if result["status"] != -errno.EOVERFLOW:
            break
    assert result["status"] == 0, result
    assert result["packets"] == PERIODS and result["lost"] == 0


def test_design_without_overlay_is_refused(boot: Boot) -> None:
    with boot_bare(boot, "hp_stress") as guest:
        load(guest, "sluice_pci")
        text = must(guest, "dmesg")
        assert "no overlay for design 0x534c4850" in text, text
        must(guest, f"[ ! -e {OUR_DRIVER}/{pci(1)} ]")
        unload(guest, "sluice_pci")


@pytest.mark.parametrize("version", VERSIONS)
def test_unbinding_leaves_nothing(boot: Boot, version: str) -> None:
    skip_unless_tested(version)
    with boot_bare(boot, "cdma", "dma_loopback", version=version) as guest:
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
            # The engines go while a client is bound to them.
            [*_, result] = selftest(guest, selftest_devices(guest, 2, LANES), bytes=100_000)
            assert result["status"] == 0, result
            unload(guest, "sluice_pci")
            unload(guest, "sluice_selftest")
            assert traces(guest) == before
    told = [line for line in guest.console.lines() if "OF: ERROR" in line or "leak" in line]
    assert not told, told


# A machine of QEMU has no caches, so what a forgotten dma_sync does on hardware is made visible by
# bounce buffers: they are the memory that the engine sees.
BOUNCE = "swiotlb=65536,force"
SYNCS = {"none": 0, "before sending": 1, "after receiving": 2}


def test_dma_without_coherence(boot: Boot) -> None:
    with boot_cards(
        boot, "dma_loopback", "cdma", parameters="noncoherent=1", append=BOUNCE
    ) as guest:
        must(guest, "ls -d /proc/device-tree/pcie*/dev*/bus*/dma-noncoherent")
        devices = selftest_devices(guest, 1, LANES)[:1]
        for forgotten, number in (*SYNCS.items(), ("none again", 0)):
            must(guest, f"echo {number} > /sys/module/sluice_selftest/parameters/skip_sync")
            [result] = selftest(guest, devices, bytes=1 << 20, seed=SEED)
            assert result["status"] == (-errno.EIO if number else 0), (forgotten, result)
            assert result["errors"] == (1 if number else 0), (forgotten, result)
        copies = dmatest(guest, channels(guest, 2, LANES), iterations=10, size=1 << 16)
        assert all(result.failures == 0 for result in copies.values()), copies
        used = int(must(guest, "cat /sys/kernel/debug/swiotlb/io_tlb_used_hiwater"))
        assert used > 0, "no bounce buffer was used"


@pytest.mark.skipif(not FULL, reason="the debug kernel is booted by make test-full")
def test_debug_kernel_has_no_complaint(boot: Boot) -> None:
    """KASAN, lockdep and the DMA API's own checks; run() fails on what the kernel says of them."""
    with boot_cards(boot, "cdma", "dma_loopback", flavour="arm64-debug") as guest:
        copies = dmatest(guest, channels(guest, 1, LANES), iterations=5, size=1 << 16)
        assert all(result.failures == 0 for result in copies.values()), copies
        for result in selftest(guest, selftest_devices(guest, 2, LANES), bytes=1 << 17):
            assert result["status"] == 0, result
        unload(guest, "sluice_pci")
        load(guest, "sluice_pci")
        channels(guest, 1, LANES)
        assert int(must(guest, "cat /sys/kernel/debug/dma-api/error_count")) == 0
