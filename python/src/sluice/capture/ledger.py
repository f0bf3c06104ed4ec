# SPDX-License-Identifier: Apache-2.0
"""What was kept, what is missing, where and when: each as the result has it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sluice.capture.result import DroppedBeats, LostFrames, OddFrame

if TYPE_CHECKING:
    from sluice.io import Capture, Counts, Period


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
    lost_frames: int = 0
    lost_bytes: int = 0
    dropped_beats: int = 0
    dropped_bytes: int = 0
    complete: bool = True  # the hardware's own counts of every frame were there, lost ones too
    lost: list[LostFrames] = field(default_factory=list)
    dropped: list[DroppedBeats] = field(default_factory=list)
    short: list[OddFrame] = field(default_factory=list)  # than a period
    merged: list[OddFrame] = field(default_factory=list)  # counted with the next
    unknown: list[OddFrame] = field(default_factory=list)  # whose record was no longer kept

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
        return len(self.lost) + len(self.dropped) + odd

    def lose(self, capture: Capture, first: int, count: int, now_ns: int) -> LostFrames:
        """Enter frames that are missing; return them as they were counted."""
        found = _records(capture, first, count)
        known = [counts for _, counts in found if not counts.merged]
        exact = len(known) == count and all(counts.exact for counts in known)
        nbytes = sum(counts.nbytes for counts in known) if exact else count * self.period_bytes
        beats = 0
        for number, counts in found:
            if counts.drops:
                self._drop(number, counts.drops, counts.time_ns)
                beats += counts.drops
        self.lost_frames += count
        self.lost_bytes += nbytes
        self.complete = self.complete and exact
        run = LostFrames(
            first=first,
            count=count,
            bytes=nbytes,
            exact=exact,
            dropped_beats=beats,
            time_ns=known[-1].time_ns if known else now_ns,
            offset=self.stored,
            stream_bytes=self.nbytes + self.lost_bytes + self.dropped_bytes,
        )
        before = self.lost[-1] if self.lost else None
        if before and before.offset == run.offset and before.first + before.count == first:
            self.lost[-1] = _joined(before, run)
        else:
            self.lost.append(run)
        return run

    def keep(self, period: Period) -> None:
        """Enter a frame that was kept."""
        nbytes = period.data.nbytes
        if period.drops:
            self._drop(period.number, period.drops, period.time_ns)
        if not period.known:
            self.complete = False
            self.unknown.append(self._odd(period))
        elif period.merged:
            self.merged.append(self._odd(period))
        elif nbytes != self.period_bytes:
            self.short.append(self._odd(period))
        self.frames += 1
        self.nbytes += nbytes
        if period.time_ns:  # else its record was no longer kept
            if self.first_ns is None:
                self.first_ns, self.first_bytes = period.time_ns, self.nbytes
            self.last_ns, self.last_bytes = period.time_ns, self.nbytes
        self.stored += self.period_bytes if self.padded else nbytes

    def _odd(self, period: Period) -> OddFrame:
        return OddFrame(frame=period.number, bytes=period.data.nbytes, offset=self.stored)

    def _drop(self, frame: int, beats: int, time_ns: int) -> None:
        nbytes = beats * self.beat_bytes
        self.dropped_beats += beats
        self.dropped_bytes += nbytes
        self.dropped.append(
            DroppedBeats(
                frame=frame, beats=beats, bytes=nbytes, time_ns=time_ns, offset=self.stored
            )
        )


def _records(capture: Capture, first: int, count: int) -> list[tuple[int, Counts]]:
    """Return numbers and counts of frames, as far back as drivers keep them.

    There may be millions behind those, and meanwhile the engine goes on.
    """
    found = []
    for number in range(first + count - 1, first - 1, -1):
        counts = capture.counts(number)
        if counts is None:
            break
        found.append((number, counts))
    found.reverse()
    return found


def _joined(before: LostFrames, after: LostFrames) -> LostFrames:
    return LostFrames(
        first=before.first,
        count=before.count + after.count,
        bytes=before.bytes + after.bytes,
        exact=before.exact and after.exact,
        dropped_beats=before.dropped_beats + after.dropped_beats,
        time_ns=after.time_ns,
        offset=before.offset,
        stream_bytes=after.stream_bytes,
    )
