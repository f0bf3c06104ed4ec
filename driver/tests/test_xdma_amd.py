# SPDX-License-Identifier: Apache-2.0
"""AMD's own driver, tools and test scripts for XDMA, unchanged, on the card's RTL: memory and
streams, by interrupt and by polling. They are not ours: XDMA_SRC is the folder XDMA/linux-kernel of
AMD's dma_ip_drivers, wherever the user has it."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from linux_drivers import pci
from sluice_guest import SEED

from cosim.boot import Boot
from cosim.commands import must
from cosim.guests import VERSION, Card, Guest, Kernel
from cosim.guests.flavours import NEWEST
from cosim.guests.initramfs import debian_program
from driver import amd

SOURCE = os.environ.get("XDMA_SRC")
SIZES = (1, 4, 1000, 4096, 65536, 300_001, 2 << 20)
# How the module is loaded.
INTERRUPT, POLL, CREDITS = "poll_mode=0", "poll_mode=1", "enable_st_c2h_credit=1"
# What the scripts are called with by hand: bytes, count.
SCRIPTED = ((1024, 1), (4096, 1), (64, 20))

pytestmark = pytest.mark.skipif(
    SOURCE is None, reason="XDMA_SRC does not say where AMD's XDMA/linux-kernel is"
)


def programs(kernel: Kernel) -> dict[str, Path | bytes]:
    """Its tools and its test scripts with the files that they send, as files of a guest."""
    assert SOURCE is not None
    processor = kernel.flavour.processor
    files: dict[str, Path | bytes] = {
        "/bin/bash": debian_program(processor, "bash-static", "bash-static"),
        **amd.tools(processor, Path(SOURCE)),
    }
    for script in (Path(SOURCE) / "tests").glob("*.sh"):
        files[f"/amd/tests/{script.name}"] = script
    bits = random.Random(SEED)
    for number in range(4):
        files[f"/amd/tests/data/datafile{number}_4K.bin"] = bits.randbytes(4096)
    return files


def boot_amd(
    boot: Boot,
    folder: Path,
    design: str,
    parameters: str,
    flavour: str = "arm64",
    version: str = VERSION,
) -> Guest:
    """A guest with the card and AMD's driver loaded; x86_64: behind an IOMMU that is strict."""
    kernel = boot.kernel(flavour, version)
    guest = boot(
        flavour,
        version=version,
        append="iommu.strict=1" if flavour == "x86_64" else "",
        cards=[Card(f"pcie/{design}", ("--width", "128"))],
        modules=[amd.module(kernel, Path(SOURCE or ""), folder / "xdma-amd")],
        files=programs(kernel),
    )
    try:
        must(guest, f"insmod /modules/xdma.ko {parameters}")
        must(guest, f"readlink /sys/bus/pci/devices/{pci(1)}/driver | grep xdma")
        must(guest, f"{amd.FOLDER}/reg_rw /dev/xdma0_control 0 w | grep 0x1fc0")
    except BaseException:
        guest.kill()
        raise
    return guest


def scripted(guest: Guest, expected: str) -> None:
    """AMD's run_test.sh, with each size and count written into it as its comment says."""
    for size, count in SCRIPTED:
        text = must(
            guest,
            f"cd /amd/tests && sed -e s/^transferSize=.*/transferSize={size}/ "
            f"-e s/^transferCount=.*/transferCount={count}/ run_test.sh > run.sh && bash run.sh",
        )
        assert expected in text and "All tests in run_tests.sh passed" in text, text
        assert "rror" not in text, text


def test_behind_a_strict_iommu(boot: Boot, tmp_path: Path) -> None:
    """What the IOMMU does not translate it refuses, and says so: the card asks for nothing else."""
    with boot_amd(boot, tmp_path, "xdma", INTERRUPT, flavour="x86_64") as guest:
        assert "Translated" in must(guest, "dmesg | grep 'Default domain type'")
        for number, size in enumerate(SIZES):
            there_and_back(guest, size, address=4096 * number + number)
        scripted(guest, "core is memory mapped")
        must(guest, "rmmod xdma")
        assert not [line for line in guest.console.lines() if "DMAR" in line and "fault" in line]


@pytest.mark.parametrize("version", [VERSION, NEWEST])
@pytest.mark.parametrize("parameters", [INTERRUPT, POLL])
def test_memory(boot: Boot, tmp_path: Path, parameters: str, version: str) -> None:
    with boot_amd(boot, tmp_path, "xdma", parameters, version=version) as guest:
        for number, size in enumerate(SIZES):
            there_and_back(guest, size, address=4096 * number + number)
        scripted(guest, "core is memory mapped")
        must(guest, "rmmod xdma && insmod /modules/xdma.ko")
        there_and_back(guest, 5000, address=3)


@pytest.mark.parametrize("version", [VERSION, NEWEST])
@pytest.mark.parametrize("parameters", [INTERRUPT, POLL, CREDITS])
def test_streams(boot: Boot, tmp_path: Path, parameters: str, version: str) -> None:
    with boot_amd(boot, tmp_path, "xdma_stream", parameters, version=version) as guest:
        must(guest, f"{amd.FOLDER}/reg_rw /dev/xdma0_control {amd.LOOP_BACK:#x} w 1")
        scripted(guest, "core is streaming")


def there_and_back(guest: Guest, size: int, address: int) -> None:
    must(guest, f"head -c {size} /dev/urandom > /tmp/out")
    for command in amd.there_and_back("/tmp/out", "/tmp/back", size, address):
        must(guest, f"PATH=$PATH:{amd.FOLDER}; {command}")
    must(guest, "cmp /tmp/out /tmp/back")
