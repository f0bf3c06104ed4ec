# SPDX-License-Identifier: Apache-2.0
"""From the capture to a viewer, which never waits for it.

The capture offers each frame. While the viewer is ready for one, the frame is copied; once the
capture knows that the engine has not written over it meanwhile, the copy is the viewer's. So a
viewer costs the capture a look at two lines of each frame, and the copies of those it shows.
"""

from __future__ import annotations

import errno
import threading
import time
from typing import TYPE_CHECKING

from sluice.capture.view.pattern import Look
from sluice.capture.view.viewer import Frame
from sluice.closing import Closing
from sluice.errors import RunError, SluiceError, reason

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sluice.capture.view.viewer import Scene, Viewer
    from sluice.io import Period

_IDLE_S = 0.1  # how often the numbers are shown without a frame


class Feed(Closing):
    """Takes frames to a viewer."""

    def __init__(self, scene: Scene, viewer: Viewer, *, each: bool) -> None:
        """`each`: every frame is shown before the next is taken, where that takes no board time."""
        self.scene = scene
        self.viewer = viewer
        self.shown = 0
        self.problem: SluiceError | None = None
        self._each = each
        self._wanted = True
        self._ended = False
        self._words = ""
        self._look = Look(None, torn=False)
        self._copy: NDArray[np.uint8] | None = None
        self._newest: Frame | None = None
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="viewer", daemon=True)
        self._thread.start()

    def look(self, data: NDArray[np.uint8]) -> None:
        """Look at a frame that the engine may still write over."""
        pictures = self.scene.pictures
        if pictures.pattern is not None:
            self._look = pictures.pattern.look(data)
        else:
            self._look = Look(None, torn=data.nbytes < pictures.picture.nbytes)
        self._copy = data.copy() if self._wanted or self._each else None

    def keep(self, period: Period) -> None:
        """Take the frame that was looked at last: nothing has written over it."""
        look, tally = self._look, self.scene.tally
        tally.keep(period.number, period.data.nbytes, period.time_ns, look.number, torn=look.torn)
        if self._copy is None:
            return
        frame = Frame(period.number, self._copy, period.time_ns, look.torn, None)
        self._copy = None
        if self._each:
            if self.problem is None:
                self._show(frame)
            return
        with self._changed:
            self._newest, self._wanted = frame, False
            self._changed.notify()

    def lose(self, first: int, count: int) -> None:
        """Take in that frames are missing."""
        self.scene.tally.lose(first, count)

    @property
    def cause(self) -> OSError:
        """Return what has ended the viewer as an error of the system."""
        cause = self.problem.__cause__ if self.problem is not None else None
        return cause if isinstance(cause, OSError) else OSError(errno.EIO, str(self.problem))

    def interrupt(self) -> None:
        """Have the viewer end soon. Called by a signal, so it waits for nothing."""
        self._ended = True

    def close(self, words: str = "") -> None:
        """Show the last frame, and end the viewer."""
        with self._changed:
            self._words = self._words or words
            self._ended = True
            self._changed.notify()
        self._thread.join(self.viewer.patience_s)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._newest or self._ended, _IDLE_S)
                frame, self._newest = self._newest, None
                ended = self._ended
            due = time.monotonic() + self.viewer.interval_s
            if self.problem is None:
                self._show(frame)
            if ended:
                break
            if frame is not None:
                with self._changed:
                    self._changed.wait_for(lambda: self._ended, max(due - time.monotonic(), 0))
                self._wanted = True
        try:
            self.viewer.end(self._words)
        except (OSError, SluiceError) as error:
            self._fail(error)

    def _show(self, frame: Frame | None) -> None:
        """Show a frame, looked at as a whole."""
        scene, pattern = self.scene, self.scene.pictures.pattern
        if frame is not None and pattern is not None:
            tear = pattern.tear(frame.data)
            if tear is not None and not frame.torn:
                scene.tally.tear(frame.number)
            torn = frame.torn or tear is not None
            frame = Frame(frame.number, frame.data, frame.time_ns, torn, tear)
        try:
            not_shown = scene.tally.frames - self.shown - (frame is not None)
            if self.viewer.show(frame, not_shown) and frame is not None:
                self.shown += 1
        except (OSError, SluiceError) as error:
            self._fail(error)

    def _fail(self, error: OSError | SluiceError) -> None:
        if isinstance(error, SluiceError):
            self.problem = error
        else:
            self.problem = RunError(f"{self.viewer.name} cannot be written: {reason(error)}")
            self.problem.__cause__ = error
