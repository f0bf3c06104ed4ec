# SPDX-License-Identifier: Apache-2.0
"""What `sluice capture` wrote earlier, frame by frame, with what its description says is lost."""

from __future__ import annotations

import mmap
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sluice.capture.result import CaptureResult, PictureRecord
from sluice.capture.target import DATA, FOLDERS_DESCRIPTION, FRAME, META
from sluice.capture.view.ask import Pictures, Shape, shape_alone
from sluice.capture.view.pattern import Look, Pattern
from sluice.capture.view.picture import Picture, checked_picture
from sluice.capture.view.tally import Tally
from sluice.capture.view.viewer import Frame
from sluice.errors import InputError, reason
from sluice.models import checked, read_json

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FRAMES_FILE = re.compile(rf"{FRAME}([0-9]{{10,}})\.(bin|npy)")
_BEATS = (4, 8)  # bytes that a beat of a test picture may have


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a frame is."""

    file: Path
    offset: int
    nbytes: int


@dataclass(slots=True)
class Recording:
    """Frames of a capture that is over."""

    name: str
    pictures: Pictures
    frames_s: float | None  # as they came; None: not known
    tally: Tally
    _places: dict[int, _Place]
    _files: dict[Path, NDArray[np.uint8]] = field(default_factory=dict)

    @property
    def numbers(self) -> list[int]:
        """Return the numbers of the frames that are there."""
        return list(self._places)

    @property
    def span(self) -> range:
        """Return the numbers of all frames, lost ones too."""
        runs = self.tally.runs()
        return range(runs[0][0], runs[-1][0] + runs[-1][1]) if runs else range(0)

    def frame(self, number: int) -> Frame | None:
        """Return a frame; None: it is lost."""
        place = self._places.get(number)
        if place is None:
            return None
        data = self.data(place)
        pattern = self.pictures.pattern
        tear = None if pattern is None else pattern.tear(data)
        torn = tear is not None or data.nbytes < self.pictures.picture.nbytes
        return Frame(number, data, 0, torn, tear)

    def data(self, place: _Place) -> NDArray[np.uint8]:
        """Return a frame's bytes. InputError: they cannot be read."""
        if not place.nbytes:
            return np.zeros(0, np.uint8)
        whole = self._files.get(place.file)
        if whole is None:
            whole = _mapped(place.file)
            self._files = {place.file: whole}  # a folder has as many files as frames
        return whole[place.offset : place.offset + place.nbytes]


@dataclass(slots=True)
class _Found:
    """What a description says."""

    places: dict[int, _Place]
    lost: list[tuple[int, int]]  # first, count
    period_bytes: int
    picture: PictureRecord | None
    frames_s: float | None = None


def open_recording(name: str, shape: Shape) -> Recording:
    """Return the frames of a recording. InputError: it is none, or its frames are no pictures."""
    found = _find(name, shape)
    pictures = _pictures(name, found, shape)
    picture = pictures.picture
    if found.period_bytes != picture.nbytes:
        raise InputError(
            f"{name}: a frame has {found.period_bytes} bytes, and a picture, {picture}, has "
            f"{picture.nbytes}; give --picture and --size that fit"
        )
    if not found.places:
        raise InputError(f"{name} has no frames")
    recording = Recording(name, pictures, found.frames_s, Tally(pictures.pattern), found.places)
    _enter(recording, found.lost)
    return recording


def _enter(recording: Recording, lost: list[tuple[int, int]]) -> None:
    """Enter each frame, and each that is lost, in order."""
    waiting = sorted(lost, reverse=True)
    pattern, nbytes = recording.pictures.pattern, recording.pictures.picture.nbytes
    for number, place in recording._places.items():  # noqa: SLF001 - of this module
        while waiting and waiting[-1][0] < number:
            recording.tally.lose(*waiting.pop())
        data = recording.data(place)
        look = Look(None, torn=data.nbytes < nbytes) if pattern is None else pattern.look(data)
        recording.tally.keep(number, data.nbytes, 0, look.number, torn=look.torn)
    while waiting:
        recording.tally.lose(*waiting.pop())


def _pictures(name: str, found: _Found, shape: Shape) -> Pictures:
    said = found.picture
    if said is None:
        return Pictures(shape_alone(shape, f"{name} does not say what its pictures are"), None)
    form = shape.format or said.format
    picture = checked_picture(form, *(shape.size or (said.width, said.height)))
    drawn = picture == Picture(said.format, said.width, said.height)
    known = drawn and said.beat_bytes in _BEATS
    return Pictures(picture, Pattern(picture, said.beat_bytes) if known else None)


def _find(name: str, shape: Shape) -> _Found:
    path = Path(name)
    if path.is_dir():
        return _folder(path)
    stem = name
    for suffix in (META, DATA, ".npy"):
        stem = stem.removesuffix(suffix)
    meta = Path(stem + META)
    if meta.is_file():
        return _sigmf(meta)
    if not path.is_file():
        raise InputError(f"{name} cannot be read: there is no such file, nor {meta}")
    picture = shape_alone(shape, f"{name} has no description beside it")
    if path.suffix == ".npy":
        offset, nbytes = _npy(path)
    else:
        offset, nbytes = 0, path.stat().st_size
    count = nbytes // picture.nbytes
    places = {
        number: _Place(path, offset + number * picture.nbytes, picture.nbytes)
        for number in range(count)
    }
    if rest := nbytes - count * picture.nbytes:
        places[count] = _Place(path, offset + count * picture.nbytes, rest)
    return _Found(places, [], picture.nbytes, None)


def _sigmf(meta: Path) -> _Found:
    """Return where the frames of a file are: one behind the other, without those that are lost."""
    document = _document(meta)
    try:
        facts = document["global"]
        period = _whole(facts["sluice:period_bytes"], 1)
        sample = int(re.sub(r"[^0-9]", "", facts["core:datatype"].split("_")[0])) // 8
        sample *= 2 if facts["core:datatype"].startswith("c") else 1
        npy = "core:dataset" in facts
        data = meta.with_name(facts["core:dataset"] if npy else meta.name[: -len(META)] + DATA)
        lost, short = [], {}
        for entry in document["annotations"]:
            if entry["core:label"] == "lost frames":
                lost.append((_whole(entry["sluice:frame"]), _whole(entry["sluice:count"], 1)))
            elif entry["core:label"] == "short frame":
                short[_whole(entry["sluice:frame"])] = _whole(entry["core:sample_count"]) * sample
        offset = _whole(document["captures"][0].get("core:header_bytes", 0))
        rate = facts.get("core:sample_rate")
        frames_s = None if rate is None else float(rate) * sample / period
        said = facts.get("sluice:picture")
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise InputError(f"{meta} is not a description that `sluice capture` wrote") from error
    try:
        size = data.stat().st_size
    except OSError as error:
        raise InputError(f"{data} cannot be read: {reason(error)}") from error
    gone = dict(lost)
    places, number = {}, 0
    while offset < size:
        if count := gone.get(number):
            number += count
            continue
        nbytes = min(short.get(number, period), size - offset)
        places[number] = _Place(data, offset, nbytes)
        offset += period if npy else nbytes
        number += 1
    picture = None if said is None else checked(PictureRecord, said, f"{meta}: sluice:picture")
    return _Found(places, lost, period, picture, frames_s)


def _whole(value: object, least: int = 0) -> int:
    if not isinstance(value, int) or value < least:
        raise ValueError
    return value


def _folder(folder: Path) -> _Found:
    """Return where the frames of a folder are: a file each."""
    described = folder / FOLDERS_DESCRIPTION
    result = checked(CaptureResult, _document(described), str(described))
    short = {odd.frame: odd.bytes for odd in result.short_frames}
    places = {}
    for path in sorted(folder.iterdir()):
        if match := _FRAMES_FILE.fullmatch(path.name):
            offset, nbytes = _npy(path) if match[2] == "npy" else (0, path.stat().st_size)
            number = int(match[1])
            places[number] = _Place(path, offset, min(nbytes, short.get(number, nbytes)))
    lost = [(loss.first, loss.count) for loss in result.losses]
    rate = result.source_mb_s
    frames_s = None if rate is None else rate * 1e6 / result.period_bytes
    return _Found(places, lost, result.period_bytes, result.picture, frames_s)


def _document(path: Path) -> Any:  # noqa: ANN401 - JSON
    try:
        return read_json(path.read_bytes(), str(path))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {reason(error)}") from error


def _npy(path: Path) -> tuple[int, int]:
    """Return where the data of an array begin, and how many bytes they have."""
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise InputError(f"{path} is not an array of NumPy") from error
    if not isinstance(array, np.memmap):
        raise InputError(f"{path} is not an array of NumPy")
    return int(array.offset), array.nbytes


def _mapped(path: Path) -> NDArray[np.uint8]:
    try:
        with path.open("rb") as file:
            return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error
