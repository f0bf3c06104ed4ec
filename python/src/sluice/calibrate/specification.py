# SPDX-License-Identifier: Apache-2.0
"""The specification of a fit: an experiment, some of its rows, and the parameters."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from sluice.errors import InputError
from sluice.experiments import registry
from sluice.experiments.cpu.experiment import CpuExperiment
from sluice.experiments.rates.experiment import RatesExperiment
from sluice.experiments.rates.rows import Request
from sluice.models import Distinct, Size, Table, Text, Whole, checked, problem, read_toml
from sluice.paths import find_experiment

AtLeastOne = Annotated[int, Field(ge=1)]


class Parameter(Table):
    """One setting of the model, and the grid on which it is searched."""

    name: Text
    start: Whole
    least: Whole
    most: Whole
    step: AtLeastOne
    first_step: AtLeastOne | None = None

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        if not self.least <= self.start <= self.most:
            raise problem("start", "must lie between least and most")
        if self.first_step is not None and self.first_step < self.step:
            raise problem("first_step", f"must be at least step, {self.step}")
        return self


class _Rows(Table):
    """Rows of the experiment, or of the one that they name."""

    experiment: Text | None = None
    width_bits: AtLeastOne | None = None
    direction: Text
    ports: Distinct[Text]
    stagger_bytes: Distinct[Whole] | None = None
    predicted: bool = False  # not fitted to, and in the result

    @property
    def request(self) -> Request:
        """Return what narrows an experiment to these rows."""
        return Request(
            width_bits=() if self.width_bits is None else (self.width_bits,),
            directions=(self.direction,),
            ports=self.ports,
            stagger_bytes=self.stagger_bytes or (),
        )


class _File(Table):
    experiment: Text
    parameters: Annotated[tuple[Parameter, ...], Field(min_length=1)]


class _RatesFile(_File):
    bytes: Size
    runs: AtLeastOne
    final_runs: AtLeastOne
    seed: Whole
    rows: Annotated[tuple[_Rows, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _fits_something(self) -> Self:
        if all(rows.predicted for rows in self.rows):
            raise problem("rows", "must have one that is not predicted")
        return self


class _CpuFile(_File):
    works: Distinct[Text]


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
class Filter:
    """Rows of an experiment: fitted to, or predicted by the fit."""

    experiment: RatesExperiment
    request: Request
    predicted: bool


@dataclass(frozen=True, slots=True)
class Specification:
    """What is fitted to what."""

    file: Path
    experiment: RatesExperiment
    bytes: int
    runs: int
    final_runs: int
    seed: int
    filters: tuple[Filter, ...]
    parameters: tuple[Parameter, ...]

    @property
    def result_file(self) -> Path:
        """Return where the result belongs: beside the specification."""
        return self.file.with_suffix(".json")


def load_specification(path: Path) -> Specification | CpuSpecification:
    """Read and check a specification."""
    document, where = read_toml(path), str(path)
    name = document.get("experiment")
    if not isinstance(name, str):
        checked(_RatesFile, document, where)  # which says what is wrong
    kind, main = registry.load(find_experiment(str(name)))
    if isinstance(main, CpuExperiment):
        return _cpu_specification(path, checked(_CpuFile, document, where), main)
    if not isinstance(main, RatesExperiment):
        raise InputError(
            f"{path}: experiment: {name} is of kind {kind.name}, which has no published rows; "
            "give one of kind rates or cpu"
        )
    file = checked(_RatesFile, document, where)
    return Specification(
        file=path,
        experiment=main,
        bytes=file.bytes,
        runs=file.runs,
        final_runs=file.final_runs,
        seed=file.seed,
        filters=tuple(
            Filter(_experiment(path, rows, main), rows.request, rows.predicted)
            for rows in file.rows
        ),
        parameters=file.parameters,
    )


def _experiment(path: Path, rows: _Rows, main: RatesExperiment) -> RatesExperiment:
    if rows.experiment is None:
        return main
    _, other = registry.load(find_experiment(rows.experiment))
    if not isinstance(other, RatesExperiment):
        raise InputError(f"{path}: rows: {rows.experiment} is not an experiment of kind rates")
    return other


def _cpu_specification(path: Path, file: _CpuFile, main: CpuExperiment) -> CpuSpecification:
    published = {work.name for work in main.works if work.published is not None}
    for name in file.works:
        if name not in published:
            raise InputError(f"{path}: works: nothing is published about '{name}' in {main.name}")
    return CpuSpecification(path, main, file.works, file.parameters)
