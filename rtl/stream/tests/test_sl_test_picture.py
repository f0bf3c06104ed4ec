# SPDX-License-Identifier: Apache-2.0
"""sl_test_picture: each byte of its pictures against a model of pixels, under stalls; without it the stream passes."""

from __future__ import annotations

import random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge
from registers import Registers

from tb import run, seed, stall
from tb.signals import Writer, reset
from tb.stalls import parameters
from tb.stream import StreamSink, StreamSource

GREY8, RGB565, YUYV = range(3)
# Of each colour red, green and blue; luma of grey; Y, U and V (BT.601).
COLOURS = [
    ((1, 1, 1), 255, (235, 128, 128)),
    ((1, 1, 0), 226, (210, 16, 146)),
    ((0, 1, 1), 179, (170, 166, 16)),
    ((0, 1, 0), 150, (145, 54, 34)),
    ((1, 0, 1), 105, (106, 202, 222)),
    ((1, 0, 0), 76, (81, 90, 240)),
    ((0, 0, 1), 29, (41, 240, 110)),
    ((0, 0, 0), 0, (16, 128, 128)),
]
NUMBER_LINES = 16


@pytest.mark.parametrize("width", [32, 64])
def test_sl_test_picture(width: int) -> None:
    run("sl_test_picture", {"DataWidth": width})


def test_refused() -> None:
    run("sl_test_picture", {"DataWidth": 128}, expect_build_error="DataWidth must be 32 or 64, is 128")


def pixels(colour: int, form: int) -> bytes:
    """Two pixels of a colour."""
    (red, green, blue), grey, (y, u, v) = COLOURS[colour]
    if form == GREY8:
        return bytes([grey] * 2)
    if form == RGB565:
        return (red * 0xF800 | green * 0x07E0 | blue * 0x001F).to_bytes(2, "little") * 2
    return bytes([y, u, y, v])


def picture(number: int, form: int, width: int, height: int, beat_bytes: int) -> bytes:
    bytes_a_pixel = 1 if form == GREY8 else 2
    a_beat = beat_bytes // bytes_a_pixel  # pixels
    beats = max(width // a_beat, 1)

    def line(colours: list[int]) -> bytes:
        return b"".join(pixels(colour, form) * (a_beat // 2) for colour in colours)

    bars = line([(min(beat // max(beats // 8, 1), 7) + number) % 8 for beat in range(beats)])
    blocks = line([7 * (1 - (number >> min(beat // max(beats // 32, 1), 31) & 1)) for beat in range(beats)])
    height = max(height, 1)
    return b"".join(blocks if min(y, height - 1 - y) < NUMBER_LINES else bars for y in range(height))


class Bench:
    def __init__(self, dut: Any, label: str, busy: float = 0.0) -> None:
        self.dut = dut
        self.regs = Registers(dut, "sl_test_picture")
        self.rng: random.Random = seed(label)
        self.source = StreamSource(dut, stall=stall(seed(f"{label}/source"), busy))
        self.sink = StreamSink(dut, stall=stall(seed(f"{label}/sink"), busy))
        self.set_clear = Writer(dut.clear_i)
        self.beat_bytes = parameters()["DataWidth"] // 8

    async def begin(self) -> None:
        self.set_clear(0)
        await reset(self.dut)

    async def clear(self) -> None:
        self.set_clear(1)
        await ClockCycles(self.dut.clk_i, 1)
        self.set_clear(0)
        await ClockCycles(self.dut.clk_i, 1)

    async def through(self, data: bytes) -> bytes:
        """What comes of a packet."""
        self.source.send(data)
        edge = RisingEdge(self.dut.clk_i)
        while not self.sink.packets:
            await edge
        return self.sink.packets.pop()

    async def draw(self, form: int, width: int, height: int) -> None:
        mode = self.regs.mask("CONTROL_ENABLE") | self.regs.field("CONTROL_FORMAT", form)
        await self.regs.write("WIDTH", width)
        await self.regs.write("HEIGHT", height)
        await self.regs.write("CONTROL", mode)
        await self.clear()


@cocotb.test()
async def without_it_the_stream_passes(dut: Any) -> None:
    bench = Bench(dut, "passes", busy=0.3)
    await bench.begin()
    await bench.regs.check(CONTROL=0, WIDTH=640, HEIGHT=480, FRAME=0)
    data = bench.rng.randbytes(64 * bench.beat_bytes)
    assert await bench.through(data) == data
    await bench.regs.check(FRAME=0)


@cocotb.test()
async def pictures_are_those_of_the_model(dut: Any) -> None:
    """Formats, sizes whose beats are no multiple of bars and blocks, lines and pictures of one beat; packets that are
    not pictures."""
    bench = Bench(dut, "pictures", busy=0.3)
    await bench.begin()
    sizes = [(80, 36), (256, 33), (8 * 45 + 3, 34), (3, 40), (0, 0), (130, 1)]
    for width, height in sizes:
        form = bench.rng.randrange(3)
        await bench.draw(form, width, height)
        one = len(picture(0, form, width, height, bench.beat_bytes))
        count = 3 + 64 // one
        expected = b"".join(picture(n, form, width, height, bench.beat_bytes) for n in range(count))
        found = b""
        while len(found) < len(expected):
            left = (len(expected) - len(found)) // bench.beat_bytes
            beats = min(bench.rng.randint(1, 2 * one // bench.beat_bytes), left)
            found += await bench.through(bytes(beats * bench.beat_bytes))
        assert found == expected, (form, width, height)
        await bench.regs.check(FRAME=count)


@cocotb.test()
async def each_format(dut: Any) -> None:
    bench = Bench(dut, "formats")
    await bench.begin()
    for form in (GREY8, RGB565, YUYV):
        await bench.draw(form, 128, 34)
        for number in range(9):  # each colour on each bar
            expected = picture(number, form, 128, 34, bench.beat_bytes)
            assert await bench.through(bytes(len(expected))) == expected, (form, number)


@cocotb.test()
async def a_clear_begins_again(dut: Any) -> None:
    """In the middle of a line."""
    bench = Bench(dut, "clear")
    await bench.begin()
    await bench.draw(GREY8, 64, 2)
    one = picture(0, GREY8, 64, 2, bench.beat_bytes)
    await bench.through(bytes(5 * len(one) + 3 * bench.beat_bytes))
    await bench.regs.check(FRAME=5)
    await bench.clear()
    await bench.regs.check(FRAME=0)
    assert await bench.through(bytes(len(one))) == one
