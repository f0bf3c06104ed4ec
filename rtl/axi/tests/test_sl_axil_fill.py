# SPDX-License-Identifier: Apache-2.0
"""sl_axil_fill: DECERR becomes OKAY with 0; everything else passes in the same cycle."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from cocotb.triggers import RisingEdge, Timer

from tb import run, seed, stall
from tb.axi import DECERR, OKAY, SLVERR
from tb.axil import AxiLite
from tb.signals import Writer, reader, reset
from tb.stalls import parameters

SOURCES = ["axi/tests/sl_axil_fill_pins.sv"]


@pytest.mark.parametrize("config", [{"DataWidth": 32}, {"DataWidth": 64}], ids=lambda c: f"{c['DataWidth']}")
def test_sl_axil_fill(config: dict[str, Any]) -> None:
    run("sl_axil_fill_pins", config, sources=SOURCES)


def test_refused() -> None:
    message = "m_axil must have the widths of s_axil, 16 and 32, has 15 and 32"
    run("sl_axil_fill_pins", {"PortAddrWidth": 15}, expect_build_error=message, sources=SOURCES)


class Slave:
    """Answers each access, after a random while, with what is next in `answers`; keeps what it was asked."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.reads: list[int] = []
        self.writes: list[tuple[int, int, int]] = []
        self.answers: list[tuple[int, int]] = []  # response, data
        self.wait = stall(seed("slave"), 0.5)
        cocotb.start_soon(self._run())

    async def _run(self) -> None:
        dut, edge = self.dut, RisingEdge(self.dut.clk_i)
        get = {n: reader(getattr(dut, f"m_axil_{n}")) for n in ("awaddr", "wdata", "wstrb", "araddr")}
        put = {n: Writer(getattr(dut, f"m_axil_{n}")) for n in ("bresp", "bvalid", "rresp", "rvalid", "rdata")}
        ready = {n: Writer(getattr(dut, f"m_axil_{n}ready")) for n in ("aw", "w", "ar")}
        valid = {n: reader(getattr(dut, f"m_axil_{n}valid")) for n in ready}
        taking = {n: reader(getattr(dut, f"m_axil_{n}ready")) for n in ("b", "r")}
        up = dict.fromkeys(ready, False)
        have: dict[str, Any] = {}
        answering = ""
        while True:
            await edge
            if answering and taking[answering]():
                answering = ""
            for name in up:
                if up[name] and valid[name]():
                    have[name] = {
                        "aw": get["awaddr"],
                        "ar": get["araddr"],
                        "w": lambda: (get["wdata"](), get["wstrb"]()),
                    }[name]()
            put["bvalid"](int(answering == "b"))
            put["rvalid"](int(answering == "r"))
            if not answering and not self.wait():
                if "aw" in have and "w" in have:
                    answering = "b"
                    self.writes.append((have.pop("aw"), *have.pop("w")))
                elif "ar" in have:
                    answering = "r"
                    self.reads.append(have.pop("ar"))
                if answering:
                    response, data = self.answers.pop(0)
                    put[f"{answering}resp"](response)
                    put["rdata"](data)
                    put[f"{answering}valid"](1)
            for name in up:
                up[name] = name not in have and not self.wait()
                ready[name](int(up[name]))


@cocotb.test()
async def answers(dut: Any) -> None:
    """All responses, in random order; addresses, data and strobes arrive as they were sent."""
    rng = seed("answers")
    bits = int(parameters()["DataWidth"])
    bus, slave = AxiLite(dut, stall(seed("master"), 0.3)), Slave(dut)
    await reset(dut)
    for _ in range(300):
        response, data, address = rng.choice((OKAY, SLVERR, DECERR)), rng.getrandbits(bits), rng.getrandbits(16)
        slave.answers.append((response, data))
        seen = OKAY if response == DECERR else response
        if rng.random() < 0.5:
            value, strobe = rng.getrandbits(bits), rng.getrandbits(bits // 8)
            assert await bus.write_resp(address, value, strobe) == seen
            assert slave.writes.pop() == (address, value, strobe)
        else:
            assert await bus.read_resp(address) == (0 if response == DECERR else data, seen)
            assert slave.reads.pop() == address
    assert not slave.answers and not slave.reads and not slave.writes


@cocotb.test()
async def same_cycle(dut: Any) -> None:
    """Nothing is registered: each signal follows within the cycle."""
    pairs = [(f"s_axil_{n}", f"m_axil_{n}") for n in ("awaddr", "awprot", "wdata", "wstrb", "araddr", "arprot")]
    pairs += [(f"s_axil_{n}", f"m_axil_{n}") for n in ("awvalid", "wvalid", "arvalid", "bready", "rready")]
    pairs += [(f"m_axil_{n}", f"s_axil_{n}") for n in ("awready", "wready", "arready", "bvalid", "rvalid")]
    dut.rst_ni.value = 0
    rng = seed("same_cycle")
    for _ in range(50):
        for source, _ in pairs:
            getattr(dut, source).value = rng.getrandbits(len(getattr(dut, source)))
        response, data = rng.choice((OKAY, SLVERR, DECERR)), rng.getrandbits(len(dut.m_axil_rdata))
        dut.m_axil_rdata.value = data
        dut.m_axil_rresp.value = dut.m_axil_bresp.value = response
        await Timer(1, "ns")
        for source, target in pairs:
            assert getattr(dut, target).value == getattr(dut, source).value, target
        assert int(dut.s_axil_rdata.value) == (0 if response == DECERR else data)
        assert int(dut.s_axil_rresp.value) == int(dut.s_axil_bresp.value) == (OKAY if response == DECERR else response)
