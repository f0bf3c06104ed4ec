# SPDX-License-Identifier: Apache-2.0
"""Memory that a board reaches."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sluice.io.native import load

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from numpy.typing import DTypeLike, NDArray

    from sluice.io import _native


class Buffer:
    """Memory that the board reaches. Made by Board.buffer() or Board.import_buffer()."""

    def __init__(self, native: _native.Buffer) -> None:
        self.native = native

    def __len__(self) -> int:
        """Return its size in bytes."""
        return len(self.native)

    @property
    def bus_address(self) -> int:
        """The address by which the board's masters reach the first byte.

        OSError (ENOTSUP): a device's driver keeps it to itself.
        """
        return self.native.bus_address()

    def array(self, dtype: DTypeLike = np.uint8) -> NDArray[Any]:
        """Return the bytes as an array, without a copy.

        It keeps the memory, even of a buffer that is freed. On a device use it only within
        access().
        """
        return np.frombuffer(memoryview(self.native), dtype=dtype)

    @contextmanager
    def access(
        self, *, read: bool = True, write: bool = False, dtype: DTypeLike = np.uint8
    ) -> Iterator[NDArray[Any]]:
        """Give the bytes as an array for the time of a block.

        Within it the array has what channels wrote; after it channels see what was written. Without
        `write` the array is read-only. OSError (EBUSY): a queued transfer uses the buffer.
        """
        module = load()
        self.native.begin_access((module.READ if read else 0) | (module.WRITE if write else 0))
        try:
            data = self.array(dtype)
            data.flags.writeable = write
            yield data
        finally:
            self.native.end_access()

    def free(self) -> None:
        """Give the memory back, once the last array of it has gone. Nothing uses it from now on.

        OSError (EBUSY): a queued transfer uses it, and it is not freed. Where an array still
        exists nobody is told: then it goes with its board. ValueError: it was freed before.
        """
        self.native.free()

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Free it."""
        # What failed within is what the program should see.
        if kind is None:
            self.free()
