# SPDX-License-Identifier: Apache-2.0
"""sl_axil_check: every rule fires on its violation, alone; one cycle beside it and in legal traffic nothing fires."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from scenario import Monitor

from tb import run, seed, stall
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
    "B_EARLY",
    "R_EARLY",
    "B_RESP",
    "R_RESP",
]
INPUTS = [
    "awaddr",
    "awprot",
    "awvalid",
    "awready",
    "wdata",
    "wstrb",
    "wvalid",
    "wready",
    "bresp",
    "bvalid",
    "bready",
    "araddr",
    "arprot",
    "arvalid",
    "arready",
    "rdata",
    "rresp",
    "rvalid",
    "rready",
]


@pytest.mark.parametrize(
    "config",
    [{"AddrWidth": 12, "DataWidth": 32, "Fatal": 0}, {"AddrWidth": 40, "DataWidth": 64, "Fatal": 0}],
    ids=lambda c: f"{c['DataWidth']}",
)
def test_sl_axil_check(config: dict[str, Any]) -> None:
    run("sl_axil_check", config, testcase=["rules", "legal_traffic"])


def test_fatal_stops_the_simulation() -> None:
    with pytest.raises(pytest.fail.Exception, match=r"sl_axil_check: AXI4-Lite rule R_EARLY: RVALID before"):
        run("sl_axil_check", {"AddrWidth": 12}, testcase="offend")


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"AddrWidth": 65}, "AddrWidth must be 1..64, is 65"),
        ({"DataWidth": 128}, "DataWidth must be 32 or 64, is 128"),
    ],
)
def test_refused(config: dict[str, Any], message: str) -> None:
    run("sl_axil_check", config, expect_build_error=message)


@cocotb.test()
async def rules(dut: Any) -> None:
    monitor = Monitor(dut, "axil", INPUTS, RULES)
    data = parameters()["DataWidth"]
    channels = {
        "aw": {"awvalid": 1, "awaddr": 0x100},
        "w": {"wvalid": 1, "wdata": 7, "wstrb": 3},
        "ar": {"arvalid": 1, "araddr": 0x200},
        "b": {"bvalid": 1, "bresp": 2},
        "r": {"rvalid": 1, "rdata": 9},
    }
    aw, w, ar = ({**channels[c], f"{c}ready": 1} for c in ("aw", "w", "ar"))
    before: dict[str, list[dict[str, int]]] = {"b": [{**aw, **w}], "r": [ar]}
    changes = {
        "aw": {"awaddr": 0x900, "awprot": 4},
        "w": {"wdata": 7 | 1 << (data - 1), "wstrb": 1},
        "b": {"bresp": 0},
        "ar": {"araddr": 0x201, "arprot": 1},
        "r": {"rdata": 1, "rresp": 2},
    }
    for name, payload in channels.items():
        table: list[tuple[list[dict[str, int]], set[str]]] = [
            ([payload, {}], {f"{name.upper()}_DROP"}),
            ([payload, {**payload, f"{name}ready": 1}, {}], set()),
        ]
        for signal, value in changes[name].items():
            table += [([payload, {**payload, signal: value}], {f"{name.upper()}_HOLD"})]
        for cycles, expected in table:
            broken = await monitor.play([*before.get(name, []), *cycles])
            assert broken == expected, f"{cycles}: {broken}, expected {expected}"
        for early in (True, False):
            await monitor.step(rst_ni=0)
            await monitor.step(rst_ni=0)
            await monitor.step(**(payload if early else {}))
            broken = await monitor.broken()
            assert ("RESET" in broken) == early, f"{name}: {broken}"
    b, r = {"bvalid": 1, "bready": 1}, {"rvalid": 1, "rready": 1}
    table = [
        ([{**aw, **w}, b], set()),
        ([{**aw, **w, **b}], {"B_EARLY"}),
        ([aw, b], {"B_EARLY"}),
        ([w, b], {"B_EARLY"}),
        ([w, aw, b], set()),
        ([{**aw, **w}, b, b], {"B_EARLY"}),
        ([{**aw, **w}, {**aw, **w}, b, b], set()),
        ([ar, r], set()),
        ([{**ar, **r}], {"R_EARLY"}),
        ([{"arvalid": 1}, {"arvalid": 1, **r, "arready": 1}], {"R_EARLY"}),
        ([ar, r, r], {"R_EARLY"}),
        ([{**aw, **w}, {**b, "bresp": 1}], {"B_RESP"}),
        ([ar, {**r, "rresp": 1}], {"R_RESP"}),
        ([{**aw, **w}, {**b, "bresp": 3}, ar, {**r, "rresp": 3}], set()),
    ]
    for cycles, expected in table:
        # An idle cycle at the end: the last one shall not be played twice.
        broken = await monitor.play([*cycles, {}])
        assert broken == expected, f"{cycles}: {broken}, expected {expected}"


@cocotb.test()
async def legal_traffic(dut: Any) -> None:
    rng = seed("legal")
    data = parameters()["DataWidth"]
    monitor = Monitor(dut, "axil", INPUTS, RULES)
    await monitor.reset()
    holds = {c: stall(rng, rng.choice([0.1, 0.5])) for c in ("aw", "w", "b", "ar", "r")}
    pauses = {c: stall(rng, 0.3) for c in holds}
    shown: dict[str, dict[str, int]] = {c: {} for c in holds}
    aws = ws = 0
    reads = 0
    for _ in range(1500):
        payloads: dict[str, dict[str, int]] = {
            "aw": {"awaddr": rng.getrandbits(12), "awprot": rng.getrandbits(3)},
            "w": {"wdata": rng.getrandbits(data), "wstrb": rng.getrandbits(data // 8)},
            "ar": {"araddr": rng.getrandbits(12), "arprot": rng.getrandbits(3)},
        }
        if aws and ws:
            payloads["b"] = {"bresp": rng.choice([0, 2, 3])}
        if reads:
            payloads["r"] = {"rdata": rng.getrandbits(data), "rresp": rng.choice([0, 2, 3])}
        signals: dict[str, int] = {}
        taken = set()
        for channel, beat in shown.items():
            if not beat and not pauses[channel]() and channel in payloads:
                shown[channel] = {**payloads[channel], f"{channel}valid": 1}
            ready = not holds[channel]()
            signals |= {**shown[channel], f"{channel}ready": int(ready)}
            if ready and shown[channel]:
                taken.add(channel)
        await monitor.step(**signals)
        for channel in taken:
            shown[channel] = {}
        aws += ("aw" in taken) - ("b" in taken)
        ws += ("w" in taken) - ("b" in taken)
        reads += ("ar" in taken) - ("r" in taken)
    await monitor.step()
    assert int(dut.wr_outstanding_o.value) == aws and int(dut.rd_outstanding_o.value) == reads
    broken = monitor.now()
    assert broken == set(), broken


@cocotb.test()
async def offend(dut: Any) -> None:
    monitor = Monitor(dut, "axil", INPUTS, RULES)
    await monitor.play([{"rvalid": 1}])
