# SPDX-License-Identifier: Apache-2.0
"""The two ends of the serial port that a guest's agent speaks through."""

from __future__ import annotations

import fcntl
import os
import select
from contextlib import suppress
from pathlib import Path

PIPE_BYTES = 1 << 20  # what any user may have


class Channel:
    """A pipe each way. QEMU writes each byte of a serial port apart, and waits when there is no
    room: a socket has room for hundreds, a pipe for a million, so that how fast the agent's words
    are read has no influence on the time that a guest sees."""

    def __init__(self, path: Path) -> None:
        for end in ("in", "out"):
            os.mkfifo(f"{path}.{end}")
        self._to = os.open(f"{path}.in", os.O_RDWR | os.O_CLOEXEC)  # neither end waits
        self._from = os.open(f"{path}.out", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        for number in (self._to, self._from):
            with suppress(OSError):  # a system that allows less
                fcntl.fcntl(number, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        self.chardev = f"pipe,path={path}"

    def send(self, data: bytes) -> None:
        """To the agent; more than a pipe holds waits for it."""
        while data:
            data = data[os.write(self._to, data) :]

    def receive(self, within_s: float) -> bytes:
        """What has come; nothing if QEMU has ended. Raises TimeoutError."""
        if not select.select([self._from], [], [], within_s)[0]:
            raise TimeoutError
        return os.read(self._from, 65536)

    def close(self) -> None:
        os.close(self._to)
        os.close(self._from)
