# SPDX-License-Identifier: Apache-2.0
"""The section of a report about a plan."""

from collections.abc import Sequence
from typing import Any

from sluice.experiments.plan.result import CardRow, PlanResult
from sluice.experiments.plan.wording import advice, words_of
from sluice.experiments.plan.words import asked, conditions, limited
from sluice.labels import DIRECTIONS, ports_label
from sluice.report.chart import MUTED, SERIES, Chart, Spec, by_name, hits, mark
from sluice.report.section import Section
from sluice.report.table import Column, Group, Line, Table

_HEIGHT = 26  # pixels a configuration
_PLACED = ("aligned alike", "two banks apart")  # as the columns of the table say it


def section(result: PlanResult, name: str) -> Section:
    """Return the section about one result."""
    words = words_of(result)
    first, *others = words.columns
    return Section(
        conditions=f"{conditions(result)}: {asked(result)}",
        summary=[advice(result)],
        charts=[_chart(result, f"{name}-rate")],
        tables=[
            Table(
                key="rows",
                title="All configurations",
                about="Cheapest first.",
                first=_capital(first.head),
                columns=[
                    Column(_capital(column.head), column.about, words=column.left)
                    for column in others
                ],
                groups=[Group("", [_line(words.cells(row)) for row in result.rows])],
            )
        ],
        notes=[
            "Time is the board's simulated time; how fast the simulation ran changes no figure.",
            words.note(result),
            "A limit was found by taking one limit after the other out of the model.",
        ],
        again=_again(result),
    )


def empty_section(result: PlanResult) -> Section:
    """Return the section about a plan that ended before its first configuration was known."""
    return Section(
        conditions=f"{result.provenance.board}: {asked(result)}",
        summary=[
            (
                "The plan has no configurations: it ended before the first one was simulated. The "
                "command at the end of this section plans it."
            )
        ],
        again=_again(result),
    )


def _again(result: PlanResult) -> str | None:
    command = result.provenance.command
    if command.startswith("sluice plan "):  # whose --json writes to standard output
        return f"{command} --json > {result.experiment}.json"
    return None


def _line(cells: Sequence[str]) -> Line:
    return Line(cells[0], cells[1:])


def _capital(head: str) -> str:
    return head[0].upper() + head[1:]


def _chart(result: PlanResult, key: str) -> Chart:
    values = [value for row in result.rows for value in _values(row)]
    names = list(dict.fromkeys(value["name"] for value in values))
    series = list(dict.fromkeys(value["series"] for value in values))
    needed = max(result.conditions.read_mb_s, result.conditions.write_mb_s)
    best = max(values, key=lambda value: value["x"])
    x = {"type": "quantitative", "title": "MB/s a direction", "axis": {"grid": True}}
    colour = {"field": "series", "type": "nominal", "title": None,
              "scale": {"domain": series, "range": list(SERIES[: len(series)])}}  # fmt: skip
    who = {"field": "series", "type": "nominal", "scale": {"domain": series}}
    offset: Spec = {"yOffset": who} if len(series) > 1 else {}
    return Chart(
        name=key,
        title="Rate of each configuration, MB/s a direction",
        about="Dots: mean. Lines: slowest to fastest run. Upright line: the required rate.",
        description=f"The highest mean is {best['x']:.0f} MB/s, of {best['name']}; {needed:g} MB/s "
        "are required.",
        spec=by_name(names, values, [
            {"data": {"values": [{}]}, "mark": mark("rule", color=MUTED, strokeWidth=2),
             "encoding": {"x": {"datum": needed}, "y": {"value": 0},
                          "y2": {"value": "height"}}},
            {"mark": mark("rule", strokeWidth=3, opacity=0.55),
             "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"},
                          "color": colour, **offset}},
            {"mark": mark("point", filled=True, size=64, opacity=1),
             "encoding": {"x": {**x, "field": "x"}, "color": colour, **offset}},
            {"transform": [{"filter": "datum.first"}], **hits("tip")},
        ], _HEIGHT, {"type": "band"}),
    )  # fmt: skip


def _values(row: Any) -> list[dict[str, Any]]:  # noqa: ANN401  (either form of a row)
    if isinstance(row, CardRow):
        mb_s = row.mb_s_a_direction
        verdict = "reaches it" if row.reaches else limited(row.limits)
        return [
            {"name": row.label, "series": row.design, "x": mb_s, "low": mb_s, "high": mb_s}
            | {"first": True, "tip": f"{row.label}\n{mb_s:.1f} MB/s a direction\n{verdict}"}
        ]
    name = f"{ports_label(row.ports)} {DIRECTIONS[row.direction]}, {row.width_bits}-bit"
    lines = [name]
    found: list[dict[str, Any]] = []
    for placed, words in zip(row.placements, _PLACED, strict=True):
        low, mean, high = placed.mb_s_a_direction
        verdict = "reaches it" if placed.reaches else "falls short"
        lines.append(f"Buffers {words}: {mean:.1f} MB/s ({low:.1f} to {high:.1f}), {verdict}")
        found.append({"name": name, "series": f"buffers {words}", "x": mean, "low": low,
                      "high": high, "first": not found})  # fmt: skip
    if row.limits:
        lines.append(limited(row.limits).capitalize())
    return [one | {"tip": "\n".join(lines)} for one in found]
