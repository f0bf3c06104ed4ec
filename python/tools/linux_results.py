# SPDX-License-Identifier: Apache-2.0
"""The results of experiments under Linux that are kept, for tables of pages."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sluice.errors import RunError
from sluice.experiments.linux.experiment import View
from sluice.experiments.linux.result import Fit, LinuxResult, LinuxRow
from sluice.experiments.registry import read_result

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "docs" / "evidence" / "experiments"
EXPERIMENTS = ROOT / "bench" / "experiments"
KIB = 1024
_TENTHS_BELOW_US = 50


@dataclass(frozen=True)
class Results:
    """All kept results, by the name of their experiment."""

    of: Mapping[str, LinuxResult]

    @cached_property
    def printed(self) -> Mapping[tuple[str, int], LinuxRow]:
        """Return the rows of printed tables, by table and bytes."""
        rows = (row for result in self.of.values() for row in result.rows)
        return {(row.table, row.bytes): row for row in rows if row.table is not None}

    @cached_property
    def fits(self) -> Mapping[str, Fit]:
        """Return the fits, by table."""
        return {fit.table: fit for result in self.of.values() for fit in result.fits}

    def row(self, experiment: str, name: str, size: int, view: View = "user") -> LinuxRow:
        """Return a row of a work, by default the program's."""
        for row in self.of[experiment].rows:
            if (row.name, row.bytes, row.view) == (name, size, view):
                return row
        raise RunError(f"{experiment}.json has no row '{name}' of {size} bytes")

    def rate(self, experiment: str, name: str, size: int) -> str:
        """Return the rate of a work, MB/s."""
        return f"{self.row(experiment, name, size).mb_s:.0f}"


def read_results() -> Results:
    """Return what is kept of each experiment under Linux."""
    found = {}
    for experiment in sorted(EXPERIMENTS.glob("*.toml")):
        if tomllib.loads(experiment.read_text(encoding="utf-8")).get("kind") != "linux":
            continue
        path = RESULTS / f"{experiment.stem}.json"
        if not path.is_file():
            raise RunError(f"{path} is not there; make it with `sluice run {path.stem} --json`")
        _, result = read_result(path.read_bytes(), str(path))
        if isinstance(result, LinuxResult):
            found[path.stem] = result
    return Results(found)


def table_of(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def short_us(us: float) -> str:
    """Return a time with as many digits as it deserves."""
    return f"{us:.1f}" if us < _TENTHS_BELOW_US else f"{us:.0f}"


def sizes_of(sizes: Sequence[int]) -> list[str]:
    """Return the heads of columns of sizes."""
    return [f"{size // KIB} KiB" if size % KIB == 0 else f"{size} B" for size in sizes]
