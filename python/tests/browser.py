# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, driven through the DevTools protocol over a pipe: no port, no library."""

import base64
import itertools
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
)
_TIMEOUT_S = 300  # of a busy machine

OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
# The least contrast of any text of the page against what is painted behind it.
CONTRAST = """(() => {
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map(v => v / 255)
      .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const rgb = text => text.match(/[\\d.]+/g).map(Number);
  const behind = element => {
    for (let e = element; e; e = e.parentElement) {
      const [r, g, b, a = 1] = rgb(getComputedStyle(e).backgroundColor);
      if (a > 0.5) return [r, g, b];
    }
    return [255, 255, 255];
  };
  let least = [99, ''];
  const all = 'p, h1, h2, td, th, li, dt, dd, a, code, caption';
  for (const element of document.querySelectorAll(all)) {
    if (!element.textContent.trim()) continue;
    const [a, b] = [rgb(getComputedStyle(element).color), behind(element)].map(light)
      .sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < least[0]) least = [ratio, element.outerHTML.slice(0, 80)];
  }
  return least;
})()"""


def find_browser() -> str | None:
    """Return a Chromium or Chrome, if there is one."""
    return next((path for name in _NAMES if (path := shutil.which(name))), None)


class Browser:
    """One page of one browser, and everything that it complained about or loaded."""

    def __init__(self, program: str, profile: Path) -> None:
        to_browser, self._to = os.pipe()
        self._from, from_browser = os.pipe()
        # DevTools reads from descriptor 3 and writes to 4; bash puts ours there.
        self._process = subprocess.Popen(
            [
                "/bin/bash",
                "-c",
                f'exec "$0" "$@" 3<&{to_browser} 4>&{from_browser}',
                program,
                *_FLAGS,
                f"--user-data-dir={profile}",
                "about:blank",
            ],
            pass_fds=(to_browser, from_browser),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._numbers = itertools.count(1)
        self._pending = b""
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self._loaded = False
        target = next(
            entry["targetId"]
            for entry in self._call("Target.getTargets")["targetInfos"]
            if entry["type"] == "page"
        )
        self._session: str | None = None
        attached = self._call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")

    _session: str | None = None

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
        os.close(self._to)
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, 9)
            self._process.wait()
        os.close(self._from)

    def open(self, page: Path | str) -> None:
        """Open a file or an address and wait until it is loaded."""
        self._loaded = False
        url = page if isinstance(page, str) else page.resolve().as_uri()
        self._call("Page.navigate", url=url)
        while not self._loaded:
            self._receive()

    def emulate(self, *, width: int, dark: bool) -> None:
        """Set the width of the window and the preferred colour scheme."""
        self._call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", features=[scheme])

    def evaluate(self, expression: str) -> Any:  # noqa: ANN401
        """Return the value of a JavaScript expression."""
        answer = self._call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def until(self, expression: str) -> Any:  # noqa: ANN401
        """Return the value of a JavaScript expression as soon as it is true."""
        deadline = time.monotonic() + _TIMEOUT_S
        while not (found := self.evaluate(expression)):
            assert time.monotonic() < deadline, expression
            time.sleep(0.05)
        return found

    def press(self, key: str) -> None:
        """Press a key, such as ArrowLeft or n."""
        text = {"text": key} if len(key) == 1 else {}
        self._call("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self._call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def screenshot(self) -> bytes:
        """Return what is in the window, as a PNG."""
        return base64.b64decode(self._call("Page.captureScreenshot", format="png")["data"])

    def _call(self, method: str, **parameters: object) -> Any:  # noqa: ANN401
        number = next(self._numbers)
        message: dict[str, object] = {"id": number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == number:
                assert "error" not in answer, (method, answer)
                return answer["result"]

    def _receive(self) -> dict[str, Any]:
        deadline = time.monotonic() + _TIMEOUT_S
        while b"\0" not in self._pending:
            ready, _, _ = select.select([self._from], [], [], deadline - time.monotonic())
            assert ready, "the browser does not answer"
            chunk = os.read(self._from, 1 << 20)
            assert chunk, "the browser ended"
            self._pending += chunk
        line, _, self._pending = self._pending.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        self._note(message.get("method", ""), message.get("params", {}))
        return message

    def _note(self, method: str, event: dict[str, Any]) -> None:
        if method == "Page.loadEventFired":
            self._loaded = True
        elif method == "Network.requestWillBeSent":
            self.requests.append(event["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(event["exceptionDetails"]))
        elif method == "Log.entryAdded":
            self.complaints.append(event["entry"]["text"])
        elif method == "Runtime.consoleAPICalled":
            self.complaints.append(json.dumps(event["args"]))
