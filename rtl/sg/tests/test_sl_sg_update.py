# SPDX-License-Identifier: Apache-2.0
"""sl_sg_update: every status word lands where it belongs, completions come in order with their
response; halt at any cycle."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from tb import run, seed, stall
from tb.axi import DECERR, OKAY, SLVERR, AxiSlave, Stalls
from tb.signals import Writer, reader, reset

TABLE = 1 << 12


def test_sl_sg_update() -> None:
    run("sl_sg_update", {"TagWidth": 6, "Depth": 4})


@pytest.mark.parametrize("config", [{"AddrWidth": 65}, {"Depth": 1}])
def test_refused(config: dict[str, Any]) -> None:
    run("sl_sg_update", config, expect_build_error="must be")


class Bench:
    def __init__(self, dut: Any, label: str) -> None:
        self.dut, self.rng, self.edge = dut, seed(label), RisingEdge(dut.clk_i)
        self.table = AxiSlave(dut, "m_axi", TABLE, max_burst=1)
        self.put = {
            n: Writer(getattr(dut, f"{n}_i")) for n in ("halt", "upd_valid", "upd_addr", "upd_status", "upd_tag")
        }
        self.ready, self.idle = reader(dut.upd_ready_o), reader(dut.idle_o)
        self.done, self.error, self.tag = (reader(getattr(dut, f"done_{n}_o")) for n in ("valid", "error", "tag"))
        self.ends: list[tuple[int, int]] = []
        cocotb.start_soon(self._watch())

    async def _watch(self) -> None:
        while True:
            await self.edge
            if self.done() and self.dut.rst_ni.value:
                self.ends.append((self.tag(), self.error()))

    def vary(self) -> None:
        share = self.rng.choice((0.0, 0.2, 0.4))
        self.table.stalls = Stalls(*(stall(seed(f"{self.rng.random()}"), share) for _ in range(5)))
        self.table.write_latency = self.rng.choice((1, 6, 40))
        slots = {slot: self.rng.choice((SLVERR, DECERR)) for slot in self.rng.sample(range(TABLE // 64), 4)}
        self.table.error = lambda write, addr: slots.get(addr // 64, OKAY)

    async def put_all(self, work: list[tuple[int, int]]) -> int:
        """Offers (slot, status) in order, tags counting up; the number taken before halt_i."""
        for i, (slot, status) in enumerate(work):
            for key, value in (("upd_addr", slot * 64), ("upd_status", status), ("upd_tag", i), ("upd_valid", 1)):
                self.put[key](value)
            while True:
                await self.edge
                if self.ready():
                    break
            self.put["upd_valid"](0)
            for _ in range(self.rng.choice((0, 0, 3))):
                await self.edge
        return len(work)

    def work(self) -> list[tuple[int, int]]:
        return [(slot, self.rng.getrandbits(32) | 1) for slot in self.rng.sample(range(TABLE // 64), 40)]

    def word(self, slot: int) -> int:
        return int.from_bytes(self.table.memory[slot * 64 + 0x1C : slot * 64 + 0x20], "little")

    def check(self, work: list[tuple[int, int]]) -> None:
        """As many as completed are in memory, but for those refused."""
        assert self.ends == [
            (i, self.table.error(True, slot * 64)) for i, (slot, _) in enumerate(work[: len(self.ends)])
        ]  # type: ignore[misc]
        for (slot, status), (_, error) in zip(work, self.ends, strict=False):
            assert self.word(slot) == (0 if error else status)
        assert sum(self.table.written) == 4 * sum(error == OKAY for _, error in self.ends)

    def clear(self) -> None:
        self.ends.clear()
        self.table.memory[:] = self.table.written[:] = bytes(TABLE)


@cocotb.test()
async def updates(dut: Any) -> None:
    bench = Bench(dut, "updates")
    await reset(dut)
    for _ in range(20):
        bench.vary()
        bench.clear()
        work = bench.work()
        await bench.put_all(work)
        for _ in range(2000):
            if len(bench.ends) == len(work):
                break
            await bench.edge
        assert len(bench.ends) == len(work) and bench.idle()
        bench.check(work)


@cocotb.test()
async def halts(dut: Any) -> None:
    bench = Bench(dut, "halts")
    await reset(dut)
    for _ in range(40):
        bench.vary()
        bench.clear()
        work = bench.work()
        task = cocotb.start_soon(bench.put_all(work))
        for _ in range(bench.rng.randrange(1, 150)):
            await bench.edge
        task.cancel()
        bench.put["upd_valid"](0)
        bench.put["halt"](1)
        await bench.edge
        for _ in range(1000):
            await bench.edge
            if bench.idle():
                break
        await bench.edge
        await bench.edge
        assert bench.idle() and not bench.table.outstanding
        bench.check(work)
        bench.put["halt"](0)
        await bench.edge


@cocotb.test()
async def rate(dut: Any) -> None:
    """A write a cycle where memory answers at once."""
    bench = Bench(dut, "rate")
    await reset(dut)
    bench.table.write_latency = 1
    bench.put["upd_valid"](1)
    for _ in range(100):
        await bench.edge
    bench.put["upd_valid"](0)
    edges = bench.table.log.b_edges
    assert edges[-1] - edges[10] == len(edges) - 11
