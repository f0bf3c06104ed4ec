# SPDX-License-Identifier: Apache-2.0
"""GPUs, which make memory, streams and events."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sluice.closing import Closing
from sluice.cuda.library import IO_MEMORY, READ_ONLY, Handle, Info, load
from sluice.cuda.memory import GpuMemory, HostMemory
from sluice.cuda.stream import Event, Stream

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class GpuInfo:
    """Properties of a GPU."""

    name: str  # name of the GPU
    pci: str  # PCI address, such as 0000:3b:00.0
    memory_bytes: int  # size of its memory
    cuda_version: str  # newest CUDA version that the driver supports, such as 12.8
    dma_buf: bool  # True if its memory can be exported
    gpu_waits: bool  # True if streams wait for descriptors on the GPU, not in a host function
    stub: bool  # True if this is the test double of libcuda
    peer_writes_visible: bool  # True if work after a wait sees what peers wrote to the GPU before


class Gpu(Closing):
    """An open GPU, made by open_gpu().

    It closes at the end of its `with`, or when the last object that belongs to it is gone.
    """

    def __init__(self, index: int) -> None:
        self.index = index
        self.handle = Handle(f"GPU {index}", load().make("open", index), "close")
        fields = Info()
        load().call("get_info", self.handle.value, ctypes.byref(fields), ctypes.sizeof(fields))
        self.info = GpuInfo(
            name=fields.name.decode(errors="replace"),
            pci=fields.pci.decode(errors="replace"),
            memory_bytes=fields.memory_bytes,
            cuda_version=f"{fields.cuda_version // 1000}.{fields.cuda_version % 1000 // 10}",
            dma_buf=bool(fields.dma_buf),
            gpu_waits=bool(fields.gpu_waits),
            stub=bool(fields.stub),
            peer_writes_visible=bool(fields.peer_writes_visible),
        )

    def memory(self, nbytes: int) -> GpuMemory:
        """Allocate memory of the GPU, whose content is undefined."""
        return GpuMemory(self.handle, self.index, nbytes)

    def host(self, nbytes: int) -> HostMemory:
        """Allocate host memory that the GPU reaches, filled with zeroes."""
        handle = load().make("host_alloc", self.handle.value, nbytes)
        return HostMemory(handle, nbytes, None)

    def register(
        self,
        data: NDArray[Any] | memoryview | bytearray,
        *,
        read_only: bool = False,
        io_memory: bool = False,
    ) -> HostMemory:
        """Register memory of the program with the GPU, such as an array or a board's buffer.

        Args:
            data: The memory.
            read_only: Whether the GPU only reads it.
            io_memory: Whether it is memory of a device, such as a mapped BAR of a card.

        Raises:
            OSError: With EEXIST if some of it is registered already.
        """
        view = np.frombuffer(data, dtype=np.uint8)
        flags = (READ_ONLY if read_only else 0) | (IO_MEMORY if io_memory else 0)
        handle = load().make(
            "host_register", self.handle.value, view.ctypes.data, view.nbytes, flags
        )
        return HostMemory(handle, view.nbytes, view)

    def stream(self) -> Stream:
        """Open a stream."""
        return Stream(self.handle)

    def event(self) -> Event:
        """Make an event."""
        return Event(self.handle)

    def close(self) -> None:
        """Close the handle. Objects of the GPU still work."""
        self.handle.close()


def gpu_count() -> int:
    """Return the number of GPUs.

    Raises:
        FileNotFoundError: If CUDA is missing.
    """
    return load().call("count")


def open_gpu(index: int = 0) -> Gpu:
    """Open a GPU, 0 to gpu_count() - 1.

    Raises:
        FileNotFoundError: If CUDA is missing.
        OSError: With ENODEV if the GPU does not exist.
        ValueError: If the index is negative.
    """
    if index < 0:
        raise ValueError(f"a GPU's index is 0 or more, not {index}")
    return Gpu(index)
