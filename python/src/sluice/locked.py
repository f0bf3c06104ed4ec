# SPDX-License-Identifier: Apache-2.0
"""A result file for one command at a time."""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sluice.errors import InputError, reason

_HELD = {errno.EACCES, errno.EAGAIN}
_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}  # of some network file systems
_LONGEST = 300  # of what a lock file holds


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a file that is to be written. InputError: another command holds it.

    The lock is on a hidden file beside it, and goes with the process that has it.
    """
    target = Path(os.path.realpath(path))
    lock = target.with_name(f".{target.name}.lock")
    try:
        descriptor = _taken(lock)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {reason(error)}") from error
    if descriptor is None:
        raise InputError(
            f"{path} is being written by {_holder(lock)}; wait for it, or give another file by -o"
        )
    try:
        yield
    finally:
        with suppress(OSError):
            lock.unlink()
        os.close(descriptor)


def _taken(lock: Path) -> int | None:
    """Return a descriptor that has the lock, None where another process has it."""
    while True:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                os.close(descriptor)
                if error.errno in _HELD:
                    return None
                raise
        # The one that had it may have removed the file meanwhile.
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(descriptor), lock.stat()):
                with suppress(OSError):  # a full disk
                    os.truncate(descriptor, 0)
                    os.write(descriptor, f"{os.getpid()} {os.uname().nodename}\n".encode())
                return descriptor
        os.close(descriptor)


def _holder(lock: Path) -> str:
    """Return who has a lock, as far as it is known."""
    try:
        number, host = lock.read_text(encoding="utf-8", errors="replace")[:_LONGEST].split()
    except (OSError, ValueError):
        return "another command"
    where = "" if host == os.uname().nodename else f" on {host}"
    return f"another command (process {number}{where})"
