# SPDX-License-Identifier: Apache-2.0
"""`sluice calibrate`: fit the parameters that no document gives to measured rows.

A specification (TOML) names an experiment, some of its rows and the parameters with their limits.
The search is a descent along one parameter after the other, on the transaction level, with every
measured point kept: the same specification gives the same result on every machine. Parameters with
a first_step are walked along in such steps first. The objective is the mean of |error| over the
named rows, each error to 0.01 %. The leave-one-out error of a row is its error at the measured
point that fits the others best. Nothing is fitted to predicted rows, which are part of the result
and its score. A file of points makes a search that was stopped go on. Of an
experiment about the CPU (`kind = "cpu"`) the rows are its works.
"""

import hashlib
import json
from pathlib import Path

from sluice import bench, conditions, save
from sluice.calibrate.fits import CpuFit, Fit
from sluice.calibrate.result import cpu_result, rates_result
from sluice.calibrate.search import Point
from sluice.calibrate.specification import CpuSpecification, load_specification
from sluice.errors import InputError
from sluice.paths import find_bench
from sluice.stop import Stop, StoppedError


def calibrate(
    file: Path, target: Path | None, processes: int | None, points: Path | None = None
) -> Path:
    """Fit, write the result, and return the file that was written."""
    what = load_specification(file)
    target = target or what.result_file
    save.check_writable(target)
    program = find_bench()
    board = what.experiment.offered_board(bench.catalogue(program))
    known = {} if points is None else _read_points(points, file)
    with Stop() as stop:
        try:
            if isinstance(what, CpuSpecification):
                cpu_fit = CpuFit(what, program, stop)
                cpu_fit.points, cpu_fit.known = points, known
                document = cpu_result(cpu_fit)
            else:
                fit = Fit(what, program, board, processes or conditions.cores(), stop)
                fit.points, fit.known = points, known
                document = rates_result(fit)
        except StoppedError as error:
            error.count = "no result was written"
            raise
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
