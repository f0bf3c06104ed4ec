# SPDX-License-Identifier: Apache-2.0
"""sluice.ko: queues of transfers from user space, on the RTL behind PCI Express."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sluice_guest import (
    FULL,
    KERNELS,
    ONE_PORT,
    SEED,
    TEST,
    Traced,
    boot_sluice,
    channel,
    completes_all,
    run,
    sysfs,
)

from cosim.boot import Boot
from cosim.commands import must
from cosim.guests import Card, Guest

LOOPBACK, CDMA, MSGDMA = 1, 2, 3
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


def test_coherent_memory_needs_no_maintenance(guest: Guest) -> None:
    run(guest, "coherent", TX, RX, SEED)


def test_transfer_of_many_pieces(guest: Guest) -> None:
    if completes_all(guest):
        found = guest.run(f"{TEST} big {TX} {RX} system {3 << 18} {SEED}")
        # In one piece by luck, or refused.
        assert found.status == 0 or "Invalid argument" in found.text, found
    else:
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


def test_pipe(guest: Guest) -> None:
    found = run(guest, "pipe", TX, RX, LOOPBACK_BYTES // 8, SEED, timeout_s=600)
    assert found["bytes"][0] >= LOOPBACK_BYTES // 8
    run(guest, "few", TX, RX)  # nothing of it is left


def test_pipe_of_a_shell(guest: Guest) -> None:
    must(guest, "dd if=/dev/urandom of=/tmp/in bs=1000 count=300 2> /dev/null")
    # The receiving channel stays open until the sending one has ended: closing it resets the engine
    # of both, and what was received may yet have to be told to who sent it.
    for reader, writer in (
        ("head -c 300000 <&3 > /tmp/out", f"cat /tmp/in > {TX}"),
        ("dd of=/tmp/out bs=64k count=5 <&3", f"dd if=/tmp/in of={TX} bs=64k"),
    ):
        must(guest, f"(exec 3< {RX}; {reader} & {writer} && wait) && cmp /tmp/in /tmp/out")
    found = guest.run(f"dd if={channel(CDMA, 'hp0.copy')} of=/tmp/out count=1")
    assert found.status == 1 and "not supported" in found.text, found


def test_counters_tell(guest: Guest) -> None:
    names = ("transfers", "bytes", "errors", "timeouts", "cancelled")

    def counters() -> dict[str, int]:
        return {n: int(must(guest, f"cat {sysfs(LOOPBACK, 'hp0.s2mm', n)}")) for n in names}

    before = counters()
    run(guest, "loopback", TX, RX, "system", 1 << 16, SEED)
    after = counters()
    assert after["transfers"] % 8 == before["transfers"] % 8
    assert after.pop("transfers") > before.pop("transfers")
    assert after.pop("bytes") - before.pop("bytes") >= 1 << 16
    assert before == after
    before = counters()
    run(guest, "limits", TX, RX)
    after = counters()
    assert after["timeouts"] > before["timeouts"] and after["cancelled"] > before["cancelled"]
    # No capability block, so nothing that counts stalls.
    must(guest, f"[ ! -e {sysfs(LOOPBACK, 'hp0.s2mm', 'stall_data')} ]")


def test_tracepoints_tell(guest: Guest) -> None:
    with Traced(guest) as traced:
        run(guest, "loopback", TX, RX, "system", 1 << 16, SEED)
    submitted, completed = traced.of("submit"), traced.of("complete")
    assert len(submitted) >= 16 and not traced.of("error")
    assert sorted(e["cookie"] for e in submitted) == sorted(e["cookie"] for e in completed)
    assert all(e["bytes"] > 0 and e["status"] == 0 for e in completed)
    with Traced(guest) as traced:
        run(guest, "limits", TX, RX)
    assert {e["status"] for e in traced.of("error")} == {-110, -125}  # ETIMEDOUT, ECANCELED
