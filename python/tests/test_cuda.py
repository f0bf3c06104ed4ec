# SPDX-License-Identifier: Apache-2.0
"""sluice.cuda on the test double of libcuda, which `make build` builds."""

from __future__ import annotations

import ctypes
import gc
import mmap
import os
import select
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from sluice.cuda import Gpu, GpuMemory, gpu_count, open_gpu
from sluice.cuda.dlpack import ManagedTensor
from sluice.io import open_board

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE_S = 120.0

pytestmark = pytest.mark.usefixtures("cuda_stub")

pythonapi = ctypes.pythonapi
pythonapi.PyCapsule_GetPointer.restype = ctypes.c_void_p
pythonapi.PyCapsule_GetPointer.argtypes = (ctypes.py_object, ctypes.c_char_p)
pythonapi.PyCapsule_SetName.argtypes = (ctypes.py_object, ctypes.c_char_p)


@pytest.fixture
def gpu(cuda_stub: None) -> Gpu:
    del cuda_stub
    return open_gpu(0)


def random_bytes(nbytes: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    seed = int(os.environ.get("SEED", "1"), 0)
    return np.random.default_rng(seed).integers(0, 256, nbytes, np.uint8)


# ---- GPUs


def test_a_gpu_says_what_it_is(gpu: Gpu, monkeypatch: pytest.MonkeyPatch) -> None:
    assert gpu.info.stub
    assert gpu.info.name == "stub (no GPU: memory of this host)"
    assert gpu.info.pci == "0000:e0:00.0"
    assert gpu.info.cuda_version == "12.8"
    assert gpu.info.peer_writes_visible
    monkeypatch.setenv("SLUICE_STUB", "gpus=3")
    assert gpu_count() == 3


def test_without_cuda_a_sentence_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLUICE_LIBCUDA", "/nowhere/libcuda.so")
    with pytest.raises(FileNotFoundError) as caught:
        open_gpu()
    assert caught.value.strerror == (
        "SLUICE_LIBCUDA names /nowhere/libcuda.so, which does not load: /nowhere/libcuda.so: "
        "cannot open shared object file: No such file or directory"
    )


def test_a_gpu_that_is_not_there_is_refused() -> None:
    with pytest.raises(OSError, match=r"^\[Errno 19\] there is no GPU 7; allowed: 0 to 0$"):
        open_gpu(7)
    with pytest.raises(ValueError, match="a GPU's index is 0 or more, not -1"):
        open_gpu(-1)
    with pytest.raises(ValueError, match=r"^4294967296 is out of range; allowed: 0 to 4294967295$"):
        open_gpu(1 << 32)  # which is GPU 0 in 32 bits


def test_a_number_that_c_does_not_hold_is_refused(gpu: Gpu) -> None:
    event = os.eventfd(1)
    try:
        with gpu.stream() as stream:
            for fd in (event + (1 << 32), event - (1 << 32)):
                for call in (stream.wait, stream.signal):
                    with pytest.raises(
                        ValueError,
                        match=rf"^{fd} is out of range; allowed: -2147483648 to 2147483647$",
                    ):
                        call(fd)
        assert os.eventfd_read(event) == 1
    finally:
        os.close(event)
    for nbytes in (-1, (1 << 64) + 4096):
        for make in (gpu.memory, gpu.host):
            with pytest.raises(
                ValueError,
                match=rf"^{nbytes} is out of range; allowed: 0 to 18446744073709551615$",
            ):
                make(nbytes)


def test_the_library_that_is_not_there_is_named(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from sluice.cuda import gpu_count; gpu_count()"],
        env={**os.environ, "SLUICE_CUDA": str(tmp_path / "none.so")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"SLUICE_CUDA names {tmp_path / 'none.so'}, which is not a file" in done.stderr


# ---- memory and copies


def test_bytes_come_back_as_they_went(gpu: Gpu) -> None:
    nbytes = 1_000_003
    source, sink = gpu.host(nbytes), gpu.host(nbytes)
    memory, other = gpu.memory(nbytes), gpu.memory(nbytes)
    source.array()[:] = random_bytes(nbytes)
    with gpu.stream() as stream:
        stream.copy(source, memory)
        stream.copy(memory, other)
        stream.copy(other, sink)
        stream.synchronize()
        assert stream.idle()
    assert np.array_equal(source.array(), sink.array())


def test_a_wrong_byte_is_seen(gpu: Gpu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLUICE_STUB", "corrupt=99")
    source, sink, memory = gpu.host(4096), gpu.host(4096), gpu.memory(4096)
    source.array()[:] = random_bytes(4096)
    with gpu.stream() as stream:
        stream.copy(source, memory)
        stream.synchronize()
        monkeypatch.setenv("SLUICE_STUB", "")
        stream.copy(memory, sink)
        stream.synchronize()
    assert np.flatnonzero(source.array() != sink.array()).tolist() == [99]


def test_offsets_are_of_both_sides(gpu: Gpu) -> None:
    source, sink, memory = gpu.host(100), gpu.host(100), gpu.memory(100)
    source.array()[:] = np.arange(100)
    with gpu.stream() as stream:
        stream.copy(source, memory, source_offset=10, destination_offset=50, nbytes=20)
        stream.copy(memory, sink, source_offset=55, destination_offset=1, nbytes=5)
        stream.synchronize()
        assert sink.array()[:7].tolist() == [0, 15, 16, 17, 18, 19, 0]
        with pytest.raises(ValueError, match=r"^51 bytes at 50 of the destination, which has 100"):
            stream.copy(source, memory, destination_offset=50, nbytes=51)
        with pytest.raises(ValueError, match=r"^0 bytes at 100 of the source, which has 100"):
            stream.copy(source, memory, source_offset=100)
        with pytest.raises(TypeError, match="host memory"):
            stream.copy(source, sink)


def test_the_dma_buf_is_the_memory(gpu: Gpu) -> None:
    memory, host = gpu.memory(5000), gpu.host(5000)
    host.array()[:] = random_bytes(5000)
    fd = memory.dma_buf()
    try:
        with gpu.stream() as stream:
            stream.copy(host, memory)
            stream.synchronize()
        with mmap.mmap(fd, 65536) as seen:
            assert seen[:5000] == host.array().tobytes()
    finally:
        os.close(fd)


def test_what_the_gpu_does_not_export_is_an_error(
    gpu: Gpu, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLUICE_STUB", "no-dma-buf")
    with pytest.raises(OSError, match="cannot be exported as a dma-buf"):
        gpu.memory(1).dma_buf()


def test_memory_of_the_program_is_registered(gpu: Gpu) -> None:
    data = random_bytes(10_000)
    memory, back = gpu.memory(10_000), gpu.host(10_000)
    with gpu.register(data) as registered, gpu.stream() as stream:
        assert registered.address == data.ctypes.data
        assert registered.pointer != 0
        with pytest.raises(FileExistsError):
            gpu.register(data[5000:6000])
        stream.copy(registered, memory)
        stream.copy(memory, back)
        stream.synchronize()
    assert np.array_equal(back.array(), data)
    with gpu.register(data, read_only=True):
        pass  # again, since it was given back


def test_a_simulated_boards_buffer_is_registered(gpu: Gpu) -> None:
    data = random_bytes(65_536)
    memory, back = gpu.memory(65_536), gpu.host(65_536)
    with open_board("sim:zynq7010/dma_loopback") as board:
        source, sink = board.buffer(65_536), board.buffer(65_536)
        with source.access(write=True) as bytes_of:
            bytes_of[:] = data
        with board.channel("hp0.mm2s") as send, board.channel("hp0.s2mm") as receive:
            receive.submit(sink)
            send.submit(source)
            receive.wait()
        with gpu.register(sink.array()) as registered, gpu.stream() as stream:
            stream.copy(registered, memory)
            stream.copy(memory, back)
            stream.synchronize()
    assert np.array_equal(back.array(), data)


def test_memory_is_freed_once_no_array_has_it(gpu: Gpu) -> None:
    host = gpu.host(64)
    array = host.array(np.uint32)
    assert array.shape == (16,)
    with pytest.raises(BufferError, match="an array still uses the memory"):
        host.free()
    del array
    gc.collect()
    host.free()
    with pytest.raises(ValueError, match="the host memory has been freed or closed"):
        host.array()


# ---- other libraries


def test_the_cuda_array_interface(gpu: Gpu) -> None:
    memory = gpu.memory(1000)
    assert memory.__cuda_array_interface__ == {
        "version": 3,
        "shape": (1000,),
        "typestr": "|u1",
        "data": (memory.pointer, False),
        "strides": None,
        "stream": None,
    }


class Consumer:
    """Takes a capsule of DLPack, as its specification says."""

    def __init__(self, memory: GpuMemory) -> None:
        capsule = memory.__dlpack__()
        address = pythonapi.PyCapsule_GetPointer(capsule, b"dltensor")
        pythonapi.PyCapsule_SetName(capsule, b"used_dltensor")
        self.managed = ManagedTensor.from_address(address)

    def delete(self) -> None:
        """Give it back."""
        self.managed.deleter(ctypes.byref(self.managed))


def test_dlpack_keeps_the_memory_until_its_consumer_deletes_it(gpu: Gpu) -> None:
    memory = gpu.memory(1000)
    assert memory.__dlpack_device__() == (2, 0)
    consumer = Consumer(memory)
    tensor = consumer.managed.tensor
    assert tensor.data == memory.pointer
    assert (tensor.device.device_type, tensor.device.device_id) == (2, 0)
    assert (tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes) == (1, 8, 1)
    assert (tensor.ndim, tensor.shape[0], tensor.byte_offset) == (1, 1000, 0)
    assert not tensor.strides
    gc.collect()
    with pytest.raises(BufferError):
        memory.free()
    consumer.delete()
    memory.free()


def test_a_capsule_that_nobody_took_is_forgotten(gpu: Gpu) -> None:
    memory = gpu.memory(1000)
    capsule = memory.__dlpack__()
    with pytest.raises(BufferError):
        memory.free()
    del capsule
    memory.free()


def test_numpy_reads_the_capsule_and_refuses_the_device(gpu: Gpu) -> None:
    memory = gpu.memory(1000)
    with pytest.raises((RuntimeError, BufferError), match="device"):
        np.from_dlpack(memory)
    gc.collect()
    memory.free()


def test_dlpack_refuses_a_copy_and_another_device(gpu: Gpu) -> None:
    memory = gpu.memory(1000)
    with pytest.raises(BufferError, match="not copied"):
        memory.__dlpack__(copy=True)
    with pytest.raises(BufferError, match=r"on \(2, 0\), not \(1, 0\)"):
        memory.__dlpack__(dl_device=(1, 0))


# ---- streams and descriptors


def test_a_stream_waits_for_a_descriptor_and_signals_one(gpu: Gpu) -> None:
    source, sink, memory = gpu.host(4096), gpu.host(4096), gpu.memory(4096)
    arrived, there = os.eventfd(0), os.eventfd(0)
    try:
        with gpu.stream() as stream:
            stream.wait(arrived, take=True)
            stream.copy(source, memory)
            stream.copy(memory, sink)
            stream.signal(there)
            assert not stream.idle()
            source.array()[:] = random_bytes(4096)  # after it was queued
            os.eventfd_write(arrived, 1)
            assert select.select([there], [], [], PATIENCE_S)[0]
            assert np.array_equal(source.array(), sink.array())
            stream.synchronize()
    finally:
        os.close(arrived)
        os.close(there)


# A child that ends as a program of Python does, while a stream of its parent waits.
FORKS = """
import os, signal, sys
from sluice.cuda import open_gpu

gpu = open_gpu(0)
host, memory, stream = gpu.host(4096), gpu.memory(4096), gpu.stream()
event = os.eventfd(0)
stream.wait(event)
stream.copy(host, memory)
child = os.fork()
if child == 0:
    signal.alarm(20)
    with stream:
        pass
    sys.exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert not stream.idle()
os.eventfd_write(event, 1)
stream.synchronize()
"""


def test_a_child_of_a_fork_frees_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORKS],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_waiting_lets_other_threads_run(gpu: Gpu) -> None:
    arrived = os.eventfd(0)
    try:
        with gpu.stream() as stream:
            stream.wait(arrived)
            thread = threading.Timer(0.05, lambda: os.eventfd_write(arrived, 1))
            thread.start()
            stream.synchronize()
            thread.join()
    finally:
        os.close(arrived)


def test_events_tell_the_time_between_them(gpu: Gpu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLUICE_STUB", "delay-us=20000")
    host, memory = gpu.host(64), gpu.memory(64)
    first, second = gpu.event(), gpu.event()
    with gpu.stream() as stream:
        first.record(stream)
        stream.copy(host, memory)
        second.record(stream)
        with pytest.raises(BlockingIOError):
            first.ns_until(second)
        second.synchronize()
        assert first.ns_until(second) >= 20_000_000  # the test double's delay is at least that
