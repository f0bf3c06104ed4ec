# SPDX-License-Identifier: Apache-2.0
"""Channels of a board: transfers, copies and captures."""

from __future__ import annotations

import errno
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Self

from sluice.io.capture import Capture
from sluice.io.clock import NS
from sluice.io.native import load

if TYPE_CHECKING:
    from types import TracebackType

    import numpy as np
    from numpy.typing import NDArray

    from sluice.io import _native
    from sluice.io.buffer import Buffer
    from sluice.io.clock import Clock


def _checked(memory: NDArray[np.uint8], period_bytes: int) -> NDArray[np.uint8]:
    """Return the part of the memory that a period is copied to."""
    flags = memory.flags
    if memory.ndim != 1 or memory.dtype.str != "|u1" or not (flags.contiguous and flags.writeable):
        raise ValueError(
            f"read_into must be a writeable, contiguous array of uint8 of one dimension, is of "
            f"{memory.dtype} and shape {memory.shape}"
        )
    if memory.nbytes < period_bytes:
        raise ValueError(f"read_into has {memory.nbytes} bytes, and a period {period_bytes}")
    return memory[:period_bytes]


class Direction(IntEnum):
    """What a channel does."""

    MM2S = 1  # memory to stream, or to the card's memory
    S2MM = 2  # stream, or the card's memory, to memory
    COPY = 3  # memory to memory


@dataclass(frozen=True)
class ChannelInfo:
    """What a channel is and takes."""

    name: str
    port: str
    direction: Direction
    width_bits: int
    offset_alignment: int  # a transfer's offset is a multiple of this
    length_alignment: int  # so is its length, where more of the packet follows
    max_bytes: int
    max_packet_bytes: int
    capabilities: int
    card_first: int  # of a copy: what its engine reaches of the board's block RAM
    card_bytes: int  # of that; 0: there is none


@dataclass(frozen=True)
class Completion:
    """The end of a transfer or copy."""

    cookie: int
    nbytes: int  # really moved; of a failed transfer 0
    start_ns: int
    finish_ns: int
    status: int  # 0, or a negative errno
    end_of_packet: bool
    text: str  # the status in words

    def check(self) -> Self:
        """Return itself, or raise OSError if the transfer failed."""
        if self.status != 0:
            raise OSError(-self.status, f"the transfer failed: {self.text}")
        return self


class Channel:
    """One direction of a DMA engine, or one that copies. Made by Board.channel().

    As a context manager it stops what is still queued at the end, where the engine can be stopped.
    """

    def __init__(self, clock: Clock, native: _native.Channel) -> None:
        self._clock = clock
        self.native = native
        fields = native.info()
        self.info = ChannelInfo(**{**fields, "direction": Direction(fields["direction"])})

    def submit(  # noqa: PLR0913 - the fields of a transfer
        self,
        buffer: Buffer,
        offset: int = 0,
        nbytes: int | None = None,
        *,
        cookie: int = 0,
        timeout: float = 0.0,
        fill: bool = False,
        card_offset: int = 0,
    ) -> None:
        """Queue a transfer of `nbytes` (all of the buffer from `offset` on).

        timeout (devices): seconds from now on after which it ends with ETIMEDOUT; 0: none.
        fill (devices, S2MM): it ends when it is full, not with a packet.
        card_offset: first byte in the card's memory, where that is the other side.
        """
        length = len(buffer) - offset if nbytes is None else nbytes
        flags = load().TRANSFER_FILL if fill else 0
        entry = (buffer.native, offset, length, cookie, round(timeout * NS), flags, card_offset)
        self.native.submit([entry])

    def copy(  # noqa: PLR0913 - the fields of a copy
        self,
        source: Buffer,
        destination: Buffer,
        *,
        source_offset: int = 0,
        destination_offset: int = 0,
        nbytes: int | None = None,
        cookie: int = 0,
        timeout: float = 0.0,
    ) -> None:
        """Queue a copy of `nbytes` (all of the source from its offset on)."""
        length = len(source) - source_offset if nbytes is None else nbytes
        self.native.copy([(
            source.native, source_offset, destination.native, destination_offset,
            length, cookie, round(timeout * NS),
        )])  # fmt: skip

    def reap(self, count: int = 256, timeout: float | None = None) -> list[Completion]:
        """Take completions, at most `count`.

        At least one, unless the time (of the board, in seconds; None: for ever) is over or nothing
        is queued.
        """
        found = self._clock.wait(
            timeout, lambda slice_ns: self.native.reap(count, slice_ns) or None
        )
        return [Completion(*fields) for fields in found or []]

    def wait(self, timeout: float | None = None) -> Completion:
        """Return the next completion.

        TimeoutError: none came in time. OSError: the transfer failed; ENOENT: nothing is queued.
        """
        found = self.reap(1, timeout)
        if found:
            return found[0].check()
        if timeout is None:
            raise OSError(errno.ENOENT, f"nothing is queued on {self.info.name}")
        raise TimeoutError(errno.ETIMEDOUT, f"{self.info.name}: nothing completed in {timeout} s")

    def cancel(self) -> None:
        """Stop the channel: what is queued completes with ECANCELED."""
        self.native.cancel()

    def capture(  # noqa: PLR0913 - the fields of a capture
        self,
        buffer: Buffer,
        period_bytes: int,
        periods: int,
        *,
        offset: int = 0,
        skip_lost: bool = False,
        hold: bool = False,
        read_into: NDArray[np.uint8] | None = None,
    ) -> Capture:
        """Begin to receive the stream into `periods` periods of the buffer, round and round.

        skip_lost: iteration goes on behind periods that were lost instead of raising PeriodsLost.
        hold: the engine gets released periods only, and the stream waits while there is none.
        read_into: memory of a period, into which the driver copies each (dev: alone); the data of
        periods is there then. One dimension of uint8, contiguous, writeable.
        OSError (ENOTSUP): the channel cannot capture, or not with hold.
        ValueError: read_into is shorter than a period, or no such memory.
        """
        if read_into is not None:
            read_into = _checked(read_into, period_bytes)
        flags = load().CAPTURE_HOLD if hold else 0
        self.native.capture_start(buffer.native, offset, period_bytes, periods, flags)
        return Capture(
            self._clock,
            self.native,
            buffer,
            offset,
            period_bytes,
            periods,
            skip_lost,
            hold,
            read_into,
        )

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop what is still queued."""
        if self.info.capabilities & load().CAN_CANCEL:
            self.cancel()
            self.native.reap(256, 0)
