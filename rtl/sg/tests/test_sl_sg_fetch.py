# SPDX-License-Identifier: Apache-2.0
"""sl_sg_fetch against a walk through the descriptors in Python: chains contiguous and scattered that
grow behind the tail at any cycle, stale and misaligned descriptors, error responses, stops."""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from tb import run, seed, stall
from tb.axi import DECERR, OKAY, SLVERR, AxiSlave, Stalls
from tb.signals import Writer, reader, reset
from tb.stalls import parameters

CONFIGURATIONS = [{"AddrWidth": 32, "Depth": 8}, {"AddrWidth": 40, "Depth": 2}]
BD, TABLE, BASE = 64, 1 << 14, 0x4000_0000
COMPLETE, INTERNAL = 1 << 31, 1
FIELDS = [
    ("addr", 64),
    ("next", 64),
    ("a0", 64),
    ("a1", 64),
    ("control", 32),
    ("status", 32),
    ("tail", 1),
    ("error", 2),
]


def name(config: dict[str, Any]) -> str:
    return "-".join(f"{k}={v}" for k, v in config.items())


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=name)
def test_sl_sg_fetch(config: dict[str, Any]) -> None:
    run("sl_sg_fetch", config)


@pytest.mark.parametrize("config", [{"AddrWidth": 31}, {"Depth": 3}], ids=name)
def test_refused(config: dict[str, Any]) -> None:
    run("sl_sg_fetch", config, expect_build_error="must be")


class Desc(NamedTuple):
    addr: int
    next: int
    a0: int
    a1: int
    control: int
    status: int
    tail: int
    error: int


class Bench:
    def __init__(self, dut: Any, label: str) -> None:
        self.dut, self.rng, self.edge = dut, seed(label), RisingEdge(dut.clk_i)
        self.width = int(parameters()["AddrWidth"])
        self.base = BASE + ((1 << 36) if self.width > 36 else 0)
        self.table = AxiSlave(dut, "m_axi", bytearray(self.rng.randbytes(TABLE)), base=self.base, max_burst=8)
        names = ("enable", "start", "start_addr", "tail", "tail_we", "cyclic", "drained", "settled", "desc_ready")
        self.put = {n: Writer(getattr(dut, f"{n}_i")) for n in names}
        for given_back in ("drained", "settled"):
            self.put[given_back](1)
        self.valid, self.desc = reader(dut.desc_valid_o), reader(dut.desc_o)
        self.idle, self.at_tail = reader(dut.idle_o), reader(dut.at_tail_o)
        self.got: list[Desc] = []
        self.edges: list[int] = []
        self.stall = stall(self.rng, 0.0)
        self.ready = False
        cocotb.start_soon(self._take())

    async def _take(self) -> None:
        while True:
            await self.edge
            if self.ready and self.valid() and self.dut.rst_ni.value:
                value, parts = self.desc(), {}
                for field, bits in reversed(FIELDS):
                    parts[field] = value & (1 << bits) - 1
                    value >>= bits
                self.got.append(Desc(**parts))
                self.edges.append(self.table.cycle)
            self.ready = not self.stall()
            self.put["desc_ready"](int(self.ready))

    def vary(self) -> None:
        share = self.rng.choice((0.0, 0.2, 0.4))
        self.table.stalls = Stalls(*(stall(seed(f"{self.rng.random()}"), share) for _ in range(5)))
        self.table.read_latency = self.rng.choice((1, 4, 25))
        self.stall = stall(seed(f"{self.rng.random()}"), self.rng.choice((0.0, 0.4, 0.8)))

    def places(self, count: int, scattered: float) -> list[int]:
        """`count` different places, contiguous but for jumps with probability `scattered`."""
        free = set(range(TABLE // BD))
        found, at = [], self.rng.randrange(TABLE // BD - count)
        for _ in range(count):
            if at not in free or self.rng.random() < scattered:
                at = self.rng.choice(sorted(free))
            free.discard(at)
            found.append(self.base + at * BD)
            at += 1
        return found

    def store_ring(self, ring: list[int]) -> None:
        """Descriptors at these places, each of which names the next, and the last one the first."""
        for at, following in zip(ring, [*ring[1:], ring[0]], strict=True):
            self.store(at, following)

    def store(self, at: int, next_at: int, status: int = 0) -> None:
        words = [next_at & 0xFFFFFFFF, next_at >> 32, *(self.rng.getrandbits(32) for _ in range(5)), status]
        self.table.memory[at - self.base : at - self.base + 32] = struct.pack("<8I", *words)

    def link(self, at: int, next_at: int) -> None:
        self.table.memory[at - self.base : at - self.base + 8] = struct.pack("<Q", next_at)

    def load(self, at: int, tail: int, error: int = OKAY) -> Desc:
        w = struct.unpack_from("<8I", self.table.memory, at - self.base)
        mask = (1 << self.width) - 1
        two = [(w[i] | w[i + 1] << 32) & mask for i in (0, 2, 4)]
        return Desc(at, two[0] & ~63, two[1], two[2], w[6], w[7], tail, error)

    async def pulse(self, which: str, argument: str, value: int) -> None:
        self.put[argument](value)
        self.put[which](1)
        await self.edge
        self.put[which](0)

    async def begin(self, at: int, cyclic: int = 0) -> None:
        self.put["cyclic"](cyclic)
        await self.pulse("start", "start_addr", at)
        self.put["enable"](1)
        self.got.clear()
        self.edges.clear()
        await self.edge

    async def until(self, what: Any, limit: int = 20_000) -> None:
        for _ in range(limit):
            if what():
                return
            await self.edge
        raise AssertionError(f"{len(self.got)} descriptors, idle {self.idle()}, at tail {self.at_tail()}")

    async def stop(self) -> None:
        self.put["enable"](0)
        await self.edge
        await self.until(self.idle, 2000)
        await ClockCycles(self.dut.clk_i, self.rng.randint(1, 4))
        assert not self.table.outstanding and not self.valid(), "idle, but a read or a descriptor is left"


async def grow(bench: Bench, chain: list[int]) -> None:
    """Moves the tail along the chain in steps at random times; a descriptor is linked, and has its
    content, only just before the tail goes beyond it."""
    rng, shown = bench.rng, 0
    while shown < len(chain):
        upto = rng.randint(shown + 1, len(chain))
        if shown:
            bench.link(chain[shown - 1], chain[shown])
        for i in range(shown, upto):
            bench.store(chain[i], chain[i + 1] if i + 1 < upto else bench.base + rng.randrange(TABLE // BD) * BD)
        shown = upto
        await bench.pulse("tail_we", "tail", chain[shown - 1])
        for _ in range(rng.choice((0, 3, 30, 200))):
            await bench.edge


@cocotb.test()
async def chains(dut: Any) -> None:
    """Every descriptor of the chain, in order, once, as it is in memory; nothing beyond the tail."""
    bench = Bench(dut, "chains")
    await reset(dut)
    for turn in range(60):
        bench.vary()
        bench.table.memory[:] = bench.rng.randbytes(TABLE)
        chain = bench.places(bench.rng.randint(1, 40), bench.rng.choice((0.0, 0.1, 1.0)))
        used = set(chain)
        # What is no part of the chain answers with errors: nobody wants it.
        bench.table.error = lambda write, addr, used=used: OKAY if addr & ~63 in used else SLVERR  # type: ignore[misc]
        await bench.begin(chain[0])
        await grow(bench, chain)
        await bench.until(lambda: bench.at_tail() and len(bench.got) >= len(chain))  # noqa: B023
        await ClockCycles(dut.clk_i, 40)
        assert [d.addr for d in bench.got] == chain, f"turn {turn}"
        for i, desc in enumerate(bench.got):
            now = bench.load(chain[i], desc.tail)
            assert desc._replace(next=now.next) == now, f"turn {turn}: descriptor {i}"
            assert desc.next == now.next or desc.tail, "a link read before it was there"
        assert bench.got[-1].tail
        await bench.stop()


@cocotb.test()
async def tail_read_in_vain(dut: Any) -> None:
    """The tail stands where a read ahead finds it, though the chain goes another way first. A second tail comes while
    that read is out, a third after it was discarded: the third alone holds, the second is not gone back to."""
    bench = Bench(dut, "in_vain")
    await reset(dut)
    bench.table.read_latency = 25
    first, *far = (bench.base + n * BD for n in (0, 20, 40, 60, 80))
    chain = [first, far[0], far[1], first + BD, far[2], far[3]]
    for at, following in zip(chain, [*chain[1:], first], strict=True):
        bench.store(at, following)

    def is_read(at: int) -> bool:
        return any(burst.addr == at for burst in bench.table.log.reads)

    await bench.begin(first)
    await bench.pulse("tail_we", "tail", chain[3])
    await bench.until(lambda: is_read(chain[3]))
    assert not is_read(chain[1])
    await bench.pulse("tail_we", "tail", chain[4])
    await bench.until(lambda: is_read(chain[1]))
    await bench.pulse("tail_we", "tail", chain[5])
    await bench.until(lambda: len(bench.got) >= len(chain))
    await ClockCycles(dut.clk_i, 200)
    assert [d.addr for d in bench.got] == chain
    assert bench.at_tail()
    await bench.stop()


@cocotb.test()
async def tail_behind_the_old_one(dut: Any) -> None:
    """The new tail is what the old one, read again, names. The next one comes while its read is out: it is read
    again too, as it may be linked only now."""
    bench = Bench(dut, "behind")
    await reset(dut)
    bench.table.read_latency = 25
    chain = [bench.base + n * BD for n in (0, 20, 40)]
    reads = bench.table.log.reads

    def count(at: int) -> int:
        return sum(burst.addr == at for burst in reads)

    bench.store(chain[0], chain[2])
    await bench.begin(chain[0])
    await bench.pulse("tail_we", "tail", chain[0])
    await bench.until(bench.at_tail)
    for at, following in zip(chain, [*chain[1:], chain[0]], strict=True):
        bench.store(at, following)
    await bench.pulse("tail_we", "tail", chain[1])
    await bench.until(lambda: count(chain[1]) == 1)
    await bench.pulse("tail_we", "tail", chain[2])
    await bench.until(lambda: bench.at_tail() and len(bench.got) >= len(chain))
    assert [d.addr for d in bench.got] == chain
    assert count(chain[0]) == count(chain[1]) == 2
    await bench.stop()


@cocotb.test()
async def tail_written_again(dut: Any) -> None:
    """The old tail once more, at any time before its descriptor is given to write-back: nothing happens. Later:
    nothing while the descriptor is complete; one more round once software has cleared that, at the end of the
    write-backs. A new tail that waits is withdrawn by it."""
    bench = Bench(dut, "again")
    await reset(dut)
    for turn in range(60):
        bench.vary()
        ring = bench.places(bench.rng.randint(1, 9), bench.rng.choice((0.0, 0.3)))
        bench.store_ring(ring)
        upto = bench.rng.randint(1, len(ring))
        tail = ring[upto - 1]
        bench.table.log.reads.clear()
        bench.put["drained"](0)
        bench.put["settled"](0)
        await bench.begin(ring[0])
        await bench.pulse("tail_we", "tail", tail)
        for _ in range(4):
            await ClockCycles(dut.clk_i, bench.rng.randint(1, 60))
            await bench.pulse("tail_we", "tail", tail)
        await bench.until(lambda: bench.at_tail() and len(bench.got) >= upto)  # noqa: B023
        await bench.pulse("tail_we", "tail", tail)
        bench.put["drained"](1)  # software may have seen it complete, memory has not said so yet
        await ClockCycles(dut.clk_i, 2)
        await bench.pulse("tail_we", "tail", tail)
        bench.store(tail, ring[upto % len(ring)], COMPLETE)
        reads = len(bench.table.log.reads)
        await ClockCycles(dut.clk_i, 60)
        assert len(bench.table.log.reads) == reads and not bench.at_tail(), f"turn {turn}"
        bench.put["settled"](1)
        await bench.until(bench.at_tail)
        for _ in range(2):
            assert [d.addr for d in bench.got] == ring[:upto], f"turn {turn}"
            assert {burst.addr for burst in bench.table.log.reads[reads:]} == {tail}, "more than the tail was read"
            await bench.pulse("tail_we", "tail", tail)
            await bench.until(bench.at_tail)
        bench.store(tail, ring[upto % len(ring)])
        await ClockCycles(dut.clk_i, 60)
        assert len(bench.got) == upto, "nobody asked"
        await bench.pulse("tail_we", "tail", tail)
        if turn % 2:  # asked for twice, while the first is being looked at
            await ClockCycles(dut.clk_i, bench.rng.randint(0, 12))
            await bench.pulse("tail_we", "tail", tail)
        await bench.until(lambda: bench.at_tail() and len(bench.got) >= upto + len(ring))  # noqa: B023
        bench.store(tail, ring[upto % len(ring)], COMPLETE)
        await ClockCycles(dut.clk_i, 100)
        assert [d.addr for d in bench.got] == ring[:upto] + ring[upto:] + ring[:upto], f"turn {turn}"
        await bench.stop()


@cocotb.test()
async def tail_written_while_reread(dut: Any) -> None:
    """The old tail twice, the second time in each cycle of its second read and around that: one more round."""
    bench = Bench(dut, "reread")
    await reset(dut)
    bench.table.read_latency = 1
    ring = [bench.base + n * BD for n in range(4)]
    for wait in range(24):
        bench.store_ring(ring)
        await bench.begin(ring[0])
        await bench.pulse("tail_we", "tail", ring[-1])
        await bench.until(bench.at_tail)
        await ClockCycles(dut.clk_i, 20)  # the last one is given away
        for _ in range(2):
            await bench.pulse("tail_we", "tail", ring[-1])
            await ClockCycles(dut.clk_i, wait)
        await bench.until(bench.at_tail)
        await ClockCycles(dut.clk_i, 100)
        assert [d.addr for d in bench.got] == ring * 2, f"after {wait} cycles"
        await bench.stop()


@cocotb.test()
async def tail_moved_back(dut: Any) -> None:
    """A new tail written while the old one is not yet done, then the old one again: the pause stays where it was."""
    bench = Bench(dut, "moved_back")
    await reset(dut)
    bench.table.read_latency = 25
    ring = [bench.base + n * BD for n in range(4)]
    bench.store_ring(ring)
    bench.put["drained"](0)
    await bench.begin(ring[0])
    await bench.pulse("tail_we", "tail", ring[0])
    await bench.until(lambda: bench.table.log.reads)
    await bench.pulse("tail_we", "tail", ring[2])
    await bench.pulse("tail_we", "tail", ring[0])
    await bench.until(bench.at_tail)
    await ClockCycles(dut.clk_i, 100)
    assert [d.addr for d in bench.got] == ring[:1]
    await bench.stop()


@cocotb.test()
async def tail_withdrawn_while_reread(dut: Any) -> None:
    """The same after the old tail was reached, while it is read again for the new one: its complete bit, which nobody
    has set yet, is not taken for a round to be run."""
    bench = Bench(dut, "withdrawn")
    await reset(dut)
    bench.table.read_latency = 25
    ring = [bench.base + n * BD for n in range(4)]
    for wait in range(24):
        bench.store_ring(ring)
        bench.put["drained"](0)
        bench.put["settled"](0)
        await bench.begin(ring[0])
        await bench.pulse("tail_we", "tail", ring[0])
        await bench.until(bench.at_tail)
        await bench.pulse("tail_we", "tail", ring[2])
        await ClockCycles(dut.clk_i, wait)
        await bench.pulse("tail_we", "tail", ring[0])
        await ClockCycles(dut.clk_i, 200)
        bench.store(ring[0], ring[1], COMPLETE)
        bench.put["drained"](1)
        bench.put["settled"](1)
        await bench.until(bench.at_tail)
        await ClockCycles(dut.clk_i, 200)
        assert [d.addr for d in bench.got] == ring[:1], f"{wait} cycles"
        await bench.stop()


@cocotb.test()
async def linked_while_reread(dut: Any) -> None:
    """The old tail is read again as it was written once more; while that read is out, software links a new descriptor
    to it and writes that as the tail. The link that holds is the new one."""
    bench = Bench(dut, "linked")
    await reset(dut)
    bench.table.read_latency = 25
    first, second, elsewhere = (bench.base + n * BD for n in (0, 20, 40))
    for wait in range(40):
        for at in (first, second, elsewhere):
            bench.store(at, elsewhere)
        await bench.begin(first)
        await bench.pulse("tail_we", "tail", first)
        await bench.until(bench.at_tail)
        bench.store(first, elsewhere, COMPLETE)
        await bench.pulse("tail_we", "tail", first)
        await ClockCycles(dut.clk_i, wait)
        bench.link(first, second)
        await bench.pulse("tail_we", "tail", second)
        await bench.until(lambda: bench.at_tail() and len(bench.got) >= 2)
        assert [d.addr for d in bench.got] == [first, second], f"{wait} cycles"
        await bench.stop()


@cocotb.test()
async def faults(dut: Any) -> None:
    """A stale, misaligned or unreadable descriptor comes with its error, nothing after it."""
    bench = Bench(dut, "faults")
    await reset(dut)
    for turn in range(60):
        bench.vary()
        chain = bench.places(bench.rng.randint(2, 20), bench.rng.choice((0.0, 0.1, 1.0)))
        bad = bench.rng.randrange(len(chain))
        kind = ("stale", "misaligned", "slverr", "decerr")[turn % 4]
        for i, at in enumerate(chain):
            bench.store(at, chain[(i + 1) % len(chain)], COMPLETE if i == bad and kind == "stale" else 0)
        if kind == "misaligned":
            bench.link(chain[bad], chain[(bad + 1) % len(chain)] + bench.rng.randrange(1, 64))
        resp = {"slverr": SLVERR, "decerr": DECERR}.get(kind, OKAY)
        word = chain[bad] + 4 * bench.rng.randrange(8)
        bench.table.error = lambda write, addr, word=word, resp=resp: resp if addr == word else OKAY  # type: ignore[misc]
        await bench.begin(chain[0])
        await bench.pulse("tail_we", "tail", chain[-1])
        await bench.until(lambda: len(bench.got) > bad)  # noqa: B023
        await bench.pulse("tail_we", "tail", chain[0])
        await ClockCycles(dut.clk_i, 200)
        assert [d.addr for d in bench.got] == chain[: bad + 1], f"turn {turn}, {kind}"
        assert [d.error for d in bench.got] == [OKAY] * bad + [resp or INTERNAL], f"turn {turn}, {kind}"
        await bench.stop()


@cocotb.test()
async def bad_links(dut: Any) -> None:
    """What a link that could not be read, or is misaligned, seems to name is not read."""
    bench = Bench(dut, "bad_links")
    await reset(dut)
    for turn in range(12):
        bench.vary()
        chain = bench.places(bench.rng.randint(1, 7), 1.0)
        # Not what is read ahead of a descriptor, and not the tail, which is never reached.
        ahead = {at + n * BD for at in chain for n in range(int(parameters()["Depth"]) + 1)}
        places = set(range(bench.base, bench.base + TABLE, BD))
        nowhere, tail = bench.rng.sample(sorted(places - ahead), 2)
        for at, following in zip(chain, [*chain[1:], nowhere], strict=True):
            bench.store(at, following)
        bench.table.error = None
        if turn % 2:
            bench.link(chain[-1], nowhere + bench.rng.randrange(4, 64, 4))
        else:
            bench.table.error = lambda write, addr, bad=chain[-1]: SLVERR if addr == bad else OKAY  # type: ignore[misc]
        bench.table.log.reads.clear()
        await bench.begin(chain[0])
        await bench.pulse("tail_we", "tail", tail)
        await bench.until(lambda: bench.got and bench.got[-1].error != OKAY)
        await ClockCycles(dut.clk_i, 60)
        assert len(bench.got) == len(chain)
        assert all(burst.addr != nowhere for burst in bench.table.log.reads), f"turn {turn}"
        await bench.stop()
    bench.table.error = None


@cocotb.test()
async def cyclic(dut: Any) -> None:
    """Round and round whatever the tail and the complete bit; until stopped."""
    bench = Bench(dut, "cyclic")
    await reset(dut)
    bench.table.error = None
    for _ in range(10):
        bench.vary()
        chain = bench.places(bench.rng.randint(1, 6), bench.rng.choice((0.0, 1.0)))
        for i, at in enumerate(chain):
            bench.store(at, chain[(i + 1) % len(chain)], COMPLETE)
        await bench.begin(chain[0], cyclic=1)
        await bench.pulse("tail_we", "tail", bench.rng.choice((chain[0], bench.base)))
        await bench.until(lambda: len(bench.got) >= 30)
        await bench.stop()
        wanted = [bench.load(chain[i % len(chain)], 0) for i in range(len(bench.got))]
        assert bench.got == wanted


@cocotb.test()
async def stops(dut: Any) -> None:
    """enable_i falls at any cycle: what came is a part of the chain, nothing is left; then again."""
    bench = Bench(dut, "stops")
    await reset(dut)
    for _ in range(80):
        bench.vary()
        chain = bench.places(20, bench.rng.choice((0.0, 0.1, 1.0)))
        await bench.begin(chain[0])
        task = cocotb.start_soon(grow(bench, chain))
        await ClockCycles(dut.clk_i, bench.rng.randrange(1, 250))
        task.cancel()
        bench.put["tail_we"](0)
        await bench.stop()
        assert [d.addr for d in bench.got] == chain[: len(bench.got)]
        assert all(d.error == OKAY for d in bench.got)


@cocotb.test()
async def rates(dut: Any) -> None:
    """At a latency of 60 cycles: contiguous a descriptor in at most 12 cycles (Depth 8), scattered in
    at most 68, as each read waits for the first words of the one before."""
    bench = Bench(dut, "rates")
    await reset(dut)
    bench.table.read_latency = 60
    depth = int(parameters()["Depth"])
    for scattered in (False, True):
        chain = [bench.base + i * BD * (2 if scattered else 1) for i in range(80)]
        for i, at in enumerate(chain):
            bench.store(at, chain[(i + 1) % 80])
        await bench.begin(chain[0])
        await bench.pulse("tail_we", "tail", chain[-1])
        await bench.until(lambda: len(bench.got) == 80)
        each = (bench.edges[-1] - bench.edges[20]) / 59
        print(f"fetch: Depth {depth}, {'scattered' if scattered else 'contiguous'}: {each:.1f} cycles a descriptor")
        assert each <= (68 if scattered else 12 if depth == 8 else 40)
        await bench.stop()
