# SPDX-License-Identifier: Apache-2.0
"""A chart of how far figures are from published ones, a line each."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from sluice.report.chart import MUTED, SERIES, Chart, Spec, by_name, hits, mark
from sluice.report.table import signed
from sluice.units import format_count

STEPS = (0, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500)  # percent, each way
LINEAR = 2.5  # percent: below, the axis of differences has equal steps
_HEIGHT = 24  # pixels a line

_T = TypeVar("_T")


class Difference(NamedTuple):
    """One figure."""

    name: str
    share: float  # of the published figure
    tip: str  # what is said to who points at it


def furthest(found: Sequence[_T], share: Callable[[_T], float]) -> _T:
    """Return what has the largest difference, either way."""
    return max(found, key=lambda one: abs(share(one)))


def compared(found: Sequence[Difference]) -> list[str]:
    """Return how far figures are from silicon, for a summary; nothing if none can be compared."""
    if not found:
        return []
    far = furthest(found, lambda one: one.share)
    return [
        (
            f"{format_count(len(found), 'figure')} can be compared with silicon. The largest "
            f"difference is {signed(far.share, 1)}: {far.name}."
        )
    ]


def axis(least: float, most: float, title: str) -> Spec:
    """Return an axis of percents around 0, whose steps shrink away from it where they are many."""
    if not stretched(least, most):
        return {"title": title, "scale": {"zero": True, "nice": True}, "axis": {"grid": True}}
    below, above = min(1.2 * least, -0.5), max(1.2 * most, 0.5)
    ends = [-step for step in reversed(STEPS)] + list(STEPS[1:])
    return {
        "title": title,
        "scale": {"type": "symlog", "constant": 0.5, "domain": [below, above], "nice": False},
        "axis": {
            "grid": True,
            "values": [end for end in ends if below <= end <= above],
            "labelExpr": "datum.value == 0 ? '0' : format(datum.value, '+~g')",
            "labelOverlap": "greedy",
        },
    }


def stretched(least: float, most: float) -> bool:
    """Tell whether the axis of such differences has steps that shrink."""
    return max(-least, most) > LINEAR


def zero_line() -> Spec:
    """Return the line at no difference."""
    return {
        "data": {"values": [{}]},
        "mark": mark("rule", color=MUTED, strokeWidth=1.2),
        "encoding": {"x": {"datum": 0}, "y": {"value": 0}, "y2": {"value": "height"}},
    }


def differences(found: Sequence[Difference], key: str, what: str) -> list[Chart]:
    """Return the chart of differences, if there are some; `what` has one."""
    if not found:
        return []
    names = list(dict.fromkeys(one.name for one in found))
    values = [{"name": one.name, "x": 100 * one.share, "tip": one.tip} for one in found]
    least, most = (end(100 * one.share for one in found) for end in (min, max))
    far = furthest(found, lambda one: one.share)
    x = {"field": "x", "type": "quantitative", **axis(least, most, "% of silicon's figure")}
    layers: list[Spec] = [
        zero_line(),
        {"mark": mark("rule", color=SERIES[0], strokeWidth=3, opacity=0.55),
         "encoding": {"x": x, "x2": {"datum": 0}}},
        {"mark": mark("point", filled=True, size=64, opacity=1, color=SERIES[0]),
         "encoding": {"x": x}},
        hits("tip"),
    ]  # fmt: skip
    return [
        Chart(
            name=key,
            title="Difference to silicon, %",
            about=f"How far the figure of each {what} is from the published one."
            + (" Steps of the axis shrink away from 0." if stretched(least, most) else ""),
            description=f"{format_count(len(found), 'figure')}; the largest difference is "
            f"{100 * far.share:+.1f} %, {far.name}.",
            spec=by_name(names, values, layers, _HEIGHT, {"type": "band"}),
        )
    ]
