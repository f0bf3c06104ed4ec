# SPDX-License-Identifier: Apache-2.0
"""What a kind of experiment says about a result in a report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # matplotlib takes a second to import, and only drawing needs it
    from sluice.report.plot import Plot


@dataclass(frozen=True, slots=True)
class Section:
    """What a kind says about a result, beside what all results have."""

    template: Path  # extends section.html
    values: Mapping[str, object]  # for the template
    conditions: str  # in one line, what all rows have in common
    notes: Sequence[str] = ()  # how to read it
    facts: Mapping[str, str] = field(default_factory=dict)  # conditions, by name
    plots: Sequence["Plot"] = ()
    again: str | None = None  # what measures it into a file; None: the command with --json
