# SPDX-License-Identifier: Apache-2.0
"""Plans: which configurations of a board meet the requested rates, and what limits the others."""

import shlex
from pathlib import Path

from rich.console import Console

from sluice.errors import InputError
from sluice.experiments.kind import Kind, Measurement, Session
from sluice.experiments.options import NoOptions
from sluice.experiments.plan.experiment import PlanExperiment
from sluice.experiments.plan.measure import Row, measure
from sluice.experiments.plan.result import PlanConditions, PlanResult
from sluice.experiments.plan.show import print_result
from sluice.report.section import Section
from sluice.units import format_number, parse_bytes, parse_rate


class PlanKind(Kind[PlanExperiment, NoOptions, PlanResult]):
    """Configurations that meet the requested rates."""

    name = "plan"
    summary = "which configurations of a board meet the requested rates, and what limits the others"
    unit = "configurations"
    options = NoOptions
    experiment = PlanExperiment
    result = PlanResult

    def measure(
        self, experiment: PlanExperiment, options: NoOptions, session: Session
    ) -> Measurement[PlanConditions, Row]:
        """Plan the configurations, which are simulated together."""
        del options
        return measure(experiment, session)

    def show(self, result: PlanResult, console: Console) -> None:
        """Print the configurations, cheapest first, and which one to take."""
        print_result(result, console)

    def page(self, result: PlanResult, name: str) -> Section:
        """Return a table of the configurations."""
        from sluice.experiments.plan.page import section  # noqa: PLC0415  (jinja2)

        return section(result, name)

    def empty_page(self, result: PlanResult) -> Section:
        """Return what to say of a plan without configurations."""
        from sluice.experiments.plan.page import empty_section  # noqa: PLC0415  (jinja2)

        return empty_section(result)


KIND = PlanKind()


def requested(  # noqa: PLR0913  (one parameter an option)
    board: str,
    read: str | None,
    write: str | None,
    clock_mhz: float | None,
    chunk: str,
    *,
    sweep: str | None = None,
) -> tuple[PlanExperiment, str]:
    """Return the experiment that the options of `sluice plan` ask for, and their command line."""
    rates = {name: text for name, text in (("read", read), ("write", write)) if text is not None}
    if not any(parse_rate(text) for text in rates.values()):
        raise InputError("give --read or --write, or both: a rate such as 600MB/s")
    parse_bytes(chunk)
    document: dict[str, object] = {"kind": KIND.name, "board": board, "chunk": chunk, **rates}
    words = ["sluice", "plan", "--board", board]
    for name, text in rates.items():
        words += [f"--{name}", text]
    if clock_mhz is not None:
        document["clock_mhz"] = clock_mhz
        words += ["--clock-mhz", format_number(clock_mhz)]
    words += ["--chunk", chunk]
    if sweep is not None:
        document["sweep"] = sweep
        words += ["--sweep", sweep]
    asked = " and ".join(f"{name} {text}" for name, text in rates.items())
    document["title"] = f"Configurations of {board} that {asked}"
    document["description"] = (
        "Every configuration is simulated. If one falls short, its limit is found by removing "
        "one limit after the other from the model."
    )
    return KIND.load(Path(KIND.name), document), shlex.join(words)
