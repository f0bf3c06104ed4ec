# SPDX-License-Identifier: Apache-2.0
"""The progress bar of a measurement."""

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


def progress_bar(unit: str) -> Progress:
    """Return a bar that counts `unit`, and shows only where standard error is a terminal.

    Its tasks have the fields `done` and `wanted`, numbers of that unit; `total` and `completed`
    are of the work, for the time that is left.
    """
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[done]}/{task.fields[wanted]} " + unit),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
