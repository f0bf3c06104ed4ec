# SPDX-License-Identifier: Apache-2.0
"""Frames of simulated boards as PNG files, while they are captured and later; what is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from calling import Sluice
from sluice.capture.result import CaptureResult
from sluice.capture.view.ask import Shape
from sluice.capture.view.images import Index
from sluice.capture.view.recording import _Place, open_recording

BOARD = "sim:zynq7010/capture_32?level=transaction"
WIDE = "sim:zynq7010/capture?level=transaction"
FAST = "sim:zynq7010/capture_acp?level=transaction&clock_mhz=250"  # than its port takes
CHANNEL = "hp0.s2mm"
# Of the design's colours: white, yellow, cyan, green, magenta, red, blue, black.
BARS = [(1, 1, 1), (1, 1, 0), (0, 1, 1), (0, 1, 0), (1, 0, 1), (1, 0, 0), (0, 0, 1), (0, 0, 0)]
LUMA = [255, 226, 179, 150, 105, 76, 29, 0]


def index_of(folder: Path) -> Index:
    return Index.model_validate_json((folder / "index.json").read_text())


def drawn(folder: Path, number: int) -> Any:  # noqa: ANN401
    with Image.open(folder / f"frame-{number:010}.png") as image:
        return np.asarray(image).astype(int)


def check_picture(found: Any, number: int, form: str) -> None:  # noqa: ANN401
    """Hold a picture's bars, and its number, against what the design is said to draw."""
    height, width = found.shape[:2]
    for bar in range(8):
        colour = (bar + number) % 8
        expected = [LUMA[colour]] * 3 if form == "grey" else [255 * on for on in BARS[colour]]
        pixel = found[height // 2, width * (2 * bar + 1) // 16]
        assert np.abs(pixel - expected).max() <= 2, (number, bar)
    for line in (0, 15, height - 16, height - 1):
        bits = [found[line, width * (2 * bit + 1) // 64, 0] > 128 for bit in range(32)]
        assert sum(1 << bit for bit, on in enumerate(bits) if on) == number


@pytest.mark.parametrize(
    ("uri", "form", "size"),
    [(BOARD, "grey", "128x48"), (BOARD, "yuyv", "320x240"), (WIDE, "rgb565", "256x40")],
)
def test_each_frame_is_a_file(
    sluice: Sluice, tmp_path: Path, uri: str, form: str, size: str
) -> None:
    """On a simulated board, whose time does not pass meanwhile."""
    words = ["--picture", form, "--size", size, "--frames", "9", "--json", "-"]
    done = sluice("capture", uri, CHANNEL, "--view", f"{tmp_path / 'v'}/", *words)
    assert done.status == 0, done.err
    found = CaptureResult.model_validate_json(done.out)
    width, height = (int(side) for side in size.split("x"))
    assert found.period_bytes == width * height * (1 if form == "grey" else 2)
    assert found.view is not None
    assert (found.view.shown, found.view.not_shown, found.view.torn_frames) == (9, 0, ())
    index = index_of(tmp_path / "v")
    assert (index.picture, index.width, index.height) == (form, width, height)
    assert (index.test_picture, index.ended, index.written) == (True, True, 9)
    assert [image.frame for image in index.images] == list(range(9))
    for number in range(9):
        check_picture(drawn(tmp_path / "v", number), number, form)
    with Image.open(tmp_path / "v" / "animation.png") as film:
        assert film.n_frames == 9  # type: ignore[attr-defined]
    assert (tmp_path / "v" / "contact.png").is_file()


def test_the_boards_own_settings_are_the_default(sluice: Sluice, tmp_path: Path) -> None:
    words = ["--set", "hp0.picture.width=66", "--set", "hp0.picture.height=33", "--json", "-"]
    done = sluice("capture", WIDE, CHANNEL, "--view", f"{tmp_path}/", "--frames", "2", *words)
    assert done.json["picture"] == {"format": "grey", "width": 64, "height": 33, "beat_bytes": 8}
    assert done.json["period_bytes"] == 64 * 33
    assert done.json["view"]["torn_frames"] == []


def test_lost_frames_have_a_place_and_a_recording_shows_the_same(
    sluice: Sluice, tmp_path: Path
) -> None:
    words = ["--picture", "yuyv", "--size", "128x96", "--frames", "16", "--periods", "5"]
    words += ["--sink-rate", "120MB/s"]
    for form, target in (("raw", "x"), ("npy", "y"), ("raw", "f/")):
        folder = tmp_path / f"live-{target.strip('/')}"
        done = sluice(
            "capture", BOARD, CHANNEL, "--view", f"{folder}/", "-o", f"{tmp_path}/{target}",
            "--format", form, *words,
        )  # fmt: skip
        assert done.status == 0, done.err
        live = index_of(folder)
        assert live.lost_frames > 3
        assert live.lost_frames == sum(run.count for run in live.lost)
        lost = {n for run in live.lost for n in range(run.first, run.first + run.count)}
        kept = [n for n in range(1000) if n not in lost][:16]
        assert [image.frame for image in live.images] == kept
        for number in kept:  # the number in the picture is the frame's
            check_picture(drawn(folder, number), number, "yuyv")
        with Image.open(folder / "animation.png") as film:
            assert film.n_frames == kept[-1] + 1  # type: ignore[attr-defined]
        later = tmp_path / f"later-{target.strip('/')}"
        done = sluice("view", f"{tmp_path}/{target}", "--view", f"{later}/")
        assert done.status == 0, done.err
        again = index_of(later)
        assert (again.lost, again.torn, again.test_picture) == (live.lost, (), True)
        assert [image.frame for image in again.images] == kept
        for number in kept:
            assert np.array_equal(drawn(later, number), drawn(folder, number))


def test_torn_frames_are_named(sluice: Sluice, tmp_path: Path) -> None:
    words = ["--rate", "1200MB/s", "--picture", "rgb565", "--size", "160x120", "--frames", "12"]
    done = sluice("capture", FAST, "acp0.s2mm", "--view", f"{tmp_path / 'v'}/", "-o",
                  tmp_path / "x", *words)  # fmt: skip
    assert done.status == 0, done.err
    index = index_of(tmp_path / "v")
    assert index.torn == tuple(image.frame for image in index.images if image.torn)
    assert f"12 frames shown, 0 not, {len(index.torn)} torn" in done.out
    assert len(index.torn) > 6
    for image in index.images:
        assert image.torn == (image.bytes < 160 * 120 * 2)
        assert image.tear_line is not None
        assert 16 < image.tear_line < 120
    done = sluice("view", tmp_path / "x.sigmf-data", "--view", f"{tmp_path / 'w'}/")
    assert f"0 lost, {len(index.torn)} torn" in done.out
    again = index_of(tmp_path / "w")
    for one, other in zip(index.images, again.images, strict=True):
        assert one.model_copy(update={"time_ns": 0}) == other


def test_raw_frames_of_anybody(sluice: Sluice, refused: Callable[..., str], tmp_path: Path) -> None:
    data = np.arange(64 * 10 * 3 - 7, dtype=np.uint8)
    data.tofile(tmp_path / "camera.raw")
    np.save(tmp_path / "camera.npy", np.arange(1920, dtype=np.uint8))
    said = refused("view", tmp_path / "camera.raw", "--view", f"{tmp_path}/v/", "--size", "64x10")
    assert "camera.raw has no description beside it; give --picture grey|rgb565|yuyv\n" in said
    words = ("--picture", "grey", "--size", "64x10")
    for name, torn in (("raw", (2,)), ("npy", ())):
        done = sluice("view", tmp_path / f"camera.{name}", "--view", f"{tmp_path}/{name}/", *words)
        assert done.status == 0, done.err
        index = index_of(tmp_path / name)
        assert (index.written, index.test_picture, index.torn) == (3, False, torn)
        assert np.array_equal(drawn(tmp_path / name, 1)[:, :, 0].reshape(-1), data[640:1280])


def test_a_folder_is_not_overwritten_without_force(sluice: Sluice, tmp_path: Path) -> None:
    words = ["capture", BOARD, CHANNEL, "--view", f"{tmp_path}/", "--size", "64x40", "--frames"]
    assert sluice(*words, "3").status == 0
    done = sluice(*words, "1")
    assert done.status == 2
    assert f"{tmp_path}/index.json exists; choose another folder, or give --force" in done.err
    assert sluice(*words, "1", "--force").status == 0
    assert len(list(tmp_path.glob("frame-*.png"))) == 1


def test_a_capture_that_cannot_begin_leaves_folders_alone(sluice: Sluice, tmp_path: Path) -> None:
    words = ["capture", BOARD, CHANNEL, "--size", "64x40", "--frames", "1", "--view"]
    too_many = ["--periods", "2000"]
    assert sluice(*words, f"{tmp_path}/a/b/", *too_many).status == 2
    assert not (tmp_path / "a").exists()
    assert sluice(*words, f"{tmp_path}/v/").status == 0
    before = {path.name: path.read_bytes() for path in (tmp_path / "v").iterdir()}
    assert sluice(*words, f"{tmp_path}/v/", "--force", *too_many).status == 2
    assert {path.name: path.read_bytes() for path in (tmp_path / "v").iterdir()} == before


def test_a_full_disk_ends_the_view_and_not_the_recording(
    sluice: Sluice, small_disk: Path, tmp_path: Path
) -> None:
    words = ["--picture", "yuyv", "--size", "64x48", "--frames", "24"]
    words += ["--view", f"{small_disk}/v/"]
    done = sluice("capture", BOARD, CHANNEL, "-o", tmp_path / "x", *words)
    assert done.status == 1
    assert "cannot be written: no space left on device; kept: 24 frames" in done.err
    assert json.loads((tmp_path / "x.sigmf-meta").read_text())["global"]["sluice:frames"] == 24
    done = sluice("capture", BOARD, CHANNEL, *words, "--force")  # with nothing else to do
    assert done.status == 1
    assert "no space left on device" in done.err
    assert " 24 frames" not in done.err


PAGE = ("--view", "page")
REFUSED = [
    ((), "the frames have no target; give -o FILE, --view terminal, or both"),
    (
        ("--view", "terminal"),
        "--view terminal: standard output is not a terminal; give --view page",
    ),
    (("--view", "terminal=x"), "allowed behind terminal=: kitty, sixel, blocks"),
    (("--view", "x"), "--view x is not known; allowed: terminal, page, page=PORT, page=ADDRESS:"),
    (("--view", "page="), "--view page= is not of the form page=PORT or page=ADDRESS:PORT"),
    (("--view", "page=70000"), "a port is 0 to 65535"),
    (("--view", "page=host:80"), "--view page=host:80: host is not an address; write one such as"),
    (("--view", "page=192.0.2.1:0"), "192.0.2.1, port 0, cannot be served"),
    (("--view", "x/", "--json", "x/contact.png"), "x/contact.png is a file of the capture itself"),
    ((*PAGE, "--picture", "rgb"), "--picture rgb is not known; allowed: grey, rgb565, yuyv"),
    ((*PAGE, "--size", "640"), "--size 640 is not a size; write width and height in pixels"),
    ((*PAGE, "--size", "0x4"), "--size 0x4 is not a size"),
    ((*PAGE, "--size", "70000x4"), "1 to 65535 each"),
    ((*PAGE, "--picture", "yuyv", "--size", "63x4"), "two pixels of yuyv share their colour"),
    ((*PAGE, "--size", "62x40"), "a line of grey would have 62 bytes; the stream's beats have 4"),
    ((*PAGE, "--period-bytes", "4096", "--size", "64x40"), "a picture, 64 × 40 grey, has 2560"),
    ((*PAGE, "--check", "counter"), "the test picture replaces the counter's words"),
    ((*PAGE, "--size", "64x40", "--set", "hp0.picture.width=32"), "set the same; give one"),
    ((*PAGE, "--datatype", "cf64_le", "--size", "4x2"), "not a whole number of samples of 16"),
]


@pytest.mark.parametrize(("words", "sentence"), REFUSED)
def test_bad_input(refused: Callable[..., str], words: tuple[str, ...], sentence: str) -> None:
    assert sentence in refused("capture", BOARD, CHANNEL, "--frames", "1", *words)


def test_bad_recordings(refused: Callable[..., str], tmp_path: Path) -> None:
    def said(name: str, *words: str) -> str:
        return refused("view", tmp_path / name, "--view", f"{tmp_path}/v/", *words)

    assert "cannot be read: there is no such file, nor" in said("nothing")
    assert "standard output is not a terminal" in refused("view", tmp_path / "nothing")
    (tmp_path / "x.sigmf-meta").write_text("[]")
    assert "x.sigmf-meta is not a description that `sluice capture` wrote" in said("x")
    (tmp_path / "x.sigmf-meta").write_text("{")
    assert "x.sigmf-meta is not JSON" in said("x.sigmf-data")
    (tmp_path / "f").mkdir()
    assert "capture.json cannot be read: no such file" in said("f")
    (tmp_path / "a.npy").write_bytes(b"x")
    whole = ("--picture", "grey", "--size", "8x8")
    assert "a.npy is not an array of NumPy" in said("a.npy", *whole)
    (tmp_path / "b.raw").touch()
    assert "b.raw has no frames" in said("b.raw", *whole)
    (tmp_path / "b.raw").write_bytes(bytes(64))
    assert "--fps 0 is not allowed" in said("b.raw", *whole, "--fps", "0")
    assert not (tmp_path / "v").exists()


def described(period: int, *annotations: dict[str, object]) -> str:
    facts = {"core:datatype": "ru8", "sluice:period_bytes": period}
    return json.dumps({"global": facts, "captures": [{}], "annotations": annotations})


def test_frames_without_a_byte(tmp_path: Path) -> None:
    """Take no byte of the next one."""
    empty = {"core:label": "short frame", "sluice:frame": 1, "core:sample_count": 0}
    (tmp_path / "x.sigmf-meta").write_text(described(64, empty))
    np.arange(128, dtype=np.uint8).tofile(tmp_path / "x.sigmf-data")
    recording = open_recording(str(tmp_path / "x"), Shape("grey", (8, 8)))
    frames = [recording.frame(number) for number in recording.numbers]
    assert [(f.number, f.data[:1].tolist(), f.torn) for f in frames if f is not None] == [
        (0, [0], False), (1, [], True), (2, [64], False),
    ]  # fmt: skip
    (tmp_path / "f").mkdir()
    (tmp_path / "f" / "frame-0000000000.bin").touch()
    place = _Place(tmp_path / "f" / "frame-0000000000.bin", 0, 0)
    assert recording.data(place).nbytes == 0


@pytest.mark.parametrize(
    "entry",
    [
        {"core:label": "lost frames", "sluice:frame": 1, "sluice:count": -1},
        {"core:label": "lost frames", "sluice:frame": 1, "sluice:count": 0},
        {"core:label": "short frame", "sluice:frame": 0, "core:sample_count": -64},
    ],
)
def test_descriptions_that_count_backwards(
    refused: Callable[..., str], tmp_path: Path, entry: dict[str, object]
) -> None:
    (tmp_path / "x.sigmf-meta").write_text(described(64, entry))
    (tmp_path / "x.sigmf-data").write_bytes(bytes(128))
    said = refused("view", tmp_path / "x", "--view", f"{tmp_path}/v/", "--picture", "grey",
                   "--size", "8x8")  # fmt: skip
    assert "x.sigmf-meta is not a description that `sluice capture` wrote" in said


def test_names_that_are_no_text(sluice: Sluice, tmp_path: Path) -> None:
    path = tmp_path / "caf\udce9.raw"
    path.write_bytes(bytes(64))
    words = ("--view", f"{tmp_path}/\udce9/", "--picture", "grey", "--size", "8x8")
    done = sluice("view", path, *words)
    assert (done.status, done.err) == (0, "")
    assert f"1 frame as PNG files into {tmp_path}/?" in done.out
    assert index_of(tmp_path / "\udce9").source == f"{tmp_path}/caf?.raw"


def test_frames_that_are_no_pictures(
    sluice: Sluice, refused: Callable[..., str], tmp_path: Path
) -> None:
    words = ("--frames", "2", "--period-bytes", "4KiB", "-o", tmp_path / "x")
    assert sluice("capture", BOARD, CHANNEL, *words).status == 0
    view = ("view", tmp_path / "x", "--view", f"{tmp_path}/v/")
    assert "does not say what its pictures are; give --picture" in refused(*view)
    said = refused(*view, "--picture", "grey", "--size", "64x10")
    assert "a frame has 4096 bytes, and a picture, 64 × 10 grey, has 640; give --picture" in said
    assert sluice(*view, "--picture", "grey", "--size", "64x64").status == 0
