# SPDX-License-Identifier: Apache-2.0
"""Streams of a GPU, which copy in order, and wait for descriptors or signal them."""

from __future__ import annotations

import ctypes

from sluice.closing import Closing
from sluice.cuda.library import TAKE, Handle, load
from sluice.cuda.memory import GpuMemory, HostMemory


class Stream(Closing):
    """A stream of a GPU, made by Gpu.stream()."""

    def __init__(self, gpu: Handle) -> None:
        self.handle = Handle("the stream", load().make("stream_open", gpu.value), "stream_close")
        self._used: list[GpuMemory | HostMemory] = []  # by copies that may be in flight

    @property
    def cuda_stream(self) -> int:
        """The CUstream for other libraries, as in `cupy.cuda.ExternalStream(s.cuda_stream)`."""
        value: int = load().raw("stream_handle")(self.handle.value)
        return value

    def copy(
        self,
        source: GpuMemory | HostMemory,
        destination: GpuMemory | HostMemory,
        *,
        source_offset: int = 0,
        destination_offset: int = 0,
        nbytes: int | None = None,
    ) -> None:
        """Queue a copy that the GPU makes. At least one side is the GPU's memory.

        Args:
            source: Memory to copy from.
            destination: Memory to copy to.
            source_offset: First byte in the source.
            destination_offset: First byte in the destination.
            nbytes: Size of the copy. By default, it extends to the end of the source.

        Raises:
            ValueError: If the range leaves one of them.
            TypeError: If both are host memory.
        """
        length = len(source) - source_offset if nbytes is None else nbytes
        for what, memory, offset in (
            ("source", source, source_offset),
            ("destination", destination, destination_offset),
        ):
            if offset < 0 or length < 1 or offset + length > len(memory):
                raise ValueError(
                    f"{length} bytes at {offset} of the {what}, which has {len(memory)} bytes"
                )
        stream = self.handle.value
        if isinstance(source, HostMemory):
            if isinstance(destination, HostMemory):
                raise TypeError("source and destination are host memory; the GPU copies its own")
            load().call(
                "copy_to_gpu",
                stream,
                destination.pointer + destination_offset,
                source.address + source_offset,
                length,
            )
        elif isinstance(destination, HostMemory):
            load().call(
                "copy_from_gpu",
                stream,
                destination.address + destination_offset,
                source.pointer + source_offset,
                length,
            )
        else:
            load().call(
                "copy_within_gpu",
                stream,
                destination.pointer + destination_offset,
                source.pointer + source_offset,
                length,
            )
        for memory in (source, destination):
            if not any(memory is used for used in self._used):
                self._used.append(memory)

    def wait(self, fd: int, *, take: bool = False) -> None:
        """Let work that is queued from now on wait until descriptor `fd` is readable.

        Args:
            fd: Fence of a transfer, or an eventfd. The caller may close it at once.
            take: Whether to read it once, so that the count of an eventfd decreases.
        """
        load().call("stream_wait", self.handle.value, fd, TAKE if take else 0)

    def signal(self, fd: int) -> None:
        """Let the stream add 1 to eventfd `fd` when all work queued before has ended."""
        load().call("stream_signal", self.handle.value, fd)

    def idle(self) -> bool:
        """Return whether all queued work has ended."""
        return bool(load().call("stream_idle", self.handle.value))

    def synchronize(self) -> None:
        """Wait until all queued work has ended.

        Raises:
            OSError: If the GPU failed, or a descriptor that the stream waited for reported an
                error.
        """
        load().call("stream_synchronize", self.handle.value)
        self._used.clear()

    def close(self) -> None:
        """End the stream's waits, wait for its work, and close it."""
        self.handle.close()
        self._used.clear()


class Event:
    """A point in time of a GPU, made by Gpu.event()."""

    def __init__(self, gpu: Handle) -> None:
        self.handle = Handle("the event", load().make("event_open", gpu.value), "event_close")

    def record(self, stream: Stream) -> None:
        """Let the stream record the time at which all work queued before has ended."""
        load().call("event_record", self.handle.value, stream.handle.value)

    def synchronize(self) -> None:
        """Wait until the event is recorded."""
        load().call("event_synchronize", self.handle.value)

    def ns_until(self, later: Event) -> int:
        """Return the time from this event to a later one, in steps of about 500 ns.

        Raises:
            OSError: With EINVAL if record() was never called for one of them.
            BlockingIOError: If one of them is not recorded yet.
        """
        elapsed = ctypes.c_int64()
        load().call(
            "event_elapsed_ns", self.handle.value, later.handle.value, ctypes.byref(elapsed)
        )
        return elapsed.value

    def close(self) -> None:
        """Close it."""
        self.handle.close()
