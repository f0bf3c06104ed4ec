# SPDX-License-Identifier: Apache-2.0
"""`sluice calibrate`: fit the parameters that no document gives to measured rows.

A specification (TOML) names an experiment, some of its rows and the parameters with their limits.
The search is a descent along one parameter after the other, on the transaction level, with every
measured point kept: the same specification gives the same result on every machine. Parameters with
a first_step are walked along in such steps first. The objective is the mean of |error| over the
named rows, each error to 0.01 %. The leave-one-out error of a row
is its error at the measured point that fits the others best. A file of points makes a search that
was stopped go on. Of an experiment about the CPU (`kind = "cpu"`) the rows are its works.
"""

import hashlib
import json
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sluice import bench, conditions, cpu, save
from sluice.boards import Board
from sluice.cpu import CpuExperiment, load_any
from sluice.errors import InputError, RunError
from sluice.experiment import Experiment, load_experiment
from sluice.fields import Fields
from sluice.labels import TRANSACTION, row_label
from sluice.paths import find_bench, find_experiment
from sluice.plan import Request, Row, plan_rows
from sluice.rates import Rates, summarise
from sluice.runner import Work, measure
from sluice.stop import Stop
from sluice.threads import ThreadsExperiment
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
    first_step: int


@dataclass(frozen=True, slots=True)
class CpuSpecification:
    """What is fitted to which works of an experiment about the CPU."""

    file: Path
    experiment: CpuExperiment
    works: tuple[str, ...]
    parameters: tuple[Parameter, ...]

    @property
    def result_file(self) -> Path:
        """Return where the result belongs: beside the specification."""
        return self.file.with_suffix(".json")


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


def load_specification(path: Path) -> Specification | CpuSpecification:
    """Read and check a specification."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not a TOML file: {error}") from error
    fields = Fields(str(path), document)
    main = load_any(find_experiment(fields.text("experiment")))
    if isinstance(main, ThreadsExperiment):
        raise fields.problem("experiment", "names one whose figures have no published rows")
    if isinstance(main, CpuExperiment):
        return _cpu_specification(path, fields, main)
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


def _cpu_specification(path: Path, fields: Fields, main: CpuExperiment) -> CpuSpecification:
    specification = CpuSpecification(
        file=path,
        experiment=main,
        works=fields.texts("works"),
        parameters=tuple(_parameter(table) for table in fields.tables("parameters")),
    )
    fields.finish()
    if not specification.parameters:
        raise InputError(f"{path}: parameters must hold at least one table")
    published = {work.name for work in main.works if work.published is not None}
    for name in specification.works:
        if name not in published:
            raise fields.problem("works", f"nothing is published about '{name}' in {main.name}")
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
        step=(step := fields.whole("step", 1)),
        first_step=fields.whole("first_step", step) if "first_step" in fields else step,
    )
    fields.finish()
    if not parameter.least <= parameter.start <= parameter.most:
        raise fields.problem("start", "must lie between least and most")
    return parameter


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
        if any(parameter.first_step != parameter.step for parameter in self.parameters):
            best = self._descend(best, [parameter.first_step for parameter in self.parameters])
        return self._descend(best, [parameter.step for parameter in self.parameters])

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


class Fit(Search):
    """A search over rows of experiments about the ports."""

    def __init__(
        self,
        specification: Specification,
        program: Path,
        board: Board,
        processes: int,
        stop: Stop,
    ) -> None:
        super().__init__(specification.parameters)
        self.specification = specification
        self._program = program
        self._board = board
        self._processes = processes
        self._stop = stop

    def rows(self, point: Point, runs: int) -> list[Row]:
        """Return the rows of the specification under these parameters."""
        what = self.specification
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
                settings=self.settings(point),
            )
            rows += plan_rows(experiment, self._board, request)
        return rows

    def measure(self, point: Point, runs: int) -> list[tuple[Row, Rates, float]]:
        """Return each row with its rates and its relative error."""
        rows = self.rows(point, runs)
        measured = measure(self._program, Work(rows), self._processes, self._stop, lambda _: None)
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

    def measured_errors(self, point: Point) -> list[float]:
        """Return the relative error of each row at a point."""
        return [error for _, _, error in self.measure(point, self.specification.runs)]


class CpuFit(Search):
    """A search over works of an experiment about the CPU, which have no chance in them."""

    def __init__(self, specification: CpuSpecification, program: Path) -> None:
        super().__init__(specification.parameters)
        self.specification = specification
        self._program = program
        works = specification.experiment.works
        wanted = set(specification.works)
        wanted |= {work.minus for work in works if work.name in wanted and work.minus is not None}
        self._works = [work for work in works if work.name in wanted]

    def measure(self, point: Point) -> list[tuple[cpu.Work, float, float]]:
        """Return each work of the specification with its figure and its relative error."""
        experiment = self.specification.experiment
        changed = tuple((dict(experiment.settings) | dict(self.settings(point))).items())
        measured = cpu.measure(self._program, experiment, self._works, changed)
        return [
            (work, figure, figure / work.published - 1)
            for work, (figure, _) in zip(self._works, measured, strict=True)
            if work.name in self.specification.works and work.published is not None
        ]

    def measured_errors(self, point: Point) -> list[float]:
        """Return the relative error of each work at a point."""
        return [error for _, _, error in self.measure(point)]


def calibrate(
    file: Path, target: Path | None, processes: int | None, points: Path | None = None
) -> Path:
    """Fit, write the result, and return the file that was written."""
    what = load_specification(file)
    target = target or what.result_file
    save.check_writable(target)
    program = find_bench()
    board = bench.catalogue(program).board(what.experiment.board)
    known = {} if points is None else _read_points(points, file)
    if isinstance(what, CpuSpecification):
        cpu_fit = CpuFit(what, program)
        cpu_fit.points, cpu_fit.known = points, known
        document = _cpu_result(cpu_fit)
    else:
        with Stop() as stop:
            fit = Fit(what, program, board, processes or conditions.cores(), stop)
            fit.points, fit.known = points, known
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
    parameters = _parameters(fit, best)
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
        "parameters": parameters,
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


def _cpu_result(fit: CpuFit) -> dict[str, Any]:
    what = fit.specification
    best = fit.descend(tuple(parameter.start for parameter in what.parameters))
    final = fit.measure(best)
    parameters = _parameters(fit, best)
    return {
        "format": FORMAT,
        "comment": "Made by `sluice calibrate`; the build takes the model's defaults from here.",
        "specification": what.file.name,
        "experiment": what.experiment.name,
        "parameters": parameters,
        "points_measured": len(fit.errors),
        "score_percent": _percent(sum(abs(error) for _, _, error in final) / len(final)),
        "worst_percent": _percent(max(abs(error) for _, _, error in final)),
        "rows": [
            {
                "row": work.name,
                "published_in": work.source,
                "published": work.published,
                "model": round(figure, 2),
                "unit": work.unit,
                "error_percent": _percent(error),
            }
            for work, figure, error in final
        ],
    }


def _parameters(fit: Search, best: Point) -> list[dict[str, Any]]:
    return [
        {
            "name": parameter.name,
            "value": best[index],
            "searched": [parameter.least, parameter.most, parameter.step],
            "objective_percent": _neighbours(fit, best, index, parameter),
        }
        for index, parameter in enumerate(fit.parameters)
    ]


def _neighbours(fit: Search, best: Point, index: int, parameter: Parameter) -> dict[str, float]:
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
