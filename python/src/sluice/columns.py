# SPDX-License-Identifier: Apache-2.0
"""Tables on the terminal: words on the left of their columns, numbers on the right."""

from collections.abc import Collection

from rich import box
from rich.table import Table


def columns(*names: str, words: Collection[str]) -> Table:
    """Return an empty table; `words` names the columns that do not hold numbers."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name in names:
        table.add_column(name, justify="left" if name in words else "right")
    return table
