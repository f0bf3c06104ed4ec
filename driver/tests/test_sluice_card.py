# SPDX-License-Identifier: Apache-2.0
"""Our driver of PCI Express cards, and sluice.ko on it: memory, tables, streams, resets."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from clients import MODULE, PROGRAM, clients
from guest_library import BENCH, build_library, refusal
from linux_drivers import pci
from sluice_guest import (
    DEBUG,
    FULL,
    KERNELS,
    SEED,
    board,
    booted_pcie,
    channel,
    flavour_and_version,
    run,
)

from cosim.boot import Boot
from cosim.commands import load, must
from cosim.guests import Card, Guest

ROUNDS = 300 if FULL else 40
PERIODS = 1000 if FULL else 200
PERIOD_TICKS = 1024  # four times what a period takes
RETRIES = 6
BYTES = (64 << 20) if FULL else (2 << 20)
TURNS = 20 if FULL else 3
DRIVER = "/sys/bus/pci/drivers/sluice_card"
DESIGNS = ("xdma", "xdma_stream", "avmm")
MEMORY, STREAM, TABLE = 1, 2, 3  # slots
WIDTH = ("--width", "128")
EXAMPLE = "sluice_example_card"

TX, RX, CONTROL = (channel(STREAM, name) for name in ("h2c0", "c2h0", "control"))


@pytest.fixture(scope="module", params=[*KERNELS, DEBUG])
def guest(request: pytest.FixtureRequest) -> Iterator[Guest]:
    cards = [Card(f"pcie/{name}", WIDTH) for name in DESIGNS]
    kernel = Boot("sluice-card").kernel(*flavour_and_version(request.param))
    files = {**build_library(more=[EXAMPLE, "sluice-bench"]), **clients(kernel)}
    with booted_pcie("sluice-card", request.param, *cards, files=files) as guest:
        run(guest, "loop", CONTROL)
        yield guest


def of(slot: int) -> tuple[str, str, str]:
    """A card's channels and its memory."""
    to, from_, memory = (channel(slot, name) for name in ("h2c0", "c2h0", "memory"))
    return to, from_, memory


both = pytest.mark.parametrize("slot", [MEMORY, TABLE], ids=["xdma", "avmm"])


@contextmanager
def without_sluice(guest: Guest, slot: int) -> Iterator[None]:
    """sluice.ko holds a card's channels from the time that it is bound."""
    ours = "/sys/bus/platform/drivers/sluice"
    device = must(guest, f"basename /sys/bus/pci/devices/{pci(slot)}/sluice-channels.*").strip()
    must(guest, f"echo {device} > {ours}/unbind")
    yield
    must(guest, f"echo {device} > {ours}/bind")


@both
def test_channels_of_any_client(guest: Guest, slot: int) -> None:
    with without_sluice(guest, slot):
        load(guest, "sluice_card_test", f"device={pci(slot)} rounds={ROUNDS} seed={SEED} queued=16")
        must(guest, "rmmod sluice_card_test")
    told = must(guest, "dmesg | grep -o '[0-9]* of 16 completed' | tail -n 1")
    assert told == "16 of 16 completed\n"


@both
def test_clients_of_the_how_to(guest: Guest, slot: int) -> None:
    back = "the data came back as it was\n"
    assert must(guest, f"{PROGRAM} {pci(slot)}") == back
    with without_sluice(guest, slot):
        must(guest, f"insmod {MODULE} device={pci(slot)} && rmmod client")
    assert must(guest, "dmesg | grep -o 'client: .*' | tail -n 1") == f"client: {back}"


@both
def test_card_memory_there_and_back(guest: Guest, slot: int) -> None:
    run(guest, "card", *of(slot), BYTES, SEED, timeout_s=1200)


@both
def test_card_memory_is_read_and_written(guest: Guest, slot: int) -> None:
    """By each channel in its direction, and by the processor on the memory node, at positions."""
    to, from_, memory = of(slot)
    block, blocks = 102400, 3
    some = f"bs={block} count={blocks}"
    must(guest, f"dd if=/dev/urandom of=/tmp/new bs={block * blocks} count=1")
    must(guest, f"dd if=/tmp/new of={to} bs={block} seek=1")
    must(guest, f"dd if={from_} of=/tmp/back {some} skip=1 && cmp /tmp/back /tmp/new")
    must(guest, f"dd if={memory} {some} skip=1 | cmp - /tmp/new")
    must(guest, f"dd if=/tmp/new of={memory} bs=4096 seek=7")
    must(guest, f"dd if={from_} bs=4096 skip=7 count={block * blocks // 4096} | cmp - /tmp/new")
    for command in (f"cat {to}", f"cat /tmp/new > {from_}"):
        assert "not supported" in guest.run(command).text


@both
def test_program_of_a_simulated_board(guest: Guest, slot: int) -> None:
    must(guest, f"/tests/{EXAMPLE} {board(slot)} 100001")


# As `sluice run pcie-transfers --device` does it; what needs a GPU is refused.
@both
def test_transfers_of_the_published_codes(guest: Guest, slot: int) -> None:
    words = f"transfers --device {board(slot)} --bytes 20000 --iterations 3"
    for code in ("FH", "HF", "FM", "HM", "FH+HF"):
        found = json.loads(must(guest, f"{BENCH} {words} --code {code}"))
        assert found["verified"] and found["link"] is None and found["gpu"] is None, code
        assert found["clock"] == "CLOCK_MONOTONIC_RAW"
        wrong = json.loads(must(guest, f"{BENCH} {words} --code {code} --corrupt 19999"))
        assert not wrong["verified"], code
    assert "--code FR needs a GPU" in refusal(guest, f"{words} --code FR")
    assert "not of the form FUNCTION/BAR" in refusal(guest, f"{words} --code FR --peer x")
    assert "cannot open CUDA's library" in refusal(guest, f"{words} --code GH --cuda 0")
    assert "of simulated cards" in refusal(guest, f"{words} --set tags=4")


def test_buffer_that_is_not_the_librarys(guest: Guest) -> None:
    words = f"{board(MEMORY)} /dev/dma_heap/system {SEED}"
    must(guest, f"/tests/sluice_on_device import {words}")
    # No way from a root port to another on this machine: said in a sentence, and nothing else.
    words = f"{board(MEMORY)} {of(TABLE)[2]} {SEED}"
    found = guest.run(f"/tests/sluice_on_device import {words}")
    assert found.status == 1 and "its engine cannot use the buffer's memory" in found.text, found


@pytest.mark.parametrize("heap", ["system", "contiguous"])
def test_packets_come_back(guest: Guest, heap: str) -> None:
    run(guest, "loopback", TX, RX, heap, BYTES // 2, SEED, timeout_s=1200)


def test_streams(guest: Guest) -> None:
    run(guest, "abi", TX, RX)
    run(guest, "few", TX, RX)
    run(guest, "big", TX, RX, "system", 3 << 18, SEED)
    run(guest, "fence", TX, RX)
    run(guest, "limits", TX, RX)
    run(guest, "pipe", TX, RX, BYTES // 8, SEED, timeout_s=600)


def test_capture_with_the_stream_blocked(guest: Guest) -> None:
    found = run(guest, "capture_card", RX, CONTROL, "stall", PERIODS, 0, timeout_s=1200)
    assert found["periods"] == [PERIODS] and found["lost"] == [0]


def test_capture_that_overwrites(guest: Guest) -> None:
    """Where the host is too slow for the source, the source is slower the next time."""
    pause = PERIOD_TICKS
    for _ in range(RETRIES):
        found = run(guest, "capture_card", RX, CONTROL, "cyclic", PERIODS, pause, timeout_s=1200)
        if found["lost"][0] < PERIODS // 2:
            break
        pause *= 4
    assert found["lost"][0] < PERIODS // 2, found
    run(guest, "few", TX, RX)


def test_killed_programs(guest: Guest) -> None:
    run(guest, "kill", TX, RX, 10 * TURNS, SEED, timeout_s=1800)


def stopped(guest: Guest, slot: int, test: str, *words: str) -> None:
    """128 copies of a megabyte are queued, from the card's memory, that a program has mapped. A
    guest's time is the host's: how long it took until all had ended is said, and no bound."""
    _, source, memory = of(slot)
    found = run(guest, test, source, memory, *words)
    print(f"{test} {' '.join(words)}: ended after {found['ended_ns'][0] / 1e6:.1f} ms")


@both
def test_reset_of_the_function(guest: Guest, slot: int) -> None:
    for turn in range(TURNS):
        stopped(guest, slot, "end_card", f"/sys/bus/pci/devices/{pci(slot)}/reset", "1")
        run(guest, "card", *of(slot), 1 << 16, SEED + turn)


@both
def test_unbound_and_bound_again(guest: Guest, slot: int) -> None:
    for turn in range(TURNS):
        stopped(guest, slot, "end_card", f"{DRIVER}/unbind", pci(slot))
        must(guest, " && ".join(f"[ ! -e {node} ]" for node in of(slot)))
        must(guest, f"echo {pci(slot)} > {DRIVER}/bind")
        run(guest, "card", *of(slot), 1 << 16, SEED + turn)


@both
def test_removed_and_found_again(guest: Guest, slot: int) -> None:
    for turn in range(TURNS):
        stopped(guest, slot, "end_card", f"/sys/bus/pci/devices/{pci(slot)}/remove", "1")
        must(guest, "echo 1 > /sys/bus/pci/rescan")
        run(guest, "card", *of(slot), 1 << 16, SEED + turn)


@both
def test_killed_with_copies_queued(guest: Guest, slot: int) -> None:
    for turn in range(TURNS):
        stopped(guest, slot, "kill_card")
        run(guest, "card", *of(slot), 1 << 16, SEED + turn)


@both
def test_who_goes_on_at_once_is_not_forgotten(guest: Guest, slot: int) -> None:
    sink, _, memory = of(slot)
    reset = f"/sys/bus/pci/devices/{pci(slot)}/reset"
    run(guest, "insist", sink, memory, reset, 1, 5 * TURNS)
