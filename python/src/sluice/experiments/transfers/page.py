# SPDX-License-Identifier: Apache-2.0
"""The section of a report about transfers of a card."""

from collections.abc import Mapping, Sequence

from sluice.experiments.transfers.result import Fit, TransfersResult, TransfersRow
from sluice.experiments.transfers.show import conditions, notes, percent, waits_for
from sluice.report.chart import Chart
from sluice.report.curves import PICK, Lines, Point, curves, parts
from sluice.report.differences import Difference, compared, differences
from sluice.report.section import Section
from sluice.report.table import (
    DESKTOP,
    TABLET,
    Cell,
    Column,
    Group,
    Line,
    Table,
    dash,
    difference,
    number,
    signed,
    silicon,
)
from sluice.units import format_bytes

_COLUMNS = (
    Column("N", "Transfers, each way", screen=DESKTOP),
    Column("Rate", "All bytes over the time of all; both directions count", "MB/s", main=True),
    Column("Time", "The time of all transfers over their number", "µs", screen=TABLET),
    Column("Median", "Of single transfers, from start to end", "µs", screen=DESKTOP),
    Column("99 %", "99 % of single transfers took no longer", "µs", screen=DESKTOP),
    Column("Up", "Share of the time in which the wire to the host was busy", "%", screen=TABLET),
    Column("Down", "Share of the time in which the wire to the card was busy", "%", screen=TABLET),
    Column("Waits for", "What the card waited for most, with its share of the time", words=True),
    Column("Silicon", "Rate that was measured on silicon, where it was printed", "MB/s"),
    Column("Difference", "Our rate against that of silicon", "%"),
)
_FIT_COLUMNS = (
    Column("Bandwidth", "Bandwidth of time = latency + bytes / bandwidth", "MB/s", main=True),
    Column("Latency", "Latency of the same", "µs", screen=TABLET),
    Column("r²", "Coefficient of determination", screen=TABLET),
    Column("Silicon", "Bandwidth that was measured on silicon", "MB/s"),
    Column("Silicon", "Latency that was measured on silicon", "µs", screen=TABLET),
    Column("Difference", "Our bandwidth against that of silicon", "%"),
)
_MANY = 8  # series: more are drawn in several charts
_CARD_AND_HOST, _GPU_AND_HOST = "card and host", "GPU and host"
_CARD_AND_GPU, _THROUGH_HOST = "card and GPU", "card and GPU through the host"
_PLACES = {  # in names of files
    _CARD_AND_HOST: "card-host",
    _GPU_AND_HOST: "gpu-host",
    _CARD_AND_GPU: "card-gpu",
    _THROUGH_HOST: "through-host",
}
_CODES = (
    "F is the card, H the host, G the GPU. FH and HF go by the card's DMA, FM and HM by the CPU, "
    "GH and HG by the GPU. FR and GR go by the card in the GPU's memory. FGR and GFR go by the GPU "
    "in the card's memory, FG and GF by the CPU there. FI and GI go through the host, FIR and GIR "
    "through host memory that the GPU knows, FIP and GIP by chunks."
)


def section(result: TransfersResult, name: str) -> Section:
    """Return the section about one result."""
    return Section(
        conditions=", ".join(conditions(result)),
        summary=_summary(result),
        charts=[*_rates(result, name), *differences(_differences(result), f"{name}-difference",
                                                    "series or row")],
        tables=_tables(result),
        notes=[
            "The bytes are compared in a pass apart.",
            _CODES,
            *notes(result),
        ],
    )  # fmt: skip


def _differences(result: TransfersResult) -> list[Difference]:
    fits = [
        Difference(
            fit.series,
            fit.difference,
            f"{fit.series}, bandwidth\n{fit.bandwidth_mb_s:.1f} MB/s; silicon "
            f"{fit.published.bandwidth_mb_s:.0f} MB/s\nDifference: {signed(fit.difference, 2)}",
        )
        for fit in result.fits
        if fit.published is not None and fit.difference is not None
    ]
    return fits + [
        Difference(
            row.label,
            row.difference,
            f"{row.label}\n{row.mb_s:.1f} MB/s; silicon {row.published.mb_s:.0f} MB/s\n"
            f"Difference: {signed(row.difference, 2)}",
        )
        for row in result.rows
        if row.published is not None and row.difference is not None
    ]


def _summary(result: TransfersResult) -> list[str]:
    best = max(result.rows, key=lambda row: row.mb_s)
    right = (
        "Every byte was compared and is right."
        if not any(row.wrong for row in result.rows)
        else "Some data was wrong: see the marked rows."
    )
    said = [
        (
            f"{len(result.series)} paths between card, host and GPU. {right} The highest rate is "
            f"{best.mb_s:.0f} MB/s: {best.label}."
        )
    ]
    return said + compared(_differences(result))


def _tables(result: TransfersResult) -> list[Table]:
    fits = Table(
        key="fits",
        title="All fits",
        about="The linear model of each series.",
        first="Series",
        columns=_FIT_COLUMNS,
        groups=[Group("", [_fit(fit) for fit in result.fits])],
    )
    rows = Table(
        key="rows",
        title="All transfers",
        first="Size",
        columns=_COLUMNS,
        groups=[
            Group(name, [_line(row) for row in result.rows if row.series == name])
            for name in result.series
        ],
    )
    return [fits, rows] if result.fits else [rows]


def _fit(fit: Fit) -> Line:
    printed = fit.published
    cells: list[str | Cell] = [
        f"{fit.bandwidth_mb_s:.1f}",
        f"{fit.latency_us:.2f}",
        f"{fit.r2:.4f}",
        silicon(None if printed is None else printed.bandwidth_mb_s, 0),
        silicon(None if printed is None else printed.latency_us, 0),
        difference(fit.difference, 2),
    ]
    return Line(fit.series, cells)


def _line(row: TransfersRow) -> Line:
    latency, printed = row.latency, row.published
    cells: list[str | Cell] = [
        str(row.iterations),
        f"{row.mb_s:.1f}",
        f"{row.us:.2f}",
        number(None if latency is None else latency.p50_us, 2),
        number(None if latency is None else latency.p99_us, 2),
        dash(percent(row.up_share)),
        dash(percent(row.down_share)),
        dash(waits_for(row.tags_share, row.credits_share, row.completion_share)),
        silicon(None if printed is None else printed.mb_s, 0),
        difference(row.difference, 2),
    ]
    return Line(format_bytes(row.bytes), cells, wrong=row.wrong)


def _rates(result: TransfersResult, name: str) -> list[Chart]:
    """Return a chart of all series; of many, one for each pair of places that paths join."""
    rows: dict[str, list[TransfersRow]] = {}
    for row in result.rows:
        rows.setdefault(row.series, []).append(row)
    if len(rows) <= _MANY:
        return _curves(rows, f"{name}-rates", "")
    joined: dict[str, dict[str, list[TransfersRow]]] = {}
    for series, of_series in rows.items():
        joined.setdefault(_joined(of_series[0].code), {})[series] = of_series
    return [
        chart
        for places, found in joined.items()
        for chart in _curves(found, f"{name}-rates-{_PLACES[places]}", f", {places}")
    ]


def _joined(code: str) -> str:
    """Return what a path joins, as a chart's title says it."""
    if "I" in code:
        return _THROUGH_HOST
    if "G" not in code and "R" not in code:
        return _CARD_AND_HOST
    return _GPU_AND_HOST if "F" not in code and "H" in code else _CARD_AND_GPU


def _curves(rows: Mapping[str, Sequence[TransfersRow]], key: str, what: str) -> list[Chart]:
    lines: Lines = {
        series: [Point(row.bytes, row.mb_s, _tip(row)) for row in of_series]
        for series, of_series in rows.items()
    }
    best = max((row for found in rows.values() for row in found), key=lambda row: row.mb_s)
    return [
        Chart(
            name=name,
            title=f"Rate by size of a transfer{what}, MB/s",
            about=f"A line for each series. Both directions count. {PICK}",
            description=f"{len(part)} series; the highest rate of all is {best.mb_s:.0f} MB/s, "
            f"{best.label}.",
            spec=curves(part, "transfer", "MB/s"),
        )
        for name, part in parts(lines, key).items()
    ]


def _tip(row: TransfersRow) -> str:
    lines = [row.label, f"{row.mb_s:.1f} MB/s, {row.us:.2f} µs a transfer"]
    if row.up_share is not None or row.down_share is not None:
        lines.append(f"Wires busy: up {percent(row.up_share)} %, down {percent(row.down_share)} %")
    waits = waits_for(row.tags_share, row.credits_share, row.completion_share)
    if waits != "-":
        lines.append(f"Waits for {waits}")
    return "\n".join(lines)
