# SPDX-License-Identifier: Apache-2.0
"""The section of a report about the CPU's own accesses."""

from sluice.experiments.cpu.result import CpuResult, CpuRow
from sluice.report.differences import Difference, compared, differences
from sluice.report.section import Section
from sluice.report.table import (
    TABLET,
    Cell,
    Column,
    Group,
    Line,
    Table,
    difference,
    signed,
    silicon,
)
from sluice.units import format_count

_COLUMNS = (
    Column(
        "Figure",
        "Simulated: of a copy or read its rate, of a chain of loads the time of one",
        main=True,
    ),
    Column("Unit", "MB is 10^6 bytes; a copy counts once", words=True),
    Column("Cold", "Time of the whole work with empty caches", unit="µs", screen=TABLET),
    Column("Warm", "The same with the caches as the first time has left them", unit="µs",
           screen=TABLET),
    Column("Silicon", "The figure that was measured on silicon"),
    Column("Difference", "Our figure against that of silicon", unit="%"),
)  # fmt: skip
_GROUPS = {
    "copy": "Copies and reads",
    "read": "Copies and reads",
    "chase": "Loads that need one another",
    "pio_read": "Programmed I/O",
    "pio_write": "Programmed I/O",
}


def section(result: CpuResult, name: str) -> Section:
    """Return the section about one result."""
    groups = {
        group: [row for row in result.rows if _GROUPS[row.kind] == group]
        for group in dict.fromkeys(_GROUPS.values())
    }
    found = [
        Difference(row.name, row.difference, _tip(row))
        for row in result.rows
        if row.difference is not None
    ]
    return Section(
        conditions=result.provenance.board,
        summary=[
            (
                f"{format_count(len(result.rows), 'work')} of the CPU of a simulated board, "
                f"{result.provenance.board}."
            ),
            *compared(found),
        ],
        charts=differences(found, f"{name}-difference", "work"),
        tables=[
            Table(
                key="rows",
                title="All accesses",
                first="Access",
                columns=_COLUMNS,
                groups=[
                    Group(group, [_line(row) for row in rows])
                    for group, rows in groups.items()
                    if rows
                ],
            )
        ],
        notes=_notes(result),
    )


def _tip(row: CpuRow) -> str:
    return (
        f"{row.name}\nSimulated: {row.figure:.2f} {row.unit}\n"
        f"Silicon: {row.published:.2f} {row.unit}\nDifference: {signed(row.difference or 0, 2)}"
    )


def _line(row: CpuRow) -> Line:
    cells: list[str | Cell] = [
        f"{row.figure:.2f}",
        row.unit,
        f"{row.cold_ns / 1000:.1f}",
        f"{row.warm_ns / 1000:.1f}",
        silicon(row.published, 2),
        difference(row.difference, 2),
    ]
    return Line(row.name, cells)


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
    return notes + [f"Silicon: {source}." for source in sources]
