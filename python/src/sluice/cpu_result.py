# SPDX-License-Identifier: Apache-2.0
"""The result of an experiment about the CPU, as `sluice report` reads it."""

from dataclasses import dataclass

from sluice.fields import Fields

FORMAT = "sluice-cpu-result-1"


@dataclass(frozen=True, slots=True)
class CpuRow:
    """One work: its figure and what was published."""

    name: str
    kind: str
    state: str
    uncached: bool
    minus: str | None
    figure: float
    unit: str
    published: float | None
    source: str | None

    @property
    def difference(self) -> float | None:
        """Return how far the figure is from the published one, as a share of the latter."""
        return None if self.published is None else self.figure / self.published - 1


@dataclass(frozen=True, slots=True)
class CpuResult:
    """All works of one `sluice run`."""

    experiment: str
    title: str
    description: str
    board: str
    command: str
    settings: dict[str, int]
    versions: dict[str, str]
    commit: str | None
    rows: tuple[CpuRow, ...]


def read_cpu_result(fields: Fields) -> CpuResult:
    """Return the result in a document whose format is FORMAT; errors name the key."""
    settings = fields.table("settings")
    versions = fields.table("versions")
    return CpuResult(
        experiment=fields.text("experiment"),
        title=fields.text("title"),
        description=fields.text("description"),
        board=fields.text("board"),
        command=fields.text("command"),
        settings={name: settings.whole(name) for name in settings.names()},
        versions={name: versions.text(name) for name in versions.names()},
        commit=fields.text("commit") if fields.any("commit") is not None else None,
        rows=tuple(_row(row) for row in fields.tables("rows")),
    )


def _row(fields: Fields) -> CpuRow:
    known = fields.any("published") is not None
    return CpuRow(
        name=fields.text("name"),
        kind=fields.text("kind"),
        state=fields.text("state"),
        uncached=fields.flag("uncached"),
        minus=fields.text("minus") if fields.any("minus") is not None else None,
        figure=fields.number("figure", float("-inf")),
        unit=fields.text("unit"),
        published=fields.number("published") if known else None,
        source=fields.text("source") if known else None,
    )
