# SPDX-License-Identifier: Apache-2.0
"""Opens the viewer that was asked for."""

from __future__ import annotations

import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sluice.capture.target import FolderTarget, Target
from sluice.capture.view.feed import Feed
from sluice.errors import InputError, RunError, reason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sluice.capture.files import Files
    from sluice.capture.view.ask import View
    from sluice.capture.view.images import ImagesViewer
    from sluice.capture.view.server import PageViewer
    from sluice.capture.view.terminal import TerminalViewer
    from sluice.capture.view.viewer import Scene

_HELP = "space pause, q end"


def check_view(view: View, target: Target, *, force: bool) -> None:
    """Refuse a folder for images that cannot be written to."""
    if view.kind != "images":
        return
    from sluice.capture.view.images import check_folder  # noqa: PLC0415  (Pillow)

    folder = Path(view.folder)
    if isinstance(target, FolderTarget) and target.folder.resolve() == folder.resolve():
        raise InputError(f"--view {view.folder} and -o are one folder; choose another")
    check_folder(folder, force=force)


def is_of_view(view: View, path: Path) -> bool:
    """Tell whether a path would be a file of the viewer's."""
    if view.kind != "images" or path.parent.resolve() != Path(view.folder).resolve():
        return False
    from sluice.capture.view.images import is_own  # noqa: PLC0415  (Pillow)

    return is_own(path.name)


def _opened(view: View, scene: Scene, files: Files) -> TerminalViewer | PageViewer | ImagesViewer:
    # Each brings what it draws with, and no more.
    if view.kind == "terminal":
        return open_terminal(scene, view, _HELP)
    if view.kind == "page":
        from sluice.capture.view.server import PageViewer  # noqa: PLC0415

        viewer = PageViewer(scene, view)
        say_address(viewer.url)
        return viewer
    from sluice.capture.view.images import ImagesViewer  # noqa: PLC0415

    return ImagesViewer(scene, Path(view.folder), files)


def open_terminal(scene: Scene, view: View, help_line: str) -> TerminalViewer:
    """Take the terminal over. RunError: it cannot be."""
    from sluice.capture.view.terminal import TerminalViewer  # noqa: PLC0415  (Pillow)

    try:
        return TerminalViewer(scene, view.graphics, help_line=help_line)
    except OSError as error:
        raise RunError(f"the terminal cannot be controlled: {reason(error)}") from error


def say_address(url: str) -> None:
    """Say on standard error where a page is."""
    sys.stderr.write(f"sluice: the page is at {url}\n")
    sys.stderr.flush()


@contextmanager
def open_feed(view: View, scene: Scene, files: Files, *, simulated: bool) -> Iterator[Feed]:
    """Give what takes frames to the viewer.

    `simulated`: the board's time does not pass while a frame is written, so each one is.
    """
    with ExitStack() as things:
        viewer = _opened(view, scene, files)
        things.enter_context(viewer)
        each = simulated and view.kind == "images"
        yield things.enter_context(Feed(scene, viewer, each=each))
