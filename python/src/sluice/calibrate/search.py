# SPDX-License-Identifier: Apache-2.0
"""The search: a descent along one parameter after the other, every measured point kept."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sluice.calibrate.specification import Parameter

_ROUNDS = 8
_DIGITS = 4  # of an error, which is a share

Point = tuple[int, ...]  # a value of each parameter


@dataclass(slots=True)
class Search:
    """The search: points of the grid, measured by a derived class, and remembered."""

    parameters: tuple[Parameter, ...]
    points: Path | None = None  # where measured points are kept
    known: dict[Point, tuple[float, ...]] = field(default_factory=dict)  # from that file
    errors: dict[Point, tuple[float, ...]] = field(default_factory=dict)

    def measured_errors(self, point: Point) -> list[float]:
        """Return the relative error of each row at a point."""
        raise NotImplementedError

    def settings(self, point: Point) -> tuple[tuple[str, int], ...]:
        """Return the parameters' names and values."""
        return tuple(
            (parameter.name, value) for parameter, value in zip(self.parameters, point, strict=True)
        )

    def error(self, point: Point) -> tuple[float, ...]:
        """Return the relative error of each row at a point, from memory if it is known."""
        if point not in self.errors:
            self.errors[point] = self.known.get(point) or self._fresh(point)
            shown = ", ".join(f"{100 * error:+.2f}" for error in self.errors[point])
            sys.stderr.write(f"{len(self.errors)}: {list(point)}: {shown} %\n")
        return self.errors[point]

    def _fresh(self, point: Point) -> tuple[float, ...]:
        errors = tuple(round(error, _DIGITS) for error in self.measured_errors(point))
        if self.points is not None:
            with self.points.open("a", encoding="utf-8") as file:
                file.write(json.dumps([point, errors]) + "\n")
        return errors

    def objective(self, point: Point, without: int | None = None) -> float:
        """Return the mean of |error| over all rows, or all but one."""
        errors = [abs(e) for index, e in enumerate(self.error(point)) if index != without]
        return sum(errors) / len(errors)

    def best_without(self, left_out: int) -> Point:
        """Return the measured point that fits all rows but one best."""
        return min(sorted(self.errors), key=lambda point: self.objective(point, left_out))

    def descend(self, start: Point) -> Point:
        """Return the best point that changing one parameter at a time leads to."""
        best = start
        steps = [parameter.step for parameter in self.parameters]
        first = [parameter.first_step or parameter.step for parameter in self.parameters]
        if first != steps:
            best = self._descend(best, first)
        return self._descend(best, steps)

    def _descend(self, start: Point, steps: Sequence[int]) -> Point:
        best = start
        for _ in range(_ROUNDS):
            before = best
            for index, step in enumerate(steps):
                best = self._along(best, index, step)
            if best == before:
                break
        return best

    def _along(self, best: Point, index: int, step: int) -> Point:
        """Walk along one parameter, both ways, two steps beyond the last improvement."""
        parameter = self.parameters[index]
        here = best[index]
        for change in (step, -step):
            value, tries = here, 0
            while tries < 2:  # noqa: PLR2004
                value += change
                if not parameter.least <= value <= parameter.most:
                    break
                point = (*best[:index], value, *best[index + 1 :])
                if self.objective(point) < self.objective(best):
                    best, tries = point, 0
                else:
                    tries += 1
        return best
