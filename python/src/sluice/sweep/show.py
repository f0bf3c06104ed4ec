# SPDX-License-Identifier: Apache-2.0
"""A sweep on the terminal: what is there, and what is best."""

from pathlib import Path

from rich.console import Console
from rich.text import Text

from sluice.sweep.record import BestPoint, SweepRecord, record_of


def show(record: SweepRecord, path: Path, console: Console) -> None:
    """Print what a sweep came to."""
    console.print(Text(str(record.spec["title"]), style="bold"))
    count = f"{record.jobs} of {record.wanted} jobs" if record.partial else f"{record.jobs} jobs"
    console.print(f"{count} in {path}, provenance in {record_of(path)}", soft_wrap=True)
    if record.spec.get("best") is not None:
        console.print(Text(said(record.best)), soft_wrap=True)
    if record.partial:
        console.print(Text("PARTIAL: jobs are missing; --continue measures them.", style="dim"))


def said(best: BestPoint | None) -> str:
    """Return the sentence about the best point."""
    if best is None:
        return "No point meets the conditions."
    at = ", ".join(f"{key} = {_said(value)}" for key, value in best.values.items())
    return f"Best {best.column} ({best.of} of its runs): {best.figure:.6g}, at {at}."


def _said(value: object) -> str:
    return str(list(value)) if isinstance(value, tuple) else str(value)
