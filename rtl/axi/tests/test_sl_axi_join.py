# SPDX-License-Identifier: Apache-2.0
"""sl_axi_join: two masters at once through random stalls, each finds its own; fairness, no added latency, refusals."""

from __future__ import annotations

import random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge, Timer
from cocotbext.axi import AxiBus, AxiMaster

from tb import run, seed, stall
from tb.axi import DECERR, OKAY, SLVERR, AxiSlave, Stalls
from tb.signals import reset
from tb.stalls import parameters, stall_pauses

SOURCES = ["axi/tests/sl_axi_join_pins.sv"]
CONFIGURATIONS: list[dict[str, Any]] = [
    {"DataWidth": 64, "IdWidth": 1, "WriteDepth": 16},
    {"DataWidth": 32, "IdWidth": 3, "WriteDepth": 2},
]
HALF = 1 << 14  # of the memory, for each master


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=lambda c: f"{c['DataWidth']}")
def test_sl_axi_join(config: dict[str, Any]) -> None:
    run("sl_axi_join_pins", config, sources=SOURCES)


def test_refused() -> None:
    run(
        "sl_axi_join_pins",
        {"WriteDepth": 3},
        expect_build_error="WriteDepth must be a power of two in 2..64, is 3",
        sources=SOURCES,
    )


def quiet_master(dut: Any, prefix: str, rng: random.Random, share: float) -> AxiMaster:
    """cocotbext-axi's, each of its channels pausing a `share` of the cycles."""
    made = AxiMaster(AxiBus.from_prefix(dut, prefix), dut.clk_i, dut.rst_ni, reset_active_level=False)
    for channel in (
        made.write_if.aw_channel,
        made.write_if.w_channel,
        made.write_if.b_channel,
        made.read_if.ar_channel,
        made.read_if.r_channel,
    ):
        channel.set_pause_generator(stall_pauses(rng, share))
        channel.log.setLevel("WARNING")
    made.write_if.log.setLevel("WARNING")
    made.read_if.log.setLevel("WARNING")
    return made


@cocotb.test()
async def both_at_once(dut: Any) -> None:
    """Reads and writes of both, several in flight each, every channel stalling; each byte is where its master put it,
    each answer and each error goes to who asked."""
    rng = seed("both_at_once")
    memory = AxiSlave(
        dut,
        "m_axi",
        bytearray(rng.randbytes(2 * HALF)),
        read_latency=6,
        write_latency=6,
        stalls=Stalls(*(stall(rng, 0.25) for _ in range(5))),
    )
    masters = [quiet_master(dut, f"s{n}_axi", rng, 0.25) for n in range(2)]
    await reset(dut)
    image = bytearray(memory.memory)
    bad = rng.randrange(HALF // 64) * 64  # reads of these 64 bytes fail, for master 1 alone
    memory.error = lambda write, at: SLVERR if not write and at & ~63 == HALF + bad else OKAY

    async def work(n: int, own: random.Random) -> None:
        base = n * HALF
        for _ in range(15):
            wrote, read = [], []
            for _ in range(4):  # in parts of the half that do not meet
                part = len(wrote) * (HALF // 4)
                size = own.choice((1, 4, 8, own.randint(1, 300)))
                at = part + own.randrange(HALF // 4 - size)
                data = own.randbytes(size)
                image[base + at : base + at + size] = data
                wrote.append(masters[n].init_write(base + at, data))
            for event in wrote:
                await event.wait()
                assert event.data.resp == OKAY
            for _ in range(4):
                size = own.choice((1, 4, 8, own.randint(1, 300)))
                at = own.randrange(HALF - size)
                read.append((at, size, masters[n].init_read(base + at, size)))
            for at, size, event in read:
                await event.wait()
                fails = n == 1 and at < bad + 64 and at + size > bad
                assert event.data.resp == (SLVERR if fails else OKAY)
                assert fails or event.data.data == image[base + at : base + at + size], f"master {n} at {at:#x}"

    tasks = [cocotb.start_soon(work(n, random.Random(rng.random()))) for n in range(2)]
    for task in tasks:
        await task
    assert memory.memory == image
    assert (await masters[0].read(4 * HALF, 8)).resp == DECERR


@cocotb.test()
async def turns_and_latency(dut: Any) -> None:
    """An address alone is through in its own cycle; of two that wait each second one goes; one that is shown stays."""
    valid = {n: {c: getattr(dut, f"s{n}_axi_{c}valid") for c in ("ar", "aw", "w")} for n in range(2)}
    for n in range(2):
        for channel in valid[n].values():
            channel.value = 0
        for name in ("rready", "bready"):
            getattr(dut, f"s{n}_axi_{name}").value = 0
    for name in ("arready", "awready", "wready", "rvalid", "bvalid"):
        getattr(dut, f"m_axi_{name}").value = 0
    await reset(dut)
    edge = RisingEdge(dut.clk_i)
    top = 1 << int(parameters()["IdWidth"])
    for kind in ("ar", "aw"):
        ident, shown, ready = (getattr(dut, f"m_axi_{kind}{name}") for name in ("id", "valid", "ready"))
        for n in range(2):  # alone: combinational; shown before the other one comes, it stays
            ready.value = 0
            await edge
            valid[n][kind].value = 1
            await Timer(1, "ns")
            await ReadOnly()
            assert int(shown.value) and int(ident.value) & top == n * top
            await edge
            valid[1 - n][kind].value = 1
            for _ in range(3):
                await edge
                assert int(shown.value) and int(ident.value) & top == n * top, "it was shown first"
            ready.value = 1
            await edge
            valid[n][kind].value = 0
            await edge
            valid[1 - n][kind].value = 0
            ready.value = 0
            if kind == "aw":  # the data of both bursts, one beat each, in the order of the addresses
                for m in range(2):
                    valid[m]["w"].value = 1
                    getattr(dut, f"s{m}_axi_wlast").value = 1
                dut.m_axi_wready.value = 1
                for m in (n, 1 - n):
                    await ReadOnly()
                    assert int(getattr(dut, f"s{m}_axi_wready").value)
                    assert not int(getattr(dut, f"s{1 - m}_axi_wready").value)
                    await edge
                    valid[m]["w"].value = 0
                dut.m_axi_wready.value = 0
        await edge
    served = []
    dut.m_axi_arready.value = 1
    valid[0]["ar"].value = valid[1]["ar"].value = 1
    for _ in range(8):
        await edge
        served.append(int(dut.m_axi_arid.value) // top)
    assert served in ([0, 1] * 4, [1, 0] * 4), served
