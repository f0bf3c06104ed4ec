# SPDX-License-Identifier: Apache-2.0
"""The paths between card, host and GPU, by the real sluice-bench: bytes, and printed figures."""

import json
import os
import subprocess
from typing import Any, get_args

import pytest

from sluice.experiments.transfers.experiment import OF_CARD, Code
from sluice.paths import find_bench

CODES: tuple[Code, ...] = get_args(Code)
BY_CPU_LOADS = ("FM", "FG")  # 17 MB/s: 2 s of simulated time for 32 MiB
MIB = 1 << 20
MODEL = ("--gpu", "quadro-m2000")
FULL = bool(os.environ.get("SLUICE_FULL"))

pytestmark = pytest.mark.usefixtures("real_bench")


def transfer(
    code: Code, nbytes: int, *more: str, level: str = "transaction", gpu: tuple[str, ...] = MODEL
) -> dict[str, Any]:
    """Return what the bench prints of one row."""
    words = ["transfers", *gpu, "--level", level, "--completions", "poll"]
    words += ["--code", code, "--bytes", str(nbytes), "--iterations", "2", *more]
    done = subprocess.run([find_bench(), *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def rate(code: Code, nbytes: int, *more: str) -> float:
    """Return the rate of the second of two transfers, in MB/s."""
    return nbytes / transfer(code, nbytes, *more)["latency_ns"][1] * 1e3


@pytest.mark.parametrize("code", CODES)
def test_every_byte_arrives_and_a_wrong_one_is_found(code: Code) -> None:
    sizes = [4, 100, 65537, MIB]
    if FULL:
        sizes = sorted({*sizes, *(4 << n for n in range(24))})
    elif code in BY_CPU_LOADS:
        sizes[-1] = 1 << 17
    for nbytes in sizes:
        assert transfer(code, nbytes)["verified"] is True, nbytes
    for wrong in (0, 65536):
        assert transfer(code, 65537, "--corrupt", str(wrong))["verified"] is False, wrong


@pytest.mark.parametrize("code", ["FH+HF", "FI", "GIP"])
def test_steps_stand_in_the_order_of_their_ends(code: Code) -> None:
    steps = transfer(code, 2 * MIB, "--steps")["steps"]
    ends = [finish for *_, finish in steps]
    assert ends == sorted(ends)
    engines = {"FH+HF": {"h2c", "c2h"}, "FI": {"c2h", "cpu", "gpu"}, "GIP": {"gpu", "h2c"}}
    assert {what for what, *_ in steps} == engines[code]


@pytest.mark.parametrize("code", ["GH", "HG"])
def test_pageable_memory_arrives_too(code: Code) -> None:
    for nbytes in (4, 3 * MIB + 5):
        assert transfer(code, nbytes, "--pageable")["verified"] is True
    assert transfer(code, 3 * MIB, "--pageable", "--corrupt", "9")["verified"] is False


@pytest.mark.parametrize("code", [code for code in CODES if code not in ("FH+HF", *BY_CPU_LOADS)])
def test_the_cards_logic_takes_the_same_time(code: Code) -> None:
    times = [transfer(code, 1 << 15, level=level)["elapsed_ns"] for level in ("rtl", "transaction")]
    assert times[1] == pytest.approx(times[0], rel=0.01)


# Rates of single transfers of 32 MiB, against Garrone ten Brink 2017; the limits are the issue's.
@pytest.mark.parametrize(
    ("code", "settings", "printed", "limit"),
    [
        ("GH", (), 6389, 0.04),
        ("HG", (), 6243, 0.04),
        ("FR", (), 1800, 0.025),
        ("FGR", (), 295, 0.05),
        ("FGR", ("p2p_window=3",), 885, 0.05),
    ],
)
def test_printed_rates(code: Code, settings: tuple[str, ...], printed: float, limit: float) -> None:
    words = [word for setting in settings for word in ("--set", setting)]
    assert rate(code, 32 * MIB, *words) == pytest.approx(printed, rel=limit)


def test_reads_of_the_gpu_follow_the_footprint() -> None:
    # 500 within the cache, 209 beyond it; the same transfers in a larger cache are fast again.
    assert rate("GR", MIB // 2) == pytest.approx(500, rel=0.01)
    assert rate("GR", 8 * MIB) == pytest.approx(209, rel=0.01)
    assert rate("GR", 8 * MIB, "--set", f"gpu_near_bytes={16 * MIB}") == pytest.approx(
        500, rel=0.01
    )
    assert rate("GR", MIB // 2, "--set", "gpu_near_bytes=65536") == pytest.approx(209, rel=0.01)


def test_the_other_gpu_starts_later() -> None:
    first = transfer("GH", 4)["latency_ns"][1]
    assert 1.1 <= transfer("GH", 4, gpu=("--gpu", "gtx-950"))["latency_ns"][1] / first <= 1.15


@pytest.mark.parametrize(("code", "half"), [("FIP", "FH"), ("GIP", "HF")])
def test_a_pipelined_path_is_as_fast_as_its_slower_half(code: Code, half: Code) -> None:
    for nbytes in (MIB, (32 if FULL else 8) * MIB):
        assert rate(code, nbytes) >= 0.97 * rate(half, nbytes)


def test_a_pipelined_path_is_as_fast_as_the_published_one() -> None:
    assert rate("FIP", 32 * MIB) >= 1800


def test_one_half_after_the_other_takes_the_time_of_both() -> None:
    nbytes = 8 * MIB
    for code, halves in (("FIR", ("FH", "HG")), ("GIR", ("GH", "HF"))):
        together = sum(nbytes / rate(half, nbytes) for half in halves)
        assert nbytes / rate(code, nbytes) == pytest.approx(together, rel=0.005)


# The stub of CUDA beside a simulated card: all codes, functional; its rates are of this machine.
@pytest.mark.parametrize("code", CODES)
def test_every_byte_arrives_with_a_gpu_of_cuda(code: Code, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLUICE_LIBCUDA", str(find_bench().parents[1] / "lib/cuda/libcuda-stub.so"))
    for nbytes in (4, 65537, *([] if code in BY_CPU_LOADS else [3 * MIB + 5])):
        found = transfer(code, nbytes, gpu=("--cuda", "0"))
        assert found["verified"] is True, nbytes
        assert found["gpu"] == (None if code in OF_CARD else "stub")
    assert transfer(code, 65537, "--corrupt", "70", gpu=("--cuda", "0"))["verified"] is False


@pytest.mark.parametrize("code", ["HG", "FI", "FIP"])
def test_a_byte_that_the_gpu_gets_wrong_is_found(
    code: Code, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLUICE_LIBCUDA", str(find_bench().parents[1] / "lib/cuda/libcuda-stub.so"))
    monkeypatch.setenv("SLUICE_STUB", "corrupt=20000")
    assert transfer(code, 65537, gpu=("--cuda", "0"))["verified"] is False


def test_without_cuda_a_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLUICE_LIBCUDA", "/none/libcuda.so.1")
    words = ["transfers", "--cuda", "0", "--code", "GH"]
    done = subprocess.run([find_bench(), *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2  # what was asked for is not there
    assert "/none/libcuda.so.1" in done.stderr


# Time is the machine's, so a model's processor has no part in it.
def test_a_gpu_of_cuda_waits_for_no_modelled_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLUICE_LIBCUDA", str(find_bench().parents[1] / "lib/cuda/libcuda-stub.so"))
    words = ("--pageable", "--set", "cpu_copy_mb_s=1")  # 65 ms of simulated time for 64 KiB
    found = transfer("GH", 65536, *words, gpu=("--cuda", "0"), level="rtl")
    assert found["verified"] is True
    slow = transfer("GH", 65536, *words)
    assert slow["elapsed_ns"] > 2 * 65_000_000
    # RTL takes seconds for so much simulated time: it has not passed.
    assert found["elapsed_ns"] < slow["elapsed_ns"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--code", "GH"), "--code GH needs a GPU; give --gpu, --cuda or --peer"),
        (("--code", "FX"), "FX"),
        (("--code", "FI", "--gpu", "quadro-m2000", "--pageable"), "--pageable is for GH and HG"),
        (("--code", "GH", "--gpu", "voodoo"), "quadro-m2000, gtx-950"),
        (("--set", "gpu_tags=4"), "give gpu=quadro-m2000"),
        (("--code", "FR", "--peer", "0000:02:00.0/2"), "give --device"),
        (("--device", "dev:x", "--level", "rtl"), " excludes "),
        (("--device", "dev:x", "--completions", "poll"), " excludes "),
        (
            ("--device", "sim:pcie-gen2x4/xdma", "--code", "FR", "--peer", "0000:99:00.0/2"),
            "0000:99:00.0: there is no such PCI function",
        ),
        (("--code", "FR", "--gpu", "quadro-m2000", "--cuda", "0"), "give one of --gpu, --cuda"),
    ],
)
def test_what_is_refused(words: tuple[str, ...], message: str) -> None:
    done = subprocess.run(
        [find_bench(), "transfers", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert message in done.stderr
