# SPDX-License-Identifier: Apache-2.0
"""Where frames go, with disks that are full and pipes that break or stall."""

import errno
import json
import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calling import PATIENCE_S
from sluice.capture import sinks, writer
from sluice.capture.files import Files
from sluice.capture.options import Options, parsed
from sluice.capture.reserve import Reserve
from sluice.capture.sinks import (
    SinkError,
    StoppedInSinkError,
    StreamSink,
    aligned,
    open_sink,
    page_memory,
)
from sluice.capture.target import FileTarget, FolderTarget, StreamTarget, parse_target
from sluice.errors import InputError, RunError

PERIOD = 4096


def options(output: Path | str, **words: Any) -> Options:  # noqa: ANN401
    known: dict[str, Any] = {
        "uri": "sim:x/y", "channel": "c", "output": str(output), "frames": None,
        "period_bytes": str(PERIOD), "periods": 4, "rate": None, "sink_rate": None,
        "method": None, "policy": "overwrite", "check": None, "form": "raw", "sample": None,
        "force": False, "settings": (), "json": None,
    }  # fmt: skip
    return parsed(**(known | words))


def frame(number: int, nbytes: int = PERIOD) -> np.ndarray[Any, Any]:
    """Return a frame full of its number, at the start of a page."""
    data = page_memory(nbytes)
    data[:] = number
    return data


def never() -> bool:
    return False


def put_all(sink: Any, frames: int, nbytes: int = PERIOD) -> int:  # noqa: ANN401
    """Put frames until the sink takes no more; return how many it took."""
    for number in range(frames):
        try:
            sink.put(number, frame(number, nbytes))
        except SinkError:
            return number
    return frames


def opened(output: Path | str, **words: Any) -> Any:  # noqa: ANN401
    """Return a sink whose capture has begun."""
    asked = options(output, **words)
    target = parse_target(asked.output, asked.format)
    with Files(force=asked.force) as files:
        sink = open_sink(files, target, asked, never)
        if isinstance(target, FolderTarget) and asked.force:
            target.clear()
        files.begin()
    return sink


def reserved(path: Path, text: str) -> Reserve:
    with Files(force=False) as files:
        reserve = Reserve(files, path, text)
        files.begin()
    return reserve


def test_a_file_has_the_frames_that_were_not_taken_back(tmp_path: Path) -> None:
    with opened(tmp_path / "x") as sink:
        for number in range(5):
            sink.put(number, frame(number))
            if number in {1, 4}:
                sink.take_back()
        sink.put(9, frame(9, 100))
    found = np.fromfile(tmp_path / "x.sigmf-data", np.uint8)
    expected = [frame(0), frame(2), frame(3), frame(9, 100)]
    assert np.array_equal(found, np.concatenate(expected))


def test_pages_go_past_the_page_cache_and_others_do_not(tmp_path: Path) -> None:
    with opened(tmp_path / "x") as sink:
        sink.put(0, frame(0))
        if not sink.direct_bytes:
            pytest.skip("this file system has no O_DIRECT")
        assert sink.direct_bytes == PERIOD
        sink.put(1, frame(1))
        sink.take_back()
        assert sink.direct_bytes == PERIOD
        sink.put(1, frame(1, 100))  # its length is no multiple of a page
        sink.put(2, frame(2))
        assert sink.direct_bytes == PERIOD
    found = np.fromfile(tmp_path / "x.sigmf-data", np.uint8)
    assert np.array_equal(found, np.concatenate([frame(0), frame(1, 100), frame(2)]))


@pytest.mark.parametrize("number", [errno.EINVAL, errno.EFAULT])
def test_memory_that_a_disk_cannot_read_goes_through_the_page_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    real, refused = os.pwrite, []

    def pwrite(file: int, data: memoryview, offset: int) -> int:
        if not refused:
            refused.append(offset)
            raise OSError(number, os.strerror(number))
        return real(file, data, offset)

    with opened(tmp_path / "x") as sink:
        sink.put(0, frame(0))
        if not sink.direct_bytes:
            pytest.skip("this file system has no O_DIRECT")
        monkeypatch.setattr(writer.os, "pwrite", pwrite)
        sink.put(1, frame(1))
        assert (refused, sink.direct_bytes) == ([PERIOD], PERIOD)
    found = np.fromfile(tmp_path / "x.sigmf-data", np.uint8)
    assert np.array_equal(found, np.concatenate([frame(0), frame(1)]))


def test_short_writes_go_on_where_they_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.pwrite
    monkeypatch.setattr(
        writer.os, "pwrite", lambda file, data, offset: real(file, data[:1000], offset)
    )
    descriptor = os.open(tmp_path / "x", os.O_WRONLY | os.O_CREAT)
    with writer.FileWriter(descriptor, direct=False) as file:
        data = aligned(bytes(range(256)) * 16)
        file.append(data)
    assert (tmp_path / "x").read_bytes() == data.tobytes()


@pytest.mark.parametrize("form", ["raw", "npy"])
def test_a_full_disk_keeps_whole_frames(small_disk: Path, form: str) -> None:
    with opened(small_disk / "x", form=form, period_bytes="6000") as sink:
        kept = put_all(sink, 20, 6000)
        with pytest.raises(SinkError, match="no space left on device") as full:
            sink.put(kept, frame(kept, 6000))
        assert full.value.reason == "full"
    path = next(small_disk.iterdir())
    found = np.load(path) if form == "npy" else np.fromfile(path, np.uint8).reshape(-1, 6000)
    assert 8 <= kept <= 10
    assert (found == np.arange(kept)[:, None]).all()
    assert found.shape == (kept, 6000)


def test_an_arrays_header_is_none_of_its_frames(tmp_path: Path) -> None:
    with opened(tmp_path / "x", form="npy") as sink:
        assert sink.direct_bytes == 0


@pytest.mark.parametrize("what", ["array", "description"])
def test_no_room_for_a_beginning_is_a_failure(small_disk: Path, what: str) -> None:
    with (small_disk / "filler").open("wb", buffering=0) as filler, suppress(OSError):
        while filler.write(bytes(4096)):
            pass
    descriptors = len(list(Path("/proc/self/fd").iterdir()))

    def begin() -> object:
        if what == "array":
            return opened(small_disk / "x", form="npy")
        return reserved(small_disk / "meta", "{}")

    with pytest.raises(RunError, match="no space left on device"):
        begin()
    assert len(list(Path("/proc/self/fd").iterdir())) == descriptors
    assert [path.name for path in small_disk.iterdir()] == ["filler"]


def test_a_folder_has_no_part_of_a_frame(small_disk: Path) -> None:
    with opened(f"{small_disk / 'g'}/", period_bytes="6000") as sink:
        kept = put_all(sink, 20, 6000)
    assert 5 <= kept < 20
    sizes = [path.stat().st_size for path in (small_disk / "g").iterdir()]
    assert sizes == [6000] * kept


def test_a_description_has_its_place_on_a_full_disk(small_disk: Path) -> None:
    reserve = reserved(small_disk / "meta", "{}")
    filler = (small_disk / "filler").open("wb", buffering=0)
    with filler, suppress(OSError):
        while filler.write(bytes(4096)):
            pass
    text = json.dumps({"losses": list(range(2000))})
    assert len(text) > 8192
    reserve.finish(text)
    assert (small_disk / "meta").read_text() == text
    with reserve, pytest.raises(OSError, match="No space"):
        reserve.hold(1000)


def test_a_description_is_json_from_the_start(tmp_path: Path) -> None:
    reserve = reserved(tmp_path / "meta", '{"partial": true}')
    assert json.loads((tmp_path / "meta").read_text()) == {"partial": True}
    reserve.hold(1000)
    assert json.loads((tmp_path / "meta").read_text()) == {"partial": True}
    with reserve:
        reserve.finish("{}")
    assert (tmp_path / "meta").read_text() == "{}"
    with pytest.raises(InputError, match="cannot be written: file exists"):
        reserved(tmp_path / "meta", "{}")


def test_a_limit_of_the_files_size_is_a_full_disk(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3 * PERIOD + 10, before[1]))
    try:
        with opened(tmp_path / "x") as sink:
            assert put_all(sink, 10) == 3
            with pytest.raises(SinkError) as full:
                sink.put(3, frame(3))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert full.value.reason == "full"
    assert (tmp_path / "x.sigmf-data").stat().st_size == 3 * PERIOD


def test_a_device_without_room() -> None:
    with opened("/dev/full") as sink, pytest.raises(SinkError) as full:
        sink.put(0, frame(0))
    assert full.value.reason == "full"


def with_reader(path: Path, read: Callable[[int], object]) -> threading.Thread:
    os.mkfifo(path)

    def reader() -> None:
        file = os.open(path, os.O_RDONLY)
        read(file)
        os.close(file)

    thread = threading.Thread(target=reader)
    thread.start()
    return thread


def test_a_pipe_gets_everything(tmp_path: Path) -> None:
    found: list[bytes] = []

    def read(file: int) -> None:
        while piece := os.read(file, 1 << 16):
            found.append(piece)

    thread = with_reader(tmp_path / "pipe", read)
    with opened(tmp_path / "pipe") as sink:
        for number in range(100):
            sink.put(number, frame(number))
    thread.join(PATIENCE_S)
    assert b"".join(found) == b"".join(frame(number).tobytes() for number in range(100))


def test_a_reader_that_goes_away(tmp_path: Path) -> None:
    thread = with_reader(tmp_path / "pipe", lambda file: os.read(file, 100))
    with opened(tmp_path / "pipe") as sink:
        assert put_all(sink, 1000) < 1000
        with pytest.raises(SinkError) as closed:
            sink.put(0, frame(0))
    thread.join(PATIENCE_S)
    assert closed.value.reason == "closed"


def test_a_reader_that_stalls_does_not_keep_a_signal_away(tmp_path: Path) -> None:
    over, stopped = threading.Event(), threading.Event()
    thread = with_reader(tmp_path / "pipe", lambda _: over.wait(PATIENCE_S))
    target = StreamTarget(str(tmp_path / "pipe"))
    with StreamSink(target, stopped.is_set) as sink:
        size = 3 << 20  # more than a pipe holds
        threading.Timer(0.3, stopped.set).start()
        with pytest.raises(StoppedInSinkError):
            sink.put(0, frame(0, size))
        assert 0 < sink.torn_bytes < size
    over.set()
    thread.join(PATIENCE_S)


def test_a_pipe_that_is_read_slowly_can_be_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sinks, "_END_S", 0.0)
    over, stopped = threading.Event(), threading.Event()

    def read(file: int) -> None:
        while not over.is_set():
            os.read(file, 4096)

    thread = with_reader(tmp_path / "pipe", read)
    with StreamSink(StreamTarget(str(tmp_path / "pipe")), stopped.is_set) as sink:
        stopped.set()
        with pytest.raises(StoppedInSinkError):
            sink.put(0, frame(0, 3 << 20))
        assert sink.torn_bytes < 3 << 20
        over.set()
    thread.join(PATIENCE_S)


def test_a_descriptor_above_those_that_select_knows() -> None:
    program = """
import os, sys
import numpy as np
from sluice.capture.sinks import StreamSink
from sluice.capture.target import StreamTarget
low = [os.dup(0) for _ in range(1100)]
with StreamSink(StreamTarget("-"), lambda: False) as sink:
    sink.put(0, np.full(100, 65, np.uint8))
"""
    command = ["/bin/sh", "-c", 'ulimit -n 2048 && exec "$@"', "sh", sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, check=True)
    assert done.stdout == b"A" * 100


def test_a_pipe_that_nobody_reads_can_be_left(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StoppedInSinkError):
        StreamSink(StreamTarget(str(tmp_path / "pipe")), lambda: True)


def test_standard_output_keeps_waiting_for_its_other_writers() -> None:
    """O_NONBLOCK is not set for the processes that share it."""
    program = """
import fcntl, os, sys
import numpy as np
from sluice.capture.sinks import StreamSink
from sluice.capture.target import StreamTarget
with StreamSink(StreamTarget("-"), lambda: False) as sink:
    sink.put(0, np.arange(200_000, dtype=np.uint32).view(np.uint8))
    assert not fcntl.fcntl(1, fcntl.F_GETFL) & os.O_NONBLOCK
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert np.array_equal(np.frombuffer(done.stdout, np.uint32), np.arange(200_000))


@pytest.mark.parametrize("kind", ["file", "socket"])
def test_standard_output_of_other_kinds(tmp_path: Path, kind: str) -> None:
    import socket  # noqa: PLC0415

    program = """
import numpy as np
from sluice.capture.sinks import StreamSink
from sluice.capture.target import StreamTarget
with StreamSink(StreamTarget("-"), lambda: False) as sink:
    sink.put(0, np.arange(10_000, dtype=np.uint32).view(np.uint8))
"""
    command = [sys.executable, "-c", program]
    if kind == "file":
        path = tmp_path / "out"
        path.write_bytes(b"head")
        with path.open("ab") as file:
            subprocess.run(command, stdout=file, check=True)
        found = path.read_bytes()[4:]
    else:
        ours, theirs = socket.socketpair()
        with ours, subprocess.Popen(command, stdout=theirs) as process:
            theirs.close()
            found = b""
            while piece := ours.recv(1 << 16):
                found += piece
        assert process.returncode == 0
    assert np.array_equal(np.frombuffer(found, np.uint32), np.arange(10_000))


@pytest.mark.parametrize(
    ("sample", "dtype", "shape"),
    [
        (None, "|u1", (3, 4096)),
        ("ru32_le", "<u4", (3, 1024)),
        ("ri16_be", ">i2", (3, 2048)),
        ("cf32_le", "<c8", (3, 512)),
        ("ci16_le", "<i2", (3, 1024, 2)),
        ("ci8", "|i1", (3, 2048, 2)),
    ],
)
def test_arrays_of_frames(
    tmp_path: Path, sample: str | None, dtype: str, shape: tuple[int, ...]
) -> None:
    frames = [np.random.default_rng(n).integers(0, 256, PERIOD, np.uint8) for n in range(3)]
    with opened(tmp_path / "x.npy", form="npy", sample=sample) as sink:
        for number, data in enumerate(frames):
            sink.put(number, data)
    found = np.load(tmp_path / "x.npy")
    assert (found.dtype.str, found.shape) == (dtype, shape)
    assert found.tobytes() == np.concatenate(frames).tobytes()
    with opened(f"{tmp_path / 'f'}/", form="npy", sample=sample) as sink:
        sink.put(7, frames[0])
    single = np.load(tmp_path / "f" / "frame-0000000007.npy")
    assert (single.dtype.str, single.shape) == (dtype, shape[1:])
    assert single.tobytes() == frames[0].tobytes()


def test_a_short_frame_of_an_array_ends_in_zeroes(tmp_path: Path) -> None:
    with opened(tmp_path / "x.npy", form="npy") as sink:
        sink.put(0, frame(5, 100))
        sink.put(1, frame(6))
    found = np.load(tmp_path / "x.npy")
    assert found[0].tolist() == [5] * 100 + [0] * (PERIOD - 100)
    assert (found[1] == 6).all()
    assert sink.direct_bytes in {0, 2 * PERIOD}  # past the page cache, if others are


def test_frames_of_another_capture_go_with_force_only(tmp_path: Path) -> None:
    folder = f"{tmp_path}/"
    with opened(folder) as sink:
        sink.put(3, frame(3))
    for name in ("frame-notes.txt", "frame-1.bin", "mine", "capture.json"):
        (tmp_path / name).write_text("kept")
    with opened(folder, force=True) as sink:
        sink.put(0, frame(0))
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["frame-0000000000.bin", "frame-1.bin", "frame-notes.txt", "mine"]


def test_an_older_capture_of_the_other_format_goes(tmp_path: Path) -> None:
    array, data, meta = (
        tmp_path / f"x{suffix}" for suffix in (".npy", ".sigmf-data", ".sigmf-meta")
    )
    data.touch()
    with opened(tmp_path / "x", form="npy", force=True):
        assert not data.exists()
    for described in ("{", "{}", '{"global": {"core:dataset": "y.npy"}}'):
        meta.write_text(described)
        with opened(tmp_path / "x", force=True):
            assert array.exists()  # nothing says that it is the older capture's
    meta.write_text('{"global": {"core:dataset": "x.npy"}}')
    with opened(tmp_path / "x", force=True):
        assert not array.exists()


def test_what_is_replaced_stays_until_the_capture_begins(tmp_path: Path) -> None:
    """Also for a program that reads it; and a link stays a link."""
    real, link = tmp_path / "real", tmp_path / "x.sigmf-data"
    real.write_text("older")
    real.chmod(0o640)
    link.symlink_to(real)
    target = parse_target(str(tmp_path / "x"), "raw")
    asked = options(tmp_path / "x", force=True)
    with Files(force=True) as files, open_sink(files, target, asked, never) as sink:
        sink.put(0, frame(0))
        assert real.read_text() == "older"
    assert {path.name for path in tmp_path.iterdir()} == {"real", "x.sigmf-data"}
    reader = real.open()
    with opened(tmp_path / "x", force=True) as sink:
        sink.put(0, frame(0))
    with reader:
        assert reader.read() == "older"
    assert link.is_symlink()
    assert real.read_bytes() == frame(0).tobytes()
    assert real.stat().st_mode & 0o777 == 0o640


def test_a_frame_that_stays_is_no_failure_of_the_board(tmp_path: Path) -> None:
    with opened(f"{tmp_path / 'f'}/") as sink:
        sink.put(0, frame(0))
        (tmp_path / "f" / "frame-0000000000.bin").unlink()
        with pytest.raises(SinkError, match="cannot be written: no such file"):
            sink.take_back()
        (tmp_path / "f" / "frame-0000000001.bin").write_text("another program's")
        with pytest.raises(SinkError, match="cannot be written: file exists"):
            sink.put(1, frame(1))


def test_what_names_a_file(tmp_path: Path) -> None:
    expected = FileTarget(tmp_path / "a.sigmf-data", tmp_path / "a.sigmf-meta")
    for name in ("a", "a.sigmf-data", "a.sigmf-meta", "a.sigmf"):
        assert parse_target(str(tmp_path / name), "raw") == expected
    assert parse_target(str(tmp_path / "a.npy"), "npy") == FileTarget(
        tmp_path / "a.npy", tmp_path / "a.sigmf-meta"
    )


def test_the_signal_of_a_large_file_does_not_end_the_process() -> None:
    """The test of a limit rests on it."""
    assert signal.getsignal(signal.SIGXFSZ) == signal.SIG_IGN


def test_the_writer_is_measured_beside_dd(tmp_path: Path) -> None:
    """No time is judged here: the tool's own status says whether the goal was reached."""
    tool = Path(__file__).parents[2] / "tools" / "capture_writer.py"
    words = ["--folder", str(tmp_path), "--mib", "1", "--rounds", "2", "-o", str(tmp_path / "w")]
    done = subprocess.run([sys.executable, tool, *words], capture_output=True, check=False)
    assert done.returncode in {0, 1}, done.stderr
    found = json.loads((tmp_path / "w").read_text())
    assert json.loads(done.stdout) == found
    assert [row["block_bytes"] for row in found["rows"]] == [4096, 65536, 1 << 20]
    for row in found["rows"]:
        samples = row["writer_samples_mb_s"], row["dd_samples_mb_s"]
        assert [len(of) for of in samples] == [2, 2]
        ratios = [ours / its for ours, its in zip(*samples, strict=True)]
        assert row["ratio"] == pytest.approx(sum(ratios) / 2)  # the median of two
    missed = any(row["ratio"] < found["goal"] for row in found["rows"][1:])
    assert done.returncode == missed
