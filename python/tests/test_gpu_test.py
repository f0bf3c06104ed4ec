# SPDX-License-Identifier: Apache-2.0
"""`make gpu-test` on the test double of libcuda: what it prints, keeps and finds."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sluice.cuda import HostMemory, open_gpu
from sluice.paths import repository

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))

from gpu_test import Test as Checks

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
