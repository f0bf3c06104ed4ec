# SPDX-License-Identifier: Apache-2.0
"""`make gpu-test` on the test double of libcuda: what it prints, keeps and finds."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sluice.cuda import GpuMemory, HostMemory, open_gpu
from sluice.errors import RunError
from sluice.paths import repository

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))

from gpu_test import Test as Checks
from gpu_test import opened

PATIENCE_S = 600.0


def gpu_test(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    root = repository()
    assert root is not None
    return subprocess.run(
        [sys.executable, str(root / "python" / "tools" / "gpu_test.py"), *arguments],
        env={**os.environ, "SLUICE_STUB": "", **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def test_without_a_gpu_it_is_skipped_with_its_reason() -> None:
    done = gpu_test(SLUICE_LIBCUDA="/nowhere/libcuda.so")
    assert done.returncode == 0
    assert done.stdout.startswith(
        "skipped: SLUICE_LIBCUDA names /nowhere/libcuda.so, which does not load"
    )
    done = gpu_test("--stub", SLUICE_STUB="gpus=0")
    assert done.returncode == 0
    assert done.stdout == (
        "skipped: CUDA finds no GPU; see nvidia-smi, and the environment's CUDA_VISIBLE_DEVICES\n"
    )


def test_a_gpu_that_is_not_there_is_an_error() -> None:
    done = gpu_test("--stub", "--gpu", "7")
    assert done.returncode == 1
    assert done.stderr == "gpu-test: there is no GPU 7; allowed: 0 to 0\n"


@pytest.mark.parametrize(
    ("index", "why"),
    [
        ("-1", "a GPU's index is 0 or more, not -1"),
        ("4294967296", "4294967296 is out of range; allowed: 0 to 4294967295"),
    ],
)
def test_a_number_that_no_gpu_has_is_wrong_input(index: str, why: str) -> None:
    for arguments in (["--stub"], []):  # with a GPU, and without CUDA
        done = gpu_test(*arguments, "--gpu", index, SLUICE_LIBCUDA="/nowhere/libcuda.so")
        assert done.returncode == 2
        assert done.stderr == f"gpu-test: --gpu: {why}\n"
        assert not done.stdout


def test_a_library_that_is_not_cuda_is_an_error() -> None:
    done = gpu_test(SLUICE_LIBCUDA="libc.so.6")
    assert done.returncode == 1
    assert done.stderr == (
        "gpu-test: libc.so.6 has no cuGetErrorString; a driver for CUDA 11.0 or newer is needed\n"
    )


def test_a_test_double_that_does_not_load_fails_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLUICE_LIBCUDA", "/nowhere/libcuda-stub.so")
    with pytest.raises(RunError, match=r"^SLUICE_LIBCUDA names /nowhere/libcuda-stub\.so, which"):
        opened(0, stub=True)
    assert opened(0, stub=False) is None


def test_everything_passes_on_the_test_double_and_is_labelled(tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    done = gpu_test("--stub", "--json", str(file))
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(file.read_text(encoding="utf-8"))
    assert result["stub"]
    assert result["complete"]
    assert result["gpu"]["name"].startswith("stub")
    status = {check["name"]: check["status"] for check in result["checks"]}
    optional = {"udmabuf", "consumers"}  # by what the machine has
    assert {name for name, found in status.items() if found != "passed"} <= optional
    assert [copy["bytes"] for copy in result["copies"]] == [4 << n for n in range(24)]
    assert {rate["path"] for rate in result["rates"]} == {"HG", "GH"}
    assert all(run["wrong_chunks"] == 0 for run in result["pipelines"])


@pytest.mark.parametrize(
    ("check", "settings", "found"),
    [
        ("copies", "corrupt=100", "128 bytes came back different"),
        ("registration", "corrupt=0", "what came back from the GPU is not what was sent"),
        ("pipeline", "corrupt=0", "chunks did not arrive as they left"),
    ],
)
def test_a_wrong_byte_fails_it(check: str, settings: str, found: str) -> None:
    done = gpu_test("--stub", "--only", check, SLUICE_STUB=settings)
    assert done.returncode == 1
    assert f"failed  {check}: " in done.stdout
    assert found in done.stdout


def test_what_the_gpu_cannot_do_is_skipped() -> None:
    done = gpu_test("--stub", "--only", "dma-buf", SLUICE_STUB="no-dma-buf")
    assert done.returncode == 0
    assert done.stdout.splitlines()[1] == (
        "skipped dma-buf: CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED is 0; NVIDIA's open kernel modules "
        "are needed"
    )
    done = gpu_test("--stub", "--only", "order", SLUICE_STUB="no-waits")
    assert done.returncode == 0
    assert "passed  order: 100 rounds, the stream waiting in host functions" in done.stdout


@pytest.mark.usefixtures("cuda_stub")
@pytest.mark.parametrize(
    ("number", "status"),
    [
        (errno.ENOTSUP, "skipped"),
        (errno.EACCES, "skipped"),
        (errno.EINVAL, "failed"),
        (errno.EIO, "failed"),
    ],
)
def test_only_a_machine_without_udmabuf_skips_it(
    number: int, status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dma_buf(host: HostMemory) -> int:
        del host
        raise OSError(number, "why")

    monkeypatch.setattr(HostMemory, "dma_buf", dma_buf)
    checks = Checks(open_gpu(0), 1, None)
    checks.check("udmabuf", checks.udmabuf)
    assert checks.report.checks == [{"name": "udmabuf", "status": status, "text": "why"}]


class Library(ModuleType):
    """PyTorch or CuPy, in so far as the check uses them, on the test double's memory."""

    def __init__(self, name: str, *, available: bool, flip: int = 0) -> None:
        super().__init__(name)
        self.flip = flip
        self.data: np.ndarray[Any, np.dtype[np.uint8]] = np.zeros(0, np.uint8)
        self.cuda = SimpleNamespace(is_available=lambda: available)

    def from_dlpack(self, memory: GpuMemory) -> Library:
        """Take the memory: of PyTorch."""
        data = np.frombuffer(ctypes.string_at(memory.pointer, len(memory)), np.uint8)
        self.data = data ^ np.uint8(self.flip)
        return self

    def cpu(self) -> Library:
        """Return itself."""
        return self

    def numpy(self) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """Return the bytes."""
        return self.data

    def asarray(self, memory: GpuMemory) -> None:
        """Take the memory: of CuPy, without a kernel for this GPU."""
        del memory
        raise RuntimeError("cudaErrorNoKernelImageForDevice: no kernel image is available")

    def asnumpy(self, array: None) -> None:
        """Never called."""


@pytest.mark.usefixtures("cuda_stub")
@pytest.mark.parametrize(
    ("torch", "cupy", "status", "text"),
    [
        (None, None, "skipped", "neither torch nor cupy is installed with CUDA"),
        (
            Library("torch", available=False),
            Library("cupy", available=False),
            "skipped",
            "neither torch nor cupy is installed with CUDA",
        ),
        (Library("torch", available=True), None, "passed", "torch read the memory without a copy"),
        (
            Library("torch", available=True, flip=1),
            None,
            "failed",
            "torch does not see what is in the memory",
        ),
        (
            None,
            Library("cupy", available=True),
            "failed",
            "RuntimeError: cudaErrorNoKernelImageForDevice: no kernel image is available",
        ),
    ],
)
def test_only_libraries_with_cuda_take_the_memory(
    torch: Library | None,
    cupy: Library | None,
    status: str,
    text: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "torch", torch)  # None: it cannot be imported
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    gpu = open_gpu(0)
    gpu.info = replace(gpu.info, stub=False)
    checks = Checks(gpu, 1, None)
    checks.check("consumers", checks.consumers)
    assert checks.report.checks == [{"name": "consumers", "status": status, "text": text}]


@pytest.mark.usefixtures("cuda_stub")
def test_no_library_takes_the_memory_of_the_test_double(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", Library("torch", available=True))
    checks = Checks(open_gpu(0), 1, None)
    checks.check("consumers", checks.consumers)
    assert checks.report.checks == [
        {"name": "consumers", "status": "skipped", "text": "the test double has no GPU memory"}
    ]
