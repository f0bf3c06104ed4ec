# SPDX-License-Identifier: Apache-2.0
"""Rates of sl_avmm_table in simulated cycles, with a host a microsecond away at 250 MHz: of a beat a cycle, by the size
of a descriptor, each way and both at once; latency of four bytes."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from avmm import CARD_BASE, HOST_BASE, MOST, SPAN, Bench, Table, Transfer

from tb import run, swept

ROUND_TRIP = 250  # cycles of the host's answers


@pytest.mark.parametrize("width", [256, swept(64), swept(128), swept(512)])
def test_rate(width: int) -> None:
    run("sl_avmm_table", {"DataWidth": width})


def repeated(table: Table, size: int) -> list[Transfer]:
    """A whole table of descriptors of `size`, over the same data again and again."""
    from_base, to_base = (CARD_BASE, HOST_BASE) if table.write else (HOST_BASE, CARD_BASE)
    places = (n * size % SPAN for n in range(MOST))
    return [Transfer(from_base + at, to_base + SPAN + at, size) for at in places]


async def measure(bench: Bench, tables: list[Table], size: int) -> list[float]:
    """The share of a beat a cycle that each way gets while all of them run, without the first beat's latency. The
    card's side carries data alone."""
    images = {}
    for table in tables:
        items = repeated(table, size)
        images[table] = table.targets()
        table.apply(images[table], items)
        for place, item in zip(table.next(MOST), items, strict=True):
            table.fill(place, item)
    bench.card.log.r_beats.clear()
    bench.card.log.w_beats.clear()
    for table in tables:
        await table.ring(MOST - 1)
    for table in tables:
        await table.ended(range(MOST))
        assert table.targets() == images[table]
        await table.idle()
    rates = []
    for table in tables:
        beats = bench.card.log.r_beats if table.write else bench.card.log.w_beats
        assert len(beats) == MOST * size // bench.beat_bytes
        rates.append(len(beats) / (beats[-1] - beats[0] + 1))
    return rates


@cocotb.test()
async def by_size(dut: Any) -> None:
    """Descriptors of 4 KiB get 98 % of a beat a cycle and more, each way alone and both at once. Fetches and status
    words take beats of the host's: 32 B and a beat for each descriptor."""
    bench = Bench(dut, "by_size", host_latency=ROUND_TRIP, card_latency=20)
    await bench.begin()
    for table in bench.tables:
        await table.setup()
    for size in (4096, 1024, 256):
        alone = [(await measure(bench, [table], size))[0] for table in bench.tables]
        both = await measure(bench, list(bench.tables), size)
        dut._log.warning(
            "%d bits, %d B: %s %s", 8 * bench.beat_bytes, size, *([f"{r:.4f}" for r in rs] for rs in (alone, both))
        )
        if size == 4096:
            assert min(alone) >= 0.98, alone
            assert min(both) >= 0.98, both


@cocotb.test()
async def latency(dut: Any) -> None:
    """Four bytes to the card, from the doorbell to the done word: three round trips to the host and little more, with
    the stated cycles between."""
    bench = Bench(dut, "latency", host_latency=ROUND_TRIP, card_latency=20)
    await bench.begin()
    table = bench.read
    await table.setup()
    (place,) = await table.request([Transfer(HOST_BASE, CARD_BASE + SPAN, 4)])
    doorbell = bench.cycles.now
    await table.ended([place])
    assert bench.cycles.now - doorbell < 2 * ROUND_TRIP + 50, bench.cycles.now - doorbell
    fetch, data = bench.host.log.reads
    wide = bench.beat_bytes == 64  # a beat has two descriptors
    assert data.edge - fetch.last_edge == 7 + wide
    assert bench.host.log.writes[-1].edge - bench.card.log.b_edges[-1] == 5
