# SPDX-License-Identifier: Apache-2.0
"""The pipelined path between a card and a GPU, its FPGA half paced by the host's clock.

A ring of chunks in host memory lies between both. The paced half is at work on one chunk for
chunk / rate, as a card's DMA of that rate would be; the GPU copies other chunks meanwhile. Both
wait for one another by descriptors only: the stream waits for an eventfd that a chunk's end
raises, and signals another when the chunk is free again. With one chunk the halves take turns.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sluice.cuda import Gpu, GpuMemory, HostMemory, Stream

TRANSFERS = 64  # chunks of a run; all are queued before the first begins


@dataclass(frozen=True)
class Run:
    """What one run gave."""

    to_gpu: bool
    chunk_bytes: int
    chunks: int  # of the ring
    paced_mb_s: float  # of the FPGA half
    gpu_mb_s: float  # of the GPU half alone
    mb_s: float  # of both together
    share: float  # of the slower half
    wrong_chunks: int


class Pipeline:
    """Memory for runs with chunks of one size."""

    def __init__(self, gpu: Gpu, chunk_bytes: int, most_chunks: int) -> None:
        self.gpu = gpu
        self.chunk = chunk_bytes
        self.memory: GpuMemory = gpu.memory(TRANSFERS * chunk_bytes)
        self.ring: list[HostMemory] = [gpu.host(chunk_bytes) for _ in range(most_chunks)]
        self.check: HostMemory = gpu.host(TRANSFERS * chunk_bytes)

    def close(self) -> None:
        """Free it."""
        for memory in (self.memory, self.check, *self.ring):
            memory.free()

    def gpu_alone_mb_s(self, *, to_gpu: bool) -> float:
        """Return the rate of the GPU's copies of chunks, one after another."""
        first, last = self.gpu.event(), self.gpu.event()
        with self.gpu.stream() as stream:
            for _ in range(2):  # the first time is not counted
                first.record(stream)
                for index in range(TRANSFERS):
                    self._copy(stream, index, index % len(self.ring), to_gpu=to_gpu)
                last.record(stream)
                stream.synchronize()
        elapsed_ns = first.ns_until(last)
        first.close()
        last.close()
        return TRANSFERS * self.chunk * 1e3 / elapsed_ns

    def run(self, chunks: int, paced_mb_s: float, *, to_gpu: bool) -> Run:
        """Move TRANSFERS chunks through a ring of `chunks`, and look at each."""
        gpu_mb_s = self.gpu_alone_mb_s(to_gpu=to_gpu)
        self._stamp(to_gpu=to_gpu)
        # What the paced half has done, and what the GPU has.
        paced, copied = (os.eventfd(0, os.EFD_SEMAPHORE | os.EFD_CLOEXEC) for _ in range(2))
        if not to_gpu:
            os.eventfd_write(paced, chunks)  # all chunks are free
        wrong = 0
        chunk_ns = self.chunk * 1e3 / paced_mb_s
        try:
            with self.gpu.stream() as stream:
                for index in range(TRANSFERS):
                    stream.wait(paced, take=True)
                    self._copy(stream, index, index % chunks, to_gpu=to_gpu)
                    stream.signal(copied)
                begun = time.perf_counter_ns()
                for index in range(TRANSFERS):
                    if not to_gpu or index >= chunks:
                        os.eventfd_read(copied)
                    until = time.perf_counter_ns() + chunk_ns
                    place = self.ring[index % chunks].array(np.uint64)
                    if to_gpu:
                        place[0] = place[-1] = index + 1
                    elif place[0] != index + 1 or place[-1] != index + 1:
                        wrong += 1
                    while time.perf_counter_ns() < until:
                        pass
                    os.eventfd_write(paced, 1)
                stream.synchronize()
                elapsed_ns = time.perf_counter_ns() - begun
        finally:
            os.close(paced)
            os.close(copied)
        if to_gpu:
            wrong = self._wrong_in_memory()
        mb_s = TRANSFERS * self.chunk * 1e3 / elapsed_ns
        return Run(
            to_gpu=to_gpu,
            chunk_bytes=self.chunk,
            chunks=chunks,
            paced_mb_s=paced_mb_s,
            gpu_mb_s=gpu_mb_s,
            mb_s=mb_s,
            share=mb_s / min(paced_mb_s, gpu_mb_s),
            wrong_chunks=wrong,
        )

    def _copy(self, stream: Stream, index: int, slot: int, *, to_gpu: bool) -> None:
        host, place, nbytes = self.ring[slot], index * self.chunk, self.chunk
        if to_gpu:
            stream.copy(host, self.memory, destination_offset=place, nbytes=nbytes)
        else:
            stream.copy(self.memory, host, source_offset=place, nbytes=nbytes)

    def _stamp(self, *, to_gpu: bool) -> None:
        """Put a chunk's number at its ends; where the ring brings it, nothing."""
        words = self.check.array(np.uint64).reshape(TRANSFERS, -1)
        words[:] = 0
        if not to_gpu:
            words[:, 0] = words[:, -1] = np.arange(1, TRANSFERS + 1)
        with self.gpu.stream() as stream:
            stream.copy(self.check, self.memory)
            stream.synchronize()

    def _wrong_in_memory(self) -> int:
        with self.gpu.stream() as stream:
            stream.copy(self.memory, self.check)
            stream.synchronize()
        words = self.check.array(np.uint64).reshape(TRANSFERS, -1)
        right = np.arange(1, TRANSFERS + 1)
        return int(np.count_nonzero((words[:, 0] != right) | (words[:, -1] != right)))
