# SPDX-License-Identifier: Apache-2.0
"""The ring: while the source fills some chunks, the sink empties others."""

from __future__ import annotations

import hashlib
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from sluice.cuda import HostMemory

Data = NDArray[Any]  # of bytes


class Digest(Protocol):
    """By which what left and what arrived are compared, as hashlib's."""

    def update(self, data: memoryview, /) -> None:
        """Take data in."""
        ...

    def digest(self) -> bytes:
        """Return it."""
        ...

    def hexdigest(self) -> str:
        """Return it, for reading."""
        ...


class Memory(Protocol):
    """Host memory that both ends reach, as sluice.io's Buffer."""

    def access(self, *, read: bool = ..., write: bool = ...) -> AbstractContextManager[Data]:
        """Give its bytes for the time of a block."""
        ...


@dataclass(slots=True)
class Slot:
    """A chunk of the ring."""

    memory: Memory
    host: HostMemory | None = None  # the same, for a GPU; None: no end is a GPU's
    nbytes: int = 0  # that are in it


@dataclass(slots=True)
class Busy:
    """When an end was at work, as times of its transfers come in."""

    nanoseconds: int = 0
    first_ns: int | None = None
    last_ns: int = 0

    def add(self, start_ns: int, finish_ns: int) -> None:
        """Take a transfer's time, of which only what is new counts."""
        if self.first_ns is None:
            self.first_ns = start_ns
        begin = max(start_ns, self.last_ns)
        self.nanoseconds += max(0, finish_ns - begin)
        self.last_ns = max(self.last_ns, finish_ns)


class Source(Protocol):
    """Where data come from."""

    busy: Busy

    @property
    def total(self) -> int | None:
        """Return how many bytes come; None: that is not known."""
        ...

    def cancel(self) -> None:
        """Bring no more than what is there. Called by a signal's handler."""
        ...

    def begin(self, slot: Slot) -> bool:
        """Begin to fill a chunk.

        False: nothing was begun, and nothing will be unless what was begun before is shorter.
        """
        ...

    def end(self, slot: Slot) -> bool:
        """Wait until the oldest chunk that was begun is filled. False: nothing came any more."""
        ...


class Sink(Protocol):
    """Where data go."""

    busy: Busy

    def begin(self, slot: Slot) -> None:
        """Begin to empty a chunk."""
        ...

    def end(self, slot: Slot) -> None:
        """Wait until the oldest chunk that was begun is empty."""
        ...


@dataclass(slots=True)
class Pump:
    """Moves chunks from a source to a sink, in order."""

    source: Source
    sink: Sink
    slots: list[Slot]
    moved: Callable[[int], object]  # called with bytes that have arrived
    stopped: Callable[[], bool]
    digest: Digest | None = None  # takes the data in as they pass
    arrived: int = 0  # bytes
    _free: deque[Slot] = field(default_factory=deque)
    _filling: deque[Slot] = field(default_factory=deque)
    _emptying: deque[Slot] = field(default_factory=deque)

    def run(self) -> None:
        """Move everything. When `stopped` says so, what is on its way still arrives."""
        self._free.extend(self.slots)
        over = False
        while True:
            if not over:
                self._fill()
            if not self._filling:
                break
            slot = self._filling.popleft()
            if self.source.end(slot):
                self._empty(slot)
            else:
                over = True
                self._free.append(slot)
        while self._emptying:
            self._retire()

    def _fill(self) -> None:
        """Have the source busy with all that is free."""
        if not self._free and not self._filling:
            self._retire()
        while self._free and not self.stopped() and self.source.begin(self._free[0]):
            self._filling.append(self._free.popleft())

    def _empty(self, slot: Slot) -> None:
        if self.digest is not None:
            with slot.memory.access(read=True) as data:
                self.digest.update(data.data[: slot.nbytes])
        self.sink.begin(slot)
        self._emptying.append(slot)
        # Half of the ring is the sink's; what is beyond that it has to give back.
        while len(self._emptying) > len(self.slots) // 2:
            self._retire()

    def _retire(self) -> None:
        slot = self._emptying.popleft()
        self.sink.end(slot)
        self.arrived += slot.nbytes
        self.moved(slot.nbytes)
        self._free.append(slot)


def new_digest() -> Digest:
    """Return an empty digest."""
    return hashlib.sha256()
