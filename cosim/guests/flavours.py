# SPDX-License-Identifier: Apache-2.0
"""The guests there are: which kernel options each has, and which machine of QEMU it runs on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

CONFIG = Path(__file__).resolve().parent / "config"
NEWEST = "7.3"
VERSION = "6.12"  # what tests boot by default
VERSIONS = ("6.1", VERSION, NEWEST)
PCI_OF_NODES_SINCE = (6, 6)  # CONFIG_PCI_DYNAMIC_OF_NODES
XDMA_SINCE = (6, 3)  # CONFIG_XILINX_XDMA
# Fragments that only versions before this have, beside those of the same name.
BEFORE = ((7, 0), "_before_7")


@dataclass(frozen=True)
class Processor:
    """What the tools call one instruction set."""

    name: str  # Linux's, as in `make ARCH=`
    qemu: str  # qemu-system-...
    debian: str  # architecture of Debian's packages
    compiler: str  # prefix of the cross compiler's programs
    packages: tuple[str, ...]  # of Debian, that have the cross compiler and its C library
    image: str  # the kernel, in the folder that it is built in


ARM64 = Processor(
    name="arm64",
    qemu="aarch64",
    debian="arm64",
    compiler="aarch64-linux-gnu-",
    packages=("gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"),
    image="arch/arm64/boot/Image",
)


X86_64 = Processor(
    name="x86_64",
    qemu="x86_64",
    debian="amd64",
    compiler="x86_64-linux-gnu-",
    packages=("gcc", "libc6-dev", "libelf-dev"),
    image="arch/x86/boot/bzImage",
)
ARM = Processor(
    name="arm",
    qemu="arm",
    debian="armhf",
    compiler="arm-linux-gnueabihf-",
    packages=("gcc-arm-linux-gnueabihf", "libc6-dev-armhf-cross"),
    image="arch/arm/boot/zImage",
)


@dataclass(frozen=True)
class Flavour:
    """One guest."""

    name: str
    processor: Processor
    fragments: tuple[str, ...]  # config/*.config
    machine: tuple[str, ...]  # arguments of QEMU
    memory_mib: int
    append: str  # kernel command line
    channel: str  # the serial port that the runner talks through; the console is another one
    has_bus: bool = True  # PCI Express, for cards
    device_tree: str | None = None  # dts/*.dts, where QEMU does not make one


VIRT = (
    *("-M", "virt,gic-version=3,its=on,memory-backend=ram"),
    *("-cpu", "cortex-a53", "-smp", "2"),
)
ARM64_PLAIN = Flavour(
    name="arm64",
    processor=ARM64,
    fragments=("common", "events", "arm64"),
    machine=VIRT,
    memory_mib=1024,
    append="console=ttyAMA0",
    channel="/dev/ttyAMA1",
)
# An instruction takes 16 ns, so the same program takes the same time and count in each run.
ZYNQ = Flavour(
    name="zynq",
    processor=ARM,
    fragments=("common", "events", "zynq"),
    machine=("-M", "xilinx-zynq-a9", "-icount", "shift=4,sleep=off"),
    memory_mib=512,
    append="console=ttyPS0,115200",
    channel="/dev/ttyPS1",
    has_bus=False,
    device_tree="zynq",
)
FLAVOURS = {
    flavour.name: flavour
    for flavour in (
        ARM64_PLAIN,
        replace(ARM64_PLAIN, name="arm64-net", fragments=(*ARM64_PLAIN.fragments, "net")),
        replace(
            ARM64_PLAIN,
            name="arm64-debug",
            fragments=(*ARM64_PLAIN.fragments, "debug", "kasan"),
        ),
        Flavour(
            name="x86_64",
            processor=X86_64,
            fragments=("common", "events", "x86_64"),
            machine=(
                *("-M", "q35,memory-backend=ram", "-smp", "2"),
                *("-device", "intel-iommu,intremap=on,caching-mode=on"),
            ),
            memory_mib=1024,
            # The check finds no interrupt in time where the host is busy, and panics.
            append="console=ttyS0 reboot=t no_timer_check",
            channel="/dev/ttyS1",
        ),
        ZYNQ,
        replace(ZYNQ, name="zynq-debug", fragments=(*ZYNQ.fragments, "debug")),
        replace(ZYNQ, name="zynq-iio", fragments=(*ZYNQ.fragments, "iio")),
        replace(ZYNQ, name="zynq-trace", fragments=("common", "zynq", "trace")),
    )
}


def fragments(flavour: Flavour, version: str) -> tuple[str, ...]:
    """The fragments of a kernel's version: not each version has every option."""
    numbers = tuple(int(part) for part in version.split("."))
    names = list(flavour.fragments)
    if numbers < BEFORE[0]:
        older = (name + BEFORE[1] for name in flavour.fragments)
        names += [name for name in older if (CONFIG / f"{name}.config").exists()]
    if flavour.has_bus and numbers >= PCI_OF_NODES_SINCE:
        names.append("pci_of_nodes")
    if flavour.has_bus and numbers >= XDMA_SINCE:
        names.append("xdma")
    return tuple(names)
