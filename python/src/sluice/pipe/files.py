# SPDX-License-Identifier: Apache-2.0
"""Files, and standard input and output, as sources and sinks."""

import os
import select
import stat
import time
from io import FileIO
from pathlib import Path
from typing import Literal

from sluice.errors import InputError, RunError, reason
from sluice.pipe.ends import STANDARD, FileEnd
from sluice.pipe.pump import Busy, Digest, Slot, new_digest

_PIECE_BYTES = 1 << 20
_LOOK_S = 0.1  # how soon a signal is seen


def _open(end: FileEnd, mode: Literal["r", "w"]) -> FileIO:
    """Open it; standard input and output are duplicates, so that closing does no harm."""
    try:
        if end.path == STANDARD:
            return FileIO(os.dup(0 if mode == "r" else 1), mode)
        return FileIO(end.path, mode)
    except OSError as error:
        raise InputError(f"{end.path} cannot be opened: {reason(error)}") from error


class FileSource:
    """A file that is read to its end, or to so many bytes."""

    def __init__(self, end: FileEnd, nbytes: int | None) -> None:
        self.busy = Busy()
        self._end = end
        self._file = _open(end, "r")
        self._left = nbytes
        self._over = False
        # What may have nothing to read for a while is looked at before.
        self._waits = not stat.S_ISREG(os.fstat(self._file.fileno()).st_mode)

    @property
    def total(self) -> int | None:
        """Return how many bytes it has; None: that is not known."""
        status = os.fstat(self._file.fileno())
        size = status.st_size if Path(self._end.path).is_file() else None
        known = [count for count in (size, self._left) if count is not None]
        return min(known, default=None)

    def begin(self, slot: Slot) -> bool:
        """Read when the chunk is waited for: engines are at work meanwhile."""
        del slot
        return not self._over

    def end(self, slot: Slot) -> bool:
        """Read until the chunk is full, or the file at its end."""
        if self._over:
            return False
        start_ns = time.monotonic_ns()
        with slot.memory.access(read=False, write=True) as data:
            wanted = len(data) if self._left is None else min(len(data), self._left)
            slot.nbytes = self._read(data.data[:wanted])
        if self._left is not None:
            self._left -= slot.nbytes
        if slot.nbytes < wanted or self._left == 0:
            self._over = True
        self.busy.add(start_ns, time.monotonic_ns())
        return slot.nbytes != 0

    def _read(self, data: memoryview) -> int:
        done = 0
        try:
            while done < len(data) and self._there():
                count = self._file.readinto(data[done:])
                if not count:
                    break
                done += count
        except OSError as error:
            raise RunError(f"{self._end.path} cannot be read: {reason(error)}") from error
        return done

    def _there(self) -> bool:
        """Wait until there is something to read. False: nobody waits for it any more."""
        while self._waits and not self._over:
            if select.select([self._file], [], [], _LOOK_S)[0]:
                return True
        return not self._over

    def cancel(self) -> None:
        """Bring no more than what has been read."""
        self._over = True

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class FileSink:
    """A file that is overwritten."""

    def __init__(self, end: FileEnd) -> None:
        self.busy = Busy()
        self._end = end
        self._file = _open(end, "w")

    def begin(self, slot: Slot) -> None:
        """Write the chunk: engines are at work meanwhile."""
        start_ns = time.monotonic_ns()
        with slot.memory.access(read=True) as data:
            left = data.data[: slot.nbytes]
            try:
                while left:
                    left = left[self._file.write(left) :]
            except OSError as error:
                raise RunError(f"{self._end.path} cannot be written: {reason(error)}") from error
        self.busy.add(start_ns, time.monotonic_ns())

    def end(self, slot: Slot) -> None:
        """Do nothing: it has been written."""

    def digest(self) -> Digest:
        """Return the digest of what is in the file now."""
        found = new_digest()
        try:
            with Path(self._end.path).open("rb") as file:
                while piece := file.read(_PIECE_BYTES):
                    found.update(memoryview(piece))
        except OSError as error:
            raise RunError(f"{self._end.path} cannot be read back: {reason(error)}") from error
        return found

    def close(self) -> None:
        """Close the file. RunError: the last of it could not be written."""
        try:
            self._file.close()
        except OSError as error:
            raise RunError(f"{self._end.path} cannot be written: {reason(error)}") from error
