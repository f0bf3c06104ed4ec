# SPDX-License-Identifier: Apache-2.0
"""Where words go: results to standard output, complaints to standard error."""

import sys

from rich.console import Console

_WIDTH_WITHOUT_TERMINAL = 120


def output() -> Console:
    """Return the console for results; into a file or a pipe, lines are not folded at 80."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=_WIDTH_WITHOUT_TERMINAL)
    return console


def complain(sentence: str) -> None:
    """Say a sentence on standard error, as one line whatever the terminal's width."""
    sys.stderr.write(f"sluice: {' '.join(sentence.split())}\n")
    sys.stderr.flush()
