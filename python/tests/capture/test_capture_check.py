# SPDX-License-Identifier: Apache-2.0
"""The counter's check, and the account that explains its gaps."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sluice.capture.check import Counter, look
from sluice.capture.ledger import Ledger
from sluice.capture.result import LostFrames
from sluice.io import Counts

WORDS = 16  # of a frame
BEAT_WORDS = 2


def frame(number: int, words: Any, **fields: Any) -> Any:  # noqa: ANN401
    """Return a period of the words."""
    data = np.asarray(words, np.uint32).view(np.uint8)
    known = {"nbytes": data.nbytes, "ticks": 0, "time_ns": 1000 * number, "drops": 0}
    known |= {"exact": True, "merged": False, "known": True} | fields
    return SimpleNamespace(number=number, data=data, **known)


def counting(first: int, count: int = WORDS) -> np.ndarray[Any, Any]:
    return (np.arange(count, dtype=np.uint64) + first).astype(np.uint32)


def missing(first: int, count: int, **fields: Any) -> LostFrames:  # noqa: ANN401
    known = {"bytes": count * WORDS * 4, "exact": True, "dropped_beats": 0}
    return LostFrames(
        first=first, count=count, time_ns=0, offset=0, stream_bytes=0, **(known | fields)
    )


def keep(counter: Counter, *frames: Any) -> Counter:  # noqa: ANN401
    offset = 0
    for period in frames:
        counter.keep(period, look(period.data), offset)
        offset += period.data.nbytes
    return counter


def test_words_that_are_all_there() -> None:
    first = (1 << 32) - 20  # it goes round to 0
    frames = [frame(n, counting(first + n * WORDS)) for n in range(4)]
    counter = keep(Counter(BEAT_WORDS, first), *frames)
    assert counter.passed
    assert (counter.words, counter.gaps) == (4 * WORDS, [])


def test_no_words_pass_nothing() -> None:
    assert not Counter(BEAT_WORDS, 0).passed


@pytest.mark.parametrize("expected", [0, None])
def test_the_first_word_is_known_or_not(expected: int | None) -> None:
    """Words that are missing before the first one are seen if the first one is known."""
    counter = keep(Counter(BEAT_WORDS, expected), frame(0, counting(6)))
    assert counter.passed is (expected is None)
    assert counter.unexplained == (6 if expected == 0 else 0)


def test_a_gap_in_a_frame_has_its_place() -> None:
    words = np.concatenate([counting(0, 6), counting(9, 10)])
    counter = keep(Counter(BEAT_WORDS, 0), frame(0, words), frame(1, counting(19)))
    assert [
        (gap.frame, gap.offset, gap.missing_words, gap.unexplained_words) for gap in counter.gaps
    ] == [(0, 24, 3, 3)]
    assert not counter.passed


def test_dropped_beats_explain_a_gap_that_comes_later() -> None:
    frames = [
        frame(0, counting(0), drops=3),
        frame(1, counting(16)),
        frame(2, np.concatenate([counting(32, 4), counting(42, 12)])),
    ]
    counter = keep(Counter(BEAT_WORDS, 0), *frames)
    assert counter.passed
    assert [(gap.missing_words, gap.dropped_words) for gap in counter.gaps] == [(6, 6)]


def test_drops_explain_no_more_words_than_they_had_and_none_before_them() -> None:
    one_more = frame(1, np.concatenate([counting(16, 4), counting(27, 12)]))
    counter = keep(Counter(BEAT_WORDS, 0), frame(0, counting(0), drops=3), one_more)
    assert counter.unexplained == 1
    early = frame(0, np.concatenate([counting(0, 4), counting(10, 12)]))
    counter = keep(Counter(BEAT_WORDS, 0), early, frame(1, counting(22), drops=3))
    assert counter.unexplained == 6


def test_lost_frames_explain_their_words_and_drops_the_rest() -> None:
    counter = keep(Counter(BEAT_WORDS, 0), frame(0, counting(0)))
    counter.lose(missing(1, 2, dropped_beats=4))
    counter.keep(frame(3, counting(16 + 32 + 8)), look(frame(3, counting(56)).data), 64)
    assert counter.passed
    [gap] = counter.gaps
    assert (gap.missing_words, gap.lost_words, gap.dropped_words) == (40, 32, 8)


@pytest.mark.parametrize(("words", "right"), [(31, False), (32, True), (33, False)])
def test_lost_frames_that_were_counted_have_to_be_missing_exactly(
    words: int,
    right: bool,  # noqa: FBT001
) -> None:
    counter = keep(Counter(BEAT_WORDS, 0), frame(0, counting(0)))
    counter.lose(missing(1, 2))
    counter.keep(frame(3, []), look(frame(3, counting(16 + words)).data), 64)
    assert counter.passed is right


def test_lost_frames_that_were_not_counted_may_have_been_shorter() -> None:
    counter = keep(Counter(BEAT_WORDS, 0), frame(0, counting(0)))
    counter.lose(missing(1, 2, exact=False))
    counter.keep(frame(3, []), look(counting(16 + 20).view(np.uint8)), 64)
    assert counter.passed


def test_a_frame_without_counts_waits_for_those_of_the_next() -> None:
    gap = np.concatenate([counting(0, 4), counting(6, 12)])
    merged = frame(0, gap, merged=True)
    assert keep(Counter(BEAT_WORDS, 0), merged, frame(1, counting(18), drops=1)).passed
    assert not keep(Counter(BEAT_WORDS, 0), merged, frame(1, counting(18))).passed


@pytest.mark.parametrize(
    "words",
    [
        counting(0)[::-1],  # backwards
        np.zeros(WORDS),
        np.random.default_rng(1).integers(0, 1 << 32, 1000, dtype=np.uint32),
        counting(4)[:-1].view(np.uint8)[:-2].view(np.uint16),  # cut off
    ],
)
def test_other_data_is_no_counter(words: np.ndarray[Any, Any]) -> None:
    data = np.ascontiguousarray(words)
    data = data.astype(np.uint32) if data.dtype == np.float64 else data
    period = frame(7, [])
    counter = Counter(BEAT_WORDS, 4)
    counter.keep(period, look(data.view(np.uint8)), 0)
    assert counter.others == [7]
    assert not counter.passed


def test_many_gaps_are_the_counters_where_as_much_was_dropped() -> None:
    words = counting(0, 400).reshape(-1, 4)[:, :2].reshape(-1)  # 99 gaps of a beat
    behind = frame(1, counting(400))
    assert keep(Counter(BEAT_WORDS, 0), frame(0, words, drops=100), behind).passed
    counter = keep(Counter(BEAT_WORDS, 0), frame(0, words, drops=98), behind)
    assert (counter.others, counter.passed) == ([0], False)


def test_drops_explain_nothing_behind_a_frame_of_other_data() -> None:
    counter = keep(Counter(BEAT_WORDS, 0), frame(0, np.zeros(WORDS), drops=3))
    counter.keep(frame(1, []), look(counting(1 + 6).view(np.uint8)), 64)
    assert (counter.others, counter.unexplained) == ([0], 6)


class Counted:
    """A capture, as far as a ledger asks it."""

    def __init__(self, known: dict[int, Counts]) -> None:
        self.counts = known.get


def counts(**fields: Any) -> Counts:  # noqa: ANN401
    known = {"nbytes": 64, "ticks": 0, "time_ns": 5, "drops": 0, "exact": True, "merged": False}
    return Counts(**(known | fields))


def lost(ledger: Ledger, known: dict[int, Counts], first: int, count: int) -> LostFrames:
    capture: Any = Counted(known)
    return ledger.lose(capture, first, count, now_ns=99)


def test_lost_frames_are_counted_by_what_is_known_of_them() -> None:
    ledger = Ledger(64, 8)
    ledger.keep(frame(0, counting(0)))
    run = lost(ledger, {1: counts(nbytes=40, drops=2), 2: counts(time_ns=7)}, 1, 2)
    assert (run.bytes, run.exact, run.dropped_beats, run.time_ns) == (104, True, 2, 7)
    assert (run.offset, ledger.lost_frames, ledger.lost_bytes) == (64, 2, 104)
    assert [(d.frame, d.beats, d.bytes, d.offset) for d in ledger.dropped] == [(1, 2, 16, 64)]
    assert run.stream_bytes == 64 + 104 + 16
    run = lost(ledger, {4: counts()}, 3, 2)  # of frame 3 nothing is known
    assert (run.bytes, run.exact, run.dropped_beats, run.time_ns) == (128, False, 0, 5)
    assert [(m.first, m.count, m.bytes, m.exact) for m in ledger.lost] == [(1, 4, 232, False)]
    run = lost(ledger, {}, 6, 1)  # not next to those before
    assert (run.time_ns, len(ledger.lost)) == (99, 2)


def test_drops_that_are_known_count_where_other_records_have_gone() -> None:
    ledger = Ledger(64, 8)
    run = lost(ledger, {2: counts(drops=3)}, 1, 2)  # of frame 1 nothing is known
    assert (run.exact, run.dropped_beats, ledger.dropped_beats) == (False, 3, 3)
    assert not ledger.complete
    assert Ledger(64, 8).complete
    counter = keep(Counter(BEAT_WORDS, 0), frame(0, counting(0)))
    counter.lose(run)
    counter.keep(frame(3, []), look(counting(16 + 32 + 6).view(np.uint8)), 64)
    assert counter.passed


def test_a_frame_whose_record_has_gone_is_named() -> None:
    ledger = Ledger(64, 8)
    ledger.keep(frame(0, counting(0)))
    ledger.keep(frame(1, counting(16), known=False, exact=False, time_ns=0))
    assert [(odd.frame, odd.bytes, odd.offset) for odd in ledger.unknown] == [(1, 64, 64)]
    assert (ledger.complete, ledger.entries, ledger.short) == (False, 1, [])


def test_frames_that_are_not_like_others() -> None:
    ledger = Ledger(64, 8)
    ledger.keep(frame(0, counting(0, 10)))
    ledger.keep(frame(1, counting(10), merged=True, nbytes=0))
    ledger.keep(frame(2, counting(26), drops=4))
    assert [(odd.frame, odd.bytes, odd.offset) for odd in ledger.short] == [(0, 40, 0)]
    assert [(odd.frame, odd.offset) for odd in ledger.merged] == [(1, 40)]
    assert (ledger.frames, ledger.nbytes, ledger.stored) == (3, 168, 168)
    assert (ledger.dropped_beats, ledger.dropped_bytes, ledger.entries) == (4, 32, 3)
    assert (ledger.seconds, ledger.mb_s) == (1e-6, 64)  # frame 0 ended at no known time
    ledger.keep(frame(3, counting(42), time_ns=0))
    assert (ledger.seconds, ledger.mb_s) == (1e-6, 64)


def test_records_are_asked_for_as_far_as_drivers_keep_them() -> None:
    """Millions of frames may be lost, and the engine goes on while records are looked for."""
    asked: list[int] = []

    def known(number: int) -> Counts | None:
        asked.append(number)
        return counts(drops=1) if number >= 9_999_998 else None

    capture: Any = SimpleNamespace(counts=known)
    ledger = Ledger(64, 8)
    ledger.lose(capture, 0, 10_000_000, now_ns=99)
    assert asked == [9_999_999, 9_999_998, 9_999_997]
    assert [drop.frame for drop in ledger.dropped] == [9_999_998, 9_999_999]


@pytest.mark.parametrize(
    ("more", "exact", "right"),
    [(0, True, True), (1, True, False), (-1, True, False), (0, False, True), (-1, False, True)],
)
def test_frames_of_more_words_than_the_counter_has_may_be_lost(
    more: int,
    exact: bool,  # noqa: FBT001
    right: bool,  # noqa: FBT001
) -> None:
    """At 800 MB/s the counter goes round in 21 s."""
    counter = keep(Counter(BEAT_WORDS, 0), frame(0, counting(0)))
    words = (3 << 32) + 5 * WORDS
    counter.lose(missing(1, words // WORDS, exact=exact))
    behind = counting(WORDS + (words + more) % (1 << 32))
    counter.keep(frame(1, []), look(behind.view(np.uint8)), 64)
    assert counter.passed is right
    assert [gap.missing_words for gap in counter.gaps] == ([] if counter.others else [words + more])


def test_a_frame_is_named_once() -> None:
    odd = np.concatenate([counting(7), counting(3)]).view(np.uint8)[:-2]
    counter = Counter(BEAT_WORDS, None)
    counter.keep(frame(4, []), look(odd), 0)
    assert counter.others == [4]
