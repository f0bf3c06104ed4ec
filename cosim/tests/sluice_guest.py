# SPDX-License-Identifier: Apache-2.0
"""What the tests of sluice.ko have in common: guests with it, and the program that uses it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from linux_drivers import described, load, must, pci

from cosim.boot import Boot
from cosim.guests import VERSION, VERSIONS, Card, Guest
from cosim.guests.toolchain import program

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent / "sluice"
TEST = "/tests/sluice_test"
FULL = os.environ.get("SLUICE_FULL") is not None
KERNELS = [
    pytest.param(
        version,
        marks=pytest.mark.skipif(
            version != VERSION and not FULL, reason=f"{version} is booted by make test-full"
        ),
    )
    for version in VERSIONS[1:]  # not yet on 6.1
]


def boot_sluice(
    boot: Boot,
    *cards: Card,
    flavour: str = "arm64",
    version: str = VERSION,
    append: str = "",
    parameters: str = "",
    files: Mapping[str, Path | bytes] | None = None,
) -> Guest:
    """A guest with cards in slots 1 and up, sluice_pci with `parameters`, sluice.ko, and `files` by
    their path in it."""
    kernel = boot.kernel(flavour, version)
    modules = kernel.build_modules(ROOT / "driver", include=[ROOT / "regs" / "gen" / "c"])
    include = [ROOT / "driver" / "include" / "uapi", ROOT / "regs" / "gen" / "c"]
    sources = [HERE / f"{name}.c" for name in ("sluice_test", "capture", "random", "board")]
    test = program(kernel.flavour.processor, sources, include=include)
    designs = [card.design.rpartition("/")[2] for card in cards]
    with TemporaryDirectory(prefix="sluice-cards-") as folder:
        guest = boot(
            flavour,
            version=version,
            cards=cards,
            modules=list(modules.values()),
            files={TEST: test, **(files or {})},
            overlays=described(designs, version, Path(folder)),
            append=append,
        )
    try:
        for module in ("xilinx_dma", "altera-msgdma"):
            load(guest, module)
        load(guest, "sluice_pci", parameters)
        load(guest, "sluice")
    except BaseException:
        guest.kill()
        raise
    return guest


def channel(slot: int, name: str) -> str:
    return f"/dev/sluice/{pci(slot)}/{name}"


def run(
    guest: Guest, test: str, *arguments: object, timeout_s: float = 120
) -> dict[str, list[int]]:
    """Runs a test; the numbers that it prints, by name."""
    words = " ".join(str(argument) for argument in arguments)
    text = must(guest, f"{TEST} {test} {words}", timeout_s)
    found: dict[str, list[int]] = {}
    for line in text.splitlines():
        name, _, value = line.partition(" ")
        found.setdefault(name, []).append(int(value))
    return found
