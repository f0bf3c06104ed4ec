# SPDX-License-Identifier: Apache-2.0
"""What a source or a sink is called: a path, "-", or URI#CHANNEL[@OFFSET]."""

import re
from dataclasses import dataclass

from sluice.errors import InputError
from sluice.units import parse_bytes

STANDARD = "-"
_SCHEMES = ("sim:", "dev:", "vfio:")
_HEXADECIMAL = re.compile(r"0[xX][0-9a-fA-F]{1,16}", re.ASCII)
_EXAMPLE = "such as sim:pcie-gen3x8/xdma#h2c0@1MiB"


@dataclass(frozen=True, slots=True)
class FileEnd:
    """A file."""

    path: str  # "-": standard input or output

    @property
    def name(self) -> str:
        """Return what to call it."""
        return self.path


@dataclass(frozen=True, slots=True)
class ChannelEnd:
    """A channel of a board, and where in the card's memory it begins."""

    uri: str
    channel: str
    offset: int | None  # bytes; None: none was given

    @property
    def name(self) -> str:
        """Return what to call it."""
        return f"{self.uri}#{self.channel}"

    @property
    def simulated(self) -> bool:
        """Tell whether its time is a simulation's."""
        return self.uri.startswith("sim:")


End = FileEnd | ChannelEnd


def parse_end(text: str) -> End:
    """Return the end that `text` names."""
    if not text:
        raise InputError("the name of a source or sink is empty")
    if not text.startswith(_SCHEMES):
        return FileEnd(text)
    uri, mark, rest = text.partition("#")
    name, at, offset = rest.partition("@")
    if not mark or not name:
        raise InputError(
            f"'{text}' names a board and none of its channels; write URI#CHANNEL, {_EXAMPLE}"
        )
    return ChannelEnd(uri, name, _offset(text, offset) if at else None)


def _offset(text: str, offset: str) -> int:
    if _HEXADECIMAL.fullmatch(offset):
        return int(offset, 16)
    try:
        return parse_bytes(offset)
    except InputError as error:
        raise InputError(f"'{text}': {error}") from error
