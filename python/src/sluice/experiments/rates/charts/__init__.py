# SPDX-License-Identifier: Apache-2.0
"""The charts of a result: a line a row, or curves over the size or the number of ports."""

from sluice.experiments.rates.charts.curves import count_chart, size_chart
from sluice.experiments.rates.charts.lines import line_charts
from sluice.experiments.rates.result import RatesResult
from sluice.experiments.rates.words import sizes_vary
from sluice.report.chart import Chart


def charts_of(result: RatesResult, name: str) -> list[Chart]:
    """Return the charts of a result that has rows."""
    rows = result.rows
    widths = sorted({row.width_bits for row in rows})
    by_size = sizes_vary(rows)
    if not by_size and len({row.variant for row in rows}) > 1:
        if len({len(row.ports) for row in rows}) > 1:
            return [count_chart(rows, f"{name}-by-count")]
        return line_charts(rows, name, "")
    if not by_size and len(widths) > 1 and len({row.ports for row in rows}) == 1:
        return line_charts(rows, name, "")
    charts = []
    for width in widths:
        of_width = [row for row in rows if row.width_bits == width]
        words, key = f"{width}-bit ports", f"{name}-{width}bit"
        charts += (
            [size_chart(of_width, key, words)] if by_size else line_charts(of_width, key, words)
        )
    return charts
