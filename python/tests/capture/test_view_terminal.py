# SPDX-License-Identifier: Apache-2.0
"""Frames in a terminal: drawn with what it says it can, and the terminal is given back."""

import os
import re
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from terminals import KITTY, PLAIN, SIXEL, Seen, Terminal, see

from calling import Sluice
from sluice.capture.view.ask import Pictures, parse_view
from sluice.capture.view.feed import Feed
from sluice.capture.view.picture import Picture
from sluice.capture.view.screen import Size
from sluice.capture.view.tally import Tally
from sluice.capture.view.terminal import TerminalViewer
from sluice.capture.view.viewer import Frame, Scene
from sluice.errors import InputError

BOARD = "sim:zynq7010/capture_32?level=transaction"
CAPTURE = ("capture", BOARD, "hp0.s2mm", "--picture", "yuyv", "--size", "256x96")
SLOW = ("--periods", "6", "--sink-rate", "160MB/s")  # than what comes
GREY = Picture("grey", 64, 40)
LEFT = {b"?1049": False, b"?25": True, b"?7": True, b"?2026": False}
BARS = [(1, 1, 1), (1, 1, 0), (0, 1, 1), (0, 1, 0), (1, 0, 1), (1, 0, 0), (0, 0, 1), (0, 0, 0)]


Start = Callable[..., Terminal]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start commands in terminals, and end them whatever comes."""
    terminals: list[Terminal] = []

    def begin(*words: str, answer: bytes) -> Terminal:
        terminals.append(Terminal(*words, answer=answer))
        return terminals[-1]

    yield begin
    for terminal in terminals:
        terminal.process.kill()
        terminal.process.wait()


def frame_of(seen: Seen) -> int | None:
    words = seen.status.split()
    return int(words[1]) if words[:1] == ["frame"] else None


def check_bars(rgb: Any, number: int) -> None:  # noqa: ANN401
    height, width = rgb.shape[:2]
    for bar in range(8):
        colour = np.array(BARS[(bar + number) % 8]) * 255
        pixel = rgb[height // 2, width * (2 * bar + 1) // 16]
        assert np.abs(pixel.astype(int) - colour).max() <= 3, (number, bar)


def screens(shown: bytes) -> list[bytes]:
    """Return what had been shown each time the window was whole."""
    parts = shown.split(b"\x1b[?2026l")
    return [b"".join(parts[: n + 1]) for n in range(len(parts) - 1)]


@pytest.mark.parametrize(
    ("answer", "pictures"), [(PLAIN, "blocks"), (b"", "blocks"), (SIXEL, "sixel"), (KITTY, "kitty")]
)
def test_frames_are_drawn_with_what_the_terminal_can(
    start: Start, answer: bytes, pictures: str
) -> None:
    """One that answers nothing gets half blocks."""
    terminal = start(*CAPTURE, *SLOW, "--view", "terminal", answer=answer)
    seen = see(terminal.until(lambda shown: b" lost" in shown and "█".encode() in shown))
    assert seen.modes[b"?1049"]
    assert not seen.modes[b"?25"]
    terminal.process.send_signal(signal.SIGINT)
    status, err, same = terminal.end()
    assert (status, same) == (130, True)
    assert err.startswith("sluice: stopped by SIGINT; ")
    whole = screens(terminal.shown)
    seen = see(whole[-2])  # the last gives the terminal back
    number = frame_of(seen)
    assert number is not None
    if pictures == "blocks":  # 80 × 30 of 80 × 44 pixels, in the middle
        check_bars(seen.pixels[7:37], number)
    else:
        assert seen.pictures[-1].shape == (288, 768, 3)
        check_bars(seen.pictures[-1], number)
    assert "█" in seen.strip
    assert "frames/s" in seen.status
    assert "MB/s" in seen.status
    assert (b"\x1b_Ga=d,d=A" in terminal.shown) == (pictures == "kitty")
    assert see(terminal.shown).modes == LEFT
    assert re.search(rb"[0-9] frames? shown", terminal.shown)


def test_it_pauses_stops_and_ends(start: Start) -> None:
    """By keys, and by Ctrl-Z, which gives the terminal back until the shell goes on with it."""
    terminal = start(*CAPTURE, "--view", "terminal=blocks", answer=PLAIN)
    terminal.until(lambda shown: b"frame" in shown)
    terminal.press(b" ")
    terminal.until(lambda shown: b"paused" in shown)
    process = terminal.process
    process.send_signal(signal.SIGTSTP)
    terminal.until(lambda _: Path(f"/proc/{process.pid}/stat").read_text().split()[2] == "T")
    stopped = len(terminal.until(lambda shown: shown.endswith(b"\x1b[?1049l")))
    process.send_signal(signal.SIGCONT)
    terminal.until(lambda shown: b"paused" in shown[stopped:])
    assert see(terminal.shown).modes[b"?1049"]
    terminal.press(b"q")
    status, err, same = terminal.end()
    assert (status, same) == (130, True), err
    assert see(terminal.shown).modes == LEFT


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[TerminalViewer, list[bytes]]]:
    """Give a viewer, and what it writes and does to its terminal."""
    done: list[bytes] = []

    def give_back() -> bool:
        done.append(b"given back")
        return True

    screen = SimpleNamespace(
        graphics="blocks", size=lambda: Size(80, 24, (8, 16)), write=done.append, close=bool,
        pressed=list,
        give_back=give_back, take=lambda: done.append(b"taken"),
    )  # fmt: skip
    monkeypatch.setattr("sluice.capture.view.terminal.Screen", lambda: screen)
    with TerminalViewer(Scene("x", Pictures(GREY, None), Tally(None)), None, help_line="") as found:
        yield found, done


def test_the_strip_marks_each_frame(drawn: tuple[TerminalViewer, list[bytes]]) -> None:
    viewer, done = drawn
    tally = viewer._scene.tally
    tally.keep(0, 2560, 1, None, torn=False)
    tally.lose(1, 2)
    tally.keep(3, 2560, 2, None, torn=True)
    tally.keep(4, 2560, 3, None, torn=False)
    viewer.draw(Frame(4, np.zeros(2560, np.uint8), 3, torn=False, tear=None), 0)
    seen = see(b"".join(done))
    assert seen.strip == "▂██▅▂"
    assert seen.status.startswith("frame 4 ")
    assert "2 lost  1 short" in seen.status


def test_frames_that_come_while_it_is_paused_are_not_shown(
    drawn: tuple[TerminalViewer, list[bytes]],
) -> None:
    viewer, done = drawn
    feed = Feed(viewer._scene, viewer, each=True)
    for number in range(4):
        data = np.zeros(2560, np.uint8)
        feed.look(data)
        feed.keep(SimpleNamespace(number=number, data=data, time_ns=number + 1))  # type: ignore[arg-type]
        viewer.paused = number % 2 == 0
    feed.close()
    assert feed.shown == 2  # the first, and the one behind 1
    assert "paused" not in see(b"".join(done)).status


def test_ctrl_z_waits_for_nobody_who_draws(
    drawn: tuple[TerminalViewer, list[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The viewer's thread may wait for what the signal has interrupted."""
    viewer, done = drawn
    monkeypatch.setattr(os, "kill", lambda _, number: done.append(b"%d" % number))
    stop = b"%d" % signal.SIGTSTP
    drawing, going = threading.Event(), threading.Event()

    def draw() -> None:
        with viewer._lock:
            drawing.set()
            going.wait()
        viewer.draw(None, 0)  # sends the signal again
        viewer.draw(None, 0)  # draws nothing until it has come

    thread = threading.Thread(target=draw)
    thread.start()
    drawing.wait()
    signal.raise_signal(signal.SIGTSTP)
    assert done == []
    going.set()
    thread.join()
    assert done == [stop]
    signal.raise_signal(signal.SIGTSTP)
    assert done[1:] == [b"given back", stop, b"taken"]
    viewer.draw(None, 0)
    assert len(done) == 5


def test_an_error_gives_the_terminal_back(start: Start) -> None:
    terminal = start(*CAPTURE, "--view", "terminal", "--periods", "2000", answer=PLAIN)
    status, err, same = terminal.end()
    assert (status, same) == (2, True), err
    assert err.count("\n") == 1
    assert see(terminal.shown).modes == LEFT


def test_a_terminal_that_moves_no_cursor_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "isatty", lambda _: True)
    monkeypatch.setenv("TERM", "dumb")
    with pytest.raises(
        InputError, match=r"this terminal cannot move the cursor \(TERM is dumb\); give"
    ):
        parse_view("terminal")


def test_a_recording_is_gone_through_by_keys(start: Start, sluice: Sluice, tmp_path: Path) -> None:
    done = sluice(*CAPTURE, *SLOW, "--frames", "30", "-o", tmp_path / "x", "--json", "-")
    lost = done.json["losses"][0]["first"]
    terminal = start("view", str(tmp_path / "x"), "--fps", "60", answer=PLAIN)
    terminal.until(lambda shown: b"paused" in shown)  # at its end
    terminal.press(b"\x1b[Hn")
    terminal.until(lambda shown: frame_of(see(screens(shown)[-1])) == lost)
    seen = see(screens(terminal.shown)[-1])
    assert any(f" frame {lost} is lost " in "".join(line) for line in seen.text)
    assert "█" in seen.strip
    terminal.press(b"\x1b[D")
    terminal.until(lambda shown: frame_of(see(screens(shown)[-1])) == lost - 1)
    check_bars(see(screens(terminal.shown)[-1]).pixels[7:37], lost - 1)
    terminal.press(b"q")
    status, err, same = terminal.end()
    assert (status, err, same) == (0, "", True)
    assert see(terminal.shown).modes == LEFT
