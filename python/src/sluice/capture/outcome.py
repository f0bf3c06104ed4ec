# SPDX-License-Identifier: Apache-2.0
"""From the account of a capture to its result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sluice.capture.recorder import ALWAYS, NEVER
from sluice.capture.result import (
    CaptureResult,
    CounterCheck,
    PictureRecord,
    Reader,
    SinkRecord,
    ViewRecord,
)
from sluice.opening import shown

if TYPE_CHECKING:
    from sluice.capture.check import Counter
    from sluice.capture.options import Options
    from sluice.capture.recorder import Ended, Recorder
    from sluice.capture.result import Method
    from sluice.capture.source import Source
    from sluice.capture.target import Target
    from sluice.capture.view.ask import Pictures
    from sluice.capture.view.feed import Feed
    from sluice.io import BoardInfo

_S = 1e9
_MUCH = 0.5  # of the time of a reader that is slow because of one thing


def _method(options: Options, recorder: Recorder) -> Method:
    if options.method in {"read", "uncached"}:
        return options.method
    if recorder.copy_below == ALWAYS:
        return "copy"
    return "mmap" if recorder.copy_below == NEVER else "auto"


def result_of(  # noqa: PLR0913 - what there is to say
    options: Options,
    target: Target,
    info: BoardInfo,
    source: Source | None,
    recorder: Recorder,
    *,
    pictures: Pictures | None,
    ended: Ended,
    exact: bool,
    produced: int,
) -> CaptureResult:
    """Return the result.

    `exact`: the hardware counts. `produced`: frames that have ended.
    """
    ledger = recorder.ledger
    unread = max(produced - recorder.next_number, 0)
    return CaptureResult(
        uri=options.uri,
        board=info.board,
        design=info.design,
        channel=options.channel,
        start_ns=recorder.start_ns,
        method=_method(options, recorder),
        copied_frames=recorder.copied,
        policy=options.policy,
        period_bytes=options.period_bytes,
        periods=options.periods,
        source_mb_s=source.rate_mb_s if source is not None else None,
        frames=ledger.frames,
        bytes=ledger.nbytes,
        clock="simulated" if info.simulated_time else "host",
        seconds=ledger.seconds,
        mb_s=ledger.mb_s,
        counts=exact,
        exact=exact and ledger.complete,
        lost_frames=ledger.lost_frames,
        lost_bytes=ledger.lost_bytes,
        losses=tuple(ledger.lost),
        dropped_beats=ledger.dropped_beats,
        dropped_bytes=ledger.dropped_bytes,
        drops=tuple(ledger.dropped),
        short_frames=tuple(ledger.short),
        merged_frames=tuple(ledger.merged),
        unknown_frames=tuple(ledger.unknown),
        unread_frames=min(unread, options.periods),
        overwritten_frames=max(unread - options.periods, 0),
        reader=_reader(recorder),
        sink=_sink(options, target, recorder),
        check=None if recorder.counter is None else _check(recorder.counter),
        picture=None if pictures is None else _picture(pictures),
        view=None if recorder.view is None else _view(recorder.view),
        partial=ended != "frames",
        ended_by=ended,
    )


def _picture(pictures: Pictures) -> PictureRecord:
    picture, pattern = pictures.picture, pictures.pattern
    return PictureRecord(
        format=picture.format,
        width=picture.width,
        height=picture.height,
        beat_bytes=0 if pattern is None else pattern.beat_bytes,
    )


def _view(feed: Feed) -> ViewRecord:
    tally = feed.scene.tally
    return ViewRecord(
        name=shown(feed.viewer.name),
        shown=feed.shown,
        not_shown=tally.frames - feed.shown,
        test_picture=tally.pattern is not None,
        torn_frames=tally.torn_numbers(),
        missing_pictures=tally.missing,
    )


def _reader(recorder: Recorder) -> Reader:
    sink_ns, check_ns = recorder.sink_ns, recorder.check_ns
    slow: Literal["sink", "check"] | None = "sink" if sink_ns >= check_ns else "check"
    if not recorder.ledger.lost or max(sink_ns, check_ns) < recorder.elapsed_ns * _MUCH:
        slow = None
    return Reader(
        headroom=recorder.headroom,
        overtaken_frames=recorder.overtaken,
        sink_s=sink_ns / _S,
        check_s=check_ns / _S,
        slow=slow,
    )


def _sink(options: Options, target: Target, recorder: Recorder) -> SinkRecord:
    sink = recorder.sink
    return SinkRecord(
        name=shown(sink.name),
        description=None if target.description is None else shown(str(target.description)),
        format=options.format,
        datatype=options.datatype.name,
        bytes=recorder.ledger.stored,
        direct=0 < recorder.ledger.stored <= sink.direct_bytes,
        direct_bytes=sink.direct_bytes,
        torn_bytes=sink.torn_bytes,
    )


def _check(counter: Counter) -> CounterCheck:
    return CounterCheck(
        words=counter.words,
        gaps=tuple(counter.gaps),
        unexplained_words=counter.unexplained,
        other_frames=tuple(counter.others),
        passed=counter.passed,
    )
