# SPDX-License-Identifier: Apache-2.0
"""What a search measures at a point: rows of ports, or works of the CPU."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sluice import bench
from sluice.boards import Board
from sluice.calibrate.search import Point, Search
from sluice.calibrate.specification import CpuSpecification, Specification
from sluice.errors import InputError
from sluice.experiments.cpu.measure import measured
from sluice.experiments.cpu.result import CpuRow
from sluice.experiments.rates.rows import Row, plan_rows
from sluice.experiments.rates.runner import rates_of
from sluice.experiments.rates.statistics import Rates
from sluice.labels import TRANSACTION, row_label
from sluice.stop import Stop


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

    def rows(self, point: Point, runs: int, *, predicted: bool) -> list[Row]:
        """Return the fitted rows of the specification, or the predicted ones."""
        what = self.specification
        rows = []
        for part in what.filters:
            if part.predicted is not predicted:
                continue
            request = replace(
                part.request,
                bytes=what.bytes,
                runs=runs,
                seed=what.seed,
                level=TRANSACTION,
                settings=self.settings(point),
            )
            rows += plan_rows(part.experiment, self._board, request)
        return rows

    def check(self, point: Point) -> None:
        """Refuse rows that do not exist, or about which nothing is published."""
        for predicted in (False, True):
            for row in self.rows(point, 1, predicted=predicted):
                self._published(row)

    def _published(self, row: Row) -> float:
        if row.published is None:
            label = row_label(row.width_bits, row.direction, row.ports)
            raise InputError(f"{self.specification.file}: nothing is published about {label}")
        return row.published.mb_s

    def measure(
        self, point: Point, runs: int, *, predicted: bool = False
    ) -> list[tuple[Row, Rates, float]]:
        """Return each fitted or predicted row with its rates and its relative error."""
        rows = self.rows(point, runs, predicted=predicted)
        every = rates_of(self._program, rows, self._processes, self._stop)
        return [
            (row, rates, rates.mean / self._published(row) - 1)
            for row, rates in zip(rows, every, strict=True)
        ]

    def measured_errors(self, point: Point) -> list[float]:
        """Return the relative error of each row at a point."""
        return [error for _, _, error in self.measure(point, self.specification.runs)]


class CpuFit(Search):
    """A search over works of an experiment about the CPU, which have no chance in them."""

    def __init__(self, specification: CpuSpecification, program: Path, stop: Stop) -> None:
        super().__init__(specification.parameters)
        self.specification = specification
        self._program = program
        self._stop = stop
        works = specification.experiment.works
        wanted = set(specification.works)
        wanted |= {work.table.minus for work in works if work.name in wanted and work.table.minus}
        self._works = [work for work in works if work.name in wanted]

    def measure(self, point: Point) -> list[tuple[CpuRow, float]]:
        """Return each work of the specification with its relative error."""
        experiment = self.specification.experiment
        rows = measured(
            self._ask,
            experiment.board,
            self._works,
            experiment.model | dict(self.settings(point)),
        )
        return [
            (row, row.difference)
            for row in rows
            if row.name in self.specification.works and row.difference is not None
        ]

    def _ask(self, words: Sequence[str], what: str, timeout_s: int) -> Any:  # noqa: ANN401
        return bench.ask(self._program, words, what, timeout_s, self._stop)

    def measured_errors(self, point: Point) -> list[float]:
        """Return the relative error of each work at a point."""
        return [error for _, error in self.measure(point)]
