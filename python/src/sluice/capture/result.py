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

    first: Count = Field(description="Number of the first in the stream, from 0.")
    count: Annotated[int, Field(ge=1)] = Field(description="How many.")
    bytes: Count = Field(description="Bytes that they had; of full frames unless exact.")
    exact: bool = Field(description="True if the hardware counted the bytes.")
    dropped_beats: Count = Field(
        description="Beats dropped in front of the engine before they ended, as far as known; "
        "also in `drops`."
    )
    time_ns: Count = Field(
        description="When the last of them ended, by the board's clock; if that is not known, when "
        "the loss was seen."
    )
    offset: Count = Field(description="Bytes in the sink before them.")
    stream_bytes: Count = Field(
        description="Bytes of the whole stream until their end: kept, lost and dropped."
    )


class DroppedBeats(Record):
    """Beats that were dropped in front of the engine."""

    frame: Count = Field(description="Number of the frame until whose end they were counted.")
    beats: Annotated[int, Field(ge=1)] = Field(description="How many.")
    bytes: Count = Field(description="Bytes that they had; 0 if the stream's width is not known.")
    time_ns: Count = Field(description="When that frame ended, by the board's clock.")
    offset: Count = Field(
        description="Bytes in the sink before that frame. The gap in the data comes "
        "here, or as much later as FIFO and engine hold."
    )


class OddFrame(Record):
    """A frame that was kept, and is not like others."""

    frame: Count = Field(description="Number of the frame.")
    bytes: Count = Field(description="Bytes of it that were kept.")
    offset: Count = Field(description="Bytes in the sink before it.")


class Gap(Record):
    """A place where words of the counter source are missing."""

    frame: Count = Field(description="Number of the frame with the word behind the gap.")
    offset: Count = Field(description="Bytes in the sink before that word.")
    missing_words: Count = Field(description="Words of 32 bits that are missing.")
    lost_words: Count = Field(description="Those that lost frames explain.")
    dropped_words: Count = Field(description="Those that dropped beats explain.")
    unexplained_words: Count = Field(description="Those that nothing explains.")


class CounterCheck(Record):
    """What --check counter has found."""

    words: Count = Field(description="Words that were looked at.")
    gaps: tuple[Gap, ...] = Field(description="Every place where words are missing.")
    unexplained_words: Count = Field(description="Sum over the gaps.")
    other_frames: tuple[int, ...] = Field(
        description="Numbers of frames whose words do not go on counting, or are cut off."
    )
    passed: bool = Field(description="True if every word is there, or its absence is explained.")


class Reader(Record):
    """How the program kept up with the ring."""

    headroom: float = Field(
        ge=0,
        le=1,
        description="Share of the ring that was free at the worst moment; 0 if frames were lost.",
    )
    overtaken_frames: Count = Field(
        description="Number of lost frames that the engine overwrote while the sink read them in "
        "the ring."
    )
    sink_s: float = Field(ge=0, description="Time in the sink, by the board's clock.")
    check_s: float = Field(ge=0, description="Time in --check, by the board's clock.")
    slow: Literal["sink", "check"] | None = Field(
        description="What took half of the program's time or more, if frames were lost. Null if "
        "nothing did, or if no frame was lost."
    )


class SinkRecord(Record):
    """Where the frames are."""

    name: str = Field(description="File, folder or stream.")
    description: str | None = Field(description="File that describes it; null for a stream.")
    format: Literal["raw", "npy"] = Field(description="Of the data.")
    datatype: str = Field(description="Of a sample, in SigMF's words.")
    bytes: Count = Field(
        description="Bytes of the frames there: with --format npy a short one is as long as others."
    )
    direct: bool = Field(description="True if all went past the page cache (O_DIRECT).")
    direct_bytes: Count = Field(description="Bytes that went past the page cache.")
    torn_bytes: Count = Field(
        description="Bytes of one frame more that a stream has got; the rest of it is missing."
    )


class PictureRecord(Record):
    """What a frame is as a picture."""

    format: Format = Field(description="How its pixels are coded.")
    width: Count = Field(description="Pixels of a line.")
    height: Count = Field(description="Lines.")
    beat_bytes: Count = Field(
        description="Bytes of a beat of the design's test picture, whose bars have that width; "
        "0: not the test picture."
    )


class ViewRecord(Record):
    """What --view has shown."""

    name: str = Field(description="The terminal, the page's address, or the folder.")
    shown: Count = Field(description="Frames that were shown.")
    not_shown: Count = Field(description="Frames that were kept, and came too soon to be shown.")
    test_picture: bool = Field(
        description="True if the frames are the design's test picture, so that all that is torn is "
        "known; else frames that are too short are."
    )
    torn_frames: tuple[int, ...] = Field(
        description="Numbers of frames with missing bytes, or that differ from the test picture. "
        "Two lines of each frame are compared, and every line of a shown frame."
    )
    missing_pictures: Count = Field(
        description="Test pictures that came in no frame, by the numbers on the frames that did."
    )


class CaptureResult(Record):
    """A stream that was recorded."""

    format: Literal[1] = Field(default=1, description="Version of this object.")
    kind: Literal["capture"] = Field(default="capture", description="Kind of the result.")
    uri: str = Field(description="The board, as it was named.")
    board: str = Field(description="Its name.")
    design: str = Field(description="Its design; empty if a device does not say.")
    channel: str = Field(description="The channel.")
    start_ns: Count = Field(description="The board's clock when the capture started.")
    method: Method = Field(
        description="How the sink gets frames: mmap (from the ring), copy, auto, uncached or "
        "read (a copy by the driver). auto copies while two fifths of the ring or more are "
        "unread. uncached is like auto or copy, with a ring in the driver's coherent memory."
    )
    copied_frames: Count = Field(description="Frames that were copied out of the ring.")
    policy: Literal["overwrite", "hold"] = Field(
        description="What happens when the ring is full: the engine overwrites it, or the stream "
        "is blocked."
    )
    period_bytes: Annotated[int, Field(ge=1)] = Field(description="Of a frame, at most.")
    periods: Annotated[int, Field(ge=1)] = Field(description="Of the ring.")
    source_mb_s: float | None = Field(
        description="Rate to which the board's counter source was set; null if it was not, or by "
        "--set otherwise."
    )
    frames: Count = Field(description="That were kept.")
    bytes: Count = Field(description="Of these frames.")
    clock: Literal["simulated", "host"] = Field(description="The board's clock.")
    seconds: float = Field(
        ge=0,
        description="From the end of the first frame to that of the last, by that clock, of frames "
        "whose time is known.",
    )
    mb_s: float | None = Field(
        description="Bytes kept in that time / seconds; null where that is 0."
    )
    counts: bool = Field(description="True if the hardware itself counts bytes and drops.")
    exact: bool = Field(
        description="True if its counts of every frame were there, of lost ones too. Else bytes "
        "of some are estimates, and drops may be missing."
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
        description="Frames whose counts were no longer kept: how many of their bytes are valid, "
        "and what was dropped before their end, is not known."
    )
    unread_frames: Count = Field(
        description="Frames that had ended, and were still in the ring when it was over."
    )
    overwritten_frames: Count = Field(
        description="Number of frames that ended after the last one taken, and were overwritten "
        "before the end."
    )
    reader: Reader = Field(description="How the program kept up.")
    sink: SinkRecord = Field(description="Where the frames are.")
    check: CounterCheck | None = Field(description="null without --check.")
    picture: PictureRecord | None = Field(
        default=None, description="Picture format of a frame; null if not known."
    )
    view: ViewRecord | None = Field(default=None, description="null without --view.")
    partial: bool = Field(description="True unless it ended with --frames.")
    ended_by: Literal["frames", "signal", "full", "closed", "failed", "stopped"] = Field(
        description="frames: as asked. signal: Ctrl-C and the like. full, closed, failed: the "
        "sink. stopped: the capture."
    )
