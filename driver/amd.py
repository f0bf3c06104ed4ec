# SPDX-License-Identifier: Apache-2.0
"""AMD's own driver of XDMA, built for a guest from where the user has its source: the folder
XDMA/linux-kernel of AMD's dma_ip_drivers. It is not ours, and stays as it is."""

from __future__ import annotations

import shutil
from pathlib import Path

from cosim.guests import Kernel

OBJECTS = (
    *("libxdma", "xdma_cdev", "cdev_ctrl", "cdev_events", "cdev_sgdma", "cdev_xvc"),
    *("cdev_bypass", "xdma_mod", "xdma_thread"),
)


def module(kernel: Kernel, source: Path, folder: Path) -> Path:
    """The module, built as its makefile says in a folder that is not there yet. Raises BuildError,
    OSError where the source is not what it should be."""
    shutil.copytree(source / "xdma", folder)
    objects = " ".join(f"{name}.o" for name in OBJECTS)
    (folder / "Makefile").unlink()
    (folder / "Kbuild").write_text(f"obj-m += xdma.o\nxdma-y := {objects}\n")
    return kernel.build_modules(folder, include=[source / "include"])["xdma"]
