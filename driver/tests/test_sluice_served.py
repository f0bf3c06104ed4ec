# SPDX-License-Identifier: Apache-2.0
"""A device's captures over the network: sluice-serve in a guest, clients in it and outside."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator

import numpy as np
import pytest
from guest_library import build_library
from sluice.io import open_board
from sluice_guest import FULL, board, boot_sluice, keep

from cosim.boot import Boot
from cosim.commands import must
from cosim.guests import Card, Guest

PERIODS = 400
PERIOD_BYTES, RING = 4096, 64
PAUSE_TICKS = 8192  # after each period: so that a busy host keeps up
SOURCE = {
    **{"enable": 0, "packet_beats": PERIOD_BYTES // 8, "pause_ticks": PAUSE_TICKS, "start": 0},
    **{"frame_packets": RING, "frame_ticks": 0, "continuous": 1, "free_run": 1, "clear": 1},
}
GUEST_ADDRESS, SERVED = "10.0.2.15", 7583

pytestmark = pytest.mark.skipif(not FULL, reason="arm64-net is booted by make test-full")


@pytest.fixture(scope="module")
def port() -> int:
    """Of this machine, and free."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.fixture(scope="module")
def guest(port: int) -> Iterator[Guest]:
    """Its board is served as `radio` at each of its addresses."""
    forward = f"hostfwd=tcp:127.0.0.1:{port}-{GUEST_ADDRESS}:{SERVED}"
    network = ("-netdev", f"user,id=net,restrict=on,{forward}")
    card = ("-device", "virtio-net-pci,netdev=net,addr=10,romfile=")
    with boot_sluice(
        Boot("sluice-served"),
        Card("zynq7010/capture"),
        flavour="arm64-net",
        files=build_library(more=["sluice-serve"]),
        qemu_options=(*network, *card),
    ) as guest:
        must(guest, f"ifconfig lo up && ifconfig eth0 {GUEST_ADDRESS}")
        serve = f"/tests/sluice-serve 'radio={board(1)}?heap=cma' --listen 0.0.0.0:{SERVED}"
        must(
            guest,
            f"{serve} > /tmp/served 2>&1 & echo $! > /tmp/server; "
            "until grep -q listening /tmp/served; do sleep 0.1; done",
        )
        yield guest
        must(
            guest,
            "kill -INT $(cat /tmp/server); until grep stopped /tmp/served; do sleep 0.1; done",
        )


def test_in_the_guest(guest: Guest) -> None:
    """The checks of each word, number, length and loss that a device's own captures pass."""
    words = f"tcp:127.0.0.1:{SERVED}/radio hp0.s2mm {PERIODS}"
    capture = f"/tests/sluice_on_device capture {words}"
    keep(guest, f"{capture} keep", PAUSE_TICKS)
    assert "lost 0\n" not in must(guest, f"{capture} hold {PAUSE_TICKS}", 1200)
    assert "lost 0\n" in must(guest, f"{capture} stall 0", 1200)


def test_from_outside(guest: Guest, port: int) -> None:
    """A program of another machine: what it misses while it stands still is named, nothing else."""
    missing: set[int] = set()
    with open_board(f"tcp:127.0.0.1:{port}/radio") as board, board.channel("hp0.s2mm") as channel:
        for name, value in SOURCE.items():
            board.attributes[f"hp0.source.{name}"] = value
        ring = board.buffer(RING * PERIOD_BYTES)
        with channel.capture(ring, PERIOD_BYTES, RING, skip_lost=True) as capture:
            board.attributes["hp0.source.enable"] = 1
            following, ticks = 0, 0
            for period in capture:
                missing |= set(range(following, period.number))
                first = period.number * (PERIOD_BYTES // 4)
                words = np.arange(first, first + PERIOD_BYTES // 4, dtype=np.uint32)
                assert np.array_equal(period.data.view(np.uint32), words), period.number
                assert not period.drops
                if period.exact:  # else the counts of some stand in the last of them
                    assert period.nbytes == PERIOD_BYTES and period.ticks > ticks
                    ticks = period.ticks
                following = period.number + 1
                if following >= RING and not missing:
                    while board.attributes["hp0.source.packets"] < 4 * RING:
                        time.sleep(0.1)
                if following > PERIODS:
                    break
            board.attributes["hp0.source.enable"] = 0
            status = capture.status()
            losses = capture.losses()
    named = {n for loss in losses for n in range(loss.first, loss.first + loss.count)}
    assert named and {n for n in named if n < following} <= missing
    assert len(missing - named) == status.passed
