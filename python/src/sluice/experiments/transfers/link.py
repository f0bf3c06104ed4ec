# SPDX-License-Identifier: Apache-2.0
"""What every run of `sluice-bench transfers` says of the link: fields of results."""

from typing import Annotated, Literal

from pydantic import Field

from sluice.models import Record


def _share(text: str) -> object:
    return Field(ge=0, description=text)


UpShare = Annotated[
    float, _share("Share of the time in which the wire to the host was busy, overhead included.")
]
DownShare = Annotated[float, _share("The same for the wire to the card.")]
TagsShare = Annotated[float, _share("Share of the time in which a read waited for a tag.")]
CreditsShare = Annotated[
    float, _share("Share of the time in which a packet of the card waited for credits.")
]
CompletionShare = Annotated[
    float, _share("Share of the time in which reads were in flight and no completion arrived.")
]


class Link(Record):
    """What the model of a link counted."""

    up_share: UpShare
    down_share: DownShare
    tags_share: TagsShare
    credits_share: CreditsShare
    completion_share: CompletionShare


Clock = Annotated[
    Literal["simulated", "CLOCK_MONOTONIC_RAW"],
    Field(description="Clock of the times, of the simulation or of the machine that measured."),
]
Verified = Annotated[
    bool, Field(description="True if every byte arrived, compared in a separate pass.")
]
