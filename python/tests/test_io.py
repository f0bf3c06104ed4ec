# SPDX-License-Identifier: Apache-2.0
"""sluice.io on simulated boards, and its captures on a stand-in for a device's channel."""

from __future__ import annotations

import errno
import gc
import mmap
import os
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from calling import PATIENCE_S
from sluice.errors import RunError
from sluice.io import (
    Board,
    Capture,
    Channel,
    ChannelInfo,
    Counts,
    Direction,
    PeriodsLost,
    open_board,
)
from sluice.io import native as finder
from sluice.io.clock import Clock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sluice.io import Buffer

LOOPBACK = "sim:zynq7010/hp_stress"
EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "loopback.py"
BYTES = 4096
BUSY_BYTES = 8_000_000  # 10 ms of HP0, which is seconds of the host


@pytest.fixture
def board() -> Iterator[Board]:
    with open_board(LOOPBACK) as opened:
        yield opened


def fill(buffer: Buffer, seed: int) -> np.ndarray[Any, Any]:
    words = np.random.default_rng(seed).integers(0, 2**32, len(buffer) // 4, dtype=np.uint32)
    with buffer.access(write=True, dtype=np.uint32) as data:
        data[:] = words
    return words


def test_words_come_back(board: Board) -> None:
    board.attributes["hp0.loopback"] = 1
    with board.buffer(BYTES) as source, board.buffer(2 * BYTES) as destination:
        words = fill(source, 1)
        with board.channel("hp0.mm2s") as send, board.channel("hp0.s2mm") as receive:
            assert send.info.direction is Direction.MM2S
            receive.submit(destination, cookie=7)
            send.submit(source)
            assert send.wait(timeout=0.01).nbytes == BYTES
            got = receive.wait(timeout=0.01)
            assert (got.cookie, got.nbytes, got.status, got.end_of_packet) == (7, BYTES, 0, True)
            assert got.start_ns < got.finish_ns <= board.now_ns()
        with destination.access(dtype=np.uint32) as data:
            assert np.array_equal(data[: BYTES // 4], words)
            assert not data[BYTES // 4 :].any()


def test_copies() -> None:
    with open_board("sim:zynq7020/cdma") as board:
        source, destination = board.buffer(BYTES), board.buffer(BYTES)
        words = fill(source, 2)
        with board.channel("hp0.copy") as channel:
            channel.copy(source, destination, destination_offset=1024, nbytes=2048, cookie=3)
            assert channel.reap(timeout=0.01)[0].cookie == 3
        with destination.access(dtype=np.uint32) as data:
            assert np.array_equal(data[256:768], words[:512])
            assert not data[:256].any()
            assert not data[768:].any()


def test_copies_by_on_chip_memory() -> None:
    with open_board("sim:zynq7010/cdma") as board, board.channel("hp0.copy") as channel:
        chip = board.buffer(BYTES, memory="on-chip")
        source, destination = board.buffer(BYTES), board.buffer(BYTES)
        words = fill(source, 6)
        for one, other in ((source, chip), (chip, destination)):
            channel.copy(one, other)
            assert channel.reap(timeout=0.01)[0].status == 0
        for buffer in (chip, destination):
            with buffer.access(dtype=np.uint32) as data:
                assert np.array_equal(data, words)


def test_a_memory_that_a_board_lacks(board: Board) -> None:
    with pytest.raises(OSError, match="zynq7010 has no GPU beside it"):
        board.buffer(BYTES, memory="gpu")
    with pytest.raises(ValueError, match="memory must be host, gpu, on-chip, is 'disk'"):
        board.buffer(BYTES, memory="disk")  # type: ignore[arg-type]


def test_a_card_has_memory_on_the_other_side() -> None:
    with open_board("sim:pcie-gen3x8/xdma") as card:
        assert card.info.card_bytes == 1 << 30
        source, destination = card.buffer(BYTES), card.buffer(BYTES)
        words = fill(source, 5)
        with card.channel("h2c0") as out, card.channel("c2h0") as back:
            out.submit(source, card_offset=12)
            assert out.wait(timeout=1.0).nbytes == BYTES
            assert card.read_card(12 + 400, 40) == words.tobytes()[400:440]
            card.write_card(16, b"sluice")
            back.submit(destination, card_offset=12)
            back.wait(timeout=1.0)
        with destination.access(dtype=np.uint8) as data:
            assert data[4:10].tobytes() == b"sluice"
            assert data[10:].tobytes() == words.tobytes()[10:]
        with pytest.raises(OSError, match="exceed the card's memory") as caught:
            card.read_card(1 << 30, 1)
        assert caught.value.errno == errno.EINVAL


def test_only_a_card_has_it(board: Board) -> None:
    assert board.info.card_bytes == 0
    with pytest.raises(OSError, match="is not a card with memory"):
        board.write_card(0, b"x")


def test_what_is_known_of_a_board(board: Board) -> None:
    assert (board.info.board, board.info.design, board.info.simulated_time) == (
        "zynq7010",
        "hp_stress",
        True,
    )
    assert len(board.channel_names()) == board.info.channel_count
    assert board.channel("hp1.s2mm").info.port == "HP1"
    before = board.now_ns()
    board.sleep(2e-6)
    assert board.now_ns() - before >= 2000


def test_attributes_are_a_mapping(board: Board) -> None:
    assert board.attributes["hp0.loopback"] == 0
    board.attributes["hp0.loopback"] = 1
    assert board.attributes["hp0.loopback"] == 1
    assert set(board.attributes) == set(board.attributes.info())
    assert len(board.attributes) == len(list(board.attributes))
    assert "hp9.loopback" not in board.attributes
    with pytest.raises(KeyError, match=r"hp9\.loopback"):
        board.attributes["hp9.loopback"] = 1
    with pytest.raises(OSError, match="loopback") as refused:
        board.attributes["hp0.loopback"] = 2
    assert refused.value.errno == errno.ERANGE
    with pytest.raises(TypeError):
        del board.attributes["hp0.loopback"]


def test_a_choice_has_the_maximum_of_its_words() -> None:
    """Its field would hold one more."""
    with open_board("sim:zynq7010/capture?level=transaction") as capture:
        name = "hp0.picture.format"
        assert capture.attributes.info()[name].maximum == 2
        with pytest.raises(OSError, match=f"'{name}' must be from 0 to 2, not 3"):
            capture.attributes[name] = 3
    with open_board("sim:zynq7010/hp_stress") as stress:
        assert stress.attributes.info()["hp0.sink.stall_mode"].maximum == 2


@pytest.mark.parametrize(
    ("uri", "number", "sentence"),
    [
        ("sim:zynq7010/nothing", errno.ENODEV, "nothing"),
        ("sim:zynq7010/hp_stress?width=33", errno.EINVAL, "33"),
        ("board", errno.EINVAL, "board"),
    ],
)
def test_bad_boards_are_refused_with_a_sentence(uri: str, number: int, sentence: str) -> None:
    with pytest.raises(OSError, match=sentence) as refused:
        open_board(uri)
    assert refused.value.errno == number


def test_what_the_library_refuses_is_oserror(board: Board) -> None:
    with pytest.raises(FileNotFoundError, match=r"hp9\.mm2s"):
        board.channel("hp9.mm2s")
    channel, buffer = board.channel("hp0.mm2s"), board.buffer(BYTES)
    with pytest.raises(OSError, match="exceed the buffer") as refused:
        channel.submit(buffer, 0, BYTES + 1)
    assert refused.value.errno == errno.EINVAL
    with pytest.raises(OSError, match="can be imported by dev: boards") as refused:
        board.import_buffer(0)
    assert refused.value.errno == errno.ENOTSUP
    with pytest.raises(OSError, match=r".") as refused:
        channel.capture(buffer, 1024, 4)
    assert refused.value.errno == errno.ENOTSUP


def test_only_a_boards_memory_is_transferred(board: Board) -> None:
    channel, buffer = board.channel("hp0.mm2s"), board.buffer(BYTES)
    with pytest.raises(TypeError, match=r"buffer is of type ndarray, .* board\.buffer\(nbytes\)"):
        channel.submit(np.zeros(BYTES, np.uint8))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=f"offset must be from 0 to {BYTES}, not {BYTES + 1}"):
        channel.submit(buffer, BYTES + 1)
    with pytest.raises(TypeError, match="destination is of type bytes"):
        channel.copy(buffer, b"")  # type: ignore[arg-type]


def test_waiting_ends(board: Board) -> None:
    channel, buffer = board.channel("hp0.s2mm"), board.buffer(BYTES)
    assert channel.reap(timeout=0.0) == []
    assert channel.reap() == []  # nothing is queued: not for ever
    with pytest.raises(FileNotFoundError, match="nothing is queued"):
        channel.wait()
    channel.submit(buffer)  # and nothing sends
    before = board.now_ns()
    with pytest.raises(TimeoutError, match=r"hp0\.s2mm: .* receives from its stream, on which"):
        channel.wait(timeout=3e-4)
    assert board.now_ns() - before >= 300_000
    with pytest.raises(OSError, match="use") as refused:
        buffer.free()
    assert refused.value.errno == errno.EBUSY


def test_waiting_for_any_channel(board: Board) -> None:
    buffer = board.buffer(BYTES)
    board.attributes["hp1.sink.enable"] = 1
    receive, send = channels = [board.channel("hp0.s2mm"), board.channel("hp1.mm2s")]
    assert board.wait_any(channels) is None  # nothing is queued: not for ever
    receive.submit(buffer)  # and nothing sends to it
    before = board.now_ns()
    assert board.wait_any(channels, timeout=3e-4) is None
    assert board.now_ns() - before >= 300_000
    send.submit(buffer, cookie=5)
    assert board.wait_any(channels) is send
    assert [done.cookie for done in send.reap(timeout=0.0)] == [5]
    receive.cancel()
    assert board.wait_any((send, receive)) is receive
    with pytest.raises(OSError, match="no channels to wait for"):
        board.wait_any([])
    with (
        open_board(LOOPBACK) as other,
        pytest.raises(ValueError, match="a channel of another board"),
    ):
        board.wait_any([receive, other.channel("hp0.s2mm")])


def test_a_channel_stops_what_is_queued_at_its_end(board: Board) -> None:
    buffer = board.buffer(BYTES)
    with board.channel("hp0.s2mm") as channel:
        channel.submit(buffer)
    buffer.free()


def test_a_failed_transfer_is_raised(board: Board) -> None:
    with board.channel("hp0.s2mm") as channel:
        channel.submit(board.buffer(BYTES))
        channel.cancel()
        with pytest.raises(OSError, match="cancel") as failed:
            channel.wait(timeout=1e-4)
    assert failed.value.errno == errno.ECANCELED


def test_arrays_keep_the_memory(board: Board) -> None:
    buffer = board.buffer(BYTES)
    words = fill(buffer, 3)
    data = buffer.array(np.uint32)
    buffer.free()
    with pytest.raises(ValueError, match="freed"):
        buffer.array()
    with pytest.raises(ValueError, match="freed"):
        board.channel("hp0.mm2s").submit(buffer)
    others = [board.buffer(BYTES) for _ in range(8)]
    for index, other in enumerate(others):
        fill(other, index)
    board.close()
    gc.collect()
    assert np.array_equal(data, words)


def free_while_busy(board: Board, busy_ns: int) -> bool:
    """Free a buffer while another thread has the board for so long.

    Return False if that thread had done before all was seen, as on a busy host.
    """
    channel, buffer = board.channel("hp0.mm2s"), board.buffer(BYTES)
    board.attributes["hp0.sink.enable"] = 1
    channel.submit(board.buffer(BUSY_BYTES))  # time at rest would pass at once
    waits = threading.Thread(target=lambda: board.native.sleep_ns(busy_ns))
    refused: list[BaseException | None] = []

    def call(use: Callable[[], object]) -> None:
        try:
            use()
        except (OSError, ValueError) as error:
            refused.append(error)
        else:
            refused.append(None)

    def gets_at_it() -> bool:
        try:
            buffer.array()
        except ValueError:
            return False
        return True

    frees = threading.Thread(target=call, args=(buffer.free,))
    waits.start()
    frees.start()
    # It waits for the board; nobody gets at the buffer any more.
    while frees.is_alive() and gets_at_it():
        time.sleep(0.001)
    with pytest.raises(ValueError, match="freed"):
        buffer.free()
    seen = waits.is_alive() and frees.is_alive()
    submits = threading.Thread(target=call, args=(lambda: channel.submit(buffer),))
    submits.start()
    for thread in (waits, frees, submits):
        thread.join()
    assert sorted(str(error) for error in refused) == ["None", "the buffer was freed"]
    channel.cancel()
    return seen


def test_a_buffer_is_freed_once_whoever_waits(board: Board) -> None:
    assert any(free_while_busy(board, 1_500_000 << turn) for turn in range(3))
    gc.collect()


def test_a_buffer_that_is_not_freed_can_be_freed_later(board: Board) -> None:
    channel, buffer = board.channel("hp0.s2mm"), board.buffer(BYTES)
    channel.submit(buffer)
    with pytest.raises(OSError, match="use"):
        buffer.free()
    assert buffer.array().size == BYTES
    channel.cancel()
    buffer.free()


# The board is closed while others wait for it who give buffers back.
CLOSES = """
import threading, time
from sluice.io import open_board

board = open_board("sim:zynq7010/hp_stress")
buffers = [board.buffer(64) for _ in range(16)]
busy = board.buffer(%d)
board.attributes["hp0.sink.enable"] = 1
board.channel("hp0.mm2s").submit(busy)  # time at rest would pass at once

def drop():
    time.sleep(0.2)
    buffers.pop()

threads = [threading.Thread(target=drop) for _ in range(16)]
for thread in threads:
    thread.start()
board.native.sleep_ns(1_500_000)  # they come, and wait
board.close()  # sooner than they wake up
for thread in threads:
    thread.join()
print("closed")
"""


def test_a_board_is_closed_while_buffers_go() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CLOSES % BUSY_BYTES],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "closed\n", "")


def test_a_closed_board_says_so(board: Board) -> None:
    channel, buffer = board.channel("hp0.mm2s"), board.buffer(BYTES)
    board.close()
    assert board.closed
    for use in (
        board.now_ns,
        board.channel_names,
        lambda: board.buffer(64),
        lambda: channel.submit(buffer),
        lambda: channel.reap(timeout=0.0),
        buffer.array,
    ):
        with pytest.raises(ValueError, match=r"closed|freed"):
            use()
    board.close()


def test_without_write_the_array_is_read_only(board: Board) -> None:
    buffer = board.buffer(BYTES)
    with buffer.access() as data, pytest.raises(ValueError, match="read-only"):
        data[0] = 1
    with buffer.access(write=True), pytest.raises(OSError, match="access") as refused:
        board.channel("hp0.mm2s").submit(buffer)
    assert refused.value.errno == errno.EBUSY


def test_threads_share_a_board(board: Board) -> None:
    board.attributes["hp0.loopback"] = board.attributes["hp1.loopback"] = 1
    wrong: list[object] = []

    def use(port: int) -> None:
        send, receive = board.channel(f"hp{port}.mm2s"), board.channel(f"hp{port}.s2mm")
        source, destination = board.buffer(BYTES), board.buffer(BYTES)
        for seed in range(5):
            words = fill(source, 10 * port + seed)
            receive.submit(destination)
            send.submit(source)
            receive.wait(timeout=0.01)
            send.wait(timeout=0.01)
            with destination.access(dtype=np.uint32) as data:
                if not np.array_equal(data, words):
                    wrong.append((port, seed))

    threads = [threading.Thread(target=use, args=(port,)) for port in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not wrong
    assert not any(thread.is_alive() for thread in threads)


def test_the_example_runs() -> None:
    done = subprocess.run(
        [sys.executable, str(EXAMPLE)],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("65536 bytes in ")
    assert done.stdout.endswith(" as sent\n")


@pytest.mark.parametrize("words", [("a", "b"), ("a", "b", "c", "d")])
def test_the_example_says_how_it_is_called(words: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, str(EXAMPLE), *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"usage: {EXAMPLE} [URI [SENDER RECEIVER]]\n"


def test_a_module_that_is_not_there_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SLUICE_NATIVE", str(tmp_path / "none.so"))
    with pytest.raises(RunError, match=r"none\.so, which is not a file"):
        finder.load.__wrapped__()
    (tmp_path / "none.so").write_text("not a library")
    with pytest.raises(RunError, match="does not load"):
        finder.load.__wrapped__()


class Ring:
    """A device's channel and its buffer, as far as a capture uses them.

    `pace` periods end with each wait; period n is full of n.
    """

    def __init__(self, periods: int, pace: int, last: int, guard: int = 1) -> None:
        self.memory = np.zeros((periods, 16), np.uint8)
        self.periods, self.pace, self.last = periods, pace, last
        self.guard = guard  # periods that the engine may be ahead of those that ended
        self.produced = self.released = self.lost = self.lost_below = 0
        self.records = periods  # that are kept
        self.merged: set[int] = set()
        self.accesses = 0
        self.native = self  # of the buffer

    def array(self) -> np.ndarray[Any, Any]:
        """Return its memory."""
        return self.memory.reshape(-1)

    def begin_access(self, _access: int) -> None:
        """Count it."""
        self.accesses += 1

    def end_access(self) -> None:
        """Count it."""
        self.accesses -= 1

    def advance(self, count: int) -> None:
        """Let periods end."""
        for _ in range(count):
            if self.produced < self.last:
                self.memory[self.produced % self.periods] = self.produced
                self.produced += 1
        whole = min(self.produced + self.guard - self.periods, self.produced)
        self.lost += max(0, whole - max(self.released, self.lost_below))
        self.lost_below = max(self.lost_below, whole)

    def capture_wait(self, period: int, _timeout_ns: int) -> bool:
        """As the library."""
        if period >= self.produced == self.last:
            raise BrokenPipeError(errno.EPIPE, "stopped")
        self.advance(self.pace)
        return period < self.produced

    def capture_read(self, period: int, to: Any) -> None:  # noqa: ANN401
        """As the driver."""
        to[:] = self.memory[period % self.periods]
        assert not self.accesses, "the driver has an access of its own"

    def capture_release(self, period: int) -> int:
        """As the library."""
        lost = min(max(self.lost_below, self.released), period) - self.released
        self.released = period
        return lost

    def capture_period(self, period: int) -> dict[str, Any]:
        """As the library."""
        if self.produced - period > self.records:
            raise FileNotFoundError(errno.ENOENT, "its record is no longer kept")
        if period in self.merged:
            return {
                "bytes": 0, "ticks": 0, "time_ns": 1, "drops": 0, "exact": False, "merged": True,
            }  # fmt: skip
        return {
            "bytes": 16, "ticks": period, "time_ns": 1, "drops": 0, "exact": True, "merged": False,
        }  # fmt: skip

    def capture_status(self) -> dict[str, Any]:
        """As the library."""
        return {
            "produced": self.produced, "released": self.released, "lost": self.lost, "losses": 0,
            "bytes": 0, "drops": 0, "clock_hz": 0, "running": self.produced < self.last,
            "exact": True,
        }  # fmt: skip

    def capture_stop(self) -> None:
        """As the library."""
        self.last = self.produced


def capture(ring: Ring, *, skip_lost: bool = False, read_into: Any = None) -> Capture:  # noqa: ANN401
    clock: Any = SimpleNamespace(slices=lambda _timeout: iter([0] * 100))
    made: Any = Capture
    return made(  # type: ignore[no-any-return]
        clock, ring, ring, 0, 16, ring.periods, skip_lost, read_into=read_into
    )


def test_periods_come_in_order() -> None:
    ring = Ring(4, 1, 20)
    with capture(ring) as periods:
        seen = [(p.number, int(p.data[0]), p.nbytes, p.data.flags.writeable) for p in periods]
    assert seen == [(n, n, 16, False) for n in range(20)]
    assert ring.accesses == 0
    assert ring.lost == 0


def test_the_driver_copies_each_period() -> None:
    ring = Ring(4, 1, 20)
    own = np.zeros(24, np.uint8)
    with capture(ring, skip_lost=True, read_into=own) as periods:
        assert periods.copies
        for number in range(4):
            period = periods.next()
            assert period is not None
            assert (period.number, period.nbytes) == (number, 16)
            assert periods.release()
            ring.memory[:] = 99
            assert period.data.tolist() == [number] * 16, "the release leaves the copy as it is"
        period = periods.next()
        ring.advance(3)  # the engine is in its place
        assert not periods.release()
    assert not capture(ring).copies


def test_memory_for_copies_is_checked_before_the_start() -> None:
    frozen = np.zeros(4096, np.uint8)
    frozen.flags.writeable = False
    with Board("sim:zynq7010/capture") as board:
        channel = board.channel("hp0.s2mm")
        ring = board.buffer(4 * 4096)
        short = np.zeros(100, np.uint8)
        with pytest.raises(ValueError, match="read_into has 100 bytes, and a period 4096"):
            channel.capture(ring, 4096, 4, read_into=short)
        wrong: list[Any] = [
            np.zeros(4096, np.uint16), np.zeros((64, 64), np.uint8), frozen,
            np.zeros(8192, np.uint8)[::2],
        ]  # fmt: skip
        for memory in wrong:
            with pytest.raises(ValueError, match="must be a writeable, contiguous array of uint8"):
                channel.capture(ring, 4096, 4, read_into=memory)
        with channel.capture(ring, 4096, 4) as captured:  # none had been started
            assert not captured.copies


def test_a_period_lost_while_it_was_read_is_told() -> None:
    ring = Ring(4, 1, 20)
    periods = capture(ring)
    assert periods.next()
    ring.advance(3)  # the engine is in period 0's place
    with pytest.raises(PeriodsLost) as lost:
        periods.next()
    assert (lost.value.first, lost.value.count) == (0, 1)
    ring.pace = 0
    following = periods.next()
    assert following is not None
    assert following.number > 0
    assert int(following.data[0]) == following.number


def test_a_release_says_whether_the_data_count() -> None:
    ring = Ring(4, 1, 20)
    periods = capture(ring)
    assert periods.release()  # nothing was given yet
    assert periods.next()
    ring.advance(2)
    assert periods.release()
    assert periods.release()  # twice does no harm
    assert ring.accesses == 0
    assert periods.next()
    ring.advance(1)
    ring.pace = 0
    assert not periods.release()
    following = periods.next()  # and it is not told again
    assert following is not None
    assert following.number == 2


def test_the_counts_of_a_period_that_was_lost() -> None:
    ring = Ring(4, 1, 100)
    ring.records = 8
    periods = capture(ring, skip_lost=True)
    ring.advance(11)
    assert periods.counts(4) == Counts(16, 4, 1, 0, exact=True, merged=False)
    assert periods.counts(2) is None


def test_a_reader_that_was_lapped_is_told_what_it_missed() -> None:
    ring = Ring(4, 1, 100)
    periods = capture(ring)
    ring.advance(11)
    with pytest.raises(PeriodsLost) as lost:
        periods.next()
    following = periods.next()
    assert following is not None
    assert (lost.value.first, lost.value.first + lost.value.count) == (0, following.number)
    assert int(following.data[0]) == following.number
    assert (lost.value.count, lost.value.passed) == (11, 2)  # 9 to 11 were whole
    said = "periods 0 to 8 were overwritten before the release, and 2 behind, still whole, were"
    assert str(lost.value).startswith(said)


def test_whole_periods_that_are_passed_are_counted() -> None:
    ring = Ring(8, 1, 100, guard=2)
    periods = capture(ring, skip_lost=True)
    assert (periods.room, periods.status().passed) == (8, 0)
    ring.advance(20)
    ring.pace = 0
    period = periods.next()
    assert period is not None
    assert (period.number, int(period.data[0])) == (17, 17)  # of 14 to 19, which are whole
    status = periods.status()
    assert (status.lost, status.passed, periods.room) == (14, 3, 6)
    assert status.lost + status.passed == period.number


def test_a_slow_reader_of_a_small_ring_gets_periods() -> None:
    """Reading one takes two; the engine may be two periods ahead, and so three are whole."""
    ring = Ring(5, 0, 60, guard=2)
    periods, kept = capture(ring, skip_lost=True), []
    ring.advance(1)
    while (period := periods.next()) is not None:
        number, value = period.number, int(period.data[0])
        ring.advance(2)
        if periods.release():
            kept.append((number, value))
    assert len(kept) >= 10
    assert all(number == value for number, value in kept)


def test_a_reader_may_skip_what_was_lost() -> None:
    ring = Ring(4, 3, 40)
    seen = [(p.number, int(p.data[0])) for p in capture(ring, skip_lost=True)]
    assert all(number == value for number, value in seen)
    assert [n for n, _ in seen] == sorted({n for n, _ in seen})
    assert ring.lost > 0


def test_a_slow_reader_gets_periods_whose_counts_are_gone() -> None:
    ring = Ring(8, 1, 12)
    ring.records = 2
    periods = capture(ring)
    ring.advance(5)
    seen = [(p.number, int(p.data[0]), p.nbytes, p.exact, p.merged, p.time_ns) for p in periods]
    assert seen[:4] == [(n, n, 16, False, False, 0) for n in range(4)]
    assert [(number, value) for number, value, *_ in seen] == [(n, n) for n in range(12)]
    assert seen[-1] == (11, 11, 16, True, False, 1)
    assert ring.lost == 0
    ring = Ring(8, 1, 12)
    ring.records = 2
    periods = capture(ring)
    ring.advance(5)
    assert [p.known for p in periods] == [seen_of[3] for seen_of in seen]


def test_the_data_of_a_period_without_counts_of_its_own() -> None:
    ring = Ring(4, 1, 8)
    ring.merged = {2, 3}
    seen = [(p.number, p.data.tolist(), p.nbytes) for p in capture(ring)]
    assert seen == [(n, [n] * 16, 0 if n in ring.merged else 16) for n in range(8)]


def test_a_period_that_does_not_come_is_a_timeout() -> None:
    ring = Ring(4, 0, 20)
    with pytest.raises(TimeoutError, match="period 0"):
        capture(ring).next(timeout=0.5)


def test_leaving_stops_the_capture() -> None:
    ring = Ring(4, 1, 1000)
    with capture(ring) as periods:
        for period in periods:
            if period.number == 5:
                break
    assert ring.last == ring.produced
    assert ring.accesses == 0


@pytest.mark.parametrize("level", ["rtl", "transaction"])
def test_a_stream_of_a_simulated_board_is_captured(level: str) -> None:
    words = 1024
    with (
        open_board(f"sim:zynq7010/capture?level={level}") as board,
        board.channel("hp0.s2mm") as channel,
    ):
        ring = board.buffer(8 * 4 * words)
        with channel.capture(ring, period_bytes=4 * words, periods=8) as capture:
            source = {"packet_beats": words // 2, "frame_packets": 1, "frame_ticks": words}
            for name, value in {**source, "continuous": 1, "free_run": 1, "enable": 1}.items():
                board.attributes[f"hp0.source.{name}"] = value
            for period in capture:
                expected = np.arange(period.number * words, (period.number + 1) * words)
                assert np.array_equal(period.data.view(np.uint32), expected)
                assert period.exact
                if period.number == 20:
                    break
            status = capture.status()
        assert (status.lost, status.drops) == (0, 0)
        assert not capture.status().running


@pytest.mark.parametrize("hold", [True, False])
def test_a_stream_that_is_held_loses_nothing(hold: bool) -> None:  # noqa: FBT001
    """The source waits while the ring is full; without that it is written over."""
    with open_board("sim:zynq7010/capture?level=transaction&start_cost_ns=0") as board:
        channel, ring = board.channel("hp0.s2mm"), board.buffer(8 * 4096)
        with channel.capture(ring, 4096, 8, skip_lost=True, hold=hold) as capture:
            source = {"packet_beats": 512, "frame_packets": 1, "continuous": 1, "enable": 1}
            for name, value in source.items():
                board.attributes[f"hp0.source.{name}"] = value
            seen = []
            for period in capture:
                seen.append((period.number, int(period.data.view(np.uint32)[0])))
                if len(seen) == 20:
                    break
                board.sleep(1e-4)  # twenty periods of a source that does not wait
        in_order = [(number, number * 1024) for number in range(20)]
        assert (seen == in_order) is hold
        assert (capture.status().lost == 0) is hold


def test_a_full_ring_that_is_held_is_whole() -> None:
    """Every period of it has ended and waits: that is no sign that one was written over."""
    with open_board("sim:zynq7010/capture?level=transaction") as board:
        channel, ring = board.channel("hp0.s2mm"), board.buffer(4 * 4096)
        with channel.capture(ring, 4096, 4, hold=True) as capture:
            source = {"packet_beats": 512, "frame_packets": 1, "continuous": 1, "enable": 1}
            for name, value in source.items():
                board.attributes[f"hp0.source.{name}"] = value
            board.sleep(1e-3)
            for number in range(10):
                period = capture.next()
                assert period is not None
                assert period.number == number
                assert int(period.data.view(np.uint32)[0]) == number * 1024
                assert capture.status().produced == max(4, number + 3)  # it is full
                board.sleep(1e-4)
        assert capture.status().lost == 0


@pytest.mark.parametrize("what", ["wait", "sleep"])
def test_ctrl_c_is_heard_while_it_waits(board: Board, what: str) -> None:
    # A shell's background job ignores SIGINT, and its children with it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    channel, buffer = board.channel("hp0.s2mm"), board.buffer(BYTES)
    channel.submit(buffer)
    begin_ns = board.now_ns()
    long_s = 3600  # a board at rest is fast
    waits = channel.wait if what == "wait" else board.sleep
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            waits(long_s)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # where the wait ended before it
        timer.join()
        signal.signal(signal.SIGINT, before)
    assert board.now_ns() - begin_ns < long_s * 1_000_000_000
    channel.cancel()


@pytest.mark.parametrize("share", [0.999, 0.6])
def test_a_wait_that_looks_short_goes_on(share: float) -> None:
    # The board's clock is not the one that the driver waits by.
    now = 0
    told: Iterator[list[tuple[object, ...]]] = iter([[], [], [(7, 64, 0, 1, 0, True, "done")]])

    def reap(_count: int, timeout_ns: int) -> list[tuple[object, ...]]:
        nonlocal now
        now += round(share * timeout_ns)
        return next(told)

    fields = dict.fromkeys(ChannelInfo.__dataclass_fields__, 0) | {"name": "hp0", "direction": 2}
    native: Any = SimpleNamespace(info=lambda: fields, reap=reap)
    board: Any = SimpleNamespace(now_ns=lambda: now)
    assert Channel(Clock(board, simulated=False), native).wait().cookie == 7


# The AXI DMA by its registers alone, in PG021's direct register mode.
def test_an_engine_is_driven_by_registers(board: Board) -> None:
    board.attributes["hp0.loopback"] = 1
    source, sink = board.buffer(BYTES), board.buffer(BYTES)
    words = fill(source, 5)
    descriptor = board.interrupt_fd(2)
    run_and_interrupt, interrupted = 0x1001, 0x1000
    for control, address, buffer in ((0x30, 0x48, sink), (0x00, 0x18, source)):
        board.write_register(control, run_and_interrupt)
        board.write_register(address, buffer.bus_address)
        board.write_register(address + 0x10, BYTES)
    assert select.select([descriptor], [], [], 0)[0] == []
    assert board.wait_interrupt(2, timeout=0.001) == 3
    assert select.select([descriptor], [], [], 0)[0] == [descriptor]
    assert board.read_register(0x58) == BYTES
    board.write_register(0x34, interrupted)
    assert board.interrupts() == 1
    assert select.select([descriptor], [], [], 0)[0] == []
    assert (sink.array(np.uint32) == words).all()
    board.write_register(0x04, interrupted >> 8, enables=2)
    assert board.interrupts() == 1, "byte 1 is bits 8 to 15 of the value"
    board.write_register(0x04, interrupted, enables=2)
    assert board.interrupts() == 0
    begin_ns = board.now_ns()
    with pytest.raises(TimeoutError, match="0x1"):
        board.wait_interrupt(1, timeout=1e-6)
    assert 1000 <= board.now_ns() - begin_ns <= 1100


def test_registers_that_are_not_there_say_so(board: Board) -> None:
    with pytest.raises(OSError, match="DECERR") as refused:
        board.read_register(0x50000)
    assert refused.value.errno == errno.EIO
    with pytest.raises(OSError, match="multiple of 4"):
        board.write_register(2, 0)
    with pytest.raises(OSError, match="byte enables"):
        board.write_register(0, 0, enables=0)


def test_memory_is_a_file(board: Board) -> None:
    buffer = board.buffer(BYTES)
    words = fill(buffer, 6)
    file = board.memory_file()
    with mmap.mmap(file.fd, file.nbytes) as memory:
        begin = buffer.bus_address - file.address
        assert memory[begin : begin + BYTES] == words.tobytes()
    os.close(file.fd)


CHILD_WITH_A_BOARD = """
import os, signal, sys
from sluice.io import open_board

board = open_board("sim:zynq7010/hp_stress")
child = os.fork()
if child == 0:
    signal.alarm(20)  # kills it where the exit hangs
    sys.exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
with board:
    assert board.attributes["hp0.loopback"] >= 0
"""


def test_a_child_of_a_fork_leaves_the_board_to_its_parent() -> None:
    subprocess.run([sys.executable, "-c", CHILD_WITH_A_BOARD], check=True, timeout=PATIENCE_S)
