# SPDX-License-Identifier: Apache-2.0
"""Our driver of PCI Express cards when they fail: every transfer ends, and the card goes on."""

from __future__ import annotations

import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from linux_drivers import pci
from sluice_guest import DEBUG, SEED, TEST, booted_pcie, channel, run

from cosim.card_control import CardControl
from cosim.commands import must
from cosim.guests import VERSION, Card, Guest

DRIVER = "/sys/bus/pci/drivers/sluice_card"
DESIGNS = ("xdma", "avmm")
HOST, CARD = 0, 1  # ports
COPIES = 64  # of a run of card_faults
H2C, C2H = "h2c0", "c2h0"
COMPLETED_COUNT = 0x1048  # of c2h0: sl_xdma_channel.rdl


@dataclass(frozen=True)
class Faulty:
    """A card in a guest, and the other end of its faults."""

    guest: Guest
    control: CardControl
    slot: int

    def node(self, name: str) -> str:
        return channel(self.slot, name)

    def given_up(self) -> int:
        """How often that was said so far, of any card of the guest."""
        return sum("does not stop" in line for line in self.guest.console.lines())

    def copies(self, name: str) -> tuple[int, int, int]:
        """How many of them went well, failed, were late or stopped."""
        found = run(self.guest, "card_faults", self.node(name), self.node("memory"), timeout_s=300)
        good, failed, late = (found[word][0] for word in ("good", "failed", "late"))
        assert good + failed + late == COPIES
        return good, failed, late

    def works(self) -> None:
        self.control.clear()
        nodes = (self.node(name) for name in (H2C, C2H, "memory"))
        run(self.guest, "card", *nodes, 1 << 16, SEED)

    def reset(self) -> None:
        self.control.clear()
        must(self.guest, f"echo 1 > /sys/bus/pci/devices/{pci(self.slot)}/reset")


@pytest.fixture(scope="module", params=[VERSION, DEBUG])
def cards(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[Faulty]]:
    folder = tmp_path_factory.mktemp("faults")
    paths = [folder / design for design in DESIGNS]
    options = [("--width", "128", "--control", str(path)) for path in paths]
    served = [Card(f"pcie/{design}", words) for design, words in zip(DESIGNS, options, strict=True)]
    with booted_pcie("card-faults", request.param, *served) as guest:
        controls = [CardControl(path) for path in paths]
        yield [Faulty(guest, control, slot) for slot, control in enumerate(controls, 1)]
        for control in controls:
            control.close()


@pytest.fixture(params=range(len(DESIGNS)), ids=DESIGNS)
def card(request: pytest.FixtureRequest, cards: list[Faulty]) -> Faulty:
    return cards[request.param]


@pytest.mark.parametrize("response", ["slverr", "decerr"])
@pytest.mark.parametrize(("name", "port"), [(H2C, HOST), (C2H, CARD)], ids=["host", "card"])
def test_failed_reads_fail_their_transfer_alone(
    card: Faulty, name: str, port: int, response: str
) -> None:
    # Behind what is fetched ahead at the beginning.
    card.control.arm("error", port=port, direction="read", response=response, skip=2000)
    good, failed, late = card.copies(name)
    assert failed >= 1 and not late and good >= COPIES // 2, (good, failed, late)
    card.works()


def test_failed_writes_fail_their_transfer_alone(card: Faulty) -> None:
    card.control.arm("error", port=CARD, direction="write", response="slverr", skip=2000)
    good, failed, late = card.copies(H2C)
    assert failed == 1 and not late, (good, failed, late)
    card.works()


def test_a_lost_interrupt_is_a_time_limit(card: Faulty) -> None:
    card.control.arm("interrupt", line=0, how="lost", messages=0)
    good, failed, late = card.copies(H2C)
    assert late == COPIES and not failed, (good, failed, late)
    card.works()


def test_interrupts_that_come_twice(card: Faulty) -> None:
    card.control.arm("interrupt", line=0, how="twice", messages=0)
    assert card.copies(H2C) == (COPIES, 0, 0)
    card.works()


def test_a_count_that_cannot_be(cards: list[Faulty]) -> None:
    card = cards[0]
    card.control.arm("register", offset=COMPLETED_COUNT, mask=0xFFFFFFFF, value=0x12345678)
    good, failed, late = card.copies(C2H)
    assert failed >= 1 and not good and not late, (good, failed, late)
    card.works()


def test_a_bus_that_stands_still(card: Faulty) -> None:
    """Nothing is answered any longer: what was asked for ends, and a reset has all go on."""
    card.control.arm("stuck", port=HOST, channel="r", skip=500)
    good, failed, late = card.copies(H2C)
    assert late + failed >= COPIES // 2, (good, failed, late)
    card.reset()
    card.works()


@contextmanager
def standing_still(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """The process runs for a millisecond at a time, and stands still for longer than the driver
    grants a channel for its end."""
    over = threading.Event()

    def turns() -> None:
        while not over.is_set():
            process.send_signal(signal.SIGSTOP)
            time.sleep(0.15)
            process.send_signal(signal.SIGCONT)
            time.sleep(0.001)

    thread = threading.Thread(target=turns)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def test_a_card_that_stands_still_is_not_given_up(card: Faulty) -> None:
    """Its simulation may have to wait for the processor, and so may whoever looks at it."""
    nodes = " ".join(card.node(name) for name in (H2C, C2H, "memory"))
    program = f"{TEST} card {nodes} {1 << 30} {SEED} > /dev/null 2>&1 & echo $! > /tmp/pid"
    alive = "kill -0 $(cat /tmp/pid) 2> /dev/null"
    before = card.given_up()
    for _ in range(3):
        must(card.guest, f"{program}; sleep 0.5; {alive}")
        with standing_still(card.guest.cards[card.slot - 1].process):
            must(card.guest, f"kill $(cat /tmp/pid); while {alive}; do sleep 0.02; done")
        assert card.given_up() == before
    card.works()


def test_a_card_that_is_gone(card: Faulty) -> None:
    card.control.arm("removed")
    good, failed, late = card.copies(C2H)
    assert not good, (good, failed, late)
    must(card.guest, f"echo {pci(card.slot)} > {DRIVER}/unbind")
    card.control.clear()
    must(card.guest, f"echo 1 > /sys/bus/pci/devices/{pci(card.slot)}/remove")
    must(card.guest, "echo 1 > /sys/bus/pci/rescan")
    card.works()
