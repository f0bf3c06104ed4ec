# SPDX-License-Identifier: Apache-2.0
"""Channels of a board: transfers, copies and captures."""

from __future__ import annotations

import errno
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Self

from sluice.io.buffer import Buffer
from sluice.io.capture import Capture
from sluice.io.clock import NS
from sluice.io.native import load

if TYPE_CHECKING:
    from types import TracebackType

    import numpy as np
    from numpy.typing import NDArray

    from sluice.io import _native
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
    """Direction in which a channel moves data."""

    MM2S = 1  # from memory to the stream, or to the card's memory
    S2MM = 2  # from the stream, or from the card's memory, to memory
    COPY = 3  # from memory to memory


@dataclass(frozen=True)
class ChannelInfo:
    """Properties of a channel, and its limits for transfers."""

    name: str  # name of the channel
    port: str  # name of its memory port
    direction: Direction  # direction in which it moves data
    width_bits: int  # width of its stream, in bits
    offset_alignment: int  # a transfer's offset is a multiple of this
    length_alignment: int  # a transfer's length is a multiple of this, if its packet continues
    max_bytes: int  # largest transfer
    max_packet_bytes: int  # S2MM: largest transfer without fill, and largest period; otherwise 0
    capabilities: int  # SLUICE_CAN_* and SLUICE_HAS_CARD of sluice.h
    card_first: int  # for copies, first byte of block RAM that the channel's engine reaches
    card_bytes: int  # size of that part; 0 without block RAM


@dataclass(frozen=True)
class Completion:
    """The end of a transfer or copy."""

    cookie: int  # number that the program gave the transfer
    nbytes: int  # number of bytes moved; 0 if the transfer failed
    start_ns: int  # time of the start, by the board's clock
    finish_ns: int  # time of the end, by the board's clock
    status: int  # 0, or a negative errno
    end_of_packet: bool  # True if a packet ended the transfer
    text: str  # the status as text

    def check(self) -> Self:
        """Return itself, or raise OSError if the transfer failed."""
        if self.status != 0:
            raise OSError(-self.status, f"the transfer failed: {self.text}")
        return self


# What a transfer that does not end may be waiting for.
_WAITS_FOR = {
    Direction.S2MM: "; it receives from its stream, on which a source or a loop-back must send",
    Direction.MM2S: "; it sends to its stream, from which a sink or a loop-back must take",
}


def _check_buffer(name: str, value: object) -> None:
    """Refuse memory that a board has not allocated, as engines cannot reach it."""
    if not isinstance(value, Buffer):
        raise TypeError(
            f"{name} is of type {type(value).__name__}, which no engine reaches; allocate it with "
            "board.buffer(nbytes), and copy data in by its access(write=True)"
        )


def _length(name: str, buffer: Buffer, offset: int, nbytes: int | None) -> int:
    """Return the size of a transfer: to the end of the buffer, unless it is given."""
    if not 0 <= offset <= len(buffer):
        raise ValueError(f"{name} must be from 0 to {len(buffer)}, not {offset}")
    return len(buffer) - offset if nbytes is None else nbytes


class Channel:
    """One direction of a DMA engine, or an engine that copies. Made by Board.channel().

    As a context manager, it stops queued transfers at the end, if the engine can be stopped.
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
        """Queue a transfer.

        Args:
            buffer: Memory to send, or to receive into.
            offset: First byte of the transfer in the buffer.
            nbytes: Size of the transfer. By default, it extends to the end of the buffer.
            cookie: Number that the completion returns.
            timeout: Seconds from now, after which the transfer ends with ETIMEDOUT. 0 is no limit.
                For devices only.
            fill: Whether the transfer ends only when it is full, not with a packet. For S2MM on
                devices only.
            card_offset: First byte in the card's memory, if that is the other side.
        """
        _check_buffer("buffer", buffer)
        length = _length("offset", buffer, offset, nbytes)
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
        """Queue a copy.

        Args:
            source: Buffer to copy from.
            destination: Buffer to copy to.
            source_offset: First byte in the source.
            destination_offset: First byte in the destination.
            nbytes: Size of the copy. By default, it extends to the end of the source.
            cookie: Number that the completion returns.
            timeout: As for submit().
        """
        _check_buffer("source", source)
        _check_buffer("destination", destination)
        length = _length("source_offset", source, source_offset, nbytes)
        self.native.copy([(
            source.native, source_offset, destination.native, destination_offset,
            length, cookie, round(timeout * NS),
        )])  # fmt: skip

    def reap(self, count: int = 256, timeout: float | None = None) -> list[Completion]:
        """Wait for completions and take them.

        Args:
            count: Largest number of completions to take.
            timeout: Longest time to wait, in seconds of the board's time. None is no limit.

        Returns:
            At least one completion, unless the timeout expired or nothing is queued.
        """
        found = self._clock.wait(
            timeout, lambda slice_ns: self.native.reap(count, slice_ns) or None
        )
        return [Completion(*fields) for fields in found or []]

    def wait(self, timeout: float | None = None) -> Completion:
        """Wait for the next completion and return it.

        Args:
            timeout: Longest time to wait, in seconds of the board's time. None is no limit.

        Raises:
            TimeoutError: If the timeout expired.
            OSError: If the transfer failed. With ENOENT if nothing is queued.
        """
        found = self.reap(1, timeout)
        if found:
            return found[0].check()
        if timeout is None:
            raise OSError(errno.ENOENT, f"nothing is queued on {self.info.name}")
        said = f"{self.info.name}: nothing completed in {timeout} s"
        raise TimeoutError(errno.ETIMEDOUT, said + _WAITS_FOR.get(self.info.direction, ""))

    def cancel(self) -> None:
        """Stop the channel. Its queued transfers complete with ECANCELED."""
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
        """Start to receive the stream into periods of the buffer, which form a ring.

        Args:
            buffer: Memory of the ring.
            period_bytes: Size of a period.
            periods: Number of periods in the ring.
            offset: First byte of the ring in the buffer.
            skip_lost: Whether iteration continues after lost periods, and does not raise
                PeriodsLost.
            hold: Whether the engine gets only released periods. The stream is blocked while all
                periods are in use.
            read_into: Memory of one period, into which the driver copies each period (dev: only).
                The data of periods is then there. It is a writeable, contiguous array of uint8 with
                one dimension.

        Raises:
            OSError: With ENOTSUP if the channel cannot capture, or cannot do so with `hold`.
            ValueError: If `read_into` is shorter than a period, or is not such an array.
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
