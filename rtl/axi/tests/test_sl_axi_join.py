# SPDX-License-Identifier: Apache-2.0
"""sl_axi_join: masters at once through random stalls, each finds its own; fairness, no added latency, refusals."""

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
    {"NumMasters": 2, "DataWidth": 64, "IdWidth": 1, "WriteDepth": 16},
    {"NumMasters": 3, "DataWidth": 32, "IdWidth": 3, "WriteDepth": 2},
    {"NumMasters": 4, "DataWidth": 64, "IdWidth": 1, "WriteDepth": 4},
]
MOST = 4  # masters that the bench has pins for
PART = 1 << 14  # of the memory, for each master


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=lambda c: f"{c['NumMasters']}-{c['DataWidth']}")
def test_sl_axi_join(config: dict[str, Any]) -> None:
    run("sl_axi_join_pins", config, sources=SOURCES)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"WriteDepth": 3}, "WriteDepth must be a power of two in 2..64, is 3"),
        ({"NumMasters": 1}, "NumMasters must be 2..16, is 1"),
        ({"Axi3": 1}, "all must be AXI4, s_axi of the widths of m_axi, with one width of ID"),
    ],
)
def test_refused(config: dict[str, Any], message: str) -> None:
    run("sl_axi_join_pins", config, expect_build_error=message, sources=SOURCES)


def number_of_masters() -> int:
    return int(parameters()["NumMasters"])


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
async def all_at_once(dut: Any) -> None:
    """Reads and writes of all, several in flight each, every channel stalling; each byte is where its master put it,
    each answer and each error goes to who asked."""
    rng = seed("all_at_once")
    memory = AxiSlave(
        dut,
        "m_axi",
        bytearray(rng.randbytes(number_of_masters() * PART)),
        read_latency=6,
        write_latency=6,
        stalls=Stalls(*(stall(rng, 0.25) for _ in range(5))),
    )
    masters = [quiet_master(dut, f"s{n}_axi", rng, 0.25) for n in range(number_of_masters())]
    await reset(dut)
    image = bytearray(memory.memory)
    bad = rng.randrange(PART // 64) * 64  # reads of these 64 bytes fail, for master 1 alone
    memory.error = lambda write, at: SLVERR if not write and at & ~63 == PART + bad else OKAY

    async def work(n: int, own: random.Random) -> None:
        base = n * PART
        for _ in range(15):
            wrote, read = [], []
            for _ in range(4):  # in parts of its memory that do not meet
                quarter = len(wrote) * (PART // 4)
                size = own.choice((1, 4, 8, own.randint(1, 300)))
                at = quarter + own.randrange(PART // 4 - size)
                data = own.randbytes(size)
                image[base + at : base + at + size] = data
                wrote.append(masters[n].init_write(base + at, data))
            for event in wrote:
                await event.wait()
                assert event.data.resp == OKAY
            for _ in range(4):
                size = own.choice((1, 4, 8, own.randint(1, 300)))
                at = own.randrange(PART - size)
                read.append((at, size, masters[n].init_read(base + at, size)))
            for at, size, event in read:
                await event.wait()
                fails = n == 1 and at < bad + 64 and at + size > bad
                assert event.data.resp == (SLVERR if fails else OKAY)
                assert fails or event.data.data == image[base + at : base + at + size], f"master {n} at {at:#x}"

    tasks = [cocotb.start_soon(work(n, random.Random(rng.random()))) for n in range(number_of_masters())]
    for task in tasks:
        await task
    assert memory.memory == image
    assert (await masters[0].read(MOST * PART, 8)).resp == DECERR


def silence(dut: Any) -> dict[int, dict[str, Any]]:
    """All inputs 0; VALID by master and channel."""
    valid = {n: {c: getattr(dut, f"s{n}_axi_{c}valid") for c in ("ar", "aw", "w")} for n in range(MOST)}
    for n in range(MOST):
        for channel in valid[n].values():
            channel.value = 0
        for name in ("rready", "bready"):
            getattr(dut, f"s{n}_axi_{name}").value = 0
    for name in ("arready", "awready", "wready", "rvalid", "bvalid"):
        getattr(dut, f"m_axi_{name}").value = 0
    return valid


def master(ident: Any) -> int:
    """Whose an ID at the port is."""
    return int(ident.value) >> int(parameters()["IdWidth"])


@cocotb.test()
async def latency_and_order(dut: Any) -> None:
    """An address alone is through in its own cycle; one that is shown stays; data come in the order of addresses."""
    valid, edge = silence(dut), RisingEdge(dut.clk_i)
    await reset(dut)
    for kind in ("ar", "aw"):
        ident, shown, ready = (getattr(dut, f"m_axi_{kind}{name}") for name in ("id", "valid", "ready"))
        for n in range(number_of_masters()):
            other = (n + 1) % number_of_masters()
            ready.value = 0
            await edge
            valid[n][kind].value = 1
            await Timer(1, "ns")
            await ReadOnly()
            assert int(shown.value) and master(ident) == n
            await edge
            valid[other][kind].value = 1
            for _ in range(3):
                await edge
                assert int(shown.value) and master(ident) == n, "it was shown first"
            ready.value = 1
            await edge
            valid[n][kind].value = 0
            await edge
            valid[other][kind].value = 0
            ready.value = 0
            if kind == "aw":  # the data of both bursts, one beat each
                for m in (n, other):
                    valid[m]["w"].value = 1
                    getattr(dut, f"s{m}_axi_wlast").value = 1
                dut.m_axi_wready.value = 1
                for m, later in ((n, other), (other, n)):
                    await ReadOnly()
                    assert int(getattr(dut, f"s{m}_axi_wready").value)
                    assert not int(getattr(dut, f"s{later}_axi_wready").value)
                    await edge
                    valid[m]["w"].value = 0
                dut.m_axi_wready.value = 0
        await edge


@cocotb.test()
async def turns(dut: Any) -> None:
    """Of those that all wait each has every Nth turn, and one that does not ask is passed over."""
    valid, edge = silence(dut), RisingEdge(dut.clk_i)
    await reset(dut)
    rng, count = seed("turns"), number_of_masters()
    for asking in (range(count), rng.sample(range(count), count - 1)):
        await edge
        dut.m_axi_arready.value = 1
        for n in range(count):
            valid[n]["ar"].value = int(n in asking)
        served = []
        for _ in range(4 * len(asking)):
            await edge
            served.append(master(dut.m_axi_arid))
        turn = sorted(asking)
        first = turn.index(served[0])
        assert served == (turn[first:] + turn[:first]) * 4, served
