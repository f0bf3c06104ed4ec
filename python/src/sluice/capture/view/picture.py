# SPDX-License-Identifier: Apache-2.0
"""How the pixels of a picture are coded, and what they are in red, green and blue.

YUYV is BT.601 with limited range: Y 16 to 235, U and V 16 to 240 around 128. Two pixels share U
and V, and both are shown with them, so that no pixel mixes with its neighbours.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from sluice.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

Format = Literal["grey", "rgb565", "yuyv"]
FORMATS: tuple[Format, ...] = get_args(Format)  # by the number in the design's picture.format

_MOST = 65535  # pixels of a side
_SIZE = re.compile(r"([0-9]{1,9})[x×]([0-9]{1,9})", re.ASCII)

# BT.601: what luma, and the difference to it, count for, times 2^16.
_ONE = 1 << 16
_LUMA = round(_ONE * 255 / 219)
_RED_V = round(_ONE * 255 / 224 * 2 * (1 - 0.299))
_BLUE_U = round(_ONE * 255 / 224 * 2 * (1 - 0.114))
_GREEN_V = round(_ONE * 255 / 224 * 2 * (1 - 0.299) * 0.299 / 0.587)
_GREEN_U = round(_ONE * 255 / 224 * 2 * (1 - 0.114) * 0.114 / 0.587)

_HATCH = (32, 72)  # grey of the stripes where bytes are missing
_STRIPE = 8  # pixels


@dataclass(frozen=True, slots=True)
class Picture:
    """Lines of pixels, from the top, without a gap."""

    format: Format
    width: int
    height: int

    @property
    def line_bytes(self) -> int:
        """Return the bytes of a line."""
        return self.width * (1 if self.format == "grey" else 2)

    @property
    def nbytes(self) -> int:
        """Return the bytes of a picture."""
        return self.line_bytes * self.height

    def __str__(self) -> str:
        """Return its name for people: 640 × 480 yuyv."""
        return f"{self.width} × {self.height} {self.format}"


def parse_format(option: str, word: str) -> Format:
    """Return the format that a word names. InputError: none."""
    for known in FORMATS:
        if word == known:
            return known
    raise InputError(f"{option} {word} is not known; allowed: {', '.join(FORMATS)}")


def parse_size(text: str) -> tuple[int, int]:
    """Return width and height of a text such as 640x480."""
    match = _SIZE.fullmatch(text)
    if match is None or not all(0 < int(side) <= _MOST for side in match.groups()):
        raise InputError(
            f"--size {text} is not a size; write width and height in pixels, 1 to {_MOST} each, "
            "such as 640x480"
        )
    return int(match[1]), int(match[2])


def checked_picture(form: Format, width: int, height: int, option: str = "--size") -> Picture:
    """Return a picture whose lines can be coded so. InputError: YUYV has pixels by twos."""
    if form == "yuyv" and width % 2:
        raise InputError(
            f"{option} {width}x{height}: two pixels of yuyv share their colour, so a line has an "
            "even number of them"
        )
    return Picture(form, width, height)


def to_rgb(picture: Picture, data: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return height × width × 3 bytes: red, green, blue. Missing bytes at the end are stripes."""
    whole = data[: picture.nbytes]
    if whole.nbytes < picture.nbytes:
        whole = np.zeros(picture.nbytes, np.uint8)
        whole[: data.nbytes] = data
    lines = whole.reshape(picture.height, picture.line_bytes)
    found = _CONVERSIONS[picture.format](lines)
    if data.nbytes < picture.nbytes:
        _hatch(picture, found, data.nbytes)
    return found


def _hatch(picture: Picture, rgb: NDArray[np.uint8], nbytes: int) -> None:
    """Draw stripes over the pixels that do not have all their bytes."""
    there = nbytes * picture.width // picture.line_bytes  # pixels
    if picture.format == "yuyv":
        there -= there % 2
    first = there // picture.width
    y, x = np.mgrid[first : picture.height, : picture.width]
    missing = y * picture.width + x >= there
    stripes = np.where((x + y) // _STRIPE % 2, *_HATCH).astype(np.uint8)
    rgb[first:][missing] = stripes[missing][:, None]


def _grey(lines: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.repeat(lines[:, :, None], 3, axis=2)


def _rgb565(lines: NDArray[np.uint8]) -> NDArray[np.uint8]:
    words = np.ascontiguousarray(lines).view("<u2")
    found = np.empty((*words.shape, 3), np.uint8)
    for index, (shift, bits) in enumerate(((11, 5), (5, 6), (0, 5))):
        part = words >> shift & ((1 << bits) - 1)
        found[:, :, index] = part << (8 - bits) | part >> (2 * bits - 8)
    return found


def _yuyv(lines: NDArray[np.uint8]) -> NDArray[np.uint8]:
    height, nbytes = lines.shape
    pairs = lines.reshape(height, nbytes // 4, 4).astype(np.int32)
    luma = (pairs[:, :, 0::2] - 16) * _LUMA + _ONE // 2
    u, v = pairs[:, :, 1, None] - 128, pairs[:, :, 3, None] - 128
    found: NDArray[Any] = np.empty((height, nbytes // 4, 2, 3), np.int32)
    found[..., 0] = luma + _RED_V * v
    found[..., 1] = luma - _GREEN_U * u - _GREEN_V * v
    found[..., 2] = luma + _BLUE_U * u
    return (found >> 16).clip(0, 255).astype(np.uint8).reshape(height, nbytes // 2, 3)


_CONVERSIONS = {"grey": _grey, "rgb565": _rgb565, "yuyv": _yuyv}
