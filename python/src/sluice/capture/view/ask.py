# SPDX-License-Identifier: Apache-2.0
"""What --view, --picture and --size ask for, and what the board draws."""

from __future__ import annotations

import ipaddress
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from sluice.capture.view.pattern import Pattern
from sluice.capture.view.picture import (
    FORMATS,
    Format,
    Picture,
    checked_picture,
    parse_format,
    parse_size,
)
from sluice.capture.view.screen import Graphics
from sluice.errors import InputError
from sluice.opening import is_open

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.io import Board, Channel

LOOPBACK = "127.0.0.1"
_ADDRESS = re.compile(r"(?:(\[[^\]]*\]|[^:\[\]]*):)?([0-9]{1,5})", re.ASCII)
_LAST_PORT = 65535


@dataclass(frozen=True, slots=True)
class View:
    """How pictures are shown."""

    kind: Literal["terminal", "page", "images"]
    folder: str = ""  # of images
    address: str = LOOPBACK  # of a page
    port: int = 0  # 0: a free one
    graphics: Graphics | None = None  # of a terminal; None: what it says that it can


@dataclass(frozen=True, slots=True)
class Shape:
    """What was said of the pictures."""

    format: Format | None = None
    size: tuple[int, int] | None = None

    def __bool__(self) -> bool:
        """Tell whether anything was said."""
        return self.format is not None or self.size is not None


@dataclass(frozen=True, slots=True)
class Pictures:
    """What frames are as pictures."""

    picture: Picture
    pattern: Pattern | None  # None: not the design's test picture
    prefix: str = ""  # of its attributes
    draw: bool = False  # the design has to be asked to draw it

    def prepare(self, board: Board) -> None:
        """Have the design draw the picture from its first on, as soon as its source starts."""
        if not self.draw:
            return
        for name, value in (
            ("format", FORMATS.index(self.picture.format)),
            ("width", self.picture.width),
            ("height", self.picture.height),
            ("enable", 1),
        ):
            board.attributes[f"{self.prefix}.{name}"] = value


def parse_view(text: str) -> View:
    """Return what --view asks for. InputError: nothing that is known."""
    if text == "terminal" or text.startswith("terminal="):
        return View("terminal", graphics=_graphics(text))
    if text == "page":
        return View("page")
    if text.startswith("page="):
        return _page(text)
    if text.endswith(os.sep):
        return View("images", folder=text)
    raise InputError(
        f"--view {text} is not known; allowed: terminal, page, page=PORT, page=ADDRESS:PORT, and a "
        "folder that ends in /"
    )


def _graphics(text: str) -> Graphics | None:
    """Return what a terminal has to draw with. InputError: there is no terminal."""
    _, named, word = text.partition("=")
    if named and word not in get_args(Graphics):
        raise InputError(
            f"--view {text} is not known; allowed behind terminal=: {', '.join(get_args(Graphics))}"
        )
    if not is_open(1) or not os.isatty(1):
        raise InputError(
            f"--view {text}: standard output is not a terminal; give --view page, or --view DIR/ "
            "for files"
        )
    if os.environ.get("TERM", "") in {"", "dumb"}:
        raise InputError(
            f"--view {text}: this terminal cannot move the cursor (TERM is "
            f"{os.environ.get('TERM') or 'empty'}); give --view page, or --view DIR/ for files"
        )
    return next((graphics for graphics in get_args(Graphics) if graphics == word), None)


def _page(text: str) -> View:
    match = _ADDRESS.fullmatch(text.removeprefix("page="))
    if match is None or int(match[2]) > _LAST_PORT:
        raise InputError(
            f"--view {text} is not of the form page=PORT or page=ADDRESS:PORT, such as page=8080 "
            f"or page=0.0.0.0:8080; a port is 0 to {_LAST_PORT}"
        )
    address = (match[1] or LOOPBACK).strip("[]")
    try:
        ipaddress.ip_address(address)
    except ValueError as error:
        raise InputError(
            f"--view {text}: {address} is not an address; write one such as 0.0.0.0 or [::1]"
        ) from error
    return View("page", address=address, port=int(match[2]))


def parse_shape(form: str | None, size: str | None) -> Shape:
    """Return what --picture and --size say."""
    return Shape(
        None if form is None else parse_format("--picture", form),
        None if size is None else parse_size(size),
    )


def shape_alone(shape: Shape, why: str) -> Picture:
    """Return a picture that is said in full. InputError: it is not."""
    if shape.format is None or shape.size is None:
        missing = " and ".join(
            name
            for name, given in (
                (f"--picture {'|'.join(FORMATS)}", shape.format),
                ("--size WxH", shape.size),
            )
            if given is None
        )
        raise InputError(f"{why}; give {missing}")
    return checked_picture(shape.format, *shape.size)


def plan_pictures(  # noqa: PLR0913 - what there is to know
    board: Board,
    channel: Channel,
    shape: Shape,
    settings: tuple[str, ...],
    *,
    uri: str,
    wanted: bool,
    starts_source: bool,
) -> Pictures | None:
    """Return what frames are as pictures; None: nobody asked, and the design draws none.

    `wanted`: there is a viewer. `starts_source`: the source is ours to set up, and so is the test
    picture: it is drawn as `shape` says.
    """
    prefix = f"{channel.info.name.rpartition('.')[0]}.picture"
    values = _values(board, prefix, settings)
    if values is None:
        if not (wanted or shape):
            return None
        why = f"{uri} does not report its picture format"
        return Pictures(shape_alone(shape, why), None)
    if not values["enable"] and not shape and not (wanted and starts_source):
        if not wanted:
            return None
        why = f"{uri} draws no test picture, so the format of its frames is not known"
        raise InputError(f"{why}; give --picture {'|'.join(FORMATS)} and --size WxH")
    beat = channel.info.width_bits // 8
    picture = _picture(values, shape, beat)
    if not starts_source and not (values["enable"] and picture == _picture(values, Shape(), beat)):
        if values["enable"]:
            raise InputError(
                f"--picture, --size: {uri} draws {_picture(values, Shape(), beat)}, and not "
                f"{picture}; leave them out, or set {prefix} by --set"
            )
        return Pictures(picture, None)
    if starts_source:
        _check_set_once(shape, settings, prefix)
        if picture.line_bytes % beat:
            raise InputError(
                f"--size {picture.width}x{picture.height}: a line of {picture.format} would have "
                f"{picture.line_bytes} bytes; the stream's beats have {beat}, so give a multiple"
            )
    return Pictures(picture, Pattern(picture, beat), prefix, draw=starts_source)


def _values(board: Board, prefix: str, settings: tuple[str, ...]) -> dict[str, int] | None:
    """Return what the test picture's attributes will be behind --set; None: there is none."""
    if f"{prefix}.enable" not in board.attributes.info():
        return None
    found = {
        name: board.attributes[f"{prefix}.{name}"]
        for name in ("enable", "format", "width", "height")
    }
    return found | {
        name.removeprefix(f"{prefix}."): int(value)
        for name, value in _set(settings).items()
        if name.startswith(f"{prefix}.") and value.isdecimal()
    }


def _set(settings: tuple[str, ...]) -> Mapping[str, str]:
    return {name: value for name, _, value in (setting.partition("=") for setting in settings)}


def _picture(values: Mapping[str, int], shape: Shape, beat: int) -> Picture:
    """Return the picture that is asked for, and for the rest that of the attributes."""
    form = shape.format or FORMATS[min(values["format"], len(FORMATS) - 1)]
    if shape.size is not None:
        return checked_picture(form, *shape.size)
    pixels = beat // (1 if form == "grey" else 2)  # of a beat: lines are whole beats
    width = max(values["width"] // pixels, 1) * pixels
    return checked_picture(form, width, max(values["height"], 1))


def _check_set_once(shape: Shape, settings: tuple[str, ...], prefix: str) -> None:
    for given, option, names in (
        (shape.format, "--picture", ("format",)),
        (shape.size, "--size", ("width", "height")),
    ):
        for name in names:
            if given is not None and f"{prefix}.{name}" in _set(settings):
                raise InputError(f"{option} and --set {prefix}.{name} set the same; give one")
