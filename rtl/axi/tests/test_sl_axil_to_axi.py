# SPDX-License-Identifier: Apache-2.0
"""sl_axil_to_axi: accesses of random bytes at a memory with random stalls, checkers on both buses."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from cocotb.triggers import RisingEdge, Timer

from tb import run, seed, stall
from tb.axi import DECERR, OKAY, SLVERR, AxiSlave, Stalls
from tb.axil import AxiLite
from tb.signals import reset
from tb.stalls import parameters

SOURCES = ["axi/tests/sl_axil_to_axi_pins.sv"]
BYTES = 1 << 12
WIDTHS = [{"DataWidth": 32}, {"DataWidth": 64}, {"DataWidth": 256}]


@pytest.mark.parametrize("config", WIDTHS, ids=lambda c: f"{c['DataWidth']}")
def test_sl_axil_to_axi(config: dict[str, Any]) -> None:
    run("sl_axil_to_axi_pins", config, sources=SOURCES)


@pytest.mark.parametrize(
    ("config", "have"),
    [({"LiteDataWidth": 64}, "64 and 64"), ({"DataWidth": 16}, "32 and 16"), ({"Axi3": 1}, "32 and 64")],
)
def test_refused(config: dict[str, Any], have: str) -> None:
    message = f"need s_axil of 32 bits and m_axi an AXI4 bus of 32 or more, have {have}"
    run("sl_axil_to_axi_pins", config, expect_build_error=message, sources=SOURCES)


@cocotb.test()
async def accesses(dut: Any) -> None:
    """Words, and bytes of words, are where they belong; errors come back with the access that had them."""
    rng = seed("accesses")
    stalls = Stalls(*(stall(rng, 0.3) for _ in range(5)))
    bus = AxiLite(dut, stall(rng, 0.3))
    memory = AxiSlave(dut, "m_axi", bytearray(rng.randbytes(BYTES)), read_latency=3, write_latency=2, stalls=stalls)
    width = int(parameters()["DataWidth"]) // 8
    bad = rng.randrange(BYTES // width) * width
    memory.error = lambda _, at: SLVERR if at == bad else OKAY
    await reset(dut)
    image = bytearray(memory.memory)
    for _ in range(400):
        at = rng.randrange(BYTES + 64) & ~3
        beat = at - at % width
        expected = DECERR if at >= BYTES else SLVERR if beat == bad else OKAY
        if rng.random() < 0.5:
            strobe, data = rng.choice((0xF, rng.randrange(16))), rng.randbytes(4)
            assert await bus.write_resp(at, int.from_bytes(data, "little"), strobe) == expected
            for lane in range(4):
                if expected == OKAY and strobe >> lane & 1:
                    image[at + lane] = data[lane]
        else:
            data_read, response = await bus.read_resp(at)
            assert response == expected
            if expected == OKAY:
                assert data_read == int.from_bytes(image[at : at + 4], "little")
    assert memory.memory == image


@cocotb.test()
async def reads_and_writes_at_once(dut: Any) -> None:
    """Neither way waits for the other."""
    rng = seed("at_once")
    stalls = Stalls(*(stall(rng, 0.3) for _ in range(5)))
    bus = AxiLite(dut, stall(rng, 0.2))
    memory = AxiSlave(dut, "m_axi", bytearray(rng.randbytes(BYTES)), read_latency=3, write_latency=6, stalls=stalls)
    await reset(dut)
    half = BYTES // 2
    upper = bytes(memory.memory[half:])
    data = rng.randbytes(half)

    async def write() -> None:
        for at in range(0, half, 4):
            await bus.write(at, int.from_bytes(data[at : at + 4], "little"))

    async def read() -> None:
        for at in range(0, half, 4):
            assert await bus.read(half + at) == int.from_bytes(upper[at : at + 4], "little")

    begun = memory.cycle
    writing, reading = cocotb.start_soon(write()), cocotb.start_soon(read())
    await writing
    written = memory.cycle - begun
    await reading
    assert memory.memory == data + upper
    assert memory.cycle - begun < 1.6 * written, "one after the other"


@cocotb.test()
async def an_address_waits_for_its_data(dut: Any) -> None:
    """Nothing of a write is seen until both halves are there, whichever comes first; each half is taken once."""
    memory = AxiSlave(dut, "m_axi", BYTES)
    for name in ("awvalid", "wvalid", "arvalid", "rready"):
        getattr(dut, f"s_axil_{name}").value = 0
    dut.s_axil_bready.value = 1
    await reset(dut)
    edge = RisingEdge(dut.clk_i)
    for count, first in enumerate(("aw", "w", "aw"), 1):
        second = "w" if first == "aw" else "aw"
        dut.s_axil_awaddr.value, dut.s_axil_wdata.value, dut.s_axil_wstrb.value = 4 * count, count, 0xF
        getattr(dut, f"s_axil_{first}valid").value = 1
        for _ in range(10):
            await edge
            await Timer(1, "ps")
            assert not int(dut.m_axi_awvalid.value) and not int(dut.m_axi_wvalid.value)
        getattr(dut, f"s_axil_{second}valid").value = 1
        await Timer(1, "ps")
        while not (int(dut.s_axil_awready.value) and int(dut.s_axil_wready.value)):
            await edge
            await Timer(1, "ps")
        await edge
        dut.s_axil_awvalid.value = dut.s_axil_wvalid.value = 0
        for _ in range(20):
            await edge
        assert len(memory.log.writes) == len(memory.log.b_edges) == count
        assert int.from_bytes(memory.memory[4 * count : 4 * count + 4], "little") == count
