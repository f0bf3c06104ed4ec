# SPDX-License-Identifier: Apache-2.0
"""capture through its control port: periods without end, and what the capability block says of each."""

from __future__ import annotations

import sys
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from tb import REPO, RTL, run, seed, stall, swept
from tb.axi import DECERR, OKAY, AxiSlave, Stalls
from tb.signals import reader, reset
from tb.stalls import parameters

sys.path[:0] = [str(RTL / "dma" / "tests"), str(REPO / "regs" / "gen" / "python")]

from lane import AxiLite, pattern
from pg021 import BD_BYTES, BD_COMPLETE, CR_CYCLIC, CR_THRESHOLD, S2MM, Channel, Descriptor, bd_status
from sluice_regs import capture as top
from sluice_regs import sl_capability as cap
from sluice_regs import sl_design_page as page
from sluice_regs import sl_stream_source as source_regs
from sluice_regs import sl_timer as timer

CONFIGURATION = {"LenWidth": 16, "BufferBeats": 128, "FifoBeats": 64, "Snapshots": 64, "ClockHz": 100_000_000}
BYTES = parameters().get("DataWidth", 64) // 8  # a beat
PERIOD_BEATS = 128
RING = 8  # descriptors
KEPT = int(parameters().get("Snapshots", 16))
MEMORY_BYTES = 1 << 16
COHERENT = bool(parameters().get("Coherent", 0))
# Data and descriptors share a port: on the ACP, and in a lane of hp_stress.
ONE_PORT = COHERENT or bool(parameters().get("IncludeSg", 0))
DESCRIPTORS = 0x10000


@pytest.mark.parametrize("config", [{}, {"DataWidth": 32}, swept({"Coherent": 1})])
def test_capture(config: dict[str, Any]) -> None:
    run("capture", CONFIGURATION | config)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"DataWidth": 128}, "DataWidth must be 32 or 64, is 128"),
        ({"DataWidth": 32, "Coherent": 1}, "Coherent = 1 needs DataWidth = 64, is 32"),
        ({"Snapshots": 3}, "Snapshots must be a power of two in 2..64, is 3"),
        ({"FifoBeats": 100}, "Depth must be a power of two in 4..32768, is 100"),
    ],
)
def test_refused(config: dict[str, Any], message: str) -> None:
    run("capture", config, expect_build_error=message)


class Bench:
    """Memory on the ports, and a ring of descriptors of PERIOD_BEATS each."""

    def __init__(self, dut: Any, label: str, busy: float = 0.0) -> None:
        self.dut = dut
        self.held = False  # memory takes no data

        def some(name: str) -> Any:
            return stall(seed(f"{label}/{name}"), busy)

        def port(name: str, memory: int, base: int, stalls: Stalls) -> AxiSlave:
            return AxiSlave(
                dut, name, memory, base=base, read_latency=60, write_latency=40, max_burst=16, stalls=stalls
            )

        w = some("w")
        stalls = Stalls(some("ar"), some("r"), some("aw"), lambda: self.held or w(), some("b"))
        both = DESCRIPTORS + RING * BD_BYTES
        self.memory = port("m_axi_hp0", both if ONE_PORT else MEMORY_BYTES, 0, stalls)
        if ONE_PORT:
            self.table = memoryview(self.memory.memory)[DESCRIPTORS:]
        else:
            stalls = Stalls(*(some(f"sg/{channel}") for channel in range(5)))
            self.table = memoryview(port("m_axi_hp1", RING * BD_BYTES, DESCRIPTORS, stalls).memory)
        self.bus = AxiLite(dut)
        self.irq = reader(dut.irq_o)
        self.s2mm = Channel(self.bus, S2MM, top.HP_DMA_OFFSET)

    def at(self, n: int) -> int:
        return n % RING * PERIOD_BEATS * BYTES

    def data(self, n: int) -> bytes:
        """What stands in the buffer of period n."""
        return bytes(self.memory.memory[self.at(n) : self.at(n) + PERIOD_BEATS * BYTES])

    async def capability(self, offset: int) -> int:
        return await self.bus.read(top.HP_CAPABILITY_OFFSET + offset)

    async def counter(self, low: int) -> int:
        return await self.capability(low) | await self.capability(low + 4) << 32

    async def snapshot(self, n: int) -> tuple[int, int, int]:
        """Bytes, ticks and drops at the end of period n."""
        await self.bus.write(top.HP_CAPABILITY_OFFSET + cap.CHANNEL0_SELECT_OFFSET, n)
        found = (
            await self.counter(cap.CHANNEL0_SNAP_BYTES_LO_OFFSET),
            await self.counter(cap.CHANNEL0_SNAP_TIME_LO_OFFSET),
            await self.counter(cap.CHANNEL0_SNAP_DROPS_LO_OFFSET),
        )
        assert await self.capability(cap.CHANNEL0_SNAP_STATE_OFFSET) == 1, f"snapshot {n} is there"
        return found

    async def source(self, offset: int, value: int) -> None:
        await self.bus.write(top.HP_SOURCE_OFFSET + offset, value)

    async def begin(self, frame_ticks: int) -> None:
        """A cyclic chain that stands, then a source that runs: a frame of PERIOD_BEATS each `frame_ticks`."""
        await reset(self.dut)
        await self.s2mm.reset()
        for n in range(RING):
            there = DESCRIPTORS + n * BD_BYTES
            following = DESCRIPTORS + (n + 1) % RING * BD_BYTES
            Descriptor(there, following, self.at(n), PERIOD_BEATS * BYTES).store(self.table, DESCRIPTORS)
        await self.s2mm.run_chain(DESCRIPTORS, DESCRIPTORS, CR_CYCLIC | 1 << CR_THRESHOLD)
        for offset, value in (
            (source_regs.PACKET_BEATS_OFFSET, PERIOD_BEATS),
            (source_regs.FRAME_PACKETS_OFFSET, 1),
            (source_regs.FRAME_TICKS_OFFSET, frame_ticks),
            (source_regs.START_OFFSET, 0),
        ):
            await self.source(offset, value)
        mode = source_regs.CONTROL_ENABLE_MASK | source_regs.CONTROL_CLEAR_MASK
        mode |= source_regs.CONTROL_CONTINUOUS_MASK | source_regs.CONTROL_FREE_RUN_MASK
        await self.source(source_regs.CONTROL_OFFSET, mode)

    async def periods(self, count: int) -> None:
        for _ in range(count * 2000):
            if await self.capability(cap.CHANNEL0_PERIODS_OFFSET) >= count:
                return
        raise AssertionError(f"never {count} periods")


@cocotb.test()
async def pages(dut: Any) -> None:
    """Each block is where the map says, and nothing else is."""
    bench = Bench(dut, "pages")
    await reset(dut)
    there = {
        top.HP_DMA_OFFSET + 0x30,
        top.HP_SOURCE_OFFSET,
        top.HP_CAPABILITY_OFFSET + cap.IDENTITY_OFFSET,
        top.HP_TIMER_OFFSET,
        top.HP_PICTURE_OFFSET,
        top.PAGE_OFFSET + page.IDENTITY_OFFSET,
    }
    blocks = {at & ~0xFFF for at in there}
    for at in range(0, 1 << 20, 1 << 12):
        assert (await bench.bus.read_resp(at))[1] == (OKAY if at in blocks else DECERR), f"{at:#x}"
    assert await bench.bus.read(top.PAGE_OFFSET + page.IDENTITY_OFFSET) == int.from_bytes(b"SLCA", "big")
    assert await bench.capability(cap.IDENTITY_OFFSET) == int.from_bytes(b"SLCP", "big")
    assert await bench.capability(cap.CLOCK_OFFSET) == parameters()["ClockHz"]
    features = await bench.capability(cap.FEATURES_OFFSET)
    assert features & cap.FEATURES_SG_MASK and features & cap.FEATURES_CYCLIC_MASK
    assert await bench.bus.read(top.HP_TIMER_OFFSET + timer.IDENTITY_OFFSET) == int.from_bytes(b"SLTM", "big")


@cocotb.test()
async def timer_has_the_third_line(dut: Any) -> None:
    bench = Bench(dut, "timer")
    await reset(dut)
    await bench.bus.write(top.HP_TIMER_OFFSET + timer.IRQ_ENABLE_OFFSET, timer.IRQ_ENABLE_EXPIRED_MASK)
    await bench.bus.write(top.HP_TIMER_OFFSET + timer.DELAY_OFFSET, 100)
    assert bench.irq() == 0
    await ClockCycles(dut.clk_i, 101)
    assert bench.irq() == 4
    # Both counters began at the end of reset.
    ticks = await bench.bus.read(top.PAGE_OFFSET + page.TICKS_LO_OFFSET)
    cycles = await bench.bus.read(top.HP_TIMER_OFFSET + timer.CYCLES_LO_OFFSET)
    assert 0 < cycles - ticks < 20
    await bench.bus.write(top.HP_TIMER_OFFSET + timer.EVENT_OFFSET, timer.EVENT_EXPIRED_MASK)
    assert bench.irq() == 0


@cocotb.test()
async def no_beat_is_lost(dut: Any) -> None:
    """Many periods at 80 % of the port's rate, all of memory's channels stalling: every word arrives, in order, and
    the snapshots of the last ones are true."""
    bench = Bench(dut, "no_beat_is_lost", busy=0.1)
    ticks = PERIOD_BEATS * 10 // 8
    await bench.begin(ticks)
    seen = 0
    count = 40
    edge = RisingEdge(dut.clk_i)
    # Period n is checked once its descriptor's status is written, long before the ring comes round.
    while seen < count:
        status_at = DESCRIPTORS + seen % RING * BD_BYTES
        while not bd_status(bench.table, status_at - DESCRIPTORS) & BD_COMPLETE:
            await edge
        assert bd_status(bench.table, status_at - DESCRIPTORS) & 0x3FFFFFF == PERIOD_BEATS * BYTES
        bench.table[status_at - DESCRIPTORS + 28 : status_at - DESCRIPTORS + 32] = bytes(4)
        words = PERIOD_BEATS * BYTES // 4
        assert bench.data(seen) == pattern(seen * words, words * 4), f"period {seen}"
        seen += 1
    await bench.periods(count)
    await bench.source(source_regs.CONTROL_OFFSET, 0)
    await ClockCycles(dut.clk_i, 400)  # what had begun has ended
    count = await bench.capability(cap.CHANNEL0_PERIODS_OFFSET)
    oldest = max(0, count - KEPT)
    previous = None
    for n in range(oldest, count):
        size, time, drops = await bench.snapshot(n)
        assert (size, drops) == ((n + 1) * PERIOD_BEATS * BYTES, 0)
        if previous is not None:
            assert abs(time - previous - ticks) < 200, "paced by the source, but for memory's stalls"
        previous = time
    assert previous is not None
    first = (await bench.snapshot(oldest))[1]
    assert abs(previous - first - (count - oldest - 1) * ticks) < 200
    assert await bench.counter(cap.CHANNEL0_DROPS_LO_OFFSET) == 0
    assert await bench.bus.read(top.HP_SOURCE_OFFSET + source_regs.DROP_BEATS_LO_OFFSET) == 0
    assert bench.irq() == 2


@cocotb.test()
async def each_access_is_coherent_on_the_acp(dut: Any) -> None:
    """Data and descriptors, with an ID of at most 3 bits; on HP ports none is."""
    bench = Bench(dut, "coherent")
    pins = [
        [reader(getattr(dut, f"m_axi_hp{port}_{kind}{pin}")) for pin in ("valid", "cache", "id")]
        for port in range(2)
        for kind in ("ar", "aw")
    ]
    seen: dict[int, set[tuple[bool, bool]]] = {n: set() for n in range(len(pins))}
    await bench.begin(PERIOD_BEATS * 10 // 8)
    edge = RisingEdge(dut.clk_i)
    while not bd_status(bench.table, 3 * BD_BYTES) & BD_COMPLETE:
        await edge
        for n, (valid, cache, ident) in enumerate(pins):
            if valid():
                seen[n].add((cache() == 15, ident() < 8))
    # Reads and writes of the first port, of the second.
    there = {(COHERENT, True)}
    assert list(seen.values()) == ([there, there, set(), set()] if COHERENT else [set(), there, there, there])


@cocotb.test()
async def losses_are_counted_and_placed(dut: Any) -> None:
    """Memory that stands still for long: the words that are missing are those counted, in the period that says so."""
    bench = Bench(dut, "losses")
    held_in = 5
    await bench.begin(PERIOD_BEATS * 10 // 8)
    await bench.periods(held_in)
    bench.held = True
    await ClockCycles(dut.clk_i, 1000)
    bench.held = False
    await ClockCycles(dut.clk_i, 400)  # what was held is written, and the beat after the gap
    await bench.source(source_regs.CONTROL_OFFSET, 0)
    await ClockCycles(dut.clk_i, 2000)
    drops = await bench.counter(cap.CHANNEL0_DROPS_LO_OFFSET)
    assert drops == await bench.bus.read(top.HP_SOURCE_OFFSET + source_regs.DROP_BEATS_LO_OFFSET) > 400
    runs = await bench.bus.read(top.HP_SOURCE_OFFSET + source_regs.DROP_RUNS_OFFSET)
    first = await bench.bus.read(top.HP_SOURCE_OFFSET + source_regs.DROP_FIRST_LO_OFFSET)
    ended = await bench.capability(cap.CHANNEL0_PERIODS_OFFSET)
    assert held_in < ended <= 64
    marks = [await bench.snapshot(n) for n in range(ended)]
    assert [mark[2] for mark in marks[:held_in]] == [0] * held_in
    assert marks[-1][2] == drops, "the source has stopped"
    # What is left of the ring (the period that has begun stands in the oldest one's buffer): each period holds the
    # beats that its bytes say; gaps add up.
    gaps = {}
    expected = None
    for n in range(max(0, ended + 1 - RING), ended):
        size = marks[n][0] - (marks[n - 1][0] if n else 0)
        words = bench.data(n)[:size]
        beats = [int.from_bytes(words[at : at + 4], "little") * 4 // BYTES for at in range(0, size, BYTES)]
        for beat in beats:
            if expected is not None and beat != expected:
                assert beat > expected
                gaps[expected] = beat - expected
            expected = beat + 1
    assert sum(gaps.values()) == drops and len(gaps) == runs and min(gaps) == first, gaps
    stalled = await bench.counter(cap.CHANNEL0_STALL_SPACE_LO_OFFSET)
    assert stalled > 800, "the cause: memory took no data"
    assert await bench.counter(cap.CHANNEL0_BEATS_LO_OFFSET) >= marks[-1][0] // BYTES
