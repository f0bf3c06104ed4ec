# SPDX-License-Identifier: Apache-2.0
"""The viewer in the terminal: the picture, a strip of the last frames, a line of numbers."""

from __future__ import annotations

import os
import signal
import threading
from typing import TYPE_CHECKING, Any

from sluice.capture.view import cells
from sluice.capture.view.picture import to_rgb
from sluice.capture.view.screen import Graphics, Screen, Size
from sluice.closing import Closing

if TYPE_CHECKING:
    from types import FrameType

    from sluice.capture.view.tally import Numbers, State
    from sluice.capture.view.viewer import Frame, Scene

_INTERVAL_S = 1 / 30
_LINES = 2  # below the picture
_MARKS: dict[State, str] = {
    "kept": "\x1b[38;5;65m▂",
    "torn": "\x1b[38;5;214m▅",
    "lost": "\x1b[38;5;203m█",
}
_WARN, _WRONG, _DIM, _BOLD, _OFF = (
    "\x1b[38;5;214m", "\x1b[38;5;203m", "\x1b[38;5;246m", "\x1b[1m", "\x1b[0m"
)  # fmt: skip
_BEGIN, _END = "\x1b[?2026h", "\x1b[?2026l"  # what is between them is shown at once

_RANK: tuple[State | None, ...] = (None, "kept", "torn", "lost")
_ALARM = "\x1b[48;5;88;38;5;231m"

Part = tuple[str, str]  # how, and what


class TerminalViewer(Closing):
    """Draws frames in the window, as large as they fit."""

    name = "the terminal"
    interval_s = _INTERVAL_S
    patience_s = 2.0  # with a terminal that takes nothing

    def __init__(self, scene: Scene, graphics: Graphics | None, *, help_line: str) -> None:
        """Take the terminal over; `graphics`: rather than what it says it can."""
        self._scene = scene
        self._help = help_line
        self._lock = threading.RLock()
        self._screen = Screen()
        if graphics is not None:
            self._screen.graphics = graphics
        self._size: Size | None = None
        self._lines: list[str] = []  # of half blocks, as they are shown
        self._identifier = 1  # of the next picture of Kitty's
        self._frame: Frame | None = None
        self._lost: int | None = None  # number of a frame that is shown as lost
        self._said = ""  # below the picture
        self._suspending = False  # nothing is drawn until it has been done
        self._suspend_again = False  # who draws has to ask for it again
        self.span: range | None = None  # frames of the strip; None: the last that fit
        self.paused = False
        self.extra = ""  # beside the number of the frame
        self._stop = None
        if threading.current_thread() is threading.main_thread():
            self._stop = signal.signal(signal.SIGTSTP, self._suspend)

    def pressed(self) -> list[str]:
        """Return the keys that were pressed."""
        return self._screen.pressed()

    def show(self, frame: Frame | None, not_shown: int) -> bool:
        """Draw a frame, unless a key has paused it, and obey its keys."""
        for key in self.pressed():
            if key == " ":
                self.paused = not self.paused
            elif key in {"q", "\x04"}:
                os.kill(os.getpid(), signal.SIGINT)
        self.draw(None if self.paused else frame, not_shown)
        return not self.paused

    def draw(self, frame: Frame | None, not_shown: int) -> None:
        """Draw a frame; None: the numbers alone."""
        with self._lock:
            if self._suspend_again:
                self._suspend_again = False
                os.kill(os.getpid(), signal.SIGTSTP)
            elif not self._suspending:
                self._draw(frame, not_shown)

    def _draw(self, frame: Frame | None, not_shown: int) -> None:
        size = self._screen.size()
        resized = size != self._size
        if resized:
            self._size, self._lines = size, []
            frame = frame or self._frame
        data = b""
        if frame is not None:
            self._frame = frame
            data = self._picture(frame, size)
            self._lost = None
        self._write(size, data, not_shown, clear=resized)

    def draw_lost(self, number: int) -> None:
        """Draw that a frame is lost, at its place."""
        with self._lock:
            size = self._size = self._screen.size()
            self._frame, self._lines, self._lost = None, [], number
            words = f" frame {number} is lost "
            place = _at(max(size.lines - _LINES, 1) // 2, (size.columns - len(words)) // 2)
            gone = b"" if self._screen.graphics != "kitty" else b"\x1b_Ga=d,d=A,q=2\x1b\\"
            self._write(size, gone + place + f"{_ALARM}{words}{_OFF}".encode(), 0, clear=True)

    def _write(self, size: Size, data: bytes, not_shown: int, *, clear: bool) -> None:
        words = self._words(size, not_shown)
        if not data and not clear and words == self._said:
            return
        self._said = words
        begin = _BEGIN + ("\x1b[2J" if clear else "")
        self._screen.write(begin.encode() + data + words.encode() + _END.encode())

    def end(self, words: str) -> None:
        """Give the terminal back."""
        del words
        self.close()

    def close(self) -> None:
        """Give the terminal back."""
        with self._lock:
            self._screen.close()
        if self._stop is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTSTP, self._stop)
            self._stop = None

    def _picture(self, frame: Frame, size: Size) -> bytes:
        picture = self._scene.pictures.picture
        room = size.columns, max(size.lines - _LINES, 1)
        rgb = to_rgb(picture, frame.data)
        blocks = self._screen.graphics == "blocks"
        # Half a cell is taken for a square, unless the terminal says otherwise.
        cell = (1, 2) if blocks else size.cell
        wanted = (picture.width, picture.height)
        if blocks and size.cell[0] * 2 != size.cell[1]:
            wanted = picture.width, max(round(picture.height * 2 * size.cell[0] / size.cell[1]), 1)
        width, height = cells.fit(wanted, room, cell)
        rgb = cells.scaled(rgb, width, height)
        left = (room[0] - -(-width // cell[0])) // 2 + 1
        top = (room[1] - -(-height // cell[1])) // 2 + 1
        if self._screen.graphics == "kitty":
            drawn = cells.kitty(rgb, self._identifier)
            self._identifier = 3 - self._identifier
            return _at(top, left) + drawn + cells.kitty_delete(self._identifier)
        if self._screen.graphics == "sixel":
            return _at(top, left) + cells.sixel(rgb)
        lines = cells.half_blocks(rgb)
        before, self._lines = self._lines or [""] * len(lines), lines
        return b"".join(
            _at(top + index, left) + line.encode()
            for index, (line, old) in enumerate(zip(lines, before, strict=True))
            if line != old
        )

    def _words(self, size: Size, not_shown: int) -> str:
        """Return the strip and the line of numbers."""
        strip = ""
        if size.lines > _LINES:
            strip = f"\x1b[{size.lines - 1};1H{self._strip(size.columns)}{_OFF}\x1b[K"
        parts = self._parts(self._scene.tally.numbers(), not_shown)
        said, room = "", size.columns - 1
        for how, what in parts:
            if len(what) + 2 > room:
                break
            said += f"  {how}{what}{_OFF}" if said else f" {how}{what}{_OFF}"
            room -= len(what) + 2
        return f"{strip}\x1b[{size.lines};1H{said}\x1b[K"

    def _strip(self, columns: int) -> str:
        tally = self._scene.tally
        end = tally.end
        span = self.span or range(max(end - columns, 0), end)
        if not span:
            return ""
        room = min(columns, len(span))
        marks: list[State | None] = [None] * room
        for first, count, state in tally.runs(span.start):
            low = (first - span.start) * room // len(span)
            high = (min(first + count, span.stop) - 1 - span.start) * room // len(span)
            for index in range(low, high + 1):
                marks[index] = max(marks[index], state, key=_RANK.index)
        number = self._lost if self._frame is None else self._frame.number
        here = -1
        if self.span is not None and number is not None:
            here = (number - span.start) * room // len(span)
        return "".join(
            f"\x1b[{'7' if index == here else '27'}m{_MARKS.get(mark, ' ') if mark else ' '}"
            for index, mark in enumerate(marks)
        )

    def _parts(self, numbers: Numbers, not_shown: int) -> list[Part]:
        frame, scene = self._frame, self._scene
        found: list[Part] = []
        number = self._lost if frame is None else frame.number
        if number is not None:
            found.append((_BOLD, f"frame {number}{self.extra}"))
        if self.paused:
            found.append((_WARN, "paused"))
        if numbers.frames_s is not None and numbers.mb_s is not None:
            found.append(("", f"{numbers.frames_s:.1f} frames/s"))
            found.append(("", f"{numbers.mb_s:.1f} MB/s"))
        found.append((_WRONG if numbers.lost else "", f"{numbers.lost} lost"))
        found.append((_WARN if numbers.torn else "", f"{numbers.torn} {scene.torn_word}"))
        if numbers.missing:
            found.append((_WRONG, f"{numbers.missing} pictures in no frame"))
        if frame is not None and frame.torn:
            what = str(frame.tear) if frame.tear is not None else f"{frame.data.nbytes} bytes"
            found.append((_WARN, what))
        if not_shown:
            found.append((_DIM, f"{not_shown} not shown"))
        found.append((_DIM, str(scene.pictures.picture)))
        found.append((_DIM, self._help))
        return found

    def _suspend(self, number: int, frame: FrameType | None) -> Any:  # noqa: ANN401
        """Give the terminal back while the process is stopped (Ctrl-Z).

        The thread that draws may wait for a lock of the code that the signal interrupts. So this
        waits for nobody, and that thread sends the signal again once it does not draw.
        """
        del number, frame
        if not self._lock.acquire(blocking=False):
            self._suspending = self._suspend_again = True
            return
        try:
            self._suspending = self._suspend_again = False
            taken = self._screen.give_back()
            signal.signal(signal.SIGTSTP, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGTSTP)
            signal.signal(signal.SIGTSTP, self._suspend)
            self._size = None
            if taken:
                self._screen.take()
        finally:
            self._lock.release()


def _at(line: int, column: int) -> bytes:
    return b"\x1b[%d;%dH" % (max(line, 1), max(column, 1))
