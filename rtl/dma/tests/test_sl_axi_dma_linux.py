# SPDX-License-Identifier: Apache-2.0
"""sl_axi_dma driven register by register as Linux's mainline xilinx_dma does, in scatter-gather and
in direct register mode."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from pg021 import ALL_IRQ, CR_AT_RESET, CR_CYCLIC, CR_RS, DMACR, DMASR, LENGTH, SR_HALTED
from sg_bench import MEMORY_BYTES, SgBench
from xilinx_dma import Driver

from tb import run
from tb.axi import SLVERR
from tb.stalls import parameters

CONFIGURATIONS = [
    {"DataWidth": 64, "LenWidth": 14, "BufferBeats": 128, "AddrWidth": 40, "IncludeSg": 1},
    {"DataWidth": 64, "LenWidth": 14, "BufferBeats": 128, "IncludeSg": 1},
    {"DataWidth": 64, "LenWidth": 14, "BufferBeats": 128, "IncludeSg": 0},
]
WITH_SG = bool(parameters().get("IncludeSg"))


def name(config: dict[str, Any]) -> str:
    return "-".join(f"{k}={v}" for k, v in config.items())


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=name)
def test_sl_axi_dma_linux(config: dict[str, Any]) -> None:
    run("sl_axi_dma", config)


class Linux(SgBench):
    """Both channels with their drivers, probed and allocated."""

    async def boot(self) -> None:
        await self.begin()
        common = (self.table.memory, self.base)
        self.tx = Driver(self.mm2s, *common, 0, True, self.wide, self.len_max)
        self.rx = Driver(self.s2mm, *common, 0x4000, False, self.wide, self.len_max)
        for driver in (self.tx, self.rx):
            await driver.probe()
            assert driver.has_sg == WITH_SG
        for driver in (self.tx, self.rx):
            await driver.allocate()
            assert await driver.channel.get(DMACR) & ALL_IRQ == ALL_IRQ if WITH_SG else True

    def fill(self, pieces: list[tuple[int, int]]) -> bytes:
        data = b""
        for addr, length in pieces:
            part = self.rng.randbytes(length)
            self.memory.memory[addr : addr + length] = part
            data += part
        return data

    def read(self, pieces: list[tuple[int, int]]) -> bytes:
        return b"".join(bytes(self.memory.memory[addr : addr + length]) for addr, length in pieces)

    def pieces(self, at: int, count: int) -> list[tuple[int, int]]:
        lengths = [self.rng.randrange(1, 80) * self.size for _ in range(count)]
        return self.buffers(lengths, at, MEMORY_BYTES // 2)


@cocotb.test()
async def transfers_one_by_one(dut: Any) -> None:
    """submit, issue, callback, time and again around the descriptors' ring, both directions; each
    receive with the residue of a packet that ends early."""
    bench = Linux(dut, "one_by_one", busy=0.1)
    await bench.boot()
    for _ in range(14):
        count = bench.rng.choice((1, 2, 4)) if WITH_SG else 1
        pieces = bench.pieces(0, count)
        data = bench.fill(pieces)
        out = bench.tx.prepare(pieces)
        await bench.tx.issue_pending()
        await bench.tx.handle(lambda: out.done)  # noqa: B023
        assert out.callbacks == 1 and out.residue == 0 and not bench.tx.err
        assert bench.sink.packets.pop() == data and not bench.sink.packets

        room = bench.pieces(MEMORY_BYTES // 2, count)
        short = bench.rng.randrange(0, room[-1][1]) if WITH_SG or count == 1 else 0
        packet = bench.rng.randbytes(sum(n for _, n in room) - short)
        into = bench.rx.prepare(room)
        await bench.rx.issue_pending()
        bench.send(packet)
        await bench.rx.handle(lambda: into.done)  # noqa: B023
        assert into.callbacks == 1 and not bench.rx.err
        assert bench.read(room)[: len(packet)] == packet
        if WITH_SG:
            assert into.residue == short
        else:
            assert await bench.s2mm.get(LENGTH) == len(packet)


@cocotb.test(skip=not WITH_SG)
async def several_pending(dut: Any) -> None:
    """Several transfers issued together: one interrupt by the threshold; more submitted while they
    run start from the handler, with CURDESC rewritten while RS is set."""
    bench = Linux(dut, "several_pending", busy=0.1)
    await bench.boot()
    bench.rx.irq_delay = 2
    for _ in range(4):
        batches: list[tuple[Any, bytes]] = []
        at = 0
        for _ in range(3):
            pieces = bench.buffers([bench.rng.randrange(1, 40) * 8 for _ in range(2)], at, 0x2000)
            at += 0x2000
            batches.append((bench.tx.prepare(pieces), bench.fill(pieces)))
        await bench.tx.issue_pending()
        pieces = bench.pieces(at, 2)
        batches.append((bench.tx.prepare(pieces), bench.fill(pieces)))
        await bench.tx.issue_pending()  # the channel is busy: nothing yet
        await bench.tx.handle(lambda: all(transfer.done for transfer, _ in batches))  # noqa: B023
        assert bench.sink.packets == [data for _, data in batches]
        assert all(transfer.callbacks == 1 and not transfer.residue for transfer, _ in batches)
        bench.sink.packets.clear()

        # Three buffers wait, two packets come: told by the delay interrupt.
        waits = [bench.rx.prepare(bench.pieces(MEMORY_BYTES // 2 + 0x2000 * i, 1)) for i in range(3)]
        await bench.rx.issue_pending()
        sent = [bench.rng.randbytes(w.segments[0].control) for w in waits]
        places = [w.segments[0].buffer for w in waits]
        bench.send(sent[0])
        bench.send(sent[1])
        await bench.rx.handle(lambda: waits[1].done)  # noqa: B023
        assert not waits[2].done
        bench.send(sent[2])
        await bench.rx.handle(lambda: waits[2].done)  # noqa: B023
        for at, data in zip(places, sent, strict=True):
            assert bench.memory.memory[at : at + len(data)] == data


@cocotb.test(skip=not WITH_SG)
async def cyclic(dut: Any) -> None:
    """A cyclic receive without packets, a callback a period; terminated, and the channel used again."""
    bench = Linux(dut, "cyclic", busy=0.05)
    await bench.boot()
    period, periods = 512, 4
    for _ in range(2):
        transfer = await bench.rx.prepare_cyclic(MEMORY_BYTES // 2, period, periods)
        await bench.rx.issue_pending()
        stream = bench.rng.randbytes(period * 10)
        for turn in range(10):
            bench.send(stream[turn * period : (turn + 1) * period], last=False)
            # The driver looks at the last segment: no callback in the first round but at its end.
            await bench.rx.handle(lambda: transfer.callbacks >= turn - periods + 2, 5000)  # noqa: B023
            await bench.clocks(300)
        at = MEMORY_BYTES // 2
        for turn in range(6, 10):
            slot = at + turn % periods * period
            assert bench.memory.memory[slot : slot + period] == stream[turn * period : (turn + 1) * period]
        assert not bench.rx.err
        await bench.rx.terminate()
        assert await bench.s2mm.get(DMASR) & SR_HALTED
        assert not await bench.s2mm.get(DMACR) & (CR_CYCLIC | CR_RS)
        await bench.tx.channel.set_bits(DMACR, ALL_IRQ)  # the reset took the other channel's, too
        room = bench.pieces(MEMORY_BYTES // 2, 2)
        packet = bench.rng.randbytes(sum(n for _, n in room))
        into = bench.rx.prepare(room)
        await bench.rx.issue_pending()
        bench.send(packet)
        await bench.rx.handle(lambda: into.done)  # noqa: B023
        assert bench.read(room) == packet


@cocotb.test()
async def terminate(dut: Any) -> None:
    """terminate_all with transfers running, stalled and never begun: RS = 0 is answered with Halted,
    the reset ends, and the next transfers are right."""
    bench = Linux(dut, "terminate", busy=0.1)
    await bench.boot()
    for _ in range(5):
        pieces = bench.pieces(0, 3 if WITH_SG else 1)
        bench.fill(pieces)
        bench.tx.prepare(pieces)
        bench.rx.prepare(bench.pieces(MEMORY_BYTES // 2, 2 if WITH_SG else 1))
        await bench.tx.issue_pending()
        await bench.rx.issue_pending()
        await bench.clocks(bench.rng.randrange(100))
        await bench.tx.terminate()
        await bench.rx.terminate()
        assert not bench.tx.err and not bench.rx.err
        for channel in (bench.mm2s, bench.s2mm):
            await channel.set_bits(DMACR, ALL_IRQ)
            assert await channel.get(DMACR) & ~ALL_IRQ == CR_AT_RESET
        bench.sink.packets.clear()
        bench.sink.part.clear()
        pieces = bench.pieces(0, 1)
        data = bench.fill(pieces)
        out = bench.tx.prepare(pieces)
        await bench.tx.issue_pending()
        await bench.tx.handle(lambda: out.done)  # noqa: B023
        assert bench.sink.packets == [data]
        bench.sink.packets.clear()


@cocotb.test()
async def error_and_recovery(dut: Any) -> None:
    """An error sets the channel's err flag in the handler and nothing starts; terminate recovers."""
    bench = Linux(dut, "error", busy=0.1)
    await bench.boot()
    bench.memory.error = lambda write, addr: 0 if write else SLVERR
    pieces = bench.pieces(0, 1)
    data = bench.fill(pieces)
    bench.tx.prepare(pieces)
    await bench.tx.issue_pending()
    await bench.tx.handle(lambda: bench.tx.err)
    bench.memory.error = None
    bench.tx.prepare(pieces)
    await bench.tx.issue_pending()
    assert not await bench.mm2s.get(DMACR) & CR_RS
    await bench.tx.terminate()
    bench.sink.packets.clear()
    out = bench.tx.prepare(pieces)
    await bench.tx.issue_pending()
    await bench.tx.handle(lambda: out.done)
    assert bench.sink.packets == [data]
