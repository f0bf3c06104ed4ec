# SPDX-License-Identifier: Apache-2.0
"""sluice.ko: queues of transfers from user space, on the RTL behind PCI Express."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from linux_drivers import must
from sluice_guest import FULL, KERNELS, boot_sluice, channel, run

from cosim.boot import Boot
from cosim.guests import Card, Guest

SEED = int(os.environ.get("SEED") or 1)
LOOPBACK, CDMA, MSGDMA = 1, 2, 3
ONE_PORT = ("--ports", "1")
LOOPBACK_BYTES = (64 << 20) if FULL else (2 << 20)
COPY_BYTES = (64 << 20) if FULL else (1 << 20)


@pytest.fixture(scope="module", params=KERNELS)
def guest(request: pytest.FixtureRequest) -> Iterator[Guest]:
    cards = [Card(f"zynq7010/{name}", ONE_PORT) for name in ("dma_loopback", "cdma", "msgdma")]
    boot = Boot(f"sluice-queue-{request.param}")
    with boot_sluice(boot, *cards, version=request.param) as guest:
        yield guest


TX, RX = channel(LOOPBACK, "hp0.mm2s"), channel(LOOPBACK, "hp0.s2mm")


def test_refuses_what_it_does_not_know(guest: Guest) -> None:
    run(guest, "abi", TX, RX)


@pytest.mark.parametrize("heap", ["system", "contiguous"])
def test_packets_come_back(guest: Guest, heap: str) -> None:
    found = run(guest, "loopback", TX, RX, heap, LOOPBACK_BYTES // 2, SEED, timeout_s=1200)
    assert found["bytes"][0] >= LOOPBACK_BYTES // 2


def test_transfer_of_many_pieces(guest: Guest) -> None:
    run(guest, "big", TX, RX, "system", 3 << 18, SEED)


def test_one_packet_of_several_completes(guest: Guest) -> None:
    run(guest, "few", TX, RX)


def test_fences(guest: Guest) -> None:
    run(guest, "fence", TX, RX)


@pytest.mark.parametrize("slot", [CDMA, MSGDMA], ids=["cdma", "msgdma"])
def test_copies(guest: Guest, slot: int) -> None:
    found = run(
        guest, "copy", channel(slot, "hp0.copy"), "system", COPY_BYTES, SEED, timeout_s=1200
    )
    assert found["bytes"][0] >= COPY_BYTES


def test_counters_tell(guest: Guest) -> None:
    name = RX.removeprefix("/dev/").replace("/", "!")
    folder = f"/sys/class/sluice/{name}"
    before = int(must(guest, f"cat {folder}/transfers"))
    run(guest, "few", TX, RX)
    assert int(must(guest, f"cat {folder}/transfers")) == before + 4
