# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C, SIGTERM and SIGHUP as a request to stop and keep what was measured."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Self

from sluice.errors import SluiceError

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StoppedError(SluiceError):
    """A signal came before something had ended."""

    def __init__(self, number: signal.Signals, count: str = "") -> None:
        super().__init__(f"stopped by {number.name}")
        self.exit_status = 128 + number
        self.count = count  # how much was measured, such as "1 of 2 rows were measured"

    def __str__(self) -> str:
        """Return the sentence for the user."""
        return "; ".join(part for part in (super().__str__(), self.count) if part)


class Stop:
    """While entered, the first of the signals is recorded and announced; the rest do nothing.

    Held from the first measurement until the result is saved, so that a second Ctrl-C
    cannot cut the saving short.
    """

    def __init__(self, *, second_ends: bool = False) -> None:
        """`second_ends`: the next signal ends the process at once."""
        self.signal: signal.Signals | None = None
        self._second_ends = second_ends
        self._announce: list[Callable[[], object]] = []
        self._before: dict[signal.Signals, object] = {}

    def __enter__(self) -> Self:
        """Take the signals over."""
        for number in SIGNALS:
            self._before[number] = signal.signal(number, self._receive)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Give the signals back to who had them."""
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    @contextmanager
    def calling(self, announce: Callable[[], object]) -> Iterator[None]:
        """While entered, call `announce` when a signal comes, at once if one came before."""
        self._announce.append(announce)
        try:
            if self.signal is not None:
                announce()
            yield
        finally:
            self._announce.remove(announce)

    def check(self, count: str = "") -> None:
        """Raise StoppedError if a signal came; `count` says how much was measured."""
        if self.signal is not None:
            raise StoppedError(self.signal, count)

    def _receive(self, number: int, _frame: FrameType | None) -> None:
        if self.signal is None:
            self.signal = signal.Signals(number)
            if self._second_ends:
                for each in SIGNALS:
                    signal.signal(each, signal.SIG_DFL)
            for announce in tuple(self._announce):
                announce()
