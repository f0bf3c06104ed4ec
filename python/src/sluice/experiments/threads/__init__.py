# SPDX-License-Identifier: Apache-2.0
"""Hardware threads beside one another: a rogue among others, pipelines."""

from rich.console import Console

from sluice.experiments.kind import Kind, Measurement, Session
from sluice.experiments.options import NoOptions
from sluice.experiments.threads.experiment import ThreadsExperiment
from sluice.experiments.threads.measure import measure
from sluice.experiments.threads.result import ThreadsConditions, ThreadsResult, ThreadsRow
from sluice.experiments.threads.show import print_result
from sluice.report.section import Section


class ThreadsKind(Kind[ThreadsExperiment, NoOptions, ThreadsResult]):
    """Hardware threads beside one another."""

    name = "threads"
    summary = "effects of hardware threads on one another, beside a rogue thread and in pipelines"
    unit = "cases"
    options = NoOptions
    experiment = ThreadsExperiment
    result = ThreadsResult

    def measure(
        self, experiment: ThreadsExperiment, options: NoOptions, session: Session
    ) -> Measurement[ThreadsConditions, ThreadsRow]:
        """Plan the cases, which are measured one after the other."""
        del options
        return measure(experiment, session)

    def show(self, result: ThreadsResult, console: Console) -> None:
        """Print a column for each figure."""
        print_result(result, console)

    def page(self, result: ThreadsResult, name: str) -> Section:
        """Return a plot of one figure and a table of all."""
        from sluice.experiments.threads.page import section  # noqa: PLC0415  (jinja2)

        return section(result, name)


KIND = ThreadsKind()
