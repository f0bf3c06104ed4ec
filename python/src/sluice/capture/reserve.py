# SPDX-License-Identifier: Apache-2.0
"""The description's place on the disk, taken before the disk is full.

A description says what is missing, and is needed most when the disk is full. So its file is there
from the start, longer than its text by white space, and grows as more is missing.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from sluice import save
from sluice.capture.sinks import refusal
from sluice.closing import Closing
from sluice.errors import RunError, reason

if TYPE_CHECKING:
    from pathlib import Path

    from sluice.capture.files import Files

_START_BYTES = 16384
ENTRY_BYTES = 640  # more than any loss or drop takes


class Reserve(Closing):
    """A file for a text of JSON that is known at the end."""

    def __init__(self, files: Files, path: Path, text: str) -> None:
        """Make it, with a text that is right if the end never comes.

        InputError, RunError: it cannot be made.
        """
        self.path = path
        self._text_bytes = self._room = 0
        try:
            self._file = files.create(path)
        except OSError as error:
            raise refusal(str(path), error) from error
        try:
            self._write(text.encode(), 0)
            self._text_bytes = self._room = len(text.encode())
            self.hold(0)
        except OSError as error:
            self.close()
            raise refusal(str(path), error) from error

    def hold(self, entries: int) -> None:
        """Have room for so many entries of the text. OSError: there is none."""
        wanted = _START_BYTES + self._text_bytes + entries * ENTRY_BYTES
        if wanted <= self._room:
            return
        self._write(b" " * (2 * wanted - self._room), self._room)
        os.fsync(self._file)
        self._room = 2 * wanted

    def finish(self, text: str) -> None:
        """Write the text: in one step, or where no second file has room, over the first."""
        content = text.encode()
        try:
            save.write(self.path, content)
        except RunError:
            if len(content) > self._room:
                raise
            self._write_over(content)

    def close(self) -> None:
        """Close it."""
        file, self._file = self._file, -1
        if file >= 0:
            os.close(file)

    def _write_over(self, content: bytes) -> None:
        try:
            self._write(content, 0)
            os.ftruncate(self._file, len(content))
            os.fsync(self._file)
        except OSError as error:
            raise RunError(f"{self.path} cannot be written: {reason(error)}") from error

    def _write(self, content: bytes, place: int) -> None:
        done = 0
        while done < len(content):
            done += os.pwrite(self._file, content[done:], place + done)
