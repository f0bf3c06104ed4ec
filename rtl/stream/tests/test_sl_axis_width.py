# SPDX-License-Identifier: Apache-2.0
"""sl_axis_width: packets of any length arrive whole through random stalls, at a narrow beat a cycle, in 0 cycles."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from cocotb.triggers import ClockCycles

from tb import run, seed, stall
from tb.signals import reset
from tb.stalls import parameters
from tb.stream import StreamSink, StreamSource

WIDTHS = [(32, 64), (64, 32), (32, 256), (512, 64), (128, 128)]


@pytest.mark.parametrize(("slv", "mst"), WIDTHS, ids=lambda width: str(width))
def test_sl_axis_width(slv: int, mst: int) -> None:
    run("sl_axis_width", {"SlvWidth": slv, "MstWidth": mst}, testcase=["content", "rate"])


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"SlvWidth": 16}, "SlvWidth must be a power of two in 32..512, is 16"),
        ({"MstWidth": 96}, "MstWidth must be a power of two in 32..512, is 96"),
    ],
)
def test_refused(config: dict[str, Any], message: str) -> None:
    run("sl_axis_width", config, expect_build_error=message)


def widths() -> tuple[int, int, int]:
    """Bytes of a beat: of the input, the output, the narrower of the two."""
    slv, mst = parameters()["SlvWidth"] // 8, parameters()["MstWidth"] // 8
    return slv, mst, min(slv, mst)


async def _arrive(sink: StreamSink, packets: list[bytes], limit: int) -> None:
    for _ in range(limit):
        if len(sink.packets) >= len(packets):
            break
        await ClockCycles(sink.clk, 1)
    assert sink.packets == packets


@cocotb.test()
async def content(dut: Any) -> None:
    """Every length up to three wide beats, and longer ones, in random order; four kinds of stalls."""
    rng = seed("content")
    wide = max(widths())
    for number, shares in enumerate([(0.0, 0.0), (0.5, 0.1), (0.1, 0.5), (0.4, 0.4)]):
        await reset(dut, start_clock=number == 0)
        source = StreamSource(dut, stall=stall(rng, shares[0]))
        sink = StreamSink(dut, stall=stall(rng, shares[1]))
        packets = [rng.randbytes(count) for count in range(1, 3 * wide + 2)]
        packets += [rng.randbytes(rng.randint(1, 8 * wide)) for _ in range(20)]
        rng.shuffle(packets)
        for packet in packets:
            source.send(packet)
        await _arrive(sink, packets, 20 * sum(len(packet) // min(widths()) + 1 for packet in packets))
        source.stop()
        sink.stop()


@cocotb.test()
async def rate(dut: Any) -> None:
    """Packets back to back: a narrow beat every cycle, none lost; a beat leaves in the cycle that its last byte
    comes in."""
    slv, mst, narrow = widths()
    await reset(dut)
    sink = StreamSink(dut)
    source = StreamSource(dut)
    lengths = [8 * max(slv, mst), narrow, 5 * max(slv, mst) + 1, 64 * narrow]
    packets = [bytes((n + k) % 251 for k in range(count)) for n, count in enumerate(lengths)]
    for packet in packets:
        source.send(packet)
    await _arrive(sink, packets, 2000)
    beats = sum(-(-count // narrow) for count in lengths)
    first = source.beats[0] if slv <= mst else sink.beats[0]
    assert sink.beats[-1] - first + 1 == beats
    # The sink counts from the same edge as the source: both ends of the last beat are one event.
    assert sink.beats[-1] == source.beats[-1]
