# SPDX-License-Identifier: Apache-2.0
"""The section of a report about the CPU's own accesses."""

from html import escape

from sluice.cpu_result import CpuResult, CpuRow

_HEADS = (
    ("Figure", "Simulated time: of a copy or read its rate, of a chain of loads the time of one"),
    ("Unit", "MB is 10^6 bytes; a copy counts once"),
    ("Published", "Measured on silicon"),
    ("Difference", "Figure against the published one"),
)
_KINDS = {
    "copy": "Copies and reads",
    "read": "Copies and reads",
    "chase": "Loads that need one another",
    "pio_read": "Programmed I/O",
    "pio_write": "Programmed I/O",
}


def cpu_section(anchor: str, result: CpuResult) -> str:
    """Return the section about one result."""
    return "\n".join(
        [
            f'<section id="{anchor}" aria-labelledby="{anchor}-title">',
            f'<p class="name">{escape(result.experiment)}</p>',
            f'<h1 id="{anchor}-title">{escape(result.title)}</h1>',
            f'<p class="lead">{escape(" ".join(result.description.split()))}</p>',
            f'<p class="conditions">{escape(result.board)}</p>',
            _table(result),
            _notes(result),
            _provenance(result),
            "</section>",
        ]
    )


def _table(result: CpuResult) -> str:
    heads = "".join(
        f'<th scope="col"><abbr title="{escape(why)}">{escape(name)}</abbr></th>'
        for name, why in _HEADS
    )
    bodies = []
    for group in dict.fromkeys(_KINDS.values()):
        lines = "\n".join(_row(row) for row in result.rows if _KINDS.get(row.kind) == group)
        if lines:
            bodies.append(
                f'<tbody>\n<tr class="group"><th scope="rowgroup" colspan="{len(_HEADS) + 1}">'
                f"{escape(group)}</th></tr>\n{lines}\n</tbody>"
            )
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="Table of all accesses">\n'
        "<table>\n<caption>What the CPU's accesses take.</caption>\n"
        f'<thead><tr><th scope="col">Access</th>{heads}</tr></thead>\n'
        + "\n".join(bodies)
        + "\n</table>\n</div>"
    )


def _row(row: CpuRow) -> str:
    published, difference = "–", "–"
    if row.published is not None and row.difference is not None:
        published = f"{row.published:.2f}"
        difference = f"{100 * row.difference:+.2f} %".replace("-", "−")
    cells = [
        f'<td class="mean">{row.figure:.2f}</td>',
        f"<td>{escape(row.unit)}</td>",
        f"<td>{published}</td>",
        f"<td>{difference}</td>",
    ]
    return f'<tr><th scope="row">{escape(row.name)}</th>{"".join(cells)}</tr>'


def _notes(result: CpuResult) -> str:
    notes = [
        "Time is the board's simulated time; how fast the simulation ran changes no figure.",
        "Each work runs twice: cold, with empty caches, and again as the first time has left them.",
    ]
    notes += [
        f"{row.name}: the figure of “{row.minus}” is taken off." for row in result.rows if row.minus
    ]
    if result.settings:
        changed = ", ".join(f"{name} = {value}" for name, value in result.settings.items())
        notes.append(f"The model was changed: {changed}.")
    sources = dict.fromkeys(row.source for row in result.rows if row.source)
    notes += [f"Published: {source}." for source in sources]
    items = "".join(f"<li>{escape(note)}</li>" for note in notes)
    return f"<h2>How to read this</h2><ul>{items}</ul>"


def _provenance(result: CpuResult) -> str:
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
