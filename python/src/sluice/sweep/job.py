# SPDX-License-Identifier: Apache-2.0
"""Measuring jobs of a sweep, on this machine or on any other.

A job is a run of a point. It depends on the recipe and on its two numbers alone, so that neither
the machine, nor the order, nor what else is measured beside it changes a figure.
"""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from sluice import bench
from sluice.boards import Catalogue
from sluice.errors import InputError, SluiceError
from sluice.experiments.kind import Cells, Experiment, Session
from sluice.experiments.registry import AnyKind, kind_of
from sluice.models import checked, read_json, shown
from sluice.paths import find_bench
from sluice.stop import Stop, StoppedError
from sluice.sweep import checks
from sluice.sweep.specification import Recipe, column_name

_LIST_OF_AXES = "axes."  # begins keys of experiments that hold lists
_PRINTED = ("published", "published_rates")  # what was printed is of no use to other conditions


class Job(NamedTuple):
    """One run of one point."""

    point: int
    run: int


@dataclass(frozen=True, slots=True)
class Batch:
    """Jobs that are measured one after the other, and the recipe as text."""

    recipe: str
    jobs: tuple[Job, ...]


@dataclass(slots=True)
class Done:
    """What came of a batch: the rows of each job that was measured, and what ended it early."""

    rows: list[tuple[Job, list[Cells]]] = field(default_factory=list)
    busy_s: float = 0.0
    failure: tuple[int, str] | None = None  # exit status and sentence
    rest: tuple[Job, ...] = ()  # of the batch, that another worker is to try


def measure(batch: Batch, stop: Stop | None = None) -> Done:
    """Measure a batch. A job that fails ends it; what was measured before is kept."""
    done, stop = Done(), stop or Stop()
    started = time.monotonic()
    try:
        for point, runs in _spans(batch.jobs):
            before = time.monotonic()
            found = measure_point(batch.recipe, point, runs, stop)
            each_s = round((time.monotonic() - before) / len(runs), 6)
            for run in runs:
                rows = [row | {"elapsed_s": each_s} for row in found[run]]
                done.rows.append((Job(point, run), rows))
    except StoppedError:
        pass  # the command was told too
    except SluiceError as error:
        done.failure = (error.exit_status, str(error))
    done.busy_s = time.monotonic() - started
    return done


def measure_point(text: str, point: int, runs: range, stop: Stop) -> dict[int, list[Cells]]:
    """Return the rows of some runs of a point, by run."""
    recipe = read_recipe(text)
    values = recipe.spec.of_point(point)
    if recipe.spec.checks is not None:
        return checks.measure(values, runs, recipe.spec.seed, stop)
    kind, experiment = experiment_of(text, point)
    try:
        found = kind.runs(experiment, runs, recipe.spec.seed, session(stop))
    except InputError as error:
        raise InputError(f"point {point} ({_said(values)}): {error}") from error
    varied = {column_name(key): _cell(value) for key, value in values.items()}
    return {run: [varied | row for row in rows] for run, rows in found.items()}


@lru_cache(maxsize=4)
def read_recipe(text: str) -> Recipe:
    """Return the recipe in a text."""
    return checked(Recipe, read_json(text, "the recipe"), "the recipe")


@lru_cache(maxsize=64)
def experiment_of(text: str, point: int) -> tuple[AnyKind, Experiment]:
    """Return the experiment of a point, and its kind."""
    recipe = read_recipe(text)  # shared with other threads: all that is changed is a copy
    values = recipe.spec.of_point(point)
    document = _without_printed(recipe.document)
    for key, value in recipe.spec.set.items():
        put(document, key, _lists(value), "set")
    for key, value in values.items():
        put(document, key, _lists([value] if key.startswith(_LIST_OF_AXES) else value), "axes")
    kind = kind_of(document, recipe.where)
    return kind, kind.load(Path(recipe.where), document)


def put(document: dict[str, Any], key: str, value: object, where: str) -> None:
    """Set a dotted key of a document; [N] after a part is an entry of a list."""
    *path, last = key.split(".")
    table: Any = document
    for part in path:
        name, _, index = part.partition("[")
        table = table.setdefault(name, {}) if isinstance(table, dict) else None
        if index and isinstance(table, list | tuple):
            number = index.removesuffix("]")
            known = number.isdecimal() and int(number) < len(table)
            table = table[int(number)] if known else None
        if not isinstance(table, dict):
            raise InputError(f"{where}: {shown(key)}: the experiment has no table {shown(part)}")
    table[last] = value


def session(stop: Stop | None = None) -> Session:
    """Return what a kind measures with: one simulation at a time."""
    return Session(find_bench(), catalogue(), stop or Stop(), jobs=1)


@cache
def catalogue() -> Catalogue:
    """Return what sluice-bench offers; it is asked once."""
    return bench.catalogue(find_bench())


def _spans(jobs: Sequence[Job]) -> Iterator[tuple[int, range]]:
    """Yield runs that follow each other as one span: they can share a process."""
    first = 0
    for index in range(1, len(jobs) + 1):
        before = jobs[index - 1]
        if index == len(jobs) or jobs[index] != (before.point, before.run + 1):
            yield before.point, range(jobs[first].run, before.run + 1)
            first = index


def _without_printed(document: Any) -> Any:  # noqa: ANN401
    if isinstance(document, dict):
        return {k: _without_printed(v) for k, v in document.items() if k not in _PRINTED}
    return (
        [_without_printed(v) for v in document] if isinstance(document, list | tuple) else document
    )


def _lists(document: Any) -> Any:  # noqa: ANN401
    if isinstance(document, dict):
        return {key: _lists(value) for key, value in document.items()}
    return [_lists(value) for value in document] if isinstance(document, list | tuple) else document


def _cell(value: object) -> Any:  # noqa: ANN401
    return value if isinstance(value, str | bool | int | float) else json.dumps(value)


def _said(values: Mapping[str, object]) -> str:
    return ", ".join(f"{key} = {_cell(value)}" for key, value in values.items())
