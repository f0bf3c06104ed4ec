# SPDX-License-Identifier: Apache-2.0
"""sl_sg_irq against a model of its header, cycle by cycle, and the delay to the cycle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from tb import run, seed
from tb.signals import Writer, reader, reset
from tb.stalls import parameters

INPUTS = ("enable", "threshold", "threshold_we", "delay", "event", "busy")
OUTPUTS = ("ioc", "dly", "threshold", "threshold_count", "delay_count")


@dataclass
class Model:
    """What the outputs are before the next edge."""

    tick: int
    limit: int = 1
    left: int = 1
    since: int | None = None  # cycles that the timer has run
    ioc: int = 0
    dly: int = 0
    delay_count: int = 0

    def step(self, enable: int, threshold: int, threshold_we: int, delay: int, event: int, busy: int) -> None:
        if threshold_we and threshold:
            self.limit = threshold
        if threshold_we or self.dly or not enable:
            self.left = self.limit
        self.ioc = self.dly = 0
        if event and enable:
            self.left -= 1
            if self.left == 0:
                self.ioc, self.left = 1, self.limit
        if not enable or not delay:
            self.since = None
        elif event:
            self.since = 0
        elif self.since is not None:
            self.since = 0 if busy else self.since + 1
            if self.since % self.tick == 0 and self.since // self.tick >= delay:
                self.dly, self.since = 1, None
        self.delay_count = (self.since or 0) // self.tick

    def outputs(self) -> tuple[int, ...]:
        return self.ioc, self.dly, self.limit, self.left, self.delay_count


class Bench:
    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.put = {name: Writer(getattr(dut, f"{name}_i")) for name in INPUTS}
        self.get = [reader(getattr(dut, f"{name}_o")) for name in OUTPUTS]
        self.edge = RisingEdge(dut.clk_i)

    def now(self) -> tuple[int, ...]:
        return tuple(get() for get in self.get)

    def set(self, **values: int) -> None:
        for name, value in values.items():
            self.put[name](value)


@cocotb.test()
async def random_against_model(dut: Any) -> None:
    """Every input at random, in phases: rare events with a delay that runs out, dense ones, none."""
    bench, rng = Bench(dut), seed("random")
    await reset(dut)
    model = Model(parameters()["DelayTick"])
    values = dict.fromkeys(INPUTS, 0)
    fired = {"ioc": 0, "dly": 0}
    for turn in range(60):
        rate = rng.choice((0.5 / model.tick, 0.1, 0.5, 1.0))
        busy_rate = rng.choice((0.0, 0.0, 0.5 / model.tick, 0.5))
        values["delay"] = rng.choice((0, 1, 1, 2, 7))
        for _ in range(100 + 3 * model.tick):
            values["enable"] = int(turn % 7 != 3 or rng.random() < 0.9)
            values["threshold_we"] = int(rng.random() < 0.02)
            if values["threshold_we"] or rng.random() < 0.1:
                values["threshold"] = rng.choice((0, 1, 2, 3, 5, 255))
            values["event"] = int(rng.random() < rate)
            values["busy"] = int(rng.random() < busy_rate)
            bench.set(**values)
            await bench.edge
            assert bench.now() == model.outputs()
            model.step(**values)
            fired["ioc"] += model.ioc
            fired["dly"] += model.dly
    assert min(fired.values()) > 3, f"hardly tested: {fired}"


@cocotb.test()
async def delay_to_the_cycle(dut: Any) -> None:
    """dly_o after delay * DelayTick cycles, not one sooner or later; a pulse of busy starts the time
    anew; the threshold is counted anew after it."""
    bench, tick = Bench(dut), parameters()["DelayTick"]
    await reset(dut)
    bench.set(enable=1, threshold=5, threshold_we=1, delay=3)
    await bench.edge
    bench.set(threshold_we=0)
    for wait in (0, 1, tick, 2 * tick):
        bench.set(event=1)
        await bench.edge
        bench.set(event=0)
        if wait:
            await ClockCycles(dut.clk_i, wait)
            bench.set(busy=1)
            await bench.edge
            bench.set(busy=0)
        for cycle in range(1, 3 * tick + 1):
            await bench.edge
            ioc, dly, _, left, _ = bench.now()
            assert not dly and not ioc and left == 4, f"cycle {cycle} of {3 * tick}"
        await bench.edge
        assert bench.now() == (0, 1, 5, 4, 0)
        await bench.edge
        assert bench.now() == (0, 0, 5, 5, 0), "one pulse, the threshold starts anew"
        await ClockCycles(dut.clk_i, 4 * tick)
        assert bench.now() == (0, 0, 5, 5, 0), "once for a completion"


@cocotb.test()
async def threshold_of_255(dut: Any) -> None:
    """The largest threshold, and a write of 0 that keeps it."""
    bench = Bench(dut)
    await reset(dut)
    bench.set(enable=1, threshold=255, threshold_we=1)
    await bench.edge
    bench.set(threshold=0)
    await bench.edge
    bench.set(threshold_we=0, event=1)
    for _ in range(2):
        for left in range(255, 0, -1):
            await bench.edge
            assert bench.now()[2:4] == (255, left)
            assert not bench.now()[0] or left == 255
    await bench.edge
    assert bench.now()[0] == 1


@pytest.mark.parametrize("tick", [1, 5, 125])
def test_sl_sg_irq(tick: int) -> None:
    run("sl_sg_irq", {"DelayTick": tick})


def test_refuses_tick() -> None:
    run("sl_sg_irq", {"DelayTick": 0}, expect_build_error="DelayTick must be 1..65536")
