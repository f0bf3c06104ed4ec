# SPDX-License-Identifier: Apache-2.0
"""A plan as a table on the terminal."""

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sluice.experiments.plan.result import PlanResult
from sluice.experiments.plan.wording import advice, words_of
from sluice.experiments.plan.words import asked, conditions


def print_result(result: PlanResult, console: Console) -> None:
    """Print the configurations, cheapest first, and which one to take."""
    console.print(Text(f"{conditions(result)}: ") + Text(asked(result), style="bold"))
    words = words_of(result)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for column in words.columns:
        table.add_column(column.head, justify="left" if column.left else "right")
    for row in result.rows:
        *figures, verdict = words.cells(row)
        table.add_row(*map(Text, figures), Text(verdict, style="green" if row.reaches else ""))
    console.print(table)
    console.print(Text(words.note(result), style="dim"))
    console.print(Text(advice(result)))
