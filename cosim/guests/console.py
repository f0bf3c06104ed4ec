# SPDX-License-Identifier: Apache-2.0
"""A guest's console: kept in a file as it comes, and searched for what a kernel says when something
is wrong in it."""

from __future__ import annotations

import os
import re
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
            r"kernel will fail to boot",
            r"sysfs: cannot create duplicate",
            r"scheduling while atomic",
            r"DEBUG_LOCKS_WARN_ON",
        )
    )
)


class Console:
    """A console's two ends: the file that QEMU writes what the kernel says into, and the pipe that
    it takes what is typed from. A file takes every byte at once: how fast it is read has no
    influence on the time that a guest sees."""

    def __init__(self, log: Path, keyboard: Path) -> None:
        self._log = log.open("wb+")
        self._lines: list[str] = []
        self._partial = b""
        os.mkfifo(keyboard)
        self._keyboard = os.open(keyboard, os.O_RDWR)  # neither end waits for the other
        self.chardev = f"file,path={log},append=on,input-path={keyboard}"

    def lines(self) -> list[str]:
        """What has come so far."""
        if not self._log.closed:
            *whole, self._partial = (self._partial + self._log.read()).split(b"\n")
            self._lines += [line.decode(errors="replace").rstrip("\r") for line in whole]
        rest = [self._partial.decode(errors="replace")] if self._partial else []
        return self._lines + rest

    def splats(self, skip: int = 0) -> list[int]:
        """The numbers of the lines, from `skip` on, that say that something is wrong."""
        return [n for n, line in enumerate(self.lines()) if n >= skip and SPLAT.search(line)]

    def type(self, text: str) -> None:
        """As if somebody typed it."""
        os.write(self._keyboard, text.encode())

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
        """Once the machine is gone. lines() has all of it from then on."""
        if not self._log.closed:
            self.lines()
            self._log.close()
            os.close(self._keyboard)
