# SPDX-License-Identifier: Apache-2.0
"""sluice.ko and libsluice on the Zynq's own DMA controller: mainline's pl330, 32 bits, eight
channels that copy memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from guest_library import build_library

from cosim.boot import Boot
from cosim.commands import load, must, unload
from cosim.guests import FLAVOURS, Guest, program
from tools.debian import UnavailableError

FULL = os.environ.get("SLUICE_FULL") is not None
SEED = int(os.environ.get("SEED") or 1)
ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
UAPI = ROOT / "driver" / "include" / "uapi"
FOLDER = "/dev/sluice/ps"
CHANNELS = 8
COPY = 3  # enum sluice_direction
QUEUE, TERMINATE, FENCES, PIPE = 1 << 0, 1 << 2, 1 << 6, 1 << 7  # SLUICE_CAP_*
SEGMENT = 1_900_800  # as pl330 has it: of its longest program, byte by byte
ROUNDS = 40
STOPS = 40

full = pytest.mark.skipif(not FULL, reason="zynq is booted by make test-full")


@pytest.mark.parametrize("flavour", ["zynq", "arm64", "x86_64"])
def test_structures_are_the_same_for_every_processor(flavour: str) -> None:
    try:
        program(FLAVOURS[flavour].processor, [HERE / "zynq" / "uapi_layout.c"], include=[UAPI])
    except UnavailableError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module", params=["zynq", "zynq-debug"])
def guest(request: pytest.FixtureRequest) -> Iterator[Guest]:
    boot, flavour = Boot(f"zynq-sluice-{request.param}"), request.param
    kernel = boot.kernel(flavour)
    modules = kernel.build_modules(ROOT / "driver", include=[ROOT / "regs" / "gen" / "c"])
    sources = [HERE / "zynq" / "ps_dma.c", HERE / "sluice" / "board.c"]
    files = {"/tests/ps_dma": program(kernel.flavour.processor, sources, include=[UAPI])}
    files |= build_library(flavour)
    with boot(flavour, modules=[modules["sluice"]], files=files) as guest:
        load(guest, "sluice")
        yield guest


def run(guest: Guest, test: str, *arguments: object, timeout_s: float = 300) -> dict[str, int]:
    words = " ".join(str(argument) for argument in arguments)
    lines = must(guest, f"/tests/{test} {words}", timeout_s).splitlines()
    return {name: int(value) for name, value in (line.split() for line in lines)}


@full
@pytest.mark.parametrize("number", range(CHANNELS))
def test_says_what_it_can_do(guest: Guest, number: int) -> None:
    assert run(guest, "ps_dma told", f"{FOLDER}/copy{number}") == {
        "direction": COPY,
        "capabilities": QUEUE | TERMINATE | FENCES | PIPE,
        "max_packet": SEGMENT,
        "address_align": 1,
        "length_align": 1,
    }


@full
@pytest.mark.parametrize("count", range(1, CHANNELS + 1))
def test_channels_copy_in_parallel(guest: Guest, count: int) -> None:
    interrupts = "grep dma-controller /proc/interrupts | awk '$2 > 0' | wc -l"
    assert run(guest, "ps_dma parallel", FOLDER, count, SEED + count)["bytes"] > count << 18
    assert int(must(guest, interrupts)) >= count


@full
def test_longer_than_the_engine_takes_at_once(guest: Guest) -> None:
    if guest.flavour.name == "zynq-debug":
        # cma_heap_map_dma_buf() maps a buffer as one segment, whatever the device claims to take.
        pytest.skip("the DMA API's checks complain of the CMA heap itself")
    run(guest, "ps_dma long", f"{FOLDER}/copy6", SEED)


@full
def test_time_limits_and_cancelling(guest: Guest) -> None:
    run(guest, "ps_dma late", f"{FOLDER}/copy3")
    run(guest, "ps_dma parallel", FOLDER, 4, SEED)


@full
def test_stops_with_work_queued(guest: Guest) -> None:
    found = run(guest, "ps_dma stop", FOLDER, STOPS)
    assert found["cancelled"] > 0 and found["whole"] > 0, found
    run(guest, "ps_dma parallel", FOLDER, CHANNELS, SEED)


@full
def test_counters_add_up(guest: Guest) -> None:
    counters = "/sys/class/sluice/sluice!ps!copy7/transfers"
    before = int(must(guest, f"cat '{counters}'"))
    run(guest, "ps_dma parallel", FOLDER, CHANNELS, SEED)
    assert int(must(guest, f"cat '{counters}'")) == before + 16


@full
@pytest.mark.parametrize("key", ["", "?heap=cma", "?heap=udmabuf"])
def test_library_copies(guest: Guest, key: str) -> None:
    if key == "?heap=udmabuf" and guest.flavour.name == "zynq-debug":
        # begin_cpu_udmabuf() maps for the first access's direction and syncs in any other's.
        pytest.skip("the DMA API's checks complain of udmabuf itself")
    found = run(guest, "sluice_on_device copy", f"'dev:ps{key}'", "copy5", ROUNDS, SEED)
    assert found["bytes"] > 0


@full
def test_library_lists_every_channel(guest: Guest) -> None:
    lines = must(guest, "/tests/sluice_on_device list").splitlines()
    assert lines[0] == "board dev:ps"
    told = [line.split()[1:3] for line in lines[1:]]
    assert sorted(told) == [[f"copy{number}", str(COPY)] for number in range(CHANNELS)]


@full
def test_copies_to_on_chip_memory(guest: Guest) -> None:
    """256 KiB that the PS DMA reaches as it does DDR, and the processor: a buffer of copies; what
    one way wrote the others read."""
    memory = f"{FOLDER}/memory"
    for channel in ("copy0", "copy7"):
        words = f"dev:ps {channel} {memory} {ROUNDS} {SEED}"
        assert run(guest, "sluice_on_device through", words)["bytes"] > 0
    must(guest, f"dd if=/dev/urandom of=/tmp/all bs=4096 count=64 && cat /tmp/all > {memory}")
    must(guest, f"cmp /tmp/all {memory} && cmp /tmp/all {FOLDER}/copy1")
    must(guest, f"dd if=/dev/urandom of=/tmp/all bs=4096 count=64 && cat /tmp/all > {FOLDER}/copy2")
    must(guest, f"cmp /tmp/all {memory}")
    full = guest.run(f"cat /tmp/all /tmp/all > {memory}")
    assert full.status != 0 and "No space left" in full.text, full


@full
def test_module_comes_and_goes(guest: Guest) -> None:
    for _ in range(3):
        unload(guest, "sluice")
        assert guest.run(f"ls {FOLDER}").status != 0
        load(guest, "sluice")
        run(guest, "ps_dma parallel", FOLDER, CHANNELS, SEED)
