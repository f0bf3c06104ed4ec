# SPDX-License-Identifier: Apache-2.0
"""The loop of a capture, on a stand-in for a board whose engine does not wait for its program."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sluice.capture.ledger import Ledger
from sluice.capture.recorder import ALWAYS, NEVER, SOMETIMES, Recorder
from sluice.capture.sinks import SinkError
from sluice.io import Period


class Engine:
    """A capture that gives periods, some of which are written over before their release."""

    def __init__(self, numbers: list[int], overwritten: set[int]) -> None:
        self.numbers, self.overwritten = iter(numbers), overwritten
        self.given = -1
        self.room = 4
        self.fails = False
        self.copies = False  # the driver does: what comes is not the ring
        self.memory = np.zeros(16, np.uint8)

    def next(self, _timeout: float) -> Period | None:
        """Return the next period, full of its number; None: it has stopped."""
        self.given = next(self.numbers, -1)
        if self.given < 0:
            return None
        self.memory[:] = self.given
        data = self.memory.copy() if self.copies else self.memory
        return Period(
            number=self.given, data=data, nbytes=16, ticks=0, time_ns=self.given + 1,
            drops=0, exact=True, merged=False,
        )  # fmt: skip

    def release(self) -> bool:
        """As the library: the engine is in the memory from now on."""
        self.memory[:] = 255
        if self.fails:
            raise OSError(5, "Input/output error")
        return self.given not in self.overwritten

    def status(self) -> Any:  # noqa: ANN401
        """Return where it is."""
        return SimpleNamespace(produced=self.given + 1)

    def counts(self, _number: int) -> None:
        """Keep no records."""


class Shelf:
    """A sink that keeps frames, and fails at one."""

    def __init__(self, fails_at: int = -1) -> None:
        self.frames: list[tuple[int, list[int]]] = []
        self.fails_at = fails_at

    def put(self, number: int, data: np.ndarray[Any, Any]) -> None:
        """Take a frame."""
        if number == self.fails_at:
            raise SinkError("shelf", OSError(28, "No space left on device"))
        self.frames.append((number, data.tolist()))

    def take_back(self) -> None:
        """Forget the last one."""
        self.frames.pop()


def recorder(sink: Shelf, copy_below: float) -> Recorder:
    board: Any = SimpleNamespace(
        info=SimpleNamespace(simulated_time=False), now_ns=lambda: 7, sleep=lambda _: None
    )
    shelf: Any = sink
    return Recorder(
        board=board, sink=shelf, ledger=Ledger(16, 8), counter=None, wanted=None, hold=False,
        copy_below=copy_below, sink_mb_s=None, stopped=lambda: False,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("copy_below", "by_driver"), [(NEVER, False), (ALWAYS, False), (ALWAYS, True)]
)
def test_what_was_written_over_meanwhile_is_not_kept(copy_below: float, by_driver: bool) -> None:  # noqa: FBT001
    sink = Shelf()
    loop = recorder(sink, copy_below)
    engine: Any = Engine([0, 1, 2, 5, 6], overwritten={1, 6})
    engine.copies = by_driver
    assert loop.run(engine) == "stopped"
    assert sink.frames == [(number, [number] * 16) for number in (0, 2, 5)]
    lost = [(run.first, run.count, run.offset) for run in loop.ledger.lost]
    assert lost == [(1, 1, 16), (3, 2, 32), (6, 1, 48)]
    assert (loop.ledger.frames, loop.next_number) == (3, 7)
    assert loop.copied == (5 if copy_below == ALWAYS else 0)
    assert loop.overtaken == (0 if copy_below == ALWAYS else 2)
    assert loop.headroom == 0


def test_simulated_time_passes_in_small_steps() -> None:
    """A stop is seen between them, and a board of RTL is slow."""
    loop, slept = recorder(Shelf(), NEVER), []
    stops = iter([False] * 3)
    board: Any = SimpleNamespace(
        info=SimpleNamespace(simulated_time=True), now_ns=lambda: 7, sleep=slept.append
    )
    loop.board, loop.sink_mb_s, loop.stopped = board, 1e-6, lambda: next(stops, True)
    engine: Any = Engine([0], overwritten=set())
    loop.run(engine)
    assert slept == [1e-4] * 2


@pytest.mark.parametrize("copy_below", [NEVER, ALWAYS])
def test_a_frame_that_the_sink_refused_was_not_read(copy_below: float) -> None:
    loop = recorder(Shelf(fails_at=2), copy_below)
    engine: Any = Engine([0, 1, 2, 3], overwritten=set())
    assert loop.run(engine) == "full"
    assert (loop.ledger.frames, loop.ledger.lost, loop.next_number) == (2, [], 2)
    assert "shelf cannot be written: no space left" in str(loop.problem)


@pytest.mark.parametrize("copy_below", [NEVER, ALWAYS])
@pytest.mark.parametrize("fails", ["release", "sleep"])
def test_the_account_is_the_sinks_when_the_board_fails(copy_below: float, fails: str) -> None:
    """Nobody knows whether a frame is whole that could not be released."""
    sink = Shelf()
    loop = recorder(sink, copy_below)
    engine: Any = Engine([0, 1, 2], overwritten=set())
    failing = OSError(5, "Input/output error")
    if fails == "sleep":
        loop.sink_mb_s = 1.0

        def sleep(_seconds: float) -> None:
            raise failing

        board: Any = loop.board
        board.sleep = sleep
    else:
        engine.fails = True
    with pytest.raises(OSError, match="Input/output"):
        loop.run(engine)
    kept = int(copy_below == ALWAYS and fails == "sleep")
    assert len(sink.frames) == loop.ledger.frames == loop.next_number == kept


def test_frames_are_counted_once_where_a_description_has_no_room_for_their_loss() -> None:
    loop = recorder(Shelf(), NEVER)

    def moved() -> None:
        if loop.ledger.lost:
            raise SinkError("meta", OSError(28, "No space left on device"))

    loop.moved = moved
    engine: Any = Engine([0, 5], overwritten=set())
    assert loop.run(engine) == "full"
    assert (loop.ledger.lost_frames, loop.next_number) == (4, 5)


def test_a_frame_is_copied_by_the_part_of_the_ring_that_is_whole() -> None:
    """The engine's buffer may be most of a small ring."""
    loop = recorder(Shelf(), SOMETIMES)
    engine: Any = Engine([0, 1], overwritten=set())
    engine.room = 2
    loop.run(engine)
    assert (loop.copied, loop.headroom) == (2, 0.5)
