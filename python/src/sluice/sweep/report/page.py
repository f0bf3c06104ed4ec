# SPDX-License-Identifier: Apache-2.0
"""The section of a report about a sweep."""

from pathlib import Path

from sluice.report.section import Section
from sluice.sweep.report.plots import plots_of
from sluice.sweep.report.view import SweepView
from sluice.sweep.show import said

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
    return Section(
        template=Path(__file__).parent / "page.html",
        values={
            "best": said(view.best) if view.spec.best is not None else "",
            "columns": [*names, figure],
            "lines": [[*key, f"{value[0]:.5g}"] for key, value in ordered[:_MOST_LINES]],
            "points": len(means),
        },
        conditions=", ".join(shared),
        notes=notes,
        facts={"Jobs": f"{view.record.jobs} by {view.record.place}"},
        plots=plots_of(view, name),
        again=view.provenance.command,
        file=f"{view.experiment}.parquet",
    )
