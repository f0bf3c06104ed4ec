# SPDX-License-Identifier: Apache-2.0
"""A terminal for tests: a pseudo terminal that answers, and what a person would see in it."""

import base64
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from calling import PATIENCE_S

SEQUENCE = re.compile(
    rb"\x1b_G([^;\x1b]*);?([^\x1b]*)\x1b\\"  # Kitty's graphics
    rb"|\x1bP0;1;0q([^\x1b]*)\x1b\\"  # sixels
    rb"|\x1b\[([?0-9;]*)([A-Za-z])"
    rb"|([^\x1b]+)",
    re.DOTALL,
)
QUESTION = b"\x1b[c"
# What terminals say: one without graphics, one with sixels in cells of 10 × 20, Kitty's.
PLAIN = b"\x1b[?62;22c"
SIXEL = b"\x1b[6;20;10t\x1b[?62;4;22c"
KITTY = b"\x1b_Gi=31;OK\x1b\\\x1b[6;20;10t\x1b[?62c"

Pixels = Any  # NDArray[np.uint8]


class Terminal:
    """A command that runs in a terminal."""

    def __init__(self, *words: str, answer: bytes, columns: int = 80, lines: int = 24) -> None:
        self._ours, self._theirs = pty.openpty()
        fcntl.ioctl(self._theirs, termios.TIOCSWINSZ, struct.pack("4H", lines, columns, 0, 0))
        self.before = termios.tcgetattr(self._theirs)
        self._answer = answer
        self.shown = b""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sluice", *words],
            stdin=self._theirs,
            stdout=self._theirs,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"TERM": "xterm-256color"},
            process_group=0,  # as a shell starts a job: the kernel stops no orphaned group
        )

    def until(self, seen: Callable[[bytes], object]) -> bytes:
        """Take what is shown until it has been seen."""
        deadline = time.monotonic() + PATIENCE_S
        while not seen(self.shown):
            assert time.monotonic() < deadline, self.shown[-2000:]
            assert self.process.poll() is None, (self.shown[-500:], self.process.communicate())
            self._take(0.05)
        return self.shown

    def press(self, keys: bytes) -> None:
        """Press keys."""
        os.write(self._ours, keys)

    def end(self) -> tuple[int, str, bool]:
        """Return the exit status, what was complained, and whether the terminal is as before."""
        while self.process.poll() is None:
            self._take(0.05)
        while self._take(0.0):
            pass
        _, err = self.process.communicate()
        same = termios.tcgetattr(self._theirs) == self.before
        os.close(self._ours)
        os.close(self._theirs)
        return self.process.returncode, err, same

    def _take(self, seconds: float) -> bool:
        if not select.select([self._ours], [], [], seconds)[0]:
            return False
        self.shown += os.read(self._ours, 1 << 16)
        if self._answer and QUESTION in self.shown:
            os.write(self._ours, self._answer)
            self._answer = b""
        return True


@dataclass
class Seen:
    """What is in the window."""

    columns: int = 80
    lines: int = 24
    text: list[list[str]] = field(default_factory=list)
    pixels: Pixels = None  # two a cell, one above the other: of half blocks
    pictures: list[Pixels] = field(default_factory=list)  # of sixels and Kitty's
    modes: dict[bytes, bool] = field(default_factory=dict)
    _x: int = 0
    _y: int = 0
    _ink: tuple[int, ...] = (0, 0, 0)
    _paper: tuple[int, ...] = (0, 0, 0)
    _size: tuple[int, int, int] = (0, 0, 3)
    _payload: bytes = b""

    def clear(self) -> None:
        """Be empty."""
        self.text = [[" "] * self.columns for _ in range(self.lines)]
        self.pixels = np.zeros((2 * self.lines, self.columns, 3), np.uint8)

    def kitty(self, command: bytes, data: bytes) -> None:
        """Take a part of a picture."""
        keys = dict(part.split(b"=") for part in command.split(b","))
        if keys.get(b"a") in {b"q", b"d"}:
            return
        self._payload += data
        if keys.get(b"a") == b"T":
            self._size = int(keys[b"v"]), int(keys[b"s"]), 3
        if keys[b"m"] == b"0":
            raw = zlib.decompress(base64.b64decode(self._payload))
            self.pictures.append(np.frombuffer(raw, np.uint8).reshape(self._size))
            self._payload = b""

    def control(self, numbers: bytes, kind: bytes) -> None:
        """Obey what begins with ESC [."""
        if kind in {b"h", b"l"}:
            self.modes[numbers] = kind == b"h"
        elif kind == b"H":
            self._y, self._x = (int(part) - 1 for part in numbers.split(b";"))
        elif kind == b"J":
            self.clear()
        elif kind == b"K":
            self.text[self._y][self._x :] = [" "] * (self.columns - self._x)
        elif kind == b"m":
            values = tuple(int(part or 0) for part in numbers.split(b";"))
            if values[:2] == (38, 2):
                self._ink = values[2:5]
            elif values[:2] == (48, 2):
                self._paper = values[2:5]

    def write(self, text: str) -> None:
        """Put characters where the cursor is."""
        for character in text:
            if character in "\r\n":
                continue
            if self._y < self.lines and self._x < self.columns:
                self.text[self._y][self._x] = character
                upper = self._ink if character == "▀" else self._paper
                self.pixels[2 * self._y, self._x] = upper
                self.pixels[2 * self._y + 1, self._x] = self._paper
            self._x += 1

    @property
    def status(self) -> str:
        """Return the last line."""
        return "".join(self.text[-1]).strip()

    @property
    def strip(self) -> str:
        """Return the line above it."""
        return "".join(self.text[-2]).rstrip()


def see(shown: bytes, columns: int = 80, lines: int = 24) -> Seen:
    """Return what a person sees."""
    seen = Seen(columns, lines)
    seen.clear()
    for kitty, data, sixel, numbers, kind, text in SEQUENCE.findall(shown):
        if kitty:
            seen.kitty(kitty, data)
        elif sixel:
            seen.pictures.append(sixels(sixel.decode()))
        elif kind:
            seen.control(numbers, kind)
        elif text:
            seen.write(text.decode(errors="replace"))
    return seen


def sixels(text: str) -> Pixels:
    """Return the picture that sixels draw."""
    head = re.match(r'"1;1;(\d+);(\d+)', text)
    assert head is not None
    width, height = int(head[1]), int(head[2])
    found = np.zeros((-(-height // 6) * 6, width, 3), np.uint8)
    colours: dict[int, tuple[int, ...]] = {}
    colour = x = y = 0
    for number, r, g, b, count, character in re.findall(
        r"#(\d+)(?:;2;(\d+);(\d+);(\d+))?|(?:!(\d+))?([?-~$-])", text[head.end() :]
    ):
        if number:
            colour = int(number)
            if r:
                colours[colour] = tuple(round(int(part) * 255 / 100) for part in (r, g, b))
        elif character == "$":
            x = 0
        elif character == "-":
            x, y = 0, y + 6
        else:
            wide, bits = int(count or 1), ord(character) - 63
            lines = [y + bit for bit in range(6) if bits >> bit & 1]
            found[lines, x : x + wide] = colours.get(colour, (0, 0, 0))
            x += wide
    return found[:height]
