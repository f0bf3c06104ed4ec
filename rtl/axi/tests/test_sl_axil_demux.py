# SPDX-License-Identifier: Apache-2.0
"""sl_axil_demux: every access reaches the slave of its window and nobody else, holes get DECERR, in exact cycles."""

from __future__ import annotations

import random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from tb import run, seed, stall
from tb.signals import Writer, reader, reset
from tb.stalls import NO_STALL, Stall, parameters

SOURCES = ["axi/tests/sl_axil_demux_pins.sv"]
OKAY, SLVERR, DECERR = 0, 2, 3
# Windows of the tests as (base, mask), port 0 first; unequal sizes, holes between.
WINDOWS = {1: [(0x4000, 0xC000)], 3: [(0x0000, 0xF000), (0x2000, 0xE000), (0x8000, 0xFFF0)]}


def vector(values: list[int], width: int = 16) -> str:
    number = sum(value << (width * n) for n, value in enumerate(values))
    return f"{len(values) * width}'h{number:x}"


def configuration(ports: int, data: int) -> dict[str, Any]:
    windows = WINDOWS[ports]
    return {
        "NumPorts": ports,
        "DataWidth": data,
        "Base": vector([b for b, _ in windows]),
        "Mask": vector([m for _, m in windows]),
    }


@pytest.mark.parametrize("config", [configuration(3, 32), configuration(1, 64)], ids=lambda c: f"{c['NumPorts']}")
def test_sl_axil_demux(config: dict[str, Any]) -> None:
    run("sl_axil_demux_pins", config, testcase=["traffic", "latency"], sources=SOURCES)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"Base": vector([0x1000, 0x1000])}, "windows of ports 0 and 1 overlap"),
        ({"Base": vector([0x0000, 0x1100])}, "is not aligned to Mask"),
        ({"DataWidth": 16}, "DataWidth must be 32 or 64, is 16"),
        ({"PortAddrWidth": 15}, "must have the widths of s_axil, 16 and 32, has 15 and 32"),
        ({"PortDataWidth": 64}, "must have the widths of s_axil, 16 and 32, has 16 and 64"),
    ],
)
def test_refused(config: dict[str, Any], message: str) -> None:
    run("sl_axil_demux_pins", config, expect_build_error=message, sources=SOURCES)


class Slaves:
    """All slaves on the flat vectors: a memory each, random READYs and delays, SLVERR at address % 64 == 60."""

    def __init__(self, dut: Any, rng: random.Random, share: float) -> None:
        config = parameters()
        self.dut, self.ports, self.data = dut, config["NumPorts"], config["DataWidth"]
        self.log: list[tuple[str, int, int]] = []  # kind, port, address
        self.memory: list[dict[int, int]] = [{} for _ in range(self.ports)]
        self.stall: list[dict[str, Stall]] = [
            {c: stall(rng, share) for c in ("aw", "w", "b", "ar", "r")} for _ in range(self.ports)
        ]
        cocotb.start_soon(self._run())

    async def _run(self) -> None:
        dut, edge = self.dut, RisingEdge(self.dut.clk_i)
        names = ("awaddr", "awvalid", "wdata", "wstrb", "wvalid", "bready", "araddr", "arvalid", "rready")
        get = {name: reader(getattr(dut, f"m_axil_{name}")) for name in names}
        put = {
            name: Writer(getattr(dut, f"m_axil_{name}"))
            for name in ("awready", "wready", "bvalid", "bresp", "arready", "rvalid", "rdata", "rresp")
        }
        state: list[dict[str, Any]] = [{"aw": None, "w": None, "ar": None, "b": False, "r": False} for _ in self.stall]
        ready = [{"aw": False, "w": False, "ar": False} for _ in self.stall]
        resp = {name: [0] * self.ports for name in ("b", "r", "data")}
        lanes = self.data // 8
        while True:
            await edge
            values = {name: read() for name, read in get.items()}
            for p, (s, up, hold) in enumerate(zip(state, ready, self.stall, strict=True)):
                if s["b"] and values["bready"] >> p & 1:
                    s["aw"] = s["w"] = None
                    s["b"] = False
                if s["r"] and values["rready"] >> p & 1:
                    s["ar"] = None
                    s["r"] = False
                if up["aw"] and values["awvalid"] >> p & 1:
                    s["aw"] = values["awaddr"] >> (16 * p) & 0xFFFF
                    self.log.append(("write", p, s["aw"]))
                if up["w"] and values["wvalid"] >> p & 1:
                    s["w"] = (
                        values["wdata"] >> (self.data * p) & (1 << self.data) - 1,
                        values["wstrb"] >> (lanes * p) & (1 << lanes) - 1,
                    )
                if up["ar"] and values["arvalid"] >> p & 1:
                    s["ar"] = values["araddr"] >> (16 * p) & 0xFFFF
                    self.log.append(("read", p, s["ar"]))
                if s["aw"] is not None and s["w"] is not None and not s["b"] and not hold["b"]():
                    s["b"] = True
                    resp["b"][p] = SLVERR if s["aw"] % 64 == 60 else OKAY
                    self.memory[p][s["aw"]] = merge(self.memory[p].get(s["aw"], 0), *s["w"], lanes)
                if s["ar"] is not None and not s["r"] and not hold["r"]():
                    s["r"] = True
                    resp["r"][p] = SLVERR if s["ar"] % 64 == 60 else OKAY
                    resp["data"][p] = self.memory[p].get(s["ar"], 0)
                for c in up:
                    up[c] = s[c] is None and not hold[c]()
            put["awready"](bits([up["aw"] for up in ready]))
            put["wready"](bits([up["w"] for up in ready]))
            put["arready"](bits([up["ar"] for up in ready]))
            put["bvalid"](bits([s["b"] for s in state]))
            put["rvalid"](bits([s["r"] for s in state]))
            put["bresp"](sum(v << (2 * p) for p, v in enumerate(resp["b"])))
            put["rresp"](sum(v << (2 * p) for p, v in enumerate(resp["r"])))
            # The unselected ones show rubbish.
            put["rdata"](
                sum((v if state[p]["r"] else 0x5A5A5A5A) << (self.data * p) for p, v in enumerate(resp["data"]))
            )


def bits(flags: list[bool]) -> int:
    return sum(1 << n for n, flag in enumerate(flags) if flag)


def merge(old: int, new: int, strobes: int, lanes: int) -> int:
    mask = sum(0xFF << (8 * n) for n in range(lanes) if strobes >> n & 1)
    return old & ~mask | new & mask


class Master:
    """One access at a time a direction; AW and W offered in any order."""

    def __init__(self, dut: Any) -> None:
        self.dut, self.edge = dut, RisingEdge(dut.clk_i)
        outputs = (
            "awaddr",
            "awprot",
            "awvalid",
            "wdata",
            "wstrb",
            "wvalid",
            "bready",
            "araddr",
            "arprot",
            "arvalid",
            "rready",
        )
        self.put = {name: Writer(getattr(dut, f"s_axil_{name}")) for name in outputs}
        self.get = {
            name: reader(getattr(dut, f"s_axil_{name}"))
            for name in ("awready", "wready", "bvalid", "bresp", "arready", "rvalid", "rdata", "rresp")
        }

    async def _offer(self, channel: str, delay: int) -> None:
        for _ in range(delay):
            await self.edge
        self.put[f"{channel}valid"](1)
        await self.edge
        while not self.get[f"{channel}ready"]():
            await self.edge
        self.put[f"{channel}valid"](0)

    async def _answer(self, channel: str, hold: Stall) -> None:
        while True:
            up = not hold()
            self.put[f"{channel}ready"](int(up))
            await self.edge
            if up and self.get[f"{channel}valid"]():
                self.put[f"{channel}ready"](0)
                return

    async def write(
        self, addr: int, data: int, strobes: int, delays: tuple[int, int] = (0, 0), hold: Stall = NO_STALL
    ) -> int:
        self.put["awaddr"](addr)
        self.put["wdata"](data)
        self.put["wstrb"](strobes)
        tasks = [cocotb.start_soon(self._offer("aw", delays[0])), cocotb.start_soon(self._offer("w", delays[1]))]
        await self._answer("b", hold)
        resp = self.get["bresp"]()
        assert all(task.done() for task in tasks), "B before the request was taken"
        return resp

    async def read(self, addr: int, delay: int = 0, hold: Stall = NO_STALL) -> tuple[int, int]:
        self.put["araddr"](addr)
        task = cocotb.start_soon(self._offer("ar", delay))
        await self._answer("r", hold)
        assert task.done(), "R before the request was taken"
        return self.get["rdata"](), self.get["rresp"]()


def owner(addr: int) -> int | None:
    hits = [p for p, (base, mask) in enumerate(WINDOWS[parameters()["NumPorts"]]) if addr & mask == base]
    assert len(hits) <= 1
    return hits[0] if hits else None


def some_address(rng: random.Random) -> int:
    """Any address; often just at or beside the edges of a window."""
    if rng.random() < 0.4:
        return rng.getrandbits(16) & 0xFFFC
    base, mask = rng.choice(WINDOWS[parameters()["NumPorts"]])
    return rng.choice([base, (base | ~mask & 0xFFFF) & ~3, base - 4, (base | ~mask) + 1 & ~3, base + 60]) & 0xFFFF


@cocotb.test()
async def traffic(dut: Any) -> None:
    rng = seed("traffic")
    lanes = parameters()["DataWidth"] // 8
    master, slaves = Master(dut), Slaves(dut, seed("slaves"), 0.3)
    await reset(dut)
    hold = {"b": stall(rng, 0.3), "r": stall(rng, 0.3)}
    expected: dict[int, int] = {}
    accesses: dict[str, list[tuple[str, int, int]]] = {"write": [], "read": []}
    holes = 0
    for _ in range(150):
        addr, where = some_address(rng), some_address(rng)
        data, strobes = rng.getrandbits(8 * lanes), rng.getrandbits(lanes)
        if where == addr:
            where ^= 0x40  # a read beside a write of the same word has no defined result
        task = cocotb.start_soon(master.read(where, rng.randrange(3), hold["r"]))
        resp = await master.write(addr, data, strobes, (rng.randrange(4), rng.randrange(4)), hold["b"])
        value, read_resp = await task
        port = owner(addr)
        assert resp == (DECERR if port is None else SLVERR if addr % 64 == 60 else OKAY), f"write {addr:#x}"
        if port is not None:
            accesses["write"].append(("write", port, addr))
            expected[addr] = merge(expected.get(addr, 0), data, strobes, lanes)
        holes += port is None
        port = owner(where)
        assert read_resp == (DECERR if port is None else SLVERR if where % 64 == 60 else OKAY), f"read {where:#x}"
        assert value == (expected.get(where, 0) if port is not None else 0), f"read {where:#x}"
        if port is not None:
            accesses["read"].append(("read", port, where))
    for kind, wanted in accesses.items():
        assert [entry for entry in slaves.log if entry[0] == kind] == wanted
    assert holes > 10
    for addr, value in expected.items():
        assert (await master.read(addr))[0] == value


@cocotb.test()
async def latency(dut: Any) -> None:
    """The slave sees a request one cycle after it was taken; DECERR comes one cycle after the request is complete."""
    master = Master(dut)
    for name in ("awready", "wready", "arready"):
        getattr(dut, f"m_axil_{name}").value = 0
    dut.m_axil_bvalid.value = 0
    dut.m_axil_rvalid.value = 0
    await reset(dut)
    m = {name: reader(getattr(dut, f"m_axil_{name}")) for name in ("awvalid", "wvalid", "arvalid")}
    inside, hole = WINDOWS[parameters()["NumPorts"]][0][0], 0x7FFC if parameters()["NumPorts"] != 1 else 0x8000
    for name in ("awaddr", "araddr"):
        master.put[name](inside)
    for name in ("awvalid", "wvalid", "arvalid"):
        master.put[name](1)
    await master.edge  # taken
    assert master.get["awready"]() and master.get["wready"]() and master.get["arready"]()
    assert not m["awvalid"]() and not m["wvalid"]() and not m["arvalid"]()
    for name in ("awvalid", "wvalid", "arvalid"):
        master.put[name](0)
    await master.edge
    assert m["awvalid"]() == m["wvalid"]() == m["arvalid"]() == 1
    assert not master.get["awready"]() and not master.get["arready"]() and not master.get["wready"]()
    dut.rst_ni.value = 0  # in the middle of it: all forgotten
    await master.edge
    dut.rst_ni.value = 1
    for name in ("awaddr", "araddr"):
        master.put[name](hole)
    await master.edge
    assert not m["awvalid"]() and not m["wvalid"]() and not m["arvalid"]()
    master.put["awvalid"](1)
    master.put["arvalid"](1)
    await master.edge  # taken
    master.put["awvalid"](0)
    master.put["arvalid"](0)
    await master.edge
    assert master.get["rvalid"]() and master.get["rresp"]() == DECERR and not master.get["bvalid"]()
    master.put["wvalid"](1)
    master.put["rready"](1)
    await master.edge  # W taken
    assert not master.get["bvalid"]()
    master.put["wvalid"](0)
    master.put["bready"](1)
    await master.edge
    assert master.get["bvalid"]() and master.get["bresp"]() == DECERR and not master.get["rvalid"]()
    await master.edge
    assert not master.get["bvalid"]() and master.get["awready"]() and master.get["wready"]()
    assert not m["awvalid"]() and not m["wvalid"]() and not m["arvalid"]()
