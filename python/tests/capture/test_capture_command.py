# SPDX-License-Identifier: Apache-2.0
"""`sluice capture` on simulated boards: what it keeps, what it tells, how it ends."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

import numpy as np
import pytest
import sigmf
import sigmf.validate
from rich.console import Console

from calling import PATIENCE_S, Sluice, spawn
from sluice.capture import check, recorder, show
from sluice.capture import sigmf as sigmf_of
from sluice.capture.check import Look
from sluice.capture.datatype import parse_datatype
from sluice.capture.reserve import ENTRY_BYTES
from sluice.capture.result import CaptureResult, LostFrames
from sluice.capture.target import FileTarget
from sluice.cli import command
from sluice.io import Capture, CaptureStatus
from sluice.io.board import Attributes

BOARD = "sim:zynq7010/capture?level=transaction"
RTL = "sim:zynq7010/capture"
CHANNEL = "hp0.s2mm"
WORDS = 1024  # of a period of 4 KiB
SMALL = ("--period-bytes", "4KiB")
# The engine fetches a descriptor for two beats each, which is slower than they come.
DROPPING = [
    "--period-bytes", "16", "--periods", "1000", "--set", "hp0.source.packet_beats=2",
    "--set", "hp0.source.frame_packets=800", "--set", "hp0.source.frame_ticks=400000",
]  # fmt: skip


def words_of(path: Path) -> np.ndarray[Any, Any]:
    return np.fromfile(path, np.uint32)


def described(stem: Path) -> dict[str, Any]:
    """Return a file's description, which is a valid one, and the data are as it says."""
    document: dict[str, Any] = json.loads(stem.with_suffix(".sigmf-meta").read_text())
    sigmf.validate.validate(document)
    facts = document["global"]
    if "core:dataset" not in facts:
        size = stem.with_suffix(".sigmf-data").stat().st_size
        assert size == facts["sluice:bytes"]
    return document


@pytest.mark.parametrize("uri", [BOARD, RTL, "sim:zynq7020/capture?level=transaction"])
def test_every_word_is_kept(sluice: Sluice, tmp_path: Path, uri: str) -> None:
    words = (*SMALL, "--frames", "40", "--check", "counter", "--json", "-")
    done = sluice("capture", uri, CHANNEL, "-o", tmp_path / "x", *words)
    assert done.status == 0, done.err
    found = CaptureResult.model_validate_json(done.out)
    assert (found.frames, found.bytes, found.ended_by) == (40, 40 * 4096, "frames")
    assert (found.lost_frames, found.dropped_beats, found.partial) == (0, 0, False)
    assert found.check is not None
    assert (found.check.passed, found.check.words) == (True, 40 * WORDS)
    assert found.mb_s == pytest.approx(400, rel=0.01)  # half of what the port carries
    assert np.array_equal(words_of(tmp_path / "x.sigmf-data"), np.arange(40 * WORDS))
    document = described(tmp_path / "x")
    facts = document["global"]
    assert facts["core:datatype"] == "ru32_le"
    assert facts["core:sample_rate"] == 100e6
    assert facts["core:hw"] == f"{found.board} capture, channel hp0.s2mm"
    assert document["captures"] == [{"core:sample_start": 0, "core:global_index": 0}]
    assert document["annotations"] == []


def test_the_rate_is_the_sources(sluice: Sluice, tmp_path: Path) -> None:
    words = (*SMALL, "--frames", "20", "--rate", "100MB/s", "--json", "-")
    found = sluice("capture", BOARD, CHANNEL, "-o", tmp_path / "x", *words).json
    assert found["source_mb_s"] == 100.0
    assert found["mb_s"] == pytest.approx(100, rel=0.01)


@pytest.mark.parametrize("method", ["auto", "mmap", "copy"])
def test_frames_that_a_slow_sink_loses_are_named(
    sluice: Sluice, tmp_path: Path, method: str
) -> None:
    words = [*SMALL, "--periods", "16", "--frames", "50", "--sink-rate", "200MB/s"]
    words += ["--check", "counter", "--json", str(tmp_path / "r.json")]
    words += [] if method == "auto" else ["--method", method]
    done = sluice("capture", BOARD, CHANNEL, "-o", tmp_path / "x", *words)
    assert done.status == 0, done.err
    found = CaptureResult.model_validate_json((tmp_path / "r.json").read_text())
    assert found.method == method
    copied = {"auto": 0 < found.copied_frames < 100, "mmap": found.copied_frames == 0}
    assert copied.get(method, found.copied_frames >= 50)
    assert found.lost_frames > 0
    assert found.lost_frames == sum(loss.count for loss in found.losses)
    assert found.lost_bytes == found.lost_frames * 4096
    assert found.reader.slow == "sink"
    assert found.reader.headroom == 0
    # What is there is all but what is named.
    lost = {n for loss in found.losses for n in range(loss.first, loss.first + loss.count)}
    kept = [n for n in range(1000) if n not in lost][:50]
    expected = np.concatenate([np.arange(n * WORDS, (n + 1) * WORDS) for n in kept])
    data = words_of(tmp_path / "x.sigmf-data")
    assert np.array_equal(data, expected)
    # Every word is its own index in the whole stream.
    document = described(tmp_path / "x")
    segments = document["captures"]
    assert len(segments) > 1
    for segment in segments:
        assert data[segment["core:sample_start"]] == segment["core:global_index"]
    marks = [a for a in document["annotations"] if a["core:label"] == "lost frames"]
    named = [(a["sluice:frame"], a["sluice:count"], a["sluice:bytes"]) for a in marks]
    assert named == [(loss.first, loss.count, loss.bytes) for loss in found.losses]
    assert f"{found.lost_frames} frames lost ({found.lost_bytes} bytes)" in done.out
    assert "too slow for the source" in done.out
    first = found.losses[0]
    ended = f"until {(first.time_ns - found.start_ns) / 1e6:.3f} ms after the start"
    assert f"lost: frames {first.first} to" in done.out or f"frame {first.first}," in done.out
    assert f"{first.bytes} bytes, {ended}" in done.out
    hint = "while the sink read; give more --periods, or --method copy"
    assert (hint in done.out) is (method == "mmap")


@pytest.mark.parametrize("method", ["mmap", "copy"])
def test_a_stream_that_is_held_loses_nothing(sluice: Sluice, tmp_path: Path, method: str) -> None:
    words = [*SMALL, "--periods", "4", "--frames", "50", "--sink-rate", "100MB/s"]
    words += ["--policy", "hold", "--method", method, "--check", "counter", "--json", "-"]
    found = sluice("capture", BOARD, CHANNEL, "-o", tmp_path / "x", *words).json
    assert (found["lost_frames"], found["check"]["passed"]) == (0, True)
    assert found["mb_s"] < 110
    assert np.array_equal(words_of(tmp_path / "x.sigmf-data"), np.arange(50 * WORDS))


def test_dropped_beats_are_named(sluice: Sluice, tmp_path: Path) -> None:
    words = [*DROPPING, "--frames", "1200", "--json", str(tmp_path / "r.json")]
    done = sluice("capture", f"{BOARD}&start_cost_ns=0", CHANNEL, "-o", tmp_path / "x", *words)
    assert done.status == 0, done.err
    found = json.loads((tmp_path / "r.json").read_text())
    assert found["dropped_beats"] > 100
    assert found["dropped_beats"] == sum(drop["beats"] for drop in found["drops"])
    assert found["dropped_bytes"] == 8 * found["dropped_beats"]
    marks = [a for a in described(tmp_path / "x")["annotations"] if "dropped" in a["core:label"]]
    assert [a["sluice:count"] for a in marks] == [drop["beats"] for drop in found["drops"]]
    assert f"{found['dropped_beats']} beats dropped" in done.out
    assert f"dropped: {found['drops'][0]['beats']} beats" in done.out


def test_a_port_that_drops_much_is_explained(sluice: Sluice, tmp_path: Path) -> None:
    """The coherent port takes less than comes: each frame has hundreds of gaps."""
    uri = "sim:zynq7010/capture_acp?level=transaction&clock_mhz=250"
    words = ["--rate", "2000MB/s", "--frames", "20", "--check", "counter", "--json", "-"]
    done = sluice("capture", uri, "acp0.s2mm", "-o", tmp_path / "x", *words)
    assert done.status == 0, done.err
    found = done.json["check"]
    assert (found["passed"], found["other_frames"]) == (True, [])
    assert len(found["gaps"]) > 20 * 64
    assert sum(gap["dropped_words"] for gap in found["gaps"]) > 1000


def test_a_word_that_is_missing_without_a_reason_fails_the_check(
    sluice: Sluice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def look(data: np.ndarray[Any, Any]) -> Look:
        return check.look(data[4:] if data.view(np.uint32)[0] == 3 * WORDS else data)

    monkeypatch.setattr(recorder, "check", SimpleNamespace(look=look))
    words = [*SMALL, "--frames", "6", "--check", "counter", "--json", str(tmp_path / "r.json")]
    done = sluice("capture", BOARD, CHANNEL, "-o", tmp_path / "x", *words)
    assert done.status == 1
    assert "1 missing without a reason in 1 place, the first 12288 bytes into" in done.err
    found = json.loads((tmp_path / "r.json").read_text())["check"]
    assert (found["passed"], found["unexplained_words"]) == (False, 1)
    labels = [a["core:label"] for a in described(tmp_path / "x")["annotations"]]
    assert labels == ["gap"]


def test_a_board_that_fails_leaves_a_description(
    sluice: Sluice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    status, calls = Capture.status, iter(range(11))

    def failing(self: Capture) -> CaptureStatus:
        if next(calls, None) is None:
            raise OSError(5, "Input/output error")
        return status(self)

    monkeypatch.setattr(Capture, "status", failing)
    done = sluice("capture", BOARD, CHANNEL, "-o", tmp_path / "x", *SMALL)
    assert done.status == 1
    assert f"{BOARD}: Input/output error; kept: 5 frames, 20480 bytes" in done.err
    facts = described(tmp_path / "x")["global"]
    assert (facts["sluice:ended_by"], facts["sluice:frames"]) == ("stopped", 5)


def test_a_folder_has_a_file_a_frame(sluice: Sluice, tmp_path: Path) -> None:
    words = [*SMALL, "--frames", "3", "--periods", "4", "--sink-rate", "100MB/s"]
    done = sluice("capture", BOARD, CHANNEL, "-o", f"{tmp_path / 'f'}/", *words)
    assert done.status == 0, done.err
    found = CaptureResult.model_validate_json((tmp_path / "f" / "capture.json").read_text())
    lost = {n for loss in found.losses for n in range(loss.first, loss.first + loss.count)}
    kept = [n for n in range(100) if n not in lost][:3]
    paths = sorted((tmp_path / "f").glob("frame-*"))
    assert [path.name for path in paths] == [f"frame-{number:010}.bin" for number in kept]
    for path, number in zip(paths, kept, strict=True):
        assert words_of(path)[0] == number * WORDS


def test_an_array(sluice: Sluice, tmp_path: Path) -> None:
    words = (*SMALL, "--frames", "5", "--format", "npy", "--datatype", "ru32_le")
    assert sluice("capture", BOARD, CHANNEL, "-o", tmp_path / "x.npy", *words).status == 0
    found = np.load(tmp_path / "x.npy")
    assert np.array_equal(found, np.arange(5 * WORDS, dtype=np.uint32).reshape(5, WORDS))
    document = described(tmp_path / "x")
    assert document["global"]["core:dataset"] == "x.npy"
    first = document["captures"][0]["core:header_bytes"]
    assert (tmp_path / "x.npy").read_bytes()[first:] == found.tobytes()


def test_places_in_the_stream_leave_out_what_pads_an_array(sluice: Sluice, tmp_path: Path) -> None:
    words = ["--format", "npy", "--datatype", "ru32_le", "--frames", "60", "--periods", "8"]
    words += ["--period-bytes", "8KiB", "--set", "hp0.source.packet_beats=1000"]
    words += ["--sink-rate", "100MB/s"]
    assert sluice("capture", BOARD, CHANNEL, "-o", tmp_path / "x", *words).status == 0
    data = np.load(tmp_path / "x.npy").reshape(-1)
    segments = described(tmp_path / "x")["captures"]
    assert len(segments) > 1
    for segment in segments:
        assert data[segment["core:sample_start"]] == segment["core:global_index"]


def test_a_source_that_was_set_otherwise_has_no_known_rate(sluice: Sluice, tmp_path: Path) -> None:
    words = (*SMALL, "--frames", "3", "--set", "hp0.source.frame_ticks=100000", "--json", "-")
    assert (
        sluice("capture", BOARD, CHANNEL, "-o", tmp_path / "x", *words).json["source_mb_s"] is None
    )
    assert "core:sample_rate" not in described(tmp_path / "x")["global"]


def test_short_packets_are_short_frames(sluice: Sluice, tmp_path: Path) -> None:
    words = [*SMALL, "--frames", "5", "--set", "hp0.source.packet_beats=100", "--json", "-"]
    found = sluice("capture", BOARD, CHANNEL, "-o", tmp_path / "x", *words).json
    assert found["short_frames"] == [
        {"frame": n, "bytes": 800, "offset": 800 * n} for n in range(5)
    ]
    assert np.array_equal(words_of(tmp_path / "x.sigmf-data"), np.arange(1000))
    labels = [a["core:label"] for a in described(tmp_path / "x")["annotations"]]
    assert labels == ["short frame"] * 5


def test_frames_whose_counts_have_gone_are_named(sluice: Sluice, tmp_path: Path) -> None:
    """A ring may have more periods than records are kept."""
    words = ["--period-bytes", "256", "--periods", "1024", "--frames", "700", "--rate", "100MB/s"]
    words += ["--set", "hp0.source.packet_beats=20", "--sink-rate", "10MB/s", "--method", "copy"]
    words += ["--json", str(tmp_path / "r.json")]
    done = sluice("capture", BOARD, CHANNEL, "-o", tmp_path / "x", *words)
    assert done.status == 0, done.err
    found = CaptureResult.model_validate_json((tmp_path / "r.json").read_text())
    assert (found.counts, found.exact) == (True, False)
    short = {odd.frame for odd in found.short_frames}
    assert found.unknown_frames
    assert not short & {odd.frame for odd in found.unknown_frames}
    assert len(short) + len(found.unknown_frames) == 700
    assert found.bytes == 160 * len(short) + 256 * len(found.unknown_frames)
    assert f"read after the counts had gone: {len(found.unknown_frames)} frames" in done.out
    assert f"lost, and not all counts were there: {found.lost_frames} frames" in done.out
    document = described(tmp_path / "x")
    assert document["global"]["sluice:exact"] is False
    labels = [a["core:label"] for a in document["annotations"]]
    assert labels.count("unknown frame") == len(found.unknown_frames)


def wait_for_bytes(path: Path, nbytes: int) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not path.exists() or path.stat().st_size < nbytes:
        assert time.monotonic() < deadline, f"{path} does not grow"
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("number", "status", "form"), [(signal.SIGINT, 130, "npy"), (signal.SIGTERM, 143, "raw")]
)
def test_a_signal_keeps_what_is_there(
    tmp_path: Path, number: signal.Signals, status: int, form: str
) -> None:
    words = [*SMALL, "--check", "counter", "--format", form, "--json", str(tmp_path / "r.json")]
    process = spawn("capture", BOARD, CHANNEL, "-o", str(tmp_path / "x"), *words)
    data = tmp_path / ("x.npy" if form == "npy" else "x.sigmf-data")
    wait_for_bytes(data, 100_000)
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == status, err
    found = json.loads((tmp_path / "r.json").read_text())
    assert (found["partial"], found["ended_by"], found["check"]["passed"]) == (True, "signal", True)
    frames = np.load(data) if form == "npy" else words_of(data).reshape(-1, WORDS)
    assert frames.shape == (found["frames"], WORDS)
    assert np.array_equal(frames.reshape(-1), np.arange(frames.size))
    facts = described(tmp_path / "x")["global"]
    assert (facts["sluice:partial"], facts["sluice:frames"]) == (True, found["frames"])
    assert f"stopped by {number.name}; kept: {found['frames']} frames" in err
    assert "ended before it was complete" in out


def test_a_stalled_pipe_can_be_left(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    process = spawn("capture", BOARD, CHANNEL, "-o", str(tmp_path / "pipe"), *SMALL)
    with (tmp_path / "pipe").open("rb") as reader:
        reader.read(5000)  # and no more
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, err
    assert "stopped by SIGINT" in err


def test_a_broken_pipe_has_its_status() -> None:
    words = f"{sys.executable} -m sluice capture '{BOARD}' {CHANNEL} -o - --period-bytes 4KiB"
    line = f"{words} | head -c 10000 | wc -c; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["/bin/bash", "-c", line], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["10000", "141"]
    assert "standard output cannot be written: broken pipe" in done.stderr
    assert "Traceback" not in done.stderr


def test_what_is_left_at_the_end_is_told(sluice: Sluice, tmp_path: Path) -> None:
    """Of a sink that is slow with its last frame; then of one that tore it."""
    words = [*SMALL, "--frames", "1", "--periods", "4", "--method", "copy", "--json", "-"]
    done = sluice("capture", BOARD, CHANNEL, "-o", tmp_path / "x", *words, "--sink-rate", "10MB/s")
    found = CaptureResult.model_validate_json(done.out)
    assert found.unread_frames == 4
    assert found.overwritten_frames > 10
    torn = found.sink.model_copy(update={"torn_bytes": 77})
    console = Console(file=StringIO(), highlight=False, width=1000)
    show.closing(found.model_copy(update={"partial": True, "sink": torn}), console)
    said = console.file.getvalue()  # type: ignore[attr-defined]
    assert f"in the ring: 4 frames, overwritten before them: {found.overwritten_frames} f" in said
    assert "part of a frame went out last: 77 B" in said
    assert "1 frame, 4096 bytes into" in said


def test_standard_output_gets_the_data_alone() -> None:
    command = [sys.executable, "-m", "sluice", "capture", BOARD, CHANNEL, "-o", "-", *SMALL]
    done = subprocess.run([*command, "--frames", "9"], capture_output=True, check=True)
    assert np.array_equal(np.frombuffer(done.stdout, np.uint32), np.arange(9 * WORDS))
    assert b"9 frames, 36864 bytes into standard output" in done.stderr


def test_standard_output_by_its_other_name(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sluice", "capture", BOARD, CHANNEL, "-o", "/dev/stdout"]
    with (tmp_path / "out").open("ab") as out:
        out.write(b"head")
        out.flush()
        subprocess.run([*command, *SMALL, "--frames", "2"], stdout=out, check=True)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    data = (tmp_path / "out").read_bytes()
    assert data[:4] == b"head"
    assert np.array_equal(np.frombuffer(data[4:], np.uint32), np.arange(2 * WORDS))


@pytest.mark.parametrize("more", [(), ("--json", "-")])
def test_words_that_cannot_be_written(tmp_path: Path, more: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "sluice", "capture", BOARD, CHANNEL, "-o", tmp_path / "x"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*command, *SMALL, "--frames", "2", *more],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    sentence = "sluice: the text of the result cannot be written: no space left on device\n"
    assert done.stderr == sentence
    assert described(tmp_path / "x")["global"]["sluice:frames"] == 2


@pytest.mark.parametrize("output", ["x", "a/b/"])
@pytest.mark.parametrize("force", [False, True])
def test_a_capture_that_cannot_begin_leaves_what_was_there(
    refused: Callable[..., str], tmp_path: Path, output: str, *, force: bool
) -> None:
    words = ["--periods", "2000", *SMALL, "--frames", "1"]
    older = {"x.sigmf-meta", "x.sigmf-data"} if force else set()
    for name in older:
        (tmp_path / name).write_text("older")
    words += ["--force"] if force else []
    said = refused("capture", BOARD, CHANNEL, "-o", f"{tmp_path}/{output}", *words)
    assert "at most 1024 periods" in said
    assert {path.name for path in tmp_path.iterdir()} == older
    assert {(tmp_path / name).read_text() for name in older} <= {"older"}


@pytest.mark.parametrize("room", ["data", "description"])
def test_a_full_disk_keeps_what_fits(sluice: Sluice, small_disk: Path, room: str) -> None:
    """Where losses are many, it is the description that has no room."""
    words = ["--frames", "500", "--json", "-", *SMALL]
    if room == "description":
        words[-1] = "256"
        words += ["--periods", "32", "--rate", "50MB/s", "--sink-rate", "20MB/s"]
    done = sluice("capture", BOARD, CHANNEL, "-o", small_disk / "x", *words)
    assert done.status == 1
    found = done.json
    assert (found["ended_by"], found["partial"]) == ("full", True)
    assert f"kept: {found['frames']} frames, {found['bytes']} bytes" in done.err
    document = described(small_disk / "x")
    assert document["global"]["sluice:ended_by"] == "full"
    assert found["frames"] >= 5
    missing = "x.sigmf-data" if room == "data" else "x.sigmf-meta"
    assert f"{missing} cannot be written: no space left on device" in done.err


def test_nothing_is_overwritten_without_force(sluice: Sluice, tmp_path: Path) -> None:
    words = ("capture", BOARD, CHANNEL, "-o", tmp_path / "x", *SMALL, "--frames", "1")
    for suffix in (".sigmf-data", ".sigmf-meta"):
        (tmp_path / f"x{suffix}").write_text("kept")
        done = sluice(*words)
        assert done.status == 2
        assert f"x{suffix} exists; choose another name, or give --force" in done.err
        assert (tmp_path / f"x{suffix}").read_text() == "kept"
        (tmp_path / f"x{suffix}").unlink()
    (tmp_path / "x.sigmf-data").write_bytes(bytes(100_000))
    assert sluice(*words, "--force").status == 0
    assert described(tmp_path / "x")["global"]["sluice:bytes"] == 4096


def test_a_description_is_of_one_format(sluice: Sluice, tmp_path: Path) -> None:
    words = ("capture", BOARD, CHANNEL, "-o", tmp_path / "x", *SMALL, "--frames", "1")
    for form, name in (("raw", "x.sigmf-data"), ("npy", "x.npy"), ("raw", "x.sigmf-data")):
        assert sluice(*words, "--format", form, "--force").status == 0
        assert {path.name for path in tmp_path.iterdir()} == {name, "x.sigmf-meta"}
    (tmp_path / "x.sigmf-meta").unlink()
    done = sluice(*words, "--format", "npy")
    assert done.status == 2
    assert "x.sigmf-data exists; choose another name, or give --force" in done.err


def test_a_small_ring_gives_frames_that_the_sink_reads(sluice: Sluice, tmp_path: Path) -> None:
    """The engine has two of its five periods, and the sink takes two periods for one."""
    words = [*SMALL, "--periods", "5", "--frames", "10", "--sink-rate", "200MB/s"]
    words += ["--method", "mmap", "--check", "counter", "--json", "-"]
    done = sluice("capture", BOARD, CHANNEL, "-o", tmp_path / "x", *words)
    assert done.status == 0, done.err
    assert (done.json["frames"], done.json["check"]["passed"]) == (10, True)
    assert 0 < done.json["reader"]["overtaken_frames"] <= done.json["lost_frames"]


@pytest.mark.parametrize("when", ["clear", "enable"])
def test_a_board_that_refuses_a_setting(
    sluice: Sluice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    """`clear` is set before anything is made; `enable` at the start, and 0 at the end."""
    setting, values = Attributes.__setitem__, []

    def failing(self: Attributes, name: str, value: int) -> None:
        if name == f"hp0.source.{when}":
            values.append(value)
            if when == "clear" or len(values) == 3:
                raise OSError(5, "Input/output error")
        setting(self, name, value)

    monkeypatch.setattr(Attributes, "__setitem__", failing)
    done = sluice("capture", BOARD, CHANNEL, "-o", tmp_path / "x", *SMALL, "--frames", "2")
    assert done.status == 1
    assert f"sluice: {BOARD}: Input/output error" in done.err
    if when == "clear":
        assert not list(tmp_path.iterdir())
    else:
        assert "kept: 2 frames, 8192 bytes" in done.err
        facts = described(tmp_path / "x")["global"]
        assert (facts["sluice:ended_by"], facts["sluice:frames"]) == ("frames", 2)


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> CaptureResult:
    """Return the result of a capture of one frame."""
    folder = tmp_path_factory.mktemp("result")
    words = ["capture", BOARD, CHANNEL, "-o", f"{folder}/x", *SMALL, "--frames", "1"]
    assert command([*words, "--check", "counter", "--json", f"{folder}/r.json"]) == 0
    return CaptureResult.model_validate_json((folder / "r.json").read_text())


def description(result: CaptureResult) -> str:
    asked: Any = SimpleNamespace(datatype=parse_datatype("ru8"), format="npy")
    return sigmf_of.describe(result, asked, FileTarget(Path("x.npy"), Path("x.sigmf-meta")), None)


@pytest.mark.parametrize("field", ["losses", "drops", "unknown_frames", "gaps"])
def test_every_entry_of_a_description_has_room(result: CaptureResult, field: str) -> None:
    """Also of the largest numbers, in either description."""
    most, counter = (1 << 63) - 1, result.check
    assert counter is not None
    holder = counter if field == "gaps" else result
    kind = get_args(type(holder).model_fields[field].annotation)[0]
    values = {name: of.annotation is not bool and most for name, of in kind.model_fields.items()}
    entry = kind.model_construct(**values)

    def sizes(count: int) -> tuple[int, int]:
        update: dict[str, Any] = {field: (entry,) * count}
        if field == "gaps":
            update = {"check": counter.model_copy(update=update)}
        update["sink"] = result.sink.model_copy(update={"bytes": most + 1})
        changed = result.model_copy(update=update)
        return len(description(changed)), len(changed.model_dump_json(indent=2))

    for none, one, two in zip(sizes(0), sizes(1), sizes(2), strict=True):
        assert one - none < ENTRY_BYTES
        assert two - one < ENTRY_BYTES


def test_a_segment_has_a_sample(result: CaptureResult) -> None:
    """Between two runs of lost frames there may be one without a byte."""
    run = LostFrames(
        first=1, count=1, bytes=8, exact=True, dropped_beats=0, time_ns=1, offset=100,
        stream_bytes=108,
    )  # fmt: skip
    behind = run.model_copy(update={"first": 3, "stream_bytes": 116})
    document = json.loads(description(result.model_copy(update={"losses": (run, behind)})))
    assert [(of["core:sample_start"], of["core:global_index"]) for of in document["captures"]] == [
        (0, 0),
        (100, 116),
    ]
    comments = [of["core:comment"] for of in document["annotations"]]
    assert comments[0].startswith("Frame 1 is missing before this sample")


REFUSED = [
    ((BOARD, "hp9.s2mm"), "has no channel hp9.s2mm; allowed: hp0.s2mm"),
    (("sim:zynq7010/hp_stress", "hp0.mm2s"), "this channel does not receive"),
    (("sim:zynq7010/hp_stress", "hp0.s2mm"), "this channel receives transfers and cannot capture"),
    (("sim:nothing/x", CHANNEL), "nothing"),
    ((BOARD, CHANNEL, "--method", "read"), "not a board of the driver, which would copy; allowed"),
    (("dev:pl", CHANNEL, "--method", "read"), "dev:pl: there is no board in "),
    ((BOARD, CHANNEL, "--method", "uncached"), "not a board of the driver, whose memory it is"),
    (
        ("dev:pl?heap=cma", CHANNEL, "--method", "uncached"),
        "names a heap, but the driver allocates",
    ),
    (("dev:pl", CHANNEL, "--method", "uncached"), "dev:pl?heap=coherent: there is no board in "),
    ((BOARD, CHANNEL, "--method", "x"), "allowed: mmap, copy, read, uncached"),
    ((BOARD, CHANNEL, "--policy", "x"), "--policy x is not known; allowed: overwrite, hold"),
    ((BOARD, CHANNEL, "--format", "x"), "--format x is not known; allowed: raw, npy"),
    ((BOARD, CHANNEL, "--check", "x"), "--check x is not known; allowed: counter"),
    ((BOARD, CHANNEL, "--frames", "0"), "--frames must be 1 or more, is 0"),
    ((BOARD, CHANNEL, "--periods", "2"), "--periods must be 3 or more, is 2"),
    ((BOARD, CHANNEL, "--periods", "9" * 20), "the ring exceeds the address space"),
    ((BOARD, CHANNEL, "--periods", "9" * 10), "the ring exceeds the address space"),
    ((BOARD, CHANNEL, "--periods", "2000"), "at most 1024 periods"),
    ((BOARD, CHANNEL, "--periods", "1024", "--period-bytes", "8MiB"), "--period-bytes, --periods"),
    ((BOARD, CHANNEL, "--period-bytes", "0"), "--period-bytes must be 1 or more"),
    ((BOARD, CHANNEL, "--period-bytes", "4 apples"), "is not a size"),
    ((BOARD, CHANNEL, "--period-bytes", "100"), "the source's beats have 8 bytes"),
    ((BOARD, CHANNEL, "--period-bytes", "1GiB"), "has at most 67108863 bytes"),
    ((BOARD, CHANNEL, "--period-bytes", "64MiB"), "has at most 67108863 bytes"),
    ((BOARD, CHANNEL, "--rate", "1GB/s"), "more than the source's 8 bytes at 100 MHz, 800 MB/s"),
    ((BOARD, CHANNEL, "--rate", "0MB/s"), "--rate 0MB/s: a rate must be above 0"),
    ((BOARD, CHANNEL, "--rate", "1kB/s", "--period-bytes", "64MB"), "frame_ticks would be"),
    ((BOARD, CHANNEL, "--rate", "much"), "'much' is not a rate"),
    ((BOARD, CHANNEL, "--datatype", "u32"), "is not a type of SigMF"),
    ((BOARD, CHANNEL, "--datatype", "ru64_le"), "is not a type of SigMF"),
    ((BOARD, CHANNEL, "--datatype", "rf64_le", "--period-bytes", "20"), "a whole number of them"),
    ((BOARD, CHANNEL, "--set", "hp0.source.nothing=1"), "--set hp0.source.nothing=1"),
]


@pytest.mark.parametrize(("words", "sentence"), REFUSED)
def test_bad_input_leaves_nothing_behind(
    refused: Callable[..., str], tmp_path: Path, words: tuple[str, ...], sentence: str
) -> None:
    words = (*words, "-o", str(tmp_path / "x"), *(() if "--frames" in words else ("--frames", "1")))
    assert sentence in refused("capture", *words)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("words", [("\udcff", CHANNEL), (BOARD, "\udcff"), (BOARD, CHANNEL)])
def test_names_that_are_no_text(
    refused: Callable[..., str], sluice: Sluice, tmp_path: Path, words: tuple[str, str]
) -> None:
    more = ("-o", f"{tmp_path}/x\udcff", "--frames", "1", *SMALL)
    if words == (BOARD, CHANNEL):
        said = refused("capture", *words, *more, "--format", "npy")
        assert "x?: the description has the array's name, and this name is not UTF-8" in said
        assert "=1: this name has bytes" in refused("capture", *words, *more, "--set", "\udcff=1")
        assert not list(tmp_path.iterdir())
        assert sluice("capture", *words, *more).status == 0
        assert len(list(tmp_path.iterdir())) == 2
    else:
        assert "?: this name has bytes that are not UTF-8" in refused("capture", *words, *more)


def test_bad_names(refused: Callable[..., str], tmp_path: Path) -> None:
    def said(*words: str | Path) -> str:
        return refused("capture", BOARD, CHANNEL, "--frames", "1", *words)

    assert "the name is empty" in said("-o", "")
    assert "there is no directory" in said("-o", "/nowhere/x")
    assert "an extension without a name" in said("-o", f"{tmp_path}/.sigmf-data")
    assert "are one; choose another" in said("-o", "-", "--json", "-")
    assert "--format npy: - is a stream; allowed there: raw" in said("-o", "-", "--format", "npy")
    assert "may already have received a frame" in said("-o", "-", "--method", "mmap")
    assert "a file of the capture itself" in said(
        "-o", tmp_path / "x", "--json", tmp_path / "x.sigmf-meta"
    )
    (tmp_path / "f").mkdir()
    frame = tmp_path / "f" / "frame-0000000001.bin"
    assert "a file of the capture itself" in said("-o", tmp_path / "f", "--json", frame)
    os.mkfifo(tmp_path / "pipe")
    assert "are one; choose another" in said("-o", tmp_path / "pipe", "--json", tmp_path / "pipe")
    os.mkfifo(frame)
    assert "it is not a regular file" in said("-o", tmp_path / "f", "--force")
    frame.unlink()
    long = "a" * 300
    assert f"-o {long}: file name too long" in said("-o", long)
    assert f"--json {long}: file name too long" in said("-o", tmp_path / "x", "--json", long)
    (tmp_path / "y.sigmf-meta").symlink_to(tmp_path / "nothing")
    assert "y.sigmf-meta exists; choose another name" in said("-o", tmp_path / "y")
    assert (tmp_path / "y.sigmf-meta").is_symlink()
    (tmp_path / "f" / "frame-0000000000.bin").touch()
    assert "exists; choose another name" in said("-o", tmp_path / "f")


def test_a_terminal_shows_where_it_is_and_gets_no_data(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "sluice", "capture", BOARD, CHANNEL]
    refused = subprocess.run(
        [*command, "-o", "-"], stdout=theirs, stderr=subprocess.PIPE, check=False
    )
    assert refused.returncode == 2
    assert b"standard output is a terminal" in refused.stderr
    process = subprocess.Popen(
        [*command, "-o", str(tmp_path / "x"), *SMALL],
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env=os.environ | {"COLUMNS": "160", "TERM": "xterm"},
    )
    os.close(theirs)
    shown = b""
    while not (b"headroom" in shown and b"MB/s" in shown):
        shown += os.read(ours, 4096)
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE_S) == 130
    os.close(ours)
    assert b"frames" in shown
    assert b"MB/s" in shown
    assert b"0 lost" in shown
