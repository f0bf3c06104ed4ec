# SPDX-License-Identifier: Apache-2.0
"""Rates of sl_xdma in simulated cycles, with a host a microsecond away at 250 MHz: of a beat a cycle, by the size of
a descriptor, each way and both at once; fairness of channels; latency of four bytes."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from xdma import CARD_BASE, DATA_BYTES, DONE, HOST_BASE, Bench, Channel, Descriptor, ending

from tb import run, swept

ROUND_TRIP = 250  # cycles of the host's answers
ONE = {"NumH2c": 1, "NumC2h": 1, "DataWidth": 256, "BufferBeats": 1024}
TO_CARD = {"NumH2c": 4, "NumC2h": 1, "DataWidth": 64, "BufferBeats": 128}
TO_HOST = {"NumH2c": 1, "NumC2h": 4, "DataWidth": 64, "BufferBeats": 128}
CASES = [
    pytest.param(ONE, ["by_size", "latency"], id="one"),
    swept(TO_CARD, ["fairness"], id="four"),
    swept(TO_HOST, ["fairness"], id="four-c2h"),
]


@pytest.mark.parametrize(("config", "tests"), CASES)
def test_rate(config: dict[str, Any], tests: list[str]) -> None:
    run("sl_xdma", config, testcase=tests)


def repeated(bench: Bench, item: Channel, size: int, total: int) -> tuple[int, int]:
    """A chain that moves `total` bytes by descriptors of `size`, over the same data again and again."""
    near, far = (CARD_BASE, HOST_BASE) if item.c2h else (HOST_BASE, CARD_BASE)
    todo = []
    for at in range(0, total, size):
        place = at % (DATA_BYTES // 2) + (DATA_BYTES // 2 if item.c2h else 0)
        todo.append(Descriptor(near + place, far + place, size))
    return bench.chain(ending(todo), [min(64, len(todo) - at) for at in range(0, len(todo), 64)])


async def measure(bench: Bench, items: list[Channel], size: int, total: int) -> dict[Channel, float]:
    """The share of a beat a cycle that each way gets while all of them run, without the first beat's latency."""
    bench.room_used = 0
    chains = {item: repeated(bench, item, size, total) for item in items}
    for log in (bench.host.log, bench.card.log):
        log.r_beats.clear()
        log.w_beats.clear()
    for item in items:
        await item.begin(*chains[item])
    for item in items:
        assert await item.stopped() == DONE
        await item.end()
    # The card's side carries data alone.
    rates = {}
    for item in items:
        beats = bench.card.log.r_beats if item.c2h else bench.card.log.w_beats
        rates[item] = len(beats) / (beats[-1] - beats[0] + 1)
    return rates


@cocotb.test()
async def by_size(dut: Any) -> None:
    """Descriptors of 4 KiB and 256 B, each way alone and both at once. A fetch takes the place of a beat of data: 32 B
    for each descriptor that H2C reads beside its data."""
    bench = Bench(dut, "by_size", host_latency=ROUND_TRIP, card_latency=20)
    await bench.begin()
    (h2c,), (c2h,) = bench.h2c, bench.c2h
    for size, total in ((4096, 1 << 17), (256, 1 << 17)):
        own = size / (size + 32)  # of the host's reads, what is data
        alone = [(await measure(bench, [item], size, total))[item] for item in (h2c, c2h)]
        assert alone[0] >= 0.98 * own, f"H2C, {size} B: {alone[0]:.3f}"
        assert alone[1] >= 0.98, f"C2H, {size} B: {alone[1]:.3f}"
        both = await measure(bench, [h2c, c2h], size, total)
        dut._log.warning("%d B: %s %s", size, alone, list(both.values()))
        own = size / (size + 64)
        assert both[h2c] >= 0.95 * own, f"H2C beside C2H, {size} B: {both[h2c]:.3f}"
        # The fetch of its next 64 descriptors waits behind H2C's reads, of up to two microseconds.
        share = 1.0 if size == 4096 else own
        assert both[c2h] >= 0.95 * share, f"C2H beside H2C, {size} B: {both[c2h]:.3f}"


async def counts(bench: Bench, items: list[Channel], least: int) -> list[int]:
    """What each has completed when all have completed so many."""
    while min([await item.completed() for item in items]) < least:
        await bench.wait(20)
    return [await item.completed() for item in items]


@cocotb.test()
async def fairness(dut: Any) -> None:
    """Channels that all run get the same, within 2 %: at a time when none has ended."""
    bench = Bench(dut, "fairness", host_latency=ROUND_TRIP, card_latency=20)
    await bench.begin()
    for items in (bench.h2c, bench.c2h):
        if len(items) == 1:
            continue
        bench.room_used = 0
        chains = [repeated(bench, item, 1024, 120 * 1024) for item in items]
        for item, chain in zip(items, chains, strict=True):
            await item.begin(*chain)
        begun = await counts(bench, items, 10)
        done = [after - before for before, after in zip(begun, await counts(bench, items, 90), strict=True)]
        assert max(done) - min(done) <= 1 + 0.02 * max(done), done
        for item in items:
            assert await item.stopped() == DONE
            await item.end()


@cocotb.test()
async def latency(dut: Any) -> None:
    """Four bytes to the card, from the doorbell to the memory's answer: two round trips to the host and little more."""
    bench = Bench(dut, "latency", host_latency=ROUND_TRIP, card_latency=20)
    await bench.begin()
    item = bench.h2c[0]
    chain = bench.chain(ending([Descriptor(HOST_BASE, CARD_BASE, 4)]))
    await item.begin(*chain)
    doorbell = bench.cycles.now
    while not bench.card.log.b_edges:
        await bench.edge
    assert bench.cycles.now - doorbell < 2 * ROUND_TRIP + 60, bench.cycles.now - doorbell
    fetch, data = bench.host.log.reads
    assert data.edge - fetch.last_edge == 7
    assert await item.stopped() == DONE
    await item.end()
