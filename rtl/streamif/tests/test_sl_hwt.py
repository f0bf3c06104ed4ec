# SPDX-License-Identifier: Apache-2.0
"""The counter writer, the XOR reader and reduce, one behind the other."""

from __future__ import annotations

from functools import reduce
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge

from tb import run, seed, stall
from tb.signals import reset
from tb.stalls import NO_STALL, Stall

SOURCES = ["streamif/sl_hwt_count.sv", "streamif/sl_hwt_xor.sv", "streamif/sl_hwt_reduce.sv"]


def xor(values: list[int]) -> int:
    return reduce(lambda a, b: a ^ b, values, 0)


async def chain(dut: Any, first: int, words: int, take: int, group: int = 0, stalls: Stall = NO_STALL) -> int:
    """Runs the writer and the reader, through reduce if `group`; returns the cycles it took."""
    for name, value in (("first_i", first), ("words_i", words), ("take_i", take), ("group_i", group)):
        getattr(dut, name).value = value
    dut.reduce_i.value = int(group != 0)
    dut.start_i.value = 1
    await RisingEdge(dut.clk_i)
    dut.start_i.value = 0
    await RisingEdge(dut.clk_i)
    for cycle in range(10 * words + 100):
        if not int(dut.xor_busy_o.value):
            return cycle
        dut.stall_i.value = int(stalls())
        await RisingEdge(dut.clk_i)
    raise AssertionError("the reader does not end")


@cocotb.test()
async def writer_and_reader(dut: Any) -> None:
    """Runs of 1 word and more, over the end of the numbers, with and without stalls; a word a
    cycle."""
    rng = seed("pair")
    dut.stall_i.value = 0
    await reset(dut)
    for words in (1, 2, 3, 64, 257):
        for share in (0, 0.4):
            first = rng.choice((0, rng.getrandbits(32), 0xFFFFFFF0))
            stalls = stall(rng, share) if share else NO_STALL
            cycles = await chain(dut, first, words, words, stalls=stalls)
            assert int(dut.result_o.value) == xor([first + n & 0xFFFFFFFF for n in range(words)])
            assert not int(dut.count_busy_o.value)
            if not share:
                assert cycles <= words
    dut.stall_i.value = 0


@cocotb.test()
async def sums(dut: Any) -> None:
    """Groups, the last of them cut short by the packet's end."""
    rng = seed("sums")
    dut.stall_i.value = 0
    for words, group in ((12, 4), (13, 4), (3, 4), (40, 1), (100, 33)):
        await reset(dut, start_clock=(words, group) == (12, 4))
        first = rng.getrandbits(32)
        numbers = [first + n & 0xFFFFFFFF for n in range(words)]
        wanted = [sum(sum(n.to_bytes(4, "little")) for n in numbers[at : at + group]) for at in range(0, words, group)]
        await chain(dut, first, words, len(wanted), group, stall(rng, 0.2))
        assert int(dut.result_o.value) == xor(wanted)


@cocotb.test()
async def reset_ends_a_run(dut: Any) -> None:
    """Within a run; the next one is whole."""
    dut.stall_i.value = 0
    await reset(dut)
    dut.words_i.value, dut.take_i.value, dut.start_i.value = 1000, 1000, 1
    dut.reduce_i.value = 0
    for _ in range(20):
        await RisingEdge(dut.clk_i)
    dut.start_i.value = 0
    await reset(dut, start_clock=False)
    assert not int(dut.count_busy_o.value) and not int(dut.xor_busy_o.value)
    await chain(dut, 7, 9, 9)
    assert int(dut.result_o.value) == xor([7 + n for n in range(9)])


def test_hwt() -> None:
    run("hwt_chain", [*SOURCES, "streamif/tests/hwt_chain.sv"])
