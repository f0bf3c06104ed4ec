# SPDX-License-Identifier: Apache-2.0
"""Frames on a page: in headless Chromium, and what its server refuses."""

import http.client
import json
import re
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from PIL import Image

from browser import OVERFLOW, Browser, find_browser
from calling import PATIENCE_S, Sluice, spawn
from sluice.capture.view.ask import Pictures, View
from sluice.capture.view.picture import Picture
from sluice.capture.view.server import PageViewer
from sluice.capture.view.tally import Tally
from sluice.capture.view.viewer import Scene

BOARD = "sim:zynq7010/capture_32?level=transaction"
CAPTURE = ("capture", BOARD, "hp0.s2mm", "--picture", "rgb565", "--size", "256x96")
SLOW = ("--periods", "6", "--sink-rate", "160MB/s")  # than what comes
PROGRAM = find_browser()
needs_browser = pytest.mark.skipif(
    PROGRAM is None, reason="no Chromium or Chrome on the PATH (Debian: apt-get install chromium)"
)
# A canvas to read pixels of: the page's own is drawn to only.
COPIED = """globalThis.copied = canvas => {
  const copy = document.createElement('canvas');
  copy.width = canvas.width; copy.height = canvas.height;
  const pen = copy.getContext('2d', {willReadFrequently: true});
  pen.drawImage(canvas, 0, 0);
  return pen;
}"""
# The number on the picture that is shown, and the colours of its bars.
PIXELS = """(() => {
  const canvas = document.getElementById('picture'), pen = copied(canvas);
  const at = (x, y) => [...pen.getImageData(x, y, 1, 1).data];
  let number = 0;
  for (let bit = 0; bit < 32; bit++) if (at(bit * 8 + 4, 2)[0] > 128) number += 2 ** bit;
  return {frame: Number(canvas.dataset.frame), number, size: [canvas.width, canvas.height],
    bars: [...Array(8).keys()].map(bar => at(bar * 32 + 16, 48)),
    shown: document.getElementById('f-frame').textContent};
})()"""
# How many columns of the strip have the colour of a state.
STRIP = """(name => {
  const strip = document.getElementById('strip'), pen = copied(strip);
  const style = getComputedStyle(document.documentElement).getPropertyValue('--' + name);
  const probe = copied(document.createElement('canvas'));
  probe.fillStyle = style; probe.fillRect(0, 0, 1, 1);
  const [r, g, b] = probe.getImageData(0, 0, 1, 1).data;
  const line = pen.getImageData(0, strip.height - 4, strip.width, 1).data;
  let found = 0;
  for (let x = 0; x < strip.width; x++)
    found += line[4 * x] === r && line[4 * x + 1] === g && line[4 * x + 2] === b;
  return found;
})"""
UNNAMED = """[...document.querySelectorAll('button, input, canvas, ol')].filter(e =>
  !(e.textContent.trim() || e.getAttribute('aria-label') || e.getAttribute('aria-labelledby'))
).length"""
BARS = [(1, 1, 1), (1, 1, 0), (0, 1, 1), (0, 1, 0), (1, 0, 1), (1, 0, 0), (0, 0, 1), (0, 0, 0)]


class Page:
    """A command that serves a page."""

    def __init__(self, *words: str | Path) -> None:
        self.process = spawn(*words)
        assert self.process.stderr is not None
        found = re.fullmatch(
            r"sluice: the page is at (http://\S+/)\n", self.process.stderr.readline()
        )
        assert found is not None
        self.url = found[1]

    def ask(self, path: str, host: str | None = None) -> tuple[int, bytes, Any]:
        """Return the status, the answer and its headers."""
        place = urlsplit(self.url).netloc
        client = http.client.HTTPConnection(place, timeout=PATIENCE_S)
        client.request("GET", path, headers={} if host is None else {"Host": host})
        answer = client.getresponse()
        found = answer.status, answer.read(), answer.headers
        client.close()
        return found

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        self.process.send_signal(signal.SIGINT)

    def end(self) -> tuple[int, str]:
        """End it; return its status and what it complained."""
        self.interrupt()
        _, err = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, err


Serve = Callable[..., Page]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    assert PROGRAM is not None
    with Browser(PROGRAM) as found:
        yield found


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start commands that serve pages, and end them whatever comes."""
    pages: list[Page] = []

    def start(*words: str | Path) -> Page:
        pages.append(Page(*words))
        return pages[-1]

    yield start
    for page in pages:
        page.process.kill()
        page.process.wait()


def check_pixels(found: Any) -> None:  # noqa: ANN401
    """Hold what the canvas has against what the design is said to draw."""
    assert found["size"] == [256, 96]
    assert found["number"] == found["frame"] == int(found["shown"].replace("\u202f", ""))
    for bar, (red, green, blue, alpha) in enumerate(found["bars"]):
        expected = [255 * on for on in BARS[(bar + found["number"]) % 8]]
        assert [red, green, blue, alpha] == [*expected, 255]


def check_complaints(browser: Browser, page: Page) -> None:
    assert browser.complaints == []
    assert {url for url in browser.requests if not url.startswith(page.url)} <= {"data:,"}


@needs_browser
def test_a_capture_as_it_comes(browser: Browser, serve: Serve) -> None:
    live = serve(*CAPTURE, *SLOW, "--view", "page")
    browser.requests.clear()
    browser.emulate(width=1400, dark=True)
    browser.open(live.url)
    browser.evaluate(COPIED)
    browser.until("now && now.numbers.lost > 5 && current !== null")
    for width, dark in ((1400, True), (1400, False), (390, True), (390, False)):
        browser.emulate(width=width, dark=dark)
        shown = browser.evaluate("current")
        browser.until(f"current > {shown}")
        check_pixels(browser.evaluate(PIXELS))
        assert browser.evaluate(OVERFLOW) <= 0
        assert browser.inaccessible() == []
        assert browser.evaluate(f"{STRIP}('lost')") > 5
        assert browser.evaluate(UNNAMED) == 0
    state = browser.evaluate("now")
    assert (state["live"], state["picture"]) == (True, "256 × 96 rgb565")
    assert state["numbers"]["frames_s"] == pytest.approx(160e6 / 49152, rel=0.2)
    assert "lost" in browser.evaluate("document.querySelector('#list li').textContent")
    # It stops at a key, steps among what was shown, and follows again.
    browser.press(" ")
    assert browser.until("!going && document.getElementById('state').textContent") == "paused"
    browser.until("!busy")
    before = browser.evaluate("current")
    browser.press("ArrowLeft")
    browser.until(f"!busy && current < {before}")
    if browser.evaluate("state(current)") == "kept":
        check_pixels(browser.evaluate(PIXELS))
    browser.press("p")
    browser.until("!busy && state(current) === 'lost'")
    assert "is lost" in browser.evaluate("document.getElementById('gap').textContent")
    assert not browser.evaluate("document.getElementById('gap').hidden")
    browser.press(" ")
    browser.until(f"going && current > {before}")
    live.interrupt()
    browser.until("now.ended && current === now.newest")
    assert browser.evaluate("document.getElementById('state').textContent") == "ended by a signal"
    check_pixels(browser.evaluate(PIXELS))
    check_complaints(browser, live)
    assert live.process.wait(PATIENCE_S) == 130


@needs_browser
def test_a_recording_lost_and_torn(
    browser: Browser, sluice: Sluice, serve: Serve, tmp_path: Path
) -> None:
    words = ["--frames", "30", "-o", tmp_path / "x", "--json", "-"]
    result = sluice(*CAPTURE, *SLOW, *words).json
    data, nbytes = np.fromfile(tmp_path / "x.sigmf-data", np.uint8), 256 * 96 * 2
    torn = data.reshape(-1, nbytes)[2]
    torn[nbytes // 2 :] = data.reshape(-1, nbytes)[3][nbytes // 2 :]  # as an engine would
    data.tofile(tmp_path / "x.sigmf-data")
    page = serve("view", tmp_path / "x", "--view", "page")
    browser.requests.clear()
    browser.emulate(width=1400, dark=True)
    browser.open(page.url)
    browser.evaluate(COPIED)
    browser.until("current > 0")
    browser.press("Home")
    browser.until("!busy && current === 0 && !going")
    browser.press("n")
    browser.until("!busy && current === 2")
    assert browser.evaluate("document.getElementById('tear').textContent") == (
        "torn at line 48: picture 2 above, 3 below"
    )
    assert browser.evaluate("document.getElementById('tear').style.top") == "50%"
    browser.press("n")
    first = result["losses"][0]["first"]
    browser.until(f"!busy && current === {first} && !document.getElementById('gap').hidden")
    browser.evaluate("document.querySelector('#list li:last-child button').click()")
    browser.until("!busy && current === 2")
    browser.press("End")
    browser.until("!busy && current === end() - 1")
    check_pixels(browser.evaluate(PIXELS))
    state = browser.evaluate("now.numbers")
    assert (state["lost"], state["torn"]) == (result["lost_frames"], 1)
    assert browser.evaluate(f"{STRIP}('lost')") > 0
    assert browser.evaluate(f"{STRIP}('torn')") > 0
    check_complaints(browser, page)
    assert page.end() == (130, "sluice: stopped by SIGINT\n")


def test_its_server(sluice: Sluice, serve: Serve, tmp_path: Path) -> None:
    """What it answers others than its page, and that who stalls costs it nothing."""
    name = tmp_path / "caf\udce9"  # which is no text
    assert sluice(*CAPTURE, "--frames", "3", "-o", name).status == 0
    page = serve("view", name, "--view", "page=127.0.0.1:0")
    place = urlsplit(page.url)
    with socket.create_connection((place.hostname, place.port)) as stalled:
        stalled.sendall(b"GET / HTTP/1.1\r\nHost: x")
        status, body, headers = page.ask("/")
        assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert b"http" not in body.replace(b"http-equiv", b"")  # nothing of others
        assert page.ask("/", host="attacker.example")[0] == 403
        assert page.ask("/", host=f"localhost:{place.port}")[0] == 200
        assert page.ask("/../../etc/passwd")[0] == 404
        assert page.ask("/frame/9.png")[0] == 204
        assert page.ask("/frame/-1.png")[0] == 404
        status, body, headers = page.ask("/frame/1.png")
        assert json.loads(headers["Sluice-Frame"]) == {"number": 1, "bytes": 49152, "torn": False}
        (tmp_path / "1.png").write_bytes(body)
        with Image.open(tmp_path / "1.png") as image:
            assert image.size == (256, 96)
        client = http.client.HTTPConnection(place.netloc, timeout=PATIENCE_S)
        client.request("GET", "/events")
        event = client.getresponse().readline()
        assert json.loads(event.removeprefix(b"data: "))["title"] == f"{tmp_path}/caf?"
        client.close()
        client.request("POST", "/", body=b"")
        assert client.getresponse().status == 501
        client.close()
    assert page.end()[0] == 130


@pytest.mark.parametrize("address", ["0.0.0.0", "127.0.0.2"])  # noqa: S104
def test_only_addresses_and_own_names_are_answered_to(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    """Wherever it is served, and nobody is asked for the name of the address."""

    def ask(_: str) -> str:
        raise AssertionError

    monkeypatch.setattr(socket, "getfqdn", ask)
    picture = Picture("grey", 64, 40)
    scene = Scene("x", Pictures(picture, None), Tally(None))
    with PageViewer(scene, View("page", address=address)) as viewer:
        port = urlsplit(viewer.url).port
        own = socket.gethostname()
        for host, expected in (
            (f"{address}:{port}", 200), ("192.0.2.1:80", 200), ("[::1]:80", 200), ("[::1]", 200),
            ("LOCALHOST", 200), (f"{own}:{port}", 200), (f"{own}.local", 200), ("", 403),
            ("attacker.example", 403), (f"{own}.attacker.example", 403), ("127.0.0.1.x:80", 403),
        ):  # fmt: skip
            client = http.client.HTTPConnection("127.0.0.2", port, timeout=PATIENCE_S)
            client.request("GET", "/", headers={"Host": host})
            assert client.getresponse().status == expected, host
            client.close()


def test_a_port_that_is_taken(sluice: Sluice) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = sluice(*CAPTURE, "--frames", "1", "--view", f"page={port}")
    assert done.status == 2
    assert f"--view page: 127.0.0.1, port {port}, cannot be served: address already" in done.err


def test_a_capture_that_ends_by_itself_ends_its_page(serve: Serve) -> None:
    page = serve(*CAPTURE, "--frames", "5", "--view", "page")
    out, err = page.process.communicate(timeout=PATIENCE_S)
    assert page.process.returncode == 0, err
    assert re.search(r"view, http://127\.0\.0\.1:\d+/: \d+ frames? shown", out)
    with pytest.raises(OSError, match="refused"):
        page.ask("/")
