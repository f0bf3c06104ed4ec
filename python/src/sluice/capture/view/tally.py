# SPDX-License-Identifier: Apache-2.0
"""Which frames came, which are lost or torn, and how many come in a second."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from sluice.capture.view.pattern import Pattern

State = Literal["kept", "torn", "lost"]
Run = tuple[int, int, State]  # number of the first, how many, what they are

_WINDOW_NS = 1_000_000_000  # of rates
_FEWEST, _MOST = 8, 512  # frames of the window


@dataclass(frozen=True, slots=True)
class Numbers:
    """What is said beside a picture."""

    frames: int
    lost: int
    torn: int
    missing: int  # pictures that came in no frame
    frames_s: float | None  # by the board's clock, as is the next
    mb_s: float | None
    time_ns: int


@dataclass(slots=True)
class Tally:
    """The account of the frames. One thread enters them, and others read it."""

    pattern: Pattern | None
    frames: int = 0
    lost: int = 0
    torn: int = 0
    missing: int = 0
    _runs: list[Run] = field(default_factory=list)
    _times: deque[tuple[int, int]] = field(default_factory=deque)  # end of a frame, its bytes
    _bytes: int = 0  # of them
    _slip: int | None = None  # number of the picture beyond that of the frame
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def lose(self, first: int, count: int) -> None:
        """Enter frames that are missing."""
        with self._lock:
            self.lost += count
            self._enter(first, count, "lost")

    def keep(self, number: int, nbytes: int, time_ns: int, picture: int | None, *, torn: bool) -> None:  # fmt: skip # noqa: E501
        """Enter a frame, with the number of the picture at its top."""
        with self._lock:
            self.frames += 1
            self.torn += torn
            self._enter(number, 1, "torn" if torn else "kept")
            if time_ns:
                self._times.append((time_ns, nbytes))
                self._bytes += nbytes
                self._forget(time_ns)
            if picture is not None and self.pattern is not None:
                slip = self.pattern.step(number, picture)
                if self._slip is not None:
                    self.missing += max(self.pattern.step(self._slip, slip), 0)
                self._slip = slip

    def tear(self, number: int) -> None:
        """Enter that a kept frame is torn, as a look at all of it has found."""
        with self._lock:
            for index in range(len(self._runs) - 1, -1, -1):
                first, count, state = self._runs[index]
                if first <= number:
                    break
            else:
                return
            if state != "kept" or number >= first + count:
                return
            self.torn += 1
            parts: list[Run] = [
                (first, number - first, "kept"),
                (number, 1, "torn"),
                (number + 1, first + count - number - 1, "kept"),
            ]
            self._runs[index : index + 1] = [part for part in parts if part[1]]

    def numbers(self) -> Numbers:
        """Return what is said beside a picture."""
        with self._lock:
            frames_s = mb_s = None
            if len(self._times) > 1 and self._times[-1][0] > self._times[0][0]:
                seconds = (self._times[-1][0] - self._times[0][0]) / 1e9
                frames_s = (len(self._times) - 1) / seconds
                mb_s = (self._bytes - self._times[0][1]) / seconds / 1e6
            time_ns = self._times[-1][0] if self._times else 0
            return Numbers(self.frames, self.lost, self.torn, self.missing, frames_s, mb_s, time_ns)

    def torn_numbers(self) -> tuple[int, ...]:
        """Return the numbers of the torn frames."""
        return tuple(
            number
            for first, count, state in self.runs()
            if state == "torn"
            for number in range(first, first + count)
        )

    @property
    def end(self) -> int:
        """Return the number of the frame that comes next."""
        with self._lock:
            return self._runs[-1][0] + self._runs[-1][1] if self._runs else 0

    def marks(self, most: int) -> list[Run]:
        """Return the last runs of lost or torn frames."""
        with self._lock:
            found = (run for run in reversed(self._runs) if run[2] != "kept")
            return list(islice(found, most))[::-1]

    def runs(self, since: int = 0) -> list[Run]:
        """Return what came of the frames from a number on."""
        with self._lock:
            found = []
            for first, count, state in reversed(self._runs):
                if first + count <= since:
                    break
                skip = max(since - first, 0)
                found.append((first + skip, count - skip, state))
            return found[::-1]

    def _enter(self, first: int, count: int, state: State) -> None:
        if self._runs:
            before, many, what = self._runs[-1]
            if what == state and before + many == first:
                self._runs[-1] = (before, many + count, state)
                return
        self._runs.append((first, count, state))

    def _forget(self, now_ns: int) -> None:
        while len(self._times) > _MOST or (
            len(self._times) > _FEWEST and self._times[0][0] < now_ns - _WINDOW_NS
        ):
            self._bytes -= self._times.popleft()[1]
