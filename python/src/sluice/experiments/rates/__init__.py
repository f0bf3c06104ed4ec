# SPDX-License-Identifier: Apache-2.0
"""Rates of ports: rows of width, direction, ports, clock and size, beside what was published."""

from rich.console import Console

from sluice.experiments.kind import Cells, Kind, Measurement, Session
from sluice.experiments.rates.experiment import RatesExperiment
from sluice.experiments.rates.measure import measure
from sluice.experiments.rates.options import Options
from sluice.experiments.rates.result import NoConditions, RatesResult, RatesRow
from sluice.experiments.rates.runs import sweep_runs
from sluice.experiments.rates.show import print_result
from sluice.report.section import Section


class RatesKind(Kind[RatesExperiment, Options, RatesResult]):
    """Rates of ports."""

    name = "rates"
    summary = "rates of ports, by width, direction, set of ports, clock and size"
    unit = "rows"
    options = Options
    experiment = RatesExperiment
    result = RatesResult
    resumes = True
    of_chance = ("defaults.runs", "defaults.seed", "fewer_runs")

    def measure(
        self, experiment: RatesExperiment, options: Options, session: Session
    ) -> Measurement[NoConditions, RatesRow]:
        """Plan the rows that were asked for; they are measured by several processes at once."""
        return measure(experiment, options, session)

    def runs(
        self, experiment: RatesExperiment, runs: range, seed: int, session: Session
    ) -> dict[int, list[Cells]]:
        """Measure runs of all rows for a sweep, each row in one process."""
        return sweep_runs(experiment, runs, seed, session)

    def show(self, result: RatesResult, console: Console) -> None:
        """Print a table by groups of rows."""
        print_result(result, console)

    def page(self, result: RatesResult, name: str) -> Section:
        """Return figures, plots and a table of all rows."""
        from sluice.experiments.rates.page import section  # noqa: PLC0415  (jinja2)

        return section(result, name)


KIND = RatesKind()
