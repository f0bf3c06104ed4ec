# SPDX-License-Identifier: Apache-2.0
"""A plan as a table on the terminal."""

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sluice.experiments.plan.result import PlanResult
from sluice.experiments.plan.words import HEADS, NOTE, advice, asked, cells, conditions


def print_result(result: PlanResult, console: Console) -> None:
    """Print the configurations, cheapest first, and which one to take."""
    console.print(Text(f"{conditions(result)}: ") + Text(asked(result), style="bold"))
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for head in HEADS:
        table.add_column(head, justify="left" if head in ("ports", "verdict") else "right")
    for row in result.rows:
        *figures, verdict = cells(row)
        table.add_row(*map(Text, figures), Text(verdict, style="green" if row.reaches else ""))
    console.print(table)
    console.print(Text(NOTE, style="dim"))
    console.print(Text(advice(result)))
