# SPDX-License-Identifier: Apache-2.0
"""The section of a report about a plan."""

from pathlib import Path

from sluice.experiments.plan.result import PlanResult
from sluice.experiments.plan.words import NOTE, advice, asked, cells, conditions
from sluice.report.section import Section

_COLUMNS = (
    ("Bits", "Data width of each port"),
    ("MB/s a direction", "Slowest to fastest run, buffers aligned to the same DRAM bank"),
    ("Two banks apart", "The same, each buffer two banks further than the one before"),
    ("Verdict", "Whether the slowest run meets the requested rates, or what limits it"),
)


def section(result: PlanResult) -> Section:
    """Return the section about one result."""
    command = result.provenance.command
    of_options = command.startswith("sluice plan ")  # whose --json writes to standard output
    return Section(
        template=Path(__file__).parent / "page.html",
        values={
            "advice": advice(result),
            "columns": _COLUMNS,
            "lines": [cells(row) for row in result.rows],
        },
        conditions=f"{conditions(result)}: {asked(result)}",
        notes=[
            "Time is the board's simulated time; how fast the simulation ran changes no figure.",
            NOTE,
            "A limit was found by taking one limit after the other out of the model.",
        ],
        again=f"{command} --json > {result.experiment}.json" if of_options else None,
    )
