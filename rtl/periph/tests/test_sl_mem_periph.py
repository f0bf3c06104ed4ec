# SPDX-License-Identifier: Apache-2.0
"""sl_mem_periph: every byte read, streamed out and left in the RAM against a reference, under random bursts, runs
and stalls; its rates and latencies."""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from tb import run as build_and_run
from tb import seed, stall
from tb.signals import Writer, reader, reset
from tb.stalls import NO_STALL, Stall, parameters

FIXED, INCR, WRAP = range(3)
OKAY, SLVERR = 0, 2
CONFIGURATIONS = {
    "1x32": {"NumRegions": 1, "RegionBeats": 64, "DataWidth": 32, "AddrWidth": 12, "IdWidth": 1, "ToStream": "1'h1"},
    "3x64": {"NumRegions": 3, "RegionBeats": 128, "DataWidth": 64, "AddrWidth": 32, "IdWidth": 4, "ToStream": "3'h2"},
    "8x128": {"NumRegions": 8, "RegionBeats": 64, "DataWidth": 128, "AddrWidth": 40, "IdWidth": 2, "ToStream": "8'ha5"},
}


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_sl_mem_periph(name: str) -> None:
    build_and_run("sl_mem_periph", CONFIGURATIONS[name])


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"NumRegions": 9}, "NumRegions must be 1..8, is 9"),
        ({"DataWidth": 48}, "DataWidth must be a power of two in 32..512, is 48"),
        ({"RegionBeats": 96}, "RegionBeats must be a power of two in 64..65536, is 96"),
        ({"IdWidth": 11}, "IdWidth must be 1..10, is 11"),
        ({"AddrWidth": 12}, "AddrWidth must be 12..64 and hold 2 regions of 4096 bytes, is 12"),
        ({"AddrWidth": 65}, "AddrWidth must be 12..64 and hold 2 regions of 4096 bytes, is 65"),
    ],
)
def test_refused(config: dict[str, Any], message: str) -> None:
    build_and_run("sl_mem_periph", config, expect_build_error=message)


@dataclass
class Burst:
    """One burst, and what came of it."""

    write: bool
    ident: int
    addr: int
    count: int
    size: int  # log2 of bytes
    kind: int
    data: list[tuple[int, int]] = field(default_factory=list)  # value and strobes a beat
    want: list[tuple[int, int, int]] = field(default_factory=list)  # response, lanes, value of a read's beats
    start: int = 0  # cycle in which the address was taken
    beats: list[int] = field(default_factory=list)
    end: int = 0  # cycle in which B was shown

    def addresses(self) -> list[int]:
        step = 1 << self.size
        if self.kind == FIXED:
            return [self.addr] * self.count
        aligned = self.addr & -step
        if self.kind == INCR:
            return [self.addr] + [aligned + n * step for n in range(1, self.count)]
        total = self.count * step
        base = self.addr & -total
        return [base + (self.addr - base + n * step) % total for n in range(self.count)]


class Bus:
    """AXI4 master. `write()` and `read()` queue bursts; those that ended are taken out of `open`."""

    def __init__(self, dut: Any, rng: random.Random, share: float) -> None:
        self.clk = dut.clk_i
        self.cycle = 0
        self.stalls: dict[str, Stall] = {
            c: stall(rng, share) if share else NO_STALL for c in ("aw", "w", "b", "ar", "r")
        }
        inputs = "awid awaddr awlen awsize awburst awlock awcache awprot awvalid wdata wstrb wlast wvalid bready "
        inputs += "arid araddr arlen arsize arburst arlock arcache arprot arvalid rready"
        outputs = "awready wready bid bresp bvalid arready rid rdata rresp rlast rvalid"
        self.put = {name: Writer(getattr(dut, f"s_axi_{name}")) for name in inputs.split()}
        self.get = {name: reader(getattr(dut, f"s_axi_{name}")) for name in outputs.split()}
        self.queue: dict[str, deque[Any]] = {"aw": deque(), "w": deque(), "ar": deque()}
        self.answers: dict[str, deque[Burst]] = {"b": deque(), "r": deque()}
        self.open: list[Burst] = []
        cocotb.start_soon(self._run())

    def send(self, burst: Burst) -> Burst:
        self.open.append(burst)
        if burst.write:
            self.queue["aw"].append(burst)
            for n, (value, strobes) in enumerate(burst.data):
                self.queue["w"].append((burst, value, strobes, int(n + 1 == burst.count)))
        else:
            self.queue["ar"].append(burst)
        return burst

    async def drain(self) -> None:
        for _ in range(20000):
            if not self.open:
                return
            await RisingEdge(self.clk)
        raise AssertionError(f"never ended: {self.open}")

    def _answer(self, channel: str, ready: bool) -> None:
        if not (ready and self.get[f"{channel}valid"]()):
            return
        burst = self.answers[channel][0]
        assert self.get[f"{channel}id"]() == burst.ident
        if channel == "b":
            burst.end = self.cycle
            assert len(burst.beats) == burst.count, "B before the last beat"
            assert self.get["bresp"]() == burst.want[0][0], burst
            done = True
        else:
            resp, lanes, value = burst.want[len(burst.beats)]
            assert self.get["rresp"]() == resp, burst
            assert self.get["rdata"]() & lanes == value & lanes, burst
            burst.beats.append(self.cycle)
            done = len(burst.beats) == burst.count
            assert self.get["rlast"]() == done
        if done:
            self.answers[channel].popleft()
            self.open.remove(burst)

    async def _run(self) -> None:
        edge = RisingEdge(self.clk)
        shown: dict[str, Any] = {"aw": None, "w": None, "ar": None}
        ready = {"b": False, "r": False}
        put, get = self.put, self.get
        while True:
            await edge
            self.cycle += 1
            for channel, item in shown.items():
                if item is None or not get[f"{channel}ready"]():
                    continue
                shown[channel] = None
                if channel == "w":
                    item[0].beats.append(self.cycle)
                else:
                    item.start = self.cycle
                    self.answers["b" if channel == "aw" else "r"].append(item)
            for channel in ready:
                self._answer(channel, ready[channel])
            for channel, queue in self.queue.items():
                if shown[channel] is None and queue and not self.stalls[channel]():
                    item = shown[channel] = queue.popleft()
                    if channel == "w":
                        for name, value in zip(("wdata", "wstrb", "wlast"), item[1:], strict=True):
                            put[name](value)
                    else:
                        put[f"{channel}id"](item.ident)
                        put[f"{channel}addr"](item.addr)
                        put[f"{channel}len"](item.count - 1)
                        put[f"{channel}size"](item.size)
                        put[f"{channel}burst"](item.kind)
                put[f"{channel}valid"](int(shown[channel] is not None))
            for channel in ready:
                ready[channel] = not self.stalls[channel]()
                put[f"{channel}ready"](int(ready[channel]))


class Bench:
    """The module, its bus, its streams and a reference of what the RAM holds."""

    def __init__(self, dut: Any, rng: random.Random, share: float = 0.0) -> None:
        p = parameters()
        self.dut, self.rng = dut, rng
        self.regions, self.beats = p["NumRegions"], p["RegionBeats"]
        self.keep = p["DataWidth"] // 8
        self.addr_bits, self.id_bits = p["AddrWidth"], p["IdWidth"]
        self.out = int(p["ToStream"].split("h")[1], 16)
        self.size = self.beats * self.keep
        self.ram = bytearray(self.regions * self.size)
        self.bus = Bus(dut, rng, share)
        self.in_use: set[int] = set()  # beats that a stream run touches
        self.stream_stall = [stall(rng, share) for _ in range(self.regions)]
        self.start = Writer(dut.start_i)
        self.first = Writer(dut.first_i)
        self.lengths = Writer(dut.beats_i)
        self.busy = reader(dut.busy_o)
        self.counts = reader(dut.count_o)
        self.s = {name: Writer(getattr(dut, f"s_axis_{name}")) for name in ("tdata", "tkeep", "tlast", "tvalid")}
        self.m = {name: reader(getattr(dut, f"m_axis_{name}")) for name in ("tdata", "tkeep", "tlast", "tvalid")}
        self.s_ready = reader(dut.s_axis_tready)
        self.m_ready = Writer(dut.m_axis_tready)
        self.runs: list[Run | None] = [None] * self.regions
        self.streamed = 0
        cocotb.start_soon(self._streams())

    # ------------------------------------------------------------------------------- bursts

    def beyond(self, addr: int) -> bool:
        return addr >= len(self.ram)

    def write(self, burst: Burst) -> Burst:
        """Sends it; `data` is filled in, and the reference takes it as done."""
        response = OKAY
        for addr in burst.addresses():
            value = self.rng.getrandbits(8 * self.keep)
            low = addr % self.keep
            lanes = range(low, (low & -(1 << burst.size)) + (1 << burst.size))
            strobes = sum((self.rng.random() < 0.9) << lane for lane in lanes)
            burst.data.append((value, strobes))
            if self.beyond(addr):
                response = SLVERR
                continue
            for lane in lanes:
                if strobes >> lane & 1:
                    self.ram[addr - low + lane] = value >> (8 * lane) & 0xFF
        burst.want = [(response, 0, 0)]
        return self.bus.send(burst)

    def read(self, burst: Burst) -> Burst:
        for addr in burst.addresses():
            if self.beyond(addr):
                burst.want.append((SLVERR, (1 << 8 * self.keep) - 1, 0))
                continue
            low = addr % self.keep
            lanes = sum(0xFF << (8 * lane) for lane in range(low, (low & -(1 << burst.size)) + (1 << burst.size)))
            word = int.from_bytes(self.ram[addr - low : addr - low + self.keep], "little")
            burst.want.append((OKAY, lanes, word))
        return self.bus.send(burst)

    def random_burst(self, write: bool) -> Burst:
        rng = self.rng
        size = self.keep.bit_length() - 1
        if rng.random() < 0.3:
            size = rng.randint(0, size)
        kind = rng.choice([INCR, INCR, INCR, WRAP, FIXED])
        count = rng.choice([2, 4, 8, 16]) if kind == WRAP else rng.randint(1, 16)
        if kind == INCR and rng.random() < 0.1:
            count = rng.randint(17, 256)
        addr = rng.randrange(len(self.ram))
        chance = rng.random()
        if chance < 0.1:  # at the end and over it
            addr = len(self.ram) - rng.randint(0, 8 * self.keep)
        elif chance < 0.15:  # any address bit alone can say that it is beyond
            bits = [bit for bit in range(self.addr_bits) if 1 << bit >= len(self.ram)]
            addr |= 1 << rng.choice(bits) if bits else 0
        if kind == WRAP or rng.random() < 0.5:
            addr &= -(1 << size)
        if kind == INCR:
            count = min(count, ((addr | 0xFFF) + 1 - (addr & -(1 << size))) >> size)
        return Burst(write, rng.getrandbits(self.id_bits), addr, count, size, kind)

    def touched(self, burst: Burst) -> set[int]:
        return {addr // self.keep for addr in burst.addresses() if not self.beyond(addr)}

    def in_flight(self, write: bool) -> set[int]:
        return {beat for burst in self.bus.open if burst.write == write for beat in self.touched(burst)}

    async def fill(self) -> None:
        """Writes the whole RAM."""
        for at in range(0, len(self.ram), 16 * self.keep):
            self.write(Burst(True, 0, at, 16, self.keep.bit_length() - 1, INCR))
        await self.bus.drain()
        for at in range(0, len(self.ram), self.keep):  # strobes were random: once more what is missing
            word = int.from_bytes(bytes(self.rng.getrandbits(8) for _ in range(self.keep)), "little")
            burst = Burst(True, 0, at, 1, self.keep.bit_length() - 1, INCR)
            burst.data, burst.want = [(word, (1 << self.keep) - 1)], [(OKAY, 0, 0)]
            self.ram[at : at + self.keep] = word.to_bytes(self.keep, "little")
            self.bus.send(burst)
        await self.bus.drain()

    async def check_all(self) -> None:
        await self.bus.drain()
        for at in range(0, len(self.ram), 16 * self.keep):
            self.read(Burst(False, 0, at, 16, self.keep.bit_length() - 1, INCR))
        await self.bus.drain()

    # ------------------------------------------------------------------------------ streams

    def index(self, region: int, beat: int) -> int:
        return region * self.beats + beat % self.beats

    def begin(self, run: Run) -> None:
        """Starts a run in the next cycle; `_streams` does the rest."""
        self.runs[run.region] = run
        self.in_use |= {self.index(run.region, run.first + n) for n in range(run.length)}

    async def _streams(self) -> None:
        edge = RisingEdge(self.dut.clk_i)
        width = self.beats.bit_length() - 1
        ready = valid = started = 0
        while True:
            await edge
            m_valid, m_last, s_ready, busy = self.m["tvalid"](), self.m["tlast"](), self.s_ready(), self.busy()
            counts = self.counts()
            starting, started = started, 0
            for region, run in enumerate(self.runs):
                mine = 1 << region
                assert not (m_valid & mine and (run is None or not self.out & mine)), f"region {region} sends"
                assert not (s_ready & mine and (run is None or self.out & mine)), f"region {region} takes"
                if run is None:
                    assert not busy & mine
                    continue
                if starting & mine:
                    continue
                if run.state == "new":
                    started |= mine
                    run.state = "runs"
                    continue
                done = run.length == 0
                if self.out & mine and m_valid & ready & mine:
                    at = self.index(region, run.first + run.moved) * self.keep
                    data = self.m["tdata"]() >> (8 * self.keep * region) & ((1 << 8 * self.keep) - 1)
                    assert data == int.from_bytes(self.ram[at : at + self.keep], "little"), f"run {run}"
                    assert self.m["tkeep"]() >> (self.keep * region) & ((1 << self.keep) - 1) == (1 << self.keep) - 1
                    run.moved += 1
                    done = run.moved == run.length
                    assert bool(m_last & mine) == done
                elif not self.out & mine and valid & s_ready & mine:
                    data, keep, last = run.data[run.moved]
                    at = self.index(region, run.first + run.moved) * self.keep
                    for lane in range(self.keep):
                        if keep >> lane & 1:
                            self.ram[at + lane] = data >> (8 * lane) & 0xFF
                    run.moved += 1
                    valid &= ~mine
                    done = bool(last) or run.moved == run.length
                assert busy & mine or run.length == 0
                if done:
                    self.streamed += run.moved
                    self.runs[region] = None
                    cocotb.start_soon(self._ended(run))
                assert run.moved - 1 <= counts >> ((width + 1) * region) & (2 * self.beats - 1) <= run.moved
            self.start(started)
            first = lengths = data_all = keep_all = last_all = 0
            ready = 0
            for region, run in enumerate(self.runs):
                mine = 1 << region
                if self.out & mine:
                    ready |= mine * (not self.stream_stall[region]())
                if run is None:
                    valid &= ~mine
                    continue
                first |= run.first << (width * region)
                lengths |= run.length << ((width + 1) * region)
                if not self.out & mine and run.length and run.state == "runs":
                    if not valid & mine and not self.stream_stall[region]():
                        valid |= mine
                    if valid & mine:
                        data, keep, last = run.data[run.moved]
                        data_all |= data << (8 * self.keep * region)
                        keep_all |= keep << (self.keep * region)
                        last_all |= last << region
            self.first(first)
            self.lengths(lengths)
            self.m_ready(ready)
            for name, value in (("tdata", data_all), ("tkeep", keep_all), ("tlast", last_all), ("tvalid", valid)):
                self.s[name](value)

    async def _ended(self, run: Run) -> None:
        width = self.beats.bit_length()
        await ClockCycles(self.dut.clk_i, 2)
        if self.runs[run.region] is None:
            count = self.counts() >> (width * run.region) & (2 * self.beats - 1)
            assert count == run.moved, f"{run}: count_o is {count}"
        self.in_use -= {self.index(run.region, run.first + n) for n in range(run.length)}

    def random_run(self, region: int) -> Run:
        rng = self.rng
        length = rng.choice([0, 1, rng.randint(1, 12), rng.randint(1, 12), rng.randint(1, self.beats)])
        run = Run(region, rng.randrange(self.beats), length)
        if not self.out >> region & 1:
            last_at = rng.randint(0, 2 * length)
            full = (1 << self.keep) - 1
            run.data = [
                (rng.getrandbits(8 * self.keep), rng.choice([full, rng.getrandbits(self.keep)]), int(n == last_at))
                for n in range(length)
            ]
        return run


@dataclass
class Run:
    region: int
    first: int
    length: int
    data: list[tuple[int, int, int]] = field(default_factory=list)
    moved: int = 0
    state: str = "new"


@cocotb.test()
async def traffic(dut: Any) -> None:
    """Random bursts and runs; what could meet on a beat is kept apart, for it has no order."""
    rng = seed("traffic")
    bench = Bench(dut, rng, 0.3)
    await reset(dut)
    await bench.fill()
    bursts = 0
    for _ in range(2500):
        await RisingEdge(dut.clk_i)
        for write in (False, True):
            if sum(burst.write == write for burst in bench.bus.open) >= 6 or rng.random() < 0.3:
                continue
            burst = bench.random_burst(write)
            others = bench.in_flight(not write) | bench.in_use
            if bench.touched(burst) & others:
                continue
            (bench.write if write else bench.read)(burst)
            bursts += 1
        region = rng.randrange(bench.regions)
        if bench.runs[region] is None and rng.random() < 0.3:
            run = bench.random_run(region)
            touched = {bench.index(region, run.first + n) for n in range(run.length)}
            if not touched & (bench.in_flight(True) | bench.in_flight(False) | bench.in_use):
                bench.begin(run)
    await bench.bus.drain()
    for _ in range(2000):
        if not any(bench.runs):
            break
        await RisingEdge(dut.clk_i)
    await ClockCycles(dut.clk_i, 4)
    await bench.check_all()
    assert bursts > 150 and bench.streamed > 150, (bursts, bench.streamed)


@cocotb.test()
async def rate(dut: Any) -> None:
    """A beat a cycle each way in different regions, one in all in the same; the latencies."""
    bench = Bench(dut, seed("rate"))
    await reset(dut)
    await bench.fill()
    size = bench.keep.bit_length() - 1
    other = bench.size if bench.regions > 1 else bench.size // 2
    bursts = [8, 1, 1, 16, 3]

    async def both(read_at: int) -> tuple[list[int], list[int]]:
        reads, writes = [], []
        for n, count in enumerate(bursts):
            reads.append(bench.read(Burst(False, 0, read_at, count, size, INCR)))
            writes.append(bench.write(Burst(True, n & 1, 0, count, size, INCR)))
        await bench.bus.drain()
        assert all(burst.end == burst.beats[-1] + 1 for burst in writes)
        r, w = ([beat for burst in some for beat in burst.beats] for some in (reads, writes))
        assert r[0] == reads[0].start + 3
        return r, w

    total = sum(bursts)
    r, w = await both(other)
    if bench.regions > 1:
        assert r == list(range(r[0], r[0] + total))
        assert w == list(range(w[0], w[0] + total))
        r, w = await both(bench.size // 2)
    span = max(r[-1] - 2, w[-1]) - min(r[0] - 2, w[0]) + 1
    assert span <= 2 * total + 1, span
    for region in range(bench.regions):
        bench.begin(Run(region, bench.beats - 2, 8, [(n, (1 << bench.keep) - 1, 0) for n in range(8)]))
    for _ in range(14):  # one to be seen, one to start, 3 to the first beat
        await RisingEdge(dut.clk_i)
    assert not any(bench.runs)
    await bench.check_all()


@cocotb.test()
async def start_and_reset(dut: Any) -> None:
    """A start during a run changes nothing; a reset ends runs and bursts."""
    await reset(dut)
    p = parameters()
    width = p["RegionBeats"].bit_length()
    everyone = (1 << p["NumRegions"]) - 1
    out = int(p["ToStream"].split("h")[1], 16)

    def counts() -> set[int]:
        value = int(dut.count_o.value)
        return {value >> (width * n) & (2 * p["RegionBeats"] - 1) for n in range(p["NumRegions"])}

    def lengths(length: int) -> int:
        return sum(length << (width * n) for n in range(p["NumRegions"]))

    for name in ("s_axi_awvalid", "s_axi_wvalid", "s_axi_arvalid", "s_axis_tvalid", "s_axis_tlast", "m_axis_tready"):
        getattr(dut, name).value = 0
    dut.s_axi_rready.value = dut.s_axi_bready.value = 0
    dut.first_i.value = dut.s_axis_tkeep.value = 0
    dut.beats_i.value = lengths(5)
    dut.start_i.value = everyone
    await ClockCycles(dut.clk_i, 1)
    dut.beats_i.value = lengths(9)  # start_i stays high
    await ClockCycles(dut.clk_i, 4)
    assert int(dut.busy_o.value) == everyone and counts() == {0}
    dut.start_i.value = 0
    dut.m_axis_tready.value = dut.s_axis_tvalid.value = everyone
    await ClockCycles(dut.clk_i, 9)
    assert int(dut.busy_o.value) == 0 and counts() == {5}
    dut.m_axis_tready.value = dut.s_axis_tvalid.value = 0
    dut.start_i.value = everyone
    dut.s_axi_arvalid.value = 1
    dut.s_axi_arlen.value = 15
    dut.s_axi_arsize.value = 2
    dut.s_axi_arburst.value = INCR
    await ClockCycles(dut.clk_i, 1)
    dut.start_i.value = dut.s_axi_arvalid.value = 0
    await ClockCycles(dut.clk_i, 5)
    assert int(dut.busy_o.value) == everyone and int(dut.m_axis_tvalid.value) == out and dut.s_axi_rvalid.value == 1
    await reset(dut, start_clock=False)
    assert int(dut.busy_o.value) == 0 and int(dut.m_axis_tvalid.value) == 0 and counts() == {0}
    await ClockCycles(dut.clk_i, 20)
    assert dut.s_axi_rvalid.value == 0 and dut.s_axi_arready.value == 1 and dut.s_axi_awready.value == 1
