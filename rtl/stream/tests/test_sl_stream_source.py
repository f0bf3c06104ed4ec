# SPDX-License-Identifier: Apache-2.0
"""sl_stream_source: every beat in its exact tick, with and without backpressure, and what its registers say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge
from registers import Registers

from tb import run, seed, stall
from tb.signals import Writer, reader, reset
from tb.stalls import NO_STALL, Stall, parameters

TESTS = [
    "timing",
    "window_edges",
    "backpressure",
    "free_run",
    "stop_and_go",
    "clear",
    "clear_in_a_pause",
    "gated_runs",
    "dropper_counters",
]


@pytest.mark.parametrize("width", [32, 64, 512])
def test_sl_stream_source(width: int) -> None:
    run("sl_stream_source", {"DataWidth": width}, testcase=TESTS)


def test_free_run_without_dropper_stops_the_simulation() -> None:
    with pytest.raises(pytest.fail.Exception, match="sl_stream_source: FREE_RUN without a dropper"):
        run("sl_stream_source", {"DataWidth": 32}, testcase="offend")


def test_refused() -> None:
    run(
        "sl_stream_source",
        {"DataWidth": 16},
        expect_build_error="DataWidth must be a power of two in 32..512, is 16",
    )


@dataclass
class Frames:
    """Settings, as written to the registers."""

    packet_beats: int = 1
    pause: int = 0
    packets: int = 1
    window: int = 0
    frames: int = 1
    start: int = 0

    def ticks(self) -> int:
        """What a frame takes without backpressure."""
        return self.packets * self.packet_beats + (self.packets - 1) * self.pause


@dataclass
class Beat:
    presented: int
    taken: int
    words: list[int]
    last: bool


def schedule(cfg: Frames, begin: int, words: int, stalled: set[int]) -> tuple[list[Beat], int]:
    """When each beat has to be presented and taken, and how many frames start late; from the contract."""
    beats: list[Beat] = []
    late, tick, word, frame_start = 0, begin, cfg.start, begin
    for frame in range(cfg.frames):
        if frame:
            due = frame_start + cfg.window
            if cfg.window and tick > due:
                late += 1
            tick = max(tick, due) if cfg.window else tick
        frame_start = tick
        for packet in range(cfg.packets):
            if packet:
                tick += cfg.pause
            for beat in range(cfg.packet_beats):
                presented = tick
                while tick in stalled:
                    tick += 1
                beats.append(
                    Beat(presented, tick, [(word + k) & 0xFFFFFFFF for k in range(words)], beat == cfg.packet_beats - 1)
                )
                word += words
                tick += 1
    return beats, late


class Bench:
    """Registers, a consumer that stalls, and a log of all beats by tick."""

    def __init__(self, dut: Any, hold: Stall = NO_STALL) -> None:
        self.dut = dut
        self.regs = Registers(dut, "sl_stream_source")
        self.words = parameters()["DataWidth"] // 32
        for name in ("beats", "runs", "first", "packets"):
            getattr(dut, f"drop_{name}_i").value = 0
        self.ready = Writer(dut.m_axis_tready)
        self.hold = hold
        self.tick = 0
        self.log: list[Beat] = []
        self.stalled: set[int] = set()
        self.shown: int | None = None  # tick in which the beat on the port was first presented
        self.clears: list[int] = []
        self.task = cocotb.start_soon(self._watch())

    async def _watch(self) -> None:
        dut = self.dut
        edge = RisingEdge(dut.clk_i)
        valid, data, last = reader(dut.m_axis_tvalid), reader(dut.m_axis_tdata), reader(dut.m_axis_tlast)
        keep, clear, reset_n = reader(dut.m_axis_tkeep), reader(dut.clear_o), reader(dut.rst_ni)
        ready = False
        while True:
            await edge
            if clear():
                self.clears.append(self.tick)
            if not ready:
                self.stalled.add(self.tick)
            if valid() and reset_n():
                if self.shown is None:
                    self.shown = self.tick
                if ready:
                    value = data()
                    assert keep() == (1 << 4 * self.words) - 1
                    words = [value >> 32 * k & 0xFFFFFFFF for k in range(self.words)]
                    self.log.append(Beat(self.shown, self.tick, words, bool(last())))
                    self.shown = None
            self.tick += 1
            ready = not self.hold()
            self.ready(int(ready))

    async def set(self, cfg: Frames) -> None:
        for name, value in (
            ("PACKET_BEATS", cfg.packet_beats),
            ("PAUSE_TICKS", cfg.pause),
            ("FRAME_PACKETS", cfg.packets),
            ("FRAME_TICKS", cfg.window),
            ("FRAMES", cfg.frames),
            ("START", cfg.start),
        ):
            await self.regs.write(name, value)

    async def control(self, *fields: str) -> None:
        await self.regs.write("CONTROL", sum(self.regs.mask(f"CONTROL_{name}") for name in fields))

    async def finish(self) -> None:
        """Waits for DONE."""
        for _ in range(5000):
            status = await self.regs.read("STATUS")
            if status & self.regs.mask("STATUS_DONE"):
                assert not status & self.regs.mask("STATUS_RUNNING")
                return
        raise AssertionError("the run does not end")

    async def gated(self, cfg: Frames, *more: str) -> int:
        """A cleared gated run from start to end, compared with the schedule; returns the frames that were late."""
        await self.set(cfg)
        self.log.clear()
        await self.control("ENABLE", "CLEAR", *more)
        await self.finish()
        assert self.log, "no beat"
        # ENABLE and CLEAR were written together: clear_o is in the first tick with ENABLE = 1.
        assert self.log[0].presented == self.clears[-1] + 2
        beats, late = schedule(cfg, self.log[0].presented, self.words, self.stalled)
        for n, (found, expected) in enumerate(zip(self.log, beats, strict=False)):
            assert found == expected, f"{cfg}: beat {n}: {found}, expected {expected}"
        assert len(self.log) == len(beats), f"{cfg}: {len(self.log)} beats, expected {len(beats)}"
        packets = cfg.packets * cfg.frames
        await self.regs.check(BEATS=len(beats), PACKETS=packets, FRAMES_DONE=cfg.frames, LATE=late)
        assert not await self.regs.read("CONTROL") & self.regs.mask("CONTROL_ENABLE")
        return late


@cocotb.test()
async def timing(dut: Any) -> None:
    bench = Bench(dut)
    await reset(dut)
    for cfg in (
        Frames(),
        Frames(packet_beats=7, start=0xFFFFFFF8),
        Frames(packet_beats=1, packets=5, pause=1),
        Frames(packet_beats=4, packets=3, pause=0, frames=3),
        Frames(packet_beats=3, packets=2, pause=5, frames=4),
        Frames(packet_beats=2, packets=2, pause=3, frames=3, window=20, start=1000),
        Frames(packet_beats=1, frames=6, window=1),
        Frames(packet_beats=1, frames=6, window=2),
        Frames(packet_beats=2, frames=4, window=1),
    ):
        await bench.gated(cfg)
    # 0 acts as 1.
    await bench.set(Frames(packet_beats=0, packets=0, frames=0))
    bench.log.clear()
    await bench.control("ENABLE", "CLEAR")
    await bench.finish()
    assert [beat.last for beat in bench.log] == [True]
    await bench.regs.check(BEATS=1, PACKETS=1, FRAMES_DONE=1, LATE=0)


@cocotb.test()
async def window_edges(dut: Any) -> None:
    """The window one tick too short, just right, and one tick longer than the frame takes."""
    bench = Bench(dut)
    await reset(dut)
    for cfg in (Frames(packet_beats=3, packets=2, pause=2, frames=4), Frames(packet_beats=5, frames=3)):
        for slack, late in ((-1, cfg.frames - 1), (0, 0), (1, 0)):
            assert await bench.gated(Frames(**{**vars(cfg), "window": cfg.ticks() + slack})) == late


@cocotb.test()
async def backpressure(dut: Any) -> None:
    rng = seed("backpressure")
    late = 0
    bench = Bench(dut)
    await reset(dut)
    for share in (0.2, 0.5, 0.8):
        bench.hold = stall(rng, share)
        for _ in range(8):
            cfg = Frames(
                rng.randint(1, 6),
                rng.choice([0, 0, 1, 4]),
                rng.randint(1, 4),
                0,
                rng.randint(1, 4),
                rng.getrandbits(32),
            )
            cfg.window = rng.choice([0, cfg.ticks() - 1, cfg.ticks(), cfg.ticks() + 3, 2 * cfg.ticks()])
            late += await bench.gated(cfg)
    assert late > 5


@cocotb.test()
async def free_run(dut: Any) -> None:
    """With a consumer that is always there: the same ticks; continuous: as long as ENABLE is 1, a beat a tick."""
    bench = Bench(dut)
    await reset(dut)
    assert not dut.free_run_o.value
    await bench.gated(Frames(packet_beats=4, packets=3, pause=2, frames=3, window=18), "FREE_RUN")
    assert dut.free_run_o.value
    await bench.set(Frames(packet_beats=8))
    bench.log.clear()
    await bench.control("ENABLE", "CLEAR", "CONTINUOUS", "FREE_RUN")
    await ClockCycles(dut.clk_i, 200)
    await bench.control("CONTINUOUS", "FREE_RUN")
    await ClockCycles(dut.clk_i, 5)
    ticks = [beat.taken for beat in bench.log]
    assert ticks == list(range(ticks[0], ticks[0] + len(ticks))) and len(ticks) >= 200
    assert [n for n, beat in enumerate(bench.log) if beat.last] == list(range(7, len(ticks), 8))
    await bench.regs.check(BEATS=len(ticks), PACKETS=len(ticks) // 8, FRAMES_DONE=len(ticks) // 8, LATE=0, STATUS=0)


@cocotb.test()
async def stop_and_go(dut: Any) -> None:
    """Stopped in a beat that waits, in a pause and in a window; it goes on where it was, and time stood still."""
    bench = Bench(dut)
    await reset(dut)
    bench.hold = lambda: True
    cfg = Frames(packet_beats=3, packets=2, pause=40, frames=2, window=200, start=77)
    await bench.set(cfg)
    await bench.control("ENABLE", "CLEAR")
    await ClockCycles(dut.clk_i, 5)
    begin = bench.tick
    await bench.control()
    assert await bench.regs.read("STATUS") == bench.regs.mask("STATUS_RUNNING")  # the beat presented waits
    assert await bench.regs.read("BEATS") == 0
    bench.hold = NO_STALL
    await ClockCycles(dut.clk_i, 10)
    assert await bench.regs.read("STATUS") == 0 and await bench.regs.read("BEATS") == 1
    stops = 0
    # ENABLE is 0 from one write to the next; both take the same time from here to there.
    for wait in (25, 30, 120):
        stops += bench.tick - begin
        await bench.control("ENABLE")
        await ClockCycles(dut.clk_i, wait)
        begin = bench.tick
        await bench.control()
        count = len(bench.log)
        await ClockCycles(dut.clk_i, 300)
        assert len(bench.log) <= count + 1, "beats while stopped"
    stops += bench.tick - begin
    await bench.control("ENABLE")
    await bench.finish()
    beats, _ = schedule(cfg, 0, bench.words, set())
    assert [(b.words, b.last) for b in bench.log] == [(b.words, b.last) for b in beats]
    await bench.regs.check(BEATS=12, PACKETS=4, FRAMES_DONE=2, LATE=0)
    # A window of running ticks: the stops come on top, and one tick for each of the four starts again.
    assert bench.log[6].presented - bench.log[0].presented == 200 + stops + 4


@cocotb.test()
async def clear(dut: Any) -> None:
    """CLEAR is ignored while running, acts when stopped, and takes a START written before the first beat."""
    bench = Bench(dut)
    await reset(dut)
    await bench.set(Frames(packet_beats=10, start=5))
    await bench.control("ENABLE", "CONTINUOUS")
    await bench.control("ENABLE", "CONTINUOUS", "CLEAR")
    await bench.control("CONTINUOUS")
    await ClockCycles(dut.clk_i, 4)
    count = len(bench.log)
    assert count > 3 and bench.log[0].words[0] == 5 and not bench.clears
    await bench.regs.check(BEATS=count)
    # Go on without CLEAR: no jump, the packet goes on.
    await bench.control("ENABLE", "CONTINUOUS")
    await bench.control("CONTINUOUS")
    await ClockCycles(dut.clk_i, 4)
    words = [beat.words[0] for beat in bench.log]
    assert words == [5 + n * bench.words for n in range(len(words))] and len(words) > count
    assert [beat.last for beat in bench.log] == [n % 10 == 9 for n in range(len(words))]
    await bench.control("CLEAR")
    await ClockCycles(dut.clk_i, 1)
    assert len(bench.clears) == 1
    await bench.regs.check(BEATS=0, PACKETS=0, FRAMES_DONE=0, LATE=0)
    await bench.regs.write("START", 0x12345678)
    bench.log.clear()
    await bench.control("ENABLE")
    await bench.finish()
    assert bench.log[0].words[0] == 0x12345678 and [b.last for b in bench.log] == [False] * 9 + [True]


@cocotb.test()
async def clear_in_a_pause(dut: Any) -> None:
    """While running, CLEAR is ignored also where no beat is presented; a stopped source takes it there."""
    bench = Bench(dut)
    await reset(dut)
    await bench.set(Frames(packet_beats=1, packets=2, pause=200))
    await bench.control("ENABLE", "CLEAR")
    await ClockCycles(dut.clk_i, 20)
    await bench.control("ENABLE", "CLEAR")
    await ClockCycles(dut.clk_i, 2)
    assert len(bench.clears) == 1 and len(bench.log) == 1
    await bench.regs.check(BEATS=1, PACKETS=1)
    await bench.control()
    await bench.control("CLEAR")
    await ClockCycles(dut.clk_i, 2)
    assert len(bench.clears) == 2
    await bench.control("ENABLE")  # no pause left: a new frame
    await ClockCycles(dut.clk_i, 5)
    await bench.regs.check(BEATS=1)
    assert bench.log[1].words[0] == 0


@cocotb.test()
async def gated_runs(dut: Any) -> None:
    """A second run without CLEAR: DONE falls and rises again, the sequence goes on, the old window does not count."""
    bench = Bench(dut)
    await reset(dut)
    cfg = Frames(packet_beats=2, frames=3, window=100)
    await bench.gated(cfg)
    bench.log.clear()
    await bench.control("ENABLE")
    assert await bench.regs.read("STATUS") == bench.regs.mask("STATUS_RUNNING")
    await bench.finish()
    assert bench.log[0].words[0] == 6 * bench.words and len(bench.log) == 6
    assert bench.log[2].presented - bench.log[0].presented == 100
    await bench.regs.check(BEATS=12, PACKETS=6, FRAMES_DONE=6, LATE=0)


@cocotb.test()
async def dropper_counters(dut: Any) -> None:
    """The dropper's counters stand in the registers; a high half is the one of the moment its low half was read."""
    bench = Bench(dut)
    await reset(dut)
    values = {"beats": 0x1_2345_6789, "runs": 0x89ABCDEF, "first": 0xFEDC_BA98_7654_3210, "packets": 0x55AA55AA}
    for name, value in values.items():
        getattr(dut, f"drop_{name}_i").value = value
    await bench.regs.check(**{f"DROP_{name.upper()}": value for name, value in values.items()})
    dut.drop_beats_i.value = 0x1_FFFF_FFFF
    assert await bench.regs.read("DROP_BEATS_LO") == 0xFFFFFFFF
    dut.drop_beats_i.value = 0x2_0000_0000
    assert await bench.regs.read("DROP_BEATS_HI") == 1


@cocotb.test()
async def offend(dut: Any) -> None:
    bench = Bench(dut)
    await reset(dut)
    bench.hold = lambda: bench.tick > 40
    await bench.control("ENABLE", "CONTINUOUS", "FREE_RUN")
    await ClockCycles(dut.clk_i, 60)
