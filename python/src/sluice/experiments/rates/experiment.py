# SPDX-License-Identifier: Apache-2.0
"""The file of an experiment about rates: board, placement, axes and what was published."""

import itertools
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, PrivateAttr, model_validator

from sluice.experiments.kind import Experiment
from sluice.experiments.rates.published import Published, PublishedTable, published
from sluice.labels import OF_ENGINES, RTL, TRANSACTION, Direction, Level
from sluice.models import Distinct, Size, Table, Text, Whole, problem

MOST_RUNS = 10_000
LAST_SEED = 2**32 - 1
LONGEST_SKEW_NS = 1_000_000


def _port_sets(value: object) -> object:
    """Return sets of ports with the ports of each in order."""
    if not isinstance(value, tuple):
        return value
    for entry in value:
        if not isinstance(entry, tuple) or not entry or not all(map(_is_port, entry)):
            raise problem("", "must be a list of port sets such as [0, 2]")
        if len(set(entry)) < len(entry):
            raise problem("", f"must be a list of port sets, and {list(entry)} names one twice")
    return tuple(tuple(sorted(entry)) for entry in value)


def _is_port(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _clocks(value: tuple[float, ...]) -> tuple[float, ...]:
    if not value or len(set(value)) != len(value) or not all(value):
        raise problem("", "must hold clocks above 0, each once")
    return value


Runs = Annotated[int, Field(ge=1, le=MOST_RUNS)]
Settings = dict[str, Whole]


class PlacementTable(Table):
    """Where the buffers lie in memory: one rule for all rows."""

    rule: Text = Field(description="Rule of the placement, as text.")
    stagger_bytes: Whole | None = Field(
        default=None,
        description="Buffer n starts n times this after a common alignment.",
        json_schema_extra={"required_unless": "axes.stagger_bytes"},
    )


class Labels(Table):
    """What the literature calls a row: a word for its direction, and its number of ports."""

    direction: Text = Field(description='Name of the label for the direction, such as "mode".')
    words: dict[Direction, Text] = Field(description="Value of that label, by direction.")
    count: Text = Field(description='Name of the label for the number of ports: "threads".')

    def of(self, direction: Direction, ports: int) -> dict[str, str | int]:
        """Return the labels of a row."""
        return {self.direction: self.words[direction], self.count: ports}


class Defaults(Table):
    """The conditions that all rows share."""

    bytes: Size | None = Field(
        default=None,
        description="Block that each engine moves in a run.",
        json_schema_extra={"required_unless": "axes.bytes"},
    )
    full_bytes: Size | None = Field(
        default=None,
        description="The same with --full.",
        json_schema_extra={"required_unless": "axes.bytes"},
    )
    runs: Runs = Field(description="Runs of a row, each with its own start skews.")
    seed: Annotated[int, Field(ge=0, le=LAST_SEED)] = Field(description="Seed of the skews.")
    level: Level = Field(
        default=RTL,
        description="Level of the simulation if --level is not given.",
    )
    preset: Text = Field(description="Software whose start cost is used, such as bare_metal.")
    skew_ns: Annotated[int, Field(ge=0, le=LONGEST_SKEW_NS)] = Field(
        description="Largest random start skew of an engine."
    )


class Axes(Table):
    """Values of the conditions. Every combination is a row."""

    width_bits: Distinct[Annotated[int, Field(ge=1)]] = Field(description="Widths of the ports.")
    direction: Distinct[Direction] = Field(
        description="Directions. mm2s reads memory (PS to PL), s2mm writes it (PL to PS). duplex "
        "does both through a loop-back, both does so without one, copy moves memory to memory."
    )
    ports: Annotated[Distinct[tuple[int, ...]], BeforeValidator(_port_sets)] = Field(
        description="Sets of ports, by number, such as [[0], [0, 2]]."
    )
    clock_mhz: Annotated[tuple[Annotated[float, Field(ge=0)], ...], AfterValidator(_clocks)] = (
        Field(description="Clocks of the logic.")
    )
    bytes: Distinct[Size] | None = Field(
        default=None,
        description="Blocks that engines move, if their size varies. Not with defaults.bytes.",
    )
    stagger_bytes: Distinct[Whole] | None = Field(
        default=None,
        description="Staggers of the buffers, if the placement varies. Not with "
        "placement.stagger_bytes.",
    )
    attributes: dict[str, Distinct[Whole]] = Field(
        default_factory=dict, description="Values of attributes of the design, by name."
    )


class FewerRuns(Table):
    """Rows that are measured less often: larger ones, or those of one design."""

    above_bytes: Size | None = Field(default=None, description="Only rows of larger blocks.")
    design: Text | None = Field(default=None, description="Only rows of this design.")
    runs: Runs = Field(description="Largest number of runs of such a row.")

    @model_validator(mode="after")
    def _says_which(self) -> Self:
        if self.above_bytes is None and self.design is None:
            raise problem("above_bytes", "is missing, and design too")
        return self


class RatesExperiment(Experiment):
    """What ports deliver."""

    kind: Literal["rates"] = Field(default="rates", description="Kind of the experiment.")
    design: Text | None = Field(default=None, description="Name of the design.")
    designs: Distinct[Text] | None = Field(
        default=None,
        description="Designs to compare, instead of design. They are the outermost axis.",
    )
    placement: PlacementTable = Field(description="Positions of the buffers in memory.")
    defaults: Defaults = Field(description="The conditions that all rows share.")
    axes: Axes = Field(description="Values of the conditions. Every combination is a row.")
    model: Settings = Field(
        default_factory=dict, description="Settings of the memory model that are changed, by name."
    )
    engine: Settings = Field(
        default_factory=dict,
        description="Settings of the transaction-level engines that are changed, by name; at other "
        "levels the design has its own engines.",
    )
    labels: Labels | None = Field(default=None, description="Names of a row in the publication.")
    fewer_runs: tuple[FewerRuns, ...] = Field(default=(), description="Rows with fewer runs.")
    published_table: PublishedTable | None = Field(
        default=None,
        alias="published",
        description="Published rows to compare these rows with.",
    )

    _published: Published | None = PrivateAttr(default=None)

    def settings(self, level: Level) -> dict[str, int]:
        """Return the settings of memory and engines that are changed at that level, by name."""
        engine = self.engine if level == TRANSACTION else {}
        return dict(self.model) | {f"{OF_ENGINES}{name}": value for name, value in engine.items()}

    def find_published(self) -> None:
        """Find the published figures that [published] points to."""
        if self.published_table is not None:
            self._published = published(self.published_table, self.file)

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        if self.design is not None and self.designs is not None:
            raise problem("design", "must not be combined with designs")
        if self.design is None and self.designs is None:
            raise problem("design", "is missing")
        either = (
            ("placement.stagger_bytes", self.placement.stagger_bytes, "axes.stagger_bytes"),
            ("defaults.bytes", self.defaults.bytes, "axes.bytes"),
        )
        for key, one, other in either:
            several = getattr(self.axes, other.removeprefix("axes."))
            if one is not None and several is not None:
                raise problem(key, f"must not be combined with {other}")
            if one is None and several is None:
                raise problem(key, f"is missing, and {other} too")
        if self.defaults.bytes is not None and self.defaults.full_bytes is None:
            raise problem("defaults.full_bytes", "is missing: the block that --full measures")
        if self.axes.bytes is not None and self.defaults.full_bytes is not None:
            raise problem("defaults.full_bytes", "must not be combined with axes.bytes")
        for direction in self.axes.direction:
            if self.labels is not None and direction not in self.labels.words:
                raise problem(f"labels.words.{direction}", "is missing")
        return self

    @property
    def design_names(self) -> tuple[str, ...]:
        """Return the designs: an axis, the outermost one."""
        return self.designs or (self.design or "",)

    @property
    def row_count(self) -> int:
        """Return how many rows the whole experiment has."""
        axes = self.axes
        count = len(self.design_names) * len(self.attributes)
        count *= len(axes.width_bits) * len(axes.direction) * len(axes.ports)
        return count * len(axes.clock_mhz) * len(self.sizes) * len(self.staggers)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Return the blocks that engines move: an axis, or the default."""
        return self.axes.bytes or (self.defaults.bytes or 0,)

    @property
    def staggers(self) -> tuple[int, ...]:
        """Return the staggers of the buffers: an axis, or that of the placement."""
        return self.axes.stagger_bytes or (self.placement.stagger_bytes or 0,)

    @property
    def attributes(self) -> tuple[tuple[tuple[str, int], ...], ...]:
        """Return every combination of the attributes' values; one of none where there are none."""
        values = [[(name, v) for v in values] for name, values in self.axes.attributes.items()]
        return tuple(itertools.product(*values))

    @property
    def published(self) -> Published | None:
        """Return the published figures."""
        return self._published

    def runs_of(self, block_bytes: int, design: str) -> int:
        """Return how often a row of this block size and design is measured."""
        runs = self.defaults.runs
        for fewer in self.fewer_runs:
            if block_bytes > (fewer.above_bytes or 0) and fewer.design in (None, design):
                runs = min(runs, fewer.runs)
        return runs
