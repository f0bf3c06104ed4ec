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
        """The address at which the board's masters reach the first byte.

        Raises:
            OSError: With ENOTSUP on a device, whose driver does not reveal it.
        """
        return self.native.bus_address()

    def array(self, dtype: DTypeLike = np.uint8) -> NDArray[Any]:
        """Return the bytes as an array, without a copy.

        The memory remains while the array exists, even if the buffer is freed. On a device, use the
        array only within access().
        """
        return np.frombuffer(memoryview(self.native), dtype=dtype)

    @contextmanager
    def access(
        self, *, read: bool = True, write: bool = False, dtype: DTypeLike = np.uint8
    ) -> Iterator[NDArray[Any]]:
        """Give the CPU access to the buffer for a `with` block, which gets the bytes as an array.

        Within the block, the array has the data that channels wrote. After it, channels see the
        data that the program wrote.

        Args:
            read: Whether the program reads the data.
            write: Whether the program writes it. Without, the array is read-only.
            dtype: Type of the array's elements.

        Raises:
            OSError: With EBUSY if a queued transfer uses the buffer.
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
        """Free the memory. The buffer cannot be used any more.

        If arrays of the buffer exist, its memory is freed when the last one is gone. If a queued
        transfer uses the buffer at that moment, it is freed with the board, and nothing is raised.

        Raises:
            OSError: With EBUSY if no array exists and a queued transfer uses the buffer, which is
                then not freed.
            ValueError: If the buffer was freed before.
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
