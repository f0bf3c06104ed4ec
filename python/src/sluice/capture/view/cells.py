# SPDX-License-Identifier: Apache-2.0
"""A picture in a terminal's cells: as Kitty graphics, as sixels, or as half blocks."""

from __future__ import annotations

import base64
import zlib
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Rgb = NDArray[np.uint8]

_CHUNK = 4096  # of a Kitty command
_COLOURS = 128  # of sixels: more take longer than they show
_BAND = 6  # pixels of a sixel


def fit(picture: tuple[int, int], cells: tuple[int, int], cell: tuple[int, int]) -> tuple[int, int]:
    """Return how many pixels of the window a picture fills: its aspect, as large as fits.

    A picture that is small grows by whole factors.
    """
    room = cells[0] * cell[0], cells[1] * cell[1]
    scale = min(room[0] / picture[0], room[1] / picture[1])
    if scale > 1:
        scale = int(scale)
    return max(round(picture[0] * scale), 1), max(round(picture[1] * scale), 1)


def scaled(rgb: Rgb, width: int, height: int) -> Rgb:
    """Return a picture of another size: pixels are averaged, or repeated."""
    if (height, width) == rgb.shape[:2]:
        return rgb
    smaller = height < rgb.shape[0] or width < rgb.shape[1]
    how = Image.Resampling.BOX if smaller else Image.Resampling.NEAREST
    return np.asarray(Image.fromarray(rgb).resize((width, height), how))


def kitty(rgb: Rgb, identifier: int) -> bytes:
    """Return the commands that draw a picture at the cursor."""
    height, width = rgb.shape[:2]
    data = base64.b64encode(zlib.compress(np.ascontiguousarray(rgb).tobytes(), 1))
    head = f"a=T,f=24,o=z,s={width},v={height},i={identifier},p=1,C=1,q=2,"
    parts = []
    for start in range(0, len(data), _CHUNK):
        more = int(start + _CHUNK < len(data))
        parts.append(b"\x1b_G%sm=%d;%s\x1b\\" % (
            head.encode(), more, data[start : start + _CHUNK]
        ))  # fmt: skip
        head = "q=2,"
    return b"".join(parts)


def kitty_delete(identifier: int) -> bytes:
    """Return the command that takes a picture away."""
    return b"\x1b_Ga=d,d=I,i=%d,q=2\x1b\\" % identifier


def sixel(rgb: Rgb) -> bytes:
    """Return the sixels of a picture, drawn at the cursor."""
    height, width = rgb.shape[:2]
    image = Image.fromarray(rgb).quantize(_COLOURS, Image.Quantize.FASTOCTREE)
    palette = np.array(image.getpalette(), np.int64).reshape(-1, 3)
    indexes = np.zeros((-(-height // _BAND) * _BAND, width), np.int16)
    indexes[:height] = np.asarray(image)
    indexes[height:] = -1
    parts = [f'\x1bP0;1;0q"1;1;{width};{height}']
    parts += [
        f"#{index};2;{';'.join(str(part) for part in (palette[index] * 100 + 127) // 255)}"
        for index in np.unique(indexes[:height])
    ]
    weights = (1 << np.arange(_BAND))[:, None]
    for band in indexes.reshape(-1, _BAND, width):
        lines = []
        for index in np.unique(band[band >= 0]):
            columns = ((band == index) * weights).sum(axis=0)
            lines.append(f"#{index}{_run_lengths(columns)}")
        parts.append("$".join(lines) + "-")
    return "".join(parts).encode() + b"\x1b\\"


def _run_lengths(columns: NDArray[np.int64]) -> str:
    """Return columns of a band as characters, equal ones counted."""
    starts = np.flatnonzero(np.diff(columns, prepend=-1))
    counts = np.diff(starts, append=len(columns)).tolist()
    found = []
    for value, count in zip(columns[starts].tolist(), counts, strict=True):
        character = chr(63 + value)
        found.append(f"!{count}{character}" if count > 3 else character * count)  # noqa: PLR2004
    return "".join(found)


def half_blocks(rgb: Rgb) -> list[str]:
    """Return the lines of a picture: two of its pixels, one above the other, in each cell."""
    if rgb.shape[0] % 2:
        rgb = np.concatenate([rgb, np.zeros((1, *rgb.shape[1:]), np.uint8)])
    found = []
    for upper, lower in zip(rgb[0::2].tolist(), rgb[1::2].tolist(), strict=True):
        parts: list[str] = []
        ink = paper = None
        for above, below in zip(upper, lower, strict=True):
            if below != paper:
                parts.append("\x1b[48;2;{};{};{}m".format(*below))
                paper = below
            if above == below:
                parts.append(" ")
                continue
            if above != ink:
                parts.append("\x1b[38;2;{};{};{}m".format(*above))
                ink = above
            parts.append("▀")
        found.append("".join(parts) + "\x1b[0m")
    return found
