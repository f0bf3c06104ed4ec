# SPDX-License-Identifier: Apache-2.0
"""sl_hwt_sobel against a reference in Python, pixel by pixel."""

from __future__ import annotations

import random
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge

from tb import run, seed, stall
from tb.figures import figure
from tb.signals import Writer, reader, reset
from tb.stalls import NO_STALL, Stall


def sobel(image: bytes, width: int, rows: int) -> bytes:
    """What the filter has to give; the border is 0."""
    out = bytearray(len(image))
    for y in range(1, rows - 1):
        for x in range(1, width - 1):

            def at(dx: int, dy: int, here: int = y * width + x) -> int:
                return image[here + dy * width + dx]

            gx = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1)
            gy = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1)
            out[y * width + x] = min(255, abs(gx) + abs(gy))
    return bytes(out)


class Bench:
    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.put = {n: Writer(getattr(dut, n)) for n in ("start_i", "words_i", "rows_i", "s_axis_tdata")}
        self.valid, self.ready = Writer(dut.s_axis_tvalid), Writer(dut.m_axis_tready)
        self.in_ready, self.out_valid = reader(dut.s_axis_tready), reader(dut.m_axis_tvalid)
        self.data, self.last, self.busy = reader(dut.m_axis_tdata), reader(dut.m_axis_tlast), reader(dut.busy_o)
        self.edge = RisingEdge(dut.clk_i)

    async def image(self, image: bytes, width: int, rows: int, give: Stall, take: Stall) -> tuple[bytes, int]:
        """Filters an image; returns it and the cycles from its first word in to its last one out."""
        self.put["words_i"](width // 4)
        self.put["rows_i"](rows)
        self.put["start_i"](1)
        await self.edge
        self.put["start_i"](0)
        words = [int.from_bytes(image[n : n + 4], "little") for n in range(0, len(image), 4)]
        out = b""
        sent = cycles = 0
        valid = ready = last = False
        while not last:
            await self.edge
            cycles += bool(sent or valid)
            assert cycles < 20 * len(words) + 1000, f"{len(out)} of {len(image)} bytes"
            if valid and self.in_ready():
                valid = False
                sent += 1
            if ready and self.out_valid():
                out += self.data().to_bytes(4, "little")
                last = bool(self.last())
            if not valid and sent < len(words) and not give():
                self.put["s_axis_tdata"](words[sent])
                valid = True
            ready = not take() and not last
            self.valid(int(valid))
            self.ready(int(ready))
        assert sent == len(words) and not valid
        await self.edge
        assert not self.busy() and not self.out_valid()
        return out, cycles


def picture(rng: random.Random, width: int, rows: int) -> bytes:
    """Noise, or flat areas with steps; extremes so that the filter saturates."""
    if rng.random() < 0.5:
        return rng.randbytes(width * rows)
    level = [rng.choice((0, 1, 7, 254, 255)) for _ in range(9)]
    return bytes(level[3 * (3 * y // rows) + 3 * x // width] for y in range(rows) for x in range(width))


@cocotb.test()
async def images(dut: Any) -> None:
    """Sizes from the smallest on, one after another, with and without stalls."""
    bench = Bench(dut)
    await reset(dut)
    rng = seed("images")
    sizes = [(8, 1), (8, 2), (8, 3), (12, 5), (64, 4), (64, 1), (20, 17), (64, 9)]
    for share in (0.0, 0.3):
        for width, rows in sizes:
            image = picture(rng, width, rows)
            stalls = [stall(random.Random(rng.random()), share) if share else NO_STALL for _ in range(2)]
            got, _ = await bench.image(image, width, rows, *stalls)
            assert got == sobel(image, width, rows), f"{width} x {rows}"


@cocotb.test()
async def reset_within(dut: Any) -> None:
    """A reset within an image leaves nothing of it behind."""
    bench = Bench(dut)
    await reset(dut)
    rng = seed("reset")
    bench.put["words_i"](8)
    bench.put["rows_i"](20)
    bench.put["start_i"](1)
    bench.valid(1)
    bench.ready(1)
    await ClockCycles(dut.clk_i, 1)
    bench.put["start_i"](0)
    await ClockCycles(dut.clk_i, 61)
    bench.valid(0)
    await reset(dut, start_clock=False)
    assert not bench.busy() and not bench.out_valid()
    image = picture(rng, 32, 6)
    got, _ = await bench.image(image, 32, 6, NO_STALL, NO_STALL)
    assert got == sobel(image, 32, 6)


@cocotb.test()
async def rate(dut: Any) -> None:
    """A word a cycle, and a row and a word of latency."""
    bench = Bench(dut)
    await reset(dut)
    image = picture(seed("rate"), 64, 32)
    _, cycles = await bench.image(image, 64, 32, NO_STALL, NO_STALL)
    figure("cycles beyond a word a cycle", cycles - 64 * 32 // 4, most=64 // 4 + 4)


def test_sl_hwt_sobel() -> None:
    run("sl_hwt_sobel", {"MaxWords": 16})


def test_refused() -> None:
    run("sl_hwt_sobel", {"MaxWords": 6}, expect_build_error="MaxWords must be")
