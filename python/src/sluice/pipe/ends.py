# SPDX-License-Identifier: Apache-2.0
"""What a source or a sink is called: a path, "-", URI#CHANNEL[@OFFSET], gpu:INDEX[?bytes=SIZE]."""

import re
from dataclasses import dataclass

from sluice.errors import InputError
from sluice.units import parse_bytes

STANDARD = "-"
_SCHEMES = ("sim:", "dev:", "vfio:")
_GPU = "gpu:"
_GPU_FORM = re.compile(r"gpu:([0-9]{1,4})(?:\?bytes=([^&]+))?", re.ASCII)
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


@dataclass(frozen=True, slots=True)
class GpuEnd:
    """Memory of a GPU."""

    index: int
    nbytes: int | None  # None: none were given

    @property
    def name(self) -> str:
        """Return what to call it."""
        return f"{_GPU}{self.index}"


End = FileEnd | ChannelEnd | GpuEnd


def parse_end(text: str) -> End:
    """Return the end that `text` names."""
    if not text:
        raise InputError("the name of a source or sink is empty")
    if text.startswith(_GPU):
        return _gpu_end(text)
    if not text.startswith(_SCHEMES):
        return FileEnd(text)
    uri, mark, rest = text.partition("#")
    name, at, offset = rest.partition("@")
    if not mark or not name:
        raise InputError(
            f"'{text}' names a board and none of its channels; write URI#CHANNEL, {_EXAMPLE}"
        )
    return ChannelEnd(uri, name, _offset(text, offset) if at else None)


def _gpu_end(text: str) -> GpuEnd:
    form = _GPU_FORM.fullmatch(text)
    if form is None:
        raise InputError(
            f"'{text}' is not a GPU's memory; write gpu:INDEX or gpu:INDEX?bytes=SIZE, such as "
            "gpu:0?bytes=16MiB"
        )
    index, size = form.groups()
    try:
        nbytes = None if size is None else parse_bytes(size)
    except InputError as error:
        raise InputError(f"'{text}': {error}") from error
    if nbytes == 0:
        raise InputError(f"'{text}': bytes must be 1 or more")
    return GpuEnd(int(index), nbytes)


def _offset(text: str, offset: str) -> int:
    if _HEXADECIMAL.fullmatch(offset):
        return int(offset, 16)
    try:
        return parse_bytes(offset)
    except InputError as error:
        raise InputError(f"'{text}': {error}") from error
