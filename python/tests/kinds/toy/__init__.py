# SPDX-License-Identifier: Apache-2.0
"""The smallest kind of experiment: how long the CPU takes to read buffers of some sizes.

A kind is this folder and nothing else. One that needs large libraries has them in modules beside
this one, which its methods import, so that the command starts fast.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer
from pydantic import Field
from rich.console import Console

from sluice.errors import RunError
from sluice.experiments.kind import Experiment, Kind, Measurement, Session
from sluice.experiments.result import Conditions, Result, ResultRow
from sluice.models import Distinct, Record, Size, Text, checked
from sluice.report.section import Section

_TIMEOUT_S = 60


@dataclass(frozen=True, slots=True)
class Options:
    """What `sluice run` takes for this kind."""

    only_bytes: Annotated[
        int | None, typer.Option("--only", metavar="BYTES", help="Only the buffer of this size.")
    ] = None


class ToyExperiment(Experiment):
    """Reads of some sizes."""

    kind: Literal["toy"] = Field(description="Kind of the experiment.")
    sizes: Distinct[Size] = Field(description="Sizes of the buffers.")

    @property
    def design_names(self) -> tuple[str, ...]:
        """Return the design of the board."""
        return ("hp_stress",)

    @property
    def row_count(self) -> int:
        """Return how many sizes it has."""
        return len(self.sizes)


class ToyRow(ResultRow):
    """One size."""

    bytes: int = Field(description="Size of the buffer.")
    ns: float = Field(description="Time of the read.")
    remark: Text = Field(description="What was read.")

    @property
    def label(self) -> str:
        """Return the size."""
        return f"{self.bytes} bytes"


class ToyConditions(Conditions):
    """What all rows share."""

    state: Literal["cold"] = Field(description="State of the caches.")


class ToyResult(Result[ToyConditions, ToyRow]):
    """Reads of some sizes."""

    kind: Literal["toy"] = Field(default="toy", description="Kind of the experiment.")


class _Answer(Record):
    cold_ns: float


class ToyKind(Kind[ToyExperiment, Options, ToyResult]):
    """Reads of some sizes."""

    name = "toy"
    summary = "how long the CPU takes to read buffers of some sizes"
    unit = "sizes"
    options = Options
    experiment = ToyExperiment
    result = ToyResult

    def measure(
        self, experiment: ToyExperiment, options: Options, session: Session
    ) -> Measurement[ToyConditions, ToyRow]:
        """Plan one read a size."""
        session.catalogue.board(experiment.board)
        sizes = [size for size in experiment.sizes if options.only_bytes in (None, size)]
        return Measurement(
            rows=self._rows(experiment.board, sizes, session),
            conditions=ToyConditions(state="cold"),
        )

    def _rows(self, board: str, sizes: list[int], session: Session) -> Iterator[ToyRow]:
        for size in sizes:
            words = ["cpu", "--board", board, "--kind", "read", "--bytes", str(size)]
            answer = session.ask(words, f"{size} bytes", _TIMEOUT_S)
            ns = checked(_Answer, answer, "sluice-bench cpu", RunError).cold_ns
            yield ToyRow(bytes=size, ns=ns, remark="<all of it>")

    def show(self, result: ToyResult, console: Console) -> None:
        """Print a line a size."""
        for row in result.rows:
            console.print(f"{row.label}: {row.ns:.0f} ns")

    def page(self, result: ToyResult, name: str) -> Section:
        """Return a list of the sizes."""
        del name  # no charts
        return Section(
            template=Path(__file__).parent / "page.html",
            values={"rows": result.rows},
            conditions=f"{result.provenance.board}, {result.conditions.state}",
            notes=["Time is simulated."],
        )


KIND = ToyKind()
