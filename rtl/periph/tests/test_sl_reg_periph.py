# SPDX-License-Identifier: Apache-2.0
"""sl_reg_periph: every output in every cycle against a reference, under random traffic, stalls and hardware inputs."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from tb import run, seed, stall
from tb.signals import Writer, reader, reset
from tb.stalls import parameters

CONTROL, STATUS, EVENT = range(3)
OKAY, SLVERR = 0, 2
KINDS = {1: [EVENT], 5: [CONTROL, STATUS, EVENT, CONTROL, EVENT], 32: [n % 3 for n in range(32)]}
CYCLES = 1500


def reset_value(n: int) -> int:
    return (n + 1) * 0x01020304 & 0xFFFFFFFF


def configuration(count: int) -> dict[str, Any]:
    kind = sum(k << (2 * n) for n, k in enumerate(KINDS[count]))
    values = sum(reset_value(n) << (32 * n) for n in range(count))
    return {"NumRegs": count, "Kind": f"{2 * count}'h{kind:x}", "ResetValue": f"{32 * count}'h{values:x}"}


@pytest.mark.parametrize("count", KINDS)
def test_sl_reg_periph(count: int) -> None:
    run("sl_reg_periph", configuration(count), testcase=["traffic", "rate"])


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"NumRegs": 33}, "NumRegs must be 1..32, is 33"),
        ({"AddrWidth": 6}, "AddrWidth must be 7..32, is 6"),
        ({"Kind": "8'hc0"}, "Kind of register 3 is 3, must be 0, 1 or 2"),
    ],
)
def test_refused(config: dict[str, Any], message: str) -> None:
    run("sl_reg_periph", config, expect_build_error=message)


class Bench:
    """Drives every input, knows what every output has to be after the edge."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.kinds = KINDS[parameters()["NumRegs"]]
        inputs = "awaddr awprot awvalid wdata wstrb wvalid bready araddr arprot arvalid rready"
        outputs = "awready wready bresp bvalid arready rdata rresp rvalid"
        self.put = {name: Writer(getattr(dut, f"s_axil_{name}")) for name in inputs.split()}
        self.put["hw"] = Writer(dut.hw_i)
        self.get = {name: reader(getattr(dut, f"s_axil_{name}")) for name in outputs.split()}
        self.get |= {name: reader(getattr(dut, f"{name}_o")) for name in ("value", "write", "irq")}
        self.stored = [reset_value(n) if k == CONTROL else 0 for n, k in enumerate(self.kinds)]
        self.inputs = dict.fromkeys([*inputs.split(), "hw"], 0)
        self.b: int | None = None  # BRESP that is shown
        self.r: tuple[int, int] | None = None
        self.strobes = 0
        self.writes = self.reads = 0

    def value(self, n: int) -> int:
        return self.inputs["hw"] >> (32 * n) & 0xFFFFFFFF if self.kinds[n] == STATUS else self.stored[n]

    async def cycle(self, **inputs: int) -> tuple[bool, bool, bool]:
        """One cycle; answers whether AW, W and AR were taken."""
        i = self.inputs
        i |= inputs
        for name, value in i.items():
            self.put[name](value)
        await ReadOnly()
        get = self.get
        write = bool(i["awvalid"] and i["wvalid"] and (self.b is None or i["bready"]))
        read = bool(i["arvalid"] and (self.r is None or i["rready"]))
        assert get["awready"]() == get["wready"]() == write
        assert not i["arvalid"] or get["arready"]() == read
        assert get["bvalid"]() == (self.b is not None) and (self.b is None or get["bresp"]() == self.b)
        assert get["rvalid"]() == (self.r is not None)
        assert self.r is None or (get["rresp"](), get["rdata"]()) == self.r
        assert get["value"]() == sum(self.value(n) << (32 * n) for n in range(len(self.kinds)))
        assert get["write"]() == self.strobes
        assert get["irq"]() == any(self.stored[n] for n, kind in enumerate(self.kinds) if kind == EVENT)
        if read:
            at = i["araddr"] >> 2
            self.r = (OKAY, self.value(at)) if at < len(self.kinds) else (SLVERR, 0)
            self.reads += 1
        elif i["rready"]:
            self.r = None
        mask = sum(0xFF << (8 * lane) for lane in range(4) if i["wstrb"] >> lane & 1)
        at = i["awaddr"] >> 2
        self.strobes = 0
        if write and at < len(self.kinds):
            if self.kinds[at] == CONTROL:
                self.stored[at] = self.stored[at] & ~mask | i["wdata"] & mask
            elif self.kinds[at] == EVENT:
                self.stored[at] &= ~(i["wdata"] & mask)
            self.strobes = (mask != 0 and self.kinds[at] != STATUS) << at
        for n, kind in enumerate(self.kinds):
            if kind == EVENT:
                self.stored[n] |= i["hw"] >> (32 * n) & 0xFFFFFFFF
        if write:
            self.b = OKAY if at < len(self.kinds) else SLVERR
            self.writes += 1
        elif i["bready"]:
            self.b = None
        await RisingEdge(self.dut.clk_i)
        return write, write, read


@cocotb.test()
async def traffic(dut: Any) -> None:
    rng = seed("traffic")
    bench = Bench(dut)
    await reset(dut)
    share = {name: stall(rng, 0.3) for name in ("aw", "w", "ar", "b", "r")}
    up = {"aw": False, "w": False, "ar": False}
    count = len(bench.kinds)
    for _ in range(CYCLES):
        new: dict[str, int] = {}
        for channel in up:
            if not up[channel] and not share[channel]():
                up[channel] = True
                if channel == "w":
                    new |= {"wdata": rng.getrandbits(32), "wstrb": rng.choice([15, 15, rng.randrange(16)])}
                else:
                    beyond = rng.random() < 0.1
                    at = rng.randrange(count, 1024) if beyond else rng.randrange(count)
                    new[f"{channel}addr"] = 4 * at + rng.randrange(4)
            new[f"{channel}valid"] = int(up[channel])
        hw = sum(
            (rng.getrandbits(32) & rng.getrandbits(32) if rng.random() < 0.2 else 0) << (32 * n) for n in range(count)
        )
        ready = {f"{channel}ready": int(not share[channel]()) for channel in ("b", "r")}
        taken = await bench.cycle(**new, **ready, hw=hw)
        for channel, gone in zip(up, taken, strict=True):
            up[channel] = up[channel] and not gone
    assert min(bench.writes, bench.reads) > CYCLES // 5


@cocotb.test()
async def rate(dut: Any) -> None:
    """An access a cycle each way."""
    bench = Bench(dut)
    await reset(dut)
    for n in range(20):
        taken = await bench.cycle(awvalid=1, wvalid=1, arvalid=1, bready=1, rready=1, wstrb=15, wdata=n)
        assert taken == (True, True, True)
