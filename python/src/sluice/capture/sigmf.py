# SPDX-License-Identifier: Apache-2.0
"""The description of a file, in the Signal Metadata Format: https://sigmf.org.

What SigMF has no field for is in the namespace `sluice`, which docs/reference/sluice-capture.md
describes.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import sluice
from sluice.capture.writer import ALIGNMENT

if TYPE_CHECKING:
    from sluice.capture.options import Options
    from sluice.capture.result import CaptureResult, DroppedBeats, Gap, LostFrames, OddFrame
    from sluice.capture.target import FileTarget

VERSION = "1.2.6"  # of SigMF
EXTENSION = {"name": "sluice", "version": "1.0.0", "optional": True}

Object = dict[str, Any]


def describe(
    result: CaptureResult, options: Options, target: FileTarget, start: datetime | None
) -> str:
    """Return the description of a file; `start` is when it began, unless time is simulated."""
    document = {
        "global": _global(result, options, target),
        "captures": _captures(result, options, start),
        "annotations": _annotations(result, options.datatype.nbytes),
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _global(result: CaptureResult, options: Options, target: FileTarget) -> Object:
    found: Object = {
        "core:datatype": options.datatype.name,
        "core:version": VERSION,
        "core:hw": f"{result.board} {result.design}".strip() + f", channel {result.channel}",
        "core:recorder": f"sluice {sluice.__version__}",
        "core:extensions": [EXTENSION],
    }
    if result.source_mb_s is not None:
        found["core:sample_rate"] = result.source_mb_s * 1e6 / options.datatype.nbytes
    if options.format == "npy":
        found["core:dataset"] = target.data.name
    for name in (
        "uri", "channel", "clock", "method", "policy", "period_bytes", "periods", "frames",
        "bytes", "lost_frames", "lost_bytes", "dropped_beats", "dropped_bytes", "counts",
        "exact", "partial", "ended_by",
    ):  # fmt: skip
        found[f"sluice:{name}"] = getattr(result, name)
    found["sluice:headroom"] = result.reader.headroom
    if result.picture is not None:
        found["sluice:picture"] = result.picture.model_dump()
    return found


def _captures(result: CaptureResult, options: Options, start: datetime | None) -> list[Object]:
    """Return a segment for each stretch without lost frames: where it is in the whole stream."""
    sample = options.datatype.nbytes
    first: Object = {"core:sample_start": 0, "core:global_index": 0}
    if start is not None:
        first["core:datetime"] = start.astimezone(UTC).isoformat(timespec="microseconds")[:-6] + "Z"
    if options.format == "npy":
        first["core:header_bytes"] = ALIGNMENT
    found = [first]
    for run in result.losses:
        place: Object = {
            "core:sample_start": run.offset // sample,
            "core:global_index": run.stream_bytes // sample,
        }
        if run.offset < result.sink.bytes or not run.offset:
            # Frames without a byte may be between two runs: a segment has at least a sample.
            if place["core:sample_start"] == found[-1]["core:sample_start"]:
                found[-1] |= place
            else:
                found.append(place)
    return found


def _annotations(result: CaptureResult, sample: int) -> list[Object]:
    found = [_lost(run, sample) for run in result.losses]
    found += [_dropped(drop, result, sample) for drop in result.drops]
    if result.check is not None:
        found += [_gap(gap, sample) for gap in result.check.gaps]
    for odds, label, sentence in (
        (result.short_frames, "short frame", "It has {} bytes."),
        (
            result.merged_frames,
            "merged frame",
            "How many of its bytes are valid was counted with the next.",
        ),
        (
            result.unknown_frames,
            "unknown frame",
            "Its counts were no longer kept: how many of its bytes are valid is not known.",
        ),
    ):
        found += [_odd(odd, label, sentence.format(odd.bytes), sample) for odd in odds]
    return sorted(found, key=lambda entry: int(entry["core:sample_start"]))


def _lost(run: LostFrames, sample: int) -> Object:
    last = run.first + run.count - 1
    which = f"Frame {run.first} is" if run.count == 1 else f"Frames {run.first} to {last} are"
    return {
        "core:sample_start": run.offset // sample,
        "core:sample_count": 0,
        "core:label": "lost frames",
        "core:comment": f"{which} missing before this sample: the engine overwrote them before "
        "they were read.",
        "sluice:frame": run.first,
        "sluice:count": run.count,
        "sluice:bytes": run.bytes,
        "sluice:exact": run.exact,
        "sluice:time_ns": run.time_ns,
    }


def _gap(gap: Gap, sample: int) -> Object:
    return {
        "core:sample_start": gap.offset // sample,
        "core:sample_count": 0,
        "core:label": "gap",
        "core:comment": f"{gap.missing_words} words of the counter are missing before this "
        f"sample: {gap.lost_words} with lost frames, {gap.dropped_words} with dropped beats, "
        f"{gap.unexplained_words} without a reason.",
        "sluice:frame": gap.frame,
    }


def _odd(odd: OddFrame, label: str, sentence: str, sample: int) -> Object:
    return {
        "core:sample_start": odd.offset // sample,
        "core:sample_count": odd.bytes // sample,
        "core:label": label,
        "core:comment": f"Frame {odd.frame}. {sentence}",
        "sluice:frame": odd.frame,
    }


def _dropped(drop: DroppedBeats, result: CaptureResult, sample: int) -> Object:
    return {
        "core:sample_start": drop.offset // sample,
        "core:sample_count": min(result.period_bytes, result.sink.bytes - drop.offset) // sample,
        "core:label": "dropped beats",
        "core:comment": f"{drop.beats} beats were dropped before the engine until frame "
        f"{drop.frame} ended; the gap is here, or as much later as FIFO and engine hold.",
        "sluice:frame": drop.frame,
        "sluice:count": drop.beats,
        "sluice:bytes": drop.bytes,
        "sluice:time_ns": drop.time_ns,
    }
