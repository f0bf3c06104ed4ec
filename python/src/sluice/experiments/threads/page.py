# SPDX-License-Identifier: Apache-2.0
"""The section of a report about hardware threads beside one another."""

from sluice.experiments.threads.result import ThreadsResult, ThreadsRow
from sluice.report.chart import INK, SERIES, Chart, by_name, hits, mark
from sluice.report.section import Section
from sluice.report.table import ALWAYS, TABLET, Column, Group, Line, Table, number
from sluice.units import format_count

_HEIGHT = 30  # pixels a case
_ON_A_PHONE = 2  # columns


def section(result: ThreadsResult, name: str) -> Section:
    """Return the section about one result."""
    plotted = result.conditions.plot
    columns = [
        Column(
            figure,
            f"{figure[0].upper()}{figure[1:]} of the case",
            unit,
            screen=ALWAYS if index < _ON_A_PHONE or figure == plotted else TABLET,
            main=figure == plotted,
        )
        for index, (figure, unit) in enumerate(result.columns)
    ]
    return Section(
        conditions=f"{result.provenance.board}, {result.conditions.design}",
        summary=[
            (
                f"{format_count(len(result.rows), 'case')} on a simulated board, "
                f"{result.provenance.board}."
            )
        ],
        charts=_charts(result, name),
        tables=[
            Table(
                key="rows",
                title="All cases",
                first="Case",
                columns=columns,
                groups=[Group("", [_line(row, result) for row in result.rows])],
            )
        ],
        notes=[
            "Time is the board's simulated time; how fast the simulation ran changes no figure.",
            "Every byte that the threads wrote, or a rogue might have, is compared afterwards.",
            *(f"{row.name}: sluice-bench {row.command}" for row in result.rows),
        ],
    )


def _line(row: ThreadsRow, result: ThreadsResult) -> Line:
    figures = [row.figure(name) for name, _ in result.columns]
    cells = [number(None if figure is None else figure.value, 1) for figure in figures]
    return Line(row.name, cells, wrong=row.wrong)


def _charts(result: ThreadsResult, name: str) -> list[Chart]:
    """Return the bars of the figure that the experiment is about."""
    plotted = result.conditions.plot
    drawn = [(row.name, figure) for row in result.rows if (figure := row.figure(plotted))]
    if not drawn:
        return []
    unit = drawn[0][1].unit
    said = "; ".join(f"{case} {figure.value:.1f}" for case, figure in drawn)
    values = [
        {
            "name": case,
            "x": figure.value,
            "text": f"{figure.value:.1f}",
            "tip": f"{case}: {figure.value:.1f} {unit}",
        }
        for case, figure in drawn
    ]
    x = {"field": "x", "type": "quantitative", "title": unit, "axis": {"grid": True},
         "scale": {"domainMin": 0}}  # fmt: skip
    return [
        Chart(
            name=f"{name}-cases",
            title=f"{plotted[0].upper()}{plotted[1:]}, {unit}",
            about="A bar for each case.",
            description=f"{said}.",
            spec=by_name([case for case, _ in drawn], values, [
                {"mark": mark("bar", color=SERIES[0], height={"band": 0.64}),
                 "encoding": {"x": x}},
                {"mark": mark("text", align="left", dx=5, color=INK),
                 "encoding": {"x": x, "text": {"field": "text"}}},
                hits("tip"),
            ], _HEIGHT),
        )
    ]  # fmt: skip
