# SPDX-License-Identifier: Apache-2.0
"""A guest's console: kept in a file as it comes, and searched for what a kernel says when something
is wrong in it."""

from __future__ import annotations

import re
import socket
import threading
import time
from pathlib import Path

# A sound kernel says none of this.
SPLAT = re.compile(
    "|".join(
        (
            r"\[ cut here \]",  # what follows says what
            r"\bWARNING:",
            r"\bBUG:",
            r"kernel BUG at",
            r"\bOops\b",
            r"Internal error:",
            r"Unable to handle kernel",
            r"Kernel panic",
            r"general protection fault",
            r"\bINFO: (?!lockdep is turned off)",  # lockdep, RCU stalls, hung tasks
            r"\bUBSAN:",
            r"\bDMA-API: (?!preallocated|debugging enabled)",
            r"list_(?:add|del) corruption",
            r"refcount_t:",
            r"nobody cared",
            r"sysfs: cannot create duplicate",
            r"scheduling while atomic",
            r"DEBUG_LOCKS_WARN_ON",
        )
    )
)


class Console:
    """Reads a console's socket in a thread until it is closed."""

    def __init__(self, connection: socket.socket, log: Path) -> None:
        self._connection = connection
        self._log = log.open("wb")
        self._lines: list[str] = []
        self._partial = b""
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        while True:
            try:
                data = self._connection.recv(65536)
            except OSError:
                data = b""
            if not data:
                return
            self._log.write(data)
            self._log.flush()
            with self._lock:
                *whole, self._partial = (self._partial + data).split(b"\n")
                self._lines += [line.decode(errors="replace").rstrip("\r") for line in whole]

    def lines(self) -> list[str]:
        """What has come so far."""
        with self._lock:
            rest = [self._partial.decode(errors="replace")] if self._partial else []
            return self._lines + rest

    def splats(self, skip: int = 0) -> list[int]:
        """The numbers of the lines, from `skip` on, that say that something is wrong."""
        return [n for n, line in enumerate(self.lines()) if n >= skip and SPLAT.search(line)]

    def type(self, text: str) -> None:
        """As if somebody typed it."""
        self._connection.sendall(text.encode())

    def settle(self, quiet_s: float, limit_s: float) -> None:
        """Returns when nothing has come for a while."""
        deadline, seen, since = time.monotonic() + limit_s, -1, time.monotonic()
        while time.monotonic() < deadline:
            now = len(self.lines())
            if now != seen:
                seen, since = now, time.monotonic()
            if time.monotonic() - since >= quiet_s:
                return
            time.sleep(0.05)

    def close(self) -> None:
        """Once the machine is gone: takes what is still on the way."""
        self._thread.join(10)
        self._connection.close()
        self._thread.join()
        self._log.close()
