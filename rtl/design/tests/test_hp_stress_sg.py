# SPDX-License-Identifier: Apache-2.0
"""hp_stress with scatter-gather: what its lanes have beyond, and capture's tests of a capability block on lane 0."""

from __future__ import annotations

import sys
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles

from tb import REPO, run
from tb.axi import DECERR, OKAY
from tb.axil import AxiLite
from tb.signals import reset
from tb.stalls import parameters

sys.path[:0] = [str(REPO / "regs" / "gen" / "python")]

from lane import design
from sluice_regs import hp_stress as top
from sluice_regs import sl_capability as cap
from sluice_regs import sl_stream_source as source_regs

CONFIGURATION = {"NumPorts": 2, "LenWidth": 16, "BufferBeats": 128, "FifoBeats": 64, "IncludeSg": 1}
TESTS = ["capability_blocks", "drops_of_a_lane_are_its_own", "no_beat_is_lost", "losses_are_counted_and_placed"]


def test_hp_stress_sg() -> None:
    run("sl_hp_ports", design("hp_stress", CONFIGURATION), ["test_hp_stress_sg", "test_capture"], testcase=TESTS)


@cocotb.test()
async def capability_blocks(dut: Any) -> None:
    """Each lane has one, with one channel, behind the blocks that it has without scatter-gather; nothing follows."""
    bus = AxiLite(dut)
    await reset(dut)
    blocks = (
        top.HP_DMA_OFFSET,
        top.HP_SOURCE_OFFSET,
        top.HP_SINK_OFFSET,
        top.HP_CONTROL_OFFSET,
        top.HP_CAPABILITY_OFFSET,
    )
    for port in range(4):
        for block in range(16):
            there = port < parameters()["NumPorts"] and block << 12 in blocks
            at = port << 16 | block << 12
            assert (await bus.read_resp(at))[1] == (OKAY if there else DECERR), f"{at:#x}"
    for port in range(parameters()["NumPorts"]):
        features = await bus.read(top.hp_capability(port) + cap.FEATURES_OFFSET)
        assert features & cap.FEATURES_SG_MASK and features & cap.FEATURES_CYCLIC_MASK
        channels = (features & cap.FEATURES_CHANNELS_MASK) // (cap.FEATURES_CHANNELS_MASK & -cap.FEATURES_CHANNELS_MASK)
        assert channels == 1


@cocotb.test()
async def drops_of_a_lane_are_its_own(dut: Any) -> None:
    """A source that does not wait in front of an engine that is halted: its lane counts, the other one does not; the
    block keeps what the source forgets."""
    bus = AxiLite(dut)
    await reset(dut)
    source = top.hp_source(1)
    await bus.write(source + source_regs.PACKET_BEATS_OFFSET, 16)
    mode = source_regs.CONTROL_ENABLE_MASK | source_regs.CONTROL_CONTINUOUS_MASK | source_regs.CONTROL_FREE_RUN_MASK
    await bus.write(source + source_regs.CONTROL_OFFSET, mode)
    await ClockCycles(dut.clk_i, 300)
    await bus.write(source + source_regs.CONTROL_OFFSET, source_regs.CONTROL_FREE_RUN_MASK)
    await ClockCycles(dut.clk_i, 100)
    dropped = await bus.read(source + source_regs.DROP_BEATS_LO_OFFSET)
    assert dropped > 200
    await bus.write(source + source_regs.CONTROL_OFFSET, source_regs.CONTROL_CLEAR_MASK)
    await ClockCycles(dut.clk_i, 10)
    assert await bus.read(source + source_regs.DROP_BEATS_LO_OFFSET) == 0
    counted = [await bus.read(top.hp_capability(port) + cap.CHANNEL0_DROPS_LO_OFFSET) for port in range(2)]
    assert counted == [0, dropped]
