# SPDX-License-Identifier: Apache-2.0
"""The file of a sweep: an experiment, the conditions that vary, and what is sought."""

import math
import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from sluice.errors import InputError
from sluice.experiments.rates.experiment import LAST_SEED, MOST_RUNS
from sluice.models import Distinct, Record, Table, Text, checked, problem, shown

_MOST_VALUES = 10_000  # of an axis
_MOST_JOBS = (1 << 63) - 1  # what a column of numbers in a Parquet file holds
_CONDITION = re.compile(r"\s*(\w+)\s*(<=|>=|==|!=|<|>)\s*(\S.*?)\s*")
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")  # columns of outcomes are in small letters
_WORDS = {"true": True, "false": False}


class Range(Table):
    """Values from one to another, in equal steps or in equal ratios."""

    first: float = Field(alias="from", description="First value.")
    to: float = Field(description="Last value; with step, an upper bound.")
    step: Annotated[float, Field(gt=0)] | None = Field(
        default=None, description="Difference of neighbouring values. Not with count."
    )
    count: Annotated[int, Field(ge=2, le=_MOST_VALUES)] | None = Field(
        default=None, description="Number of values, including both ends."
    )
    scale: Literal["linear", "log"] = Field(
        default="linear", description="Spacing with count: equal steps, or equal ratios."
    )

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        if (self.step is None) == (self.count is None):
            raise problem("step", "must be given, or count, and not both")
        if self.to <= self.first:
            raise problem("to", f"must be above from, is {shown(self.to)}")
        if self.scale == "log" and (self.count is None or self.first <= 0):
            raise problem("scale", "log needs count, and from above 0")
        # As a number with a fraction: it may be too large for len().
        values = (self.to - self.first) / self.step + 1 if self.step is not None else 0
        if values > _MOST_VALUES:
            raise problem("step", f"gives {values:.6g} values; at most {_MOST_VALUES} are allowed")
        return self

    def __len__(self) -> int:
        """Return how many values there are."""
        if self.step is None:
            return self.count or 0
        return math.floor((self.to - self.first) / self.step * (1 + 1e-12)) + 1

    def value(self, index: int) -> int | float:
        """Return a value; whole ones as whole numbers."""
        if self.step is not None:
            value = self.first + index * self.step
        else:
            share = index / (len(self) - 1)
            if self.scale == "log":
                value = self.first * (self.to / self.first) ** share
            else:
                value = self.first + (self.to - self.first) * share
        value = float(f"{value:.12g}")
        return int(value) if value.is_integer() else value


def _axis(value: object) -> object:
    """Return the values of an axis, of which each is there once."""
    if isinstance(value, dict):
        made = checked(Range, value, "a range")
        return tuple(made.value(index) for index in range(len(made)))
    if not isinstance(value, tuple) or not value:
        raise problem("", f"must be a list of values or a range, is {shown(value)}")
    for index, entry in enumerate(value):
        if entry in value[:index]:
            raise problem("", f"holds {shown(entry)} twice")
    return value


def _range_or_list(value: object) -> object:
    try:
        return _axis(value)
    except InputError as error:
        raise problem("", str(error)) from error


class Condition(NamedTuple):
    """What a column must be."""

    column: str
    relation: str
    value: float | bool | str

    def holds(self, found: object) -> bool:
        """Tell whether a value of the column is so; what is not there is not."""
        wanted = self.value
        if found is None or isinstance(wanted, str) != isinstance(found, str):
            return False
        a: Any = found
        outcomes = {
            "==": a == wanted, "!=": a != wanted, "<": a < wanted,
            "<=": a <= wanted, ">": a > wanted, ">=": a >= wanted,
        }  # fmt: skip
        return bool(outcomes[self.relation])


def condition(text: str) -> Condition:
    """Return the condition that a text says, such as "efficiency >= 0.9"."""
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise problem("", f'must hold conditions such as "efficiency >= 0.9", not {shown(text)}')
    column, relation, word = match.groups()
    if word in _WORDS:
        return Condition(column, relation, _WORDS[word])
    try:
        return Condition(column, relation, float(word))
    except ValueError:
        return Condition(column, relation, word.strip("'\""))


def _conditions(value: object) -> object:
    if isinstance(value, tuple):
        for text in value:
            condition(str(text))
    return value


class Best(Table):
    """What is sought: the point with the largest or smallest figure."""

    maximise: Text | None = Field(default=None, description="Column whose largest figure is best.")
    minimise: Text | None = Field(default=None, description="Column whose smallest figure is best.")
    of: Literal["mean", "min", "max"] = Field(
        default="mean", description="Statistic over all runs of a point."
    )
    where: Annotated[tuple[Text, ...], BeforeValidator(_conditions)] = Field(
        default=(),
        description='Conditions that each row of the point must meet, such as "verified == true".',
    )
    evaluations: Annotated[int, Field(ge=1)] | None = Field(
        default=None,
        description="Number of points that a search measures at most: first random ones, then "
        "neighbours of the best. Without it, the command measures all points.",
    )

    @model_validator(mode="after")
    def _seeks_one(self) -> Self:
        if (self.maximise is None) == (self.minimise is None):
            raise problem("maximise", "must be given, or minimise, and not both")
        return self

    @property
    def column(self) -> str:
        """Return the column that decides."""
        return self.maximise or self.minimise or ""

    @property
    def sign(self) -> int:
        """Return what a figure is multiplied by, so that more is better."""
        return 1 if self.maximise else -1

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """Return the conditions."""
        return tuple(condition(text) for text in self.where)


class HeatMap(Table):
    """A plot: a figure by two columns, once for each value of further ones."""

    x: Text = Field(description="Column on the horizontal axis.")
    y: Text = Field(description="Column on the vertical axis.")
    value: Text = Field(description="Column whose mean over runs gives the colour.")
    by: tuple[Text, ...] = Field(
        default=(), description="Columns whose every combination has its own map."
    )


class Pareto(Table):
    """A plot: what cannot be had more of without less of something else."""

    maximise: Text = Field(description="Column whose mean over runs is better when larger.")
    minimise: Text = Field(description="Column whose mean over runs is better when smaller.")


def _refuse_nul(key: str, value: object) -> None:
    """Refuse a value that holds what no program can be given."""
    if "\0" in str(value):
        raise problem(key, f"{shown(value)} has a NUL character, which no program accepts")


def _named(check: str) -> str:
    """Refuse what pytest would take for an option, or for a file of options."""
    if check.startswith(("-", "@")):
        raise problem("", f"must be a test as pytest names it, is {shown(check)}; write ./{check}")
    _refuse_nul("", check)
    return check


class Sweep(Table):
    """Many measurements of an experiment, under other conditions."""

    title: Text = Field(description="Title, for tables and reports.")
    description: Text = Field(description="Purpose of the sweep, in a paragraph.")
    experiment: Text | None = Field(
        default=None,
        description="Experiment to measure: a name that `sluice list` shows, or a path of a TOML "
        "file, relative to this file.",
    )
    checks: Distinct[Annotated[Text, AfterValidator(_named)]] | None = Field(
        default=None,
        description="Tests of the checkout to run in place of an experiment, as pytest names "
        "them, such as driver/tests/test_faults.py; none begins with - or @. Each run has its own "
        "seed.",
    )
    set: dict[str, Any] = Field(
        default_factory=dict,
        description='Values of keys of the experiment for all points, such as "defaults.level".',
    )
    axes: dict[str, Annotated[tuple[Any, ...], BeforeValidator(_range_or_list)]] = Field(
        default_factory=dict,
        description="Keys of the experiment that vary: a list of values, or a range {from, to, "
        "step} or {from, to, count, scale}. Every combination of values is a point. A key below "
        "`axes.` of the experiment is set to a list of one value. With checks, keys are "
        "environment variables.",
    )
    runs: Annotated[int, Field(ge=1, le=MOST_RUNS)] = Field(
        default=1, description="Number of runs of each point, where runs differ by chance."
    )
    seed: Annotated[int, Field(ge=0, le=LAST_SEED)] = Field(
        default=1, description="Seed of all random numbers."
    )
    samples: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="Number of points to draw at random and measure, in place of all."
    )
    best: Best | None = Field(default=None, description="Definition of the best point.")
    heat_map: tuple[HeatMap, ...] = Field(
        default=(),
        description="Heat maps in the report, each a table [[heat_map]]. Default: a map over the "
        "two columns with the most values.",
    )
    pareto: tuple[Pareto, ...] = Field(
        default=(), description="Pareto fronts in the report, each a table [[pareto]]."
    )

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        if (self.experiment is None) == (self.checks is None):
            raise problem("experiment", "must be given, or checks, and not both")
        if self.experiment is not None and not self.axes:
            raise problem("axes", "is missing: it says what varies")
        if self.checks is not None and self.set:
            raise problem("set", "must not be combined with checks")
        if self.points * self.runs > _MOST_JOBS:
            raise problem("axes", f"gives more than {_MOST_JOBS} jobs; leave out an axis or values")
        if self.samples is not None and self.best is not None and self.best.evaluations:
            raise problem("samples", "must not be combined with best.evaluations")
        if self.samples is not None and self.samples > self.points:
            raise problem("samples", f"must be at most {self.points}, the number of points")
        return self

    @model_validator(mode="after")
    def _columns_differ(self) -> Self:
        for key in self.axes if self.checks is not None else ():
            if not _VARIABLE.fullmatch(key) or key in {"SEED", "SLUICE_GUEST_LOGS"}:
                raise problem(
                    f"axes.{key}",
                    "is not allowed; with checks, an axis is an environment variable in "
                    "capitals, such as SLUICE_FULL, but not SEED or SLUICE_GUEST_LOGS",
                )
            for value in self.axes[key]:
                _refuse_nul(f"axes.{key}", value)
        names = [column_name(key) for key in self.axes]
        for index, name in enumerate(names):
            if name in names[:index]:
                raise problem(f"axes.{list(self.axes)[index]}", f"is a second column called {name}")
        return self

    @property
    def values(self) -> dict[str, tuple[Any, ...]]:
        """Return all axes: the outermost first."""
        return {"check": self.checks} | self.axes if self.checks else self.axes

    @property
    def points(self) -> int:
        """Return how many points there are."""
        return math.prod(len(values) for values in self.values.values())

    def coordinates(self, point: int) -> tuple[int, ...]:
        """Return the place of a point on each axis; the last one varies fastest."""
        places = []
        for values in reversed(self.values.values()):
            point, place = divmod(point, len(values))
            places.append(place)
        return tuple(reversed(places))

    def number(self, coordinates: Sequence[int]) -> int:
        """Return the point at a place on each axis."""
        point = 0
        for values, place in zip(self.values.values(), coordinates, strict=True):
            point = point * len(values) + place
        return point

    def of_point(self, point: int) -> dict[str, Any]:
        """Return the value of each key at a point."""
        places = self.coordinates(point)
        return {k: v[i] for (k, v), i in zip(self.values.items(), places, strict=True)}


class Recipe(Record):
    """All that a job depends on, beside its point and run; as text it travels to workers."""

    spec: Sweep
    document: dict[str, Any]  # of the experiment, before anything is changed
    where: Text  # the experiment's file, for messages


def column_name(key: str) -> str:
    """Return the column that a key of an experiment has: its last word."""
    return key.rpartition(".")[2]
