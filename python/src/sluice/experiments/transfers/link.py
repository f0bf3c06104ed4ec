# SPDX-License-Identifier: Apache-2.0
"""What every run of `sluice-bench transfers` says of the link: fields of results."""

from typing import Annotated

from pydantic import Field


def _share(text: str) -> object:
    return Field(ge=0, description=text)


UpShare = Annotated[
    float, _share("Share of the time in which the wire to the host was busy, overhead included.")
]
DownShare = Annotated[float, _share("The same of the wire to the card.")]
TagsShare = Annotated[float, _share("Share of the time in which a read waited for a tag.")]
CreditsShare = Annotated[
    float, _share("Share of the time in which a packet of the card waited for credits.")
]
CompletionShare = Annotated[
    float, _share("Share of the time in which reads were out and no completion was coming in.")
]
Verified = Annotated[bool, Field(description="True if every byte arrived, in a pass apart.")]
