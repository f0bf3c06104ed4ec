# SPDX-License-Identifier: Apache-2.0
"""The system's Chromium, headless, driven by Playwright; and what it complained about or loaded."""

import shutil
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import ConsoleMessage, sync_playwright

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync")
_TIMEOUT_S = 300  # of a busy machine
_HEIGHT = 900

OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def find_browser() -> str | None:
    """Return a Chromium or Chrome, if there is one."""
    return next((path for name in _NAMES if (path := shutil.which(name))), None)


class Browser:
    """One page of one browser."""

    def __init__(self, program: str) -> None:
        self._playwright = sync_playwright().start()
        self._browser = self._playwright.chromium.launch(executable_path=program, args=_FLAGS)
        self.page = self._browser.new_page()
        self.page.set_default_timeout(1000 * _TIMEOUT_S)
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def __enter__(self) -> Self:
        """Return the browser."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the browser and its helpers."""
        self._browser.close()
        self._playwright.stop()

    def open(self, page: Path | str) -> None:
        """Open a file or an address and wait until it is loaded."""
        self.page.goto(page if isinstance(page, str) else page.resolve().as_uri())

    def emulate(self, *, width: int, dark: bool) -> None:
        """Set the width of the window and the preferred colour scheme."""
        self.page.set_viewport_size({"width": width, "height": _HEIGHT})
        self.page.emulate_media(color_scheme="dark" if dark else "light")

    def evaluate(self, expression: str) -> Any:  # noqa: ANN401
        """Return the value of a JavaScript expression."""
        # In a function of its own: Playwright would call a function that it is the value of.
        return self.page.evaluate(f"() => ({expression.strip().rstrip(';')})")

    def until(self, expression: str) -> Any:  # noqa: ANN401
        """Return the value of a JavaScript expression as soon as it is true."""
        # By evaluate: Playwright's own way is refused by a page that forbids eval().
        deadline = time.monotonic() + _TIMEOUT_S
        while not (found := self.evaluate(expression)):
            assert time.monotonic() < deadline, expression
            self.page.wait_for_timeout(50)
        return found

    def press(self, key: str) -> None:
        """Press a key, such as ArrowLeft or n."""
        self.page.keyboard.press(key)

    def screenshot(self) -> bytes:
        """Return what is in the window, as a PNG."""
        return self.page.screenshot()

    def inaccessible(self) -> list[str]:
        """Return what axe-core finds serious or worse about the page, contrast too."""
        found = Axe().run(self.page).response["violations"]
        return [
            f"{one['id']}: {node['html'][:200]}"
            for one in found
            if one["impact"] in ("serious", "critical")
            for node in one["nodes"]
        ]

    def _note(self, message: ConsoleMessage) -> None:
        self.complaints.append(message.text)
