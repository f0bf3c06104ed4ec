# SPDX-License-Identifier: Apache-2.0
"""`sluice view`: shows what `sluice capture` wrote earlier."""

from __future__ import annotations

import math
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sluice.capture.files import Files
from sluice.capture.view.ask import View, parse_shape, parse_view
from sluice.capture.view.open import open_terminal, say_address
from sluice.capture.view.recording import Recording, open_recording
from sluice.capture.view.viewer import Scene
from sluice.errors import InputError, RunError, reason
from sluice.opening import shown
from sluice.stop import Stop
from sluice.terminal import output
from sluice.units import format_count

if TYPE_CHECKING:
    from sluice.capture.view.tally import Run
    from sluice.capture.view.terminal import TerminalViewer
    from sluice.capture.view.viewer import Frame

_USUAL_FPS, _MOST_FPS = 25.0, 60.0
_LOOK_S = 0.02
_HELP = "space pause, arrows step, n p lost or torn, q end"


def play(  # noqa: PLR0913 - the words of the command
    name: str,
    view: str | None,
    picture: str | None,
    size: str | None,
    fps: float | None,
    *,
    force: bool,
) -> int:
    """Show a recording, and return the exit status."""
    wanted = parse_view(view or "terminal")
    if fps is not None and not (math.isfinite(fps) and 0 < fps <= _MOST_FPS):
        raise InputError(f"--fps {fps:g} is not allowed; give a number above 0, at most 60")
    recording = open_recording(name, parse_shape(picture, size))
    rate = fps or min(recording.frames_s or _USUAL_FPS, _MOST_FPS)
    scene = Scene(shown(recording.name), recording.pictures, recording.tally)
    with Stop(second_ends=True) as stop:
        try:
            if wanted.kind == "terminal":
                _in_terminal(recording, scene, wanted, rate, stop)
            elif wanted.kind == "page":
                _on_page(recording, scene, wanted, rate, stop)
            else:
                _as_images(recording, scene, wanted, stop, force=force)
        except OSError as error:
            where = wanted.folder or f"the {wanted.kind}"
            raise RunError(f"{where} cannot be written: {reason(error)}") from error
    return 0


def _as_images(recording: Recording, scene: Scene, view: View, stop: Stop, *, force: bool) -> None:
    from sluice.capture.view.images import ImagesViewer, check_folder  # noqa: PLC0415  (Pillow)

    folder = Path(view.folder)
    check_folder(folder, force=force)
    with Files(force=force) as files:
        viewer = ImagesViewer(scene, folder, files)
        files.begin()
    written = 0
    for number in recording.numbers:
        if stop.signal is not None:
            break
        viewer.show(_marked(recording, number), 0)
        written += 1
    viewer.end("all is written")
    numbers = scene.tally.numbers()
    output().print(
        f"{format_count(written, 'frame')} as PNG files into {viewer.name}: {numbers.lost} lost, "
        f"{numbers.torn} {scene.torn_word}",
        markup=False, soft_wrap=True,
    )  # fmt: skip
    stop.check(f"written: {format_count(written, 'frame')}")


def _marked(recording: Recording, number: int) -> Frame | None:
    """Return a frame; what a look at all of it finds is entered."""
    frame = recording.frame(number)
    if frame is not None and frame.torn:
        recording.tally.tear(number)
    return frame


@dataclass(slots=True)
class _RecordedShelf:
    """A recording, for a page."""

    recording: Recording
    frames_s: float
    ended = False

    def state(self) -> dict[str, Any]:
        """Return the numbers and the strip."""
        numbers = asdict(self.recording.tally.numbers())
        return {
            "live": False,
            "ended": None,
            "frames_s": self.frames_s,
            "numbers": numbers | {"not_shown": None},
            "newest": None,
            "kept": [],
            "runs": self.recording.tally.runs(),
        }

    def frame(self, number: int) -> Frame | None:
        """Return a frame; None: it is lost."""
        return _marked(self.recording, number)

    def wait(self, version: int, seconds: float) -> int:
        """Wait: there is no news."""
        time.sleep(seconds)
        return version


def _on_page(recording: Recording, scene: Scene, view: View, frames_s: float, stop: Stop) -> None:
    from sluice.capture.view.server import Server  # noqa: PLC0415  (Pillow)

    with Server(view, scene, _RecordedShelf(recording, frames_s)) as server:
        say_address(server.url)
        while stop.signal is None:
            time.sleep(_LOOK_S)
    stop.check()


def _in_terminal(
    recording: Recording, scene: Scene, view: View, frames_s: float, stop: Stop
) -> None:
    with open_terminal(scene, view, _HELP) as viewer:
        _Player(recording, viewer, frames_s, stop).run()
    stop.check()


@dataclass(slots=True)
class _Player:
    """Frames one after the other, and what keys ask for."""

    recording: Recording
    viewer: TerminalViewer
    frames_s: float
    stop: Stop
    _number: int = 0
    _due: float = 0.0

    def run(self) -> None:
        """Play until a key or a signal ends it."""
        span = self.viewer.span = self.recording.span
        self._number = span.start
        self._draw()
        while self.stop.signal is None:
            for key in self.viewer.pressed():
                if key in {"q", "\x04"}:
                    return
                self._do(key)
            if time.monotonic() < self._due or self.viewer.paused:
                self.viewer.draw(None, 0)
                time.sleep(min(_LOOK_S, max(self._due - time.monotonic(), 0.001)))
            elif self._number + 1 >= span.stop:
                self.viewer.paused = True
            else:
                self._number += 1
                self._draw()

    def _do(self, key: str) -> None:
        span = self.recording.span
        places = {"left": self._number - 1, "right": self._number + 1, "home": span.start,
                  "end": span.stop - 1, "n": self._mark(1), "p": self._mark(-1)}  # fmt: skip
        if key == " ":
            self.viewer.paused = not self.viewer.paused
        elif key in places and places[key] in span:
            self.viewer.paused = True
            self._number = places[key]
            self._draw()

    def _mark(self, by: int) -> int:
        """Return the next lost or torn frame; -1: none."""
        runs: list[Run] = [run for run in self.recording.tally.runs() if run[2] != "kept"]
        if by > 0:
            return next((first for first, _, _ in runs if first > self._number), -1)
        back = (first for first, count, _ in reversed(runs) if first + count <= self._number)
        return next(back, -1)

    def _draw(self) -> None:
        self._due = time.monotonic() + 1 / self.frames_s
        span = self.recording.span
        self.viewer.extra = f" of {span.stop - 1}"
        frame = _marked(self.recording, self._number)
        if frame is None:
            self.viewer.draw_lost(self._number)
        else:
            self.viewer.draw(frame, 0)
