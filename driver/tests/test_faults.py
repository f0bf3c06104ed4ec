# SPDX-License-Identifier: Apache-2.0
"""What Linux's own drivers make of a card that fails: dmatest on our CDMA and mSGDMA, packets
through our AXI DMA, and the card told to fail from outside. docs/reference/linux-faults.md says
what is asserted here."""

from __future__ import annotations

import errno
import os
import random
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from linux_drivers import (
    SELFTESTS,
    boot_cards,
    channels,
    selftest_devices,
)

from cosim.boot import Boot
from cosim.card_control import CardControl
from cosim.commands import DMATEST, load, must, unload
from cosim.guests import Guest

SEED = int(os.environ.get("SEED") or 1)
LANES = 4
COPIES = 3
BUFFER_BYTES = 16384
COPY_BYTES = 8192  # longer than what any fault lets pass: it meets data, no descriptor
DATA = (50, 900)  # beats of 8 bytes of the first copy, behind descriptors that are read ahead
BURSTS = (10, 20)  # the same, of its bursts
SHORT_MS = 400  # dmatest's timeout, for a copy that never ends
MIXED_MS = 4000  # the same, where others are to end on a busy host
LONG_MS = 60_000  # where all are to end
DEADLINE_S = 300
POLLS_S = 0.5  # longer than any stop that succeeds
RESET = 4  # DMACR of the engines with AMD's registers
LOOP_BYTES = 100_000
LOOP_SHORT_MS = 2000  # timeout of a packet that never ends
LOOP_LONG_MS = 60_000  # of one that is to end on a busy host


def skipped(among: tuple[int, int], *names: str) -> int:
    """How much goes well before a fault, by SEED and other for each fault."""
    return random.Random(f"{SEED} {names}").randint(*among)


@dataclass(frozen=True)
class Outcome:
    """Of one run of dmatest."""

    failures: int
    told: str  # by the kernel meanwhile


class Bench:
    """A guest with a card whose engines copy, and the card's control channel. Port 0 is used."""

    def __init__(self, guest: Guest, control: CardControl) -> None:
        self.guest = guest
        self.control = control
        self._find()

    def _find(self) -> None:
        names = {
            must(self.guest, f"readlink -f /sys/class/dma/{name}/device")
            .strip()
            .rpartition("/")[2]: name
            for name in channels(self.guest, 1, LANES)
        }
        self._device = min(names)
        self._channel = names[self._device]

    def rebind(self) -> None:
        """Take the engine from its driver, and give it back."""
        driver = f"/sys/bus/platform/devices/{self._device}/driver"
        command = f"d=$(readlink -f {driver}); for w in unbind bind; do echo {self._device} >$d/$w"
        must(self.guest, f"{command}; done")
        self._find()

    def start(self, copies: int = COPIES, timeout_ms: int = SHORT_MS) -> None:
        """Start copying, at random places."""
        load(self.guest, "dmatest")
        settings = {
            "iterations": copies,
            "test_buf_size": BUFFER_BYTES,
            "transfer_size": COPY_BYTES,
            "timeout": timeout_ms,
            "threads_per_chan": 1,
        }
        lines = [f"echo {value} > {DMATEST}/{name}" for name, value in settings.items()]
        must(self.guest, " && ".join([*lines, "dmesg -c > /dev/null"]))
        # In the background: with an engine that does not answer, the kernel may stay in these.
        self.guest.run(
            f"(echo {self._channel} > {DMATEST}/channel; echo 1 > {DMATEST}/run) > /dev/null 2>&1 &"
        )

    def outcome(self) -> Outcome:
        """Wait until all copies have been tried. A copy that did not end is still the engine's."""
        text = must(
            self.guest,
            f"for i in $(seq {10 * DEADLINE_S}); do dmesg | grep -q summary && break;"
            " sleep 0.1; done; dmesg -c",
            2 * DEADLINE_S,
        )
        found = re.search(r"summary \d+ tests, (\d+) failures", text)
        assert found, text
        return Outcome(int(found[1]), text)

    def running(self) -> bool:
        """Is the test still at it? After its last copy it has the driver stop the engine."""
        return must(self.guest, f"cat {DMATEST}/run").strip() == "Y"

    def copies(self, timeout_ms: int = SHORT_MS) -> Outcome:
        """One run, its end included: the driver takes back what the engine has."""
        self.start(timeout_ms=timeout_ms)
        outcome = self.outcome()
        unload(self.guest, "dmatest")
        return outcome

    def expect_works(self) -> None:
        """All is well again."""
        self.control.clear()
        assert self.copies(LONG_MS).failures == 0


@contextmanager
def failing_card(design: str, folder: Path) -> Iterator[tuple[Guest, CardControl]]:
    """A guest with a card, and the card's control channel."""
    path = folder / "control"
    boot = Boot(f"faults-{design}")
    with (
        boot_cards(boot, design, options=("--control", str(path))) as guest,
        CardControl(path) as control,
    ):
        yield guest, control


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with failing_card("cdma", tmp_path_factory.mktemp("cdma")) as card:
        yield Bench(*card)


@pytest.fixture(scope="module")
def msgdma(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with failing_card("msgdma", tmp_path_factory.mktemp("msgdma")) as card:
        yield Bench(*card)


def hits(control: CardControl) -> int:
    [fault] = control.status()["faults"]
    count: int = fault["hits"]
    return count


@pytest.mark.parametrize("direction", ["read", "write"])
@pytest.mark.parametrize(("response", "status"), [("slverr", "20"), ("decerr", "40")])
def test_memory_error(bench: Bench, direction: str, response: str, status: str) -> None:
    skip = skipped(DATA, direction, response)
    bench.control.arm("error", port=0, direction=direction, response=response, skip=skip)
    outcome = bench.copies(MIXED_MS)
    assert hits(bench.control) == 1
    assert re.findall(r"has errors (\w+), ", outcome.told) == [status], outcome.told
    assert outcome.failures == 1, "the driver resets the engine before the next copy"
    bench.expect_works()


@pytest.mark.parametrize("channel", ["ar", "r", "aw", "w", "b"])
def test_memory_that_does_not_answer(bench: Bench, channel: str) -> None:
    skip = skipped(DATA if channel in ("r", "w") else BURSTS, channel)
    bench.control.arm("stuck", port=0, channel=channel, skip=skip)
    # One: behind it another would start while the driver terminates, and go on afterwards.
    bench.start(copies=1)
    assert bench.outcome().failures == 1
    time.sleep(POLLS_S)
    assert bench.running(), "the driver waits for the engine to be idle"
    bench.control.clear()
    unload(bench.guest, "dmatest")
    bench.expect_works()


def test_lost_interrupt(bench: Bench) -> None:
    bench.control.arm("interrupt", line=0, how="lost")
    assert bench.copies().failures == COPIES, "the driver starts nothing while it waits"
    assert hits(bench.control) == 1
    bench.expect_works()


def test_doubled_interrupts(bench: Bench) -> None:
    bench.control.arm("interrupt", line=0, how="twice", messages=0)
    assert bench.copies(LONG_MS).failures == 0
    assert hits(bench.control) >= COPIES
    bench.expect_works()


# The driver reads DMACR up to 10^9 times without a pause: an hour and more, here.
@pytest.mark.parametrize(
    ("fault", "fields"),
    [("register", {"offset": 0, "mask": RESET, "value": RESET}), ("removed", {})],
    ids=["reset-never-ends", "removed"],
)
def test_reset_that_never_ends(bench: Bench, fault: str, fields: dict[str, Any]) -> None:
    bench.control.arm(fault, **fields)
    bench.start()
    assert bench.outcome().failures == COPIES
    time.sleep(POLLS_S)
    assert bench.running(), "the driver waits for the reset to end"
    bench.control.clear()
    unload(bench.guest, "dmatest")
    bench.expect_works()


@pytest.mark.parametrize("direction", ["read", "write"])
def test_msgdma_memory_error(msgdma: Bench, direction: str) -> None:
    """altera-msgdma looks at no error: nothing but probing has a stopped engine start again."""
    skip = skipped(DATA, direction)
    msgdma.control.arm("error", port=0, direction=direction, response="slverr", skip=skip)
    outcome = msgdma.copies()
    assert hits(msgdma.control) == 1
    assert outcome.failures >= COPIES - 1
    msgdma.control.clear()
    assert msgdma.copies().failures == COPIES
    msgdma.rebind()
    msgdma.expect_works()


def test_msgdma_lost_interrupt(msgdma: Bench) -> None:
    """Nothing is started before it has come; the card sends it again after the next write."""
    msgdma.control.arm("interrupt", line=0, how="lost")
    assert msgdma.copies().failures >= COPIES - 1
    assert hits(msgdma.control) == 1
    msgdma.control.clear()
    msgdma.copies()
    msgdma.expect_works()


def test_msgdma_doubled_interrupts(msgdma: Bench) -> None:
    msgdma.control.arm("interrupt", line=0, how="twice", messages=0)
    assert msgdma.copies(LONG_MS).failures == 0
    msgdma.expect_works()


class Loop:
    """A guest with an AXI DMA whose streams are joined, sluice_selftest as its client, and the
    card's control channel."""

    def __init__(self, guest: Guest, control: CardControl) -> None:
        self.guest = guest
        self.control = control
        self._folder = f"{SELFTESTS}/{min(selftest_devices(guest, 1, LANES))}"
        must(guest, f"echo {LOOP_BYTES} >{self._folder}/bytes")

    def start(self, timeout_ms: int) -> None:
        """Start sending packets, in the background: the kernel may stay in this."""
        must(self.guest, f"echo {timeout_ms} >{self._folder}/timeout_ms")
        run = f"echo 1 >{self._folder}/run; echo >/tmp/done"
        must(self.guest, "rm -f /tmp/done; dmesg -c >/dev/null")
        self.guest.run(f"({run}) >/dev/null 2>&1 &")

    def _until(self, condition: str) -> None:
        """Wait until a command of the guest's succeeds."""
        tries = f"for i in $(seq {10 * DEADLINE_S})"
        must(
            self.guest, f"{tries}; do {condition} && exit 0; sleep 0.1; done; false", 2 * DEADLINE_S
        )

    def expect_told(self, what: str) -> None:
        """The kernel says something."""
        self._until(f"dmesg | grep -q '{what}'")

    def running(self) -> bool:
        return self.guest.run("test -e /tmp/done").status != 0

    def status(self) -> int:
        """Wait until the run is over; 0 or -errno."""
        self._until("test -e /tmp/done")
        return int(must(self.guest, f"cat {self._folder}/result").split()[1])

    def expect_works(self) -> None:
        self.control.clear()
        self.start(LOOP_LONG_MS)
        assert self.status() == 0


@pytest.fixture(scope="module")
def loop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loop]:
    with failing_card("dma_loopback", tmp_path_factory.mktemp("loop")) as card:
        yield Loop(*card)


@pytest.mark.parametrize("direction", ["read", "write"])
def test_error_of_one_channel_ends_the_other(loop: Loop, direction: str) -> None:
    """It has halted, so the other cannot end its packet: the driver waits until that one gives up.
    All beats fail: one alone may be of a descriptor that was read ahead and is not used."""
    error = {"direction": direction, "response": "slverr", "skip": 50, "beats": 0}
    loop.control.arm("error", port=0, **error)
    loop.start(LOOP_SHORT_MS)
    loop.expect_told("has errors")
    assert loop.status() == -errno.ETIMEDOUT
    loop.expect_works()
