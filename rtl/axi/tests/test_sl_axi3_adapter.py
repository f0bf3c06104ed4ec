# SPDX-License-Identifier: Apache-2.0
"""sl_axi3_adapter: data and IDs through random stalls, WID cycle by cycle, no added latency, refusals."""

from __future__ import annotations

import random
from collections import deque
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from tb import run, seed, stall
from tb.axi import AxiSlave, Stalls
from tb.signals import Writer, reader, reset
from tb.stalls import parameters

SOURCES = ["axi/tests/sl_axi3_adapter_pins.sv"]
CONFIGURATIONS: list[dict[str, Any]] = [
    {"DataWidth": 64, "SlvIdWidth": 1, "MstIdWidth": 6, "WriteDepth": 4},
    {"DataWidth": 32, "SlvIdWidth": 3, "MstIdWidth": 3, "WriteDepth": 2, "MaxBurst": 4},
]


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=lambda c: f"{c['DataWidth']}")
def test_sl_axi3_adapter(config: dict[str, Any]) -> None:
    run("sl_axi3_adapter_pins", config, testcase=["wid", "queue_limit", "reads"], sources=SOURCES)


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("long_write", r"u_dut: write burst of 17 beats, at most 16 fit"),
        ("long_read", r"u_dut: read burst of 17 beats, at most 16 fit"),
    ],
)
def test_long_burst_stops_the_simulation(case: str, message: str) -> None:
    with pytest.raises(pytest.fail.Exception, match=message):
        run("sl_axi3_adapter_pins", {"DataWidth": 64}, testcase=case, sources=SOURCES)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"MaxBurst": 17}, "MaxBurst must be 1..16 (AXI3), is 17"),
        ({"SlvIdWidth": 7}, "need 1 <= SlvIdWidth <= MstIdWidth <= 10, are 7 and 6"),
        ({"DataWidth": 1024}, "DataWidth must be a power of two in 32..512, is 1024"),
        ({"Axi3": 0}, "need an AXI4 s_axi and an AXI3 m_axi with its widths"),
        ({"WriteDepth": 3}, "WriteDepth must be a power of two in 2..64, is 3"),
    ],
)
def test_refused(config: dict[str, Any], message: str) -> None:
    run("sl_axi3_adapter_pins", config, expect_build_error=message, sources=SOURCES)


class Bench:
    """Every input by name; `settle` waits until the combinational outputs are there."""

    def __init__(self, dut: Any) -> None:
        config = parameters()
        self.dut = dut
        self.edge = RisingEdge(dut.clk_i)
        self.bus = config["DataWidth"] // 8
        self.depth = config.get("WriteDepth", 16)
        self.longest = config.get("MaxBurst", 16)
        self.ids = 1 << config.get("SlvIdWidth", 1)
        self._set: dict[str, Writer] = {}
        self._get: dict[str, Any] = {}
        for side, outputs in (("s", ("aw", "ar", "w")), ("m", ("b", "r"))):
            for channel in outputs:
                self.set(**{f"{side}_{channel}valid": 0})
            for channel in ("aw", "ar", "w", "b", "r"):
                if channel not in outputs:
                    self.set(**{f"{side}_{channel}ready": 0})
        for channel in ("aw", "ar"):
            self.set(**{f"s_{channel}{name}": 0 for name in ("id", "addr", "len", "lock", "prot")})
            self.set(**{f"s_{channel}size": self.bus.bit_length() - 1, f"s_{channel}burst": 1, f"s_{channel}cache": 3})
        self.set(s_wdata=0, s_wstrb=(1 << self.bus) - 1, s_wlast=0)
        self.set(m_bid=0, m_bresp=0, m_rid=0, m_rdata=0, m_rresp=0, m_rlast=0)

    def set(self, **signals: int) -> None:
        for name, value in signals.items():
            if name not in self._set:
                self._set[name] = Writer(getattr(self.dut, name.replace("_", "_axi_")))
            self._set[name](value)

    def get(self, name: str) -> int:
        if name not in self._get:
            self._get[name] = reader(getattr(self.dut, name.replace("_", "_axi_")))
        return int(self._get[name]())


def random_write(rng: random.Random, bench: Bench) -> tuple[int, int, int]:
    """ID, address, beats: within 4 KiB."""
    beats = rng.randint(1, bench.longest)
    return rng.randrange(bench.ids), rng.randrange(16) * 4096 + rng.randrange(16) * 16 * bench.bus, beats


@cocotb.test()
async def wid(dut: Any) -> None:
    """Random master (W may be offered before AW) and slave (may take W first): every output in every cycle."""
    rng = seed("wid")
    bench = Bench(dut)
    await reset(dut)
    edge = bench.edge
    for shares in (
        (0.1, 0.1, 0.6, 0.1),
        (0.5, 0.1, 0.1, 0.1),
        (0.1, 0.1, 0.1, 0.6),
        (0.3, 0.3, 0.3, 0.3),
        (0, 0, 0, 0),
    ):
        stalls = [stall(rng, share) for share in shares]
        writes = [random_write(rng, bench) for _ in range(60)]
        data = [[rng.getrandbits(8 * bench.bus) for _ in range(beats)] for _, _, beats in writes]
        entered = aw = w = beat = cycles = 0  # AWs presented and taken, W bursts done, beat of the current one
        aw_up = w_up = False
        answers: deque[int] = deque()
        b_up = False
        while min(aw, w) < len(writes) or answers or b_up:
            aw_up = aw_up or (aw < len(writes) and not stalls[0]())
            w_up = w_up or (w < len(writes) and not stalls[1]())
            aw_ready, w_ready = not stalls[2](), not stalls[3]()
            bench.set(s_awvalid=int(aw_up), s_wvalid=int(w_up), m_awready=int(aw_ready), m_wready=int(w_ready))
            if aw_up:
                ident, addr, beats = writes[aw]
                bench.set(s_awid=ident, s_awaddr=addr, s_awlen=beats - 1, s_awprot=ident & 7)
            if w_up:
                bench.set(s_wdata=data[w][beat], s_wlast=int(beat == writes[w][2] - 1))
            b_up = b_up or bool(answers)
            bench.set(m_bvalid=int(b_up), m_bid=answers[0] if b_up else 0, s_bready=1)
            await ReadOnly()
            # An AW that is not yet entered needs a place among the bursts without WLAST.
            presented = aw_up and (entered > aw or entered - w < bench.depth)
            known = w < entered + (presented and entered == aw)
            assert bench.get("m_awvalid") == presented
            assert not aw_up or bench.get("s_awready") == (aw_ready and presented)
            assert bench.get("m_wvalid") == (w_up and known), "WVALID before its AW, or late"
            assert not w_up or bench.get("s_wready") == (w_ready and known)
            if presented:
                assert bench.get("m_awid") == writes[aw][0] and bench.get("m_awaddr") == writes[aw][1]
                assert bench.get("m_awlen") == writes[aw][2] - 1 and bench.get("m_awlock") == 0
                assert bench.get("m_awcache") == 3 and bench.get("m_awprot") == writes[aw][0] & 7
            if w_up and known:
                assert bench.get("m_wid") == writes[w][0], "WID is not its AW's ID"
                assert bench.get("m_wdata") == data[w][beat] and bench.get("m_wstrb") == (1 << bench.bus) - 1
            if b_up:
                assert bench.get("s_bvalid") and bench.get("s_bid") == answers[0] and bench.get("m_bready")
            await edge
            cycles += 1
            if b_up:
                answers.popleft()
                b_up = False
            before = min(aw, w)
            entered += presented and entered == aw
            if presented and aw_ready:
                aw, aw_up = aw + 1, False
            if w_up and known and w_ready:
                beat, w_up = beat + 1, False
                if beat == writes[w][2]:
                    w, beat = w + 1, 0
            if min(aw, w) > before:
                answers.append(writes[min(aw, w) - 1][0])
        bench.set(m_bvalid=0)
        if shares == (0, 0, 0, 0):  # no cycle lost: as many as beats, one each for the last two steps of B
            assert cycles <= sum(beats for _, _, beats in writes) + 2
        await edge


@cocotb.test()
async def queue_limit(dut: Any) -> None:
    """WriteDepth AWs pass without data; the next one waits until the edge that takes a WLAST, and not longer."""
    bench = Bench(dut)
    await reset(dut)
    bench.set(m_awready=1, m_wready=1, s_awvalid=1, s_awlen=1)
    for n in range(bench.depth + 3):
        await ReadOnly()
        assert bench.get("m_awvalid") == bench.get("s_awready") == (n < bench.depth)
        await bench.edge
    bench.set(s_wvalid=1)
    for last in (0, 1):
        bench.set(s_wlast=last)
        await ReadOnly()
        assert not bench.get("m_awvalid") and bench.get("m_wvalid")
        await bench.edge
    bench.set(s_wvalid=0)
    await ReadOnly()
    assert bench.get("m_awvalid")
    await bench.edge
    bench.set(s_awvalid=0)
    await bench.edge


@cocotb.test()
async def reads(dut: Any) -> None:
    """Bursts of every length up to MaxBurst from a memory; AR, R and their READYs pass in the same cycle."""
    rng = seed("reads")
    bench = Bench(dut)
    await reset(dut)
    memory = bytearray(rng.randbytes(1 << 16))
    stalls = Stalls(ar=stall(rng, 0.3), r=stall(rng, 0.3))
    slave = AxiSlave(dut, "m_axi", memory, stalls=stalls, max_burst=bench.longest, read_latency=3)
    hold, pause = stall(rng, 0.3), stall(rng, 0.3)
    todo = [random_write(rng, bench) for _ in range(80)]
    waiting: deque[tuple[int, int, int]] = deque()
    got = bytearray()
    up, sent, done = False, 0, 0
    while done < len(todo):
        up = up or (sent < len(todo) and not pause())
        ready = not hold()
        bench.set(s_arvalid=int(up), s_rready=int(ready), s_bready=1)
        if up:
            bench.set(s_arid=todo[sent][0], s_araddr=todo[sent][1], s_arlen=todo[sent][2] - 1)
        await ReadOnly()
        for a, b in (
            ("m_arvalid", "s_arvalid"),
            ("s_arready", "m_arready"),
            ("s_rvalid", "m_rvalid"),
            ("m_rready", "s_rready"),
            ("s_rdata", "m_rdata"),
            ("s_rlast", "m_rlast"),
            ("s_rid", "m_rid"),
        ):
            assert bench.get(a) == bench.get(b), a
        await bench.edge
        if up and bench.get("s_arready"):
            waiting.append(todo[sent])
            up, sent = False, sent + 1
        if ready and bench.get("s_rvalid"):
            ident, addr, beats = waiting[0]
            assert bench.get("s_rid") == ident and bench.get("s_rresp") == 0
            got += bench.get("s_rdata").to_bytes(bench.bus, "little")
            assert bench.get("s_rlast") == (len(got) == beats * bench.bus)
            if bench.get("s_rlast"):
                assert got == memory[addr : addr + len(got)]
                got.clear()
                waiting.popleft()
                done += 1
    assert len(slave.log.reads) == len(todo)


async def _long(dut: Any, channel: str) -> None:
    bench = Bench(dut)
    await reset(dut)
    bench.set(**{f"s_{channel}valid": 1, f"s_{channel}len": 15})
    await bench.edge
    await bench.edge  # 16 beats pass
    bench.set(**{f"m_{channel}ready": 1})
    await bench.edge
    bench.set(**{f"s_{channel}len": 16})
    await bench.edge
    await bench.edge


@cocotb.test()
async def long_write(dut: Any) -> None:
    await _long(dut, "aw")


@cocotb.test()
async def long_read(dut: Any) -> None:
    await _long(dut, "ar")
