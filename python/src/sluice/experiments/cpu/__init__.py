# SPDX-License-Identifier: Apache-2.0
"""The CPU's own accesses: what a copy, a read, a chain of loads take."""

from rich.console import Console

from sluice.experiments.cpu.experiment import CpuExperiment
from sluice.experiments.cpu.measure import measure
from sluice.experiments.cpu.options import Options
from sluice.experiments.cpu.result import CpuConditions, CpuResult, CpuRow
from sluice.experiments.cpu.show import print_result
from sluice.experiments.kind import Kind, Measurement, Session
from sluice.report.section import Section


class CpuKind(Kind[CpuExperiment, Options, CpuResult]):
    """The CPU's own accesses."""

    name = "cpu"
    summary = "times of copies, reads, chains of loads and programmed I/O of the CPU"
    unit = "works"
    options = Options
    experiment = CpuExperiment
    result = CpuResult

    def measure(
        self, experiment: CpuExperiment, options: Options, session: Session
    ) -> Measurement[CpuConditions, CpuRow]:
        """Plan the works, which are measured one after the other."""
        return measure(experiment, options, session)

    def show(self, result: CpuResult, console: Console) -> None:
        """Print each figure beside the published one."""
        print_result(result, console)

    def page(self, result: CpuResult, name: str) -> Section:
        """Return a table by what kind of access it is."""
        from sluice.experiments.cpu.page import section  # noqa: PLC0415  (jinja2)

        return section(result, name)


KIND = CpuKind()
