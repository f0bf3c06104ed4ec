# SPDX-License-Identifier: Apache-2.0
"""What Linux's own driver makes of a card that fails: dmatest on our CDMA, and the card told to
fail from outside. docs/reference/linux-faults.md says what is asserted here."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from linux_drivers import DMATEST, ROOT, channels, load, must, unload

from cosim.boot import Boot
from cosim.card_control import CardControl
from cosim.guests import Card, Guest

LANES = 4
COPIES = 3
COPY_BYTES = 16384
TIMEOUT_MS = 400  # dmatest's, for a copy
DEADLINE_S = 60
POLLS_S = 0.5  # longer than any stop that succeeds
RESET = 4  # DMACR


@dataclass(frozen=True)
class Outcome:
    """Of one run of dmatest."""

    failures: int
    told: str  # by the kernel meanwhile


class Bench:
    """A guest with a CDMA, and the control channel of that card. Port 0 is what is used."""

    def __init__(self, guest: Guest, control: CardControl) -> None:
        self.guest = guest
        self.control = control
        addresses = {
            must(guest, f"readlink -f /sys/class/dma/{name}/device").rpartition("/")[2]: name
            for name in channels(guest, 1, LANES)
        }
        self._channel = addresses[min(addresses)]

    def start(self) -> None:
        """Start copying."""
        load(self.guest, "dmatest")
        settings = {
            "iterations": COPIES,
            "test_buf_size": COPY_BYTES,
            "timeout": TIMEOUT_MS,
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
        found = re.search(r"summary (\d+) tests, (\d+) failures", text)
        assert found and int(found[1]) == COPIES, text
        return Outcome(int(found[2]), text)

    def running(self) -> bool:
        """Is the test still at it? After its last copy it has the driver stop the engine."""
        return must(self.guest, f"cat {DMATEST}/run").strip() == "Y"

    def copies(self) -> Outcome:
        """One run, its end included: the driver takes back what the engine has."""
        self.start()
        outcome = self.outcome()
        unload(self.guest, "dmatest")
        return outcome

    def expect_works(self) -> None:
        """All is well again."""
        self.control.clear()
        assert self.copies().failures == 0


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    boot = Boot("faults")
    path: Path = tmp_path_factory.mktemp("control") / "control"
    modules = boot.kernel().build_modules(ROOT / "driver", include=[ROOT / "regs" / "gen" / "c"])
    guest = boot(
        cards=[Card("zynq7010/cdma", ("--control", str(path)))], modules=list(modules.values())
    )
    with guest, CardControl(path) as control:
        load(guest, "xilinx_dma")
        load(guest, "sluice_pci")
        yield Bench(guest, control)


def hits(control: CardControl) -> int:
    [fault] = control.status()["faults"]
    count: int = fault["hits"]
    return count


@pytest.mark.parametrize("direction", ["read", "write"])
@pytest.mark.parametrize(("response", "status"), [("slverr", "20"), ("decerr", "40")])
def test_memory_error(bench: Bench, direction: str, response: str, status: str) -> None:
    bench.control.arm("error", port=0, direction=direction, response=response, skip=50)
    outcome = bench.copies()
    assert hits(bench.control) == 1
    assert f"has errors {status}, " in outcome.told
    assert outcome.failures == 1, "the driver resets the engine before the next copy"
    bench.expect_works()


@pytest.mark.parametrize("channel", ["ar", "r", "aw", "w", "b"])
def test_memory_that_does_not_answer(bench: Bench, channel: str) -> None:
    bench.control.arm("stuck", port=0, channel=channel, skip=20)
    bench.start()
    assert bench.outcome().failures >= COPIES - 1
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
    assert bench.copies().failures == 0
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
