# SPDX-License-Identifier: Apache-2.0
"""Boards: what is opened by URI, and has everything else."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from sluice.closing import Closing
from sluice.io.buffer import Buffer
from sluice.io.channel import Channel
from sluice.io.clock import Clock
from sluice.io.native import load

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice.io import _native

Memory = Literal["host", "gpu", "on-chip"]


@dataclass(frozen=True)
class BoardInfo:
    """What is known of an open board; 0 or empty where a device does not say."""

    board: str
    design: str
    simulated_time: bool  # times are the simulation's
    channel_count: int
    port_count: int
    width_bits: int  # of a memory port
    clock_khz: int  # of the logic
    start_cost_ns: int
    memory_bytes: int
    card_bytes: int  # memory of a card, block RAM of a Zynq's logic; 0: none


@dataclass(frozen=True)
class MemoryFile:
    """A board's memory as a file: mmap.mmap(file.fd, file.nbytes)."""

    fd: int  # the caller's to close
    address: int  # bus address of the file's first byte
    nbytes: int


@dataclass(frozen=True)
class AttributeInfo:
    """A setting or counter of the board's design."""

    name: str
    maximum: int  # largest value that can be written; 0: read-only
    text: str


class Attributes(MutableMapping[str, int]):
    """Settings and counters of the design: board.attributes["hp0.loopback"] = 1."""

    def __init__(self, native: _native.Board) -> None:
        self.native = native

    def __getitem__(self, name: str) -> int:
        """Read one."""
        try:
            return self.native.get_attribute(name)
        except FileNotFoundError as error:
            raise KeyError(error.strerror) from error

    def __setitem__(self, name: str, value: int) -> None:
        """Write one. OSError (ERANGE): above its maximum; (EACCES): read-only."""
        try:
            self.native.set_attribute(name, value)
        except FileNotFoundError as error:
            raise KeyError(error.strerror) from error

    def __delitem__(self, name: str) -> None:
        """TypeError: they belong to the board."""
        raise TypeError("attributes belong to the board and cannot be deleted")

    def __iter__(self) -> Iterator[str]:
        """Give the names."""
        return iter(self.info())

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.info())

    def info(self) -> Mapping[str, AttributeInfo]:
        """Return what the attributes are, by name."""
        return {fields[0]: AttributeInfo(*fields) for fields in self.native.attributes()}


class Board(Closing):
    """An open board: open_board(). Closed at the end of its `with`, or with its last object."""

    def __init__(self, uri: str) -> None:
        self.uri = uri
        self.native: _native.Board = load().Board(uri)
        self.info = BoardInfo(**self.native.info())
        self._clock = Clock(self.native, simulated=self.info.simulated_time)
        self.attributes = Attributes(self.native)

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self.native.closed

    def channel_names(self) -> list[str]:
        """Return the names of the board's channels."""
        return self.native.channel_names()

    def channel(self, name: str) -> Channel:
        """Return a channel. OSError (ENOENT): no channel has that name."""
        return Channel(self._clock, self.native.channel(name))

    def wait_any(self, channels: Sequence[Channel], timeout: float | None = None) -> Channel | None:
        """Wait until one of the board's channels has a completion; return the first that has one.

        None: none came in time (of the board, in seconds; None: for ever), or nothing is queued on
        any of them. Reap all of them, not the returned one only, lest those behind it starve.
        """
        natives = [channel.native for channel in channels]
        found = self._clock.wait(timeout, lambda slice_ns: self.native.wait_any(natives, slice_ns))
        return None if found is None else channels[found]

    def buffer(
        self, nbytes: int, *, alignment: int = 0, offset: int = 0, memory: Memory = "host"
    ) -> Buffer:
        """Allocate a buffer, filled with zeroes.

        It lies `offset` bytes past a multiple of `alignment` (0: 4096) in the board's memory, in
        that of the GPU beside a simulated card (gpu=quadro-m2000 in the URI), or in the on-chip
        memory of a simulated Zynq. OSError (ENOTSUP): the board has no such memory. ValueError: no
        such memory is known.
        """
        memories = get_args(Memory)
        if memory not in memories:
            raise ValueError(f"memory must be {', '.join(memories)}, is {memory!r}")
        return Buffer(self.native.buffer(nbytes, alignment, offset, memories.index(memory)))

    def card_buffer(self, offset: int, nbytes: int) -> Buffer:
        """Make a buffer of part of the card's memory, or of the logic's block RAM.

        Byte 0 is byte `offset` of it. A card's is as other devices reach it: a side of copies of
        the channel gpu0.copy. Block RAM is a side of copies of the channel whose engine has it:
        engine n the n-th of as many parts.
        OSError (ENOTSUP): the board is no simulated card with a GPU, and has no block RAM;
        (EINVAL): the range leaves the memory, or one engine's part of block RAM.
        """
        return Buffer(self.native.card_buffer(offset, nbytes))

    def import_buffer(self, fd: int) -> Buffer:
        """Make a buffer of a dma-buf of anyone, whose descriptor stays the caller's.

        Its bytes are those of the dma-buf; BufferError where the exporter keeps them from programs.
        OSError (ENOTSUP): the board is no device (dev:); (EINVAL): `fd` is not a dma-buf.
        """
        return Buffer(self.native.import_buffer(fd))

    def read_register(self, offset: int) -> int:
        """Read the 32-bit register at a byte offset of the design's control space.

        OSError (EIO): no register is there; (ENOTSUP): a device's driver owns the registers.
        """
        return self.native.read_register(offset)

    def write_register(self, offset: int, value: int, *, enables: int = 0xF) -> None:
        """Write the bytes of a register that `enables` selects: bit i is byte i of `value`."""
        self.native.write_register(offset, value, enables)

    def write_card(self, offset: int, data: bytes) -> None:
        """Write to the memory of a card, or to block RAM, by the CPU.

        OSError (EINVAL): beyond that memory; (ENOTSUP): the board has neither.
        """
        self.native.write_card(offset, bytes(data))

    def read_card(self, offset: int, nbytes: int) -> bytes:
        """Read from the memory of a card, or block RAM, by the CPU, which waits for each load."""
        return self.native.read_card(offset, nbytes)

    def interrupts(self) -> int:
        """Return the interrupt lines that are high: bit n is line n."""
        return self.native.interrupts()

    def wait_interrupt(self, mask: int, timeout: float | None = None) -> int:
        """Let the board's time pass until a line of `mask` is high; return all lines.

        TimeoutError: none was within `timeout` seconds of the board's time (None: for ever).
        """
        for slice_ns in self._clock.slices(timeout):
            lines = self.native.wait_interrupt(mask, slice_ns)
            if lines & mask:
                return lines
        raise TimeoutError(f"no interrupt line of 0x{mask:x} was high within {timeout} s")

    def interrupt_fd(self, mask: int) -> int:
        """Return a descriptor that can be polled, readable while a line of `mask` is high.

        It follows the lines at every call in which time passes; simulated time does not pass in
        a poll. It closes with the board.
        """
        return self.native.interrupt_fd(mask)

    def memory_file(self) -> MemoryFile:
        """Return the memory of a simulated board as a file. The caller closes its descriptor."""
        return MemoryFile(*self.native.memory_fd())

    def now_ns(self) -> int:
        """Return the board's clock."""
        return self.native.now_ns()

    def sleep(self, seconds: float) -> None:
        """Let that much of the board's time pass; transfers go on."""
        for slice_ns in self._clock.slices(seconds):
            with suppress(InterruptedError):  # Python has seen to the signal
                self.native.sleep_ns(slice_ns)

    def close(self) -> None:
        """Close the board, once the last array of its buffers has gone."""
        self.native.close()


def open_board(uri: str | os.PathLike[str]) -> Board:
    """Open a board: "sim:zynq7010/hp_stress?width=32", "dev:board0" (docs/reference).

    OSError says what is wrong with it; RunError: libsluice for this Python is not built.
    """
    return Board(os.fspath(uri))
