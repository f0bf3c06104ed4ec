# SPDX-License-Identifier: Apache-2.0
"""The section of a report about hardware threads beside one another."""

from collections.abc import Sequence
from pathlib import Path

from sluice.experiments.threads.result import ThreadsResult
from sluice.report.plot import Canvas, Plot
from sluice.report.section import Section


def section(result: ThreadsResult, name: str) -> Section:
    """Return the section about one result."""
    return Section(
        template=Path(__file__).parent / "page.html",
        values={},
        conditions=f"{result.provenance.board}, {result.conditions.design}",
        notes=[
            "Time is the board's simulated time; how fast the simulation ran changes no figure.",
            "Every byte that the threads wrote, or a rogue might have, is compared afterwards.",
            *(f"{row.name}: sluice-bench {row.command}" for row in result.rows),
        ],
        plots=_plots(result, name),
    )


def _plots(result: ThreadsResult, name: str) -> list[Plot]:
    """Return the bars of the figure that the experiment is about."""
    plotted = result.conditions.plot
    drawn = [(row, row.figure(plotted)) for row in result.rows]
    values = [(row.name, figure.value) for row, figure in drawn if figure is not None]
    unit = next((figure.unit for _, figure in drawn if figure is not None), "")
    if not values:
        return []
    said = "; ".join(f"{case} {value:.1f}" for case, value in values)
    return [
        Plot(
            name=f"{name}-cases",
            title=f"{result.title}: {plotted}",
            description=f"Bars of {plotted} in {unit}: {said}.",
            size_in=(10.4, 0.9 + 0.42 * len(values)),
            draw=lambda canvas: _draw(canvas, values, unit),
        )
    ]


def _draw(canvas: Canvas, values: Sequence[tuple[str, float]], unit: str) -> None:
    axes, palette = canvas.figure.subplots(), canvas.palette
    for index, (case, value) in enumerate(values):
        bars = axes.barh(index, value, 0.68, color=palette.duplex, linewidth=0, zorder=2)
        bars[0].set_gid(canvas.tip(f"{case}: {value:.1f} {unit}"))
        axes.annotate(
            f"{value:.1f}", (value, index), (4, 0), textcoords="offset points", va="center"
        )
    axes.set_yticks(range(len(values)), [case for case, _ in values])
    axes.tick_params(axis="y", colors=palette.ink)
    axes.invert_yaxis()
    axes.set_xlim(0, 1.1 * max(value for _, value in values) or 1)
    axes.set_xlabel(unit)
    axes.grid(axis="x", linewidth=0.8)
