# SPDX-License-Identifier: Apache-2.0
"""sl_axi_check: every rule fires on its violation, alone; one step beside it and in legal traffic nothing fires."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from scenario import Monitor
from traffic import FIXED, INCR, WRAP, Burst, Traffic, random_burst

from tb import run, seed
from tb.stalls import parameters

RULES = [
    "RESET",
    "AW_DROP",
    "W_DROP",
    "B_DROP",
    "AR_DROP",
    "R_DROP",
    "AW_HOLD",
    "W_HOLD",
    "B_HOLD",
    "AR_HOLD",
    "R_HOLD",
    "AW_BURST",
    "AW_LEN",
    "AW_SIZE",
    "AW_BOUND",
    "AW_LOCK",
    "AW_CACHE",
    "AR_BURST",
    "AR_LEN",
    "AR_SIZE",
    "AR_BOUND",
    "AR_LOCK",
    "AR_CACHE",
    "W_EARLY",
    "W_LAST",
    "W_STRB",
    "W_ID",
    "B_EARLY",
    "B_RESP",
    "R_EARLY",
    "R_LAST",
    "R_RESP",
    "TABLE",
]
ADDRESS = ["id", "addr", "len", "size", "burst", "lock", "cache", "prot", "valid", "ready"]
INPUTS = [
    *(f"aw{s}" for s in ADDRESS),
    *(f"ar{s}" for s in ADDRESS),
    "wid",
    "wdata",
    "wstrb",
    "wlast",
    "wvalid",
    "wready",
    "bid",
    "bresp",
    "bvalid",
    "bready",
    "rid",
    "rdata",
    "rresp",
    "rlast",
    "rvalid",
    "rready",
]
CONFIGURATIONS: list[dict[str, Any]] = [
    {"Axi3": 1, "DataWidth": 64, "IdWidth": 6, "MaxOutstanding": 8, "AllowEarlyW": 0, "Fatal": 0},
    {"Axi3": 1, "DataWidth": 32, "IdWidth": 2, "MaxOutstanding": 4, "AllowEarlyW": 1, "Fatal": 0},
    {"Axi3": 0, "DataWidth": 512, "IdWidth": 1, "MaxOutstanding": 8, "AllowEarlyW": 0, "Fatal": 0, "AddrWidth": 64},
]

Cycles = list[dict[str, int]]


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=lambda c: f"axi{4 - c['Axi3']}-{c['DataWidth']}")
def test_sl_axi_check(config: dict[str, Any]) -> None:
    run("sl_axi_check", config, testcase=["shapes", "handshakes", "order", "strobes", "legal_traffic"])


def test_fatal_stops_the_simulation() -> None:
    with pytest.raises(pytest.fail.Exception, match=r"sl_axi_check: AXI rule AW_BOUND: burst crosses 4 KiB"):
        run("sl_axi_check", {"DataWidth": 64}, testcase="offend")


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"AddrWidth": 11}, "AddrWidth must be 12..64, is 11"),
        ({"DataWidth": 96}, "DataWidth must be a power of two in 8..1024, is 96"),
        ({"IdWidth": 11}, "IdWidth must be 1..10, is 11"),
        ({"MaxOutstanding": 12}, "MaxOutstanding must be a power of two in 2..256, is 12"),
    ],
)
def test_refused(config: dict[str, Any], message: str) -> None:
    run("sl_axi_check", config, expect_build_error=message)


class Bench:
    """The monitor and the usual cycles; `check` plays cycles, then one idle cycle, and compares what was broken."""

    def __init__(self, dut: Any) -> None:
        config = parameters()
        self.monitor = Monitor(dut, "axi", INPUTS, RULES)
        self.bus = config["DataWidth"] // 8
        self.axi3 = bool(config["Axi3"])
        self.early_w = bool(config["AllowEarlyW"])
        self.depth = config["MaxOutstanding"]

    def ax(self, channel: str, **changes: int) -> dict[str, int]:
        """An address that is taken: one full beat, ID 1; `changes` without the channel's name."""
        values = {
            "id": 1,
            "addr": 0x1000,
            "len": 0,
            "size": self.bus.bit_length() - 1,
            "burst": INCR,
            "cache": 3,
            "valid": 1,
            "ready": 1,
            **changes,
        }
        return {f"{channel}{name}": value for name, value in values.items()}

    def w(self, last: int = 1, **changes: int) -> dict[str, int]:
        return {"wvalid": 1, "wready": 1, "wlast": last, "wid": int(self.axi3), "wstrb": (1 << self.bus) - 1, **changes}

    def b(self, **changes: int) -> dict[str, int]:
        return {"bvalid": 1, "bready": 1, "bid": 1, **changes}

    def r(self, last: int = 1, **changes: int) -> dict[str, int]:
        return {"rvalid": 1, "rready": 1, "rlast": last, "rid": 1, **changes}

    async def check(self, cycles: Cycles, *expected: str) -> None:
        broken = await self.monitor.play([*cycles, {}])
        assert broken == set(expected), f"{cycles}: broken {broken}, expected {expected}"


@cocotb.test()
async def shapes(dut: Any) -> None:
    """What an address may ask for."""
    bench = Bench(dut)
    bus, log = bench.bus, bench.bus.bit_length() - 1
    page = min(16 if bench.axi3 else 256, 4096 // bus)  # longest burst of full beats
    top = 0x2000 - page * bus
    table: list[tuple[dict[str, int], str]] = [
        ({"burst": 3}, "BURST"),
        ({"burst": FIXED, "len": 15}, ""),
        ({"burst": WRAP, "len": 0}, "LEN"),
        ({"burst": WRAP, "len": 2}, "LEN"),
        *(({"burst": WRAP, "len": n, "addr": 0x1FC0}, "") for n in (1, 3, 7, 15)),
        ({"burst": WRAP, "len": 1, "addr": 0x1000 + bus // 2}, "BOUND"),
        ({"burst": WRAP, "len": 1, "addr": 0x1000 + bus}, ""),
        ({"size": log + 1}, "SIZE"),
        ({"size": 0, "addr": 0x1FFF}, ""),
        ({"size": 0, "addr": 0x1FFF, "len": 1}, "BOUND"),
        ({"addr": 0x2000 - bus}, ""),
        ({"addr": 0x1FFF}, ""),
        ({"addr": 0x2000 - bus, "len": 1}, "BOUND"),
        ({"addr": 0x2000 - bus, "len": 1, "burst": FIXED}, ""),
        ({"addr": top, "len": page - 1}, ""),
        ({"addr": top + bus, "len": page - 1}, "BOUND"),
        ({"addr": top + bus - 1, "len": page - 1}, ""),
        ({"lock": 1}, ""),
        ({"lock": 1, "addr": 0x1001}, "LOCK"),
        ({"lock": 1, "size": 0, "len": 2}, "LOCK"),
        ({"lock": 1, "size": 0, "len": 3}, ""),
        ({"lock": 1, "size": 0, "len": 3, "addr": 0x1002}, "LOCK"),
        ({"lock": 1, "len": min(16, 128 // bus) - 1}, ""),
        *(({"cache": c}, "" if c & 2 or not c >> 2 else "CACHE") for c in range(16)),
    ]
    if 256 // bus <= 16:
        table += [({"lock": 1, "len": 256 // bus - 1}, "LOCK")]
    if bench.axi3:
        table += [({"lock": 2}, ""), ({"lock": 3}, "LOCK")]
    else:
        table += [
            ({"burst": FIXED, "len": 16}, "LEN"),
            ({"burst": WRAP, "len": 31}, "LEN"),
            ({"size": 0, "len": 255}, ""),
            ({"lock": 1, "size": 0, "len": 31}, "LOCK"),
        ]
    for channel in ("aw", "ar"):
        for changes, rule in table:
            await bench.check([bench.ax(channel, **changes)], *([f"{channel.upper()}_{rule}"] if rule else []))
            waiting = {name: value for name, value in bench.ax(channel, **changes).items() if "valid" not in name}
            await bench.check([waiting])


@cocotb.test()
async def handshakes(dut: Any) -> None:
    """VALID stays, payload holds, nothing in reset."""
    bench = Bench(dut)
    full = (1 << bench.bus) - 1
    before: dict[str, Cycles] = {
        "w": [bench.ax("aw", len=1)],
        "b": [{**bench.ax("aw"), **bench.w()}],
        "r": [bench.ax("ar", len=1)],
    }
    after: dict[str, Cycles] = {"aw": [], "ar": [], "w": [bench.w()], "b": [], "r": [bench.r()]}
    taken = {"aw": bench.ax("aw", len=1), "ar": bench.ax("ar", len=1), "w": bench.w(0), "b": bench.b(), "r": bench.r(0)}
    address: Cycles = [
        {"id": 0},
        {"addr": 0x1000 + 2 * bench.bus},
        {"len": 0},
        {"size": 0},
        {"burst": FIXED},
        {"lock": 1},
        {"cache": 2},
        {"prot": 1},
    ]
    changes: dict[str, Cycles] = {
        "aw": address,
        "ar": address,
        "b": [{"resp": 2}],
        "r": [{"resp": 3}, {"data": 1 << (8 * bench.bus - 1)}],
        "w": [{"data": 1 << (8 * bench.bus - 1)}, {"strb": full >> 1}],
    }
    for channel, beat in taken.items():
        rule = channel.upper()
        wait = {**beat, f"{channel}ready": 0}
        start = before.get(channel, [])
        await bench.check([*start, wait, wait, beat, *after[channel]])
        await bench.check([*start, wait, {}], f"{rule}_DROP")
        for change in changes[channel]:
            other = {f"{channel}{name}": value for name, value in change.items()}
            await bench.check([*start, wait, {**beat, **other}], f"{rule}_HOLD")
        for early in (True, False):
            await bench.monitor.step(rst_ni=0)
            await bench.monitor.step(rst_ni=0)
            await bench.monitor.step(**(wait if early else {}))
            await bench.monitor.step(**wait)
            broken = await bench.monitor.broken()
            assert ("RESET" in broken) == early, f"{channel}: {broken}"
    # IDs, which must be legal themselves, and LAST, which breaks its own rule as well.
    await bench.check(
        [
            {**bench.ax("aw"), **bench.w()},
            bench.ax("aw", id=0),
            {**bench.w(wid=0), **bench.b(bready=0)},
            bench.b(bid=0),
        ],
        "B_HOLD",
    )
    await bench.check([bench.ax("ar"), bench.ax("ar", id=0), bench.r(rready=0), bench.r(rid=0)], "R_HOLD")
    await bench.check([bench.ax("ar"), bench.r(rready=0), bench.r(0)], "R_HOLD", "R_LAST")
    await bench.check([{**bench.ax("aw"), **bench.w(wready=0)}, bench.w(0)], "W_HOLD", "W_LAST")


@cocotb.test()
async def order(dut: Any) -> None:
    """What may come when, of which ID, with which LAST and response."""
    bench = Bench(dut)
    ax, w, b, r = bench.ax, bench.w, bench.b, bench.r
    aw, aw2, ar, ar2 = ax("aw"), ax("aw", len=1), ax("ar"), ax("ar", len=1)
    aw_waits = {**aw, "awready": 0}
    await bench.check([{**aw, **w()}, b()])
    await bench.check([aw, w(), b()])
    await bench.check([aw2, w(0), w(), b()])
    await bench.check([{**aw_waits, **w()}, aw, b()])
    early = [] if bench.early_w else ["W_EARLY"]
    await bench.check([w(), aw, b()], *early)
    await bench.check([aw, w(), w()], *early)
    await bench.check([w(wready=0), {**w(), **aw}, b()], *early)
    if bench.early_w:
        await bench.check([w(), aw2], "W_LAST")
        await bench.check([w(0), w(), aw2, b()])
        await bench.check([w(0), aw2, w(), b()])
        await bench.check([w(0), w(0), {**w(), **aw2}], "W_LAST")
        await bench.check([w(0), w(0), aw2, w()], "W_LAST")
        await bench.check([w(0), w(), w(), aw2, aw, b(), b()])
        await bench.check([w(0), w(), w(), aw2, aw2], "W_LAST")
        await bench.check([w(), b()], "B_EARLY")
        await bench.check([w(), aw_waits, {**aw, **b()}], "B_EARLY")
        await bench.check([w()] * bench.depth)
        await bench.check([w()] * (bench.depth + 1), "TABLE")
        if bench.axi3:
            await bench.check([w(wid=0), aw], "W_ID")
            await bench.check([w(0), w(wid=0)], "W_ID")
    await bench.check([aw2, w()], "W_LAST")
    await bench.check([aw2, w(0), w(0)], "W_LAST")
    await bench.check([aw, w(0)], "W_LAST")
    if bench.axi3:
        await bench.check([aw, w(wid=0)], "W_ID")
        await bench.check([aw2, w(0), w(wid=0)], "W_ID")
        await bench.check([aw, ax("aw", id=0), w(wid=0), w()], "W_ID")  # order of the AWs
    await bench.check([aw, ax("aw", id=0), w(), w(wid=0), b(bid=0), b()])
    # B: after AW and WLAST, not in their cycle.
    await bench.check([aw, b()], "B_EARLY")
    await bench.check([aw, {**w(), **b()}], "B_EARLY")
    await bench.check([{**aw, **w(), **b()}], "B_EARLY")
    await bench.check([aw2, w(0), b()], "B_EARLY")
    await bench.check([{**aw_waits, **w()}, {**aw, **b()}], "B_EARLY")
    await bench.check([aw, w(), b(bid=0)], "B_EARLY")
    await bench.check([aw, w(), b(), b()], "B_EARLY")
    await bench.check([aw, w(), b(), aw, {**w(), **b()}], "B_EARLY")
    await bench.check([aw, w(), {**aw, **w()}, {**aw, **w(), **b()}, b(), b()])
    await bench.check([aw, w(), b(bresp=1)], "B_RESP")
    await bench.check([ax("aw", lock=1), w(), b(bresp=1)])
    await bench.check([ax("aw", lock=1), w(), b(), aw, w(), b(bresp=1)], "B_RESP")
    await bench.check([ax("aw", lock=1), w(), {**aw, **w(), **b(bresp=1)}, b(bresp=1)], "B_RESP")
    for resp in (2, 3):
        await bench.check([aw, w(), b(bresp=resp), ar, r(rresp=resp)])
    # R: after AR, not in its cycle; per ID in order.
    await bench.check([ar, r()])
    await bench.check([{**ar, **r()}], "R_EARLY")
    await bench.check([{**ar, "arready": 0}, {**ar, **r()}], "R_EARLY")
    await bench.check([ar, r(rid=0)], "R_EARLY")
    await bench.check([ar, r(), r()], "R_EARLY")
    await bench.check([ar, {**ar, **r()}, r()])
    await bench.check([ar2, r(0), r()])
    await bench.check([ar2, r()], "R_LAST")
    await bench.check([ar2, r(0), r(0)], "R_LAST")
    await bench.check([ar, r(0)], "R_LAST")
    await bench.check([ar2, ax("ar", id=0), r(0), r(rid=0), r()])
    await bench.check([ar2, ar, r(0), r(), r()])
    await bench.check([ar2, ar, r(0), r(), r(0)], "R_LAST")
    await bench.check([ar, r(rresp=1)], "R_RESP")
    await bench.check([ax("ar", lock=1), r(rresp=1)])
    await bench.check([ax("ar", lock=1), ar, r(rresp=1), r(rresp=1)], "R_RESP")
    # As many bursts as the tables hold, and one more.
    await bench.check([aw] * bench.depth)
    await bench.check([aw] * (bench.depth + 1), "TABLE")
    await bench.check([ar] * bench.depth + [ax("ar", id=0)] * bench.depth)
    await bench.check([ar] * (bench.depth + 1), "TABLE")


@cocotb.test()
async def strobes(dut: Any) -> None:
    """Strobes against the byte addresses of IHI 0022 A3.4.1: one strobe too many in one beat of a legal burst."""
    bench = Bench(dut)
    rng = seed("strobes")
    wrong = 0
    for _ in range(60):
        burst = random_burst(rng, 2, bench.bus, bench.axi3, 16)
        lanes = [burst.lanes(beat, bench.bus) for beat in range(burst.length)]
        ident = burst.ident if bench.axi3 else 0
        beats = [bench.w(int(n == burst.length - 1), wstrb=strobe, wid=ident) for n, strobe in enumerate(lanes)]
        address = {**burst.signals("aw"), "awready": 1}
        await bench.check([{**address, **beats[0]}, *beats[1:]])
        spare = [(n, lane) for n, strobe in enumerate(lanes) for lane in range(bench.bus) if not strobe >> lane & 1]
        if spare:
            n, lane = rng.choice(spare)
            beats[n] = {**beats[n], "wstrb": lanes[n] | 1 << lane}
            await bench.check([{**address, **beats[0]}, *beats[1:]], "W_STRB")
            wrong += 1
    assert wrong > 10
    wide = Burst(1, 0x1000 + bench.bus - 1, 2, bench.bus, INCR)  # unaligned start: one lane, then all
    assert wide.lanes(0, bench.bus) == 1 << (bench.bus - 1) and wide.lanes(1, bench.bus) == (1 << bench.bus) - 1


@cocotb.test()
async def legal_traffic(dut: Any) -> None:
    """Random traffic of every kind, many IDs, as many in flight as the tables hold: silence."""
    config = parameters()
    bench = Bench(dut)
    done = early = 0
    for round_ in range(4):
        traffic = Traffic(
            seed(f"legal/{round_}"),
            id_width=config["IdWidth"],
            bus=bench.bus,
            axi3=bench.axi3,
            early_w=bench.early_w,
            in_flight=bench.depth,
            late_aw=round_ % 2 == 1,
        )
        await bench.monitor.reset()
        for _ in range(700):
            await bench.monitor.step(**traffic.cycle())
            broken = bench.monitor.now()
            assert not broken, f"round {round_}: {broken}"
        await bench.monitor.step(rst_ni=1, **{c: v for s in traffic.shown.values() for c, v in s.items()})
        assert int(dut.wr_outstanding_o.value) == traffic.write_count
        assert int(dut.rd_outstanding_o.value) == traffic.read_count
        done += traffic.retired
        early += traffic.early_bursts
    assert done > 60 and (early > 3) == bench.early_w, f"{done} writes, {early} early"


@cocotb.test()
async def offend(dut: Any) -> None:
    monitor = Monitor(dut, "axi", INPUTS, RULES)
    await monitor.play([{"awvalid": 1, "awaddr": 0xFF8, "awlen": 1, "awsize": 3, "awburst": 1, "awready": 1}])
