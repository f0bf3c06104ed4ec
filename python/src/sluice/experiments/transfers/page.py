# SPDX-License-Identifier: Apache-2.0
"""The section of a report about transfers of a card."""

from pathlib import Path

from sluice.experiments.transfers.result import TransfersResult
from sluice.experiments.transfers.show import conditions, notes, percent, waits_for
from sluice.report.plot import Canvas, Plot
from sluice.report.rates_by_size import Point, draw_rates
from sluice.report.section import Section
from sluice.units import format_bytes

_COLUMNS = (
    ("Size", "Of a transfer"),
    ("N", "Transfers, each way"),
    ("MB/s", "All bytes / the time of all; both directions count"),
    ("µs", "The time of all / N"),
    ("Median µs", "Of single transfers, from start to end"),
    ("99 % µs", "So many took no longer"),
    ("Up", "Share of the time in which the wire to the host was busy"),
    ("Down", "The same of the wire to the card"),
    ("Waits for", "What the card waited for most"),
    ("Published", "Rate on silicon, MB/s, and the difference"),
)
_FIT_COLUMNS = (
    ("MB/s", "Bandwidth of time = latency + bytes / bandwidth"),
    ("Latency µs", "Latency of the same"),
    ("r²", "Coefficient of determination"),
    ("Published MB/s", "Measured on silicon"),
    ("Published µs", "The same"),
    ("Difference", "Of the bandwidths"),
)
_CODES = "F is the card, H the host, G the GPU. FH and HF go by the card's DMA, FM and HM by the "
"CPU, GH and HG by the GPU. FR and GR go by the card in the GPU's memory, FGR and GFR by the GPU "
"in the card's, FG and GF by the CPU there. FI and GI go through the host, FIR and GIR through "
"host memory that the GPU knows, FIP and GIP by chunks."


def section(result: TransfersResult, name: str) -> Section:
    """Return the section about one result."""
    return Section(
        template=Path(__file__).parent / "page.html",
        values={
            "columns": _COLUMNS,
            "fit_columns": _FIT_COLUMNS,
            "format_bytes": format_bytes,
            "percent": percent,
            "waits_for": waits_for,
        },
        conditions=", ".join(conditions(result)),
        notes=[
            "The bytes are compared in a pass apart.",
            _CODES,
            *notes(result),
        ],
        plots=[_rates(result, name)],
    )


def _rates(result: TransfersResult, name: str) -> Plot:
    said = "; ".join(f"{row.label}: {row.mb_s:.1f}" for row in result.rows)
    return Plot(
        name=f"{name}-rates",
        title=f"{result.title}: rate by size",
        description=f"Rate in MB/s over the size of a transfer: {said}.",
        size_in=(10.4, 5.2),
        draw=lambda canvas: _draw(canvas, result),
    )


def _draw(canvas: Canvas, result: TransfersResult) -> None:
    lines = {
        series: [
            Point(row.bytes, row.mb_s, f"{row.label}: {row.mb_s:.1f} MB/s, {row.us:.2f} µs")
            for row in result.rows
            if row.series == series
        ]
        for series in result.series
    }
    draw_rates(canvas, lines, "transfer")
