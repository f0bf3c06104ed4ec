# SPDX-License-Identifier: Apache-2.0
"""sluice pipe to and from a GPU's memory, on the test double of libcuda."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np
import pytest

from sluice.errors import InputError
from sluice.pipe.ends import GpuEnd, parse_end

if TYPE_CHECKING:
    from collections.abc import Callable

    from calling import Sluice

CARD = "sim:pcie-gen3x8/xdma?level=transaction"
IN, OUT = f"{CARD}#h2c0", f"{CARD}#c2h0"
STREAM = "sim:pcie-gen3x8/xdma_stream"
SOURCE = [f"--set=s0.source.{setting}=1" for setting in ("clear", "continuous", "enable")]
MIB = 1 << 20

pytestmark = pytest.mark.usefixtures("cuda_stub")


def pattern(memory_bytes: int, nbytes: int) -> bytes:
    """Return what a GPU's memory gives as a source: numbers that count up, round and round."""
    words = np.arange(-(-memory_bytes // 4), dtype="<u4").tobytes()[:memory_bytes]
    return (words * (nbytes // memory_bytes + 1))[:nbytes]


def test_ends_are_parsed() -> None:
    assert parse_end("gpu:0") == GpuEnd(0, None)
    assert parse_end("gpu:12?bytes=16MiB") == GpuEnd(12, 16 * MIB)
    assert parse_end("gpu:12?bytes=16MiB").name == "gpu:12"


@pytest.mark.parametrize(
    "text", ["gpu:", "gpu:x", "gpu:0?", "gpu:0?bytes=", "gpu:0?size=4", "gpu:-1", "gpu:0#h2c0"]
)
def test_what_is_no_gpu_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"write gpu:INDEX or gpu:INDEX\?bytes=SIZE, such as"):
        parse_end(text)


@pytest.mark.parametrize("text", ["gpu:0?bytes=0", "gpu:0?bytes=many"])
def test_sizes_are_checked(text: str) -> None:
    with pytest.raises(InputError, match="gpu:0"):
        parse_end(text)


@pytest.mark.parametrize(
    ("memory", "nbytes", "chunk", "chunks"),
    [
        (MIB, MIB, "64KiB", 8),
        (100_003, 700_001, "64KiB", 8),  # round and round, across the memory's end
        (1000, 50_000, "16KiB", 2),  # a chunk is several rounds
        (MIB, 300_000, "256KiB", 1),
    ],
)
def test_from_a_gpu_to_a_card(
    sluice: Sluice, memory: int, nbytes: int, chunk: str, chunks: int
) -> None:
    ends = (f"gpu:0?bytes={memory}", f"{IN}@1MiB")
    ring = ("--chunk", chunk, "--chunks", str(chunks))
    done = sluice("pipe", *ends, "--bytes", str(nbytes), *ring, "--verify", "--json", "-")
    assert done.status == 0, done.err
    found = done.json
    assert found["bytes"] == nbytes
    assert found["verified"] is True
    assert found["sha256"] == hashlib.sha256(pattern(memory, nbytes)).hexdigest()
    assert found["source"]["name"] == "gpu:0"
    assert found["source"]["busy_s"] > 0


@pytest.mark.parametrize("chunks", [1, 8])
def test_from_a_stream_to_a_gpu(sluice: Sluice, chunks: int) -> None:
    words = ("--bytes", "40000", "--chunk", "4KiB", "--chunks", str(chunks), "--verify")
    done = sluice("pipe", f"{STREAM}#c2h0", "gpu:0?bytes=64KiB", *words, *SOURCE, "--json", "-")
    assert done.status == 0, done.err
    found = done.json
    assert found["verified"] is True
    assert found["sha256"] == hashlib.sha256(pattern(40_000, 40_000)).hexdigest()
    assert found["sink"]["name"] == "gpu:0"
    assert found["sink"]["busy_s"] > 0
    assert found["clock"] == "simulated"


def test_a_gpu_is_overwritten_round_and_round(sluice: Sluice) -> None:
    done = sluice("pipe", OUT, "gpu:0?bytes=100003", "--bytes", "1MiB", "--json", "-")
    assert done.status == 0, done.err
    assert done.json["bytes"] == MIB
    assert done.json["verified"] is None


def test_the_memory_is_as_long_as_what_comes(sluice: Sluice) -> None:
    done = sluice("pipe", "gpu:0", IN, "--bytes", "1001", "--verify", "--json", "-")
    assert done.status == 0, done.err
    assert done.json["sha256"] == hashlib.sha256(pattern(1001, 1001)).hexdigest()


def test_a_wrong_byte_in_the_gpu_is_found(sluice: Sluice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLUICE_STUB", "corrupt=77")
    done = sluice("pipe", OUT, "gpu:0", "--bytes", "1MiB", "--verify")
    assert done.status == 1
    assert f"gpu:0 does not hold what left {OUT}" in done.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("gpu:0", "gpu:0"),
            "neither end is a channel of a board; a GPU's memory needs one beside",
        ),
        (("gpu:0", "file"), "neither end is a channel of a board"),
        ((OUT, "gpu:7"), "gpu:7: there is no GPU 7; allowed: 0 to 0"),
        ((OUT, "gpu:0?bytes=1024GiB"), "gpu:0: allocating memory of the GPU: out of memory"),
        (
            (OUT, "gpu:0?bytes=1000", "--bytes", "1001", "--verify"),
            "whose memory has 1000 B and is overwritten; give gpu:0?bytes=1001",
        ),
        (
            (f"{STREAM}#c2h0", "gpu:0", "--verify"),
            "--verify: the size of the data to gpu:0 is not known; give --bytes",
        ),
    ],
)
def test_bad_input(refused: Callable[..., str], words: tuple[str, ...], sentence: str) -> None:
    assert sentence in refused("pipe", *words)


def test_without_cuda_it_says_what_is_missing(
    refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLUICE_LIBCUDA", "/nowhere/libcuda.so")
    said = refused("pipe", OUT, "gpu:0")
    assert "gpu:0: SLUICE_LIBCUDA names /nowhere/libcuda.so, which does not load" in said
