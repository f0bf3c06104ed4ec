# SPDX-License-Identifier: Apache-2.0
"""The section of a report about a plan."""

from pathlib import Path

from sluice.experiments.plan.result import PlanResult
from sluice.experiments.plan.wording import advice, words_of
from sluice.experiments.plan.words import asked, conditions
from sluice.report.section import Section


def section(result: PlanResult) -> Section:
    """Return the section about one result."""
    words = words_of(result)
    first, *others = (_capital(column.head) for column in words.columns)
    command = result.provenance.command
    of_options = command.startswith("sluice plan ")  # whose --json writes to standard output
    return Section(
        template=Path(__file__).parent / "page.html",
        values={
            "advice": advice(result),
            "first": first,
            "columns": list(zip(others, (c.about for c in words.columns[1:]), strict=True)),
            "lines": [words.cells(row) for row in result.rows],
        },
        conditions=f"{conditions(result)}: {asked(result)}",
        notes=[
            "Time is the board's simulated time; how fast the simulation ran changes no figure.",
            words.note(result),
            "A limit was found by taking one limit after the other out of the model.",
        ],
        again=f"{command} --json > {result.experiment}.json" if of_options else None,
    )


def _capital(head: str) -> str:
    return head[0].upper() + head[1:]
