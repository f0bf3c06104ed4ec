# SPDX-License-Identifier: Apache-2.0
"""Experiments: TOML files that say board, workload and what was published.

Every error names the file and the key; a key that is not known is an error.
"""

import itertools
import tomllib
from dataclasses import dataclass
from pathlib import Path

from sluice.errors import InputError
from sluice.fields import Fields
from sluice.labels import DIRECTIONS, LEVELS, RTL
from sluice.published import Published, read_published
from sluice.units import parse_bytes

MOST_RUNS = 10_000
LAST_SEED = 2**32 - 1
LONGEST_SKEW_NS = 1_000_000


@dataclass(frozen=True, slots=True)
class Placement:
    """Where the buffers lie in memory: one rule for all rows of an experiment."""

    rule: str
    stagger_bytes: int


@dataclass(frozen=True, slots=True)
class Labels:
    """What the literature calls a row: a word for its direction, and its number of ports."""

    direction: str  # name of the label, such as "mode"
    words: dict[str, str]  # by direction
    count: str  # name of the label, such as "threads"

    def of(self, direction: str, ports: int) -> dict[str, str | int]:
        """Return the labels of a row."""
        return {self.direction: self.words[direction], self.count: ports}


@dataclass(frozen=True, slots=True)
class Axes:
    """The values whose every combination is a row."""

    width_bits: tuple[int, ...]
    direction: tuple[str, ...]
    ports: tuple[tuple[int, ...], ...]
    clock_mhz: tuple[float, ...]
    bytes: tuple[int, ...]
    stagger_bytes: tuple[int, ...]
    attributes: tuple[tuple[tuple[str, int], ...], ...] = ((),)  # of the design: (name, value)s


@dataclass(frozen=True, slots=True)
class FewerRuns:
    """Rows that are measured less often: larger ones, or those of one design."""

    above_bytes: int
    design: str | None  # None: any
    runs: int  # at most


@dataclass(frozen=True, slots=True)
class Experiment:
    """One experiment, as its file says it."""

    name: str
    file: Path
    title: str
    description: str
    board: str
    designs: tuple[str, ...]  # an axis, the outermost one
    level: str
    settings: tuple[tuple[str, int], ...]  # of the memory model: (name, value)
    placement_rule: str
    labels: Labels | None
    axes: Axes
    full_bytes: int | None  # the block size of --full; None where sizes are an axis
    runs: int
    fewer_runs: tuple[FewerRuns, ...]
    seed: int
    preset: str
    skew_ns: int
    published: Published | None

    @property
    def rows(self) -> int:
        """Return how many rows the whole experiment has."""
        axes = self.axes
        count = len(self.designs) * len(axes.attributes)
        count *= len(axes.width_bits) * len(axes.direction) * len(axes.ports)
        return count * len(axes.clock_mhz) * len(axes.bytes) * len(axes.stagger_bytes)

    def runs_of(self, block_bytes: int, design: str) -> int:
        """Return how often a row of this block size and design is measured."""
        runs = self.runs
        for fewer in self.fewer_runs:
            if block_bytes > fewer.above_bytes and fewer.design in (None, design):
                runs = min(runs, fewer.runs)
        return runs


def load_experiment(path: Path) -> Experiment:
    """Read and check an experiment's file."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not a TOML file: {error}") from error
    fields = Fields(str(path), document)
    placement, defaults, axes = (fields.table(key) for key in ("placement", "defaults", "axes"))
    full_bytes, sizes = _sizes(defaults, axes)
    experiment = Experiment(
        name=path.stem,
        file=path,
        title=fields.text("title"),
        description=fields.text("description"),
        board=fields.text("board"),
        designs=_designs(fields),
        level=_level(defaults),
        labels=_labels(fields),
        settings=read_settings(fields),
        placement_rule=placement.text("rule"),
        axes=Axes(
            width_bits=axes.wholes("width_bits", 1),
            direction=_directions(axes),
            ports=_port_sets(axes),
            clock_mhz=_clocks(axes),
            bytes=sizes,
            stagger_bytes=_staggers(placement, axes),
            attributes=_attributes(axes),
        ),
        full_bytes=full_bytes,
        runs=defaults.whole("runs", 1, MOST_RUNS),
        fewer_runs=_fewer_runs(fields),
        seed=defaults.whole("seed", 0, LAST_SEED),
        preset=defaults.text("preset"),
        skew_ns=defaults.whole("skew_ns", 0, LONGEST_SKEW_NS),
        published=(
            read_published(fields.table("published"), path) if "published" in fields else None
        ),
    )
    for table in (placement, defaults, axes, fields):
        table.finish()
    return experiment


def _designs(fields: Fields) -> tuple[str, ...]:
    """Return the designs to measure: one, or several to compare."""
    if "designs" not in fields:
        return (fields.text("design"),)
    if "design" in fields:
        raise fields.problem("design", "must not stand beside designs")
    designs = fields.texts("designs")
    if not designs or len(set(designs)) != len(designs):
        raise fields.problem("designs", "must hold designs, each once")
    return designs


def _labels(fields: Fields) -> Labels | None:
    if "labels" not in fields:
        return None
    table = fields.table("labels")
    words = table.table("words")
    labels = Labels(
        direction=table.text("direction"),
        words={direction: words.text(direction) for direction in _directions(fields.table("axes"))},
        count=table.text("count"),
    )
    words.finish()
    table.finish()
    return labels


def _level(defaults: Fields) -> str:
    if "level" not in defaults:
        return RTL
    level = defaults.text("level")
    if level not in LEVELS:
        raise defaults.problem("level", f"'{level}' is none of {', '.join(LEVELS)}")
    return level


def read_settings(fields: Fields) -> tuple[tuple[str, int], ...]:
    """Return the settings of the memory model that a file's [model] changes."""
    if "model" not in fields:
        return ()
    table = fields.table("model")
    settings = tuple((name, table.whole(name)) for name in table.names())
    table.finish()
    return settings


def _attributes(axes: Fields) -> tuple[tuple[tuple[str, int], ...], ...]:
    """Return every combination of the attributes' values; one of none where there are none."""
    if "attributes" not in axes:
        return ((),)
    table = axes.table("attributes")
    values = [[(name, value) for value in table.wholes(name)] for name in table.names()]
    return tuple(itertools.product(*values))


def _staggers(placement: Fields, axes: Fields) -> tuple[int, ...]:
    """Return the staggers of the placement: one for all rows, or an axis."""
    if "stagger_bytes" not in axes:
        return (placement.whole("stagger_bytes"),)
    if "stagger_bytes" in placement:
        raise placement.problem("stagger_bytes", "must not stand beside axes.stagger_bytes")
    return axes.wholes("stagger_bytes")


def _sizes(defaults: Fields, axes: Fields) -> tuple[int | None, tuple[int, ...]]:
    """Return the block size of --full and the block sizes: a default, or an axis."""
    if "bytes" not in axes:
        return _size(defaults, "full_bytes"), (_size(defaults, "bytes"),)
    if "bytes" in defaults:
        raise defaults.problem("bytes", "must not stand beside axes.bytes")
    return None, tuple(_parse(axes, "bytes", text) for text in axes.texts("bytes"))


def _size(fields: Fields, key: str) -> int:
    return _parse(fields, key, fields.text(key))


def _parse(fields: Fields, key: str, text: str) -> int:
    try:
        size = parse_bytes(text)
    except InputError as error:
        raise fields.problem(key, str(error)) from error
    if not size:
        raise fields.problem(key, "must be at least 1 byte")
    return size


def _directions(axes: Fields) -> tuple[str, ...]:
    directions = axes.texts("direction")
    for direction in directions:
        if direction not in DIRECTIONS:
            allowed = ", ".join(DIRECTIONS)
            raise axes.problem("direction", f"'{direction}' is none of {allowed}")
    return directions


def _port_sets(axes: Fields) -> tuple[tuple[int, ...], ...]:
    sets: list[tuple[int, ...]] = []
    for entry in axes.items("ports"):
        ports = Fields("", {"ports": entry})
        try:
            numbers = tuple(sorted(ports.wholes("ports")))
        except InputError as error:
            raise axes.problem("ports", "must be a list of port sets such as [0, 2]") from error
        if numbers in sets:
            raise axes.problem("ports", f"holds {list(numbers)} twice")
        sets.append(numbers)
    return tuple(sets)


def _clocks(axes: Fields) -> tuple[float, ...]:
    clocks = axes.numbers("clock_mhz")
    if not clocks or len(set(clocks)) != len(clocks) or not all(clocks):
        raise axes.problem("clock_mhz", "must hold clocks above 0, each once")
    return clocks


def _fewer_runs(fields: Fields) -> tuple[FewerRuns, ...]:
    if "fewer_runs" not in fields:
        return ()
    steps: list[FewerRuns] = []
    for step in fields.tables("fewer_runs"):
        design = step.text("design") if "design" in step else None
        above = (
            0 if design is not None and "above_bytes" not in step else _size(step, "above_bytes")
        )
        steps.append(FewerRuns(above, design, step.whole("runs", 1, MOST_RUNS)))
        step.finish()
    return tuple(steps)
