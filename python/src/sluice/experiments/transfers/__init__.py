# SPDX-License-Identifier: Apache-2.0
"""Transfers between a card, its host and a GPU: rates, latencies, and their linear model."""

from rich.console import Console

from sluice.experiments.kind import Kind, Measurement, Session
from sluice.experiments.transfers.experiment import TransfersExperiment
from sluice.experiments.transfers.measure import measure
from sluice.experiments.transfers.options import Options
from sluice.experiments.transfers.result import TransfersConditions, TransfersResult, TransfersRow
from sluice.experiments.transfers.show import print_result
from sluice.report.section import Section


class TransfersKind(Kind[TransfersExperiment, Options, TransfersResult]):
    """Transfers between a card, its host and a GPU."""

    name = "transfers"
    summary = "rates and latencies of transfers between a PCI Express card, its host and a GPU"
    unit = "transfers"
    options = Options
    experiment = TransfersExperiment
    result = TransfersResult
    resumes = True

    def measure(
        self, experiment: TransfersExperiment, options: Options, session: Session
    ) -> Measurement[TransfersConditions, TransfersRow]:
        """Plan the transfers, each size of which is one process."""
        return measure(experiment, options, session)

    def show(self, result: TransfersResult, console: Console) -> None:
        """Print the rows, then the fits."""
        print_result(result, console)

    def page(self, result: TransfersResult, name: str) -> Section:
        """Return a plot of rates, and tables of rows and fits."""
        from sluice.experiments.transfers.page import section  # noqa: PLC0415  (jinja2)

        return section(result, name)


KIND = TransfersKind()
