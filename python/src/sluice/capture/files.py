# SPDX-License-Identifier: Apache-2.0
"""The files of a capture until it begins: made for it, or there before.

A new file has a name of its own until then, if it is to take an older one's place. So a capture
that cannot begin leaves everything as it was, and a program that reads the older file keeps it.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sluice.closing import Closing
from sluice.save import mode_of

if TYPE_CHECKING:
    from collections.abc import Iterable


class Files(Closing):
    """What was made, and what it replaces. Closed before begin(), it takes back what was made."""

    def __init__(self, *, force: bool) -> None:
        """`force`: a file that is there may be replaced."""
        self._force = force
        self._made: list[Path] = []  # files
        self._folders: list[Path] = []  # the outermost first
        self._replacing: list[tuple[Path, Path]] = []  # a new file, and the older one
        self._stale: list[Path] = []

    def create(self, path: Path) -> int:
        """Make a file; return its descriptor, for writing.

        FileExistsError: it is there, and may not be replaced.
        """
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        except FileExistsError:
            if not self._force:
                raise
        else:
            self._made.append(path)
            return descriptor
        older = Path(os.path.realpath(path))
        descriptor, name = tempfile.mkstemp(dir=older.parent, prefix=".sluice.")
        self._made.append(Path(name))
        self._replacing.append((Path(name), older))
        os.fchmod(descriptor, mode_of(older))
        return descriptor

    def create_folder(self, path: Path) -> None:
        """Make a folder, and those that it is in, where they are not there."""
        missing = []
        while not path.is_dir():
            missing.append(path)
            path = path.parent
        for folder in reversed(missing):
            folder.mkdir()
            self._folders.append(folder)

    def drop(self, paths: Iterable[Path]) -> None:
        """Have older files removed in begin()."""
        self._stale += paths

    def begin(self) -> None:
        """Give new files the places of older ones: from now on nothing is taken back."""
        for new, older in self._replacing:
            new.replace(older)
        for path in self._stale:
            path.unlink(missing_ok=True)
        self._made, self._folders, self._replacing, self._stale = [], [], [], []

    def close(self) -> None:
        """Take away what was made for a capture that has not begun."""
        for path in self._made:
            with suppress(OSError):
                path.unlink()
        for folder in reversed(self._folders):
            with suppress(OSError):
                folder.rmdir()
