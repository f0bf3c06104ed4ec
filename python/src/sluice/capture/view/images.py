# SPDX-License-Identifier: Apache-2.0
"""The viewer that writes files: a PNG a frame, and an index that names what is missing.

At the end come a contact sheet and an animation (PNG too, which browsers play). In them a frame
that is lost has a place of its own, and a torn one has a frame around it.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Literal

from PIL import Image, ImageDraw, ImageFont
from pydantic import Field

from sluice import save
from sluice.capture.sinks import refusal
from sluice.capture.view.picture import Format, to_rgb
from sluice.closing import Closing
from sluice.errors import InputError
from sluice.models import Record, Whole
from sluice.opening import shown

if TYPE_CHECKING:
    from pathlib import Path

    from sluice.capture.files import Files
    from sluice.capture.view.viewer import Frame, Scene

INDEX, CONTACT, ANIMATION = "index.json", "contact.png", "animation.png"
_OWN = re.compile(rf"frame-[0-9]{{10,}}\.png|{re.escape(CONTACT)}|{re.escape(ANIMATION)}")

_THUMB = (240, 240)  # at most, pixels
_COLUMNS = 6
_MOST = 120  # frames of the sheet and the animation
_MOST_LOST = 3  # places of one run of lost frames
_BORDER, _GAP, _LABEL = 3, 10, 18
_FRAME_MS = 100
_PAPER, _INK, _TORN, _LOST, _LOST_PAPER = "#14181f", "#c9d1dc", "#ffb020", "#ff6b60", "#2a1a1c"


class ImageFile(Record):
    """A frame's file."""

    frame: Whole = Field(description="Number of the frame.")
    file: str = Field(description="Name of the frame's file.")
    bytes: Whole = Field(description="Bytes of the frame. Missing bytes are stripes in the file.")
    time_ns: Whole = Field(
        description="Time at which the frame ended, by the board's clock; 0: not known."
    )
    torn: bool = Field(
        description="True if bytes of the frame are missing, or if it differs from the test "
        "picture."
    )
    tear_line: int | None = Field(
        description="First line of a torn frame that is not of the picture at its top; null if it "
        "is whole, or not the test picture."
    )


class LostRun(Record):
    """Frames, one after the other, that are missing."""

    first: Whole = Field(description="Number of the first.")
    count: Whole = Field(description="Number of frames.")


class Index(Record):
    """What a folder of pictures holds, and what it lacks."""

    format: Literal[1] = Field(default=1, description="Version of this object.")
    kind: Literal["images"] = Field(default="images", description="Kind of the object.")
    source: str = Field(description="Board and channel, or the recording.")
    picture: Format = Field(description="Format of the pixels of the frames.")
    width: Whole = Field(description="Pixels of a line.")
    height: Whole = Field(description="Lines of a picture.")
    test_picture: bool = Field(
        description="True if the frames are the design's test picture, so that every torn frame "
        "is found. Otherwise only short frames are found."
    )
    frames: Whole = Field(description="Number of kept frames.")
    written: Whole = Field(description="Number of frames that have a file.")
    not_written: Whole = Field(description="The rest: they came while another was written.")
    images: tuple[ImageFile, ...] = Field(description="The files, in order.")
    lost_frames: Whole = Field(description="Sum over lost.")
    lost: tuple[LostRun, ...] = Field(description="Every run of lost frames.")
    torn: tuple[int, ...] = Field(description="Numbers of the torn frames, written or not.")
    missing_pictures: Whole = Field(
        description="Test pictures that are in no frame, by the numbers on the other frames."
    )
    ended: bool = Field(description="False while frames are still to come.")


def check_folder(folder: Path, *, force: bool) -> None:
    """Refuse a folder that cannot be written, or has pictures already."""
    there = [path for path in (folder / INDEX, *_own(folder)) if path.exists()]
    if there and not force:
        raise InputError(f"{there[0]} exists; choose another folder, or give --force")
    nearest = folder
    while not nearest.exists():
        nearest = nearest.parent
    if not nearest.is_dir():
        raise InputError(f"{folder} cannot be made: {nearest} is no directory")


def is_own(name: str) -> bool:
    """Tell whether a file of this name is of such a folder."""
    return name == INDEX or _OWN.fullmatch(name) is not None


def _own(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if _OWN.fullmatch(path.name))


class ImagesViewer(Closing):
    """Writes frames as PNG files."""

    interval_s = 0.0
    patience_s = None

    def __init__(self, scene: Scene, folder: Path, files: Files) -> None:
        """Make the folder and its index. InputError, RunError: they cannot be made."""
        self.name = shown(str(folder))
        self._scene = scene
        self._folder = folder
        self._images: list[ImageFile] = []
        self._thumbs: dict[int, Image.Image] = {}
        try:
            files.create_folder(folder)
            with os.fdopen(files.create(folder / INDEX), "wb") as file:
                file.write(self._index(ended=False))
        except OSError as error:
            raise refusal(self.name, error) from error
        files.drop(_own(folder))

    def show(self, frame: Frame | None, not_shown: int) -> bool:
        """Write a frame's file."""
        del not_shown
        if frame is None:
            return False
        image = Image.fromarray(to_rgb(self._scene.pictures.picture, frame.data))
        name = f"frame-{frame.number:010}.png"
        image.save(self._folder / name, compress_level=6)
        if len(self._thumbs) < _MOST:
            self._thumbs[frame.number] = _thumb(image, torn=frame.torn)
        self._images.append(
            ImageFile(
                frame=frame.number,
                file=name,
                bytes=frame.data.nbytes,
                time_ns=frame.time_ns,
                torn=frame.torn,
                tear_line=None if frame.tear is None else frame.tear.line,
            )
        )
        return True

    def end(self, words: str) -> None:
        """Write the index, the contact sheet and the animation."""
        if not (words or self._images):
            return  # for a capture that has not begun
        save.write(self._folder / INDEX, self._index(ended=True))
        places = self._places()
        if places:
            _contact_sheet(places).save(self._folder / CONTACT)
            first, *rest = (_titled(words, image) for words, image in places)
            first.save(
                self._folder / ANIMATION,
                save_all=True, append_images=rest, duration=_FRAME_MS, loop=0,
            )  # fmt: skip

    def close(self) -> None:
        """Do nothing: every file is closed."""

    def _index(self, *, ended: bool) -> bytes:
        scene, numbers = self._scene, self._scene.tally.numbers()
        picture, runs = scene.pictures.picture, scene.tally.runs()
        index = Index(
            source=scene.title,
            picture=picture.format,
            width=picture.width,
            height=picture.height,
            test_picture=scene.pictures.pattern is not None,
            frames=numbers.frames,
            written=len(self._images),
            not_written=max(numbers.frames - len(self._images), 0),
            images=tuple(self._images),
            lost_frames=numbers.lost,
            lost=tuple(
                LostRun(first=first, count=count) for first, count, state in runs if state == "lost"
            ),
            torn=scene.tally.torn_numbers(),
            missing_pictures=numbers.missing,
            ended=ended,
        )
        return (index.model_dump_json(indent=1) + "\n").encode()

    def _places(self) -> list[tuple[str, Image.Image]]:
        """Return what stands on the sheet, each with its words, as far as there is room."""
        found: list[tuple[str, Image.Image]] = []
        size = next(iter(self._thumbs.values())).size if self._thumbs else (0, 0)
        last = max(self._thumbs, default=-1)
        for first, count, state in self._scene.tally.runs():
            if first > last:
                break
            if state == "lost":
                found += [(words, _lost(words, size)) for words in _lost_words(first, count)]
                continue
            mark = f" {self._scene.torn_word}" if state == "torn" else ""
            found += [
                (f"frame {number}{mark}", self._thumbs[number])
                for number in range(first, min(first + count, last + 1))
                if number in self._thumbs
            ]
        return found


def _lost_words(first: int, count: int) -> list[str]:
    """Return the words of the places of a run of lost frames."""
    if count <= _MOST_LOST:
        return [f"frame {number} lost" for number in range(first, first + count)]
    return [f"frames {first} to {first + count - 1} lost"]


def _thumb(image: Image.Image, *, torn: bool) -> Image.Image:
    """Return a small picture, with a border that a torn one has in colour."""
    small = image.copy()
    small.thumbnail(_THUMB, Image.Resampling.BOX)
    size = small.width + 2 * _BORDER, small.height + 2 * _BORDER
    found = Image.new("RGB", size, _TORN if torn else _PAPER)
    found.paste(small, (_BORDER, _BORDER))
    return found


def _lost(words: str, size: tuple[int, int]) -> Image.Image:
    """Return what stands in the place of frames that are lost."""
    found = Image.new("RGB", size, _LOST)
    draw = ImageDraw.Draw(found)
    inner = (_BORDER, _BORDER, size[0] - _BORDER - 1, size[1] - _BORDER - 1)
    draw.rectangle(inner, fill=_LOST_PAPER)
    text = words.replace("frames ", "").replace("frame ", "").replace(" to ", "–")
    draw.text((size[0] / 2, size[1] / 2), text, fill=_LOST, font=_font(15), anchor="mm")
    return found


def _titled(words: str, image: Image.Image) -> Image.Image:
    """Return a picture above its words."""
    found = Image.new("RGB", (image.width, image.height + _LABEL), _PAPER)
    found.paste(image, (0, 0))
    ink = _LOST if words.endswith("lost") else _INK if words[-1].isdigit() else _TORN
    place = (_BORDER, image.height + _LABEL / 2)
    ImageDraw.Draw(found).text(place, words, fill=ink, font=_font(12), anchor="lm")
    return found


def _contact_sheet(places: list[tuple[str, Image.Image]]) -> Image.Image:
    tiles = [_titled(words, image) for words, image in places]
    width, height = tiles[0].width + _GAP, tiles[0].height + _GAP
    columns = min(_COLUMNS, len(tiles))
    lines = -(-len(tiles) // columns)
    found = Image.new("RGB", (columns * width + _GAP, lines * height + _GAP), _PAPER)
    for index, tile in enumerate(tiles):
        place = _GAP + index % columns * width, _GAP + index // columns * height
        found.paste(tile, place)
    return found


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)
