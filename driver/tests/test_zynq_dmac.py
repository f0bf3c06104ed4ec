# SPDX-License-Identifier: Apache-2.0
"""Mainline's pl330 and sluice.ko on the board's DMA controller, which takes modelled time: data,
and what the kernel's own clock says. test_zynq_sluice.py has the same channels on QEMU's own
controller, which takes none."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from guest_library import build_library

from cosim.boot import Boot
from cosim.commands import dmatest, load, must, unload
from cosim.guests import Guest, Logic, program

FULL = os.environ.get("SLUICE_FULL") is not None
SEED = int(os.environ.get("SEED") or 1)
ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
UAPI = ROOT / "driver" / "include" / "uapi"
FOLDER = "/dev/sluice/ps"
CHANNELS = 8
ROUNDS = 20
BUS_MB_S = 1778  # 64 bits at CPU_2x, 222 MHz
BYTES = 1 << 16
RANDOM_BYTES = 1 << 12  # of copies byte by byte, which take long

full = pytest.mark.skipif(not FULL, reason="make test-full boots for each kind of logic")


@pytest.fixture(scope="module")
def guest() -> Iterator[Guest]:
    """A Zynq without logic. The library's programs are there for what make test-full does."""
    boot = Boot("zynq-dmac")
    kernel = boot.kernel("zynq")
    modules = kernel.build_modules(ROOT / "driver", include=[ROOT / "regs" / "gen" / "c"])
    sources = [HERE / "zynq" / "ps_dma.c", HERE / "sluice" / "board.c"]
    files = {"/tests/ps_dma": program(kernel.flavour.processor, sources, include=[UAPI])}
    if FULL:
        files |= build_library("zynq")
    logic = Logic("zynq7010/none")
    with boot("zynq", logic=logic, modules=[modules["sluice"]], files=files) as guest:
        yield guest


@pytest.fixture
def channels(guest: Guest) -> Iterator[Guest]:
    """The guest with sluice.ko, which has all channels: dmatest gets none meanwhile."""
    load(guest, "sluice")
    yield guest
    unload(guest, "sluice")


def names(guest: Guest) -> list[str]:
    found = must(guest, "ls /sys/class/dma").split()
    assert len(found) == CHANNELS
    return found


def test_a_copy_takes_the_buss_time(channels: Guest) -> None:
    """By the driver's clock. What the second half of a copy adds is the controller's time alone:
    not less than the bus takes, and not much more. A controller that takes no time adds nothing."""
    half, whole = (
        int(must(channels, f"/tests/ps_dma time {FOLDER}/copy0 {size}").split()[1])
        for size in (BYTES // 2, BYTES)
    )
    bus_ns = BYTES * 1000 / BUS_MB_S
    assert bus_ns / 2 <= whole - half < 0.8 * bus_ns, (half, whole)
    assert bus_ns < whole < 2 * bus_ns, (half, whole)


def test_every_channel_copies_at_once(guest: Guest) -> None:
    """Any length and alignment; each channel has its own interrupt."""
    iterations = ROUNDS if FULL else 1
    for name, copies in dmatest(guest, names(guest), iterations, RANDOM_BYTES).items():
        assert copies.tests == iterations and copies.failures == 0, (name, copies)
    told = must(guest, "grep dma-controller /proc/interrupts").splitlines()
    counts = [int(line.split()[1]) for line in told]
    assert counts[0] == 0  # irq_abort
    assert all(count >= iterations for count in counts[1:]) and len(counts) == 1 + CHANNELS


def test_on_chip_memory(channels: Guest) -> None:
    """The processor's and the controller's are the same bytes, by sluice.ko's copies."""
    memory, block = f"{FOLDER}/memory", "/tmp/block"
    must(channels, f"head -c 16384 /bin/busybox > {block}")
    must(channels, f"cat {block} > {memory}")
    must(channels, f"head -c 16384 {FOLDER}/copy1 | cmp - {block}")
    must(channels, f"tail -c 16384 /bin/busybox > {block}")
    must(channels, f"cat {block} > {FOLDER}/copy2 && head -c 16384 {memory} | cmp - {block}")


@full
def test_sluice_and_libsluice_copy(channels: Guest) -> None:
    """As test_zynq_sluice.py, with time between a copy's start and its end."""
    for count in (1, 3, CHANNELS):
        must(channels, f"/tests/ps_dma parallel {FOLDER} {count} {SEED + count}")
    must(channels, f"/tests/ps_dma late {FOLDER}/copy3")
    must(channels, f"/tests/ps_dma stop {FOLDER} {ROUNDS}")
    must(channels, f"/tests/ps_dma parallel {FOLDER} {CHANNELS} {SEED}")
    for key in ("", "?heap=cma"):
        must(channels, f"/tests/sluice_on_device copy 'dev:ps{key}' copy5 {ROUNDS} {SEED}")
    words = f"dev:ps copy0 {FOLDER}/memory {ROUNDS} {SEED}"
    must(channels, f"/tests/sluice_on_device through {words}")


@full
@pytest.mark.parametrize("level", ["rtl", "transaction"])
def test_beside_a_design(level: str) -> None:
    """The controller is there with any logic, at both levels."""
    with Boot(f"zynq-dmac-{level}")("zynq", logic=Logic("zynq7010/cdma", level=level)) as guest:
        channels = [
            name
            for name in must(guest, "ls /sys/class/dma").split()
            if "f8003000" in must(guest, f"readlink /sys/class/dma/{name}")
        ]
        assert len(channels) == CHANNELS
        for name, copies in dmatest(guest, channels, 1, RANDOM_BYTES).items():
            assert copies.tests == 1 and copies.failures == 0, (name, copies)
