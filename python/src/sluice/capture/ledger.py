# SPDX-License-Identifier: Apache-2.0
"""What was kept, what is missing, where and when."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sluice.io import Capture, Period


@dataclass(slots=True)
class Missing:
    """Frames, one after the other, that the engine wrote over before they were read."""

    first: int
    count: int
    nbytes: int  # of them; of full frames unless exact
    exact: bool  # the hardware counted them
    dropped_beats: int  # in front of the engine, meanwhile, as far as records tell
    time_ns: int  # when the last of them ended, or when it was seen that they are missing
    offset: int  # bytes in the sink before them
    kept: int  # the same, without what pads short frames


@dataclass(frozen=True, slots=True)
class Dropped:
    """Beats that were dropped in front of the engine."""

    frame: int  # until whose end they were counted
    beats: int
    nbytes: int
    time_ns: int
    offset: int  # of that frame's first byte; of a lost one, where it would be


@dataclass(frozen=True, slots=True)
class Odd:
    """A frame that was kept, and is not like others."""

    frame: int
    nbytes: int
    offset: int


@dataclass(slots=True)
class Ledger:
    """The account of a capture."""

    period_bytes: int
    beat_bytes: int  # of the stream; 0: not known
    padded: bool = False  # the sink makes short frames as long as a period
    frames: int = 0
    nbytes: int = 0
    stored: int = 0  # the same, with what pads short frames
    first_ns: int | None = None  # ends of the first and the last kept frame whose time is known
    last_ns: int = 0
    first_bytes: int = 0  # that had been kept at those ends
    last_bytes: int = 0
    missing: list[Missing] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    short: list[Odd] = field(default_factory=list)  # than a period
    merged: list[Odd] = field(default_factory=list)  # counted with the next
    unknown: list[Odd] = field(default_factory=list)  # whose record was no longer kept

    @property
    def seconds(self) -> float:
        """Return the time from the end of the first frame to that of the last."""
        return 0.0 if self.first_ns is None else (self.last_ns - self.first_ns) / 1e9

    @property
    def mb_s(self) -> float | None:
        """Return the rate of what was kept in that time; None: there is none."""
        seconds = self.seconds
        return (self.last_bytes - self.first_bytes) / seconds / 1e6 if seconds > 0 else None

    @property
    def entries(self) -> int:
        """Return how many things a description has to list."""
        odd = len(self.short) + len(self.merged) + len(self.unknown)
        return len(self.missing) + len(self.dropped) + odd

    @property
    def complete(self) -> bool:
        """Tell whether the hardware's own counts of every frame were there, lost ones too."""
        return not self.unknown and all(run.exact for run in self.missing)

    @property
    def lost_frames(self) -> int:
        """Return how many frames are missing."""
        return sum(run.count for run in self.missing)

    @property
    def lost_bytes(self) -> int:
        """Return how many bytes those had."""
        return sum(run.nbytes for run in self.missing)

    @property
    def dropped_beats(self) -> int:
        """Return how many beats were dropped in front of the engine."""
        return sum(drop.beats for drop in self.dropped)

    @property
    def dropped_bytes(self) -> int:
        """Return how many bytes those had."""
        return sum(drop.nbytes for drop in self.dropped)

    def lose(self, capture: Capture, first: int, count: int, now_ns: int) -> Missing:
        """Enter frames that are missing; return them as they were counted."""
        numbers = range(first, first + count)
        found = [capture.counts(number) for number in numbers]
        known = [counts for counts in found if counts is not None and not counts.merged]
        whole = len(known) == count and all(counts.exact for counts in known)
        lost = Missing(
            first=first,
            count=count,
            nbytes=sum(counts.nbytes for counts in known) if whole else count * self.period_bytes,
            exact=whole,
            dropped_beats=sum(counts.drops for counts in found if counts is not None),
            time_ns=known[-1].time_ns if known else now_ns,
            offset=self.stored,
            kept=self.nbytes,
        )
        for number, counts in zip(numbers, found, strict=True):
            if counts is not None and counts.drops:
                self._drop(number, counts.drops, counts.time_ns)
        before = self.missing[-1] if self.missing else None
        if before and before.offset == lost.offset and before.first + before.count == first:
            self.missing[-1] = _joined(before, lost)
        else:
            self.missing.append(lost)
        return lost

    def keep(self, period: Period) -> None:
        """Enter a frame that was kept."""
        nbytes = period.data.nbytes
        if period.drops:
            self._drop(period.number, period.drops, period.time_ns)
        odd = Odd(period.number, nbytes, self.stored)
        if not period.known:
            self.unknown.append(odd)
        elif period.merged:
            self.merged.append(odd)
        elif nbytes != self.period_bytes:
            self.short.append(odd)
        self.frames += 1
        self.nbytes += nbytes
        if period.time_ns:  # else its record was no longer kept
            if self.first_ns is None:
                self.first_ns, self.first_bytes = period.time_ns, self.nbytes
            self.last_ns, self.last_bytes = period.time_ns, self.nbytes
        self.stored += self.period_bytes if self.padded else nbytes

    def _drop(self, frame: int, beats: int, time_ns: int) -> None:
        self.dropped.append(
            Dropped(frame, beats, beats * self.beat_bytes, time_ns, self.stored),
        )


def _joined(before: Missing, after: Missing) -> Missing:
    return Missing(
        first=before.first,
        count=before.count + after.count,
        nbytes=before.nbytes + after.nbytes,
        exact=before.exact and after.exact,
        dropped_beats=before.dropped_beats + after.dropped_beats,
        time_ns=after.time_ns,
        offset=before.offset,
        kept=before.kept,
    )
