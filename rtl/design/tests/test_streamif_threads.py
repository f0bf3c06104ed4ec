# SPDX-License-Identifier: Apache-2.0
"""streamif_threads through its control port: address map, and threads that write, read and copy at
once."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from lane import LaneStreams, pattern
from sluice_regs import sl_design_page as page
from sluice_regs import sl_stream_sink as sink_regs
from sluice_regs import sl_streamif as regs
from sluice_regs import sl_streamif_channel as chan

from tb import run, seed, stall
from tb.axi import DECERR, OKAY, AxiSlave, Stalls
from tb.axil import AxiLite
from tb.signals import reader, reset
from tb.stalls import parameters

PAGE, INTERFACE = 0x40000, 0x50000
BLOCK = 2048


def name(config: dict[str, Any]) -> str:
    return "-".join(f"{k}={v}" for k, v in config.items())


@pytest.mark.parametrize("config", [{"NumThreads": 3, "NumPorts": 2, "FifoBeats": 64}], ids=name)
def test_streamif_threads(config: dict[str, Any]) -> None:
    run("streamif_threads", config)


@pytest.mark.parametrize(
    ("config", "message"),
    [({"NumThreads": 9}, "NumThreads must be 1..8, is 9"), ({"DataWidth": 32}, "DataWidth must be 64, is 32")],
    ids=lambda x: name(x) if isinstance(x, dict) else "",
)
def test_refused(config: dict[str, Any], message: str) -> None:
    run("streamif_threads", config, expect_build_error=message)


async def command(bus: AxiLite, channel: int, addr: int, count: int) -> None:
    base = INTERFACE + 0x1000 + 0x80 * channel
    await bus.write(base + chan.QUEUE_ADDR_OFFSET, addr)
    await bus.write(base + chan.QUEUE_COMMAND_OFFSET, count | 3 << 30)


@cocotb.test()
async def address_map(dut: Any) -> None:
    """The pages of each thread, the design page, the interface; DECERR elsewhere."""
    await reset(dut)
    bus = AxiLite(dut)
    threads = int(parameters()["NumThreads"])
    assert await bus.read_resp(PAGE + page.IDENTITY_OFFSET) == (int.from_bytes(b"SLST", "big"), OKAY)
    assert await bus.read_resp(INTERFACE + regs.IDENTITY_OFFSET) == (int.from_bytes(b"SLSI", "big"), OKAY)
    there = {t << 15 | p << 12 for t in range(threads) for p in (1, 2, 3, 4)} | {PAGE, INTERFACE, INTERFACE + 0x1000}
    for at in (*(t << 15 | p << 12 for t in range(8) for p in (0, 1, 3, 4, 5)), *sorted(there), 0x52000, 0x80000):
        assert (await bus.read_resp(at))[1] == (OKAY if at in there else DECERR), f"{at:#x}"


@cocotb.test()
async def write_read_copy(dut: Any) -> None:
    """Thread 0 writes what its source sends, 1 reads into its sink, 2 copies; stalls on the ports."""
    await reset(dut)
    bus = AxiLite(dut)
    rng = seed("together")
    memory = bytearray(8 * BLOCK)
    for port in range(int(parameters()["NumPorts"])):
        AxiSlave(
            dut,
            f"m_axi_hp{port}",
            memory,
            read_latency=12,
            write_latency=9,
            max_burst=16,
            stalls=Stalls(*(stall(seed(f"{port}{n}"), 0.15) for n in range(5))),
        )
    irq = reader(dut.irq_o)
    lanes = [LaneStreams(bus, t << 15 | 0x1000, t << 15 | 0x2000, t << 15 | 0x3000) for t in range(3)]
    windows = ((0, 0, BLOCK, 2), (1, 0, 3 * BLOCK, 1), (2, 0, 4 * BLOCK, 1), (2, 1, 5 * BLOCK, 2))
    for thread, number, base, rights in windows:
        await bus.write(INTERFACE + regs.WINDOW_BASE_OFFSET, base)
        await bus.write(INTERFACE + regs.WINDOW_LIMIT_OFFSET, base + BLOCK - 1)
        await bus.write(INTERFACE + regs.WINDOW_SET_OFFSET, thread | number << 8 | rights << 16 | 1 << 31)
    await bus.write(INTERFACE + regs.IRQ_ENABLE_OFFSET, 0xFFFFFFFF)
    await bus.write(INTERFACE + regs.FAULT_IRQ_OFFSET, 1)
    memory[3 * BLOCK : 4 * BLOCK] = pattern(77, BLOCK)
    memory[4 * BLOCK : 5 * BLOCK] = rng.randbytes(BLOCK)
    await lanes[0].emit(1000, BLOCK // 4)
    await lanes[1].expect(77)
    await lanes[2].route(True)
    await command(bus, 1, BLOCK, BLOCK)
    await command(bus, 2, 3 * BLOCK, BLOCK)
    await command(bus, 5, 5 * BLOCK, BLOCK)
    await command(bus, 4, 4 * BLOCK, BLOCK)
    for _ in range(20_000):
        await RisingEdge(dut.clk_i)
        if irq() == 0b110110:
            break
    assert irq() == 0b110110
    assert memory[BLOCK : 2 * BLOCK] == pattern(1000, BLOCK)
    assert memory[5 * BLOCK : 6 * BLOCK] == memory[4 * BLOCK : 5 * BLOCK]
    assert await lanes[1].sink(sink_regs.BYTES_LO_OFFSET) == BLOCK
    assert not await lanes[1].sink(sink_regs.STATUS_OFFSET) & sink_regs.STATUS_MISMATCH_MASK
    # A thread may not read what it may only write.
    await command(bus, 0, BLOCK, 4)
    for _ in range(200):
        await RisingEdge(dut.clk_i)
    assert irq() & 1 << 16
    fault = await bus.read(INTERFACE + regs.FAULT_OFFSET)
    assert fault & 0xFFFF == 1
