# SPDX-License-Identifier: Apache-2.0
"""The description's place on the disk, taken before the disk is full.

A description says what is missing, and is needed most when the disk is full. So its file is there
from the start, longer than its text by white space, and grows as more is missing.
"""

import os
from pathlib import Path

from sluice import save
from sluice.capture.sinks import refusal
from sluice.errors import RunError

_START_BYTES = 16384
ENTRY_BYTES = 512  # more than any loss or drop takes


class Reserve:
    """A file for a text of JSON that is known at the end."""

    def __init__(self, path: Path, text: str, *, replace: bool) -> None:
        """Make it, with a text that is right if the end never comes."""
        self.path = path
        self._room = 0
        new = not os.path.lexists(path)
        try:
            with path.open("wb" if replace else "xb") as file:
                self._room = len(text.encode())  # it is made
                file.write(text.encode())
        except OSError as error:
            if new and self._room:
                path.unlink()
            raise refusal(str(path), error) from error
        self._text_bytes = self._room
        try:
            self.hold(0)
        except OSError as error:
            if new:
                path.unlink()
            raise refusal(str(path), error) from error

    def hold(self, entries: int) -> None:
        """Have room for so many entries of the text. OSError: there is none."""
        wanted = _START_BYTES + self._text_bytes + entries * ENTRY_BYTES
        if wanted <= self._room:
            return
        with self.path.open("ab") as file:
            file.write(b" " * (2 * wanted - self._room))
            file.flush()
            os.fsync(file.fileno())
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

    def _write_over(self, content: bytes) -> None:
        try:
            with self.path.open("r+b") as file:
                file.write(content)
                file.truncate()
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise RunError(
                f"{self.path} cannot be written: {(error.strerror or str(error)).lower()}"
            ) from error
