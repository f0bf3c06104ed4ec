# SPDX-License-Identifier: Apache-2.0
"""Mainline's unmodified driver for AMD's XDMA on the card's RTL: data there and back, resets."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from linux_drivers import ROOT, pci
from sluice_guest import FULL, SEED

from cosim.boot import Boot
from cosim.commands import load, must
from cosim.guests import VERSION, VERSIONS, Card, Guest, Kernel
from cosim.guests.flavours import XDMA_SINCE

ROUNDS = 300 if FULL else 40
PATCH = ROOT / "driver" / "patches" / "xdma-start-the-next-request.patch"
MAINLINE = ("virt-dma", "regmap-mmio", "xdma")
GLUE = "/sys/bus/pci/drivers/sluice_xdma_platform"
ALL = [v for v in VERSIONS if tuple(int(part) for part in v.split(".")) >= XDMA_SINCE]
KERNELS = ALL if FULL else [VERSION]


def patched(kernel: Kernel, folder: Path) -> Path:
    """Mainline's driver with our patch, built in a folder."""
    source = kernel.source / "drivers" / "dma"
    target = folder / "drivers" / "dma"
    (target / "xilinx").mkdir(parents=True)
    for name in ("xilinx/xdma.c", "xilinx/xdma-regs.h", "virt-dma.h", "dmaengine.h"):
        shutil.copyfile(source / name, target / name)
    with PATCH.open() as text:
        subprocess.run(["patch", "-s", "-p1", "-d", str(folder)], stdin=text, check=True)
    (folder / "Kbuild").write_text("obj-m += xdma.o\nxdma-y := drivers/dma/xilinx/xdma.o\n")
    return kernel.build_modules(folder)["xdma"]


def boot_card(
    boot: Boot, version: str, flavour: str = "arm64", patch_in: Path | None = None
) -> Guest:
    """A guest with the card, mainline's driver, our glue, and the test not yet loaded. The driver
    has our patch where there is a folder to build it in."""
    kernel = boot.kernel(flavour, version)
    mainline = {name: kernel.modules[name] for name in MAINLINE}
    if patch_in is not None:
        mainline["xdma"] = patched(kernel, patch_in)
    modules = kernel.build_modules(ROOT / "driver", include=[ROOT / "regs" / "gen" / "c"])
    guest = boot(
        flavour,
        version=version,
        cards=[Card("pcie/xdma", ("--width", "128"))],
        modules=[modules[name] for name in ("sluice_xdma_platform", "sluice_card_test")]
        + list(mainline.values()),
    )
    try:
        for name in (*MAINLINE, "sluice_xdma_platform"):
            load(guest, name)
    except BaseException:
        guest.kill()
        raise
    return guest


def round_trips(guest: Guest, rounds: int, seed: int = SEED, more: str = "") -> None:
    load(guest, "sluice_card_test", f"device={pci(1)} rounds={rounds} seed={seed} {more}")
    must(guest, "rmmod sluice_card_test")


@pytest.fixture(scope="module", params=KERNELS)
def version(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def guest(version: str) -> Iterator[Guest]:
    with boot_card(Boot(f"xdma-{version}"), version) as guest:
        yield guest


def test_channels_are_there(guest: Guest) -> None:
    told = must(guest, "dmesg | grep 'configured 1'")
    assert "configured 1 H2C channels" in told and "configured 1 C2H channels" in told


def test_data_there_and_back(guest: Guest) -> None:
    round_trips(guest, ROUNDS)


def test_unbound_and_bound_again(guest: Guest) -> None:
    for turn in range(20 if FULL else 3):
        must(guest, f"echo {pci(1)} > {GLUE}/unbind")
        must(guest, f"echo 1 > /sys/bus/pci/devices/{pci(1)}/reset")
        must(guest, f"echo {pci(1)} > {GLUE}/bind")
        round_trips(guest, 2, SEED + turn)


def test_requests_started_at_once_need_our_patch(
    guest: Guest, version: str, boot: Boot, tmp_path: Path
) -> None:
    """Mainline's handler starts nothing after the first, so however long one waits, it is one."""
    completed = "dmesg | grep -o '[0-9]* of 4 completed' | tail -n 1"
    round_trips(guest, 1, more="queued=4 patience_ms=1000")
    assert must(guest, completed) == "1 of 4 completed\n"
    with boot_card(boot, version, patch_in=tmp_path / "xdma-patched") as mended:
        round_trips(mended, 3, more="queued=4")
        assert must(mended, completed) == "4 of 4 completed\n"


@pytest.mark.skipif(not FULL, reason="the debug kernel is booted by make test-full")
def test_debug_kernel_has_no_complaint(boot: Boot) -> None:
    with boot_card(boot, VERSION, "arm64-debug") as guest:
        round_trips(guest, 40)
        must(guest, f"echo {pci(1)} > {GLUE}/unbind")
        assert int(must(guest, "cat /sys/kernel/debug/dma-api/error_count")) == 0
