# SPDX-License-Identifier: Apache-2.0
"""NVIDIA's own way of copying, to compare with: nvbandwidth's loop, on libcuda alone.

As its host_to_device_memcpy_ce and device_to_host_memcpy_ce: page-locked memory of
cuMemAllocHost, 16 asynchronous copies one after another on a stream, timed by two events, the
median of several such samples.
"""

from __future__ import annotations

import ctypes
import os
from ctypes import byref, c_float, c_int, c_uint64, c_void_p
from typing import Any, Self

COPIES = 16  # of a sample

# Arguments, by the names that libcuda exports.
_CALLS: dict[str, tuple[Any, ...]] = {
    "cuInit": (ctypes.c_uint,),
    "cuDeviceGet": (ctypes.POINTER(c_int), c_int),
    "cuDevicePrimaryCtxRetain": (ctypes.POINTER(c_void_p), c_int),
    "cuDevicePrimaryCtxRelease_v2": (c_int,),
    "cuCtxPushCurrent_v2": (c_void_p,),
    "cuCtxPopCurrent_v2": (ctypes.POINTER(c_void_p),),
    "cuMemAlloc_v2": (ctypes.POINTER(c_uint64), ctypes.c_size_t),
    "cuMemFree_v2": (c_uint64,),
    "cuMemAllocHost_v2": (ctypes.POINTER(c_void_p), ctypes.c_size_t),
    "cuMemFreeHost": (c_void_p,),
    "cuStreamCreate": (ctypes.POINTER(c_void_p), ctypes.c_uint),
    "cuStreamDestroy_v2": (c_void_p,),
    "cuStreamSynchronize": (c_void_p,),
    "cuMemcpyHtoDAsync_v2": (c_uint64, c_void_p, ctypes.c_size_t, c_void_p),
    "cuMemcpyDtoHAsync_v2": (c_void_p, c_uint64, ctypes.c_size_t, c_void_p),
    "cuEventCreate": (ctypes.POINTER(c_void_p), ctypes.c_uint),
    "cuEventDestroy_v2": (c_void_p,),
    "cuEventRecord": (c_void_p, c_void_p),
    "cuEventElapsedTime": (ctypes.POINTER(c_float), c_void_p, c_void_p),
}


class Reference:
    """Memory, a stream and two events of a GPU."""

    def __init__(self, index: int, nbytes: int) -> None:
        self._library = ctypes.CDLL(os.environ.get("SLUICE_LIBCUDA") or "libcuda.so.1")
        for name, arguments in _CALLS.items():
            function = getattr(self._library, name)
            function.argtypes = arguments
            function.restype = c_int
        self.nbytes = nbytes
        self._device = c_int()
        self._context, self._host, self._stream = c_void_p(), c_void_p(), c_void_p()
        self._memory = c_uint64()
        self._events = (c_void_p(), c_void_p())
        self._call("cuInit", 0)
        self._call("cuDeviceGet", byref(self._device), index)
        self._call("cuDevicePrimaryCtxRetain", byref(self._context), self._device)
        self._call("cuCtxPushCurrent_v2", self._context)
        self._call("cuMemAlloc_v2", byref(self._memory), nbytes)
        self._call("cuMemAllocHost_v2", byref(self._host), nbytes)
        self._call("cuStreamCreate", byref(self._stream), 1)  # CU_STREAM_NON_BLOCKING
        for event in self._events:
            self._call("cuEventCreate", byref(event), 0)
        ctypes.memset(self._host, 0x5A, nbytes)

    def _call(self, name: str, *arguments: Any) -> None:  # noqa: ANN401 - as C takes them
        result = getattr(self._library, name)(*arguments)
        if result != 0:
            raise OSError(f"{name} returned error {result} of CUDA")

    def sample_mb_s(self, *, to_gpu: bool) -> float:
        """Return the rate of one sample."""
        self._call("cuEventRecord", self._events[0], self._stream)
        for _ in range(COPIES):
            if to_gpu:
                self._call(
                    "cuMemcpyHtoDAsync_v2", self._memory, self._host, self.nbytes, self._stream
                )
            else:
                self._call(
                    "cuMemcpyDtoHAsync_v2", self._host, self._memory, self.nbytes, self._stream
                )
        self._call("cuEventRecord", self._events[1], self._stream)
        self._call("cuStreamSynchronize", self._stream)
        milliseconds = c_float()
        self._call("cuEventElapsedTime", byref(milliseconds), *self._events)
        return COPIES * self.nbytes / milliseconds.value / 1e3

    def close(self) -> None:
        """Free everything."""
        for event in self._events:
            self._call("cuEventDestroy_v2", event)
        self._call("cuStreamDestroy_v2", self._stream)
        self._call("cuMemFreeHost", self._host)
        self._call("cuMemFree_v2", self._memory)
        self._call("cuCtxPopCurrent_v2", byref(c_void_p()))
        self._call("cuDevicePrimaryCtxRelease_v2", self._device)

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Free everything."""
        self.close()
