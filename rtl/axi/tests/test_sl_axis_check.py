# SPDX-License-Identifier: Apache-2.0
"""sl_axis_check: every rule fires on its violation, alone; one cycle beside it and in legal traffic nothing fires."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from scenario import Monitor

from tb import run, seed, stall
from tb.stalls import parameters

RULES = ["RESET", "DROP", "DATA", "KEEP", "LAST", "USER", "HOLES", "PARTIAL", "NULL"]
INPUTS = ["tdata", "tkeep", "tlast", "tuser", "tvalid", "tready"]
CONFIGURATIONS: list[dict[str, Any]] = [
    {"DataWidth": 32, "UserWidth": 1, "Fatal": 0},
    {"DataWidth": 64, "UserWidth": 3, "Fatal": 0, "AllowNull": 1},
    {"DataWidth": 512, "UserWidth": 1, "Fatal": 0},
]


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=lambda c: f"{c['DataWidth']}")
def test_sl_axis_check(config: dict[str, Any]) -> None:
    run("sl_axis_check", config, testcase=["rules", "legal_traffic"])


def test_fatal_stops_the_simulation() -> None:
    with pytest.raises(pytest.fail.Exception, match=r"sl_axis_check: AXI-Stream rule DATA: TDATA changed"):
        run("sl_axis_check", {"DataWidth": 64}, testcase="offend")


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"DataWidth": 12}, "DataWidth must be a multiple of 8 in 8..1024, is 12"),
        ({"UserWidth": 0}, "UserWidth must be 1..64, is 0"),
    ],
)
def test_refused(config: dict[str, Any], message: str) -> None:
    run("sl_axis_check", config, expect_build_error=message)


@cocotb.test()
async def rules(dut: Any) -> None:
    config = parameters()
    size = config["DataWidth"] // 8
    monitor = Monitor(dut, "axis", INPUTS, RULES)
    full = (1 << size) - 1
    beat = {"tvalid": 1, "tkeep": full, "tdata": 5, "tuser": 1}
    taken = {**beat, "tready": 1}
    top = 1 << (config["DataWidth"] - 1)
    null = set() if config.get("AllowNull") else {"NULL"}
    table: list[tuple[list[dict[str, int]], set[str]]] = [
        ([beat, beat, taken, {}, taken], set()),
        ([beat, {}], {"DROP"}),
        ([taken, {}], set()),
        ([beat, {**beat, "tdata": 5 | top}], {"DATA"}),
        ([taken, {**beat, "tdata": 5 | top}], set()),
        ([{**beat, "tlast": 1}, {**beat, "tlast": 1, "tkeep": full >> 1}], {"KEEP"}),
        ([{**taken, "tlast": 1}, {**beat, "tlast": 1, "tkeep": full >> 1}], set()),
        ([beat, {**taken, "tlast": 1}], {"LAST"}),
        ([beat, {**taken, "tuser": 0}], {"USER"}),
        ([{**beat, "tlast": 1, "tkeep": full & ~1}], {"HOLES"}),
        ([{**beat, "tlast": 1, "tkeep": 0b1011}], {"HOLES"}),
        ([{**beat, "tlast": 1, "tkeep": full >> (size - 1)}], set()),
        ([{**beat, "tkeep": full >> 1}], {"PARTIAL"}),
        ([{**beat, "tlast": 1, "tkeep": 0}], null),
        ([{"tkeep": 0b1010, "tdata": 1}, {"tkeep": 5, "tlast": 1}], set()),  # TVALID low: nothing counts
        ([beat, {"rst_ni": 0}, {"rst_ni": 0}], set()),  # reset may withdraw a beat
    ]
    for cycles, expected in table:
        broken = await monitor.play(cycles)
        assert broken == expected, f"{cycles}: {broken}, expected {expected}"
    # Right after reset: the first edge is too early, the second is on time.
    for early in (True, False):
        await monitor.step(rst_ni=0)
        await monitor.step(rst_ni=0)
        await monitor.step(**(beat if early else {}))
        await monitor.step(**taken)
        assert await monitor.broken() == ({"RESET"} if early else set())
    await monitor.step(rst_ni=0, **beat)  # the first edge in reset still shows the past
    await monitor.step(rst_ni=0, **beat)
    assert await monitor.broken() == {"RESET"}


@cocotb.test()
async def legal_traffic(dut: Any) -> None:
    config = parameters()
    rng = seed("legal")
    size, users = config["DataWidth"] // 8, config["UserWidth"]
    monitor = Monitor(dut, "axis", INPUTS, RULES)
    await monitor.reset()
    pause, hold = stall(rng, 0.3), stall(rng, 0.4)
    beat: dict[str, int] = {}
    beats = 0
    while beats < 1500:
        if not beat and not pause():
            last = rng.random() < 0.3
            lowest = 0 if config.get("AllowNull") else 1
            count = rng.randint(lowest, size) if last else size
            beat = {
                "tvalid": 1,
                "tdata": rng.getrandbits(8 * size),
                "tkeep": (1 << count) - 1,
                "tlast": int(last),
                "tuser": rng.getrandbits(users),
            }
        ready = not hold()
        await monitor.step(
            **(beat or {"tdata": rng.getrandbits(8 * size), "tkeep": rng.getrandbits(size)}), tready=int(ready)
        )
        if ready and beat:
            beat = {}
            beats += 1
    broken = await monitor.broken()
    assert broken == set(), broken


@cocotb.test()
async def offend(dut: Any) -> None:
    monitor = Monitor(dut, "axis", INPUTS, RULES)
    await monitor.play([{"tvalid": 1, "tkeep": 255, "tdata": 1}, {"tvalid": 1, "tkeep": 255, "tdata": 2}])
