# SPDX-License-Identifier: Apache-2.0
"""sl_burst_split against the reference's cutting; one burst a cycle, latency 1, drop."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from reference import bursts, random_size

from tb import run, seed, stall
from tb.signals import Writer, reader, reset
from tb.stalls import NO_STALL, parameters


async def drive(
    dut: Any, commands: list[tuple[int, int]], share: float, drops: bool = False
) -> tuple[list[tuple[int, int, int]], list[tuple[int, int]], int]:
    """Runs the commands; returns bursts (address, beats, last), commands as cut short, and cycles
    from the first command taken to the last burst taken."""
    rng = seed(f"split{share}{drops}")
    pause_in = stall(rng, share) if share else NO_STALL
    pause_out = stall(rng, share) if share else NO_STALL
    valid, addr, count = (Writer(getattr(dut, f"cmd_{n}_i")) for n in ("valid", "addr", "bytes"))
    ready, drop = Writer(dut.burst_ready_i), Writer(dut.drop_i)
    cmd_ready, burst_valid = reader(dut.cmd_ready_o), reader(dut.burst_valid_o)
    payload = [reader(getattr(dut, f"burst_{n}_o")) for n in ("addr", "len", "last")]
    edge = RisingEdge(dut.clk_i)
    found: list[tuple[int, int, int]] = []
    cut: list[tuple[int, int]] = []
    queue = list(commands)
    begun = cycle = ended = 0
    offered = taking = dropping = False
    idle = 0
    while idle < 20:
        await edge
        cycle += 1
        idle = 0 if queue or burst_valid() else idle + 1
        if burst_valid() and taking:
            where, length, last = (get() for get in payload)
            found.append((where, length + 1, last))
            ended = cycle
            if dropping and not last:
                cut.append((len(found), 0))
        if offered and cmd_ready():
            begun = begun or cycle
            queue.pop(0)
            offered = False
        if queue and not offered and not pause_in():
            offered = True
            addr(queue[0][0])
            count(queue[0][1])
        taking = not pause_out()
        dropping = drops and rng.random() < 0.2
        valid(int(offered))
        ready(int(taking))
        drop(int(dropping))
    return found, cut, ended - begun


def cutting(commands: list[tuple[int, int]]) -> list[tuple[int, int, int]]:
    p = parameters()
    wanted = []
    for addr, count in commands:
        cut = bursts(addr, count, p["DataWidth"] // 8, p["MaxBurst"])
        wanted += [(a, n, int(i + 1 == len(cut))) for i, (a, n) in enumerate(cut)]
    return wanted


def random_commands(rng: Any, number: int) -> list[tuple[int, int]]:
    p = parameters()
    limit = (1 << p["LenWidth"]) - 1
    found = []
    for _ in range(number):
        count = random_size(rng, min(limit, 20000))
        addr = rng.randrange(1 << 30)
        if rng.random() < 0.3:  # ends on, or a byte beside, a 4 KiB boundary
            addr = (addr & ~4095) + 4096 * 16 - count + rng.choice((-1, 0, 1))
        found.append((addr, count))
    return found


async def start(dut: Any) -> None:
    dut.clear_i.value = 0
    await reset(dut)


@cocotb.test()
async def cuts_as_the_reference(dut: Any) -> None:
    await start(dut)
    for share in (0.3, 0.0):
        commands = random_commands(seed(f"c{share}"), 150)
        found, _, cycles = await drive(dut, commands, share)
        assert found == cutting(commands)
        if not share:  # the first burst is taken the cycle after its command, then one a cycle
            assert cycles == len(found)


@cocotb.test()
async def longest(dut: Any) -> None:
    """All ones in the byte count, from the last byte of a window on."""
    await start(dut)
    limit = min((1 << parameters()["LenWidth"]) - 1, (1 << 20) - 1)
    commands = [(4095, limit), (0, limit), (4096 - 64, 64)]
    found, _, _ = await drive(dut, commands, 0.0)
    assert found == cutting(commands)


@cocotb.test()
async def drop_ends_the_command(dut: Any) -> None:
    await start(dut)
    commands = random_commands(seed("drop"), 100)
    found, cut, _ = await drive(dut, commands, 0.2, drops=True)
    p = parameters()
    ends = {n for n, _ in cut}
    at = 0
    for addr, count in commands:
        for where, beats in bursts(addr, count, p["DataWidth"] // 8, p["MaxBurst"]):
            assert found[at][:2] == (where, beats)
            at += 1
            if at in ends:
                break
    assert at == len(found)


@pytest.mark.parametrize(("width", "burst", "length", "late"), [(64, 16, 32, 1), (32, 2, 8, 0), (512, 256, 20, 0)])
def test_sl_burst_split(width: int, burst: int, length: int, late: int) -> None:
    run(
        "sl_burst_split",
        {"DataWidth": width, "MaxBurst": burst, "LenWidth": length, "LateDrop": late},
    )


def test_refuses_burst() -> None:
    run(
        "sl_burst_split",
        {"MaxBurst": 20},
        expect_build_error="MaxBurst must be a power of two",
    )
