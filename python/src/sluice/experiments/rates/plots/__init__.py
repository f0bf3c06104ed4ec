# SPDX-License-Identifier: Apache-2.0
"""The plots of a result: bars of efficiency or of rate, or curves of rate."""

from sluice.experiments.rates.plots.counts import count_plot
from sluice.experiments.rates.plots.designs import design_plot
from sluice.experiments.rates.plots.efficiency import efficiency_plot
from sluice.experiments.rates.plots.sizes import size_plot
from sluice.experiments.rates.result import RatesResult
from sluice.report.plot import Plot


def plots_of(result: RatesResult, name: str) -> list[Plot]:
    """Return the plots of a result; a result without rows has none."""
    widths = sorted({row.width_bits for row in result.rows})
    by_size = len({row.bytes for row in result.rows}) > 1
    if not by_size and len(widths) > 1 and len({row.ports for row in result.rows}) == 1:
        return [efficiency_plot(result.rows, f"{name}-by-width", "Efficiency by width")]
    if len({row.variant for row in result.rows}) > 1 and not by_size:
        if len({len(row.ports) for row in result.rows}) > 1:
            return [count_plot(result.rows, f"{name}-by-count")]
        return [design_plot(result.rows, f"{name}-by-design")]
    plots = []
    for width in widths:
        rows = [row for row in result.rows if row.width_bits == width]
        suffix = f"{name}-{width}bit"
        if by_size:
            plots.append(size_plot(rows, suffix, width))
        else:
            plots.append(efficiency_plot(rows, suffix, f"Efficiency of {width}-bit ports"))
    return plots
