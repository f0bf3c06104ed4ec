# SPDX-License-Identifier: Apache-2.0
"""Memory and order shared between an NVIDIA GPU and a board (libsluice-cuda).

    from sluice.cuda import open_gpu

    with open_gpu(0) as gpu, gpu.memory(1 << 20) as memory, gpu.host(1 << 20) as host:
        host.array()[:] = 42
        with gpu.stream() as stream:
            stream.copy(host, memory)
            stream.synchronize()
        array = cupy.asarray(memory)  # or torch.from_dlpack(memory); neither copies

Errors: what the library or CUDA refuses is OSError with its errno and a sentence; what has been
freed or closed is ValueError; RunError: libsluice-cuda is not built. Without CUDA open_gpu() is
FileNotFoundError, which says what is missing. Sizes are bytes, times nanoseconds.

After os.fork() the objects work in the parent only. The child may drop or close them, which frees
nothing.
"""

from sluice.cuda.gpu import Gpu, GpuInfo, gpu_count, open_gpu
from sluice.cuda.memory import GpuMemory, HostMemory
from sluice.cuda.stream import Event, Stream

__all__ = [
    "Event",
    "Gpu",
    "GpuInfo",
    "GpuMemory",
    "HostMemory",
    "Stream",
    "gpu_count",
    "open_gpu",
]
