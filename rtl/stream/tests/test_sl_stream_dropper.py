# SPDX-License-Identifier: Apache-2.0
"""sl_stream_dropper against a model of two places, cycle by cycle, and against the promises of its header."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from tb import run, seed, stall
from tb.signals import Writer, reader, reset
from tb.stalls import parameters


@pytest.mark.parametrize("width", [32, 64, 512])
def test_sl_stream_dropper(width: int) -> None:
    run("sl_stream_dropper", {"DataWidth": width})


def test_refused() -> None:
    run(
        "sl_stream_dropper",
        {"DataWidth": 96},
        expect_build_error="DataWidth must be a power of two in 32..512, is 96",
    )


@dataclass
class Beat:
    index: int
    packet: int
    data: int
    keep: int
    last: bool
    user: bool = False
    lost_after: bool = False  # in the model: beats after this one were dropped


class Model:
    """At most two beats inside, the older one presented. Written from the contract, not from the code."""

    def __init__(self) -> None:
        self.inside: list[Beat] = []
        self.clear()

    def clear(self) -> None:
        self.dropped: list[Beat] = []
        self.runs = self.vanished = self.offered = 0
        self.gap = False
        self.first = 0
        self.through: set[int] = set()  # packets of which a beat got in

    def step(self, beat: Beat | None, drop: bool, ready: bool) -> tuple[bool, Beat | None]:
        """One edge; says whether the offered beat is gone (taken or dropped) and which beat left."""
        places = 2 - len(self.inside)
        left = self.inside.pop(0) if self.inside and ready else None
        if beat is None:
            return False, left
        # Without drop_i, READY is a register: it cannot know that a place gets free in this cycle.
        if places > 0 or (drop and left is not None):
            beat.user = self.gap
            self.gap = False
            self.inside.append(beat)
            self.through.add(beat.packet)
        elif drop:
            if not self.dropped:
                self.first = self.offered
            self.dropped.append(beat)
            self.runs += not self.gap
            self.gap = True
            if beat.last:
                self.inside[-1].last = True
                self.vanished += beat.packet not in self.through
        else:
            return False, left
        self.offered += 1
        return True, left


class Bench:
    def __init__(self, dut: Any, rng: random.Random) -> None:
        self.dut, self.rng = dut, rng
        self.size = parameters()["DataWidth"] // 8
        self.edge = RisingEdge(dut.clk_i)
        self.put = {
            name: Writer(getattr(dut, name))
            for name in (
                "drop_i",
                "clear_i",
                "s_axis_tdata",
                "s_axis_tkeep",
                "s_axis_tlast",
                "s_axis_tvalid",
                "m_axis_tready",
            )
        }
        self.get = {
            name: reader(getattr(dut, name))
            for name in (
                "s_axis_tready",
                "m_axis_tdata",
                "m_axis_tkeep",
                "m_axis_tlast",
                "m_axis_tuser",
                "m_axis_tvalid",
                "drop_beats_o",
                "drop_runs_o",
                "drop_first_o",
                "drop_packets_o",
            )
        }
        self.model = Model()
        self.index = self.packet = 0
        self.left_in_packet = 0
        self.sent: list[Beat] = []
        self.received: list[Beat] = []

    def new_beat(self, packet_beats: tuple[int, int]) -> Beat:
        if self.left_in_packet == 0:
            self.left_in_packet = self.rng.randint(*packet_beats)
            self.packet += 1
        self.left_in_packet -= 1
        last = self.left_in_packet == 0
        count = self.rng.randint(1, self.size) if last else self.size
        beat = Beat(
            self.index,
            self.packet,
            self.rng.getrandbits(8 * self.size - 32) << 32 | self.index if self.size > 4 else self.index,
            (1 << count) - 1,
            last,
        )
        self.index += 1
        return beat

    async def cycle(self, beat: Beat | None, drop: bool, ready: bool) -> bool:
        """One edge with these inputs; compares every output with the model before it."""
        model, put, get = self.model, self.put, self.get
        put["drop_i"](int(drop))
        put["m_axis_tready"](int(ready))
        put["s_axis_tvalid"](int(beat is not None))
        if beat is not None:
            put["s_axis_tdata"](beat.data)
            put["s_axis_tkeep"](beat.keep)
            put["s_axis_tlast"](int(beat.last))
        await ReadOnly()
        assert get["s_axis_tready"]() == (drop or len(model.inside) < 2)
        assert get["m_axis_tvalid"]() == bool(model.inside)
        if model.inside:
            head = model.inside[0]
            seen = (get["m_axis_tdata"](), get["m_axis_tkeep"](), get["m_axis_tlast"](), get["m_axis_tuser"]())
            assert seen == (head.data, head.keep, head.last, head.user), f"beat {head.index}"
        counted = tuple(get[f"drop_{name}_o"]() for name in ("beats", "runs", "first", "packets"))
        assert counted == (len(model.dropped), model.runs, model.first, model.vanished)
        # The offered beat is copied: the model may set TLAST on its own.
        gone, left = model.step(Beat(**vars(beat)) if beat else None, drop, ready)
        if left is not None:
            self.received.append(left)
        await self.edge
        if gone and beat is not None:
            self.sent.append(beat)
        return gone


def check_promises(sent: list[Beat], received: list[Beat]) -> None:
    """What a reader of the stream may rely on, whatever the model thinks."""
    by_index = {beat.index: beat for beat in sent}
    order = [beat.index for beat in received]
    assert order == sorted(set(order)), "order"
    expected = sent[0].index
    open_packet = None
    for beat in received:
        source = by_index[beat.index]
        assert beat.user == (beat.index != expected), f"mark at beat {beat.index}"
        assert beat.data == source.data and beat.keep == source.keep
        assert open_packet in (None, source.packet), f"packets {open_packet} and {source.packet} merged"
        assert beat.last or not source.last, "an end was lost"
        open_packet = None if beat.last else source.packet
        expected = beat.index + 1


@cocotb.test()
async def free_running(dut: Any) -> None:
    """A source that offers without mercy, packets of 1 beat to many, readers slow and fast."""
    rng = seed("free")
    bench = Bench(dut, rng)
    await reset(dut)
    cut = whole = 0
    for packet_beats in ((1, 1), (1, 3), (2, 9), (20, 40)):
        for source_share, sink_share in ((0.0, 0.5), (0.3, 0.6), (0.6, 0.3), (0.0, 0.0), (0.2, 0.9)):
            pause, hold = stall(rng, source_share), stall(rng, sink_share, 20)
            for _ in range(150):
                await bench.cycle(None if pause() else bench.new_beat(packet_beats), True, not hold())
        while bench.left_in_packet:  # end at a packet's end, then let everything out
            await bench.cycle(bench.new_beat(packet_beats), True, False)
        for _ in range(3):
            await bench.cycle(None, True, True)
        check_promises(bench.sent, bench.received)
        dropped = {beat.index for beat in bench.model.dropped}
        assert dropped == {beat.index for beat in bench.sent} - {beat.index for beat in bench.received}
        assert len(bench.received) > 100 and len(dropped) > 100
        marks = sum(beat.user for beat in bench.received)
        assert marks == bench.model.runs - bench.model.gap
        whole += bench.model.vanished
        cut += sum(1 for beat in bench.received if beat.last and not bench.sent[beat.index - bench.sent[0].index].last)
        bench.sent.clear()
        bench.received.clear()
        bench.put["clear_i"](1)
        bench.model.clear()
        await bench.edge
        bench.put["clear_i"](0)
    assert whole > 20 and cut > 20, f"{whole} packets vanished, {cut} cut short"


@cocotb.test()
async def backpressure(dut: Any) -> None:
    """drop_i = 0: a register slice that loses nothing; and the switch between both ways of working in mid-stream."""
    rng = seed("backpressure")
    bench = Bench(dut, rng)
    await reset(dut)
    beat: Beat | None = None
    for mixed in (False, True):
        pause, hold, change = stall(rng, 0.2), stall(rng, 0.5), stall(rng, 0.5 if mixed else 0, 30)
        for _ in range(500):
            drop = change()
            if beat is None and not pause():
                beat = bench.new_beat((1, 6))
            if await bench.cycle(beat, drop, not hold()):
                beat = None
        assert bool(bench.model.dropped) == mixed
    while bench.left_in_packet or beat is not None:
        beat = beat or bench.new_beat((1, 6))
        if await bench.cycle(beat, False, True):
            beat = None
    for _ in range(3):
        await bench.cycle(None, False, True)
    check_promises(bench.sent, bench.received)


@cocotb.test()
async def one_cycle(dut: Any) -> None:
    """The third beat in a row is dropped when the first leaves one cycle too late, and kept when it leaves in time."""
    for in_time in (True, False):
        bench = Bench(dut, seed("one"))
        await reset(dut)
        await bench.cycle(bench.new_beat((9, 9)), True, False)
        await bench.cycle(bench.new_beat((9, 9)), True, False)
        await bench.cycle(bench.new_beat((9, 9)), True, in_time)
        assert len(bench.model.dropped) == (not in_time)
        await bench.cycle(None, True, True)
        for _ in range(4):
            await bench.cycle(bench.new_beat((9, 9)), True, True)  # a beat a cycle, nothing lost
        assert len(bench.model.dropped) == (not in_time)


@cocotb.test()
async def boundaries(dut: Any) -> None:
    """TLAST in a gap, case by case: packets as lengths of what must arrive, with marks."""
    # (beats per packet, cycles in which the sink is ready, expected packets as tuples of (index, mark))
    table: list[tuple[list[int], set[int], list[list[tuple[int, bool]]]]] = [
        # A of 4: 0 presented, 1 held, 2 and 3 (last) dropped: A ends at 1. B of 2 follows in time.
        ([4, 2], {4, 5, 6, 7, 8}, [[(0, False), (1, False)], [(4, True), (5, False)]]),
        # A's tail and B's head are one gap; B is marked on its second beat.
        ([4, 2], {5, 6, 7, 8}, [[(0, False), (1, False)], [(5, True)]]),
        # B vanishes whole between A and C.
        ([2, 2, 2], {4, 5, 6, 7, 8}, [[(0, False), (1, False)], [(4, True), (5, False)]]),
        # The middle of A only: no boundary in the gap.
        ([6], {4, 5, 6, 7, 8}, [[(0, False), (1, False), (4, True), (5, False)]]),
        # Packets of one beat: each its own.
        ([1, 1, 1, 1], {3, 4, 5, 6}, [[(0, False)], [(1, False)], [(3, True)]]),
    ]
    for lengths, ready, packets in table:
        bench = Bench(dut, seed("bounds"))
        await reset(dut)
        for cycle in range(sum(lengths) + 6):
            if bench.left_in_packet == 0 and lengths:
                length = lengths.pop(0)
                beat = bench.new_beat((length, length))
            else:
                beat = bench.new_beat((1, 1)) if bench.left_in_packet else None
            await bench.cycle(beat, True, cycle in ready or cycle > max(ready))
        got: list[list[tuple[int, bool]]] = [[]]
        for received in bench.received:
            got[-1].append((received.index, received.user))
            if received.last:
                got.append([])
        assert got == [*packets, []], f"{got}"
        check_promises(bench.sent, bench.received)
