# SPDX-License-Identifier: Apache-2.0
"""Registers and probes of sl_msgdma, in every variant."""

from __future__ import annotations

from typing import Any

import cocotb
from msgdma import (
    CONFIG_1,
    CONFIG_2,
    CONTROL,
    CT_IRQ_EN,
    CT_ON_EARLY,
    CT_ON_ERROR,
    CT_RESET,
    CT_STOP,
    CT_STOP_DESC,
    FILL_LEVEL,
    GEN_EOP,
    RESP_FILL_LEVEL,
    SEQ_NUM,
    ST_AT_RESET,
    ST_STOPPED,
    STATUS,
)
from msgdma_bench import Bench

from tb.signals import reader


@cocotb.test()
async def register_values(dut: Any) -> None:
    """Reset values, constants, which bits are written, words of the descriptor by byte."""
    bench = Bench(dut, "register_values", busy=0.2)
    await bench.begin()
    csr, desc, resp = bench.dma.csr, bench.dma.desc, bench.dma.resp
    await bench.at_reset()
    for addr in (STATUS, FILL_LEVEL, RESP_FILL_LEVEL, SEQ_NUM, CONFIG_1, CONFIG_2, 0x1C):
        before = await csr.read(addr)
        await csr.write(addr, 0xFFFFFFFF)
        assert await csr.read(addr) == before, f"register {addr:#x}"
    one, two = await csr.read(CONFIG_1), await csr.read(CONFIG_2)
    assert 8 << (one >> 10 & 7) == 8 * bench.size and 8 << (one >> 13 & 7) == bench.depth
    assert one >> 16 & 3 == bench.mode and one >> 18 & 1 == bench.extended
    assert one & 7 == 3 and one >> 19 & 0xF == 9 and one >> 27 == bench.len_width - 10
    assert 16 << (one >> 6 & 15) == bench.p.get("BufferBeats", 512) and 2 << (one >> 23 & 15) == bench.memory.max_burst
    response = 0 if bench.p.get("IncludeResponse", 1) else 2
    assert two == (bench.packets << 16) | (response << 19) | ((2 if bench.unaligned else 1) << 21)
    keep = CT_STOP | CT_ON_ERROR | CT_ON_EARLY | CT_IRQ_EN | CT_STOP_DESC
    await csr.write(CONTROL, 0xFFFFFFFF & ~CT_RESET)
    assert await csr.read(CONTROL) == keep
    assert await csr.read(STATUS) == ST_AT_RESET | ST_STOPPED
    await csr.write(CONTROL, 0)
    words = 8 if bench.extended else 4
    for n in range(8):
        value = bench.rng.getrandbits(31)
        for lane in range(4):
            await desc.write(4 * n, value, strobe=1 << lane)
        assert await desc.read(4 * n) == (value if n < words else 0)
    for addr in (0, 4):
        assert await resp.read(addr) == 0
        await resp.write(addr, 1)
    await bench.at_reset()
    assert not bench.memory.log.reads and not bench.memory.log.writes


@cocotb.test()
async def probes(dut: Any) -> None:
    """A pulse of done_o for each response, with its bytes; at most one cause of a stall at a time,
    and none from a mover that is not there."""
    bench = Bench(dut, "probes", busy=0.3)
    await bench.begin()
    bench.fresh()
    done, count = reader(dut.done_o), reader(dut.done_bytes_o)
    stalls = [reader(dut.rd_stall_o), reader(dut.wr_stall_o)]
    found: list[tuple[int, int]] = []
    seen = [0, 0]

    async def watch() -> None:
        while True:
            await bench.dma.edge
            if done():
                found.append((count(), 0))
            for n, get in enumerate(stalls):
                cause = get()
                assert cause & (cause - 1) == 0
                seen[n] |= cause

    task = cocotb.start_soon(watch())
    ds = [bench.descriptor(bench.size * bench.rng.randint(1, 60), GEN_EOP) for _ in range(6)]
    for d in ds:
        if bench.mode == 2:
            bench.source.send(bench.rng.randbytes(d.length))
        await bench.dma.write(d)
    await bench.dma.idle()
    assert await bench.dma.responses() == found == [(d.length, 0) for d in ds]
    assert [bool(s) for s in seen] == [bench.mode != 2, bench.mode != 1]
    task.cancel()
