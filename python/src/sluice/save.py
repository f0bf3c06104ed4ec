# SPDX-License-Identifier: Apache-2.0
"""Writing result files: checked before anything is measured, whole or not at all."""

import os
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from sluice.errors import InputError, RunError, SluiceError, reason
from sluice.terminal import complain

STDOUT = "-"


def check_writable(path: Path) -> None:
    """Refuse a file that `write` could not write, now rather than after the measurement."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise InputError(f"{path} cannot be written: it is a directory")
    if target.exists() and not os.access(target, os.W_OK):
        raise InputError(f"{path} cannot be written: permission denied")
    if _is_special(target):
        return
    if not target.parent.is_dir():
        raise InputError(f"{path} cannot be written: there is no directory {path.parent}")
    try:
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}."):
            pass
    except OSError as error:
        raise InputError(f"{path} cannot be written: {reason(error)}") from error


def check_folder(path: Path) -> None:
    """Make a folder for results, if it is not there, and refuse one that cannot be written to."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"the folder {path} cannot be made: {reason(error)}") from error
    check_writable(path / "result")


def write(path: Path, content: bytes) -> None:
    """Write a file atomically: a reader sees the old content or the new, never a part."""
    target = Path(os.path.realpath(path))
    try:
        if _is_special(target):
            target.write_bytes(content)
            return
        _replace(target, content)
    except OSError as error:
        raise RunError(f"{path} cannot be written: {reason(error)}") from error


def deliver(text: str, to: str | None, files: Iterable[Path], show: Callable[[], None]) -> int:
    """Write a result's files, then the text to standard output if `to` is "-", else show it.

    Returns the exit status; a file that fails costs neither the others nor what is shown.
    """
    status = 0
    for path in files:
        try:
            write(path, text.encode())
        except SluiceError as error:
            complain(str(error))
            status = error.exit_status
    if to == STDOUT:
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        show()
    return status


def _replace(target: Path, content: bytes) -> None:
    mode = mode_of(target)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _is_special(target: Path) -> bool:
    """Tell a device or a pipe, which is written to and not replaced."""
    return target.exists() and not target.is_file()


def mode_of(path: Path) -> int:
    """Return the permissions of a file, or, where there is none, those that it would be given."""
    if path.exists():
        return path.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
