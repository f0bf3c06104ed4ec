# SPDX-License-Identifier: Apache-2.0
"""Device trees: of machines that QEMU makes none for, and additions to those it makes."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from .kernel import Kernel
from .recipe import BuildError

HERE = Path(__file__).resolve().parent
# Where kernels keep the sources of Zynq's trees, from 6.5 on and before.
SOURCES = ("arch/arm/boot/dts/xilinx", "arch/arm/boot/dts", "include")


def run(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise BuildError(f"{Path(command[0]).name}: {done.stderr.strip() or done.stdout.strip()}")


def compile(kernel: Kernel, source: Path, target: Path) -> None:
    """Compiles a tree, or an overlay, with the kernel's own compiler and headers."""
    folders = [f"-I{kernel.source / folder}" for folder in SOURCES]
    text = target.with_suffix(".pre")
    run(
        [
            *(kernel.flavour.processor.compiler + "gcc", "-E", "-nostdinc", "-undef", "-D__DTS__"),
            *("-x", "assembler-with-cpp", *folders, str(source), "-o", str(text)),
        ]
    )
    dtc = kernel.build / "scripts" / "dtc" / "dtc"
    run([str(dtc), "-q", "-@", "-O", "dtb", "-o", str(target), str(text)])


def machine(command: Sequence[str], target: Path) -> None:
    """The tree that QEMU makes for the machine of a command line, with two serial ports."""
    options = [*command, "-serial", "null", "-serial", "null"]
    at = options.index("-M") + 1
    options[at] += f",dumpdtb={target}"
    run(options)


def merge(kernel: Kernel, tree: Path, overlays: Sequence[Path], target: Path) -> None:
    """A tree with overlays applied."""
    tool = kernel.build / "scripts" / "dtc" / "fdtoverlay"
    run([str(tool), "-i", str(tree), "-o", str(target), *map(str, overlays)])
