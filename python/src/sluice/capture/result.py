# SPDX-License-Identifier: Apache-2.0
"""What a capture has brought, as JSON."""

from typing import Annotated, Literal

from pydantic import Field

from sluice.capture.view.picture import Format
from sluice.models import Record

Count = Annotated[int, Field(ge=0)]
Method = Literal["auto", "mmap", "copy", "read", "uncached"]


class LostFrames(Record):
    """Frames, one after the other, that the engine wrote over before they were read."""

    first: Count = Field(description="Number of the first lost frame in the stream, from 0.")
    count: Annotated[int, Field(ge=1)] = Field(description="Number of frames.")
    bytes: Count = Field(description="Bytes of the lost frames; those of full frames unless exact.")
    exact: bool = Field(description="True if the hardware counted the bytes.")
    dropped_beats: Count = Field(
        description="Beats dropped before the engine until the lost frames ended, as far as "
        "known; also in `drops`."
    )
    time_ns: Count = Field(
        description="Time at which the last lost frame ended, by the board's clock. If that is "
        "not known, the time at which the loss was noticed."
    )
    offset: Count = Field(description="Bytes in the sink before the lost frames.")
    stream_bytes: Count = Field(
        description="Bytes of the stream until the end of the lost frames, whether kept, lost or "
        "dropped."
    )


class DroppedBeats(Record):
    """Beats that were dropped in front of the engine."""

    frame: Count = Field(description="Number of the frame at whose end the drops were counted.")
    beats: Annotated[int, Field(ge=1)] = Field(description="Number of beats.")
    bytes: Count = Field(
        description="Bytes of the dropped beats; 0 if the stream's width is not known."
    )
    time_ns: Count = Field(description="Time at which that frame ended, by the board's clock.")
    offset: Count = Field(
        description="Bytes in the sink before that frame. The gap in the data is here, or later "
        "by as much as FIFO and engine hold."
    )


class OddFrame(Record):
    """A frame that was kept, and is not like others."""

    frame: Count = Field(description="Number of the frame.")
    bytes: Count = Field(description="Bytes of the frame that were kept.")
    offset: Count = Field(description="Bytes in the sink before the frame.")


class Gap(Record):
    """A place where words of the counter source are missing."""

    frame: Count = Field(description="Number of the frame with the first word after the gap.")
    offset: Count = Field(description="Bytes in the sink before that word.")
    missing_words: Count = Field(description="Number of missing words of 32 bits.")
    lost_words: Count = Field(description="Missing words that lost frames explain.")
    dropped_words: Count = Field(description="Missing words that dropped beats explain.")
    unexplained_words: Count = Field(description="Missing words without a reason.")


class CounterCheck(Record):
    """What --check counter has found."""

    words: Count = Field(description="Number of checked words.")
    gaps: tuple[Gap, ...] = Field(description="Every gap, a place where words are missing.")
    unexplained_words: Count = Field(description="Sum over all gaps.")
    other_frames: tuple[int, ...] = Field(
        description="Numbers of frames with words that do not count up, or that are cut off."
    )
    passed: bool = Field(description="True if every word is there, or its absence is explained.")


class Reader(Record):
    """How the program kept up with the ring."""

    headroom: float = Field(
        ge=0,
        le=1,
        description="Smallest free share of the ring; 0 if frames were lost.",
    )
    overtaken_frames: Count = Field(
        description="Number of lost frames that the engine overwrote while the sink read them in "
        "the ring."
    )
    sink_s: float = Field(ge=0, description="Time spent in the sink, by the board's clock.")
    check_s: float = Field(ge=0, description="Time spent in --check, by the board's clock.")
    slow: Literal["sink", "check"] | None = Field(
        description="What took half of the program's time or more, if frames were lost. Null if "
        "nothing did, or if no frame was lost."
    )


class SinkRecord(Record):
    """Files with the frames."""

    name: str = Field(description="File, folder or stream.")
    description: str | None = Field(description="File that describes the data; null for a stream.")
    format: Literal["raw", "npy"] = Field(description="Format of the data.")
    datatype: str = Field(description="SigMF type of a sample.")
    bytes: Count = Field(
        description="Bytes of the frames in the file. With --format npy, a short frame is as "
        "long as others."
    )
    direct: bool = Field(description="True if all data went past the page cache (O_DIRECT).")
    direct_bytes: Count = Field(description="Bytes that went past the page cache.")
    torn_bytes: Count = Field(
        description="Bytes of one more frame that a stream has received in part."
    )


class PictureRecord(Record):
    """What a frame is as a picture."""

    format: Format = Field(description="Format of the pixels.")
    width: Count = Field(description="Pixels of a line.")
    height: Count = Field(description="Lines.")
    beat_bytes: Count = Field(
        description="Bytes of a beat of the design's test picture, whose bars have that width; "
        "0: not the test picture."
    )


class ViewRecord(Record):
    """What --view has shown."""

    name: str = Field(description="The terminal, the page's address, or the folder.")
    shown: Count = Field(description="Number of shown frames.")
    not_shown: Count = Field(
        description="Number of frames that were kept but not shown, because they arrived too soon."
    )
    test_picture: bool = Field(
        description="True if the frames are the design's test picture, so that every torn frame "
        "is found. Otherwise only short frames are found."
    )
    torn_frames: tuple[int, ...] = Field(
        description="Numbers of frames with missing bytes, or that differ from the test picture. "
        "Two lines of each frame are compared, and every line of a shown frame."
    )
    missing_pictures: Count = Field(
        description="Test pictures that are in no frame, by the numbers on the other frames."
    )


class CaptureResult(Record):
    """A stream that was recorded."""

    format: Literal[1] = Field(default=1, description="Version of this object.")
    kind: Literal["capture"] = Field(default="capture", description="Kind of the result.")
    uri: str = Field(description="URI of the board, as given.")
    board: str = Field(description="Its name.")
    design: str = Field(description="Its design; empty if a device does not report it.")
    channel: str = Field(description="The channel.")
    start_ns: Count = Field(description="Start of the capture, by the board's clock.")
    method: Method = Field(
        description="How the sink gets frames: mmap (from the ring), copy, auto, uncached or "
        "read (a copy by the driver). auto copies while two fifths of the ring or more are "
        "unread. uncached is like auto or copy, with a ring in the driver's coherent memory."
    )
    copied_frames: Count = Field(description="Number of frames that were copied from the ring.")
    policy: Literal["overwrite", "hold"] = Field(
        description="What happens when the ring is full: the engine overwrites it, or the stream "
        "is blocked."
    )
    period_bytes: Annotated[int, Field(ge=1)] = Field(
        description="Largest number of bytes of a frame."
    )
    periods: Annotated[int, Field(ge=1)] = Field(description="Number of periods in the ring.")
    source_mb_s: float | None = Field(
        description="Rate to which --rate, or its default, set the board's counter source. Null if "
        "the command did not set it, or --set changed the source."
    )
    frames: Count = Field(description="Number of kept frames.")
    bytes: Count = Field(description="Bytes of these frames.")
    clock: Literal["simulated", "host"] = Field(description="The board's clock.")
    seconds: float = Field(
        ge=0,
        description="Time from the end of the first frame to that of the last, by the board's "
        "clock, among frames with a known time.",
    )
    mb_s: float | None = Field(
        description="Bytes kept in that time / seconds; null where that is 0."
    )
    counts: bool = Field(description="True if the hardware itself counts bytes and drops.")
    exact: bool = Field(
        description="True if the counts of every frame were available, also of lost ones. "
        "Otherwise the bytes of some are estimates, and drops may be missing."
    )
    lost_frames: Count = Field(description="Sum over losses.")
    lost_bytes: Count = Field(description="Sum over losses.")
    losses: tuple[LostFrames, ...] = Field(description="Every run of lost frames.")
    dropped_beats: Count = Field(description="Sum over drops.")
    dropped_bytes: Count = Field(description="Sum over drops.")
    drops: tuple[DroppedBeats, ...] = Field(description="Every count of dropped beats.")
    short_frames: tuple[OddFrame, ...] = Field(
        description="Frames that a packet's end made shorter than a period."
    )
    merged_frames: tuple[OddFrame, ...] = Field(
        description="Frames whose bytes and drops were counted with the next frame."
    )
    unknown_frames: tuple[OddFrame, ...] = Field(
        description="Frames whose counts had been overwritten. The number of their valid bytes, "
        "and the drops before their end, are not known."
    )
    unread_frames: Count = Field(
        description="Number of frames that had ended and were still in the ring at the end."
    )
    overwritten_frames: Count = Field(
        description="Number of frames that ended after the last one taken, and were overwritten "
        "before the end."
    )
    reader: Reader = Field(description="How well the program kept up.")
    sink: SinkRecord = Field(description="Files with the frames.")
    check: CounterCheck | None = Field(description="null without --check.")
    picture: PictureRecord | None = Field(
        default=None, description="Picture format of a frame; null if not known."
    )
    view: ViewRecord | None = Field(default=None, description="null without --view.")
    partial: bool = Field(description="False if the capture ended with --frames, else true.")
    ended_by: Literal["frames", "signal", "full", "closed", "failed", "stopped"] = Field(
        description="Reason of the end: frames (as requested), signal (such as Ctrl-C), full, "
        "closed or failed (the sink), or stopped (the capture)."
    )
