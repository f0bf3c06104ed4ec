# SPDX-License-Identifier: Apache-2.0
"""libsluice on devices: the library, sluice.ko and the engines' drivers in a real kernel, the RTL
behind PCI Express."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from linux_drivers import must, pci
from sluice_guest import boot_sluice

from cosim.boot import Boot
from cosim.guests import Card, Guest
from cosim.guests.flavours import FLAVOURS
from cosim.guests.kernel import alone

ROOT = Path(__file__).resolve().parents[2]
FULL = os.environ.get("SLUICE_FULL") is not None
SEED = int(os.environ.get("SEED") or 1)
PROGRAMS = ("sluice_example_loopback", "sluice_on_device")
ONE_PORT = ("--ports", "1")
LOOPBACK, CDMA, MSGDMA = 1, 2, 3
DESIGNS = ("dma_loopback", "cdma", "msgdma")
ROUNDS = 100 if FULL else 4
MM2S, S2MM, COPY = 1, 2, 3  # enum sluice_direction
CAN_CANCEL, CAN_PACKETS = 0x1, 0x2
PERIODS = 10_000 if FULL else 300
PAUSE_TICKS = 0 if FULL else 8192  # after each period: so that a busy host keeps up
RETRIES = 2  # a reader that a busy host held up for a whole ring
OVERTAKEN = 3  # the status that says so
PROMPT_S = 20  # for a device to go away


def build() -> dict[str, Path]:
    """The library without simulated boards, in programs for a guest, by their path there."""
    processor = FLAVOURS["arm64"].processor
    if shutil.which(processor.compiler + "g++") is None:
        pytest.skip(f"there is no {processor.compiler}g++: run tools/setup guest")
    folder = ROOT / "build" / "guest-library-arm64"
    toolchain = ROOT / "cmake" / "aarch64-linux-gnu.cmake"
    with alone(folder.name):
        for command in (
            ["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja",
             f"-DCMAKE_TOOLCHAIN_FILE={toolchain}", "-DCMAKE_EXE_LINKER_FLAGS=-static",
             "-DSLUICE_SIMULATED_BOARDS=OFF", "-DSLUICE_TESTS=OFF"],
            ["cmake", "--build", folder, "--target", *PROGRAMS],
        ):  # fmt: skip
            done = subprocess.run(command, capture_output=True, text=True)
            assert done.returncode == 0, done.stdout + done.stderr
    return {f"/tests/{name}": folder / "lib" / name for name in PROGRAMS}


@pytest.fixture(scope="module")
def guest() -> Iterator[Guest]:
    cards = [Card(f"zynq7010/{name}", ONE_PORT) for name in DESIGNS]
    files = build() | {"/etc/passwd": b"root::0:0::/:/bin/sh\ntester::1000:1000::/:/bin/sh\n"}
    with boot_sluice(Boot("sluice-library"), *cards, files=files) as guest:
        yield guest


def board(slot: int) -> str:
    return f"dev:{pci(slot)}"


def run(guest: Guest, test: str, *arguments: object, timeout_s: float = 120) -> list[str]:
    words = " ".join(str(argument) for argument in arguments)
    return must(guest, f"/tests/sluice_on_device {test} {words}", timeout_s).splitlines()


def numbers(lines: list[str]) -> dict[str, int]:
    return {name: int(value) for name, value in (line.split() for line in lines)}


def test_example_runs_unchanged(guest: Guest) -> None:
    text = must(guest, f"/tests/sluice_example_loopback {board(LOOPBACK)}")
    assert "65536 bytes there and back" in text


def test_boards_are_listed(guest: Guest) -> None:
    lines = run(guest, "list")
    assert [line for line in lines if line.startswith("board")] == [
        f"board {board(slot)}" for slot in (LOOPBACK, CDMA, MSGDMA)
    ]
    told = [tuple(line.split()[1:4]) for line in lines if line.startswith("channel")]
    found = {(name, int(direction)): int(can) for name, direction, can in told}
    assert found["hp0.mm2s", MM2S] & CAN_CANCEL
    assert found["hp0.s2mm", S2MM] & CAN_PACKETS
    assert ("hp0.copy", COPY) in found


@pytest.mark.parametrize("key", ["", "?heap=cma"])
def test_packets_come_back(guest: Guest, key: str) -> None:
    uri = f"'{board(LOOPBACK)}{key}'"
    found = numbers(run(guest, "loopback", uri, "hp0.mm2s", "hp0.s2mm", ROUNDS, SEED))
    assert found["short_packets"] > 0 and found["bytes"] > 0


@pytest.mark.parametrize("key", ["", "?heap=udmabuf"])
@pytest.mark.parametrize("slot", [CDMA, MSGDMA], ids=["cdma", "msgdma"])
def test_copies(guest: Guest, slot: int, key: str) -> None:
    assert numbers(run(guest, "copy", f"'{board(slot)}{key}'", "hp0.copy", ROUNDS, SEED))["bytes"]


def test_polling_makes_no_system_call_that_waits(guest: Guest) -> None:
    found = numbers(run(guest, "polled", board(LOOPBACK), "hp0.mm2s", "hp0.s2mm"))
    assert found["taken"] == 64
    assert found["switches"] == 0


def test_time_limits_and_cancelling(guest: Guest) -> None:
    run(guest, "timeout", board(LOOPBACK), "hp0.s2mm")
    test_example_runs_unchanged(guest)  # the channel is as it was


def test_refusals_have_sentences(guest: Guest) -> None:
    text = "\n".join(run(guest, "refuse", board(LOOPBACK), "hp0.mm2s", "hp0.s2mm"))
    for part in ("open the board with ?heap=cma", "is in use by another program", "no heap 'none'",
                 "unknown board 'none'"):  # fmt: skip
        assert part in text, text


def test_without_permission_the_group_is_named(guest: Guest) -> None:
    found = guest.run(f"su tester -c '/tests/sluice_example_loopback {board(LOOPBACK)}'")
    assert found.status == 1
    assert "join the group 'sluice'" in found.text, found


def test_device_that_goes_ends_what_is_under_way(guest: Guest) -> None:
    text = must(
        guest,
        f"/tests/sluice_on_device idle {board(LOOPBACK)} hp0.s2mm > /tmp/idle 2>&1 & "
        "job=$!; until grep -q waiting /tmp/idle; do sleep 0.1; done; "
        f"echo {pci(LOOPBACK)} > /sys/bus/pci/drivers/sluice_pci/unbind; wait $job; "
        f"cat /tmp/idle; echo {pci(LOOPBACK)} > /sys/bus/pci/drivers/sluice_pci/bind; "
        f"for i in $(seq {10 * PROMPT_S}); do [ -e /dev/sluice/{pci(LOOPBACK)}/hp0.s2mm ] && break;"
        " sleep 0.1; done",
    )
    assert "the device has gone" in text, text
    test_example_runs_unchanged(guest)


# A machine of QEMU has no caches; bounce buffers stand in for those that are not coherent.
def test_brackets_are_what_keeps_data_right_without_coherence(boot: Boot) -> None:
    card = Card("zynq7010/dma_loopback", ONE_PORT)
    with boot_sluice(
        boot, card, files=build(), parameters="noncoherent=1", append="swiotlb=65536,force"
    ) as guest:
        words = f"{board(LOOPBACK)} hp0.mm2s hp0.s2mm {ROUNDS} {SEED}"
        run(guest, "loopback", words)
        found = guest.run(f"/tests/sluice_on_device unsynced {words}")
        assert found.status == 1 and "did not come back as it was" in found.text, found


def test_capture_names_what_is_lost(boot: Boot) -> None:
    with boot_sluice(boot, Card("zynq7010/capture"), files=build()) as guest:
        bar = f"/sys/bus/pci/devices/{pci(1)}/resource0"
        words = f"{board(1)} hp0.s2mm {bar} {PERIODS}"
        for _ in range(1 + RETRIES):
            kept = guest.run(f"/tests/sluice_on_device capture {words} keep {PAUSE_TICKS}", 1200)
            if kept.status != OVERTAKEN:
                break
        assert kept.status == 0 and "lost 0\n" in kept.text, kept
        found = numbers(run(guest, "capture", words, "hold", PAUSE_TICKS, timeout_s=1200))
        assert found["lost"] > 0
        [sentence] = run(guest, "pieces", board(1), "hp0.s2mm")
        assert "must be in one piece" in sentence and "heap=cma" in sentence


def test_without_the_driver_modprobe_is_named(guest: Guest) -> None:
    must(guest, "rmmod sluice")
    try:
        found = guest.run(f"/tests/sluice_example_loopback {board(LOOPBACK)}")
    finally:
        must(guest, "insmod /modules/sluice.ko")
    assert found.status == 1
    assert "modprobe sluice" in found.text, found
