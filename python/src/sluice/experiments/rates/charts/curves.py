# SPDX-License-Identifier: Apache-2.0
"""Curves of rate by transfer size, and by number of ports."""

from collections.abc import Sequence
from typing import Any

from sluice.experiments.rates.charts.marks import direction_name, how, tip_of
from sluice.experiments.rates.published import ABOVE
from sluice.experiments.rates.result import RatesRow
from sluice.labels import DIRECTIONS, ports_label
from sluice.report.chart import INK, MUTED, SERIES, SILICON, Chart, Spec, hits, mark
from sluice.report.curves import size_axis
from sluice.units import format_bytes, format_number

_HEIGHT = 340


def size_chart(rows: Sequence[RatesRow], key: str, what: str) -> Chart:
    """Return the chart of rates by size."""
    first = min(rows, key=lambda row: row.bytes)
    last = max(rows, key=lambda row: row.bytes)
    values = [
        {
            "series": _series(row, rows),
            "bytes": row.bytes,
            "y": row.mb_s.mean,
            "low": row.mb_s.min,
            "high": row.mb_s.max,
            "tip": tip_of(row),
        }
        for row in rows
    ]
    x = size_axis([row.bytes for row in rows], "block of a transfer")
    stated = _statement(rows)
    return Chart(
        name=f"{key}-size",
        title=f"Rate of {what} by transfer size, MB/s",
        about=(
            f"Lines: mean of our runs, {how(rows)}. Bands: slowest to fastest run. "
            "Dotted: the expected rate." + (f" {stated[1]}" if stated else "")
        ),
        description=(
            f"From {first.mb_s.mean:.0f} MB/s at {format_bytes(first.bytes)} to "
            f"{last.mb_s.mean:.0f} MB/s at {format_bytes(last.bytes)}; {last.expected_mb_s:.0f} "
            "MB/s are expected."
        ),
        spec=_spec(values, x, [*_expected(rows), *(stated[0] if stated else [])]),
    )


def _series(row: RatesRow, rows: Sequence[RatesRow]) -> str:
    name = f"{DIRECTIONS[row.direction]} on {ports_label(row.ports)}"
    if len({other.clock_mhz for other in rows}) > 1:
        name += f", {format_number(row.clock_mhz)} MHz"
    if len({other.variant for other in rows}) > 1:
        name = f"{row.variant}: {name}"
    return name


def _spec(values: list[dict[str, Any]], x: Spec, layers: Sequence[Spec]) -> Spec:
    names = list(dict.fromkeys(value["series"] for value in values))
    colour = {
        "field": "series",
        "type": "nominal",
        "title": None,
        "scale": {"domain": names, "range": [SERIES[i % len(SERIES)] for i in range(len(names))]},
    }
    y = {"type": "quantitative", "title": "MB/s", "scale": {"zero": True}}
    return {
        "height": _HEIGHT,
        "data": {"values": values},
        "layer": [
            *layers,
            {
                "mark": mark("area", opacity=0.22),
                "encoding": {"x": x, "color": colour, "y": {**y, "field": "low"},
                             "y2": {"field": "high"}},
            },
            {
                "mark": mark("line", strokeWidth=2),
                "encoding": {"x": x, "color": colour, "y": {**y, "field": "y"}},
            },
            {
                "mark": mark("point", filled=True, size=56, opacity=1),
                "encoding": {"x": x, "color": colour, "y": {**y, "field": "y"}},
            },
            hits("tip", "point", x=x, y={**y, "field": "y"}),
        ],
    }  # fmt: skip


def _expected(rows: Sequence[RatesRow]) -> list[Spec]:
    """Return a dotted line for each rate that is expected."""
    return [
        {
            "data": {"values": [{"text": f"expected {rate:.0f} MB/s"}]},
            "encoding": {"y": {"datum": rate}},
            "layer": [
                {"mark": mark("rule", color=MUTED, strokeDash=[2, 3])},
                {
                    "mark": mark("text", align="left", baseline="bottom", dx=4, dy=-3, color=MUTED),
                    "encoding": {"x": {"value": 0}, "text": {"field": "text"}},
                },
            ],
        }
        for rate in sorted({row.expected_mb_s for row in rows})
    ]


def _statement(rows: Sequence[RatesRow]) -> tuple[list[Spec], str] | None:
    """Return what was stated about the rate, above a figure from a size on, and its words."""
    stated = [
        row for row in rows if row.published_detail and row.published_detail.relation == ABOVE
    ]
    if not stated or stated[0].published_detail is None:
        return None
    bound = stated[0].published_detail.mb_s
    low = min(row.bytes for row in stated)
    high = max(row.bytes for row in stated)
    line = {
        "data": {"values": [{"low": low, "high": high, "bound": bound}]},
        "mark": mark("rule", color=SILICON, strokeWidth=2),
        "encoding": {
            "x": {"field": "low", "type": "quantitative"},
            "x2": {"field": "high"},
            "y": {"field": "bound", "type": "quantitative"},
        },
    }
    said = f"on silicon above {bound:.0f} MB/s from {format_bytes(low)} up"
    text = {
        "data": {"values": [{"high": high, "bound": bound, "text": said}]},
        "mark": mark("text", align="right", baseline="top", dy=6, color=INK),
        "encoding": {
            "x": {"field": "high", "type": "quantitative"},
            "y": {"field": "bound", "type": "quantitative"},
            "text": {"field": "text"},
        },
    }
    return [line, text], f"Thick line: {said}."


def count_chart(rows: Sequence[RatesRow], key: str) -> Chart:
    """Return the chart of rates by number of ports."""
    best = max(rows, key=lambda row: row.mb_s.mean)
    word = _count_word(rows)
    counts = sorted({len(row.ports) for row in rows})
    values = [
        {
            "series": f"{row.variant}, {direction_name(row.direction, rows)}",
            "count": len(row.ports),
            "y": row.mb_s.mean,
            "low": row.mb_s.min,
            "high": row.mb_s.max,
            "silicon": row.published,
            "tip": tip_of(row),
        }
        for row in rows
    ]
    x = {
        "field": "count",
        "type": "quantitative",
        "title": word,
        "scale": {"domain": [counts[0] - 0.4, counts[-1] + 0.4], "nice": False, "zero": False},
        "axis": {"values": counts, "format": "d", "grid": False},
    }
    expected = {len(row.ports): row.expected_mb_s for row in rows if row.variant == rows[0].variant}
    layers: list[Spec] = [
        {
            "data": {"values": [{"count": n, "y": rate} for n, rate in sorted(expected.items())]},
            "mark": mark("line", color=MUTED, strokeDash=[2, 3], strokeWidth=1.2),
            "encoding": {"x": x, "y": {"field": "y", "type": "quantitative"}},
        },
        {
            "transform": [{"filter": "datum.silicon != null"}],
            "mark": mark("point", shape="diamond", color=SILICON, size=90, strokeWidth=2),
            "encoding": {"x": x, "y": {"field": "silicon", "type": "quantitative"}},
        },
    ]
    silicon = any(row.published is not None for row in rows)
    return Chart(
        name=f"{key}-rate",
        title=f"Rate by number of {word}, MB/s",
        about=(
            f"Lines: mean of our runs, {how(rows)}, by design and direction. Dotted: expected, at "
            "most the memory's peak." + (" Diamonds: silicon." if silicon else "")
        ),
        description=(
            f"The highest is {best.mb_s.mean:.0f} MB/s, of {best.variant} with {len(best.ports)}."
        ),
        spec=_spec(values, x, layers),
    )


def _count_word(rows: Sequence[RatesRow]) -> str:
    """Return what the experiment counts: its label whose value is a number, or ports."""
    names = [name for name, value in rows[0].labels.items() if isinstance(value, int)]
    return names[0] if names else "ports"
