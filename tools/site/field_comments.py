# SPDX-License-Identifier: Apache-2.0
"""The comment behind a field of a class, such as `nbytes: int  # bytes moved`."""

from __future__ import annotations

import re
from collections.abc import Sequence

COMMENT = re.compile(r"  # (?!noqa|type:|pragma)(.+)$")


def field_comment(lines: Sequence[str], number: int) -> str:
    """The comment of the field in that line, from 1, with what follows it in the next ones."""
    found = COMMENT.search(lines[number - 1])
    if not found:
        return ""
    text = [found[1]]
    for line in lines[number:]:  # a comment that goes on below
        if not (more := re.match(r"\s{20,}# (.+)$", line)):
            break
        text.append(more[1])
    return " ".join(text)
