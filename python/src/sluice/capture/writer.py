# SPDX-License-Identifier: Apache-2.0
"""A file that grows by frames: from the memory that they lie in, past the page cache if possible.

With O_DIRECT the disk reads the frames from the capture's own buffer. That takes a file system
that does it, memory that it can pin, and addresses, lengths and places that are multiples of a
page; where one of them is missing, the rest of the file goes through the page cache.
"""

from __future__ import annotations

import errno
import fcntl
import os
from typing import TYPE_CHECKING, Any

from sluice.closing import Closing

if TYPE_CHECKING:
    from numpy.typing import NDArray

ALIGNMENT = 4096  # no disk wants more
_NOT_DIRECT = {errno.EINVAL, errno.EFAULT, errno.ENOTSUP}


class FileWriter(Closing):
    """A file that is written from its start to its end."""

    def __init__(self, descriptor: int, *, direct: bool = True, sync: bool = True) -> None:
        """Take over the descriptor of an empty file.

        `direct`: past the page cache if possible. `sync`: close() waits for the disk.
        """
        self._file = descriptor
        self.position = 0
        self.direct_bytes = 0  # that went past the page cache
        self._last_direct = 0  # of those: by the last append()
        self._sync = sync
        self._direct = direct and self._set_direct(wanted=True)

    def append(self, data: NDArray[Any]) -> None:
        """Write contiguous bytes at the end. OSError: they are not there, or only in part."""
        nbytes, place = data.nbytes, self.position
        if self._direct and (nbytes | place) % ALIGNMENT:
            self._set_direct(wanted=False)
        try:
            done = os.pwrite(self._file, data.data, place)
        except OSError as error:
            if not self._direct or error.errno not in _NOT_DIRECT:
                raise
            done = 0
        if done != nbytes:  # what is left may not be aligned, or not be memory for a disk to read
            self._set_direct(wanted=False)
            left = data.data.cast("B")
            while done < nbytes:
                done += os.pwrite(self._file, left[done:], place + done)
        self.position = place + nbytes
        self._last_direct = nbytes if self._direct else 0
        self.direct_bytes += self._last_direct

    def overwrite(self, data: bytes) -> None:
        """Write over the file's first bytes."""
        self._set_direct(wanted=False)
        done = 0
        while done < len(data):
            done += os.pwrite(self._file, data[done:], done)

    def take_back(self, nbytes: int) -> None:
        """Have what comes next written over the last so many bytes."""
        self.position -= nbytes
        self.direct_bytes -= self._last_direct
        self._last_direct = 0

    def close(self) -> None:
        """End the file behind what was appended. OSError: the disk does not have all of it."""
        if self._file < 0:
            return
        file, self._file = self._file, -1
        try:
            os.ftruncate(file, self.position)
            if self._sync:
                os.fsync(file)
        finally:
            os.close(file)

    def _set_direct(self, *, wanted: bool) -> bool:
        flags = fcntl.fcntl(self._file, fcntl.F_GETFL)
        flags = flags | os.O_DIRECT if wanted else flags & ~os.O_DIRECT
        try:
            fcntl.fcntl(self._file, fcntl.F_SETFL, flags)
        except OSError:  # the file system has no such thing
            wanted = False
        self._direct = wanted
        return wanted
