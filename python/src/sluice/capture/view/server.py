# SPDX-License-Identifier: Apache-2.0
"""The viewer on a page: HTTP on loopback, unless an address is given.

GET /               the page, which loads nothing else
GET /events         the numbers and the strip, as server-sent events
GET /frame/N.png    frame N, if it is still kept; where it is torn stands in the header
Only addresses and this machine's own names are answered to: a foreign page can point a name of its
own at this machine, and would read what it answers.
A client that is slow gets fewer events and frames, and costs nobody else any.
"""

from __future__ import annotations

import contextlib
import io
import ipaddress
import json
import re
import select
import socket
import socketserver
import threading
import time
from collections import OrderedDict
from dataclasses import asdict, dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Protocol

from PIL import Image

import sluice
from sluice.capture.view.picture import to_rgb
from sluice.closing import Closing
from sluice.errors import InputError, reason

if TYPE_CHECKING:
    from sluice.capture.view.ask import View
    from sluice.capture.view.viewer import Frame, Scene

_INTERVAL_S = 1 / 30
_EVENT_S = 0.05  # between two events
_BEAT_S = 1.0  # without news: an event that shows whether the client is still there
_STRIP = 1200  # frames that a live page knows
_MARKS = 100  # runs of lost or torn frames that it names
_KEPT_BYTES = 64 << 20  # of frames that a live page can go back to
_KEPT = 256
_PNGS = 16
_CLIENTS = 32
_TIMEOUT_S = 30.0  # of a client that takes or says nothing
_LINGER_S = 2.0  # after the end, for pages to take the last frame
_FRAME = re.compile(r"/frame/([0-9]{1,18})\.png", re.ASCII)
_PORT = re.compile(r":[0-9]*$", re.ASCII)  # of a host
_POLICY = (
    "default-src 'none'",
    "script-src 'unsafe-inline'",
    "style-src 'unsafe-inline'",
    "img-src 'self' blob: data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
)


class Shelf(Protocol):
    """Where a page's frames are."""

    def state(self) -> dict[str, Any]:
        """Return the numbers and the strip."""
        ...

    def frame(self, number: int) -> Frame | None:
        """Return a frame; None: it is not there."""
        ...

    def wait(self, version: int, seconds: float) -> int:
        """Wait for news behind a version, and return the version that there is."""
        ...

    @property
    def ended(self) -> bool:
        """Tell whether no news comes."""
        ...


@dataclass(slots=True)
class _Clients:
    count: int = 0
    pages: int = 0  # that follow the events


class Server(Closing):
    """Serves a page about a shelf."""

    def __init__(self, view: View, scene: Scene, shelf: Shelf) -> None:
        """Open the port. InputError: it cannot be opened."""
        self._shelf = shelf
        self._scene = scene
        self._pngs: OrderedDict[int, bytes] = OrderedDict()
        self._lock = threading.Lock()
        self._clients = _Clients()
        self.closing = False
        page = files("sluice.capture.view").joinpath("page.html").read_text(encoding="utf-8")
        self.page = page.replace("{{ version }}", sluice.__version__).encode()
        name = socket.gethostname().lower()
        self.names = {"localhost", name, f"{name}.local"}
        six = isinstance(ipaddress.ip_address(view.address), ipaddress.IPv6Address)
        try:
            self._http = (_Http6 if six else _Http)((view.address, view.port), _Handler)
        except OSError as error:
            raise InputError(
                f"--view page: {view.address}, port {view.port}, cannot be served: {reason(error)}"
            ) from error
        self._http.owner = self
        host = f"[{view.address}]" if six else view.address
        self.url = f"http://{host}:{self._http.server_address[1]}/"
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )
        self._thread.start()

    @property
    def pages(self) -> int:
        """Return how many pages follow the events."""
        return self._clients.pages

    def enter(self, pages: int = 0) -> bool:
        """Count a client. False: there are too many."""
        with self._lock:
            if not pages and self._clients.count >= _CLIENTS:
                return False
            self._clients.count += not pages
            self._clients.pages += pages
            return True

    def leave(self, pages: int = 0) -> None:
        """Count a client that has gone."""
        with self._lock:
            self._clients.count -= not pages
            self._clients.pages -= pages

    def state(self) -> dict[str, Any]:
        """Return what an event says."""
        picture = self._scene.pictures.picture
        return {
            "title": self._scene.title,
            "picture": str(picture),
            "width": picture.width,
            "height": picture.height,
            "torn_word": self._scene.torn_word,
            **self._shelf.state(),
        }

    def events(self) -> Any:  # noqa: ANN401 - a generator of bytes
        """Give events until the end."""
        version = -1
        while True:
            ended = self._shelf.ended
            text = json.dumps(self.state(), ensure_ascii=False)
            yield f"data: {text}\n\n".encode()
            if ended or self.closing:
                return
            time.sleep(_EVENT_S)
            version = self._shelf.wait(version, _BEAT_S)

    def png(self, number: int) -> tuple[bytes, Frame] | None:
        """Return a frame as a file; None: it is not there."""
        frame = self._shelf.frame(number)
        if frame is None:
            return None
        with self._lock:
            found = self._pngs.get(number)
        if found is None:
            image = Image.fromarray(to_rgb(self._scene.pictures.picture, frame.data))
            file = io.BytesIO()
            image.save(file, "PNG", compress_level=1)
            found = file.getvalue()
            with self._lock:
                self._pngs[number] = found
                while len(self._pngs) > _PNGS:
                    self._pngs.popitem(last=False)
        return found, frame

    def linger(self) -> None:
        """Give pages the time to take the last frame."""
        until = time.monotonic() + _LINGER_S
        while self.pages and time.monotonic() < until:
            time.sleep(_EVENT_S)

    def close(self) -> None:
        """Serve no more."""
        self.closing = True
        self._http.shutdown()
        self._http.server_close()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    owner: Server

    def server_bind(self) -> None:
        """Open the port. The name of its address takes nobody, and may take a while."""
        socketserver.TCPServer.server_bind(self)

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a client that has gone."""


class _Http6(_Http):
    address_family = socket.AF_INET6


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = _TIMEOUT_S
    server_version = "sluice"
    sys_version = ""
    server: _Http

    def handle(self) -> None:
        """Serve a client, unless there are too many."""
        owner = self.server.owner
        if not owner.enter():
            return
        try:
            with contextlib.suppress(OSError):
                super().handle()
        finally:
            owner.leave()

    def do_GET(self) -> None:
        """Answer."""
        owner, path = self.server.owner, self.path.partition("?")[0]
        if not self._is_ours():
            self._answer(HTTPStatus.FORBIDDEN, b"open this page by the address of its machine\n")
        elif path == "/":
            self._answer(HTTPStatus.OK, owner.page, "text/html; charset=utf-8")
        elif path == "/events":
            self._events()
        elif match := _FRAME.fullmatch(path):
            self._frame(int(match[1]))
        else:
            self._answer(HTTPStatus.NOT_FOUND, b"there is no such page\n")

    def _is_ours(self) -> bool:
        """Refuse names that a foreign page has pointed at this machine."""
        host = _PORT.sub("", self.headers.get("Host", "").lower())
        if host in self.server.owner.names:
            return True
        with contextlib.suppress(ValueError):
            ipaddress.ip_address(host.removeprefix("[").removesuffix("]"))
            return True
        return False

    def _frame(self, number: int) -> None:
        found = self.server.owner.png(number)
        if found is None:
            self._answer(HTTPStatus.NO_CONTENT, b"")  # a page does not call that an error
            return
        data, frame = found
        facts: dict[str, object] = {
            "number": frame.number,
            "bytes": frame.data.nbytes,
            "torn": frame.torn,
        }
        if frame.tear is not None:
            facts |= {"line": frame.tear.line, "words": str(frame.tear)}
        self._answer(HTTPStatus.OK, data, "image/png", {"Sluice-Frame": json.dumps(facts)})

    def _events(self) -> None:
        owner = self.server.owner
        self.close_connection = True
        owner.enter(pages=1)
        try:
            self._head(HTTPStatus.OK, "text/event-stream", {"Connection": "close"})
            for event in owner.events():
                self.wfile.write(event)
            # Until the page has the last frame, and closes.
            select.select([self.connection], [], [], _LINGER_S)
        finally:
            owner.leave(pages=1)

    def _answer(
        self,
        status: HTTPStatus,
        data: bytes,
        kind: str = "text/plain; charset=utf-8",
        more: dict[str, str] | None = None,
    ) -> None:
        self._head(status, kind, {"Content-Length": str(len(data)), **(more or {})})
        self.wfile.write(data)

    def _head(self, status: HTTPStatus, kind: str, more: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Cache-Control": "no-store",
            "Content-Security-Policy": "; ".join(_POLICY),
            "X-Content-Type-Options": "nosniff",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Referrer-Policy": "no-referrer",
            **more,
        }.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, format: str, *words: object) -> None:  # noqa: A002
        """Say nothing: the terminal is the capture's."""


class PageViewer(Closing):
    """Keeps the last frames that were shown, for a page."""

    interval_s = _INTERVAL_S
    patience_s = 2 * _LINGER_S

    def __init__(self, scene: Scene, view: View) -> None:
        self._scene = scene
        self._kept: OrderedDict[int, Frame] = OrderedDict()
        self._not_shown = 0
        self._version = 0
        self._words = ""
        self._ended = False
        self._changed = threading.Condition()
        self._server = Server(view, scene, self)
        self.url = self._server.url

    @property
    def name(self) -> str:
        """Return where it shows frames."""
        return self.url

    @property
    def ended(self) -> bool:
        """Tell whether no frame comes."""
        return self._ended

    def show(self, frame: Frame | None, not_shown: int) -> bool:
        """Take a frame."""
        most = max(min(_KEPT, _KEPT_BYTES // self._scene.pictures.picture.nbytes), 2)
        with self._changed:
            if frame is not None:
                self._kept[frame.number] = frame
                while len(self._kept) > most:
                    self._kept.popitem(last=False)
            self._not_shown = not_shown
            self._version += frame is not None
            self._changed.notify_all()
        return True

    def end(self, words: str) -> None:
        """Tell the pages, and close once they have the last frame."""
        with self._changed:
            self._ended, self._words = True, words
            self._version += 1
            self._changed.notify_all()
        self._server.linger()
        self.close()

    def close(self) -> None:
        """Serve no more."""
        self._server.close()

    def frame(self, number: int) -> Frame | None:
        """Return a frame; None: it is not there any more."""
        with self._changed:
            return self._kept.get(number)

    def wait(self, version: int, seconds: float) -> int:
        """Wait for news."""
        with self._changed:
            self._changed.wait_for(lambda: self._version > version, seconds)
            return self._version

    def state(self) -> dict[str, Any]:
        """Return the numbers and the strip."""
        numbers = asdict(self._scene.tally.numbers())
        with self._changed:
            kept = list(self._kept)
            not_shown, ended, words = self._not_shown, self._ended, self._words
        tally = self._scene.tally
        return {
            "live": True,
            "ended": words or "ended" if ended else None,
            "numbers": numbers | {"not_shown": not_shown},
            "newest": kept[-1] if kept else None,
            "kept": kept,
            "runs": tally.runs(max(tally.end - _STRIP, 0)),
            "marks": tally.marks(_MARKS),
        }
