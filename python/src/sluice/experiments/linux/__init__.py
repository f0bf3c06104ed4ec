# SPDX-License-Identifier: Apache-2.0
"""What programs under Linux get: their calls timed by the machine's own clock."""

from rich.console import Console

from sluice.experiments.kind import Kind, Measurement, Session
from sluice.experiments.linux.experiment import LinuxExperiment
from sluice.experiments.linux.measure import measure
from sluice.experiments.linux.options import Options
from sluice.experiments.linux.result import LinuxConditions, LinuxResult, LinuxRow
from sluice.experiments.linux.show import print_result
from sluice.report.section import Section


class LinuxKind(Kind[LinuxExperiment, Options, LinuxResult]):
    """What programs under Linux get."""

    name = "linux"
    summary = "times of calls of programs under Linux, compared with printed tables"
    unit = "rows"
    options = Options
    experiment = LinuxExperiment
    result = LinuxResult

    def measure(
        self, experiment: LinuxExperiment, options: Options, session: Session
    ) -> Measurement[LinuxConditions, LinuxRow]:
        """Plan the works, which are measured one after the other on one machine."""
        return measure(experiment, options, session)

    def show(self, result: LinuxResult, console: Console) -> None:
        """Print each row beside the printed one, and how tables compare."""
        print_result(result, console)

    def page(self, result: LinuxResult, name: str) -> Section:
        """Return a table of all rows and a plot of rates."""
        from sluice.experiments.linux.page import section  # noqa: PLC0415  (jinja2)

        return section(result, name)


KIND = LinuxKind()
