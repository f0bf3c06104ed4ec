# SPDX-License-Identifier: Apache-2.0
"""sl_axi_split: one master, two memories, random stalls: each burst at the memory of its address, answers in order."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from cocotbext.axi import AxiMaster
from test_sl_axi_join import quiet_master

from tb import run, seed, stall
from tb.axi import OKAY, SLVERR, AxiSlave, Stalls
from tb.signals import reset
from tb.stalls import parameters

SOURCES = ["axi/tests/sl_axi_split_pins.sv"]
CONFIGURATIONS: list[dict[str, Any]] = [
    {"DataWidth": 64, "IdWidth": 1, "WindowBits": 12, "Base": 0x5000},
    {"DataWidth": 32, "IdWidth": 3, "WindowBits": 14, "Base": 0x80000000},
]


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=lambda c: f"{c['DataWidth']}")
def test_sl_axi_split(config: dict[str, Any]) -> None:
    run("sl_axi_split_pins", config, sources=SOURCES)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"WindowBits": 11}, "WindowBits must be 12..31, is 11"),
        ({"WindowBits": 32}, "WindowBits must be 12..31, is 32"),
        ({"WindowBits": 12, "Base": 0x1800}, "Base must be a multiple of the window's size, is 1800"),
        ({"Axi3": 1}, "the three buses must be AXI4 of equal widths, addresses of 32 bits"),
    ],
)
def test_refused(config: dict[str, Any], message: str) -> None:
    run("sl_axi_split_pins", config, expect_build_error=message, sources=SOURCES)


@cocotb.test()
async def by_address(dut: Any) -> None:
    """Bursts in both windows and on their edges, several in flight: data, errors and IDs come back as they were asked,
    and neither memory sees the other one's."""
    rng = seed("by_address")
    p = parameters()
    base, size = p["Base"], 1 << p["WindowBits"]
    low = max(base - 0x1000, 0)  # the outer memory lies around the window
    places = [(base - 0x1000, 0x1000), (base, size), (base + size, 0x1000)]

    def stalls() -> Stalls:
        return Stalls(*(stall(rng, 0.25) for _ in range(5)))

    bad = base + rng.randrange(size // 64) * 64
    outer = AxiSlave(dut, "m0_axi", size + 0x2000, base=low, read_latency=20, write_latency=3, stalls=stalls())
    inner = AxiSlave(dut, "m1_axi", size, base=base, read_latency=2, write_latency=9, stalls=stalls())
    inner.error = lambda write, at: SLVERR if not write and at & ~63 == bad else OKAY
    master: AxiMaster = quiet_master(dut, "s_axi", rng, 0.2)
    await reset(dut)
    image = bytearray(size + 0x2000)
    for _ in range(25):
        wrote, read = [], []
        taken = bytearray(len(image))
        for _ in range(5):
            at, room = rng.choice(places)
            count = rng.choice((1, 8, rng.randint(1, 300)))
            at += rng.randrange(room - count)
            if any(taken[at - low : at - low + count]):
                continue
            taken[at - low : at - low + count] = b"\1" * count
            data = rng.randbytes(count)
            image[at - low : at - low + count] = data
            wrote.append(master.init_write(at, data))
        for event in wrote:
            await event.wait()
            assert event.data.resp == OKAY
        for _ in range(6):
            at, room = rng.choice(places)
            count = rng.choice((1, 8, rng.randint(1, 300)))
            at += rng.randrange(room - count)
            read.append((at, count, master.init_read(at, count)))
        for at, count, event in read:
            await event.wait()
            fails = at < bad + 64 and at + count > bad
            assert event.data.resp == (SLVERR if fails else OKAY), f"{at:#x}"
            assert fails or event.data.data == image[at - low : at - low + count], f"{at:#x}"
    assert inner.memory == image[base - low : base - low + size]
    assert not any(outer.memory[base - low : base - low + size]), "the window's is at the other one"
    assert outer.memory[: base - low] == image[: base - low]
    assert outer.memory[base - low + size :] == image[base - low + size :]
