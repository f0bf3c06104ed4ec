# SPDX-License-Identifier: Apache-2.0
"""The design's test picture (rtl/stream/sl_test_picture.sv): what whole and torn ones are.

On its first and last 16 lines it has its number, in 32 blocks, bit 0 on the left. A stream keeps
its order, so a picture of full length lacks bytes within it exactly if its last line is not that of
the number on its first: a look at two lines finds a torn one. The line where it is torn takes a
look at all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sluice.capture.view.picture import Picture

_BLOCKS, _BARS, _NUMBER_LINES = 32, 8, 16
_ROUND = 1 << 32

# White, yellow, cyan, green, magenta, red, blue, black: four bytes of pixels of each.
_COLOURS = {
    "grey": (
        "ffffffff", "e2e2e2e2", "b3b3b3b3", "96969696", "69696969", "4c4c4c4c", "1d1d1d1d",
        "00000000",
    ),
    "rgb565": (
        "ffffffff", "e0ffe0ff", "ff07ff07", "e007e007", "1ff81ff8", "00f800f8", "1f001f00",
        "00000000",
    ),
    "yuyv": (
        "eb80eb80", "d210d292", "aaa6aa10", "91369122", "6aca6ade", "515a51f0", "29f0296e",
        "10801080",
    ),
}  # fmt: skip
_WHITE, _BLACK = 0, 7


@dataclass(frozen=True, slots=True)
class Look:
    """What two lines of a frame say."""

    number: int | None  # of the picture at its top; None: none of a test picture
    torn: bool


@dataclass(frozen=True, slots=True)
class Tear:
    """Where a frame stops being the picture at its top."""

    line: int
    above: int | None  # numbers of the pictures before and behind
    below: int | None
    missing: int  # bytes of the frame

    def __str__(self) -> str:
        """Return it for people."""
        parts = ["not a picture's beginning"]
        if self.above is not None:
            parts = [f"torn at line {self.line}: picture {self.above} above"]
        if self.below not in {None, self.above}:
            parts.append(f"{self.below} below")
        if self.missing:
            parts.append(f"{self.missing} bytes missing")
        return ", ".join(parts)


class Pattern:
    """The test picture of one format and size, on a stream of so many bytes a beat."""

    def __init__(self, picture: Picture, beat_bytes: int) -> None:
        self.picture = picture
        self.beat_bytes = beat_bytes
        self.beats = max(picture.line_bytes // beat_bytes, 1)
        words = np.array([list(bytes.fromhex(text)) for text in _COLOURS[picture.format]], np.uint8)
        self._colours = np.tile(words, beat_bytes // 4)  # a beat of each
        beats = np.arange(self.beats)
        self._block = np.minimum(beats // max(self.beats // _BLOCKS, 1), _BLOCKS - 1)
        self._bar = np.minimum(beats // max(self.beats // _BARS, 1), _BARS - 1)
        self._first = np.flatnonzero(np.diff(self._block, prepend=-1)) * beat_bytes
        self.bits = len(self._first)  # of the number that a line has room for
        self._number_line = lru_cache(16)(self._draw_number)
        self._bars_line = lru_cache(_BARS)(self._draw_bars)

    def look(self, data: NDArray[np.uint8]) -> Look:
        """Look at the first and the last line of a frame."""
        line = self.picture.line_bytes
        number = self.number(data[:line]) if data.nbytes >= line else None
        if number is None or data.nbytes != self.picture.nbytes:
            return Look(number, torn=True)
        last = data[-line:]
        return Look(number, torn=not np.array_equal(last, self._number_line(number)))

    def number(self, line: NDArray[np.uint8]) -> int | None:
        """Return the number on a line; None: there is none."""
        bits = line[self._first] == self._colours[_WHITE, 0]
        found = int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")
        return found if np.array_equal(line, self._number_line(found)) else None

    def tear(self, data: NDArray[np.uint8]) -> Tear | None:
        """Return where a frame stops being a picture; None: it is a whole one, to the last byte."""
        picture = self.picture
        count = min(data.nbytes // picture.line_bytes, picture.height)
        lines = data[: count * picture.line_bytes].reshape(count, picture.line_bytes)
        above = self.number(lines[0]) if count else None
        below = self.number(lines[-1]) if count and data.nbytes >= picture.nbytes else None
        missing = max(picture.nbytes - data.nbytes, 0)
        if above is None:
            return Tear(0, None, below, missing)
        # A line of less than 3 blocks does not say which bars are below it.
        numbers = range(above, _BARS, 1 << self.bits) if 1 << self.bits < _BARS else (above,)
        differing = ((lines != self.lines(number)[:count]).any(axis=1) for number in numbers)
        wrong = min(differing, key=np.count_nonzero)
        found = int(np.argmax(wrong)) if wrong.any() else count
        return None if found == picture.height else Tear(found, above, below, missing)

    def lines(self, number: int) -> NDArray[np.uint8]:
        """Return the lines of a picture."""
        height = self.picture.height
        marks, bars = self._number_line(number), self._bars_line(number % _BARS)
        found = np.broadcast_to(bars, (height, len(bars))).copy()
        found[:_NUMBER_LINES] = marks
        found[max(height - _NUMBER_LINES, 0) :] = marks
        return found

    def step(self, before: int, after: int) -> int:
        """Return by how much numbers differ, as far as a line has their bits: -half to half."""
        size = 1 << self.bits
        return (after - before + size // 2) % size - size // 2

    def _draw_number(self, number: int) -> NDArray[np.uint8]:
        bits: NDArray[Any] = np.uint32(number % _ROUND) >> self._block.astype(np.uint32) & 1
        colours: NDArray[np.uint8] = self._colours[np.where(bits, _WHITE, _BLACK)]
        return colours.reshape(-1)

    def _draw_bars(self, number: int) -> NDArray[np.uint8]:
        colours: NDArray[np.uint8] = self._colours[(self._bar + number) % _BARS]
        return colours.reshape(-1)
