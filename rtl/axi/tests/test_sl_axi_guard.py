# SPDX-License-Identifier: Apache-2.0
"""sl_axi_guard: transparent before the cut; cut at any cycle, a memory that is dead, late or alive, the engine gets
exactly the answers it is owed and the memory no new VALID. A protocol checker stands on each side."""

from __future__ import annotations

import random
from collections import deque
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from tb import FULL, run, seed, stall
from tb.signals import Writer, reader, reset
from tb.stalls import NO_STALL, Stall, parameters

SOURCES = ["axi/tests/sl_axi_guard_checked.sv"]
CONFIGURATIONS: list[dict[str, Any]] = [
    {"DataWidth": 64, "MaxOutstanding": 8},
    {"DataWidth": 32, "MaxOutstanding": 4, "IdWidth": 2, "NumIds": 3, "RegisterW": 1, "ZeroR": 1},
]
OKAY, SLVERR = 0, 2
CASES = 600 if FULL else 60


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=lambda c: f"{c['DataWidth']}")
def test_sl_axi_guard(config: dict[str, Any]) -> None:
    run("sl_axi_guard_checked", config, testcase=["latency", "throughput", "exact", "any_cycle"], sources=SOURCES)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"MaxOutstanding": 128}, "MaxOutstanding must be a power of two in 2..64, is 128"),
        ({"NumIds": 3}, "NumIds must be 1..2**IdWidth and 8 at most, is 3"),
        ({"MstIdWidth": 2}, "s_axi and m_axi must be AXI4 of the same widths"),
    ],
)
def test_refused(config: dict[str, Any], message: str) -> None:
    run("sl_axi_guard_checked", config, expect_build_error=message, sources=SOURCES)


class Port:
    """All signals of the guard by short name: s_awvalid, m_rready."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.config = parameters()
        self.edge = RisingEdge(dut.clk_i)
        self.size = self.config["DataWidth"] // 8
        self.ids = self.config.get("NumIds", 1)
        self.depth = self.config["MaxOutstanding"]
        self._set: dict[str, Writer] = {}
        self._get: dict[str, Any] = {}
        self.clear()

    def clear(self) -> None:
        for name in ("s_awvalid", "s_wvalid", "s_arvalid", "m_bvalid", "m_rvalid", "isolate_i"):
            self.set(**{name: 0})
        for name in ("s_bready", "s_rready", "m_awready", "m_wready", "m_arready"):
            self.set(**{name: 0})
        for channel in ("aw", "ar"):
            self.set(**{f"s_{channel}{name}": 0 for name in ("id", "addr", "len", "lock", "prot")})
            self.set(**{f"s_{channel}size": self.size.bit_length() - 1, f"s_{channel}burst": 1})
            self.set(**{f"s_{channel}cache": 3})
        self.set(s_wdata=0, s_wstrb=(1 << self.size) - 1, s_wlast=0)
        self.set(m_bid=0, m_bresp=0, m_rid=0, m_rdata=0, m_rresp=0, m_rlast=0)

    def _find(self, name: str) -> Any:
        return getattr(self.dut, name.replace("s_", "s_axi_").replace("m_", "m_axi_") if name[1] == "_" else name)

    def set(self, **signals: int) -> None:
        for name, value in signals.items():
            if name not in self._set:
                self._set[name] = Writer(self._find(name))
            self._set[name](value)

    def get(self, name: str) -> int:
        if name not in self._get:
            self._get[name] = reader(self._find(name))
        return int(self._get[name]())

    async def reset(self, start_clock: bool) -> None:
        self.clear()
        await reset(self.dut, 2, start_clock)


Burst = tuple[int, int, int]  # ID, address, beats


class Engine:
    """Master with random pauses; write data may run up to `early` bursts ahead of its addresses. Checks every answer:
    owed, in the order of its ID, its beats, its data while OKAY; once `cut`, nothing is OKAY."""

    def __init__(self, port: Port, rng: random.Random, share: float, early: int, bursts: int) -> None:
        self.port, self.rng, self.early = port, rng, early
        self.pause = {c: stall(rng, share) for c in ("aw", "w", "ar", "b")}
        self.pause["r"] = stall(rng, share) if port.config.get("ZeroR") else NO_STALL
        self.writes, self.reads = ([self._burst() for _ in range(bursts)] for _ in range(2))
        self.aw = self.w = self.beat = self.ar = self.paired = 0  # AWs, W bursts taken; beat of the current; ARs
        self.up = dict.fromkeys(("aw", "w", "ar"), False)
        self.ready = {"b": False, "r": False}
        self.due = dict.fromkeys(range(port.ids), 0)
        self.open: dict[int, deque[list[int]]] = {ident: deque() for ident in range(port.ids)}
        self.responses: list[int] = []

    def _burst(self) -> Burst:
        beats = self.rng.choice([1, 1, 2, 3, 8, 16])
        return self.rng.randrange(self.port.ids), self.rng.randrange(1 << 16) * 4096, beats

    @property
    def idle(self) -> bool:
        done = self.aw == self.w == len(self.writes) and self.ar == len(self.reads)
        return done and not any(self.due.values()) and not any(self.open.values())

    def add(self, bursts: int) -> None:
        self.writes += [self._burst() for _ in range(bursts)]
        self.reads += [self._burst() for _ in range(bursts)]

    def step(self, own: str = "") -> None:
        """`own`: channels (b, r) whose answers are the guard's."""
        get, put = self.port.get, self.port.set
        if self.up["aw"] and get("s_awready"):
            self.aw, self.up["aw"] = self.aw + 1, False
        if self.up["w"] and get("s_wready"):
            self.beat, self.up["w"] = self.beat + 1, False
            if self.beat == self.writes[self.w][2]:
                self.w, self.beat = self.w + 1, 0
        if self.ready["b"] and get("s_bvalid"):
            ident, resp = get("s_bid"), get("s_bresp")
            assert self.due[ident] > 0, "B that is not owed"
            assert resp == SLVERR or "b" not in own
            self.due[ident] -= 1
            self.responses.append(resp)
        if self.ready["r"] and get("s_rvalid"):
            ident, resp = get("s_rid"), get("s_rresp")
            assert self.open[ident], "R that is not owed"
            burst = self.open[ident][0]
            assert resp == SLVERR or "r" not in own
            assert resp == SLVERR or get("s_rdata") == data_of(burst[0], self.port.size), "data of R"
            assert resp != SLVERR or not self.port.config.get("ZeroR") or get("s_rdata") == 0
            burst[0] += self.port.size
            burst[1] -= 1
            assert get("s_rlast") == (burst[1] == 0), "RLAST"
            if burst[1] == 0:
                self.open[ident].popleft()
            self.responses.append(resp)
        if self.up["ar"] and get("s_arready"):
            ident, addr, beats = self.reads[self.ar]
            self.open[ident].append([addr, beats])
            self.ar, self.up["ar"] = self.ar + 1, False
        while self.paired < min(self.aw, self.w):
            self.due[self.writes[self.paired][0]] += 1
            self.paired += 1
        for channel, at, todo in (("aw", self.aw, self.writes), ("ar", self.ar, self.reads)):
            if not self.up[channel] and at < len(todo) and not self.pause[channel]():
                ident, addr, beats = todo[at]
                self.up[channel] = True
                put(**{f"s_{channel}id": ident, f"s_{channel}addr": addr, f"s_{channel}len": beats - 1})
        known = self.w < min(len(self.writes), self.aw + self.up["aw"] + self.early)
        if not self.up["w"] and known and not self.pause["w"]():
            self.up["w"] = True
            ident, addr, beats = self.writes[self.w]
            put(s_wdata=data_of(addr + self.beat * self.port.size, self.port.size))
            put(s_wlast=int(self.beat == beats - 1))
        put(**{f"s_{channel}valid": int(up) for channel, up in self.up.items()})
        self.ready = {channel: not self.pause[channel]() for channel in ("b", "r")}
        put(s_bready=int(self.ready["b"]), s_rready=int(self.ready["r"]))


def data_of(addr: int, size: int) -> int:
    return (addr * 0x9E3779B97F4A7C15 ^ addr >> 3) & ((1 << (8 * size)) - 1)


class Memory:
    """Slave that answers IDs in any order, R interleaved. While `dead` it takes nothing and answers nothing new."""

    def __init__(self, port: Port, rng: random.Random, share: float) -> None:
        self.port, self.rng, self.dead = port, rng, False
        self.hold: dict[str, Stall] = {c: stall(rng, share) for c in ("aw", "w", "ar", "b", "r")}
        self.addresses: deque[Burst] = deque()
        self.lasts: deque[list[int]] = deque()
        self.data: list[int] = []
        self.due: list[int] = []
        self.open: dict[int, deque[list[int]]] = {ident: deque() for ident in range(port.ids)}
        self.ready = dict.fromkeys(("aw", "w", "ar"), False)
        self.up = {"b": False, "r": False}
        self.was = dict.fromkeys(("aw", "w", "ar"), False)  # VALID waited at the last edge

    @property
    def answered(self) -> bool:
        """Has all that was asked of it been taken?"""
        return not (self.due or any(self.open.values()) or any(self.up.values()))

    def step(self, cut: str = "") -> None:
        """`cut`: channels whose VALID may not have risen for this edge."""
        get, put = self.port.get, self.port.set
        for channel in ("aw", "w", "ar"):
            valid = bool(get(f"m_{channel}valid"))
            assert not (channel in cut.split() and valid and not self.was[channel]), (
                f"{channel.upper()}VALID rises after the cut"
            )
            self.was[channel] = valid and not self.ready[channel]
            if valid and self.ready[channel]:
                self._take(channel)
        if self.addresses and self.lasts:
            ident, addr, beats = self.addresses.popleft()
            size = self.port.size
            assert self.lasts.popleft() == [data_of(addr + n * size, size) for n in range(beats)], "data of W"
            self.due.append(ident)
        if self.up["b"] and get("m_bready"):
            self.up["b"] = False
        if self.up["r"] and get("m_rready"):
            self.up["r"] = False
        if not self.up["b"] and self.due and not self.dead and not self.hold["b"]():
            # Same ID in order: all are alike, so that any of them will do.
            put(m_bid=self.due.pop(self.rng.randrange(len(self.due))), m_bresp=OKAY)
            self.up["b"] = True
        ids = [ident for ident, queue in self.open.items() if queue]
        if not self.up["r"] and ids and not self.dead and not self.hold["r"]():
            ident = self.rng.choice(ids)
            burst = self.open[ident][0]
            put(m_rid=ident, m_rdata=data_of(burst[0], self.port.size), m_rlast=int(burst[1] == 1))
            burst[0] += self.port.size
            burst[1] -= 1
            if burst[1] == 0:
                self.open[ident].popleft()
            self.up["r"] = True
        put(m_bvalid=int(self.up["b"]), m_rvalid=int(self.up["r"]))
        self.ready = {channel: not self.dead and not self.hold[channel]() for channel in self.ready}
        put(**{f"m_{channel}ready": int(ready) for channel, ready in self.ready.items()})

    def _take(self, channel: str) -> None:
        get = self.port.get
        if channel == "w":
            self.data.append(get("m_wdata"))
            assert get("m_wstrb") == (1 << self.port.size) - 1
            if get("m_wlast"):
                self.lasts.append(self.data)
                self.data = []
            return
        burst = get(f"m_{channel}id"), get(f"m_{channel}addr"), get(f"m_{channel}len") + 1
        assert get(f"m_{channel}cache") == 3 and get(f"m_{channel}burst") == 1
        if channel == "aw":
            self.addresses.append(burst)
        else:
            self.open[burst[0]].append([burst[1], burst[2]])


@cocotb.test()
async def any_cycle(dut: Any) -> None:
    """The cut at every cycle of a random run; memory dead before it, dead from it on, answering late, or alive."""
    rng = seed("any_cycle")
    port = Port(dut)
    outstanding = 0
    registered = port.config.get("RegisterW", 0)  # a W beat taken at the last edge before the cut rises after it
    for case in range(CASES):
        await port.reset(start_clock=case == 0)
        share = rng.choice([0, 0.1, 0.4])
        engine = Engine(port, rng, rng.choice([0, 0.1, 0.4]), rng.choice([0, 0, 2]), bursts=30)
        memory = Memory(port, rng, share)
        at = 1 + case
        dies = {0: at, 1: max(0, at - rng.randrange(20)), 2: at, 3: 1 << 30}[case % 4]
        lives = {0: 1 << 30, 1: 1 << 30, 2: at + rng.randrange(5, 400), 3: 0}[case % 4]
        port.set(isolate_i=0)
        waits = {"b": True, "r": True}  # an answer of the memory waits since before the cut
        ready = dict(engine.ready)
        for cycle in range(4000):
            await port.edge
            if cycle == at + 1:
                outstanding += sum(engine.due.values()) + sum(len(q) for q in engine.open.values())
            # isolate_i is seen at edge at + 1; from then on the memory sees no new VALID. Answers are the guard's
            # from edge at + 3 on, unless one waits.
            memory.step("" if cycle < at + 2 else "aw ar" if registered and cycle == at + 2 else "aw ar w")
            engine.step("".join(channel for channel in "br" if cycle > at + 2 and not waits[channel]))
            for channel in "br":
                waits[channel] = cycle < at + 2 or (
                    waits[channel] and bool(port.get(f"s_{channel}valid")) and not ready[channel]
                )
            ready = dict(engine.ready)
            memory.dead = dies <= cycle < lives
            if cycle == at:
                port.set(isolate_i=1)
            elif cycle == at + 1:
                port.set(isolate_i=rng.randrange(2))
            if cycle == at + 100:
                engine.add(8)
            alive = cycle > lives + 100
            if cycle > at + 100 and engine.idle and (memory.answered if alive else lives == 1 << 30):
                break
        else:
            raise AssertionError(f"case {case}: {engine.__dict__}, the memory's answers taken: {memory.answered}")
        assert SLVERR in engine.responses
    assert outstanding > CASES  # the cuts hit bursts under way


@cocotb.test()
async def exact(dut: Any) -> None:
    """The last VALID that passes rises in the cycle of isolate_i; one that rises a cycle later does not pass."""
    port = Port(dut)
    for case, late in enumerate((0, 1)):
        await port.reset(start_clock=case == 0)
        port.set(isolate_i=1, s_rready=1, s_bready=1)
        if late:
            await port.edge
        port.set(isolate_i=1 - late, s_arvalid=1, s_awvalid=1, s_wvalid=1, s_wlast=1, s_araddr=0x1230, s_awaddr=0x4560)
        port.set(s_wdata=0x55)
        registered = port.config.get("RegisterW", 0)
        await ReadOnly()
        assert [port.get(f"m_{c}valid") for c in ("ar", "aw")] == [1 - late] * 2
        assert port.get("m_wvalid") == (not late and not registered)
        await port.edge  # cut: the engine's beats are taken
        await ReadOnly()
        assert late or [port.get(f"s_{c}ready") for c in ("ar", "aw", "w")] == [1, 1, 1]
        await port.edge
        port.set(s_arvalid=0, s_awvalid=0, s_wvalid=0, s_araddr=0, s_awaddr=0, s_wdata=0, s_wlast=0)
        for _ in range(8):
            await ReadOnly()
            assert [port.get(f"m_{c}valid") for c in ("ar", "aw", "w")] == [1 - late] * 3
            if not late:
                assert [port.get(f"m_{n}") for n in ("araddr", "awaddr", "wdata")] == [0x1230, 0x4560, 0x55]
            await port.edge
        port.set(m_arready=1, m_awready=1, m_wready=1, s_rready=0, s_bready=0)
        await port.edge
        await ReadOnly()
        assert [port.get(f"m_{c}valid") for c in ("ar", "aw", "w")] == [0, 0, 0]
        assert port.get("m_rready") and port.get("m_bready")
        await port.edge


@cocotb.test()
async def latency(dut: Any) -> None:
    """Every channel passes in the same cycle; W a cycle later with RegisterW."""
    port = Port(dut)
    await port.reset(start_clock=True)
    registered = port.config.get("RegisterW", 0)
    port.set(s_arvalid=1, s_awvalid=1, s_wvalid=1, s_wlast=1, m_arready=1, m_awready=1, m_wready=1)
    await ReadOnly()
    assert [port.get(n) for n in ("m_arvalid", "s_arready", "m_awvalid", "s_awready", "s_wready")] == [1] * 5
    assert port.get("m_wvalid") == (not registered)
    await port.edge
    port.set(s_arvalid=0, s_awvalid=0, s_wvalid=0)
    await ReadOnly()
    assert port.get("m_wvalid") == registered
    await port.edge
    port.set(m_bvalid=1, m_rvalid=1, m_rlast=1, s_bready=1, s_rready=1)
    await ReadOnly()
    assert [port.get(n) for n in ("s_bvalid", "m_bready", "s_rvalid", "m_rready")] == [1] * 4
    await port.edge
    port.set(m_bvalid=0, m_rvalid=0)
    await port.edge


@cocotb.test()
async def throughput(dut: Any) -> None:
    """No cycle is lost: 40 bursts each way without a stall take as many cycles as beats, and a few."""
    rng = seed("throughput")
    port = Port(dut)
    await port.reset(start_clock=True)
    engine = Engine(port, rng, 0, 0, bursts=40)
    memory = Memory(port, rng, 0)
    beats = max(sum(beats for _, _, beats in bursts) for bursts in (engine.writes, engine.reads))
    cycles = 0
    while not engine.idle:
        await port.edge
        memory.step()
        engine.step()
        cycles += 1
        assert cycles <= beats + 10, f"{cycles} cycles for {beats} beats"
    assert SLVERR not in engine.responses
