# SPDX-License-Identifier: Apache-2.0
"""Finds libsluice-cuda.so, which `make build` makes, and declares its calls."""

from __future__ import annotations

import ctypes
import os
import weakref
from ctypes import POINTER, c_int, c_int64, c_size_t, c_uint, c_uint32, c_uint64, c_void_p
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sluice.errors import RunError
from sluice.paths import repository, shipped

if TYPE_CHECKING:
    from collections.abc import Callable

_VARIABLE = "SLUICE_CUDA"
_NAME = "libsluice-cuda.so"
_INSTALLED = "libsluice-cuda.so.0"  # the name without a number comes with the headers alone

TAKE = 1  # SLUICE_CUDA_TAKE
IO_MEMORY = 1  # SLUICE_CUDA_IO_MEMORY
READ_ONLY = 2  # SLUICE_CUDA_READ_ONLY


class Info(ctypes.Structure):
    """struct sluice_cuda_info."""

    _fields_ = (
        ("name", ctypes.c_char * 128),
        ("pci", ctypes.c_char * 32),
        ("memory_bytes", c_uint64),
        ("cuda_version", c_uint32),
        ("dma_buf", c_uint32),
        ("gpu_waits", c_uint32),
        ("stub", c_uint32),
        ("peer_writes_visible", c_uint32),
        ("reserved", c_uint32),
    )


# Results and arguments of sluice_cuda.h, by the names of its functions. Handles are addresses.
_CALLS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "last_error": (ctypes.c_char_p, ()),
    "count": (c_int, ()),
    "open": (c_int, (c_uint, POINTER(c_void_p))),
    "close": (None, (c_void_p,)),
    "get_info": (c_int, (c_void_p, POINTER(Info), c_size_t)),
    "memory_alloc": (c_int, (c_void_p, c_uint64, POINTER(c_void_p))),
    "memory_free": (None, (c_void_p,)),
    "memory_pointer": (c_uint64, (c_void_p,)),
    "memory_export": (c_int, (c_void_p, POINTER(c_int))),
    "host_alloc": (c_int, (c_void_p, c_uint64, POINTER(c_void_p))),
    "host_register": (c_int, (c_void_p, c_void_p, c_uint64, c_uint32, POINTER(c_void_p))),
    "host_free": (None, (c_void_p,)),
    "host_data": (c_void_p, (c_void_p,)),
    "host_pointer": (c_uint64, (c_void_p,)),
    "host_export": (c_int, (c_void_p, POINTER(c_int))),
    "stream_open": (c_int, (c_void_p, POINTER(c_void_p))),
    "stream_close": (None, (c_void_p,)),
    "stream_handle": (c_void_p, (c_void_p,)),
    "copy_to_gpu": (c_int, (c_void_p, c_uint64, c_void_p, c_uint64)),
    "copy_from_gpu": (c_int, (c_void_p, c_void_p, c_uint64, c_uint64)),
    "copy_within_gpu": (c_int, (c_void_p, c_uint64, c_uint64, c_uint64)),
    "stream_synchronize": (c_int, (c_void_p,)),
    "stream_idle": (c_int, (c_void_p,)),
    "stream_wait": (c_int, (c_void_p, c_int, c_uint32)),
    "stream_signal": (c_int, (c_void_p, c_int)),
    "event_open": (c_int, (c_void_p, POINTER(c_void_p))),
    "event_close": (None, (c_void_p,)),
    "event_record": (c_int, (c_void_p, c_void_p)),
    "event_synchronize": (c_int, (c_void_p,)),
    "event_elapsed_ns": (c_int, (c_void_p, c_void_p, POINTER(c_int64))),
}


def _limits(integer: Any) -> tuple[int, int]:  # noqa: ANN401 - a type of ctypes
    bits = 8 * ctypes.sizeof(integer)
    signed = integer(-1).value < 0
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)


# What the integers of C hold. ctypes cuts off what is beyond.
_LIMITS = {integer: _limits(integer) for integer in (c_int, c_uint, c_uint32, c_uint64, c_size_t)}


def _file() -> str:
    """Return the library's file: SLUICE_CUDA, else the wheel's, the build's, or the system's."""
    named = os.environ.get(_VARIABLE)
    if named:
        if not Path(named).is_file():
            raise RunError(f"{_VARIABLE} names {named}, which is not a file")
        return named
    of_wheel = shipped("cuda") / _NAME
    if of_wheel.is_file():
        return str(of_wheel)
    root = repository()
    if root is not None:
        built = root / "build" / "release" / "lib" / "cuda" / _NAME
        if built.is_file():
            return str(built)
    return _INSTALLED


class Library:
    """The calls of libsluice-cuda, without their prefix."""

    def __init__(self, file: str) -> None:
        try:
            self._library = ctypes.CDLL(file)
        except OSError as error:
            raise RunError(
                f"{_NAME} is not built; build it with `make build`, or name its file in "
                f"{_VARIABLE} ({error})"
            ) from error
        for name, (result, arguments) in _CALLS.items():
            function = getattr(self._library, f"sluice_cuda_{name}")
            function.restype = result
            function.argtypes = arguments

    def raw(self, name: str) -> Any:  # noqa: ANN401 - a function of C
        """Return a call that cannot fail."""
        return getattr(self._library, f"sluice_cuda_{name}")

    def call(self, name: str, *arguments: Any) -> int:  # noqa: ANN401 - as C takes them
        """Make a call; return its result.

        OSError: it failed. ValueError: a number is beyond its type in C.
        """
        function = self.raw(name)
        for value, kind in zip(arguments, function.argtypes, strict=True):
            if isinstance(value, int) and kind in _LIMITS:
                low, high = _LIMITS[kind]
                if not low <= value <= high:
                    raise ValueError(f"{value} is out of range; allowed: {low} to {high}")
        result: int = function(*arguments)
        if result < 0:
            raise OSError(-result, self.raw("last_error")().decode(errors="replace"))
        return result

    def make(self, name: str, *arguments: Any) -> int:  # noqa: ANN401 - as C takes them
        """Make a call whose last argument takes a handle; return that."""
        handle = c_void_p()
        self.call(name, *arguments, ctypes.byref(handle))
        if handle.value is None:
            raise TypeError(f"sluice_cuda_{name} gave no handle")
        return handle.value


@cache
def load() -> Library:
    """Return libsluice-cuda, loaded. Raises RunError if it is not built."""
    return Library(_file())


def _free(creator: int, free: Callable[[int], None], value: int) -> None:
    # After a fork() the object is the parent's. Its threads do not exist in the child, and a call
    # that waits for them would not return.
    if os.getpid() == creator:
        free(value)


class Handle:
    """An object of the library, which is freed with its last reference, or before.

    A process that was forked after it was made does not free it.
    """

    def __init__(self, what: str, value: int, free: str) -> None:
        self._what = what
        self._value = value
        self._free = weakref.finalize(self, _free, os.getpid(), load().raw(free), value)

    @property
    def value(self) -> int:
        """Return it for a call. ValueError: it was freed."""
        if not self._free.alive:
            raise ValueError(f"{self._what} has been freed or closed")
        return self._value

    @property
    def closed(self) -> bool:
        """Whether it was freed."""
        return not self._free.alive

    def close(self) -> None:
        """Free it, once."""
        self._free()
