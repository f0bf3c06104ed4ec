# SPDX-License-Identifier: Apache-2.0
"""Waits of the library, short enough for Ctrl-C to be handled between two of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sluice.io import _native

T = TypeVar("T")

NS = 1_000_000_000  # in a second
_SLICE_NS = 100_000_000
_SIMULATED_SLICE_NS = 100_000  # simulated time passes slowly


class Clock:
    """A board's clock, for waiting by it."""

    def __init__(self, board: _native.Board, *, simulated: bool) -> None:
        """Make the clock of an open board."""
        self.now_ns = board.now_ns
        self._most = _SIMULATED_SLICE_NS if simulated else _SLICE_NS

    def slices(self, timeout: float | None) -> Iterator[int]:
        """Give the waits that make up `timeout` seconds of the board's time. None is no limit."""
        if timeout is None:
            while True:
                yield self._most
        left = max(round(timeout * NS), 0)
        end = self.now_ns() + left
        yield min(left, self._most)
        while (left := end - self.now_ns()) > 0:
            yield min(left, self._most)

    def wait(self, timeout: float | None, ask: Callable[[int], T | None]) -> T | None:
        """Return the result of ask(ns), which waits for completions.

        An interrupted call of ask() is repeated, because Python has handled the signal.

        Returns:
            The result. None if the timeout expired, or if nothing is queued.
        """
        for slice_ns in self.slices(timeout):
            before = self.now_ns()
            try:
                found = ask(slice_ns)
            except InterruptedError:
                continue
            # It comes back at once, and without anything, where nothing is queued. A wait to its
            # end may look a little short: it is by another clock than the board's.
            if found is not None or self.now_ns() - before < slice_ns // 2:
                return found
        return None
