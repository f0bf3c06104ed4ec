# SPDX-License-Identifier: Apache-2.0
"""sluice.ko moves data between a card and memory of another one: peer to peer."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from sluice_guest import DEBUG, FULL, KERNELS, SEED, TEST, booted_pcie, run

from cosim.commands import must
from cosim.guests import Card, Guest

# A peer's memory is reached by messages, of 8 bytes each.
BYTES = (1 << 20) if FULL else (1 << 15)
CALLS, DEBUG_CALLS = (1_000_000, 100_000) if FULL else (2_000, 2_000)
TURNS, DEBUG_TURNS = (300, 20) if FULL else (5, 2)
DRIVER = "/sys/bus/pci/drivers/sluice_card"
# Behind one switch two cards, which see each other; on the root bus one that they do not.
SWITCH = (
    *("-device", "pcie-root-port,id=root,chassis=1,slot=1"),
    *("-device", "x3130-upstream,id=up,bus=root"),
    *("-device", "xio3130-downstream,id=left,bus=up,chassis=2,slot=1"),
    *("-device", "xio3130-downstream,id=right,bus=up,chassis=2,slot=2"),
)
# The windows of the switch's ports: 7.3 leaves no room for the alignment of the second one's.
WINDOWS = "pci=hpmmiosize=32M"
LEFT, RIGHT, APART = "0000:03:00.0", "0000:04:00.0", "0000:00:03.0"


def debug(guest: Guest) -> bool:
    """Its kernel looks at what it does, and is slower for it."""
    return guest.flavour.name == "arm64-debug"


def node(function: str, name: str) -> str:
    return f"/dev/sluice/{function}/{name}"


OWN = tuple(node(LEFT, name) for name in ("h2c0", "c2h0", "memory"))


@pytest.fixture(scope="module", params=[*KERNELS, DEBUG])
def guest(request: pytest.FixtureRequest) -> Iterator[Guest]:
    cards = [
        Card("pcie/xdma", ("--width", "128"), bus="left"),
        Card("pcie/xdma", ("--width", "128"), bus="right"),
        Card("pcie/xdma", ("--width", "128")),
    ]
    with booted_pcie(
        "sluice-peer", request.param, *cards, qemu_options=SWITCH, append=WINDOWS
    ) as guest:
        yield guest


def test_there_and_back(guest: Guest) -> None:
    run(guest, "peer", *OWN, node(RIGHT, "memory"), BYTES, SEED, timeout_s=3600)


ALIVE = "kill -0 $(cat /tmp/pid) 2> /dev/null"


def start(guest: Guest) -> None:
    """A program that copies to the peer, without end."""
    words = f"revoked {' '.join(OWN)} {node(RIGHT, 'memory')}"
    must(guest, f"{TEST} {words} > /tmp/held 2>&1 & echo $! > /tmp/pid")
    must(guest, f"until grep -q holds /tmp/held || ! {ALIVE}; do sleep 0.02; done")


def test_what_is_attached_can_be_seen(guest: Guest) -> None:
    kinds = f"/sys/class/sluice/sluice!{LEFT}!c2h0/buffers"
    start(guest)
    told = must(guest, f"cat '{kinds}'")
    must(guest, f"kill $(cat /tmp/pid); while {ALIVE}; do sleep 0.02; done")
    places = re.findall(r" (host|peer|card) direct (\w+)\n", told)
    assert places == [("host", "system"), ("card", "sluice"), ("peer", "sluice")], told
    assert must(guest, f"cat '{kinds}'") == ""


def test_no_way_is_refused_with_a_reason(guest: Guest) -> None:
    found = guest.run(f"{TEST} peer {' '.join(OWN)} {node(APART, 'memory')} 4096 1")
    assert found.status == 1 and "SLUICE_ATTACH" in found.text, found
    reason = must(guest, f"cat '/sys/class/sluice/sluice!{LEFT}!h2c0/import_error'")
    assert reason.startswith("-121 no path from this device"), reason


def test_random_calls_while_memory_comes_and_goes(guest: Guest) -> None:
    turns = f"while [ ! -e /tmp/over ]; do echo {RIGHT} > {DRIVER}/unbind; sleep 0.2; "
    turns += f"echo {RIGHT} > {DRIVER}/bind; sleep 0.1; done"
    must(guest, f"rm -f /tmp/over /tmp/ended; ({turns}; echo > /tmp/ended) > /dev/null 2>&1 &")
    calls = DEBUG_CALLS if debug(guest) else CALLS
    words = (*OWN, node(RIGHT, "memory"), 4, calls // 4, SEED)
    try:
        found = run(guest, "random_card", *words, timeout_s=7200)
    finally:
        must(guest, "touch /tmp/over; until [ -e /tmp/ended ]; do sleep 0.1; done")
    assert found["calls"][0] >= calls
    run(guest, "peer", *OWN, node(RIGHT, "memory"), 4096, SEED)


def test_memory_taken_back_under_load(guest: Guest) -> None:
    for turn in range(DEBUG_TURNS if debug(guest) else TURNS):
        start(guest)
        must(guest, f"echo {RIGHT} > {DRIVER}/unbind")
        must(guest, f"while {ALIVE}; do sleep 0.02; done")
        assert must(guest, "cat /tmp/held") == "holds\n"
        must(guest, f"echo {RIGHT} > {DRIVER}/bind")
        run(guest, "peer", *OWN, node(RIGHT, "memory"), 4096, SEED + turn)
    assert not [line for line in guest.console.lines() if "does not release" in line]
