# SPDX-License-Identifier: Apache-2.0
"""Tables of a report: columns that say what they mean, and which of them a phone shows."""

from collections.abc import Sequence
from dataclasses import dataclass

ALWAYS, TABLET, DESKTOP = 1, 2, 3  # the smallest screen that shows a column
NONE = "–"  # of a cell without a figure


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    name: str
    about: str  # what it means, in a sentence
    unit: str = ""
    screen: int = ALWAYS
    words: bool = False  # holds words rather than numbers
    main: bool = False  # the figure that the table is about


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell, and what stands under its text in small letters."""

    text: str
    small: str = ""
    silicon: bool = False  # was measured on hardware by others


@dataclass(frozen=True, slots=True)
class Line:
    """A row: its name, and a cell for each column."""

    name: str
    cells: Sequence[str | Cell]
    small: str = ""
    wrong: bool = False  # moved data that did not arrive as it left

    @property
    def all(self) -> list[Cell]:
        """Return the cells, those of text alone too."""
        return [Cell(cell) if isinstance(cell, str) else cell for cell in self.cells]


@dataclass(frozen=True, slots=True)
class Group:
    """Rows under a heading; an empty heading is not shown."""

    name: str
    lines: Sequence[Line]


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its explanation."""

    key: str  # its anchor, after that of its section
    title: str
    first: str  # head of the column of names
    columns: Sequence[Column]
    groups: Sequence[Group]
    about: str = ""


def dash(text: str) -> str:
    """Return a text of a table on the terminal, in which a cell without a figure has a hyphen."""
    return NONE if text == "-" else text


def number(figure: float | None, decimals: int) -> str:
    """Return the cell of a figure, if there is one."""
    return NONE if figure is None else f"{figure:.{decimals}f}".replace("-", "−")


def silicon(figure: float | None, decimals: int) -> Cell:
    """Return the cell of a figure that others measured on silicon, if there is one."""
    return Cell(number(figure, decimals), silicon=figure is not None)


def difference(share: float | None, decimals: int) -> str:
    """Return the cell of a difference to silicon, if there is one."""
    return NONE if share is None else signed_percent(share, decimals)


def signed(share: float, decimals: int) -> str:
    """Return a difference in percent, with its sign."""
    return f"{signed_percent(share, decimals)} %"


def signed_percent(share: float, decimals: int) -> str:
    """Return the same without the unit, for a column that has it in its head."""
    text = f"{100 * share:+.{decimals}f}"
    return text[1:] if not float(text) else text.replace("-", "−")
