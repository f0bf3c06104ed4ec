# SPDX-License-Identifier: Apache-2.0
"""A stream received into a ring of periods."""

from __future__ import annotations

import errno
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from sluice.io.native import load

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    import numpy as np
    from numpy.typing import NDArray

    from sluice.io import _native
    from sluice.io.buffer import Buffer
    from sluice.io.clock import Clock


@dataclass(frozen=True)
class Loss:
    """A run of consecutive periods that the engine overwrote before they were released."""

    first: int  # number of the first lost period
    count: int  # number of lost periods
    time_ns: int  # time at which the loss was noticed, by the board's clock


@dataclass(frozen=True)
class CaptureStatus:
    """Progress and losses of a capture."""

    produced: int  # number of periods that have ended
    released: int  # number of periods that the program has released
    lost: int  # number of periods that were overwritten before their release
    losses: int  # number of runs of lost periods, which Capture.losses() returns
    bytes: int  # number of bytes received
    drops: int  # number of beats dropped before the engine
    clock_hz: int  # frequency of the ticks of periods; 0 if it is not known
    running: bool  # True until the capture has stopped
    exact: bool  # True if the hardware counts; otherwise produced and lost are estimates
    passed: int = 0  # number of whole periods that Capture.next() skipped after lost ones


@dataclass(frozen=True)
class Counts:
    """Record of a period, without its data. The fields are those of Period."""

    nbytes: int  # see Period
    ticks: int  # see Period
    time_ns: int  # see Period
    drops: int  # see Period
    exact: bool  # see Period
    merged: bool  # see Period


class PeriodsLost(Exception):  # noqa: N818 - a state of the stream, not a mistake
    """The engine has overwritten periods before the program released them."""

    def __init__(self, first: int, count: int, passed: int = 0) -> None:
        """`count` periods from number `first` on. The last `passed` of them were whole but skipped.

        The engine would have overwritten those soon.
        """
        last = first + count - passed - 1
        which = f"period {first} was" if last == first else f"periods {first} to {last} were"
        left_out = f", and {passed} behind, still whole, were left out" if passed else ""
        super().__init__(f"{which} overwritten before the release{left_out}")
        self.first = first
        self.count = count
        self.passed = passed


@dataclass(frozen=True)
class Period:
    """A period of a capture.

    Drivers keep the counts of the last periods only (sluice.ko of 512). A program that is further
    behind in a longer ring still gets the data, with the bytes of a whole period. The number of
    valid bytes is then not known, and all other fields are 0.
    """

    number: int  # number of the period, from 0
    data: NDArray[np.uint8]  # in the buffer, or in read_into; valid until the next period is taken
    nbytes: int  # number of bytes received; 0 if merged
    ticks: int  # time of its end, by the hardware's clock; 0 unless exact
    time_ns: int  # time at which the driver noticed its end
    drops: int  # number of beats dropped before the engine during the period
    exact: bool  # True if the hardware counted
    merged: bool  # True if the next period that is not merged has its counts; data is whole
    known: bool = True  # False if the record is gone; data is then the whole period


class Capture:
    """A stream that is received into a ring of periods. Iteration returns each period as it ends.

    Taking the next period releases the one before. If the engine has overwritten that one
    meanwhile, PeriodsLost is raised, and results computed from its data are invalid. Another `for`
    continues after it. As a context manager, the capture stops at the end.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - made by Channel.capture() alone
        self,
        clock: Clock,
        native: _native.Channel,
        buffer: Buffer,
        offset: int,
        period_bytes: int,
        periods: int,
        skip_lost: bool,  # noqa: FBT001
        hold: bool = False,  # noqa: FBT001, FBT002
        read_into: NDArray[np.uint8] | None = None,
    ) -> None:
        self._clock = clock
        self.native = native
        self._buffer = buffer
        self._data = buffer.array()[offset : offset + period_bytes * periods].reshape(periods, -1)
        self._data.flags.writeable = False
        self._skip_lost = skip_lost
        self._hold = hold  # the engine waits for releases: a full ring is whole
        self._own = read_into  # what the driver copies to; None: periods are read in the ring
        self._next = 0  # number of the period that comes next
        self._begun = False  # the one before it is in the program's hands
        self._lost = 0  # of periods that were released
        self._passed = 0
        self._room = periods

    @property
    def room(self) -> int:
        """Number of periods before the newest one that are whole.

        It is the ring's number of periods until some are lost. Afterwards, it leaves out those that
        the engine already has in its buffer.
        """
        return self._room

    @property
    def copies(self) -> bool:
        """Whether the driver copies each period, so that its data remains after the release."""
        return self._own is not None

    def status(self) -> CaptureStatus:
        """Return progress and losses of the capture."""
        return CaptureStatus(**self.native.capture_status(), passed=self._passed)

    def losses(self) -> list[Loss]:
        """Return the runs of lost periods, as far as the driver still has their records."""
        found = []
        for index in range(self.status().losses):
            try:
                found.append(Loss(*self.native.capture_loss(index)))
            except FileNotFoundError:  # no longer kept
                continue
        return found

    def counts(self, number: int) -> Counts | None:
        """Return the record of a period, even of a lost one.

        Returns:
            The record. None if the period has not ended, or if its record is gone.
        """
        try:
            fields = self.native.capture_period(number)
        except FileNotFoundError:
            return None
        return Counts(nbytes=fields.pop("bytes"), **fields)

    def release(self) -> bool:
        """Release the period that was taken last, before the next one is taken.

        Returns:
            Whether its data is valid. False if the engine has overwritten the period by now, or may
                have.
        """
        if not self._begun:
            return True
        self._end()
        return self._release_below(self._next) == 0

    def _begin(self, number: int, nbytes: int) -> NDArray[np.uint8]:
        """Return the first bytes of a period, which are the program's until _end()."""
        if self._own is None:
            place = number % len(self._data)
            data: NDArray[np.uint8] = self._data[place, :nbytes]
            self._buffer.native.begin_access(load().READ)
        else:
            data = self._own[:nbytes]
            self.native.capture_read(number, data)
        self._begun = True
        return data

    def _end(self) -> None:
        if self._begun and self._own is None:
            self._buffer.native.end_access()
        self._begun = False

    def _release_below(self, number: int) -> int:
        """Release the periods below a number; return how many of them were lost."""
        lost = self.native.capture_release(number)
        self._lost += lost
        return lost

    def _release(self) -> None:
        """Release the period before the next one, and raise PeriodsLost if it was lost."""
        if not self.release() and not self._skip_lost:
            raise PeriodsLost(self._next - 1, 1)

    def __iter__(self) -> Iterator[Period]:
        """Give periods as they end, until the capture stops."""
        while (period := self.next()) is not None:
            yield period

    def next(self, timeout: float | None = None) -> Period | None:
        """Wait for the next period and return it, or None if the capture stopped before it.

        Args:
            timeout: Longest time to wait, in seconds of the board's time. None is no limit.

        Raises:
            TimeoutError: If the period has not ended in that time.
            PeriodsLost: If the previous period, or those before this one, were lost.
        """
        self._release()
        for slice_ns in self._clock.slices(timeout):
            try:
                ended = self.native.capture_wait(self._next, slice_ns)
            except InterruptedError:
                continue
            except BrokenPipeError:
                return None
            if ended and self._pass_lost():
                break
        else:
            raise TimeoutError(errno.ETIMEDOUT, f"period {self._next} has not ended in {timeout} s")
        number = self._next
        size = self._data.shape[1]
        found = self.counts(number)
        counts = found or Counts(size, 0, 0, 0, exact=False, merged=False)
        data = self._begin(number, size if counts.merged else counts.nbytes)
        self._next += 1
        return Period(number=number, data=data, **vars(counts), known=found is not None)

    def _pass_lost(self) -> bool:
        """Go on behind periods that were lost, to the middle of those that are whole.

        Return whether one that is whole is known: over a network, those behind may not have come.
        PeriodsLost: there were some. A program that went on with the first that is whole would find
        the engine in it at once.
        """
        status = self.status()
        lost = status.lost - self._lost  # and not released yet: the next period, and those behind
        if lost <= 0:
            return True
        first, whole = self._next, self._next + lost
        self._room = status.produced - whole or self._room
        self._next = max(whole, status.produced - max((status.produced - whole) // 2, 1))
        count = self._next - first
        passed = count - self._release_below(self._next)
        self._passed += passed
        if not self._skip_lost:
            raise PeriodsLost(first, count, passed)
        return self._next < status.produced

    def stop(self) -> None:
        """Stop the capture. Periods that had ended can still be taken."""
        self.native.capture_stop()

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop."""
        self._end()
        if self.status().running:
            self.stop()
