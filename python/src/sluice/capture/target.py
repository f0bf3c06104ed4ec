# SPDX-License-Identifier: Apache-2.0
"""What -o names: a file with its description, a folder, or a stream."""

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

from sluice.capture.options import Format
from sluice.errors import InputError, reason
from sluice.opening import is_open, is_standard_output, is_text, shown
from sluice.save import STDOUT

DATA, META, ARRAY = ".sigmf-data", ".sigmf-meta", ".npy"
_SIGMF = (DATA, META, ".sigmf")
FRAME = "frame-"  # of a folder, before the number
_FRAMES_NAME = re.compile(rf"{FRAME}[0-9]{{10,}}\.(bin|npy)")
FOLDERS_DESCRIPTION = "capture.json"


@dataclass(frozen=True, slots=True)
class FileTarget:
    """A file of all frames, and its description."""

    data: Path
    meta: Path

    @property
    def description(self) -> Path:
        """Return the file that describes it."""
        return self.meta

    def other_data(self) -> Path | None:
        """Return the data of an older capture of the same name, in the other format."""
        stem = str(self.meta).removesuffix(META)
        if self.data.suffix == ARRAY:
            path = Path(stem + DATA)
            return path if os.path.lexists(path) else None
        path = Path(stem + ARRAY)
        described = _dataset(self.meta) == path.name
        return path if described and path.is_file() else None


@dataclass(frozen=True, slots=True)
class FolderTarget:
    """A folder of a file a frame, and its description."""

    folder: Path
    suffix: str  # of a frame's file

    @property
    def description(self) -> Path:
        """Return the file that describes it."""
        return self.folder / FOLDERS_DESCRIPTION

    def frames(self) -> list[Path]:
        """Return what has a frame's name, in order."""
        if not self.folder.is_dir():
            return []
        return sorted(path for path in self.folder.iterdir() if _FRAMES_NAME.fullmatch(path.name))

    def clear(self) -> None:
        """Remove an older capture: frames, description. InputError: one cannot be removed."""
        for path in (*self.frames(), self.description):
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise InputError(f"{path} cannot be removed: {reason(error)}") from error

    def has(self, path: Path) -> bool:
        """Tell whether a path would be a frame of it."""
        there = path.parent.resolve() == self.folder.resolve()
        return there and _FRAMES_NAME.fullmatch(path.name) is not None


@dataclass(frozen=True, slots=True)
class StreamTarget:
    """Standard output, a pipe or a device: what was written cannot be taken back."""

    path: str  # "-": standard output

    @property
    def description(self) -> None:
        """Return that nothing describes it."""
        return


@dataclass(frozen=True, slots=True)
class NoTarget:
    """Nothing: frames are viewed, and not kept."""

    @property
    def description(self) -> None:
        """Return that nothing describes it."""
        return


Target = FileTarget | FolderTarget | StreamTarget | NoTarget


def parse_target(output: str | None, form: Format) -> Target:
    """Return what `output` names."""
    if output is None:
        return NoTarget()
    path = Path(output)
    if is_standard_output(output):
        output = STDOUT
    if output == STDOUT or (path.exists() and not path.is_file() and not path.is_dir()):
        if form != "raw":
            raise InputError(f"--format {form}: {output} is a stream; allowed there: raw")
        if output == STDOUT and not is_open(1):
            raise InputError("standard output is closed")
        if output == STDOUT and os.isatty(1):
            raise InputError("standard output is a terminal; give -o FILE, or redirect it")
        return StreamTarget(output)
    if output.endswith(os.sep) or path.is_dir():
        return FolderTarget(path, ARRAY if form == "npy" else ".bin")
    return _file_target(output, form)


def _file_target(output: str, form: Format) -> FileTarget:
    stem = output
    for suffix in (*_SIGMF, *([ARRAY] if form == "npy" else [])):
        stem = stem.removesuffix(suffix)
    if not stem or stem.endswith(os.sep):
        raise InputError(f"-o {output} is an extension without a name before it")
    if form == "npy" and not is_text(Path(output).name):
        raise InputError(
            f"-o {shown(output)}: the description has the array's name, and this name is not "
            "UTF-8; choose another name"
        )
    return FileTarget(Path(stem + (ARRAY if form == "npy" else DATA)), Path(stem + META))


def _dataset(meta: Path) -> object:
    """Return what a description says its data are in, if they are not where SigMF has them."""
    try:
        return json.loads(meta.read_bytes())["global"]["core:dataset"]
    except (OSError, ValueError, LookupError, TypeError):
        return None


def files_of(target: Target) -> tuple[Path, ...]:
    """Return the files that a capture makes or removes whatever comes."""
    if isinstance(target, FileTarget):
        other = target.other_data()
        return target.data, target.meta, *(() if other is None else (other,))
    if isinstance(target, FolderTarget):
        return (target.description,)
    return ()


def check_target(target: Target, *, force: bool) -> None:
    """Refuse to overwrite, and what cannot be written. Nothing is made or changed."""
    if isinstance(target, NoTarget):
        return
    if isinstance(target, StreamTarget):
        if target.path != STDOUT and not os.access(target.path, os.W_OK):
            raise InputError(f"{target.path} cannot be written: permission denied")
        return
    folder = target.folder if isinstance(target, FolderTarget) else target.data.parent
    existing = [path for path in files_of(target) if os.path.lexists(path)]
    if isinstance(target, FolderTarget):
        existing += target.frames()
        while not folder.exists() and folder != folder.parent:
            folder = folder.parent
    if not folder.is_dir():
        raise InputError(f"{files_of(target)[0]} cannot be written: there is no directory {folder}")
    _check_existing(existing, force=force)
    if not os.access(folder, os.W_OK):
        raise InputError(f"{files_of(target)[0]} cannot be written: permission denied")


def _check_existing(existing: list[Path], *, force: bool) -> None:
    for path in existing:
        if path.is_dir():
            raise InputError(f"{path} cannot be written: it is a directory")
        if path.exists() and not path.is_file():
            raise InputError(f"{path} cannot be written: it is not a regular file")
    if existing and not force:
        raise InputError(f"{existing[0]} exists; choose another name, or give --force")
