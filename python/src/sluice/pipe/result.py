# SPDX-License-Identifier: Apache-2.0
"""What a pipe has moved, in what time."""

from typing import Annotated, Literal

from pydantic import Field

from sluice.models import Record


class Half(Record):
    """One end of a pipe."""

    name: str = Field(description="The end of the pipe, as given.")
    busy_s: float = Field(
        ge=0, description="Time with a transfer of this end in flight, by its own clock."
    )
    mb_s: float | None = Field(description="Bytes / busy time; null where that is 0.")


class PipeResult(Record):
    """Data from a source to a sink."""

    format: Literal[1] = Field(default=1, description="Version of this object.")
    kind: Literal["pipe"] = Field(default="pipe", description="Kind of the result.")
    bytes: Annotated[int, Field(ge=0)] = Field(description="That arrived.")
    chunk_bytes: Annotated[int, Field(ge=1)] = Field(description="Bytes of a chunk of the ring.")
    chunks: Annotated[int, Field(ge=1)] = Field(description="Number of chunks in the ring.")
    clock: Literal["simulated", "host"] = Field(
        description="Of seconds and mb_s: the board's simulated time, in which a file or a GPU "
        "takes none, or the host's."
    )
    seconds: float = Field(
        ge=0,
        description="Time from the start of the first transfer to the end of the last. By the "
        "host's clock, it starts when both ends are open.",
    )
    mb_s: float | None = Field(description="Bytes / seconds; null where that is 0.")
    source: Half = Field(description="Source of the data.")
    sink: Half = Field(description="Where they went.")
    sha256: str | None = Field(description="Digest of the data; null without --verify.")
    verified: bool | None = Field(
        description="True if the sink holds the data of the source; null without --verify."
    )
    partial: bool = Field(description="True if the pipe was stopped before its end.")


def rate(nbytes: int, seconds: float) -> float | None:
    """Return MB/s."""
    return nbytes / seconds / 1e6 if seconds > 0 else None
