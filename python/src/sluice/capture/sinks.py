# SPDX-License-Identifier: Apache-2.0
"""Where frames go: a file, a folder with a file a frame, or a stream.

A frame is put while the engine may still write over it. So a sink can take the last one back,
except for a stream, which gets frames that are known to be whole.
"""

from __future__ import annotations

import errno
import os
import select
import stat
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from sluice.capture.target import (
    FRAME,
    FileTarget,
    FolderTarget,
    NoTarget,
    StreamTarget,
    Target,
)
from sluice.capture.writer import ALIGNMENT, FileWriter
from sluice.closing import Closing
from sluice.errors import InputError, RunError, SluiceError, reason
from sluice.save import STDOUT

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from sluice.capture.files import Files
    from sluice.capture.options import Options

Data = Any  # NDArray[np.uint8], contiguous
Reason = Literal["full", "closed", "failed"]

_LOOK_S = 0.1  # how soon a signal is seen
_END_S = 1.0  # for the rest of a frame, after a signal, into a stream that takes some
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_PIPE_BYTES = select.PIPE_BUF  # that a pipe with room takes without waiting


class SinkError(RunError):
    """The sink takes no more."""

    def __init__(self, name: str, error: OSError) -> None:
        number = error.errno
        self.reason: Reason = (
            "full" if number in _FULL else "closed" if number == errno.EPIPE else "failed"
        )
        super().__init__(f"{name} cannot be written: {reason(error)}")


def refusal(name: str, error: OSError) -> SluiceError:
    """Return why a sink cannot be opened: a full disk is a failure, all else wrong input."""
    found = SinkError(name, error)
    return found if found.reason == "full" else InputError(str(found))


class StoppedInSinkError(Exception):
    """A signal came while the sink took nothing."""


class Sink(Protocol):
    """Where frames go."""

    @property
    def name(self) -> str:
        """Return what to call it."""
        ...

    @property
    def direct_bytes(self) -> int:
        """Return how much was written past the page cache."""
        ...

    @property
    def torn_bytes(self) -> int:
        """Return how much went out of a frame that did not go whole, and cannot be taken back."""
        ...

    def put(self, number: int, data: Data) -> None:
        """Take a frame. SinkError: it is not taken. StoppedInSinkError: nor has it been."""
        ...

    def take_back(self) -> None:
        """Be as before the last put(). SinkError: it is not."""
        ...

    def close(self) -> None:
        """Finish what is there. SinkError: it is not there."""
        ...


class FileSink(Closing):
    """One file: the frames, behind a header in .npy."""

    torn_bytes = 0

    def __init__(self, files: Files, target: FileTarget, options: Options) -> None:
        """Make the file. InputError, RunError: it cannot be made."""
        self.name = str(target.data)
        self._npy = NpyLayout(options) if options.format == "npy" else None
        self._frames = 0
        self._last = 0
        self._closed = False
        try:
            self._writer = FileWriter(files.create(target.data))
        except OSError as error:
            raise refusal(self.name, error) from error
        other = target.other_data()
        if options.force and other is not None:
            files.drop([other])
        try:
            if self._npy is not None:
                self._writer.append(aligned(self._npy.header(0)))
        except OSError as error:
            with suppress(OSError):
                self._writer.close()
            raise refusal(self.name, error) from error
        self._header_direct_bytes = self._writer.direct_bytes

    @property
    def direct_bytes(self) -> int:
        """Return how much of the frames went past the page cache."""
        return self._writer.direct_bytes - self._header_direct_bytes

    def put(self, number: int, data: Data) -> None:
        """Append a frame."""
        del number
        if self._npy is not None:
            data = self._npy.padded(data)
        try:
            self._writer.append(data)
        except OSError as error:
            raise SinkError(self.name, error) from error
        self._frames += 1
        self._last = data.nbytes

    def take_back(self) -> None:
        """Be as before the last put()."""
        self._writer.take_back(self._last)
        self._frames -= 1

    def close(self) -> None:
        """Write the header for what is there, and have the disk hold it."""
        if self._closed:
            return
        self._closed = True
        try:
            if self._npy is not None:
                self._writer.overwrite(self._npy.header(self._frames))
            self._writer.close()
        except OSError as error:
            raise SinkError(self.name, error) from error


class NpyLayout:
    """What a .npy file of frames looks like: frames, samples, and the parts of complex integers."""

    def __init__(self, options: Options) -> None:
        kind = options.datatype
        self._period_bytes = options.period_bytes
        self._dtype = kind.numpy
        parts = (kind.components,) if kind.components > 1 else ()
        self._of_frame = (options.period_bytes // kind.nbytes, *parts)
        self._whole: Data = None  # memory for a short frame

    def header(self, frames: int, *, single: bool = False) -> bytes:
        """Return the header, as long whatever the number of frames; `single`: of a frame alone."""
        shape = self._of_frame if single else (frames, *self._of_frame)
        words = f"{{'descr': {self._dtype!r}, 'fortran_order': False, 'shape': {shape}, }}"
        start = np.lib.format.magic(1, 0)
        room = (64 * 2 if single else ALIGNMENT) - len(start) - 2
        return start + room.to_bytes(2, "little") + words.ljust(room - 1).encode() + b"\n"

    def padded(self, data: Data) -> Data:
        """Return a frame of full length: what a short one lacks is 0."""
        if data.nbytes == self._period_bytes:
            return data
        if self._whole is None:
            self._whole = page_memory(self._period_bytes)
        self._whole[: data.nbytes] = data
        self._whole[data.nbytes :] = 0
        return self._whole


class FolderSink(Closing):
    """A file a frame, named by the frame's number in the stream."""

    direct_bytes = 0
    torn_bytes = 0

    def __init__(self, files: Files, target: FolderTarget, options: Options) -> None:
        """Make the folder. InputError, RunError: it cannot be made."""
        self.name = str(target.folder)
        self._target = target
        self._npy = NpyLayout(options) if options.format == "npy" else None
        self._last = target.folder
        try:
            files.create_folder(target.folder)
        except OSError as error:
            raise refusal(self.name, error) from error

    def put(self, number: int, data: Data) -> None:
        """Make a frame's file."""
        self._last = self._target.folder / f"{FRAME}{number:010}{self._target.suffix}"
        try:
            file = os.open(self._last, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
            try:
                with FileWriter(file, direct=False, sync=False) as writer:
                    if self._npy is not None:
                        writer.append(aligned(self._npy.header(1, single=True)))
                        data = self._npy.padded(data)
                    writer.append(data)
            except OSError:
                with suppress(OSError):
                    self._last.unlink()
                raise
        except OSError as error:
            raise SinkError(self.name, error) from error

    def take_back(self) -> None:
        """Be as before the last put()."""
        try:
            self._last.unlink()
        except OSError as error:
            raise SinkError(self.name, error) from error

    def close(self) -> None:
        """Do nothing: every file is closed."""


class StreamSink(Closing):
    """Standard output, a pipe or a device, whose reader may stall: signals are seen meanwhile."""

    direct_bytes = 0

    def __init__(self, target: StreamTarget, stopped: Callable[[], bool]) -> None:
        """Open it, as soon as a pipe has a reader.

        InputError: it cannot be opened. StoppedInSinkError: a signal came first.
        """
        self.name = "standard output" if target.path == STDOUT else target.path
        self.torn_bytes = 0
        self._stopped = stopped
        try:
            self._file, self._at_once = _open_stream(target.path, stopped)
        except OSError as error:
            if stopped():
                raise StoppedInSinkError from error
            raise refusal(self.name, error) from error
        self._poll = select.poll()  # select() knows no descriptor above 1023
        self._poll.register(self._file, select.POLLOUT)

    def put(self, number: int, data: Data) -> None:
        """Write a frame."""
        del number
        left = data.data.cast("B")
        end = None  # when to give up after a signal
        try:
            while left:
                if self._stopped():
                    end = end or time.monotonic() + _END_S
                self._wait(end)
                try:
                    done = os.write(self._file, left[: self._at_once])
                except BlockingIOError:
                    continue
                left = left[done:]
        except OSError as error:
            self.torn_bytes = data.nbytes - len(left)
            raise SinkError(self.name, error) from error
        except StoppedInSinkError:
            self.torn_bytes = data.nbytes - len(left)
            raise

    def _wait(self, end: float | None) -> None:
        while not self._poll.poll(_LOOK_S * 1000):
            if self._stopped():
                raise StoppedInSinkError
        if end is not None and time.monotonic() > end:
            raise StoppedInSinkError

    def take_back(self) -> None:
        """TypeError: what was written has gone."""
        raise TypeError("data cannot be removed from a stream")

    def close(self) -> None:
        """Close it."""
        file, self._file = self._file, -1
        try:
            if file >= 0:
                os.close(file)
        except OSError as error:
            raise SinkError(self.name, error) from error


def _open_stream(path: str, stopped: Callable[[], bool]) -> tuple[int, int | None]:
    """Return a descriptor, and how much may be written to it at a time (None: anything).

    It does not wait for room, in a description of its own where the system gives one: another's
    would change under the processes that share standard output.
    """
    flags = os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC
    if path != STDOUT:
        while True:
            try:
                return os.open(path, flags), None
            except OSError as error:
                if error.errno != errno.ENXIO or not Path(path).is_fifo() or stopped():
                    raise
                time.sleep(_LOOK_S)  # a pipe that nobody reads yet
    if stat.S_ISREG(os.fstat(1).st_mode):  # reopened it would be written from its start
        return os.dup(1), None
    try:
        return os.open("/proc/self/fd/1", flags), None
    except OSError:  # a socket
        return os.dup(1), _PIPE_BYTES


def aligned(data: bytes) -> NDArray[np.uint8]:
    """Return bytes in memory of their own that begins with a page, for O_DIRECT."""
    memory = page_memory(len(data))
    memory[:] = np.frombuffer(data, np.uint8)
    return memory


def page_memory(nbytes: int) -> NDArray[np.uint8]:
    """Return memory that begins with a page."""
    whole = np.empty(nbytes + ALIGNMENT, np.uint8)
    first = -whole.__array_interface__["data"][0] % ALIGNMENT
    return whole[first : first + nbytes]


class NoSink(Closing):
    """Nowhere: frames are viewed, and not kept."""

    name = "no file"
    direct_bytes = 0
    torn_bytes = 0

    def put(self, number: int, data: Data) -> None:
        """Take a frame."""

    def take_back(self) -> None:
        """Be as before the last put()."""

    def close(self) -> None:
        """Do nothing: nothing is kept."""


AnySink = FileSink | FolderSink | StreamSink | NoSink


def open_sink(
    files: Files, target: Target, options: Options, stopped: Callable[[], bool]
) -> AnySink:
    """Return the sink that the target names, opened."""
    if isinstance(target, FileTarget):
        return FileSink(files, target, options)
    if isinstance(target, FolderTarget):
        return FolderSink(files, target, options)
    if isinstance(target, NoTarget):
        return NoSink()
    return StreamSink(target, stopped)
