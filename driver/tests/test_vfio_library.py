# SPDX-License-Identifier: Apache-2.0
"""libsluice drives engines from user space: vfio-pci and the IOMMU of a real kernel, the RTL behind
PCI Express."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from guest_library import BENCH, measure, refusal
from linux_drivers import pci

from cosim.boot import Boot
from cosim.card_control import CardControl
from cosim.commands import must
from cosim.guests import FLAVOURS, Card, Guest
from cosim.guests.library import library_programs
from tools.debian import UnavailableError

HOWTO = Path(__file__).parents[2] / "docs" / "howto" / "drive-an-engine-from-user-space.md"
FLAVOUR = "x86_64"
FULL = os.environ.get("SLUICE_FULL") is not None
SEED = int(os.environ.get("SEED") or 1)
ONE_PORT = ("--ports", "1")
CAPTURE, LOOPBACK, CDMA, MSGDMA, XDMA, STREAM, TABLE = range(1, 8)
DESIGNS = ("capture", "dma_loopback", "cdma", "msgdma")
OF_A_CARD = ("xdma", "xdma_stream", "avmm")
CDMACR = 0  # offset in the control space of cdma
RESET = 4  # its bit
PROGRAMS = (
    "sluice_example_card",
    "sluice_example_loopback",
    "sluice_on_device",
    "sluice_vfio_on_function",
    "sluice-bench",
)
ROUNDS = 10
TRANSFERS = 1000
KILLS = 3

pytestmark = pytest.mark.skipif(not FULL, reason=f"{FLAVOUR} is booted by make test-full")


def programs() -> dict[str, Path]:
    try:
        built = library_programs(FLAVOURS[FLAVOUR].processor, PROGRAMS)
    except UnavailableError as error:
        pytest.skip(str(error))
    return {f"/tests/{name}": path for name, path in built.items()}


def hand_over(guest: Guest, slot: int) -> None:
    """To vfio-pci, by the how-to's own command."""
    shown = re.search(r"^~ # (echo vfio-pci > .+)$", HOWTO.read_text(), re.MULTILINE)
    assert shown is not None
    must(guest, f"card={pci(slot)}; {shown[1]}")


def uri(slot: int, keys: str = "") -> str:
    return f"'vfio:{pci(slot)}{keys}'"


def numbers(text: str) -> dict[str, int]:
    return {name: int(value) for name, value in (line.split() for line in text.splitlines())}


def on_device(guest: Guest, test: str, *arguments: object) -> dict[str, int]:
    words = " ".join(str(argument) for argument in arguments)
    return numbers(must(guest, f"/tests/sluice_on_device {test} {words}"))


def on_function(guest: Guest, test: str, *arguments: object) -> dict[str, int]:
    words = " ".join(str(argument) for argument in arguments)
    return numbers(must(guest, f"/tests/sluice_vfio_on_function {test} {words}"))


@pytest.fixture(scope="module")
def control(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the CDMA's card is made to fail."""
    return tmp_path_factory.mktemp("card") / "control"


@pytest.fixture(scope="module")
def guest(control: Path) -> Iterator[Guest]:
    cards = [Card(f"zynq7010/{name}", ONE_PORT) for name in DESIGNS]
    cards[CDMA - 1] = Card("zynq7010/cdma", (*ONE_PORT, "--control", str(control)))
    cards += [Card(f"pcie/{name}", ("--width", "128")) for name in OF_A_CARD]
    # The clock is read without a system call where the clock source is the TSC, which Linux does
    # not trust on a busy host.
    options = {"append": "tsc=reliable", "files": programs()}
    with Boot("vfio-library")(FLAVOUR, cards=cards, **options) as guest:
        for slot in range(CAPTURE, TABLE + 1):
            hand_over(guest, slot)
        yield guest


def test_example_runs_unchanged(guest: Guest) -> None:
    text = must(guest, f"/tests/sluice_example_loopback {uri(LOOPBACK)}")
    assert "65536 bytes there and back" in text


@pytest.mark.parametrize("slot", [XDMA, TABLE], ids=["xdma", "avmm"])
def test_card_runs_unchanged(guest: Guest, slot: int) -> None:
    text = must(guest, f"/tests/sluice_example_card {uri(slot)}")
    assert "came back as it was" in text


def test_streams_of_a_card(guest: Guest) -> None:
    words = ("h2c0", "c2h0", ROUNDS, SEED, "s0.loopback")
    found = on_device(guest, "loopback", uri(STREAM), *words)
    assert found["short_packets"] > 0 and found["bytes"] > 0


def test_attributes_are_reached(guest: Guest) -> None:
    name = "hp0.source.packet_beats"
    assert on_function(guest, "attribute", uri(CAPTURE), name, 77) == {name: 77}


def test_packets_come_back(guest: Guest) -> None:
    found = on_device(guest, "loopback", uri(LOOPBACK), "hp0.mm2s", "hp0.s2mm", ROUNDS, SEED)
    assert found["short_packets"] > 0 and found["bytes"] > 0


@pytest.mark.parametrize("slot", [CDMA, MSGDMA], ids=["cdma", "msgdma"])
def test_copies(guest: Guest, slot: int) -> None:
    keys = f"?design={DESIGNS[slot - 1]}"
    assert on_device(guest, "copy", uri(slot, keys), "hp0.copy", ROUNDS, SEED)["bytes"] > 0


@pytest.mark.parametrize(
    ("slot", "direction"), [(LOOPBACK, "duplex"), (CDMA, "copy"), (MSGDMA, "copy")]
)
def test_measuring_loops_run(guest: Guest, slot: int, direction: str) -> None:
    told = json.loads(must(guest, f"{BENCH} list --device {uri(slot)}"))["device"]
    assert (told["design"], told["clock"]) == (DESIGNS[slot - 1], "CLOCK_MONOTONIC_RAW")
    [port] = told["ports"]
    assert port["directions"] == [direction] and port["width_bits"] == 64
    measure(guest, uri(slot), direction)


def test_what_cannot_be_measured_is_refused(guest: Guest) -> None:
    words = f"measure --device {uri(CAPTURE)} --direction"
    assert "does not go in that direction" in refusal(guest, f"{words} s2mm")
    words = f"measure --device {uri(LOOPBACK)}"
    assert "have 64 bits, not 32" in refusal(guest, f"{words} --width 32")
    assert "has no port 1; allowed: 0 to 0" in refusal(guest, f"{words} --ports 1")


def test_no_system_call_between_submission_and_completion(guest: Guest) -> None:
    clock = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
    assert must(guest, f"cat {clock}") == "tsc\n"
    found = on_function(guest, "steady", uri(LOOPBACK), "hp0.mm2s", "hp0.s2mm", TRANSFERS)
    assert found["transfers"] == TRANSFERS


def test_memory_that_is_not_mapped_is_out_of_reach(guest: Guest) -> None:
    assert on_function(guest, "outside", pci(CDMA))["refused"] > 30


def test_engine_that_stays_in_reset_is_refused_in_time(guest: Guest, control: Path) -> None:
    with CardControl(control) as card:
        fault = card.arm("register", offset=CDMACR, mask=RESET, value=RESET)
        found = guest.run(f"/tests/sluice_on_device copy {uri(CDMA)} hp0.copy 1 {SEED}")
        card.clear(fault)
    assert found.status == 1
    assert "does not come out of reset" in found.text, found
    test_copies(guest, CDMA)


def test_killed_program_leaves_the_function_to_the_next(guest: Guest) -> None:
    for _ in range(KILLS):
        must(
            guest,
            f"/tests/sluice_on_device idle {uri(LOOPBACK)} hp0.s2mm reap > /tmp/idle 2>&1 & "
            "job=$!; until grep -q waiting /tmp/idle; do sleep 0.1; done; kill -9 $job; wait $job; "
            "true",
        )
        test_packets_come_back(guest)


def test_second_program_is_refused(guest: Guest) -> None:
    found = guest.run(
        f"/tests/sluice_on_device idle {uri(LOOPBACK)} hp0.s2mm reap > /tmp/idle 2>&1 & "
        "job=$!; until grep -q waiting /tmp/idle; do sleep 0.1; done; "
        f"/tests/sluice_example_loopback {uri(LOOPBACK)}; kill -9 $job; wait $job"
    )
    assert "is in use by another program" in found.text, found


def test_without_an_iommu_the_driver_is_named(boot: Boot) -> None:
    card = Card("zynq7010/cdma", ONE_PORT)
    with boot(FLAVOUR, cards=[card], files=programs(), append="intel_iommu=off") as guest:
        hand_over(guest, 1)
        found = guest.run(f"/tests/sluice_on_device copy {uri(1)} hp0.copy 1 {SEED}")
        assert found.status == 1
        assert "no IOMMU protects memory from" in found.text and f"dev:{pci(1)}" in found.text, (
            found
        )
