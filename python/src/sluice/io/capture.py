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
    """Periods of a capture, one after the other, that were written over before they were read."""

    first: int
    count: int
    time_ns: int


@dataclass(frozen=True)
class CaptureStatus:
    """Where a capture is."""

    produced: int  # periods that have ended
    released: int  # periods that the program is done with
    lost: int  # periods written over before they were released
    losses: int  # runs of them: Capture.losses()
    bytes: int  # received
    drops: int  # beats dropped in front of the engine
    clock_hz: int  # of the ticks of periods; 0: not known
    running: bool
    exact: bool  # the hardware's own counts; else produced and lost are a guess
    passed: int = 0  # whole periods that Capture.next() left out behind lost ones


@dataclass(frozen=True)
class Counts:
    """What is known of a period, without its data. The fields are those of Period."""

    nbytes: int
    ticks: int
    time_ns: int
    drops: int
    exact: bool
    merged: bool


class PeriodsLost(Exception):  # noqa: N818 - a state of the stream, not a mistake
    """The capture has written over periods before the program was done with them."""

    def __init__(self, first: int, count: int, passed: int = 0) -> None:
        """`count` periods from number `first` on, of which the last `passed` were left out whole.

        The engine would have been in them soon.
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
    behind in a longer ring still gets the data: as many bytes as a period has, all else 0. How many
    of them are valid is not known then.
    """

    number: int  # counted from 0
    # In the buffer, or in what the driver copies to: valid until the next one is asked for.
    data: NDArray[np.uint8]
    nbytes: int  # received in it; 0 if merged
    ticks: int  # when it ended, by the hardware's clock; 0 unless exact
    time_ns: int  # when the driver knew that it had ended
    drops: int  # beats dropped in front of the engine meanwhile
    exact: bool  # the hardware's own counts
    merged: bool  # its counts stand in the next period without this; data is the whole period
    known: bool = True  # else its record was no longer kept: data is the whole period


class Capture:
    """A stream received into a ring of periods; iteration gives each as it ends.

    Asking for the next period releases the one before. If the engine was faster and has written
    over it meanwhile, that raises PeriodsLost, for what was computed from it does not count;
    another `for` goes on after it. As a context manager it stops at the end.
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
        """How many periods behind the newest are whole.

        The ring's periods until some were lost; from then on without those that the engine has in
        its buffer already.
        """
        return self._room

    @property
    def copies(self) -> bool:
        """Tell whether the driver copies each period: its data stay when it is released."""
        return self._own is not None

    def status(self) -> CaptureStatus:
        """Return where the capture is."""
        return CaptureStatus(**self.native.capture_status(), passed=self._passed)

    def losses(self) -> list[Loss]:
        """Return what was lost, as far as it is still kept."""
        found = []
        for index in range(self.status().losses):
            try:
                found.append(Loss(*self.native.capture_loss(index)))
            except FileNotFoundError:  # no longer kept
                continue
        return found

    def counts(self, number: int) -> Counts | None:
        """Return what is known of a period, of one that was lost too.

        None: it has not ended, or its record is no longer kept.
        """
        try:
            fields = self.native.capture_period(number)
        except FileNotFoundError:
            return None
        return Counts(nbytes=fields.pop("bytes"), **fields)

    def release(self) -> bool:
        """Be done with the period that was given last, before the next one is asked for.

        Returns whether its data count. False: the engine has, or may have, written over it by now.
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
        """Be done with the period before the next one; raise PeriodsLost if it was lost."""
        if not self.release() and not self._skip_lost:
            raise PeriodsLost(self._next - 1, 1)

    def __iter__(self) -> Iterator[Period]:
        """Give periods as they end, until the capture stops."""
        while (period := self.next()) is not None:
            yield period

    def next(self, timeout: float | None = None) -> Period | None:
        """Return the next period, or None if the capture has stopped before it.

        TimeoutError: it has not ended in time. PeriodsLost: the one before, or those before this
        one, were lost.
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
        """End the capture. Periods that had ended can still be had."""
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
