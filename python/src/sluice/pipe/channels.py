# SPDX-License-Identifier: Apache-2.0
"""Channels of a board as sources and sinks."""

from contextlib import suppress

from sluice.errors import InputError, RunError
from sluice.io import Board, Buffer, Channel, Completion, Direction
from sluice.io.native import load
from sluice.opening import open_channel
from sluice.pipe.ends import ChannelEnd
from sluice.pipe.pump import Busy, Digest, Slot, new_digest

# How soon a stop is seen: seconds of the board's clock. Simulated time passes slowly.
_LOOK_S, _SIMULATED_LOOK_S = 0.1, 1e-4


class _Side:
    """What a channel has as a source and as a sink."""

    def __init__(self, board: Board, end: ChannelEnd, direction: Direction, chunk: int) -> None:
        self.busy = Busy()
        self.end_name = end.name
        self.board = board
        self.channel = open_channel(board, end.uri, end.channel)
        info = self.channel.info
        if info.direction != direction:
            way = "comes from" if direction == Direction.S2MM else "goes to"
            raise InputError(f"{end.name}: nothing {way} this channel")
        most = min(info.max_bytes, info.max_packet_bytes or info.max_bytes)
        if chunk > most:
            raise InputError(f"--chunk {chunk}: a transfer of {end.name} has at most {most} bytes")
        self.on_card = bool(info.capabilities & load().HAS_CARD)
        if end.offset is not None and not self.on_card:
            raise InputError(f"{end.name} is a stream, which has no offset; leave out @OFFSET")
        self.first = end.offset or 0  # in the card's memory
        self.position = self.first
        self.cancelled = False
        self._look_s = _SIMULATED_LOOK_S if board.info.simulated_time else _LOOK_S

    def check_range(self, nbytes: int) -> None:
        """Refuse what does not fit into the card's memory, as far as its size is known."""
        most = self.board.info.card_bytes
        if self.on_card and most and self.first + nbytes > most:
            raise InputError(
                f"{self.end_name}: {nbytes} bytes at {self.first} exceed the card's memory of "
                f"{most} bytes"
            )

    def queue(self, slot: Slot, nbytes: int) -> None:
        """Queue the transfer of a chunk. After a stop there is none, and the chunk is empty."""
        slot.nbytes = 0 if self.cancelled else nbytes
        if self.cancelled:
            return
        place = self.position if self.on_card else 0
        self.position += nbytes
        try:
            self.channel.submit(_buffer(slot), 0, nbytes, card_offset=place)
        except OSError as error:
            raise RunError(f"{self.end_name}: {error.strerror}") from error

    def ended(self, slot: Slot) -> bool:
        """Wait for the oldest transfer. False: it was stopped, and has brought nothing."""
        done = self._wait() if slot.nbytes else None
        if done is None or (done.status != 0 and self.cancelled):
            slot.nbytes = 0
            return False
        if done.status != 0:
            raise RunError(f"{self.end_name}: the transfer failed: {done.text}")
        self.busy.add(done.start_ns, done.finish_ns)
        slot.nbytes = done.nbytes
        return True

    def _wait(self) -> Completion | None:
        """Return the oldest's end; None: it was stopped, and may never come."""
        while True:
            try:
                found = self.channel.reap(1, self._look_s)
            except OSError as error:
                raise RunError(f"{self.end_name}: {error.strerror}") from error
            if found:
                return found[0]
            if self.cancelled and not self._can_cancel():
                return None
            if self.cancelled:
                self.cancel()  # what was queued while the first one came

    def _can_cancel(self) -> bool:
        return bool(self.channel.info.capabilities & load().CAN_CANCEL)

    def cancel(self) -> None:
        """Stop what is queued, where the engine can be stopped. Called by a signal's handler."""
        self.cancelled = True
        if self._can_cancel():
            with suppress(OSError):  # said by who waits for it
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
            if nbytes <= 0:
                raise InputError(
                    f"{end.name}: the size of the card's memory is not known; give --bytes"
                )
        self.check_range(nbytes or 0)
        self.total = nbytes
        self._left = nbytes
        self._chunk = chunk

    def begin(self, slot: Slot) -> bool:
        """Queue a transfer."""
        wanted = self._chunk if self._left is None else min(self._chunk, self._left)
        if wanted == 0 or self.cancelled:
            return False
        self.queue(slot, wanted)
        if self._left is not None:
            self._left -= wanted
        return True

    def end(self, slot: Slot) -> bool:
        """Wait for the oldest; a packet may be shorter than a chunk, and the rest still comes."""
        wanted = slot.nbytes
        if not self.ended(slot) or slot.nbytes == 0:
            return False
        if self._left is not None:
            self._left += wanted - slot.nbytes
        return True


class ChannelSink(_Side):
    """A channel that takes data, to a stream, a packet a chunk, or to the card's memory."""

    def __init__(self, board: Board, end: ChannelEnd, chunk: int) -> None:
        super().__init__(board, end, Direction.MM2S, chunk)
        self._back: Channel | None = None
        self._end = end

    def prepare_to_verify(self) -> None:
        """Open the channel by which the card's memory is read back."""
        if not self.on_card:
            raise InputError(
                f"--verify: data that went to the stream {self.end_name} cannot be read back"
            )
        name = self._end.channel.replace("h2c", "c2h")
        self._back = open_channel(self.board, self._end.uri, name)

    def begin(self, slot: Slot) -> None:
        """Queue a transfer."""
        self.queue(slot, slot.nbytes)

    def end(self, slot: Slot) -> None:
        """Wait for the oldest."""
        wanted = slot.nbytes
        if self.ended(slot) and slot.nbytes != wanted:
            raise RunError(f"{self.end_name}: took {slot.nbytes} of {wanted} bytes")

    def digest(self, memory: Buffer) -> Digest:
        """Return the digest of what is in the card's memory now."""
        if self._back is None:
            raise TypeError("prepare_to_verify() comes first")
        found = new_digest()
        for place in range(self.first, self.position, len(memory)):
            wanted = min(len(memory), self.position - place)
            try:
                self._back.submit(memory, 0, wanted, card_offset=place)
                self._back.wait()
            except OSError as error:
                raise RunError(f"{self.end_name}: reading back: {error.strerror}") from error
            with memory.access(read=True) as data:
                found.update(data.data[:wanted])
        return found
