# SPDX-License-Identifier: Apache-2.0
"""Pictures of frames: their colours, what is torn, and that a viewer costs the capture nothing."""

import random
import threading
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image
from terminals import see

from sluice.capture.view import cells
from sluice.capture.view.ask import Pictures
from sluice.capture.view.feed import Feed
from sluice.capture.view.pattern import Pattern
from sluice.capture.view.picture import Format, Picture, to_rgb
from sluice.capture.view.tally import Tally
from sluice.capture.view.viewer import Frame, Scene

SEED = random.Random("view")  # noqa: S311


def of(*values: int) -> Any:  # noqa: ANN401
    return np.array(values, np.uint8)


def test_grey_and_rgb565_by_hand() -> None:
    assert to_rgb(Picture("grey", 2, 1), of(7, 255)).tolist() == [[[7] * 3, [255] * 3]]
    # Red 31, green 32 of 63, blue 0; red 0, green 1, blue 16: the upper bits are repeated below.
    words = np.array([31 << 11 | 32 << 5, 1 << 5 | 16], "<u2").view(np.uint8)
    found = to_rgb(Picture("rgb565", 2, 1), words)
    assert found.tolist() == [[[255, 130, 0], [0, 4, 132]]]


@pytest.mark.parametrize(
    ("yuv", "rgb"),
    [
        ((16, 128, 128), (0, 0, 0)),
        ((235, 128, 128), (255, 255, 255)),
        ((126, 128, 128), (128, 128, 128)),  # 110 × 255 / 219 = 128.08
        ((81, 90, 240), (254, 0, 0)),  # 65 × 1.1644 + 112 × 1.596 = 254.4; -0.36; -0.98
        ((145, 54, 34), (0, 255, 1)),  # 150.2 - 150.0; 150.2 + 29.0 + 76.4; 150.2 - 149.3
        ((41, 240, 110), (0, 0, 255)),  # 29.1 - 28.7; -0.1; 29.1 + 225.9
        ((0, 128, 128), (0, 0, 0)),  # below black
        ((255, 0, 255), (255, 227, 20)),  # 278.3 + 202.7; 278.3 + 50.1 - 103.2; 278.3 - 258.2
    ],
)
def test_yuyv_by_hand(yuv: tuple[int, int, int], rgb: tuple[int, int, int]) -> None:
    y, u, v = yuv
    found = to_rgb(Picture("yuyv", 2, 1), of(y, u, y, v))
    assert np.abs(found.astype(int) - rgb).max() <= (0 if y in {16, 235} else 2)


def test_yuyv_is_what_pillow_makes_of_it() -> None:
    """Pillow's YCbCr has the full range: it is stretched for it, and back."""
    values = np.random.default_rng(1).integers(16, 236, (64, 32, 4), np.uint8)
    found = to_rgb(Picture("yuyv", 64, 64), values.reshape(-1))
    luma = values[:, :, [0, 2]].reshape(64, 64).astype(float)
    u, v = (np.repeat(values[:, :, part], 2, axis=1).astype(float) for part in (1, 3))
    planes = [(luma - 16) * 255 / 219, (u - 128) * 255 / 224 + 128, (v - 128) * 255 / 224 + 128]
    bands = [Image.fromarray(plane.round().clip(0, 255).astype(np.uint8)) for plane in planes]
    other = np.asarray(Image.merge("YCbCr", bands).convert("RGB"))
    assert np.abs(found.astype(int) - other).max() <= 3  # two roundings


@pytest.mark.parametrize("form", ["grey", "rgb565", "yuyv"])
def test_what_a_short_frame_lacks_is_stripes(form: Format) -> None:
    picture = Picture(form, 64, 8)
    data = np.full(picture.nbytes // 2 + picture.line_bytes // 2, 255, np.uint8)
    found = to_rgb(picture, data)
    whole = to_rgb(picture, np.full(picture.nbytes, 255, np.uint8))
    assert np.array_equal(found[:4], whole[:4])
    assert np.array_equal(found[4, :32], whole[4, :32])
    missing = np.concatenate([found[4, 32:], found[5:].reshape(-1, 3)])
    assert {tuple(pixel) for pixel in missing.tolist()} == {(32, 32, 32), (72, 72, 72)}


@pytest.mark.parametrize("beat_bytes", [4, 8])
def test_what_a_stream_lacks_tears_pictures(beat_bytes: int) -> None:
    """Beats are taken out of a stream at random places: two lines tell which frames are torn."""
    picture = Picture("yuyv", 72, 50)
    pattern = Pattern(picture, beat_bytes)
    stream = np.concatenate([pattern.lines(n).reshape(-1) for n in range(5, 45)])
    beats = stream.reshape(-1, beat_bytes)
    places = sorted(SEED.sample(range(len(beats)), 6))
    gone = {place + n for place in places for n in range(SEED.choice([1, 5, 700]))}
    left = beats[[n for n in range(len(beats)) if n not in gone]].reshape(-1)
    torn = 0
    for start in range(0, len(left), picture.nbytes):
        data = left[start : start + picture.nbytes]
        look, tear = pattern.look(data), pattern.tear(data)
        assert look.torn == (tear is not None)
        torn += look.torn
        if look.number is not None:
            lines = pattern.lines(look.number)
            same = [
                np.array_equal(data[n * picture.line_bytes :][: picture.line_bytes], lines[n])
                for n in range(50)
            ]
            assert all(same) == (tear is None)
            assert tear is None or (tear.line, tear.above) == (same.index(False), look.number)
    assert torn > 3


def test_a_picture_that_is_wrong_in_its_middle_is_found_by_a_look_at_all_of_it() -> None:
    picture = Picture("grey", 64, 40)
    pattern = Pattern(picture, 4)
    data = pattern.lines(3).reshape(-1).copy()
    data[64 * 20 + 5] ^= 1
    assert not pattern.look(data).torn
    tear = pattern.tear(data)
    assert tear is not None
    assert str(tear) == "torn at line 20: picture 3 above"
    assert str(pattern.tear(data[: 64 * 10])) == (
        "torn at line 10: picture 3 above, 1920 bytes missing"
    )
    assert str(pattern.tear(data[64:])) == "torn at line 15: picture 3 above, 64 bytes missing"


@pytest.mark.parametrize(("width", "beat_bytes"), [(4, 4), (8, 4), (8, 8), (16, 8), (24, 8)])
def test_pictures_of_few_beats_are_whole(width: int, beat_bytes: int) -> None:
    """Their lines have not all bits of the number, so that the bars are not known from it."""
    pattern = Pattern(Picture("grey", width, 40), beat_bytes)
    for number in range(20):
        data = pattern.lines(number).reshape(-1).copy()
        assert not pattern.look(data).torn
        assert pattern.tear(data) is None
        data[20 * width] ^= 1
        tear = pattern.tear(data)
        assert tear is not None
        assert tear.line == 20


def test_the_tally_has_each_frame_at_its_place() -> None:
    tally = Tally(Pattern(Picture("grey", 128, 40), 4))
    for number, picture in [(0, 0), (1, 1), (2, 2), (5, 5), (6, 8), (7, 9)]:
        if number == 5:
            tally.lose(3, 2)
        tally.keep(number, 5120, (number + 1) * 1_000_000, picture, torn=number == 6)
    tally.tear(1)
    tally.tear(1)
    assert tally.runs() == [
        (0, 1, "kept"), (1, 1, "torn"), (2, 1, "kept"), (3, 2, "lost"), (5, 1, "kept"),
        (6, 1, "torn"), (7, 1, "kept"),
    ]  # fmt: skip
    assert tally.runs(4) == [(4, 1, "lost"), (5, 1, "kept"), (6, 1, "torn"), (7, 1, "kept")]
    assert tally.torn_numbers() == (1, 6)
    numbers = tally.numbers()
    assert (numbers.frames, numbers.lost, numbers.torn, numbers.missing) == (6, 2, 2, 2)
    assert numbers.frames_s == pytest.approx(5 / 7e-3)
    assert numbers.mb_s == pytest.approx(5 * 5120 / 7e-3 / 1e6)


@dataclass
class Slow:
    """A viewer that takes as long as it is let."""

    name: str = "slow"
    interval_s: float = 0.0
    patience_s: float | None = None
    fails: bool = False
    numbers: list[int] = field(default_factory=list)
    entered: threading.Event = field(default_factory=threading.Event)
    going: threading.Event = field(default_factory=threading.Event)

    def show(self, frame: Frame | None, not_shown: int) -> bool:
        """Take a frame, when it is let."""
        del not_shown
        if frame is None:
            return False
        if self.fails:
            raise OSError(28, "No space left on device")
        self.entered.set()
        self.going.wait()
        self.numbers.append(frame.number)
        return True

    def end(self, words: str) -> None:
        """Do nothing."""
        del words


def offered(viewer: Slow, count: int) -> Feed:
    """Return what has taken frames, which nobody waited to see."""
    picture = Picture("grey", 64, 40)
    pattern = Pattern(picture, 4)
    feed = Feed(Scene("x", Pictures(picture, pattern), Tally(pattern)), viewer, each=False)
    for number in range(count):
        data = pattern.lines(number).reshape(-1).copy()
        feed.look(data)
        feed.keep(SimpleNamespace(number=number, data=data, time_ns=number + 1))  # type: ignore[arg-type]
        data[:] = 0  # the engine is in it
        if not number:
            assert viewer.fails or viewer.entered.wait(60)
    return feed


def test_nobody_waits_for_a_viewer_that_takes_long() -> None:
    viewer = Slow()
    feed = offered(viewer, 1000)  # while the first is being shown
    viewer.going.set()
    feed.close()
    assert viewer.numbers == [0]
    tally = feed.scene.tally
    assert (feed.shown, tally.frames, tally.torn) == (1, 1000, 0)


def test_a_viewer_that_fails_leaves_the_capture_alone() -> None:
    viewer = Slow(fails=True)
    feed = offered(viewer, 10)
    feed.close()
    assert str(feed.problem) == "slow cannot be written: no space left on device"
    assert (feed.shown, feed.scene.tally.frames) == (0, 10)


def test_cells_show_the_pixels() -> None:
    rgb = np.random.default_rng(2).integers(0, 256, (13, 9, 3), np.uint8)
    lines = "".join(f"\x1b[{n};1H{line}" for n, line in enumerate(cells.half_blocks(rgb), 1))
    assert np.array_equal(see(lines.encode()).pixels[:13, :9], rgb)
    assert np.array_equal(see(cells.kitty(np.tile(rgb, (40, 40, 1)), 1)).pictures[0][:13, :9], rgb)
    few = (rgb // 128 * 255).astype(np.uint8)
    assert np.array_equal(see(cells.sixel(few)).pictures[0], few)
    assert cells.fit((640, 480), (80, 22), (1, 2)) == (59, 44)
    assert cells.fit((10, 10), (80, 22), (10, 20)) == (440, 440)
