# SPDX-License-Identifier: Apache-2.0
"""The result of an experiment with hardware threads beside one another."""

from dataclasses import dataclass

from sluice.fields import Fields

FORMAT = "sluice-threads-result-1"


@dataclass(frozen=True, slots=True)
class ThreadsFigure:
    """One figure of a case."""

    name: str
    value: float
    unit: str


@dataclass(frozen=True, slots=True)
class ThreadsRow:
    """One case and what was measured of it."""

    name: str
    command: str  # of sluice-bench, without the program
    figures: tuple[ThreadsFigure, ...]
    verified: bool

    def figure(self, name: str) -> ThreadsFigure | None:
        """Return the figure of that name, if the case has it."""
        return next((figure for figure in self.figures if figure.name == name), None)


@dataclass(frozen=True, slots=True)
class ThreadsResult:
    """All cases of one `sluice run`."""

    experiment: str
    title: str
    description: str
    board: str
    design: str
    plot: str  # the figure to draw
    command: str
    partial: bool
    versions: dict[str, str]
    commit: str | None
    rows: tuple[ThreadsRow, ...]

    @property
    def columns(self) -> list[tuple[str, str]]:
        """Return (name, unit) of all figures, in the order in which they come first."""
        return list(
            dict.fromkeys((entry.name, entry.unit) for row in self.rows for entry in row.figures)
        )


def read_threads_result(fields: Fields) -> ThreadsResult:
    """Return the result in a document whose format is FORMAT; errors name the key."""
    versions = fields.table("versions")
    return ThreadsResult(
        experiment=fields.text("experiment"),
        title=fields.text("title"),
        description=fields.text("description"),
        board=fields.text("board"),
        design=fields.text("design"),
        plot=fields.text("plot"),
        command=fields.text("command"),
        partial="partial" in fields and fields.flag("partial"),  # older results are whole
        versions={name: versions.text(name) for name in versions.names()},
        commit=fields.text("commit") if fields.any("commit") is not None else None,
        rows=tuple(_row(row) for row in fields.tables("rows")),
    )


def read_figures(fields: Fields) -> tuple[ThreadsFigure, ...]:
    """Return the figures of a table, as sluice-bench prints them and results keep them."""
    return tuple(
        ThreadsFigure(entry.text("name"), entry.number("value"), entry.text("unit"))
        for entry in fields.tables("figures")
    )


def _row(fields: Fields) -> ThreadsRow:
    return ThreadsRow(
        name=fields.text("name"),
        command=fields.text("command"),
        figures=read_figures(fields),
        verified=fields.flag("verified"),
    )
