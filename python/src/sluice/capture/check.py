# SPDX-License-Identifier: Apache-2.0
"""Whether the counter source's words are all there, and what explains those that are not.

The source's words have 32 bits and count up by 1, round to 0 again. A word that is too high is a
gap. It is explained as far as frames were lost just before it, or beats were dropped in front of
the engine before, whose gaps come up to the depth of FIFO and engine behind the count.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from sluice.capture.source import WORD_BYTES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sluice.capture.ledger import Missing
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


@dataclass(slots=True)
class Gap:
    """Words that are missing at one place."""

    frame: int  # that has the word behind the gap
    offset: int  # of that word in what was kept, in bytes
    missing: int  # words
    lost: int = 0  # of those: explained by frames that were lost
    dropped: int = 0  # by beats that were dropped in front of the engine

    @property
    def unexplained(self) -> int:
        """Return how many of the words nothing explains."""
        return self.missing - self.lost - self.dropped


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
    _waiting: list[Gap] = field(default_factory=list)  # for the next frame's drops

    @property
    def unexplained(self) -> int:
        """Return how many words are missing without a reason."""
        return sum(gap.unexplained for gap in self.gaps)

    @property
    def entries(self) -> int:
        """Return how many things a description has to list."""
        return len(self.gaps) + len(self._waiting) + len(self.others)

    @property
    def passed(self) -> bool:
        """Tell whether every word is there or accounted for."""
        return not self.others and not self.unexplained and self.words > 0

    def lose(self, missing: Missing) -> None:
        """Take in that frames are missing here."""
        self._lost += missing.nbytes // WORD_BYTES
        self._lost_exactly += missing.nbytes // WORD_BYTES if missing.exact else 0
        self._dropped += missing.dropped_beats * self.beat_words

    def keep(self, period: Period, found: Look, offset: int) -> None:
        """Take in what a frame had that was kept at an offset."""
        self._dropped += period.drops * self.beat_words
        self.words += found.words
        if found.words:
            self._follow(period.number, found, offset)
        if found.rest:
            self.others.append(period.number)
        if not period.merged:
            self.settle()

    def _follow(self, number: int, found: Look, offset: int) -> None:
        step = 0 if self.expected is None else (found.first - self.expected) % _ROUND
        lost, least = self._lost, self._lost_exactly if self.expected is not None else 0
        self._lost = self._lost_exactly = 0
        if found.other or step >= _ROUND // 2 or step < least or self._is_odd(found):
            self.others.append(number)
            self._dropped = 0  # its words may be missing here: they explain nothing behind it
        else:
            if step:
                self._waiting.append(Gap(number, offset, step, lost=min(lost, step)))
            for place, missing in found.breaks:
                self._waiting.append(Gap(number, offset + place * WORD_BYTES, missing))
        self.expected = (found.last + 1) % _ROUND

    def _is_odd(self, found: Look) -> bool:
        """Tell of a frame that has too many gaps for the counter, with what is known to be gone."""
        gone = sum(missing for _, missing in found.breaks)
        return len(found.breaks) > _MANY_BREAKS and gone > self._dropped

    def settle(self) -> None:
        """Explain gaps by what is known to have been dropped until now."""
        for gap in self._waiting:
            gap.dropped = min(gap.missing - gap.lost, self._dropped)
            self._dropped -= gap.dropped
            self.gaps.append(gap)
        self._waiting.clear()
