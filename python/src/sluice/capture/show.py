# SPDX-License-Identifier: Apache-2.0
"""What is said in words: while it runs, and at the end."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from sluice.capture.sinks import NoSink
from sluice.closing import Closing
from sluice.units import format_bytes, format_count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sluice.capture.recorder import Recorder
    from sluice.capture.result import (
        CaptureResult,
        CounterCheck,
        DroppedBeats,
        LostFrames,
        ViewRecord,
    )

T = TypeVar("T")

_UPDATE_S = 0.1
_LINES = 20  # of losses and drops each


class Live(Closing):
    """A line on standard error, if that is a terminal: frames, rate, losses, headroom."""

    def __init__(self, name: str, wanted: int | None, *, quiet: bool = False) -> None:
        console = Console(stderr=True)
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            TextColumn("{task.fields[words]}"),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=quiet or not console.is_terminal,
        )
        self._task = self._progress.add_task(name, total=wanted, words="")
        self._next = 0.0
        self._progress.start()

    def update(self, recorder: Recorder) -> None:
        """Show where it is, as often as a person can read it."""
        if self._progress.disable or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + _UPDATE_S
        ledger = recorder.ledger
        words = (
            f"{format_count(ledger.frames, 'frame')}, {_rate(ledger.mb_s)}, "
            f"{ledger.lost_frames} lost, {format_count(ledger.dropped_beats, 'beat')} dropped, "
            f"headroom {recorder.now:.0%}"
        )
        self._progress.update(self._task, completed=ledger.frames, words=words)

    def close(self) -> None:
        """Take the line away."""
        self._progress.stop()


def closing(result: CaptureResult, console: Console) -> None:
    """Say what was recorded, and each thing that is missing."""

    def say(words: str) -> None:
        console.print(words, markup=False, soft_wrap=True)

    say(
        f"{kept(result)}{_into(result)}: "
        f"{_rate(result.mb_s)} of {'simulated' if result.clock == 'simulated' else 'this'} time; "
        f"{_missing(result)}, headroom {result.reader.headroom:.0%} of "
        f"{result.periods} periods of {format_bytes(result.period_bytes)}"
    )
    where = "--json" if result.sink.description is None else "the description"
    for words in _listed(result.losses, lambda loss: _lost(loss, result.start_ns), where):
        say(words)
    for words in _listed(result.drops, lambda drop: _dropped(drop, result.start_ns), where):
        say(words)
    if result.losses:
        say(f"  the reader was too slow for the source: {_slow(result)}")
    if result.view is not None:
        say(f"  {_viewed(result.view)}")
    for words in _not_known(result):
        say(f"  {words}")
    if result.check is not None:
        say(f"  {checked(result.check)}")
    if result.partial:
        say(f"  {_left(result)}")


def kept(result: CaptureResult) -> str:
    """Return how much was kept."""
    return f"{format_count(result.frames, 'frame')}, {format_count(result.bytes, 'byte')}"


def _not_known(result: CaptureResult) -> Iterator[str]:
    """Give what is not like other frames, and what is not known of them."""
    if result.short_frames:
        yield f"shorter than a period: {format_count(len(result.short_frames), 'frame')}"
    if result.merged_frames:
        count = format_count(len(result.merged_frames), "frame")
        yield f"counted with the frame behind: {count}"
    if result.unknown_frames:
        count = format_count(len(result.unknown_frames), "frame")
        yield (
            f"read after the counts had gone: {count}; how many of the bytes are valid, and what "
            "was dropped there, is not known"
        )
    if not result.counts and result.policy == "overwrite":
        yield "the hardware does not count, so losses are an estimate and drops are not known"
    uncounted = sum(loss.count for loss in result.losses if not loss.exact)
    if result.counts and uncounted:
        yield (
            f"lost, and not all counts were there: {format_count(uncounted, 'frame')}; the bytes "
            "are an estimate, and beats may have been dropped there that are not named"
        )


def _into(result: CaptureResult) -> str:
    alone = result.view is not None and result.sink.description is None
    return "" if alone and result.sink.name == NoSink.name else f" into {result.sink.name}"


def _viewed(view: ViewRecord) -> str:
    count = format_count(view.shown, "frame")
    words = [f"view, {view.name}: {count} shown, {view.not_shown} not"]
    if view.torn_frames:
        words.append(f"{len(view.torn_frames)} {'torn' if view.test_picture else 'short'}")
    if view.missing_pictures:
        words.append(f"{format_count(view.missing_pictures, 'picture')} in no frame")
    return ", ".join(words)


def _left(result: CaptureResult) -> str:
    count = format_count(result.unread_frames, "frame")
    words = [f"ended before it was complete; still in the ring: {count}"]
    if result.overwritten_frames:
        words.append(f"overwritten before them: {format_count(result.overwritten_frames, 'frame')}")
    if result.sink.torn_bytes:
        words.append(f"part of a frame went out last: {format_bytes(result.sink.torn_bytes)}")
    return ", ".join(words)


def _missing(result: CaptureResult) -> str:
    words = []
    if result.lost_frames:
        count, size = format_count(result.lost_frames, "frame"), result.lost_bytes
        words.append(f"{count} lost ({format_count(size, 'byte')})")
    if result.dropped_beats:
        count, size = format_count(result.dropped_beats, "beat"), result.dropped_bytes
        words.append(f"{count} dropped ({format_count(size, 'byte')})")
    return ", ".join(words) or "nothing lost"


def _listed(entries: tuple[T, ...], words_of: Callable[[T], str], where: str) -> list[str]:
    words = [f"  {words_of(entry)}" for entry in entries[:_LINES]]
    if len(entries) > _LINES:
        words.append(f"  and {len(entries) - _LINES} more, which {where} lists")
    return words


def _lost(loss: LostFrames, start_ns: int) -> str:
    numbers = f"{loss.first} to {loss.first + loss.count - 1}"
    which = f"frames {numbers}" if loss.count > 1 else f"frame {loss.first}"
    return (
        f"lost: {which}, {format_count(loss.bytes, 'byte')}, until {_time(loss.time_ns, start_ns)}"
    )


def _dropped(drop: DroppedBeats, start_ns: int) -> str:
    return (
        f"dropped: {format_count(drop.beats, 'beat')}, {format_count(drop.bytes, 'byte')}, until "
        f"frame {drop.frame} ended, {_time(drop.time_ns, start_ns)}"
    )


def _slow(result: CaptureResult) -> str:
    took = {"sink": result.reader.sink_s, "check": result.reader.check_s}
    over = result.reader.overtaken_frames
    if result.method == "mmap" and over:
        return (
            f"the engine overwrote {format_count(over, 'frame')} while the sink read; give more "
            "--periods, or --method copy"
        )
    if result.reader.slow is None:
        return "frames end faster than the program handles them; give larger periods, or more"
    rate = _rate(result.bytes / took[result.reader.slow] / 1e6)
    what = result.sink.name if result.reader.slow == "sink" else "the check"
    if what == NoSink.name:
        what = "what --sink-rate stands for"
    return f"{what} took {rate}"


def checked(check: CounterCheck) -> str:
    """Return what --check counter has found."""
    words = f"counter: {format_count(check.words, 'word')}"
    if check.passed:
        count = format_count(len(check.gaps), "gap")
        gaps = f"{count}, all explained" if check.gaps else "none missing"
        return f"{words}, {gaps}"
    if not check.words:
        return f"{words}, so nothing is known"
    wrong = [words]
    unexplained = [gap for gap in check.gaps if gap.unexplained_words]
    if unexplained:
        first, places = unexplained[0], format_count(len(unexplained), "place")
        wrong.append(
            f"{check.unexplained_words} missing without a reason in {places}, the first "
            f"{first.offset} bytes into the data (frame {first.frame})"
        )
    if check.other_frames:
        wrong.append(
            f"{format_count(len(check.other_frames), 'frame')} of other words, the first is "
            f"frame {check.other_frames[0]}"
        )
    return ", ".join(wrong)


def _rate(mb_s: float | None) -> str:
    return "-" if mb_s is None else f"{mb_s:.1f} MB/s"


def _time(nanoseconds: int, start_ns: int) -> str:
    return f"{(nanoseconds - start_ns) / 1e6:.3f} ms after the start"
