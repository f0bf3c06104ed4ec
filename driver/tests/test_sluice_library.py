# SPDX-License-Identifier: Apache-2.0
"""libsluice on devices: the library, sluice.ko and the engines' drivers in a real kernel, the RTL
behind PCI Express."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from guest_library import BENCH, bench_in, build_library, measure, refusal
from linux_drivers import pci
from sluice_guest import FULL, ONE_PORT, SEED, board, boot_sluice, keep

from cosim.boot import Boot
from cosim.commands import must
from cosim.guests import Card, Guest

LOOPBACK, CDMA, MSGDMA = 1, 2, 3
DESIGNS = ("dma_loopback", "cdma", "msgdma")
ROUNDS = 100 if FULL else 4
MM2S, S2MM, COPY = 1, 2, 3  # enum sluice_direction
CAN_CANCEL, CAN_PACKETS = 0x1, 0x2
PERIODS = 10_000 if FULL else 300
PAUSE_TICKS = 0 if FULL else 8192  # after each period: so that a busy host keeps up
USERS = {
    "/etc/passwd": b"root::0:0::/:/bin/sh\ntester::1000:1000::/:/bin/sh\n"
    b"member::1001:1001::/:/bin/sh\n",
    "/etc/group": b"root:x:0:\nsluice:x:100:member\n",
}


@pytest.fixture(scope="module")
def guest() -> Iterator[Guest]:
    cards = [Card(f"zynq7010/{name}", ONE_PORT) for name in DESIGNS]
    files = build_library(more=["sluice-bench"]) | USERS
    with boot_sluice(Boot("sluice-library"), *cards, files=files) as guest:
        yield guest


def run(guest: Guest, test: str, *arguments: object, timeout_s: float = 600) -> list[str]:
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


@pytest.mark.parametrize(
    ("slot", "direction", "key"),
    [(LOOPBACK, "duplex", ""), (CDMA, "copy", ""), (MSGDMA, "copy", "?heap=cma")],
)
def test_measuring_loops_run(guest: Guest, slot: int, direction: str, key: str) -> None:
    measure(guest, f"'{board(slot)}{key}'", direction)


def test_what_can_be_measured_is_said(guest: Guest) -> None:
    told = json.loads(must(guest, f"{BENCH} list --device {board(LOOPBACK)}"))["device"]
    assert (told["uri"], told["clock"]) == (board(LOOPBACK), "CLOCK_MONOTONIC_RAW")
    [port] = told["ports"]
    assert (port["number"], port["name"], port["directions"]) == (0, "HP0", ["duplex"])
    assert port["max_transfer_bytes"] >= 1 << 20


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--direction mm2s", "does not go in that direction"),
        ("--direction copy", "does not go in that direction"),
        ("--ports 1", "has no port 1"),
        ("--bytes 12", "a transfer must be a multiple of 8 bytes"),
        ("--stagger-bytes 8192", "aligned to 4096 bytes"),
        ("--level rtl", "--level excludes --device"),
    ],
)
def test_what_cannot_be_measured_is_refused(guest: Guest, words: str, sentence: str) -> None:
    assert sentence in refusal(guest, f"measure --device {board(LOOPBACK)} {words}")


def test_threads_of_streams_are_refused(guest: Guest) -> None:
    """One would wait for the other, whose channel is not open yet."""
    words = f"calls --threads --device {board(LOOPBACK)} --channels hp0.s2mm,hp0.mm2s"
    assert "--threads: hp0.s2mm does not copy" in refusal(guest, words)


def test_measuring_without_its_board_is_refused(guest: Guest) -> None:
    assert "unknown board 'none'" in refusal(guest, "measure --device dev:none")
    assert "this library has: dev, vfio" in refusal(guest, "measure")


def test_experiment_runs_as_on_a_simulated_board(guest: Guest, tmp_path: Path) -> None:
    with bench_in(guest, tmp_path) as bench:

        def sluice(*words: str) -> str:
            done = subprocess.run(
                [sys.executable, "-m", "sluice", *words],
                env=os.environ | {"SLUICE_BENCH": str(bench)},
                capture_output=True,
                text=True,
                timeout=600,
            )
            assert done.returncode == 0, done
            return done.stdout

        result, page = tmp_path / "result.json", tmp_path / "page.html"
        words = ("--device", board(LOOPBACK), "--bytes", "4KiB", "--json", str(result))
        assert f"measured on {board(LOOPBACK)}" in sluice("run", "zynq7010-loopback", *words)
        [row] = json.loads(result.read_bytes())["rows"]
        assert row["verified"] and row["device"] == board(LOOPBACK)
        assert [run["clock"] for run in row["runs"]] == 4 * ["CLOCK_MONOTONIC_RAW"]
        sluice("report", str(result), "-o", str(page))
        assert "CLOCK_MONOTONIC_RAW" in page.read_text()


def test_interrupted_measuring_leaves_the_channel_to_the_next(guest: Guest) -> None:
    words = f"--device {board(CDMA)} --direction copy --bytes 16384 --runs 100000"
    text = must(
        guest,
        f"{BENCH} measure {words} > /tmp/lines & job=$!; "
        "until [ -s /tmp/lines ]; do sleep 0.1; done; kill -INT $job; wait $job; echo $?",
    )
    assert text == "130\n"
    for line in must(guest, "cat /tmp/lines").splitlines():
        assert json.loads(line)["verified"]
    measure(guest, board(CDMA), "copy")


def test_polling_makes_no_system_call_that_waits(guest: Guest) -> None:
    found = numbers(run(guest, "polled", board(LOOPBACK), "hp0.mm2s", "hp0.s2mm"))
    assert found["taken"] == 64
    assert found["switches"] == 0


def test_waiting_for_any_of_two_channels(guest: Guest) -> None:
    words = (board(LOOPBACK), "hp0.mm2s", "hp0.s2mm", ROUNDS, SEED)
    assert numbers(run(guest, "any", *words)) == {"rounds": ROUNDS}


def test_time_limits_and_cancelling(guest: Guest) -> None:
    run(guest, "timeout", board(LOOPBACK), "hp0.s2mm")
    test_example_runs_unchanged(guest)  # the channel is as it was


def test_refusals_have_sentences(guest: Guest) -> None:
    text = "\n".join(run(guest, "refuse", board(LOOPBACK), "hp0.mm2s", "hp0.s2mm"))
    for part in ("Open the board with ?heap=cma", "is in use by another program", "no heap 'none'",
                 "unknown board 'none'"):  # fmt: skip
        assert part in text, text


def test_without_permission_the_group_is_named(guest: Guest) -> None:
    found = guest.run(f"su tester -c '/tests/sluice_example_loopback {board(LOOPBACK)}'")
    assert found.status == 1
    assert "Join the group 'sluice'" in found.text, found


@pytest.mark.parametrize("how", ["reap", "any"])
def test_device_that_goes_ends_what_is_under_way(guest: Guest, how: str) -> None:
    text = must(
        guest,
        f"/tests/sluice_on_device idle {board(LOOPBACK)} hp0.s2mm {how} > /tmp/idle 2>&1 & "
        "job=$!; until grep -q waiting /tmp/idle; do sleep 0.1; done; "
        f"echo {pci(LOOPBACK)} > /sys/bus/pci/drivers/sluice_pci/unbind; wait $job; "
        f"cat /tmp/idle; echo {pci(LOOPBACK)} > /sys/bus/pci/drivers/sluice_pci/bind; "
        f"until [ -e /dev/sluice/{pci(LOOPBACK)}/hp0.s2mm ]; do sleep 0.1; done",
    )
    assert "the device has been removed" in text, text
    test_example_runs_unchanged(guest)


# A machine of QEMU has no caches; bounce buffers stand in for those that are not coherent.
def test_brackets_are_what_keeps_data_right_without_coherence(boot: Boot) -> None:
    card = Card("zynq7010/dma_loopback", ONE_PORT)
    with boot_sluice(
        boot, card, files=build_library(), parameters="noncoherent=1", append="swiotlb=65536,force"
    ) as guest:
        words = f"{board(LOOPBACK)} hp0.mm2s hp0.s2mm {ROUNDS} {SEED}"
        run(guest, "loopback", words)
        found = guest.run(f"/tests/sluice_on_device unsynced {words}")
        assert found.status == 1 and "did not come back as it was" in found.text, found


def test_capture_names_what_is_lost(boot: Boot) -> None:
    files = build_library(more=["sluice-bench"]) | USERS
    with boot_sluice(boot, Card("zynq7010/capture"), files=files) as guest:
        lines = run(guest, "attributes", board(1))
        # Its largest value; the words are those of its register's description.
        assert any(re.fullmatch(r"hp0\.source\.packet_beats: 16777215: .+", line) for line in lines)
        measure(guest, board(1), "s2mm")  # a packet of the source, whatever was set before
        # As driver/udev/60-sluice.rules has it; from here on nothing needs root.
        nodes = "/dev/sluice/*/* /dev/dma_heap/*"
        must(guest, f"chgrp sluice {nodes} && chmod 660 {nodes}")
        found = guest.run(f"su tester -c '/tests/sluice_on_device attributes {board(1)}'")
        assert found.status == 1 and "Join the group 'sluice'" in found.text, found
        words = f"{board(1)} hp0.s2mm {PERIODS}"
        # su's -c takes the one argument, sh what follows.
        capture = f"su member -c '/tests/sluice_on_device capture {words} \"$@\"' -- sh"
        keep(guest, f"{capture} keep", PAUSE_TICKS)
        found = numbers(must(guest, f"{capture} hold {PAUSE_TICKS}", 1200).splitlines())
        assert found["lost"] > 0
        found = numbers(must(guest, f"{capture} stall 0", 1200).splitlines())
        assert found["lost"] == 0
        [sentence] = run(guest, "pieces", board(1), "hp0.s2mm")
        assert "must be contiguous" in sentence and "heap=cma" in sentence


def test_without_the_driver_modprobe_is_named(guest: Guest) -> None:
    must(guest, "rmmod sluice")
    try:
        found = guest.run(f"/tests/sluice_example_loopback {board(LOOPBACK)}")
    finally:
        must(guest, "insmod /modules/sluice.ko")
    assert found.status == 1
    assert "modprobe sluice" in found.text, found
