# SPDX-License-Identifier: Apache-2.0
"""Memory and order shared between an NVIDIA GPU and a board (libsluice-cuda).

    from sluice.cuda import open_gpu

    with open_gpu(0) as gpu, gpu.memory(1 << 20) as memory, gpu.host(1 << 20) as host:
        host.array()[:] = 42
        with gpu.stream() as stream:
            stream.copy(host, memory)
            stream.synchronize()
        array = cupy.asarray(memory)  # or torch.from_dlpack(memory); neither copies

Sizes are in bytes, and times are in nanoseconds.

If the library or CUDA refuses a call, it raises OSError with an errno and a sentence. A call on an
object that was freed or closed raises ValueError. RunError means that libsluice-cuda is not built.
Without CUDA, open_gpu() raises FileNotFoundError, whose sentence names what is missing.

After os.fork(), the objects work in the parent only. The child may drop or close them, which frees
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
