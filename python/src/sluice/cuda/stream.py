# SPDX-License-Identifier: Apache-2.0
"""Streams of a GPU: copies in order, and order with what has a descriptor."""

from __future__ import annotations

import ctypes

from sluice.closing import Closing
from sluice.cuda.library import TAKE, Handle, load
from sluice.cuda.memory import GpuMemory, HostMemory


class Stream(Closing):
    """A stream of a GPU: Gpu.stream()."""

    def __init__(self, gpu: Handle) -> None:
        self.handle = Handle("the stream", load().make("stream_open", gpu.value), "stream_close")
        self._used: list[GpuMemory | HostMemory] = []  # by copies that may be in flight

    @property
    def cuda_stream(self) -> int:
        """The CUstream, for other libraries: cupy.cuda.ExternalStream(stream.cuda_stream)."""
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
        """Queue a copy of `nbytes` (all of the source from its offset on), made by the GPU.

        One of them at least is the GPU's memory. ValueError: the range leaves one of them.
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
        """Have what is queued from now on wait until descriptor `fd` is readable.

        It is a fence of a transfer, or an eventfd; the caller may close it at once. take: read it
        once, so that an eventfd's count goes down.
        """
        load().call("stream_wait", self.handle.value, fd, TAKE if take else 0)

    def signal(self, fd: int) -> None:
        """Have the stream add 1 to eventfd `fd` when everything queued before has ended."""
        load().call("stream_signal", self.handle.value, fd)

    def idle(self) -> bool:
        """Return whether everything that was queued has ended."""
        return bool(load().call("stream_idle", self.handle.value))

    def synchronize(self) -> None:
        """Wait until everything that was queued has ended.

        OSError: the GPU failed, or a descriptor that the stream waited for reported an error.
        """
        load().call("stream_synchronize", self.handle.value)
        self._used.clear()

    def close(self) -> None:
        """End the stream's waits, wait for its work, and close it."""
        self.handle.close()
        self._used.clear()


class Event:
    """A time of the GPU: Gpu.event()."""

    def __init__(self, gpu: Handle) -> None:
        self.handle = Handle("the event", load().make("event_open", gpu.value), "event_close")

    def record(self, stream: Stream) -> None:
        """Have the stream record the time when everything queued before has ended."""
        load().call("event_record", self.handle.value, stream.handle.value)

    def synchronize(self) -> None:
        """Wait until it is recorded."""
        load().call("event_synchronize", self.handle.value)

    def ns_until(self, later: Event) -> int:
        """Return the time from this event to a later one, in steps of about 500 ns.

        OSError (EINVAL): one of them was never recorded; BlockingIOError: not yet.
        """
        elapsed = ctypes.c_int64()
        load().call(
            "event_elapsed_ns", self.handle.value, later.handle.value, ctypes.byref(elapsed)
        )
        return elapsed.value

    def close(self) -> None:
        """Close it."""
        self.handle.close()
