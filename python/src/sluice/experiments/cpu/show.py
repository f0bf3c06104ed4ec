# SPDX-License-Identifier: Apache-2.0
"""A result about the CPU's own accesses as a table on the terminal."""

from rich.console import Console
from rich.text import Text

from sluice.columns import columns
from sluice.experiments.cpu.result import CpuResult


def print_result(result: CpuResult, console: Console) -> None:
    """Print each figure beside the published one."""
    console.print(Text(result.title, style="bold"))
    console.print(Text(result.provenance.board, style="dim"))
    heads = ("access", "figure", "unit", "publ.", "diff %")
    table = columns(*heads, words=("access", "unit"))
    for row in result.rows:
        table.add_row(
            Text(row.name),
            Text(f"{row.figure:.2f}", style="bold"),
            row.unit,
            "-" if row.published is None else f"{row.published:.2f}",
            "-" if row.difference is None else f"{100 * row.difference:+.2f}",
        )
    console.print(table)
    console.print(Text("Simulated time; MB = 10^6 bytes, a copy counts once.", style="dim"))
    for source in dict.fromkeys(row.source for row in result.rows if row.source):
        console.print(Text(f"Published: {source}.", style="dim"))
