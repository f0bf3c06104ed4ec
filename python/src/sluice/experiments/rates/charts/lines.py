# SPDX-License-Identifier: Apache-2.0
"""Charts with a line for each row: rates, the difference to silicon, and efficiency."""

from collections.abc import Callable, Sequence
from typing import Any

from sluice.experiments.rates.charts.marks import direction_name, how, stagger, tip_of
from sluice.experiments.rates.published import ABOVE
from sluice.experiments.rates.reasons import Compared, compared, silicon_blocks
from sluice.experiments.rates.result import RatesRow
from sluice.labels import DIRECTIONS, ports_label
from sluice.report.chart import MUTED, SILICON, Chart, Spec, by_name, hits, mark
from sluice.report.differences import axis, furthest, stretched, zero_line
from sluice.units import format_bytes, format_count, format_number

_MOST_NAMED_PORTS = 4  # more are named by the first and the last
_COLOURS = {
    "duplex": "var(--duplex)",
    "mm2s": "var(--mm2s)",
    "s2mm": "var(--s2mm)",
    "both": "var(--both)",
    "copy": "var(--both)",
}
_SILICON = "silicon"
_LEAST_LOSS = 0.01  # percent: where the axis of efficiency ends
_LOSSES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 99)
_LINEAR_LOSS = 4  # percent: above, the axis of efficiency has equal steps
_HEIGHT = 26  # pixels a row

Values = list[dict[str, Any]]


def line_charts(rows: Sequence[RatesRow], key: str, what: str) -> list[Chart]:
    """Return the charts about some rows; `what` is what they are about, or nothing."""
    names = _names(rows)
    of = f" of {what}" if what else ""
    charts = [_rates(rows, names, f"{key}-rate", f"Rate{of}")]
    if pairs := [
        (name, one) for name, row in zip(names, rows, strict=True) if (one := compared(row))
    ]:
        charts.append(_difference(pairs, f"{key}-difference", f"Difference to silicon{of}"))
    charts.append(_efficiency(rows, names, f"{key}-efficiency", f"Efficiency{of}"))
    return charts


def _names(rows: Sequence[RatesRow]) -> list[str]:
    """Return what tells each row from the others."""

    def varies(values: Sequence[object]) -> bool:
        return len(set(values)) > 1

    parts: list[tuple[bool, Callable[[RatesRow], str]]] = [
        (varies([row.variant for row in rows]), lambda row: row.variant),
        (varies([row.width_bits for row in rows]), lambda row: f"{row.width_bits}-bit"),
        (True, lambda row: direction_name(row.direction, rows)),
        (varies([row.ports for row in rows]), _ports),
        (
            varies([row.clock_mhz for row in rows]),
            lambda row: f"{format_number(row.clock_mhz)} MHz",
        ),
        (varies([row.placement.stagger_bytes for row in rows]), stagger),
    ]
    names = [" ".join(word(row) for shown, word in parts if shown) for row in rows]
    return [
        name if names.count(name) == 1 else f"{name} ({index + 1})"
        for index, name in enumerate(names)
    ]


def _ports(row: RatesRow) -> str:
    if len(row.ports) > _MOST_NAMED_PORTS:
        return f"{row.ports[0]} to {row.ports[-1]}"
    return ports_label(row.ports)


def _say(row: RatesRow) -> str:
    return f"{DIRECTIONS[row.direction]} on {ports_label(row.ports)}"


def _series(rows: Sequence[RatesRow], *, silicon: bool) -> Spec:
    """Return colour and shape by direction, and those of silicon."""
    names = {
        f"{direction_name(row.direction, rows)}, {how(rows)}": _COLOURS[row.direction]
        for row in rows
    }
    if silicon:
        names[_SILICON] = SILICON
    shapes = ["diamond" if name == _SILICON else "circle" for name in names]
    field = {"field": "series", "type": "nominal", "title": None}
    return {
        "color": {**field, "scale": {"domain": list(names), "range": list(names.values())}},
        "shape": {**field, "scale": {"domain": list(names), "range": shapes}},
    }


def _line(row: RatesRow, rows: Sequence[RatesRow], name: str) -> dict[str, Any]:
    return {"name": name, "who": 0, "series": f"{direction_name(row.direction, rows)}, {how(rows)}"}


def _spec(
    values: Values, names: Sequence[str], x: Spec, colours: Spec, layers: Sequence[Spec]
) -> Spec:
    """Return a chart with a line a name: ranges, points, and what else is drawn."""
    two = len({value["who"] for value in values}) > 1
    who = {"field": "who", "type": "nominal", "scale": {"domain": [0, 1]}}
    offset: Spec = {"yOffset": who} if two else {}
    value: Spec = {"field": "x", "type": "quantitative", **x}
    value["axis"] = {"grid": True, **value.get("axis", {})}
    ends = {"x": {**value, "field": "low"}, "x2": {"field": "high"}}
    low_end = {key: one for key, one in colours.items() if key == "color"}
    found: list[Spec] = [
        *layers,
        {
            "mark": mark("rule", strokeWidth=3, opacity=0.55),
            "encoding": ends | offset | low_end,
        },
        {
            "mark": mark("point", filled=True, size=64, opacity=1),
            "encoding": {"x": value} | offset | colours,
        },
        {"transform": [{"filter": "datum.who == 0"}], **hits("tip")},
    ]
    scale = {"domain": list(names), "paddingInner": 0.1, "paddingOuter": 0.1}
    return by_name(names, values, found, _HEIGHT, scale)


def _rates(rows: Sequence[RatesRow], names: Sequence[str], key: str, title: str) -> Chart:
    values: Values = []
    for name, row in zip(names, rows, strict=True):
        rates, figure = row.mb_s, row.published_detail
        values.append(
            _line(row, rows, name)
            | {"x": rates.mean, "low": rates.min, "high": rates.max}
            | {"expected": row.expected_mb_s, "tip": tip_of(row)}
        )
        if figure is not None:
            low, high = figure.min or figure.mb_s, figure.max or figure.mb_s
            values.append({"name": name, "who": 1, "series": _SILICON, "x": figure.mb_s}
                          | {"low": low, "high": high})  # fmt: skip
    silicon = any(row.published_detail for row in rows)
    above = any(row.published_detail and row.published_detail.relation == ABOVE for row in rows)
    best, worst = max(rows, key=lambda row: row.mb_s.mean), min(rows, key=lambda row: row.mb_s.mean)
    expected = {
        "transform": [{"filter": "datum.who == 0"}],
        "mark": mark("tick", color=MUTED, thickness=2, size=_HEIGHT - 6),
        "encoding": {"x": {"field": "expected", "type": "quantitative"}},
    }
    return Chart(
        name=key,
        title=f"{title}, MB/s",
        about=(
            f"Dots: mean of our runs, {how(rows)}{_blocks(rows)}. "
            + (
                "Diamonds: silicon" + (", which is above that rate. " if above else ". ")
                if silicon
                else ""
            )
            + "Lines: slowest to fastest run. Grey marks: the expected rate."
        ),
        description=(
            f"Mean rates from {worst.mb_s.mean:.0f} MB/s ({_say(worst)}) to "
            f"{best.mb_s.mean:.0f} MB/s ({_say(best)})."
        ),
        spec=_spec(
            values,
            names,
            {"title": "MB/s", "scale": {"zero": True, "nice": True}},
            _series(rows, silicon=silicon),
            [expected],
        ),
    )


def _blocks(rows: Sequence[RatesRow]) -> str:
    ours = sorted({row.bytes for row in rows})
    theirs = sorted({
        row.published_detail.block_bytes
        for row in rows
        if row.published_detail and row.published_detail.block_bytes
    })  # fmt: skip
    words = f", {' and '.join(map(format_bytes, ours))} blocks" if len(ours) == 1 else ""
    if words and theirs and theirs != ours:
        words += f" (silicon: {' and '.join(map(format_bytes, theirs))})"
    return words


def _difference(pairs: Sequence[tuple[str, Compared]], key: str, title: str) -> Chart:
    rows = [one.row for _, one in pairs]
    values: Values = []
    for name, one in pairs:
        rates = one.row.mb_s
        low, high = one.silicon_range
        values += [
            _line(one.row, rows, name)
            | {"x": 100 * one.difference, "tip": tip_of(one.row)}
            | {"low": 100 * one.share(rates.min), "high": 100 * one.share(rates.max)},
            {"name": name, "who": 1, "series": _SILICON, "x": 0.0}
            | {"low": 100 * low, "high": 100 * high},
        ]
    least = min(value["low"] for value in values)
    most = max(value["high"] for value in values)
    _, far = furthest(pairs, lambda pair: pair[1].difference)
    converted = any(one.converted for _, one in pairs)
    blocks = (
        f"Both with {silicon_blocks([one for _, one in pairs])}: our rates of other blocks are "
        "converted, since what a run loses once weighs less in a longer one. "
        if converted
        else ""
    )
    return Chart(
        name=key,
        title=f"{title}, %",
        about=(
            f"{blocks}Dots and lines: our mean, and our slowest to fastest run, from silicon's "
            "mean. Diamonds: silicon's mean, with its own slowest to fastest run."
            + (" Steps of the axis shrink away from 0." if stretched(least, most) else "")
        ),
        description=(
            f"{format_count(len(pairs), 'row')}; the largest difference is "
            f"{100 * far.difference:+.2f} %, {_say(far.row)}."
        ),
        spec=_spec(
            values,
            [name for name, _ in pairs],
            axis(least, most, "% of silicon's mean"),
            _series(rows, silicon=True),
            [zero_line()],
        ),
    )


def _efficiency(rows: Sequence[RatesRow], names: Sequence[str], key: str, title: str) -> Chart:
    def loss(row: RatesRow, mb_s: float) -> float:
        return max(100 * (1 - mb_s / row.expected_mb_s), _LEAST_LOSS)

    values: Values = []
    for name, row in zip(names, rows, strict=True):
        rates = row.mb_s
        values.append(
            _line(row, rows, name)
            | {"x": loss(row, rates.mean), "tip": tip_of(row)}
            | {"low": loss(row, rates.min), "high": loss(row, rates.max)}
        )
    best = max(rows, key=lambda row: row.efficiency)
    worst = min(rows, key=lambda row: row.efficiency)
    if min(value["high"] for value in values) > _LINEAR_LOSS:
        for value in values:
            value |= {end: 100 - value[end] for end in ("x", "low", "high")}
        axis_x: Spec = {"title": "% of the expected rate", "scale": {"zero": False, "nice": True}}
        steps = ""
    else:
        axis_x, steps = _loss_axis(values), " Each step to the right halves the loss or better."
    return Chart(
        name=key,
        title=f"{title}, % of the expected rate",
        about=(
            f"Dots: our mean, {how(rows)}, as a share of the expected rate. Lines: slowest to "
            f"fastest run.{steps}"
        ),
        description=(
            f"From {100 * worst.efficiency:.1f} % ({_say(worst)}) to {100 * best.efficiency:.1f} % "
            f"({_say(best)})."
        ),
        spec=_spec(values, names, axis_x, _series(rows, silicon=False), []),
    )


def _loss_axis(values: Values) -> Spec:
    """Return the axis of efficiency over losses, which shows 99.9 % beside 99.99 %."""
    left = min(1.4 * max(value["low"] for value in values), 100.0)
    right = min(value["high"] for value in values) / 1.4
    return {
        "title": "% of the expected rate",
        "scale": {"type": "log", "reverse": True, "domain": [right, left], "nice": False},
        "axis": {
            "values": [step for step in _LOSSES if right <= step <= left],
            "labelOverlap": "greedy",
            "labelExpr": "format(100 - datum.value, '.2~f')",
        },
    }
