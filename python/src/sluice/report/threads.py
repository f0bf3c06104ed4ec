# SPDX-License-Identifier: Apache-2.0
"""The section of a report about hardware threads beside one another."""

from collections.abc import Sequence
from html import escape

from sluice.report.plots import Canvas, Plot
from sluice.threads_result import ThreadsResult, ThreadsRow

_PARTIAL = (
    '<p class="warning" role="note"><strong>Partial.</strong> The measurement was cut short: cases '
    "are missing.</p>"
)


def threads_plots(result: ThreadsResult, name: str) -> list[Plot]:
    """Return the bars of the figure that the experiment is about."""
    drawn = [(row, row.figure(result.plot)) for row in result.rows]
    values = [(row.name, figure.value) for row, figure in drawn if figure is not None]
    unit = next((figure.unit for _, figure in drawn if figure is not None), "")
    if not values:
        return []
    said = "; ".join(f"{case} {value:.1f}" for case, value in values)
    return [
        Plot(
            name=f"{name}-cases",
            title=f"{result.title}: {result.plot}",
            description=f"Bars of {result.plot} in {unit}: {said}.",
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


def threads_section(anchor: str, result: ThreadsResult, figures: str) -> str:
    """Return the section about one result; `figures` are its plots."""
    return "\n".join(
        [
            f'<section id="{anchor}" aria-labelledby="{anchor}-title">',
            f'<p class="name">{escape(result.experiment)}</p>',
            f'<h1 id="{anchor}-title">{escape(result.title)}</h1>',
            f'<p class="lead">{escape(" ".join(result.description.split()))}</p>',
            f'<p class="conditions">{escape(result.board)}, {escape(result.design)}</p>',
            *([_PARTIAL] if result.partial else []),
            figures,
            _table(result),
            _notes(result),
            _provenance(result),
            "</section>",
        ]
    )


def _table(result: ThreadsResult) -> str:
    heads = "".join(
        f'<th scope="col">{escape(name)}<br><small>{escape(unit)}</small></th>'
        for name, unit in result.columns
    )
    lines = "\n".join(_row(result, row) for row in result.rows)
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="Table of all cases">\n'
        "<table>\n<caption>All cases.</caption>\n"
        f'<thead><tr><th scope="col">Case</th>{heads}</tr></thead>\n<tbody>\n{lines}\n</tbody>\n'
        "</table>\n</div>"
    )


def _row(result: ThreadsResult, row: ThreadsRow) -> str:
    cells = []
    for name, _ in result.columns:
        figure = row.figure(name)
        kind = ' class="mean"' if name == result.plot else ""
        cells.append(f"<td{kind}>{figure.value:.1f}</td>" if figure else "<td>–</td>")
    wrong = "" if row.verified else ' <strong class="wrong">wrong data</strong>'
    return f'<tr><th scope="row">{escape(row.name)}{wrong}</th>{"".join(cells)}</tr>'


def _notes(result: ThreadsResult) -> str:
    notes = [
        "Time is the board's simulated time; how fast the simulation ran changes no figure.",
        "Every byte that the threads wrote, or that a rogue might have, is compared afterwards.",
    ]
    notes += [f"{row.name}: sluice-bench {row.command}" for row in result.rows]
    items = "".join(f"<li>{escape(note)}</li>" for note in notes)
    return f"<h2>How to read this</h2><ul>{items}</ul>"


def _provenance(result: ThreadsResult) -> str:
    facts = {
        "Versions": ", ".join(
            f"{name.replace('_', '-')} {version}" for name, version in result.versions.items()
        ),
        "Commit": result.commit or "not from a checkout",
    }
    items = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>"
        for name, value in facts.items()
    )
    command = f"{result.command} --json {result.experiment}.json"
    report = f"sluice report {result.experiment}.json"
    return (
        f'<h2>Conditions</h2><dl class="provenance">{items}</dl>'
        "<h2>Measure it again</h2>"
        f"<pre><code>{escape(command)}\n{escape(report)}</code></pre>"
    )
