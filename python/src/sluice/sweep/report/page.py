# SPDX-License-Identifier: Apache-2.0
"""The section of a report about a sweep."""

from collections.abc import Sequence
from typing import Any

from sluice.report.section import Section
from sluice.report.table import Column, Group, Line, Table
from sluice.sweep.report.charts import charts_of
from sluice.sweep.report.charts import said as worded
from sluice.sweep.report.view import SweepView
from sluice.sweep.show import said
from sluice.units import format_count

_MOST_LINES = 20  # of the table of best points


def section(view: SweepView, name: str) -> Section:
    """Return the section about a sweep that has rows."""
    names, figure = list(view.varied), view.figure
    means = view.means(names, figure)
    least = view.spec.best is not None and view.spec.best.minimise is not None
    ordered = sorted(means.items(), key=lambda item: item[1][0], reverse=not least)
    shared = [
        f"{column} {view.rows[0].cells[column]}"
        for column in view.conditions
        if column not in view.varied
    ]
    notes = [
        "Each figure is the mean of all runs of a point; the Parquet file has a row for each run.",
    ]
    best = [said(view.best)] if view.spec.best is not None else []
    return Section(
        conditions=", ".join(shared),
        summary=[
            *best,
            (
                f"{format_count(len(means), 'point')}, "
                f"{format_count(view.record.jobs, 'job')} by {view.record.place}."
            ),
        ],
        charts=charts_of(view, name),
        tables=[
            Table(
                key="points",
                title="Best points",
                about=f"The points with the best {figure}, at most {_MOST_LINES} of {len(means)}.",
                first=names[0] if names else "Point",
                columns=[
                    *(Column(column, f"Value of {column}") for column in names[1:]),
                    Column(figure, "Mean of all runs of the point", main=True),
                ],
                groups=[
                    Group("", [_line(names, key, value[0]) for key, value in ordered[:_MOST_LINES]])
                ],
            )
        ],
        notes=notes,
        facts={"Jobs": f"{view.record.jobs} by {view.record.place}"},
        again=view.provenance.command,
        file=f"{view.experiment}.parquet",
    )


def empty_section(view: SweepView) -> Section:
    """Return the section about a sweep that has no rows."""
    command = view.provenance.command
    return Section(
        conditions="",
        summary=[
            (
                "The sweep has no rows: it ended before its first job. The command at the end of "
                f"this section continues it with all {format_count(view.record.wanted, 'job')}."
            )
        ],
        facts={"Jobs": f"{view.record.jobs} by {view.record.place}"},
        again=command if "--continue" in command.split() else f"{command} --continue",
        file=f"{view.experiment}.parquet",
    )


def _line(names: Sequence[str], key: Sequence[Any], figure: float) -> Line:
    cells = [worded(name, value) for name, value in zip(names, key, strict=True)] or ["all"]
    return Line(cells[0], [*cells[1:], f"{figure:.5g}"])
