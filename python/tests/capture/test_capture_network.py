# SPDX-License-Identifier: Apache-2.0
"""`sluice serve`, and `sluice capture` of what it serves, as of a board of its own."""

import json
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calling import PATIENCE_S, Sluice, spawn
from sluice.capture.result import CaptureResult
from sluice.io import open_board
from sluice.paths import find_server

BOARD = "sim:zynq7010/capture?level=transaction"
CHANNEL = "hp0.s2mm"
WORDS = 1024  # of a period of 4 KiB
SMALL = ("--period-bytes", "4KiB")


class Served:
    """A server in a process of its own."""

    def __init__(self, *words: str) -> None:
        """Start it at any port."""
        self.process = spawn("serve", "--listen", "127.0.0.1:0", "--json", *words)
        self.listening = self.event("listening")
        self.uri = f"tcp:127.0.0.1:{self.listening['port']}/capture"

    def event(self, name: str) -> dict[str, Any]:
        """Return the next event of a name."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            found: dict[str, Any] = json.loads(line)
            if found["event"] == name:
                return found
        pytest.fail(f"the server ended without {name}: {self.said()}")

    def said(self) -> str:
        """Return what it complained of, after its end."""
        assert self.process.stderr is not None
        return self.process.stderr.read()

    def end(self, number: signal.Signals = signal.SIGINT) -> int:
        """Send a signal; return the exit status."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE_S)


@pytest.fixture
def serve() -> Iterator[Callable[..., Served]]:
    """Return what starts servers, which end with the test."""
    servers: list[Served] = []

    def start(*words: str) -> Served:
        servers.append(Served(*(words or (BOARD,))))
        return servers[-1]

    yield start
    for server in servers:
        server.process.kill()
        server.process.communicate()


def recorded(sluice: Sluice, uri: str, stem: Path, *words: str) -> CaptureResult:
    """Record words that count; every one that is missing is named."""
    done = sluice(
        "capture", uri, CHANNEL, "-o", stem, *SMALL, "--check", "counter", "--json", "-", *words
    )
    assert done.status == 0, done.err
    found = CaptureResult.model_validate_json(done.out)
    assert found.check is not None
    assert found.check.passed
    lost = {n for loss in found.losses for n in range(loss.first, loss.first + loss.count)}
    assert len(lost) == found.lost_frames
    kept = [n for n in range(found.frames + found.lost_frames) if n not in lost]
    expected = np.concatenate([np.arange(n * WORDS, (n + 1) * WORDS) for n in kept])
    assert np.array_equal(np.fromfile(stem.with_suffix(".sigmf-data"), np.uint32), expected)
    return found


def wait_until_there(path: Path) -> None:
    """Wait for a file that is not empty."""
    deadline = time.monotonic() + PATIENCE_S
    while not path.exists() or not path.stat().st_size:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_served_board_captures_as_ones_own(
    sluice: Sluice, serve: Callable[..., Served], tmp_path: Path
) -> None:
    server = serve()
    assert server.listening["loopback"] is True
    assert server.listening["boards"] == [{"name": "capture", "uri": BOARD}]
    far = recorded(sluice, server.uri, tmp_path / "far", "--frames", "40")
    near = recorded(sluice, BOARD, tmp_path / "near", "--frames", "40")
    assert (far.lost_frames, far.board, far.design) == (0, near.board, near.design)
    assert far.mb_s == pytest.approx(near.mb_s, rel=0.01)
    assert far.clock == "simulated"
    # A sink that is slower than the stream loses, on both: what is kept is all but what is named.
    slow = ("--frames", "50", "--periods", "16", "--sink-rate", "200MB/s")
    far = recorded(sluice, server.uri, tmp_path / "slow", *slow)
    assert far.lost_frames > 0
    assert far.exact
    far = recorded(sluice, server.uri, tmp_path / "hold", *slow, "--policy", "hold")
    assert far.lost_frames == 0
    ended = server.event("ended")
    assert ended["channel"] == CHANNEL
    assert server.end() == 0


def test_a_free_running_board_leaves_a_slow_client_behind(serve: Callable[..., Served]) -> None:
    server = serve(BOARD, "--free-running")
    # The client stands still now and then, and the board does not wait.
    with open_board(server.uri) as board, board.channel(CHANNEL) as channel:
        ring = board.buffer(8 * 4096)
        source = "hp0.source."
        for name in ("packet_beats", "frame_ticks"):
            board.attributes[source + name] = 512
        for name in ("frame_packets", "free_run", "continuous"):
            board.attributes[source + name] = 1
        kept, lost = set(), set()
        with channel.capture(ring, 4096, 8, skip_lost=True) as capture:
            board.attributes[source + "enable"] = 1
            for turn in range(60):
                period = capture.next()
                assert period is not None
                if turn % 20 == 10:
                    time.sleep(0.05)
                right = np.array_equal(
                    period.data.view(np.uint32),
                    np.arange(WORDS, dtype=np.uint32) + np.uint32(period.number * WORDS % 2**32),
                )
                if capture.release():
                    assert right, period.number
                    kept.add(period.number)
            board.attributes[source + "enable"] = 0
            for loss in capture.losses():
                lost |= set(range(loss.first, loss.first + loss.count))
        assert lost
        assert not kept & lost
        # What is neither was not asked for: Capture.next() goes to the ring's middle then.
        assert capture.status().lost >= len(lost)
    assert server.event("ended")["lost_periods"] > 0


def test_one_capture_a_channel(
    sluice: Sluice, serve: Callable[..., Served], tmp_path: Path
) -> None:
    server = serve(f"radio={BOARD}")
    uri = server.uri.replace("/capture", "/radio")
    with open_board(uri) as board, board.channel(CHANNEL) as channel:
        ring = board.buffer(8 * 4096)
        with channel.capture(ring, 4096, 8):
            done = sluice("capture", uri, CHANNEL, "-o", tmp_path / "x", *SMALL, "--frames", "1")
            assert done.status == 2
            assert done.err == (
                f"sluice: {uri}#{CHANNEL}: hp0.s2mm is busy: another client of the server "
                "captures it\n"
            )
            assert not list(tmp_path.iterdir())
        with pytest.raises(OSError, match=r"not supported over tcp: registers"):
            board.read_register(0)
    done = sluice("capture", uri, CHANNEL, "-o", tmp_path / "x", *SMALL, "--frames", "1")
    assert done.status == 0, done.err


def test_a_capture_ends_with_its_server(serve: Callable[..., Served], tmp_path: Path) -> None:
    for number, reason in (
        (signal.SIGTERM, "ends the connection: the server was stopped"),
        (signal.SIGKILL, "closed the connection"),
    ):
        server = serve(BOARD, "--free-running")
        client = spawn(
            "capture", server.uri, CHANNEL, "-o", str(tmp_path / "x"), "--force", *SMALL,
            "--periods", "1000",
        )  # fmt: skip
        server.event("started")
        wait_until_there(tmp_path / "x.sigmf-data")
        server.end(number)
        _, said = client.communicate(timeout=PATIENCE_S)
        (tmp_path / "x.sigmf-data").unlink()
        assert client.returncode == 1, said
        port = server.listening["port"]
        assert f"the server at 127.0.0.1 port {port} {reason}; " in said
        meta = json.loads((tmp_path / "x.sigmf-meta").read_text())
        assert meta["global"]["sluice:partial"] is True


def test_a_server_outlives_its_log_and_its_terminal() -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        server = subprocess.Popen(
            ["/usr/bin/nohup", find_server(), "--benchmark-memory", "--listen", "127.0.0.1:0"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=full, text=True,
        )  # fmt: skip
    try:
        assert server.stdout is not None
        place = server.stdout.readline().removeprefix("listening at ").strip()
        server.send_signal(signal.SIGHUP)
        for _ in range(2):
            with open_board(f"tcp:{place}/memory") as board:
                assert board.attributes["memory.periods"] == 0
        server.terminate()
        assert server.wait(PATIENCE_S) == 0
    finally:
        server.kill()
        server.communicate()


def test_a_killed_client_leaves_its_channel(
    sluice: Sluice, serve: Callable[..., Served], tmp_path: Path
) -> None:
    server = serve()
    client = spawn("capture", server.uri, CHANNEL, "-o", str(tmp_path / "x"), *SMALL)
    server.event("started")
    client.kill()
    client.communicate()
    assert server.event("gone")["reason"] == "closed the connection"
    # What was on its way to the engine then comes first now, as on a board of one's own.
    done = sluice("capture", server.uri, CHANNEL, "-o", tmp_path / "y", *SMALL, "--frames", "10")
    assert done.status == 0, done.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("sim:nope/x",), "sim:nope/x: unknown board 'nope'; allowed: "),
        (("tcp:a/b",), "tcp:a/b is served by another server already"),
        (
            (BOARD, f"capture={BOARD}"),
            f"two boards have the name capture; give one another as NAME={BOARD}",
        ),
        ((f"a/b={BOARD}",), "'a/b' is not a name for a board; it must not be empty or have / ? #"),
        (
            (BOARD, "--listen", "127.0.0.1:http"),
            "--listen 127.0.0.1:http is not of the form ADDRESS or ADDRESS:PORT, such as 127.",
        ),
        (
            (BOARD, "--listen", "nowhere"),
            "--listen: 'nowhere' is not an address; write one such as 127.0.0.1 or [::1]",
        ),
    ],
)
def test_the_server_refuses_in_one_sentence(words: tuple[str, ...], sentence: str) -> None:
    done = subprocess.run(
        [find_server(), *words], capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"sluice: {sentence}")
    assert done.stderr.count("\n") == 1


def test_the_command_refuses_in_one_sentence(refused: Callable[..., str]) -> None:
    for words, sentence in (
        ((BOARD, "--limit-bytes", "many"), "'many' is not a size. "),
        ((BOARD, "--max-clients", "0"), "Invalid value for '--max-clients': Input should be"),
        (("--", "-x"), "'-x' is not a board; give a URI such as sim:zynq7010/capture"),
        ((), "Missing argument '[NAME=]BOARD...'"),
    ):
        assert refused("serve", *words).startswith(f"sluice: {sentence}")


def test_nobody_serves(refused: Callable[..., str], tmp_path: Path) -> None:
    words = ("capture", "tcp:localhost:1/capture", CHANNEL, "-o", tmp_path / "x")
    assert refused(*words) == (
        "sluice: tcp:localhost:1/capture: no server answers at localhost port 1: Connection "
        "refused. Start `sluice serve` there\n"
    )


def test_without_the_program(monkeypatch: pytest.MonkeyPatch, sluice: Sluice) -> None:
    monkeypatch.setenv("SLUICE_SERVE", "/nowhere")
    done = sluice("serve", BOARD)
    assert (done.status, done.err) == (
        1,
        "sluice: SLUICE_SERVE names /nowhere, which is not a program\n",
    )
