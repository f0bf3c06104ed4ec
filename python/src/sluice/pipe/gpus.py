# SPDX-License-Identifier: Apache-2.0
"""Memory of a GPU as a source or a sink: the GPU copies between it and the ring."""

from __future__ import annotations

import os
import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sluice.cuda import Event, Gpu, GpuMemory, HostMemory, Stream, open_gpu
from sluice.errors import InputError, RunError
from sluice.pipe.pump import Busy, Digest, Slot, new_digest
from sluice.units import format_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sluice.io import Board
    from sluice.pipe.ends import GpuEnd

DEFAULT_BYTES = 64 << 20  # of the GPU's memory, where no size is given
_WORD = 4  # bytes of the pattern's numbers


def open_end(end: GpuEnd) -> Gpu:
    """Open the GPU that an end names."""
    try:
        return open_gpu(end.index)
    except OSError as error:
        raise InputError(f"{end.name}: {error.strerror}") from error


def ring_slot(board: Board, gpu: Gpu, chunk: int) -> Slot:
    """Return a chunk that the board and the GPU reach.

    A buffer of a simulated board or of vfio: is memory of this process, which is registered with
    the GPU. That of a dev: board has no pages to pin, so the board imports the GPU's host memory.
    """
    if not board.uri.startswith("dev:"):
        memory = board.buffer(chunk)
        return Slot(memory, gpu.register(memory.array()))
    host = gpu.host(chunk)
    fd = host.dma_buf()
    try:
        return Slot(board.import_buffer(fd), host)
    finally:
        os.close(fd)


def free_slot(slot: Slot) -> None:
    """End the GPU's part of a chunk; the board's buffer ends with the board."""
    if slot.host is not None:
        slot.host.free()


@dataclass(slots=True)
class _Copy:
    """A chunk's copy in flight."""

    begun: Event
    ended: Event


class _Side:
    """What a GPU's memory has as a source and as a sink."""

    def __init__(self, gpu: Gpu, end: GpuEnd, nbytes: int | None) -> None:
        self.busy = Busy()
        self.end_name = end.name
        self.gpu = gpu
        wanted = end.nbytes or min(nbytes or DEFAULT_BYTES, DEFAULT_BYTES)
        try:
            self.memory: GpuMemory = gpu.memory(wanted)
            self.stream: Stream = gpu.stream()
            self._last = gpu.event()  # whose time is known
            self._last.record(self.stream)
            self._last.synchronize()
        except OSError as error:
            raise InputError(f"{end.name}: {error.strerror}") from error
        self._last_ns = time.monotonic_ns()
        self._copies: deque[_Copy] = deque()
        self.position = 0  # bytes moved so far

    def pieces(self, nbytes: int) -> Iterator[tuple[int, int, int]]:
        """Give a chunk's pieces, of which one ends with the memory: place, first byte, bytes."""
        done = 0
        while done < nbytes:
            place = self.position % len(self.memory)
            length = min(nbytes - done, len(self.memory) - place)
            yield place, done, length
            done += length
            self.position += length

    def begin_copy(self) -> None:
        """Have the GPU note when a chunk's copy begins."""
        self._copies.append(_Copy(self.gpu.event(), self.gpu.event()))
        self._copies[-1].begun.record(self.stream)

    def end_copy(self) -> None:
        """Have the GPU note when it has ended."""
        self._copies[-1].ended.record(self.stream)

    def await_copy(self) -> None:
        """Wait for the oldest copy, and add its time, by the GPU's clock."""
        copy = self._copies.popleft()
        copy.ended.synchronize()
        start_ns = self._last_ns + self._last.ns_until(copy.begun)
        finish_ns = start_ns + copy.begun.ns_until(copy.ended)
        self.busy.add(start_ns, finish_ns)
        copy.begun.close()
        self._last.close()
        self._last, self._last_ns = copy.ended, finish_ns

    def failed(self, error: OSError) -> RunError:
        """Return what to say of an error."""
        return RunError(f"{self.end_name}: {error.strerror}")

    def close(self) -> None:
        """Free everything, when the work has ended."""
        self.stream.close()
        self.memory.free()


def _host(slot: Slot) -> HostMemory:
    if slot.host is None:
        raise TypeError("a GPU's chunks are registered with it")
    return slot.host


class GpuSource(_Side):
    """Memory of a GPU, read round and round: 32-bit numbers that count up from 0."""

    def __init__(self, gpu: Gpu, end: GpuEnd, nbytes: int | None, chunk: int) -> None:
        super().__init__(gpu, end, nbytes)
        self.total = len(self.memory) if nbytes is None else nbytes
        self._left = self.total
        self._chunk = chunk
        self._over = False
        self._fill()

    def _fill(self) -> None:
        words = -(-len(self.memory) // _WORD)
        piece_words = DEFAULT_BYTES // _WORD
        try:
            with self.gpu.host(min(words, piece_words) * _WORD) as host:
                for first in range(0, words, piece_words):
                    count = min(piece_words, words - first)
                    host.array(np.uint32)[:count] = np.arange(first, first + count).astype("<u4")
                    place = first * _WORD
                    length = min(count * _WORD, len(self.memory) - place)
                    self.stream.copy(host, self.memory, destination_offset=place, nbytes=length)
                    self.stream.synchronize()
        except OSError as error:
            raise self.failed(error) from error

    def cancel(self) -> None:
        """Bring no more than what is queued."""
        self._over = True

    def begin(self, slot: Slot) -> bool:
        """Queue a copy."""
        wanted = min(self._chunk, self._left)
        if wanted == 0 or self._over:
            return False
        try:
            self.begin_copy()
            for place, first, length in self.pieces(wanted):
                self.stream.copy(
                    self.memory,
                    _host(slot),
                    source_offset=place,
                    destination_offset=first,
                    nbytes=length,
                )
            self.end_copy()
        except OSError as error:
            raise self.failed(error) from error
        slot.nbytes = wanted
        self._left -= wanted
        return True

    def end(self, slot: Slot) -> bool:
        """Wait for the oldest."""
        try:
            self.await_copy()
        except OSError as error:
            raise self.failed(error) from error
        return slot.nbytes != 0


class GpuSink(_Side):
    """Memory of a GPU, overwritten round and round."""

    def prepare_to_verify(self, total: int | None) -> None:
        """Refuse what cannot be read back, since later bytes overwrite it."""
        if total is None:
            raise InputError(
                f"--verify: the size of the data to {self.end_name} is not known; give --bytes"
            )
        if total > len(self.memory):
            raise InputError(
                f"--verify: {total} bytes go to {self.end_name}, whose memory has "
                f"{format_bytes(len(self.memory))} and is overwritten; give "
                f"gpu:{self.gpu.index}?bytes={total}"
            )

    def begin(self, slot: Slot) -> None:
        """Queue a copy."""
        try:
            self.begin_copy()
            for place, first, length in self.pieces(slot.nbytes):
                self.stream.copy(
                    _host(slot),
                    self.memory,
                    source_offset=first,
                    destination_offset=place,
                    nbytes=length,
                )
            self.end_copy()
        except OSError as error:
            raise self.failed(error) from error

    def end(self, slot: Slot) -> None:
        """Wait for the oldest."""
        del slot
        try:
            self.await_copy()
        except OSError as error:
            raise self.failed(error) from error

    def digest(self) -> Digest:
        """Return the digest of what is in the memory now."""
        found = new_digest()
        try:
            with self.gpu.host(min(len(self.memory), DEFAULT_BYTES)) as host:
                for place in range(0, self.position, len(host)):
                    length = min(len(host), self.position - place)
                    self.stream.copy(self.memory, host, source_offset=place, nbytes=length)
                    self.stream.synchronize()
                    found.update(host.array().data[:length])
        except OSError as error:
            raise self.failed(error) from error
        return found
