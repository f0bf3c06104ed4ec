# SPDX-License-Identifier: Apache-2.0
"""The loop: from the capture's ring to the sink."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from sluice.capture import check
from sluice.capture.sinks import SinkError, StoppedInSinkError, page_memory

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.capture.check import Counter
    from sluice.capture.ledger import Ledger
    from sluice.capture.sinks import Data, Sink
    from sluice.capture.view.feed import Feed
    from sluice.io import Board, Capture, Period

Ended = Literal["frames", "signal", "full", "closed", "failed", "stopped"]

# Shares of a ring that is free, below which a frame is copied.
NEVER, SOMETIMES, ALWAYS = 0.0, 0.6, 2.0

_NS = 1_000_000_000
# How soon a stop is seen: seconds of the board's clock. Simulated time passes slowly.
_LOOK_S, _SIMULATED_LOOK_S = 0.1, 1e-4


@dataclass(slots=True)
class Recorder:
    """Takes frames from a capture to a sink, and keeps the account."""

    board: Board
    sink: Sink
    ledger: Ledger
    counter: Counter | None
    wanted: int | None  # frames
    hold: bool  # the stream waits: nothing is written over
    copy_below: float  # share of the ring that is free, below which a frame is copied first
    sink_mb_s: float | None  # by the board's clock
    stopped: Callable[[], bool]
    moved: Callable[[], object] = bool  # called when the account has changed
    view: Feed | None = None
    headroom: float = 1.0  # least share of the ring that was free
    now: float = 1.0  # share that is free
    copied: int = 0  # frames
    overtaken: int = 0  # frames that the engine wrote over under the sink
    start_ns: int = 0  # by the board's clock
    elapsed_ns: int = 0  # by the board's clock, as are the next two
    sink_ns: int = 0
    check_ns: int = 0
    problem: SinkError | None = None
    next_number: int = 0  # of the frame that comes next
    _capture: Capture = field(init=False)
    _due_ns: int = 0  # when a sink of that rate has done what it was given
    copy: Data = field(default=None, init=False)  # memory of a frame

    def __post_init__(self) -> None:
        """Have memory for copies, if there may be any."""
        if self.copy_below > NEVER:
            self.copy = page_memory(self.ledger.period_bytes)

    def run(self, capture: Capture) -> Ended:
        """Record until the frames are there, or something ends it."""
        self._capture = capture
        try:
            while self.wanted is None or self.ledger.frames < self.wanted:
                period = self._next()
                if period is None:
                    return "signal" if self.stopped() else "stopped"
                self._take(period)
        except StoppedInSinkError:
            return "signal"
        except SinkError as error:
            self.problem = error
            return error.reason
        finally:
            self.elapsed_ns = self.board.now_ns() - self.start_ns
        return "frames"

    def _next(self) -> Period | None:
        while not self.stopped():
            try:
                return self._capture.next(self._look_s)
            except TimeoutError:
                self.moved()
        return None

    @property
    def _look_s(self) -> float:
        return _SIMULATED_LOOK_S if self.board.info.simulated_time else _LOOK_S

    def _take(self, period: Period) -> None:
        if period.number != self.next_number:
            first, self.next_number = self.next_number, period.number
            self._lose(first, period.number - first)
        behind = self._capture.status().produced - period.number
        self.now = 1 - min(1, behind / max(self._capture.room, 1))
        self.headroom = min(self.headroom, self.now)
        data = period.data
        copies = self.now < self.copy_below
        if copies:
            self.copied += 1
            if not self._capture.copies:  # else the driver has
                self.copy[: data.nbytes] = data
                data = self.copy[: data.nbytes]
            if not self._capture.release():
                self.next_number += 1
                self._lose(period.number, 1)
                return
        found = self._look(data)
        if self.view is not None:
            self.view.look(data)
        self._put(period.number, data)
        try:
            self._pace(data.nbytes)
            whole = copies or self._capture.release()
        except OSError:  # of the board
            if copies or self.hold:
                self._keep(period, found)
            else:
                self.sink.take_back()
            raise
        if whole:
            self._keep(period, found)
            return
        self.next_number += 1
        self.overtaken += 1
        self.sink.take_back()
        self._lose(period.number, 1)

    def _keep(self, period: Period, found: check.Look | None) -> None:
        self.next_number += 1
        if self.counter is not None and found is not None:
            self.counter.keep(period, found, self.ledger.stored)
        self.ledger.keep(period)
        if self.view is not None:
            self.view.keep(period)
        self.moved()

    def _lose(self, first: int, count: int) -> None:
        missing = self.ledger.lose(self._capture, first, count, self.board.now_ns())
        if self.counter is not None:
            self.counter.lose(missing)
        if self.view is not None:
            self.view.lose(first, count)
        self.headroom = 0.0
        self.moved()

    def _look(self, data: Data) -> check.Look | None:
        if self.counter is None:
            return None
        start_ns = self.board.now_ns()
        found = check.look(data)
        self.check_ns += self.board.now_ns() - start_ns
        return found

    def _put(self, number: int, data: Data) -> None:
        start_ns = self.board.now_ns()
        try:
            self.sink.put(number, data)
        finally:
            self.sink_ns += self.board.now_ns() - start_ns

    def _pace(self, nbytes: int) -> None:
        """Let the board's time pass that a sink of the asked rate takes."""
        if self.sink_mb_s is None:
            return
        start_ns = now_ns = self.board.now_ns()
        self._due_ns = round(max(self._due_ns, now_ns) + nbytes / self.sink_mb_s * 1e3)
        while now_ns < self._due_ns and not self.stopped():
            self.board.sleep(min((self._due_ns - now_ns) / _NS, self._look_s))
            now_ns = self.board.now_ns()
        self.sink_ns += now_ns - start_ns
