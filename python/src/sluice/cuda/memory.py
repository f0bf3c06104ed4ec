# SPDX-License-Identifier: Apache-2.0
"""Memory of a GPU, and host memory that a GPU reaches."""

from __future__ import annotations

import ctypes
import weakref
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sluice.cuda import dlpack
from sluice.cuda.library import Handle, load

if TYPE_CHECKING:
    from types import TracebackType

    from numpy.typing import DTypeLike, NDArray
    from typing_extensions import CapsuleType


class _Memory:
    """What both have."""

    def __init__(self, handle: Handle, nbytes: int) -> None:
        self.handle = handle
        self._nbytes = nbytes

    def __len__(self) -> int:
        """Return its size in bytes."""
        return self._nbytes

    def _export(self, name: str) -> int:
        fd = ctypes.c_int(-1)
        load().call(name, self.handle.value, ctypes.byref(fd))
        return fd.value

    def _in_use(self) -> bool:
        raise NotImplementedError

    def free(self) -> None:
        """Free the memory.

        Raises:
            BufferError: If an array of it still exists.
        """
        if self._in_use():
            raise BufferError("an array still uses the memory; delete it first")
        self.handle.close()

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Free it, once the last array of it has gone."""
        # What failed within is what the program should see.
        if kind is None and not self._in_use():
            self.free()


class GpuMemory(_Memory):
    """Memory of a GPU, made by Gpu.memory().

    Libraries for GPUs accept it as bytes, without a copy: `cupy.asarray(memory)`,
    `torch.from_dlpack(memory)`, `numba.cuda.as_cuda_array(memory)`. They see data that streams of
    this module have written, once the streams were synchronised. Do not free the memory while an
    array exists that was made by the CUDA array interface. This module cannot check that.
    """

    def __init__(self, gpu: Handle, index: int, nbytes: int) -> None:
        made = load().make("memory_alloc", gpu.value, nbytes)
        super().__init__(Handle("the GPU's memory", made, "memory_free"), nbytes)
        self._index = index

    @property
    def pointer(self) -> int:
        """The device pointer of the first byte."""
        pointer: int = load().raw("memory_pointer")(self.handle.value)
        return pointer

    def dma_buf(self) -> int:
        """Return a new descriptor of the memory as a dma-buf, for Board.import_buffer().

        The caller closes it. Its length is that of the memory rounded up to 64 KiB.

        Raises:
            OSError: With ENOTSUP if this GPU or its driver makes no dma-bufs.
        """
        return self._export("memory_export")

    def _in_use(self) -> bool:
        return dlpack.exported(self)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """Version 3 of the interface that Numba describes: one dimension of bytes."""
        return {
            "version": 3,
            "shape": (len(self),),
            "typestr": "|u1",
            "data": (self.pointer, False),
            "strides": None,
            "stream": None,
        }

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> CapsuleType:
        """Return a capsule of DLPack: one dimension of bytes.

        BufferError: another device or a copy is asked for.
        """
        del stream, max_version
        if dl_device not in {None, self.__dlpack_device__()}:
            raise BufferError(f"the memory is on {self.__dlpack_device__()}, not {dl_device}")
        if copy:
            raise BufferError("the memory is exported as it is, not copied")
        return dlpack.capsule(self, self.pointer, len(self), self._index)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return the device: CUDA, and its index."""
        return (dlpack.CUDA, self._index)


class HostMemory(_Memory):
    """Host memory that a GPU reaches, made by Gpu.host() or Gpu.register()."""

    def __init__(self, made: int, nbytes: int, registered: NDArray[np.uint8] | None) -> None:
        super().__init__(Handle("the host memory", made, "host_free"), nbytes)
        self._registered = registered
        self._view: weakref.ref[Any] | None = None

    @property
    def address(self) -> int:
        """The host address of the first byte."""
        address: int = load().raw("host_data")(self.handle.value)
        return address

    @property
    def pointer(self) -> int:
        """The device pointer of the first byte."""
        pointer: int = load().raw("host_pointer")(self.handle.value)
        return pointer

    def dma_buf(self) -> int:
        """Return a new descriptor of memory of Gpu.host() as a dma-buf, for Board.import_buffer().

        The caller closes it. Its length is whole pages.

        Raises:
            OSError: With ENOTSUP if the memory was registered, or this kernel has no udmabuf.
        """
        return self._export("host_export")

    def array(self, dtype: DTypeLike = np.uint8) -> NDArray[Any]:
        """Return the bytes as an array, without a copy."""
        address = self.address
        if self._registered is not None:
            return self._registered.view(dtype)
        view: Any = self._view() if self._view is not None else None
        if view is None:
            view = (ctypes.c_uint8 * len(self)).from_address(address)
            view.memory = self  # keeps it
            self._view = weakref.ref(view)
        return np.frombuffer(view, dtype=np.uint8).view(dtype)

    def free(self) -> None:
        """Free the memory, or end its registration.

        Raises:
            BufferError: If an array of it still exists.
        """
        super().free()
        self._registered = None

    def _in_use(self) -> bool:
        return self._view is not None and self._view() is not None
