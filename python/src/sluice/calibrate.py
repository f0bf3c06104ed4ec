# SPDX-License-Identifier: Apache-2.0
"""`sluice calibrate`: fit the parameters that no document gives to measured rows.

A specification (TOML) names an experiment, some of its rows and the parameters with their limits.
The search is a descent along one parameter after the other, on the transaction level, with every
measured point kept: the same specification gives the same result on every machine. The objective
is the mean of |error| over the named rows, each error to 0.01 %. The leave-one-out error of a row
is its error at the measured point that fits the others best. A file of points makes a search that
was stopped go on.
"""

import hashlib
import json
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sluice import bench, conditions, save
from sluice.boards import Board
from sluice.errors import InputError, RunError
from sluice.experiment import Experiment, load_experiment
from sluice.fields import Fields
from sluice.labels import TRANSACTION, row_label
from sluice.paths import find_bench, find_experiment
from sluice.plan import Request, Row, plan_rows
from sluice.rates import Rates, summarise
from sluice.runner import Work, measure
from sluice.stop import Stop
from sluice.units import parse_bytes

FORMAT = "sluice-calibration-1"
DEGRADED = 0.995  # of the theoretical rate: rows below it say something about the memory system
_ROUNDS = 8
_DIGITS = 4  # of an error, which is a share

Point = tuple[int, ...]  # a value of each parameter


@dataclass(frozen=True, slots=True)
class Parameter:
    """One setting of the model, and the grid on which it is searched."""

    name: str
    start: int
    least: int
    most: int
    step: int


@dataclass(frozen=True, slots=True)
class Specification:
    """What is fitted to what."""

    file: Path
    experiment: Experiment
    bytes: int
    runs: int
    final_runs: int
    seed: int
    filters: tuple[tuple[Experiment, Request], ...]
    parameters: tuple[Parameter, ...]

    @property
    def result_file(self) -> Path:
        """Return where the result belongs: beside the specification."""
        return self.file.with_suffix(".json")


def load_specification(path: Path) -> Specification:
    """Read and check a specification."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not a TOML file: {error}") from error
    fields = Fields(str(path), document)
    main = load_experiment(find_experiment(fields.text("experiment")))
    specification = Specification(
        file=path,
        experiment=main,
        bytes=parse_bytes(fields.text("bytes")),
        runs=fields.whole("runs", 1),
        final_runs=fields.whole("final_runs", 1),
        seed=fields.whole("seed"),
        filters=tuple(_filter(table, main) for table in fields.tables("rows")),
        parameters=tuple(_parameter(table) for table in fields.tables("parameters")),
    )
    fields.finish()
    if not specification.filters or not specification.parameters:
        raise InputError(f"{path}: rows and parameters must each hold at least one table")
    return specification


def _filter(fields: Fields, main: Experiment) -> tuple[Experiment, Request]:
    """Return rows of the main experiment, or of the one that they name."""
    other = fields.text("experiment") if "experiment" in fields else None
    request = Request(
        width_bits=(fields.whole("width_bits", 1),) if "width_bits" in fields else (),
        directions=(fields.text("direction"),),
        ports=fields.texts("ports"),
        stagger_bytes=fields.wholes("stagger_bytes") if "stagger_bytes" in fields else (),
    )
    fields.finish()
    return main if other is None else load_experiment(find_experiment(other)), request


def _parameter(fields: Fields) -> Parameter:
    parameter = Parameter(
        name=fields.text("name"),
        start=fields.whole("start"),
        least=fields.whole("least"),
        most=fields.whole("most"),
        step=fields.whole("step", 1),
    )
    fields.finish()
    if not parameter.least <= parameter.start <= parameter.most:
        raise fields.problem("start", "must lie between least and most")
    return parameter


@dataclass(slots=True)
class Fit:
    """The search: measures points of the grid, and remembers them."""

    specification: Specification
    program: Path
    board: Board
    processes: int
    stop: Stop
    points: Path | None = None  # where measured points are kept
    known: dict[Point, tuple[float, ...]] = field(default_factory=dict)  # from that file
    errors: dict[Point, tuple[float, ...]] = field(default_factory=dict)

    def rows(self, point: Point, runs: int) -> list[Row]:
        """Return the rows of the specification under these parameters."""
        what = self.specification
        settings = tuple(
            (parameter.name, value) for parameter, value in zip(what.parameters, point, strict=True)
        )
        rows = []
        for experiment, chosen in what.filters:
            request = Request(
                width_bits=chosen.width_bits,
                directions=chosen.directions,
                ports=chosen.ports,
                stagger_bytes=chosen.stagger_bytes,
                bytes=what.bytes,
                runs=runs,
                seed=what.seed,
                level=TRANSACTION,
                settings=settings,
            )
            rows += plan_rows(experiment, self.board, request)
        return rows

    def measure(self, point: Point, runs: int) -> list[tuple[Row, Rates, float]]:
        """Return each row with its rates and its relative error."""
        rows = self.rows(point, runs)
        measured = measure(self.program, Work(rows), self.processes, self.stop, lambda _: None)
        if measured.failure is not None:
            raise measured.failure
        if not measured.complete:
            raise RunError("stopped; nothing was written")
        found = []
        for row, samples in zip(rows, measured.runs, strict=True):
            if row.published is None:
                label = row_label(row.width_bits, row.direction, row.ports)
                raise InputError(f"{self.specification.file}: nothing is published about {label}")
            rates = summarise([run.mb_s for run in samples])
            found.append((row, rates, rates.mean / row.published.mb_s - 1))
        return found

    def error(self, point: Point) -> tuple[float, ...]:
        """Return the relative error of each row at a point."""
        if point not in self.errors:
            self.errors[point] = self.known.get(point) or self._search(point)
            shown = ", ".join(f"{100 * error:+.2f}" for error in self.errors[point])
            sys.stderr.write(f"{len(self.errors)}: {list(point)}: {shown} %\n")
        return self.errors[point]

    def _search(self, point: Point) -> tuple[float, ...]:
        measured = self.measure(point, self.specification.runs)
        errors = tuple(round(error, _DIGITS) for _, _, error in measured)
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
        for _ in range(_ROUNDS):
            before = best
            for index, parameter in enumerate(self.specification.parameters):
                best = self._along(best, index, parameter)
            if best == before:
                break
        return best

    def _along(self, best: Point, index: int, parameter: Parameter) -> Point:
        """Walk along one parameter, both ways, two steps beyond the last improvement."""
        here = best[index]
        for step in (parameter.step, -parameter.step):
            value, tries = here, 0
            while tries < 2:  # noqa: PLR2004
                value += step
                if not parameter.least <= value <= parameter.most:
                    break
                point = (*best[:index], value, *best[index + 1 :])
                if self.objective(point) < self.objective(best):
                    best, tries = point, 0
                else:
                    tries += 1
        return best


def calibrate(
    file: Path, target: Path | None, processes: int | None, points: Path | None = None
) -> Path:
    """Fit, write the result, and return the file that was written."""
    what = load_specification(file)
    target = target or what.result_file
    save.check_writable(target)
    program = find_bench()
    board = bench.catalogue(program).board(what.experiment.board)
    with Stop() as stop:
        fit = Fit(what, program, board, processes or conditions.cores(), stop, points)
        if points is not None:
            fit.known = _read_points(points, file)
        document = _result(fit)
        save.write(target, (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode())
    return target


def _read_points(points: Path, specification: Path) -> dict[Point, tuple[float, ...]]:
    """Return the points that an earlier search with this very specification measured."""
    digest = hashlib.sha256(specification.read_bytes()).hexdigest()
    try:
        first, *lines = points.read_text(encoding="utf-8").splitlines() or [""]
        if first == digest:
            return {tuple(point): tuple(errors) for point, errors in map(json.loads, lines)}
    except FileNotFoundError:
        pass
    except (OSError, ValueError) as error:
        raise InputError(f"{points} cannot be read: {error}") from error
    points.write_text(digest + "\n", encoding="utf-8")
    return {}


def _result(fit: Fit) -> dict[str, Any]:
    what = fit.specification
    best = fit.descend(tuple(parameter.start for parameter in what.parameters))
    final = fit.measure(best, what.final_runs)
    neighbours = [
        _neighbours(fit, best, index, parameter) for index, parameter in enumerate(what.parameters)
    ]
    left_out = [fit.errors[fit.best_without(index)][index] for index in range(len(final))]
    degraded = [
        row.published is not None and row.published.mb_s < DEGRADED * row.expected_mb_s
        for row, _, _ in final
    ]
    # Rows of other experiments help the fit, and are not part of the score.
    first = final[0][0].published
    scored = [
        below and row.published is not None and first is not None
        and row.published.dataset == first.dataset
        for below, (row, _, _) in zip(degraded, final, strict=True)
    ]  # fmt: skip
    errors = [error for _, _, error in final]
    return {
        "format": FORMAT,
        "comment": "Made by `sluice calibrate`; the build takes the model's defaults from here.",
        "specification": what.file.name,
        "experiment": what.experiment.name,
        "conditions": {
            "bytes": what.bytes,
            "runs": what.final_runs,
            "seed": what.seed,
            "skew_ns": what.experiment.skew_ns,
            "start_cost_ns": final[0][0].start_cost_ns,
            "placement": what.experiment.placement_rule,
        },
        "parameters": [
            {
                "name": parameter.name,
                "value": best[index],
                "searched": [parameter.least, parameter.most, parameter.step],
                "objective_percent": neighbours[index],
            }
            for index, parameter in enumerate(what.parameters)
        ],
        "points_measured": len(fit.errors),
        "score_percent": _percent(_mean_of(errors, scored)),
        "worst_percent": _percent(max(abs(error) for error in errors)),
        "left_out_score_percent": _percent(_mean_of(left_out, scored)),
        "rows": [
            {
                "row": row_label(row.width_bits, row.direction, row.ports),
                "published_in": f"{row.published.dataset}, table {row.published.table}",
                "degraded": is_degraded,
                "published_mb_s": row.published.mb_s,
                "published_range": [row.published.min, row.published.max],
                "model_mb_s": round(rates.mean, 1),
                "model_range": [round(rates.min, 1), round(rates.max, 1)],
                "error_percent": _percent(error),
                "left_out_error_percent": _percent(left),
            }
            for (row, rates, error), is_degraded, left in zip(
                final, degraded, left_out, strict=True
            )
            if row.published is not None
        ],
    }


def _neighbours(fit: Fit, best: Point, index: int, parameter: Parameter) -> dict[str, float]:
    """Return the objective at the value and one step to each side: how sharp the fit is."""
    values = (best[index] + step for step in (-parameter.step, 0, parameter.step))
    return {
        str(value): _percent(fit.objective((*best[:index], value, *best[index + 1 :])))
        for value in values
        if parameter.least <= value <= parameter.most
    }


def _mean_of(errors: Sequence[float], chosen: Sequence[bool]) -> float:
    kept = [abs(error) for error, wanted in zip(errors, chosen, strict=True) if wanted]
    return sum(kept) / len(kept) if kept else 0.0


def _percent(share: float) -> float:
    return round(100 * share, 2)
