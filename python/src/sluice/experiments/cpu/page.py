# SPDX-License-Identifier: Apache-2.0
"""The section of a report about the CPU's own accesses."""

from pathlib import Path

from sluice.experiments.cpu.result import CpuResult
from sluice.report.section import Section

_COLUMNS = (
    ("Figure", "Simulated time: of a copy or read its rate, of a chain of loads the time of one"),
    ("Unit", "MB is 10^6 bytes; a copy counts once"),
    ("Published", "Measured on silicon"),
    ("Difference", "Figure against the published one"),
)
_GROUPS = {
    "copy": "Copies and reads",
    "read": "Copies and reads",
    "chase": "Loads that need one another",
    "pio_read": "Programmed I/O",
    "pio_write": "Programmed I/O",
}


def section(result: CpuResult) -> Section:
    """Return the section about one result."""
    groups = {
        name: [row for row in result.rows if _GROUPS[row.kind] == name]
        for name in dict.fromkeys(_GROUPS.values())
    }
    return Section(
        template=Path(__file__).parent / "page.html",
        values={
            "columns": _COLUMNS,
            "groups": {name: rows for name, rows in groups.items() if rows},
        },
        conditions=result.provenance.board,
        notes=_notes(result),
    )


def _notes(result: CpuResult) -> list[str]:
    notes = [
        "Time is the board's simulated time; how fast the simulation ran changes no figure.",
        "Each work runs twice: cold, with empty caches, and again as the first time has left them.",
    ]
    notes += [
        f"{row.name}: the figure of “{row.minus}” is taken off." for row in result.rows if row.minus
    ]
    if settings := result.conditions.settings:
        changed = ", ".join(f"{name} = {value}" for name, value in settings.items())
        notes.append(f"The model was changed: {changed}.")
    sources = dict.fromkeys(row.source for row in result.rows if row.source)
    return notes + [f"Published: {source}." for source in sources]
