# SPDX-License-Identifier: Apache-2.0
"""Whether the counter source's words are all there, and what explains those that are not.

The source's words have 32 bits and count up by 1, round to 0 again. A word that is too high is a
gap. It is explained as far as frames were lost just before it, or beats were dropped in front of
the engine before, whose gaps come up to the depth of FIFO and engine behind the count.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sluice.capture.result import Gap
from sluice.capture.source import WORD_BYTES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sluice.capture.result import LostFrames
    from sluice.io import Period

_ROUND = 1 << 32
_MANY_BREAKS = 64  # in a frame: beyond, what is known to be missing has to be as much


@dataclass(frozen=True, slots=True)
class Look:
    """What a frame's words are."""

    words: int
    rest: int  # bytes behind the last whole word
    first: int = 0
    last: int = 0
    breaks: tuple[tuple[int, int], ...] = ()  # index of a word, words missing before it
    other: bool = False  # it does not count


class _Gap(NamedTuple):
    """Words that are missing at one place, until it is known what was dropped before."""

    frame: int  # that has the word behind the gap
    offset: int  # of that word in the sink, in bytes
    missing: int  # words
    lost: int = 0  # of those: explained by frames that were lost


def look(data: NDArray[np.uint8]) -> Look:
    """Return what is in a frame. Nothing is concluded yet: it may be written over meanwhile."""
    words = data[: data.nbytes // WORD_BYTES * WORD_BYTES].view("<u4")
    rest = data.nbytes % WORD_BYTES
    if not len(words):
        return Look(0, rest)
    steps: NDArray[Any] = words[1:] - words[:-1]
    places = np.flatnonzero(steps != 1)
    # A step back is one of more than half a round.
    gaps = steps[places] - 1
    other = bool((gaps >= _ROUND // 2).any())
    breaks = () if other else tuple(zip((places + 1).tolist(), gaps.tolist(), strict=True))
    return Look(len(words), rest, int(words[0]), int(words[-1]), breaks, other)


@dataclass(slots=True)
class Counter:
    """The words so far."""

    beat_words: int
    expected: int | None  # the next word; None: whatever comes first
    words: int = 0
    gaps: list[Gap] = field(default_factory=list)
    others: list[int] = field(default_factory=list)  # frames that do not go on counting
    _lost: int = 0  # words of frames that were lost just before
    _lost_exactly: int = 0  # of those: counted, so that they have to be missing
    _dropped: int = 0  # words that were dropped, and whose gap has not come
    _waiting: list[_Gap] = field(default_factory=list)  # for the next frame's drops

    @property
    def unexplained(self) -> int:
        """Return how many words are missing without a reason."""
        return sum(gap.unexplained_words for gap in self.gaps)

    @property
    def entries(self) -> int:
        """Return how many things a description has to list."""
        return len(self.gaps) + len(self._waiting) + len(self.others)

    @property
    def passed(self) -> bool:
        """Tell whether every word is there or accounted for."""
        return not self.others and not self.unexplained and self.words > 0

    def lose(self, missing: LostFrames) -> None:
        """Take in that frames are missing here."""
        self._lost += missing.bytes // WORD_BYTES
        self._lost_exactly += missing.bytes // WORD_BYTES if missing.exact else 0
        self._dropped += missing.dropped_beats * self.beat_words

    def keep(self, period: Period, found: Look, offset: int) -> None:
        """Take in what a frame had that was kept at an offset."""
        self._dropped += period.drops * self.beat_words
        self.words += found.words
        goes_on = not found.words or self._follow(period.number, found, offset)
        if found.rest or not goes_on:
            self.others.append(period.number)
        if not period.merged:
            self.settle()

    def _follow(self, number: int, found: Look, offset: int) -> bool:
        """Take in a frame's gaps, also that before its first word; tell if it goes on counting."""
        missing, lost = self._missing_before(found.first), self._lost
        self._lost = self._lost_exactly = 0
        self.expected = (found.last + 1) % _ROUND
        if found.other or missing - lost >= _ROUND // 2 or self._is_odd(found):
            self._dropped = 0  # its words may be missing here: they explain nothing behind it
            return False
        if missing:
            self._waiting.append(_Gap(number, offset, missing, lost=min(lost, missing)))
        for place, gone in found.breaks:
            self._waiting.append(_Gap(number, offset + place * WORD_BYTES, gone))
        return True

    def _missing_before(self, first: int) -> int:
        """Return how many words are missing before a frame's first one: one step back is a round.

        At least those that were lost and counted, and as many rounds as were lost or dropped.
        """
        if self.expected is None:
            return 0
        least = self._lost_exactly
        missing = least + (first - self.expected - least) % _ROUND
        rounds = max(self._lost + self._dropped - missing, 0) // _ROUND
        return missing + rounds * _ROUND

    def _is_odd(self, found: Look) -> bool:
        """Tell of a frame that has too many gaps for the counter, with what is known to be gone."""
        gone = sum(missing for _, missing in found.breaks)
        return len(found.breaks) > _MANY_BREAKS and gone > self._dropped

    def settle(self) -> None:
        """Explain gaps by what is known to have been dropped until now."""
        for gap in self._waiting:
            dropped = min(gap.missing - gap.lost, self._dropped)
            self._dropped -= dropped
            self.gaps.append(
                Gap(
                    frame=gap.frame,
                    offset=gap.offset,
                    missing_words=gap.missing,
                    lost_words=gap.lost,
                    dropped_words=dropped,
                    unexplained_words=gap.missing - gap.lost - dropped,
                )
            )
        self._waiting.clear()
