# SPDX-License-Identifier: Apache-2.0
"""What the tests of sluice.ko have in common: guests with it, and the program that uses it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from linux_drivers import described, pci

from cosim.boot import Boot
from cosim.commands import load, must
from cosim.guests import VERSION, VERSIONS, Card, Guest, Result
from cosim.guests.toolchain import program

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent / "sluice"
TEST = "/tests/sluice_test"
TRACING = "/sys/kernel/tracing"
FULL = os.environ.get("SLUICE_FULL") is not None
SEED = int(os.environ.get("SEED") or 1)
ONE_PORT = ("--ports", "1")
RETRIES = 10  # of a reader that a busy host blocked for a whole ring
OVERTAKEN = 3  # the status that says so
PERIOD_TICKS = 512  # of the source of a capture, without a pause
KERNELS = [
    pytest.param(
        version,
        marks=pytest.mark.skipif(
            version != VERSION and not FULL, reason=f"{version} is booted by make test-full"
        ),
    )
    for version in VERSIONS
]


DEBUG_KERNEL = "debug"
DEBUG = pytest.param(
    DEBUG_KERNEL,
    marks=pytest.mark.skipif(not FULL, reason="the debug kernel is booted by make test-full"),
)


def flavour_and_version(kernel: str) -> tuple[str, str]:
    """Of a kernel of KERNELS or DEBUG, for arm64."""
    return ("arm64-debug", VERSION) if kernel == DEBUG_KERNEL else ("arm64", kernel)


@contextmanager
def booted_pcie(
    name: str,
    kernel: str,
    *cards: Card,
    files: Mapping[str, Path | bytes] | None = None,
    qemu_options: Sequence[str] = (),
    append: str = "",
) -> Iterator[Guest]:
    """A guest of boot_pcie() with a kernel of KERNELS or DEBUG, which must have no complaint."""
    debug = kernel == DEBUG_KERNEL
    flavour, version = flavour_and_version(kernel)
    with boot_pcie(
        Boot(f"{name}-{kernel}"),
        *cards,
        flavour=flavour,
        version=version,
        append=f"{append} kmemleak=on" if debug else append,
        files=files,
        qemu_options=qemu_options,
    ) as guest:
        yield guest
        if debug:
            assert int(must(guest, "cat /sys/kernel/debug/dma-api/error_count")) == 0


def boot_sluice(
    boot: Boot,
    *cards: Card,
    flavour: str = "arm64",
    version: str = VERSION,
    append: str = "",
    parameters: str = "",
    files: Mapping[str, Path | bytes] | None = None,
    qemu_options: Sequence[str] = (),
) -> Guest:
    """A guest with cards for HP ports in slots 1 and up, their engines' drivers, sluice_pci with
    `parameters`, sluice.ko, and `files` by their path in it."""
    drivers = (("xilinx_dma", ""), ("altera-msgdma", ""), ("sluice_pci", parameters))
    return _boot(boot, cards, flavour, version, append, files or {}, drivers, qemu_options)


def boot_pcie(
    boot: Boot,
    *cards: Card,
    flavour: str = "arm64",
    version: str = VERSION,
    append: str = "",
    files: Mapping[str, Path | bytes] | None = None,
    qemu_options: Sequence[str] = (),
) -> Guest:
    """The same with PCI Express cards, and our driver of them."""
    drivers = (("sluice_card", ""),)
    return _boot(boot, cards, flavour, version, append, files or {}, drivers, qemu_options)


def _boot(
    boot: Boot,
    cards: Sequence[Card],
    flavour: str,
    version: str,
    append: str,
    files: Mapping[str, Path | bytes],
    drivers: Sequence[tuple[str, str]],
    qemu_options: Sequence[str] = (),
) -> Guest:
    kernel = boot.kernel(flavour, version)
    modules = kernel.build_modules(ROOT / "driver", include=[ROOT / "regs" / "gen" / "c"])
    include = [ROOT / "driver" / "include" / "uapi", ROOT / "regs" / "gen" / "c"]
    sources = sorted(HERE.glob("*.c"))
    test = program(kernel.flavour.processor, sources, include=include)
    of_hp = [card.design for card in cards if card.design.startswith("zynq7010/")]
    designs = [design.rpartition("/")[2] for design in of_hp]
    with TemporaryDirectory(prefix="sluice-cards-") as folder:
        guest = boot(
            flavour,
            version=version,
            cards=cards,
            modules=list(modules.values()),
            files={TEST: test, **files},
            overlays=described(designs, version, Path(folder)),
            append=append,
            qemu_options=qemu_options,
        )
    try:
        for driver, parameters in drivers:
            load(guest, driver, parameters)
        load(guest, "sluice")
    except BaseException:
        guest.kill()
        raise
    return guest


def completes_all(guest: Guest) -> bool:
    """xilinx_dma before 6.8: any interrupt of an AXI DMA ends all that it has."""
    return tuple(int(part) for part in guest.release.split(".")[:2]) < (6, 8)


def channel(slot: int, name: str) -> str:
    return f"/dev/sluice/{pci(slot)}/{name}"


def board(slot: int) -> str:
    """The same, of libsluice."""
    return f"dev:{pci(slot)}"


def keep(guest: Guest, command: str, pause_ticks: int = 0) -> Result:
    """Runs a capture of which nothing may be lost: `command`, and the pause of its source after
    each period. Where the host was too slow for it, the source is, too, from then on: each time
    half as fast."""
    for _ in range(1 + RETRIES):
        result = guest.run(f"{command} {pause_ticks}", 6000)
        if result.status != OVERTAKEN:
            break
        pause_ticks = PERIOD_TICKS + 2 * pause_ticks
    assert result.status == 0 and "lost 0\n" in result.text, result
    return result


class Traced:
    """What the tracepoints of sluice.ko say while the block is run."""

    def __init__(self, guest: Guest) -> None:
        self._guest = guest
        self.lines: list[str] = []

    def __enter__(self) -> Traced:
        must(self._guest, f"[ -e {TRACING}/trace ] || mount -t tracefs none {TRACING}")
        must(self._guest, f"echo > {TRACING}/trace; echo 1 > {TRACING}/events/sluice/enable")
        return self

    def __exit__(self, *_: object) -> None:
        must(self._guest, f"echo 0 > {TRACING}/events/sluice/enable")
        self.lines = must(self._guest, f"grep -v '^#' {TRACING}/trace").splitlines()

    def of(self, event: str) -> list[dict[str, int]]:
        """The numbers of each event of that name."""
        texts = [line.partition(f" sluice_{event}: ")[2] for line in self.lines]
        return [
            {name: int(value) for name, value in re.findall(r"(\w+)=(-?\d+)", text)}
            for text in texts
            if text
        ]


def sysfs(slot: int, name: str, counter: str) -> str:
    return f"/sys/class/sluice/sluice!{pci(slot)}!{name}/{counter}"


def run(
    guest: Guest, test: str, *arguments: object, timeout_s: float = 600
) -> dict[str, list[int]]:
    """Runs a test; the numbers that it prints, by name."""
    words = " ".join(str(argument) for argument in arguments)
    text = must(guest, f"{TEST} {test} {words}", timeout_s)
    found: dict[str, list[int]] = {}
    for line in text.splitlines():
        name, _, value = line.partition(" ")
        found.setdefault(name, []).append(int(value))
    return found
