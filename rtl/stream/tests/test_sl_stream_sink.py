# SPDX-License-Identifier: Apache-2.0
"""sl_stream_sink: stall patterns tick by tick, the word-pattern check against a model, counters and stamps."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge
from registers import Registers

from tb import run, seed, stall
from tb.signals import Writer, reader, reset
from tb.stalls import parameters


@pytest.mark.parametrize("width", [32, 64, 512])
def test_sl_stream_sink(width: int) -> None:
    run("sl_stream_sink", {"DataWidth": width})


def test_refused() -> None:
    run(
        "sl_stream_sink",
        {"DataWidth": 1024},
        expect_build_error="DataWidth must be a power of two in 32..512, is 1024",
    )


def word_bytes(word: int) -> bytes:
    return (word & 0xFFFFFFFF).to_bytes(4, "little")


@dataclass
class Model:
    """What the sink has to have counted, from the contract; byte by byte."""

    size: int
    due: int
    check: bool = True
    beats: int = 0
    packets: int = 0
    gaps: int = 0
    bytes_: int = 0
    bad: list[int] = field(default_factory=list)

    def take(self, data: bytes, last: bool) -> None:
        first = bytes(data[:4])
        expected = b"".join(word_bytes(self.due + k) for k in range(self.size // 4))
        gap = expected[: len(first)] != first
        # The rest of the beat has to go on from its own first word (bytes not sent are as they should be).
        start = int.from_bytes(first + word_bytes(self.due)[len(first) :], "little")
        lanes = [data[at : at + 4] for at in range(0, len(data), 4)]
        follows = all(
            lane == word_bytes(int.from_bytes(before, "little") + 1)[: len(lane)] for before, lane in pairwise(lanes)
        )
        if self.check and (gap or not follows):
            self.bad.append(self.beats)
        self.gaps += self.check and gap
        self.due = (start + len(lanes)) & 0xFFFFFFFF
        self.beats += 1
        self.bytes_ += len(data)
        self.packets += last


class Bench:
    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.size = parameters()["DataWidth"] // 8
        self.regs = Registers(dut, "sl_stream_sink")
        self.put = {name: Writer(getattr(dut, f"s_axis_{name}")) for name in ("tdata", "tkeep", "tlast", "tvalid")}
        self.get_ready = reader(dut.s_axis_tready)
        self.edge = RisingEdge(dut.clk_i)
        self.tick = -1  # as the sink counts: 0 is the first edge out of reset
        self.ready_log: list[bool] = []
        self.taken: list[int] = []  # ticks in which a beat was taken
        cocotb.start_soon(self._watch())

    async def _watch(self) -> None:
        reset_n, valid = reader(self.dut.rst_ni), reader(self.dut.s_axis_tvalid)
        while True:
            await self.edge
            if reset_n():
                self.tick += 1
                self.ready_log.append(bool(self.get_ready()))
                if valid() and self.ready_log[-1]:
                    self.taken.append(self.tick)

    async def control(self, *fields: str, mode: int = 0) -> None:
        value = sum(self.regs.mask(f"CONTROL_{name}") for name in fields)
        await self.regs.write("CONTROL", value | self.regs.field("CONTROL_STALL_MODE", mode))

    async def send(self, beats: list[tuple[bytes, bool]], pause: Any) -> list[int]:
        """Sends the beats; returns the tick in which each was taken."""
        before = len(self.taken)
        for data, last in beats:
            while pause():
                self.put["tvalid"](0)
                await self.edge
            self.put["tdata"](int.from_bytes(data.ljust(self.size, b"\xa5"), "little"))
            self.put["tkeep"]((1 << len(data)) - 1)
            self.put["tlast"](int(last))
            self.put["tvalid"](1)
            await self.edge
            while not self.get_ready():
                await self.edge
        self.put["tvalid"](0)
        await ClockCycles(self.dut.clk_i, 5)
        assert len(self.taken) == before + len(beats)
        return self.taken[before:]

    async def compare(self, model: Model) -> None:
        mismatch = self.regs.mask("STATUS_MISMATCH") if model.bad else 0
        seen = self.regs.mask("STATUS_SEEN") if model.beats else 0
        await self.regs.check(
            BEATS=model.beats,
            PACKETS=model.packets,
            BYTES=model.bytes_,
            GAPS=model.gaps,
            STATUS=seen | mismatch,
            FIRST_BAD=model.bad[0] if model.bad else 0,
        )


def pattern(start: int, beats: int, size: int) -> list[tuple[bytes, bool]]:
    """Full beats of the word pattern, TLAST on the last."""
    words = size // 4
    return [(b"".join(word_bytes(start + n * words + k) for k in range(words)), n == beats - 1) for n in range(beats)]


def packets(rng: random.Random, start: int, count: int, size: int) -> list[tuple[bytes, bool]]:
    """Packets of any length in bytes; each starts at the word after the one in which the last ended."""
    beats = []
    word = start
    for _ in range(count):
        length = rng.randint(1, 6 * size)
        data = b"".join(word_bytes(word + k) for k in range((length + 3) // 4))[:length]
        word += (length + 3) // 4
        beats += [(data[at : at + size], at + size >= length) for at in range(0, length, size)]
    return beats


@cocotb.test()
async def sequence(dut: Any) -> None:
    """Legal sequences of any length under any stall: no mismatch; the word count wraps."""
    rng = seed("sequence")
    bench = Bench(dut)
    await reset(dut)
    await bench.regs.write("STALL_PROB", 100)
    await bench.regs.write("STALL", 3 | 2 << 16)
    for mode in (0, 1, 2):
        for start in (0, 0xFFFFFFF0, rng.getrandbits(32)):
            await bench.regs.write("START", start)
            await bench.control("ENABLE", "CLEAR", "CHECK", mode=mode)
            beats = packets(rng, start, 15, bench.size)
            model = Model(bench.size, start)
            ticks = await bench.send(beats, stall(rng, rng.choice([0, 0.3])))
            for beat in beats:
                model.take(*beat)
            assert not model.bad
            await bench.compare(model)
            await bench.regs.check(FIRST_TICK=ticks[0], LAST_TICK=ticks[-1])


@cocotb.test()
async def faults(dut: Any) -> None:
    """Beats lost, repeated, moved, and single bits wrong in any byte: counted as the model does, and only then."""
    rng = seed("faults")
    bench = Bench(dut)
    await reset(dut)
    gaps = quiet = 0
    for round_ in range(24):
        start = rng.getrandbits(32)
        beats = packets(rng, start, 8, bench.size)
        check = round_ % 8 != 7
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(beats))
            kind = rng.choice(["lose", "bit", "repeat", "unsent"])
            data, last = beats[at]
            if kind == "lose" and len(beats) > 1:
                del beats[at : at + rng.randint(1, 4)]
            elif kind == "bit":
                bit = rng.randrange(8 * len(data))
                wrong = int.from_bytes(data, "little") ^ 1 << bit
                beats[at] = (wrong.to_bytes(len(data), "little"), last)
            elif kind == "repeat":
                beats.insert(at, (data, last))
        await bench.regs.write("START", start)
        await bench.control("ENABLE", "CLEAR", *(["CHECK"] if check else []))
        model = Model(bench.size, start, check)
        await bench.send(beats, stall(rng, 0.2))
        for beat in beats:
            model.take(*beat)
        gaps += model.gaps
        quiet += len(model.bad) - model.gaps
        await bench.compare(model)
    assert gaps > 10 and (quiet > 0 or bench.size == 4), f"{gaps} gaps, {quiet} others"


@cocotb.test()
async def one_gap(dut: Any) -> None:
    """One loss is one gap, at the beat behind it; a wrong word above the first is a mismatch and no gap."""
    bench = Bench(dut)
    await reset(dut)
    beats = pattern(100, 20, bench.size)
    del beats[7:9]
    await bench.regs.write("START", 100)
    await bench.control("ENABLE", "CLEAR", "CHECK")
    await bench.send(beats, lambda: False)
    await bench.regs.check(GAPS=1, FIRST_BAD=7, STATUS=3, BEATS=18, BYTES=18 * bench.size, PACKETS=1)
    if bench.size > 4:
        beats = pattern(100, 20, bench.size)
        beats[5] = (beats[5][0][:-1] + bytes([beats[5][0][-1] ^ 0x80]), False)
        await bench.control("ENABLE", "CLEAR", "CHECK")
        await bench.send(beats, lambda: False)
        await bench.regs.check(GAPS=0, FIRST_BAD=5, STATUS=3, BEATS=20)
    await bench.control("ENABLE", "CLEAR", "CHECK")
    await bench.regs.check(GAPS=0, FIRST_BAD=0, STATUS=0, BEATS=0, BYTES=0, PACKETS=0, FIRST_TICK=0, LAST_TICK=0)


@cocotb.test()
async def stalls(dut: Any) -> None:
    """TREADY in every tick after ENABLE, for each mode; a beat a tick without stalls."""
    bench = Bench(dut)
    await reset(dut)

    async def record(mode: int, ticks: int) -> list[bool]:
        """TREADY from its first tick high on (stalled ticks at the start are cut off), and off again."""
        await bench.control("CLEAR", mode=mode)
        before = len(bench.ready_log)
        assert not bench.ready_log[-1]
        await bench.control("ENABLE", mode=mode)
        await ClockCycles(dut.clk_i, ticks)
        log = bench.ready_log[before:]
        await bench.control(mode=mode)
        await ClockCycles(dut.clk_i, 2)
        assert not bench.ready_log[-1], "ENABLE is 0"
        return log[log.index(True) :][: ticks - 8]

    assert all(await record(0, 60))
    for ready, stalled in ((1, 1), (3, 2), (2, 7), (0, 1), (5, 0)):
        await bench.regs.write("STALL", ready | stalled << 16)
        found = await record(1, 60)
        ready = max(ready, 1)
        assert found == [n % (ready + stalled) < ready for n in range(len(found))], f"{ready}/{stalled}: {found}"
    for probability, first_seed in ((0, 5), (64, 1), (64, 0), (200, 0xDEADBEEF), (255, 7)):
        await bench.regs.write("STALL_PROB", probability)
        await bench.regs.write("STALL_SEED", first_seed)
        x, expected = first_seed or 1, []
        for _ in range(400):
            expected.append((x & 0xFF) >= probability)
            x ^= x << 13 & 0xFFFFFFFF
            x ^= x >> 17
            x ^= x << 5 & 0xFFFFFFFF
        found = await record(2, 300)
        expected = expected[expected.index(True) :]
        assert found == expected[: len(found)], f"{probability}/{first_seed}"
    await bench.regs.write("START", 0)
    await bench.control("ENABLE", "CLEAR", "CHECK")
    ticks = await bench.send(pattern(0, 100, bench.size), lambda: False)
    assert ticks == list(range(ticks[0], ticks[0] + 100))
    await bench.regs.check(STATUS=1, BEATS=100)


@cocotb.test()
async def clear_in_traffic(dut: Any) -> None:
    """CLEAR while beats arrive: the count restarts at one beat, none is counted twice or in part."""
    bench = Bench(dut)
    await reset(dut)
    await bench.control("ENABLE", "CLEAR")
    total = 120
    task = cocotb.start_soon(bench.send(pattern(0, total, bench.size), lambda: False))
    await ClockCycles(dut.clk_i, 40)
    await bench.control("ENABLE", "CLEAR")
    ticks = await task
    await ClockCycles(dut.clk_i, 5)
    beats = await bench.regs.read("BEATS")
    assert 60 < beats < 100
    await bench.regs.check(BYTES=beats * bench.size, PACKETS=1, FIRST_TICK=ticks[total - beats], LAST_TICK=ticks[-1])
    # CHECK is off and START is 0: what came after CLEAR would have been a gap.
    await bench.regs.check(STATUS=1, GAPS=0)
