# SPDX-License-Identifier: Apache-2.0
"""dma_loopback: what it has not of hp_stress, hp_stress's tests of the loop on it, and chains of descriptors."""

from __future__ import annotations

import sys
from typing import Any

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from test_hp_stress import Bench

from tb import REPO, RTL, run
from tb.signals import reset
from tb.stalls import parameters

sys.path[:0] = [str(RTL / "dma" / "tests"), str(REPO / "regs" / "gen" / "python")]

from lane import RESET_TIMEOUT, design
from pg021 import (
    BD_BYTES,
    BD_COMPLETE,
    BD_EOF,
    BD_SOF,
    CR_CYCLIC,
    CR_THRESHOLD,
    DMACR,
    SR_ERR,
    SR_IDLE,
    SR_IOC,
    SR_SG,
    Descriptor,
    bd_status,
)
from sluice_regs import dma_loopback as top
from sluice_regs import sl_design_page as page

from tb.axi import DECERR, OKAY
from tb.axil import AxiLite

COMMON = {"LenWidth": 16, "BufferBeats": 128, "FifoBeats": 64, "ResetTimeout": RESET_TIMEOUT}
TESTS = ["pages", "loop_back", "soft_reset_empties_the_loop", "chains", "ring_without_end", "memory_falls_silent"]
CONFIGURATIONS = [
    (COMMON | {"NumPorts": 2, "DataWidth": 64}, TESTS),
    (COMMON | {"NumPorts": 1, "DataWidth": 32, "Unaligned": 1}, ["chains", "ring_without_end"]),
    (COMMON | {"NumPorts": 1, "DataWidth": 64, "IncludeSg": 0}, ["pages", "loop_back"]),
]
DESCRIPTORS = 0xC000  # of MM2S; those of S2MM follow


@pytest.mark.parametrize(("config", "tests"), CONFIGURATIONS, ids=["64", "32", "direct"])
def test_dma_loopback(config: dict[str, Any], tests: list[str]) -> None:
    run("sl_hp_ports", design("dma_loopback", config), ["test_dma_loopback", "test_hp_stress"], testcase=tests)


@cocotb.test()
async def pages(dut: Any) -> None:
    """The design page is its own; source and sink are not there."""
    bus = AxiLite(dut)
    ports = parameters()["NumPorts"]
    await reset(dut)
    assert await bus.read_resp(top.PAGE_OFFSET + page.IDENTITY_OFFSET) == (0x534C4C42, OKAY)
    for port in range(4):
        for block in range(16):
            there = port < ports and block << 12 in (top.HP_DMA_OFFSET, top.HP_CONTROL_OFFSET)
            at = port << 16 | block << 12
            assert (await bus.read_resp(at))[1] == (OKAY if there else DECERR), f"{at:#x}"
    sg = bool(parameters().get("IncludeSg", 1))
    for port in range(ports):
        assert bool(await bus.read(top.hp_dma(port) + 4) & SR_SG) == sg


@cocotb.test()
async def chains(dut: Any) -> None:
    """A chain each way on every port at once, descriptors and data through one port with stalls: small descriptors in
    runs that do not match, many to a packet; every byte and every status. Direct transfers before and after."""
    bench = Bench(dut, "chains", busy=0.15)
    await bench.begin(loopback=True)
    step = 1 if bench.config.get("Unaligned") else bench.size
    for lane in bench.lanes:
        for channel in (lane.mm2s, lane.s2mm):
            await channel.stop()
    for turn in range(2):
        plans = []
        for lane in bench.lanes:
            memory = lane.memory.memory
            memory[0x8000:0xC000] = bytes(0x4000)
            packets = [bench.rng.randbytes(bench.rng.randint(1, 40) * 24) for _ in range(4)]
            at, places = 0x1000, []
            for packet in packets:  # MM2S: pieces of a few beats
                memory[at : at + len(packet)] = packet
                cuts = sorted(bench.rng.sample(range(step, len(packet), step), min(5, (len(packet) - 1) // step)))
                for n, (start, end) in enumerate(zip([0, *cuts], [*cuts, len(packet)], strict=True)):
                    flags = (0 if n else BD_SOF) | (BD_EOF if end == len(packet) else 0)
                    places.append((at + start, end - start | flags))
                at += len(packet)
            expected, buffers, into = [], [], 0x8000
            for packet in packets:  # S2MM: buffers of one size
                for start in range(0, len(packet), 256):
                    piece = packet[start : start + 256]
                    flags = (0 if start else BD_SOF) | (BD_EOF if start + 256 >= len(packet) else 0)
                    expected.append((into, piece, flags))
                    buffers.append((into, 256))
                    into += 256
            ends = []
            for channel, table, chain in ((lane.mm2s, DESCRIPTORS, places), (lane.s2mm, DESCRIPTORS + 0x2000, buffers)):
                for n, (buffer, control) in enumerate(chain):
                    there = table + n * BD_BYTES
                    Descriptor(there, there + BD_BYTES, buffer, control).store(memory)
                ends.append(table + (len(chain) - 1) * BD_BYTES)
                await channel.run_chain(table, ends[-1], len(packets) << CR_THRESHOLD)
            plans.append((expected, places))
        await bench.wait((1 << 2 * bench.ports) - 1)
        for lane, (expected, places) in zip(bench.lanes, plans, strict=True):
            memory = lane.memory.memory
            for channel in (lane.mm2s, lane.s2mm):
                assert await channel.interrupt() & (SR_IOC | SR_ERR) == SR_IOC
                await channel.poll(4, SR_IDLE, SR_IDLE)
            for n, (_, control) in enumerate(places):
                assert bd_status(memory, DESCRIPTORS + n * BD_BYTES) == BD_COMPLETE | control & 0x3FFFFFF
            for n, (into, piece, flags) in enumerate(expected):
                assert bd_status(memory, DESCRIPTORS + 0x2000 + n * BD_BYTES) == BD_COMPLETE | flags | len(piece)
                assert memory[into : into + 256] == piece + bytes(256 - len(piece))
            for channel in (lane.mm2s, lane.s2mm):
                await channel.stop()
        if not turn:
            for lane in bench.lanes:
                lane.memory.memory[0x1000:0x1400] = payload = bench.rng.randbytes(0x400)
                for channel in (lane.mm2s, lane.s2mm):
                    await channel.put(DMACR, 0x5001)
                await lane.s2mm.start(0x8000, 2000)
                await lane.mm2s.start(0x1000, 0x400)
                for channel in (lane.mm2s, lane.s2mm):
                    assert await channel.interrupt() & (SR_IOC | SR_ERR) == SR_IOC
                    await channel.stop()
                assert lane.memory.memory[0x8000:0x8400] == payload


@cocotb.test()
async def ring_without_end(dut: Any) -> None:
    """Both channels cyclic: MM2S plays a ring of packets again and again, S2MM keeps the last ones."""
    bench = Bench(dut, "ring_without_end", busy=0.1)
    await bench.begin(loopback=True)
    lane = bench.lanes[0]
    memory = lane.memory.memory
    count, length = 4, 192
    packets = [bench.rng.randbytes(length) for _ in range(count)]
    for table, base in ((DESCRIPTORS, 0x1000), (DESCRIPTORS + 0x2000, 0x8000)):
        for n in range(count):
            there = table + n * BD_BYTES
            control = length | BD_SOF | BD_EOF
            Descriptor(there, table + (n + 1) % count * BD_BYTES, base + n * 256, control).store(memory)
    for n, packet in enumerate(packets):
        memory[0x1000 + n * 256 : 0x1000 + n * 256 + length] = packet
    channels = ((lane.s2mm, DESCRIPTORS + 0x2000), (lane.mm2s, DESCRIPTORS))
    for channel, table in channels:
        await channel.stop()
        await channel.run_chain(table, 0xFFC0, CR_CYCLIC | count << CR_THRESHOLD)
    for _ in range(5):  # rounds
        assert await lane.s2mm.interrupt() & (SR_IOC | SR_ERR) == SR_IOC
    for channel, _ in reversed(channels):
        await channel.clear_bits(DMACR, 1)
        for _ in range(200):
            await RisingEdge(dut.clk_i)
    for n, packet in enumerate(packets):
        assert memory[0x8000 + n * 256 : 0x8000 + n * 256 + length] == packet, f"packet {n}"
        assert bd_status(memory, DESCRIPTORS + 0x2000 + n * BD_BYTES) == BD_COMPLETE | BD_SOF | BD_EOF | length
