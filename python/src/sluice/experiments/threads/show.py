# SPDX-License-Identifier: Apache-2.0
"""A result about hardware threads as a table on the terminal."""

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sluice.experiments.threads.result import ThreadsResult


def print_result(result: ThreadsResult, console: Console) -> None:
    """Print a column for each figure."""
    console.print(Text(result.title, style="bold"))
    conditions = result.conditions
    console.print(Text(f"{result.provenance.board}, {conditions.design}", style="dim"))
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("case")
    for name, unit in result.columns:
        table.add_column(Text(f"{name}\n{unit}"), justify="right")
    for row in result.rows:
        cells = [Text(row.name + ("" if row.verified else " !"))]
        for name, _ in result.columns:
            figure = row.figure(name)
            style = "bold" if name == conditions.plot else ""
            cells.append(Text(f"{figure.value:.1f}" if figure else "-", style=style))
        table.add_row(*cells)
    console.print(table)
    verified = " Every byte was verified." if all(row.verified for row in result.rows) else ""
    console.print(Text(f"Simulated time; MB = 10^6 bytes.{verified}", style="dim"))
