# SPDX-License-Identifier: Apache-2.0
"""Which jobs a sweep has: all points, points drawn at random, or those that a search asks for."""

import heapq
import math
import random
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sluice.errors import InputError
from sluice.experiments.kind import Cells, is_number
from sluice.sweep.job import Job
from sluice.sweep.specification import Best, Sweep

_AT_RANDOM = 3  # one in so many evaluations of a search


class Source(ABC):
    """What gives the jobs, and is told what came of them."""

    @property
    @abstractmethod
    def jobs(self) -> int:
        """Return how many jobs there are, at most."""

    @abstractmethod
    def ready(self) -> int:
        """Return how many jobs there are before others have ended."""

    @abstractmethod
    def next(self) -> Job | None:
        """Return a further job, or None while there is none before others have ended."""

    @abstractmethod
    def tell(self, job: Job, rows: Sequence[Cells]) -> None:
        """Take note of what a job gave."""


class Listed(Source):
    """Points that are known from the start."""

    def __init__(self, spec: Sweep, points: Sequence[int]) -> None:
        self._points, self._runs, self._best = points, spec.runs, spec.best
        self._jobs = (Job(point, run) for point in points for run in range(spec.runs))
        self._given = 0

    @property
    def jobs(self) -> int:
        """Return how many jobs there are."""
        return len(self._points) * self._runs

    def ready(self) -> int:
        """Return how many jobs are left."""
        return self.jobs - self._given

    def next(self) -> Job | None:
        """Return the next job."""
        job = next(self._jobs, None)
        self._given += job is not None
        return job

    def tell(self, job: Job, rows: Sequence[Cells]) -> None:
        """Refuse a best that cannot be told from the columns; no more depends on it."""
        del job
        if self._best is not None and rows:
            check_columns(self._best, rows)
            self._best = None


def check_columns(best: Best, rows: Sequence[Cells]) -> None:
    """Refuse a best that names columns which there are not; rows may be without a figure."""
    columns: Cells = {}
    for row in rows:
        columns |= {name: value for name, value in row.items() if columns.get(name) is None}
    numbers = [name for name, value in columns.items() if is_number(value)]
    if best.column not in numbers and columns.get(best.column, "") is not None:
        raise InputError(
            f"best: '{best.column}' is not a column of numbers; columns: {', '.join(numbers)}"
        )
    for condition in best.conditions:
        if condition.column not in columns:
            raise InputError(
                f"best.where: there is no column '{condition.column}'; columns: "
                f"{', '.join(columns)}"
            )


@dataclass(slots=True)
class Score:
    """What is known of a point."""

    figures: dict[int, list[float]] = field(default_factory=dict)  # of rows, by run
    meets: bool = True  # the conditions, in every row

    def add(self, best: Best, run: int, rows: Iterable[Cells]) -> None:
        """Take the rows of one run."""
        figures = self.figures[run] = []
        for row in rows:
            value = row.get(best.column)
            if value is not None:
                figures.append(float(value))
            self.meets &= all(one.holds(row.get(one.column)) for one in best.conditions)

    def counts(self, best: Best) -> bool:
        """Tell whether the point may be the best: it meets the conditions, and has a figure."""
        return self.meets and math.isfinite(self.figure(best))

    def rank(self, best: Best) -> tuple[bool, float]:
        """Return what makes one point better than another: more is better."""
        return self.meets, best.sign * self.figure(best)

    def figure(self, best: Best) -> float:
        """Return the figure of the point."""
        # In order of run, so that a mean does not depend on which run ended first.
        figures = [figure for run in sorted(self.figures) for figure in self.figures[run]]
        if not figures:
            return -best.sign * math.inf
        mean = math.fsum(figures) / len(figures)
        return {"mean": mean, "min": min(figures), "max": max(figures)}[best.of]


class Search(Source):
    """Points at random first, then those beside the best one whose neighbours are not known.

    It goes in rounds: which points are next depends on what all earlier rounds gave, never on the
    order in which their jobs ended, so that any number of workers takes the same way.
    """

    def __init__(self, spec: Sweep, best: Best, evaluations: int) -> None:
        self._spec, self._best = spec, best
        self._budget = min(evaluations, spec.points)
        self._unchecked: Best | None = best  # against the columns of the first rows
        self._scores: dict[int, Score] = {}  # of all points that were asked for
        self._told: dict[int, Score] = {}  # of others, which an earlier call has measured
        self._ranked: list[tuple[bool, float, int]] = []  # a heap of those without neighbours yet
        self._random = random.Random(spec.seed)  # noqa: S311  (a search, not a secret)
        self._queue: deque[Job] = deque()
        self._round: Sequence[int] = ()
        self._missing = 0  # jobs of this round that nothing is known of yet
        self._start(self._at_random(max(1, self._budget // _AT_RANDOM)))

    @property
    def jobs(self) -> int:
        """Return how many jobs there are, at most."""
        return self._budget * self._spec.runs

    def ready(self) -> int:
        """Return how many jobs of this round are left; once all have ended, of the next."""
        if not self._queue and not self._missing:
            self._rank()
            self._start(self._beside_the_best())
        return len(self._queue)

    def next(self) -> Job | None:
        """Return a job of this round, or None until all of it have ended."""
        return self._queue.popleft() if self.ready() else None

    def tell(self, job: Job, rows: Sequence[Cells]) -> None:
        """Take note of what a job gave; of a point not yet asked for, it is kept till then."""
        if self._unchecked is not None and rows:
            check_columns(self._best, rows)
            self._unchecked = None
        score = self._scores.get(job.point)
        asked = score is not None
        if score is None:
            score = self._told.setdefault(job.point, Score())
        if job.run not in score.figures:
            score.add(self._best, job.run, rows)
            self._missing -= asked

    def _start(self, points: Sequence[int]) -> None:
        self._round = points
        for point in points:
            score = self._scores[point] = self._told.pop(point, Score())
            self._missing += self._spec.runs - len(score.figures)
        self._queue.extend(Job(point, run) for point in points for run in range(self._spec.runs))

    def _rank(self) -> None:
        """Rank the points of a round that has ended: no more becomes known of them."""
        for point in self._round:
            meets, figure = self._scores[point].rank(self._best)
            # The smallest of the heap is the best; of equal ones the first in the order of points.
            heapq.heappush(self._ranked, (not meets, -figure, point))

    def _left(self) -> int:
        return self._budget - len(self._scores)

    def _at_random(self, count: int) -> list[int]:
        found: dict[int, None] = {}  # in this order
        while len(found) < min(count, self._left()):
            point = self._random.randrange(self._spec.points)
            if point not in self._scores:
                found[point] = None
        return list(found)

    def _beside_the_best(self) -> list[int]:
        while self._left() and self._ranked:
            *_, top = heapq.heappop(self._ranked)
            if found := [p for p in self._neighbours(top) if p not in self._scores]:
                return found[: self._left()]
        return self._at_random(self._left())

    def _neighbours(self, point: int) -> list[int]:
        """Return the points one value further on one axis."""
        places = self._spec.coordinates(point)
        found = []
        for axis, values in enumerate(self._spec.values.values()):
            for step in (-1, 1):
                moved = places[axis] + step
                if 0 <= moved < len(values):
                    found.append(self._spec.number((*places[:axis], moved, *places[axis + 1 :])))
        return found


def source_of(spec: Sweep) -> Source:
    """Return what gives the jobs of a sweep."""
    if spec.best is not None and spec.best.evaluations is not None:
        return Search(spec, spec.best, spec.best.evaluations)
    if spec.samples is not None:
        drawn = random.Random(spec.seed).sample(range(spec.points), spec.samples)  # noqa: S311
        return Listed(spec, sorted(drawn))
    return Listed(spec, range(spec.points))
