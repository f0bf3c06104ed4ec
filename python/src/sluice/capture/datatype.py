# SPDX-License-Identifier: Apache-2.0
"""What a sample is: SigMF's name of it, its bytes, and numpy's type."""

import re
from dataclasses import dataclass

from sluice.errors import InputError

BYTES = "ru8"  # where nothing else is known
COUNTER = "ru32_le"  # words of the counter source

_FORM = re.compile(r"([cr])(?:([iu])8|([fiu])(16|32|64)_([lb])e)", re.ASCII)
_REFUSED = ("u64", "i64", "f16")  # SigMF has none of them


@dataclass(frozen=True, slots=True)
class Datatype:
    """A type of samples."""

    name: str
    numpy: str  # of one component, or of a complex float
    components: int  # that numpy has no type for together: 2 of complex integers
    nbytes: int  # of a sample


def parse_datatype(text: str) -> Datatype:
    """Return the type that SigMF calls `text`, such as ru8, ri16_le or cf32_le."""
    form = _FORM.fullmatch(text)
    if form is None or text[1:4] in _REFUSED:
        raise InputError(
            f"--datatype {text} is not a type of SigMF, such as ri16_le. It begins with r "
            "(real) or c (complex). f32, f64, i32, i16, i8, u32, u16 or u8 follows, then _le or "
            "_be for more than 8 bits"
        )
    kind, byte, wide, bits, order = form.groups()
    component = int(bits or 8) // 8
    parts = 2 if kind == "c" else 1
    mark = {"l": "<", "b": ">"}.get(order, "|")
    if wide == "f" and parts > 1:
        return Datatype(text, f"{mark}c{2 * component}", 1, 2 * component)
    return Datatype(text, f"{mark}{byte or wide}{component}", parts, parts * component)
