# SPDX-License-Identifier: Apache-2.0
"""AMD's own driver of XDMA and its tools, built for a guest from where the user has their source:
the folder XDMA/linux-kernel of AMD's dma_ip_drivers. It is not ours, and stays as it is."""

from __future__ import annotations

import shutil
from pathlib import Path

from cosim.guests import Kernel
from cosim.guests.flavours import Processor
from cosim.guests.toolchain import program

TOOLS = ("reg_rw", "dma_to_device", "dma_from_device")
# Where tools() has them in a guest.
FOLDER = "/amd/tools"
LOOP_BACK = 0x23000  # ROUTE of a stream design's first lane: xdma_card.rdl, sl_hp_lane.rdl

_OBJECTS = (
    *("libxdma", "xdma_cdev", "cdev_ctrl", "cdev_events", "cdev_sgdma", "cdev_xvc"),
    *("cdev_bypass", "xdma_mod", "xdma_thread"),
)
_AS_IN_ITS_MAKEFILE = (
    *("-std=c99", "-w", "-D_FILE_OFFSET_BITS=64", "-D_GNU_SOURCE"),
    "-D_LARGE_FILE_SOURCE",
)


def module(kernel: Kernel, source: Path, folder: Path) -> Path:
    """The module, built as its makefile says in a folder that is not there yet. Raises BuildError,
    OSError where the source is not what it should be."""
    shutil.copytree(source / "xdma", folder)
    objects = " ".join(f"{name}.o" for name in _OBJECTS)
    (folder / "Makefile").unlink()
    (folder / "Kbuild").write_text(f"obj-m += xdma.o\nxdma-y := {objects}\n")
    return kernel.build_modules(folder, include=[source / "include"])["xdma"]


def there_and_back(sent: str, back: str, size: int, address: int) -> tuple[str, ...]:
    """Commands of a guest, with FOLDER in its PATH: a file's first bytes to the card and back."""
    return (
        f"dma_to_device -d /dev/xdma0_h2c_0 -f {sent} -s {size} -a {address} -c 1",
        f": > {back}; dma_from_device -d /dev/xdma0_c2h_0 -f {back} -s {size} -a {address} -c 1",
        f"cmp -n {size} {sent} {back}",
    )


def tools(processor: Processor, source: Path) -> dict[str, Path]:
    """Its tools, as files of a guest. Raises BuildError."""
    return {
        f"{FOLDER}/{name}": program(
            processor, [source / "tools" / f"{name}.c"], flags=_AS_IN_ITS_MAKEFILE
        )
        for name in TOOLS
    }
