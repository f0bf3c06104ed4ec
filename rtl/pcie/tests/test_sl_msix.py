# SPDX-License-Identifier: Apache-2.0
"""sl_msix: every vector that was taken is told once, under masks that change at any moment, errors and stalls."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from msix import Owed, Table, entry

from tb import run, seed, stall
from tb.axi import DECERR, OKAY, SLVERR, AxiSlave, Stalls
from tb.axil import AxiLite
from tb.signals import Writer, reader, reset
from tb.stalls import parameters

SOURCES = ["pcie/tests/sl_msix_pins.sv"]
CONFIGURATIONS: list[dict[str, Any]] = [
    {"NumVectors": 32, "DataWidth": 128},
    {"NumVectors": 5, "DataWidth": 64, "PageBits": 20},
    {"NumVectors": 17, "DataWidth": 256},
    {"NumVectors": 1, "DataWidth": 512},
]
BASE = 0xF_FEE0_0000
BYTES = 1 << 16


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=lambda c: f"{c['NumVectors']}-{c['DataWidth']}")
def test_sl_msix(config: dict[str, Any]) -> None:
    run("sl_msix_pins", config, sources=SOURCES)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"NumVectors": 0}, "NumVectors must be 1..32, is 0"),
        ({"NumVectors": 33}, "NumVectors must be 1..32, is 33"),
        ({"DataWidth": 32}, "m_axi must have 64 address bits and 64 to 512 data bits, has 64 and 32"),
        ({"AddrWidth": 40}, "m_axi must have 64 address bits and 64 to 512 data bits, has 40 and 128"),
        ({"PageBits": 11}, "s_axil must have at least 12 address bits and 32 data bits, has 11 and 32"),
    ],
)
def test_refused(config: dict[str, Any], message: str) -> None:
    run("sl_msix_pins", config, expect_build_error=message, sources=SOURCES)


class Bench:
    """The unit, its host, and a watch on both."""

    def __init__(self, dut: Any, label: str, busy: float = 0.0, latency: int = 4) -> None:
        self.dut = dut
        self.rng = seed(label)
        self.count = int(parameters()["NumVectors"])
        self.edge = RisingEdge(dut.clk_i)
        self.owed = Owed(self.count)
        self.failing = 0.0
        self.failures = 0
        self.blocked = False  # the host takes and answers nothing
        self.now = 0  # rising edges
        self.taken: list[tuple[int, int]] = []  # vector, edge
        self.messages: list[tuple[int, int]] = []  # vector, edge of its start
        stalls = Stalls(*(self._stall(f"{label}/{n}", busy) for n in range(5)))
        self.host = AxiSlave(dut, "m_axi", BYTES, base=BASE, write_latency=latency, stalls=stalls, error=self._error)
        self.bus = AxiLite(dut, stall(seed(f"{label}/bus"), busy / 2))
        self.valid, self.vector = Writer(dut.vector_valid_i), Writer(dut.vector_i)
        self.enable, self.mask = Writer(dut.enable_i), Writer(dut.mask_i)
        self.free = list(range(0, BYTES, 4))
        self.rng.shuffle(self.free)

    def _stall(self, label: str, busy: float) -> Any:
        some = stall(seed(label), busy)
        return lambda: some() or self.blocked

    def _error(self, write: bool, address: int) -> int:
        if self.rng.random() >= self.failing:
            return OKAY
        self.failures += 1
        return self.rng.choice((SLVERR, DECERR))

    async def begin(self, setup: bool = True, clock: bool = True) -> None:
        await reset(self.dut, start_clock=clock)
        self.table = Table(self.bus, self.owed, lambda: self.now)
        self._task = cocotb.start_soon(self._watch())
        if setup:
            for n in range(self.count):
                await self.table.set(n, BASE + self.free.pop(), self.rng.getrandbits(32))

    def stop(self) -> None:
        self._task.cancel()
        self.host.stop()

    async def wait(self, cycles: int) -> None:
        for _ in range(cycles):
            await self.edge

    async def _watch(self) -> None:
        names = ("awvalid", "awready", "awaddr", "wvalid", "wready", "wdata", "wstrb")
        get = {n: reader(getattr(self.dut, f"m_axi_{n}")) for n in names}
        size = len(self.dut.m_axi_wdata) // 8
        enable, mask = reader(self.dut.enable_i), reader(self.dut.mask_i)
        valid, vector, ready = (reader(getattr(self.dut, f"vector_{n}")) for n in ("valid_i", "i", "ready_o"))
        up = forbidden = False
        while True:
            await self.edge
            # What is read is from before this edge: AWVALID that is new rose at the last one.
            self.now += 1
            last_forbidden = forbidden
            forbidden = not enable() or bool(mask())
            if get["awvalid"]() and not up:
                assert get["wvalid"](), "an address without its data"
                assert not last_forbidden, "a message of a function that is disabled or masked"
                address, lane = get["awaddr"](), get["awaddr"]() % size
                assert get["wstrb"]() == 0xF << lane, f"strobes {get['wstrb']():#x} at {address:#x}"
                number = self.owed.message(address, get["wdata"]() >> 8 * lane & 0xFFFFFFFF, self.now - 1)
                self.messages.append((number, self.now - 1))
            up = bool(get["awvalid"]())
            assert ready()
            if valid():
                self.owed.came(vector(), self.now)
                self.taken.append((vector(), self.now))
            if not enable():
                self.owed.disable()

    async def post(self, *numbers: int) -> None:
        """Sends vectors, one a cycle."""
        for number in numbers:
            self.valid(1)
            self.vector(number)
            await self.edge
        self.valid(0)

    async def settle(self) -> None:
        """Waits until nothing is missing and no message is on its way."""
        for _ in range(20_000):
            await self.edge
            if not self.owed.missing and not self.host.outstanding and not self.dut.m_axi_awvalid.value:
                return
        raise AssertionError(f"messages of {self.owed.missing} are missing")


@cocotb.test()
async def table(dut: Any) -> None:
    """Every word keeps what is written to it, by bytes; masks are 1 after reset; other vectors read 0."""
    bench = Bench(dut, "table", busy=0.3)
    await bench.begin(setup=False)
    rng = bench.rng
    words = {}
    for n in range(32):
        control = await bench.bus.read(bench.table.at(n, entry.CONTROL_OFFSET))
        assert control == int(n < bench.count), f"vector {n}"
        for offset in (0, 4, 8):
            words[n, offset] = rng.getrandbits(32)
            await bench.bus.write(bench.table.at(n, offset), words[n, offset])
    for _ in range(200):
        n, offset = rng.randrange(32), rng.choice((0, 4, 8))
        value, strobe = rng.getrandbits(32), rng.getrandbits(4)
        await bench.bus.write(bench.table.at(n, offset), value, strobe)
        lanes = sum(0xFF << 8 * lane for lane in range(4) if strobe >> lane & 1)
        words[n, offset] = words[n, offset] & ~lanes | value & lanes
    for (n, offset), value in words.items():
        assert await bench.bus.read(bench.table.at(n, offset)) == (value if n < bench.count else 0), f"{n}, {offset}"
    for n in range(bench.count):
        at = bench.table.at(n, entry.CONTROL_OFFSET)
        await bench.bus.write(at, 0, 0xE)
        assert await bench.bus.read(at) == 1
        await bench.bus.write(at, 0xFFFFFFFE)
        assert await bench.bus.read(at) == 0
    for address in (0x200, 0xE00, 0xFC0):
        assert await bench.bus.read_resp(address) == (0, DECERR)
        assert await bench.bus.write_resp(address, 1) == DECERR
    assert not bench.messages


@cocotb.test()
async def timing(dut: Any) -> None:
    """AWVALID is there 3 cycles after the one in which a vector was taken; then a message every second cycle."""
    bench = Bench(dut, "timing", latency=1)
    await bench.begin()
    for n in range(bench.count):
        await bench.table.unmask(n)
    bench.enable(1)
    await bench.wait(5)
    await bench.post(bench.count - 1)
    await bench.settle()
    ((_, taken),) = bench.taken
    assert bench.messages == [(bench.count - 1, taken + 2)], "the edge that ends the third cycle"
    bench.messages.clear()
    bench.mask(1)
    await bench.post(*range(bench.count))
    await bench.wait(5)
    bench.mask(0)
    await bench.settle()
    assert [n for n, _ in bench.messages] == list(range(bench.count)), "in turns"
    edges = [edge for _, edge in bench.messages]
    assert all(b - a == 2 for a, b in pairwise(edges)), edges


@cocotb.test()
async def merges(dut: Any) -> None:
    """A vector that comes again while it is pending is told once; one that comes after its message, again."""
    bench = Bench(dut, "merges")
    await bench.begin()
    bench.enable(1)
    await bench.table.unmask(0)
    for masked in (True, False):
        if masked:
            await bench.table.mask(0)
        else:
            bench.mask(1)
        for _ in range(7):
            await bench.post(0)
            await bench.wait(bench.rng.randrange(4))
        await bench.wait(30)
        assert bench.messages == [] and await bench.table.pending() == 1
        if masked:
            await bench.table.unmask(0)
        else:
            bench.mask(0)
        await bench.wait(50)
        assert len(bench.messages) == 1 and await bench.table.pending() == 0
        bench.messages.clear()
    for gap in range(8):  # 1: in the cycle that starts the message
        await bench.post(0)
        await bench.wait(gap)
        await bench.post(0)
        await bench.settle()
        assert len(bench.messages) == (2 if gap >= 1 else 1), f"{gap} cycles between"
        bench.messages.clear()


@cocotb.test()
async def disabled(dut: Any) -> None:
    """Vectors that come while MSI-X is disabled are forgotten, as are those that were pending."""
    bench = Bench(dut, "disabled")
    await bench.begin()
    every = list(range(bench.count))
    await bench.post(*every)
    await bench.wait(5)
    assert await bench.table.pending() == 0
    bench.enable(1)
    await bench.wait(5)
    await bench.post(*every, *range(32))
    await bench.wait(5)
    assert await bench.table.pending() == (1 << bench.count) - 1, "masked: those that were built are pending"
    bench.enable(0)
    await bench.wait(5)
    bench.enable(1)
    assert await bench.table.pending() == 0
    for n in every:
        await bench.table.unmask(n)
    await bench.wait(50)
    assert not bench.messages
    await bench.post(*every)
    await bench.settle()
    assert len(bench.messages) == bench.count


@cocotb.test()
async def failures(dut: Any) -> None:
    """A message that fails is counted, and nothing else is lost."""
    bench = Bench(dut, "failures", busy=0.2)
    await bench.begin()
    bench.enable(1)
    for n in range(bench.count):
        await bench.table.unmask(n)
    bench.failing = 0.4
    for _ in range(60):
        await bench.post(*(n for n in range(bench.count) if bench.rng.random() < 0.5))
        await bench.wait(bench.rng.randrange(40))
    await bench.settle()
    assert bench.failures
    assert await bench.table.failed() == bench.failures
    bench.failing = 0.0
    for n in range(bench.count):
        sent = bench.owed.vectors[n].sent
        await bench.post(n)
        await bench.settle()
        assert bench.owed.vectors[n].sent == sent + 1
    assert await bench.table.failed() == bench.failures


@cocotb.test()
async def ordering(dut: Any) -> None:
    """A read of the table comes after the messages before it; a write, and the pending bits, wait for none."""
    bench = Bench(dut, "ordering", latency=150)
    await bench.begin()
    bench.enable(1)
    for n in range(bench.count):
        await bench.table.unmask(n)
    life = Life(bench, function=False)
    for _ in range(20):
        await bench.wait(bench.rng.randrange(100))
        await bench.table.mask(0)
        before = len(bench.messages)
        begun = bench.now
        assert await bench.table.flush() == 1
        assert all(edge < begun + 5 for _, edge in bench.messages[before:]), "a message started while a read waited"
        assert bench.host.outstanding <= 1, "answered before messages were"
        await bench.table.unmask(0)
    await life.end()
    await bench.settle()
    await bench.post(*range(bench.count))
    most = 0
    for _ in range(140):
        await bench.edge
        most = max(most, bench.host.outstanding)
    assert most == min(bench.count, 8), f"{most} in flight"
    await bench.settle()
    bench.blocked = True
    await bench.post(*range(bench.count))
    await bench.wait(20)
    began = bench.now
    assert bench.dut.m_axi_awvalid.value
    await bench.table.mask(0)
    await bench.table.pending()
    await bench.table.unmask(0)
    assert bench.now - began < 40
    bench.blocked = False
    await bench.settle()


class Life:
    """Vectors at random, with `function` while its mask and its enable change, until `running` falls."""

    def __init__(self, bench: Bench, function: bool = True) -> None:
        self.bench = bench
        self.running = True
        self._tasks = [cocotb.start_soon(self._vectors())]
        if function:
            self._tasks.append(cocotb.start_soon(self._function()))

    async def end(self) -> None:
        self.running = False
        for task in self._tasks:
            await task

    async def _vectors(self) -> None:
        bench, rng = self.bench, self.bench.rng
        while self.running:
            many = 32 if rng.random() < 0.1 else bench.count
            await bench.post(*(rng.randrange(many) for _ in range(rng.randint(1, 6))))
            await bench.wait(rng.choice((0, 1, 2, 3, 10, 40)))

    async def _function(self) -> None:
        bench, rng = self.bench, self.bench.rng
        while self.running:
            await bench.wait(rng.randrange(200))
            if rng.random() < 0.2:
                bench.enable(0)
                await bench.wait(rng.randrange(1, 10))
                bench.enable(1)
            else:
                bench.mask(1)
                await bench.wait(rng.randrange(1, 60))
                bench.mask(0)


@cocotb.test()
async def soak(dut: Any) -> None:
    """Every vector is told once, while all masks and messages change at random moments."""
    for turn, (busy, latency) in enumerate(((0.0, 3), (0.3, 20), (0.6, 60))):
        bench = Bench(dut, f"soak/{turn}", busy, latency)
        await bench.begin(clock=turn == 0)
        bench.enable(1)
        life = Life(bench)
        for _ in range(200):
            await change(bench, bench.rng.randrange(bench.count))
        await life.end()
        for n in range(bench.count):
            await bench.table.unmask(n)
        await bench.settle()
        await bench.wait(300)
        assert await bench.table.pending() == 0 == await bench.table.failed()
        assert sum(v.sent for v in bench.owed.vectors) > 200
        bench.enable(0)
        bench.stop()


async def change(bench: Bench, n: int) -> None:
    """Masks one and looks; gives it another message; unmasks it."""
    rng, model = bench.rng, bench.owed.vectors[n]
    await bench.table.mask(n)
    await bench.wait(rng.randrange(30))
    if rng.random() < 0.5:
        await bench.table.flush()
        had, disabled = bool(model.came), bench.owed.disabled
        pending = await bench.table.pending() >> n & 1
        if disabled == bench.owed.disabled:
            assert pending or not had, f"vector {n} came and is not pending"
            assert not pending or model.came, f"vector {n} is pending and did not come"
    if rng.random() < 0.5:
        await bench.table.flush()
        bench.free.append(model.address - BASE)
        await bench.table.set(n, BASE + bench.free.pop(0), rng.getrandbits(32))
    await bench.wait(rng.randrange(30))
    await bench.table.unmask(n)
    await bench.wait(rng.randrange(60))
