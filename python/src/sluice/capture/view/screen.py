# SPDX-License-Identifier: Apache-2.0
"""The terminal: taken over, asked what it can, and given back as it was."""

from __future__ import annotations

import fcntl
import os
import re
import select
import struct
import termios
import time
import tty
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from sluice.closing import Closing

Graphics = Literal["kitty", "sixel", "blocks"]

_ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J"  # another screen, no cursor, no wrapping
_LEAVE = "\x1b[0m\x1b[?2026l\x1b[?7h\x1b[?25h\x1b[?1049l"
# Can you draw Kitty's graphics? How large is a cell? What are you? All answer the last.
_QUESTION = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[16t\x1b[c"
_ANSWERED = re.compile(rb"\x1b\[\?([0-9;]*)c")
_KITTY = re.compile(rb"\x1b_Gi=31;OK\x1b\\")
_CELL = re.compile(rb"\x1b\[6;([0-9]+);([0-9]+)t")
_PATIENCE_S = 0.5  # with a terminal that answers nothing
_SIXEL = b"4"
_USUAL_CELL = (8, 16)  # pixels

_KEYS = {
    b"\x1b[C": "right", b"\x1b[D": "left", b"\x1bOC": "right", b"\x1bOD": "left",
    b"\x1b[H": "home", b"\x1b[F": "end", b"\x1bOH": "home", b"\x1bOF": "end",
}  # fmt: skip
_KEY = re.compile(rb"\x1b[\[O][0-9;]*[A-Za-z~]|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Size:
    """Of the window."""

    columns: int
    lines: int
    cell: tuple[int, int]  # width and height in pixels


class Screen(Closing):
    """The terminal at standard output, taken over until close()."""

    def __init__(self) -> None:
        self.graphics: Graphics = "blocks"
        self._keys = _keyboard()
        self._own_keys = self._keys not in {None, 0}
        self._before = None if self._keys is None else termios.tcgetattr(self._keys)
        self._cell: tuple[int, int] | None = None
        self._taken = False
        self.take()
        try:
            self._ask()
        except BaseException:
            self.close()
            raise

    def take(self) -> None:
        """Take the terminal over: keys come one by one, and the old content is kept."""
        self._taken = True
        if self._keys is not None:
            try:
                tty.setcbreak(self._keys, termios.TCSANOW)
            except termios.error as error:  # which is no OSError
                raise OSError(*error.args) from error
        self.write(_ENTER.encode())

    def give_back(self) -> bool:
        """Let the terminal be as it was. Return whether it was taken over."""
        if not self._taken:
            return False
        self._taken = False
        last = b"\x1b_Ga=d,d=A,q=2\x1b\\" if self.graphics == "kitty" else b""
        with suppress(OSError):
            self.write(last + _LEAVE.encode())
        if self._keys is not None and self._before is not None:
            with suppress(termios.error):
                termios.tcsetattr(self._keys, termios.TCSANOW, self._before)
        return True

    def close(self) -> None:
        """Give the terminal back."""
        self.give_back()
        if self._own_keys and self._keys is not None:
            os.close(self._keys)
        self._keys = None

    def write(self, data: bytes) -> None:
        """Write all of it."""
        left = memoryview(data)
        while left:
            left = left[os.write(1, left) :]

    def size(self) -> Size:
        """Return how large the window is now."""
        columns, lines = os.get_terminal_size(1)
        cell = self._cell
        if cell is None:
            width, height = _pixels()
            cell = (width // columns, height // lines) if columns and lines else (0, 0)
        return Size(max(columns, 1), max(lines, 1), cell if all(cell) else _USUAL_CELL)

    def pressed(self) -> list[str]:
        """Return the keys that were pressed since the last call."""
        if self._keys is None or not select.select([self._keys], [], [], 0)[0]:
            return []
        pressed = _KEY.findall(os.read(self._keys, 256))
        return [_KEYS.get(key, key.decode("ascii", "replace")) for key in pressed]

    def _ask(self) -> None:
        """Find out which graphics the terminal says it can draw."""
        if self._keys is None:
            return
        self.write(_QUESTION.encode())
        said, until = b"", time.monotonic() + _PATIENCE_S
        while not (answered := _ANSWERED.search(said)):
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._keys], [], [], left)[0]:
                return
            more = os.read(self._keys, 1024)
            if not more:
                return
            said += more
        if cell := _CELL.search(said):
            self._cell = (int(cell[2]), int(cell[1]))
        if _KITTY.search(said):
            self.graphics = "kitty"
        elif _SIXEL in answered[1].split(b";"):
            self.graphics = "sixel"


def _keyboard() -> int | None:
    """Return a descriptor that keys and answers come from."""
    if os.isatty(0):
        return 0
    try:
        return os.open("/dev/tty", os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY)
    except OSError:
        return None


def _pixels() -> tuple[int, int]:
    """Return the pixels of the window, 0 where the terminal does not say."""
    with suppress(OSError):
        found = fcntl.ioctl(1, termios.TIOCGWINSZ, bytes(8))
        _, _, width, height = struct.unpack("4H", found)
        return width, height
    return 0, 0
