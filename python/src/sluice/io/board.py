# SPDX-License-Identifier: Apache-2.0
"""Boards, which are opened by URI."""

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
    """Properties of an open board. Those that a device does not report are 0 or empty."""

    board: str  # name of the board
    design: str  # name of its design
    simulated_time: bool  # True if times are those of the simulation
    channel_count: int  # number of channels
    port_count: int  # number of memory ports
    width_bits: int  # width of a memory port, in bits
    clock_khz: int  # clock of the logic, in kHz
    start_cost_ns: int  # time that software needs to start an engine, in ns
    memory_bytes: int  # size of the board's memory
    card_bytes: int  # size of a card's memory, or of block RAM in a Zynq's logic; 0 without these


@dataclass(frozen=True)
class MemoryFile:
    """A board's memory as a file. To map it, call `mmap.mmap(file.fd, file.nbytes)`."""

    fd: int  # descriptor, which the caller closes
    address: int  # bus address of the file's first byte
    nbytes: int  # size of the file


@dataclass(frozen=True)
class AttributeInfo:
    """A setting or counter of the board's design."""

    name: str  # name of the attribute
    maximum: int  # largest value that can be written; 0 if it is read-only
    text: str  # description


class Attributes(MutableMapping[str, int]):
    """Settings and counters of the design, as in `board.attributes["hp0.loopback"] = 1`."""

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
        """Return the properties of all attributes, by name."""
        return {fields[0]: AttributeInfo(*fields) for fields in self.native.attributes()}


class Board(Closing):
    """An open board, made by open_board().

    It closes at the end of its `with`, or when the last object that belongs to it is gone.
    """

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
        """Return a channel.

        Raises:
            OSError: With ENOENT if no channel has that name.
        """
        return Channel(self._clock, self.native.channel(name))

    def wait_any(self, channels: Sequence[Channel], timeout: float | None = None) -> Channel | None:
        """Wait until one of the board's channels has a completion.

        Reap all channels afterwards, not only the returned one. Otherwise those after it may never
        be served.

        Args:
            channels: Channels of this board.
            timeout: Longest time to wait, in seconds of the board's time. None is no limit.

        Returns:
            The first channel with a completion. None if the timeout expired, or if no channel has a
                queued transfer.
        """
        natives = [channel.native for channel in channels]
        found = self._clock.wait(timeout, lambda slice_ns: self.native.wait_any(natives, slice_ns))
        return None if found is None else channels[found]

    def buffer(
        self, nbytes: int, *, alignment: int = 0, offset: int = 0, memory: Memory = "host"
    ) -> Buffer:
        """Allocate a buffer, filled with zeroes.

        Args:
            nbytes: Size of the buffer.
            alignment: The buffer starts `offset` bytes after a multiple of this. 0 means 4096.
            offset: See alignment.
            memory: `host` is the board's memory. `gpu` is that of the GPU beside a simulated card
                (gpu=quadro-m2000 in the URI). `on-chip` is that of a simulated Zynq.

        Raises:
            OSError: With ENOTSUP if the board does not have that memory.
            ValueError: If `memory` is another word.
        """
        memories = get_args(Memory)
        if memory not in memories:
            raise ValueError(f"memory must be {', '.join(memories)}, is {memory!r}")
        return Buffer(self.native.buffer(nbytes, alignment, offset, memories.index(memory)))

    def card_buffer(self, offset: int, nbytes: int) -> Buffer:
        """Make a buffer of part of the card's memory, or of the logic's block RAM.

        Byte 0 of the buffer is byte `offset` of that memory. A buffer in a card's memory is source
        or destination of copies on the channel gpu0.copy, as other devices reach the memory. Block
        RAM has a part of equal size for each engine, in their order. A buffer in it is source or
        destination of copies on the channel of that engine.

        Raises:
            OSError: With ENOTSUP if the board is neither a simulated card with a GPU nor has block
                RAM. With EINVAL if the range leaves the memory, or one engine's part of block RAM.
        """
        return Buffer(self.native.card_buffer(offset, nbytes))

    def import_buffer(self, fd: int) -> Buffer:
        """Make a buffer of any dma-buf. The caller still has to close the descriptor.

        The bytes of the buffer are those of the dma-buf. If the exporter does not let programs map
        it, access to them raises BufferError.

        Raises:
            OSError: With ENOTSUP if the board is not a device (dev:). With EINVAL if `fd` is not a
                dma-buf.
        """
        return Buffer(self.native.import_buffer(fd))

    def read_register(self, offset: int) -> int:
        """Read the 32-bit register at a byte offset of the design's control space.

        Raises:
            OSError: With EIO if that offset has no register. With ENOTSUP if a device's driver owns
                the registers.
        """
        return self.native.read_register(offset)

    def write_register(self, offset: int, value: int, *, enables: int = 0xF) -> None:
        """Write the bytes of a register that `enables` selects. Bit i selects byte i of `value`."""
        self.native.write_register(offset, value, enables)

    def write_card(self, offset: int, data: bytes) -> None:
        """Write to the memory of a card, or to block RAM, by the CPU.

        Raises:
            OSError: With EINVAL if the range leaves that memory. With ENOTSUP if the board has
                neither.
        """
        self.native.write_card(offset, bytes(data))

    def read_card(self, offset: int, nbytes: int) -> bytes:
        """Read from the memory of a card, or block RAM, by the CPU, which waits for each load."""
        return self.native.read_card(offset, nbytes)

    def interrupts(self) -> int:
        """Return the interrupt lines. Bit n is 1 if line n is high."""
        return self.native.interrupts()

    def wait_interrupt(self, mask: int, timeout: float | None = None) -> int:
        """Let the board's time pass until a line of `mask` is high, and return all lines.

        Args:
            mask: Lines to wait for. Bit n is line n.
            timeout: Longest time to wait, in seconds of the board's time. None is no limit.

        Raises:
            TimeoutError: If no line was high in that time.
        """
        for slice_ns in self._clock.slices(timeout):
            lines = self.native.wait_interrupt(mask, slice_ns)
            if lines & mask:
                return lines
        raise TimeoutError(f"no interrupt line of 0x{mask:x} was high within {timeout} s")

    def interrupt_fd(self, mask: int) -> int:
        """Return a descriptor for polling. It is readable while a line of `mask` is high.

        It changes only in calls in which the board's time passes. Simulated time does not pass
        while a program polls. The descriptor closes with the board.
        """
        return self.native.interrupt_fd(mask)

    def memory_file(self) -> MemoryFile:
        """Return the memory of a simulated board as a file. The caller closes its descriptor."""
        return MemoryFile(*self.native.memory_fd())

    def now_ns(self) -> int:
        """Return the time of the board's clock, in ns."""
        return self.native.now_ns()

    def sleep(self, seconds: float) -> None:
        """Let that much of the board's time pass. Transfers continue meanwhile."""
        for slice_ns in self._clock.slices(seconds):
            with suppress(InterruptedError):  # Python has seen to the signal
                self.native.sleep_ns(slice_ns)

    def close(self) -> None:
        """Close the board, or do so when the last array of its buffers is gone."""
        self.native.close()


def open_board(uri: str | os.PathLike[str]) -> Board:
    """Open a board, such as "sim:zynq7010/hp_stress?width=32" or "dev:board0" (docs/reference).

    Raises:
        OSError: If the board cannot be opened. The sentence has the reason.
        RunError: If libsluice for this Python is not built.
    """
    return Board(os.fspath(uri))
