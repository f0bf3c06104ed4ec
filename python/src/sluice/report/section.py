# SPDX-License-Identifier: Apache-2.0
"""What a kind of experiment says about a result in a report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from sluice.experiments.result import Provenance
from sluice.report.chart import Chart
from sluice.report.table import Table


class Reported(Protocol):
    """What a report is about: a result, or a sweep."""

    @property
    def experiment(self) -> str:
        """Return its name."""

    @property
    def title(self) -> str:
        """Return its title."""

    @property
    def description(self) -> str:
        """Return what it is, in a paragraph."""

    @property
    def partial(self) -> bool:
        """Tell whether something is missing."""

    @property
    def provenance(self) -> Provenance:
        """Return where the figures come from."""

    @property
    def rows(self) -> Sequence[Any]:
        """Return what was measured; each row tells whether its data is `wrong`."""


@dataclass(frozen=True, slots=True)
class Section:
    """What a kind says about a result, beside what all results have."""

    conditions: str  # in one line, what all rows have in common
    summary: Sequence[str] = ()  # what came out, for who reads nothing else
    tiles: Sequence[tuple[str, str]] = ()  # figures to show large, each with its label
    charts: Sequence[Chart] = ()
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()  # how to read it
    facts: Mapping[str, str] = field(default_factory=dict)  # conditions, by name
    again: str | None = None  # what measures it into a file; None: the command with --json
    file: str | None = None  # that file; None: the result's name, as .json
    template: Path | None = None  # extends section.html, where a kind has more to show
    values: Mapping[str, object] = field(default_factory=dict)  # for that template
