# SPDX-License-Identifier: Apache-2.0
"""The progress bar of a measurement."""

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text


class _Rate(ProgressColumn):
    """How many are done in a second."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:.3g}/s" if task.speed else "-/s")


def progress_bar(unit: str, *, rate: bool = False) -> Progress:
    """Return a bar that counts `unit`, and shows only where standard error is a terminal.

    Its tasks have the fields `done` and `wanted`, numbers of that unit; `total` and `completed`
    are of the work, for the time that is left. With `rate` it shows units of work a second.
    """
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[done]}/{task.fields[wanted]} " + unit),
        *([_Rate()] if rate else []),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
