# SPDX-License-Identifier: Apache-2.0
"""Channels of a board as sources and sinks."""

from sluice.errors import InputError, RunError
from sluice.io import Board, Buffer, Channel, Direction
from sluice.io.native import load
from sluice.pipe.ends import ChannelEnd
from sluice.pipe.pump import Busy, Digest, Slot, new_digest


class _Side:
    """What a channel has as a source and as a sink."""

    def __init__(self, board: Board, end: ChannelEnd, direction: Direction, chunk: int) -> None:
        self.busy = Busy()
        self.end_name = end.name
        self.board = board
        try:
            self.channel: Channel = board.channel(end.channel)
        except FileNotFoundError as error:
            names = ", ".join(board.channel_names())
            raise InputError(f"{end.uri} has no channel {end.channel}; allowed: {names}") from error
        info = self.channel.info
        if info.direction != direction:
            way = "comes from" if direction == Direction.S2MM else "goes to"
            raise InputError(f"{end.name}: nothing {way} this channel")
        if chunk > info.max_bytes:
            raise InputError(
                f"--chunk {chunk}: a transfer of {end.name} has at most {info.max_bytes} bytes"
            )
        self.on_card = bool(info.capabilities & load().HAS_CARD)
        if end.offset is not None and not self.on_card:
            raise InputError(f"{end.name} is a stream, which has no offset")
        self.first = end.offset or 0  # in the card's memory
        self.position = self.first
        self.cancelled = False

    def place(self, nbytes: int) -> int:
        """Return where the next bytes lie in the card's memory; 0 of a stream."""
        if not self.on_card:
            return 0
        place, self.position = self.position, self.position + nbytes
        if self.position > self.board.info.card_bytes:
            raise RunError(
                f"{self.end_name}: the card's memory ends at {self.board.info.card_bytes} bytes"
            )
        return place

    def ended(self, slot: Slot) -> bool:
        """Wait for the oldest transfer. False: it was stopped, and has brought nothing."""
        try:
            done = self.channel.wait()
        except OSError as error:
            if self.cancelled:
                slot.nbytes = 0
                return False
            raise RunError(f"{self.end_name}: {error.strerror}") from error
        self.busy.add(done.start_ns, done.finish_ns)
        slot.nbytes = done.nbytes
        return True

    def cancel(self) -> None:
        """Stop what is queued, where the engine can be stopped."""
        self.cancelled = True
        if self.channel.info.capabilities & load().CAN_CANCEL:
            self.channel.cancel()


def _buffer(slot: Slot) -> Buffer:
    if not isinstance(slot.memory, Buffer):
        raise TypeError("a channel's chunks are buffers of its board")
    return slot.memory


class ChannelSource(_Side):
    """A channel that brings data, from a stream or the card's memory."""

    def __init__(self, board: Board, end: ChannelEnd, nbytes: int | None, chunk: int) -> None:
        super().__init__(board, end, Direction.S2MM, chunk)
        if nbytes is None and self.on_card:
            nbytes = board.info.card_bytes - self.first
        self.total = nbytes
        self._left = nbytes
        self._chunk = chunk

    def begin(self, slot: Slot) -> bool:
        """Queue a transfer."""
        wanted = self._chunk if self._left is None else min(self._chunk, self._left)
        if wanted == 0 or self.cancelled:
            return False
        self.channel.submit(_buffer(slot), 0, wanted, card_offset=self.place(wanted))
        if self._left is not None:
            self._left -= wanted
        return True

    def end(self, slot: Slot) -> bool:
        """Wait for the oldest; a packet may be shorter than a chunk."""
        return self.ended(slot) and slot.nbytes != 0


class ChannelSink(_Side):
    """A channel that takes data, to a stream, a packet a chunk, or to the card's memory."""

    def __init__(self, board: Board, end: ChannelEnd, chunk: int) -> None:
        super().__init__(board, end, Direction.MM2S, chunk)

    def begin(self, slot: Slot) -> None:
        """Queue a transfer."""
        self.channel.submit(_buffer(slot), 0, slot.nbytes, card_offset=self.place(slot.nbytes))

    def end(self, slot: Slot) -> None:
        """Wait for the oldest."""
        wanted = slot.nbytes
        if self.ended(slot) and slot.nbytes != wanted:
            raise RunError(f"{self.end_name}: took {slot.nbytes} of {wanted} bytes")

    def digest(self, back: str, memory: Buffer) -> Digest:
        """Return the digest of what is in the card's memory now, read by the channel `back`."""
        channel = self.board.channel(back)
        found = new_digest()
        for place in range(self.first, self.position, len(memory)):
            wanted = min(len(memory), self.position - place)
            channel.submit(memory, 0, wanted, card_offset=place)
            channel.wait()
            with memory.access(read=True) as data:
                found.update(data.data[:wanted])
        return found
