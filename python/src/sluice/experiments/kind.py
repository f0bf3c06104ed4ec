# SPDX-License-Identifier: Apache-2.0
"""What a kind of experiment has to do: load, measure, show and page. Nothing else is asked of it.

The command, `sluice list`, `sluice report`, saving and the handling of signals know experiments by
this alone.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

from pydantic import Field, PrivateAttr
from rich.console import Console

from sluice import bench
from sluice.boards import Board, Catalogue, Design
from sluice.errors import InputError
from sluice.experiments.result import Conditions, Result, ResultRow
from sluice.models import Table, Text, checked
from sluice.report.section import Section
from sluice.stop import Stop


class Experiment(Table):
    """What the file of every experiment says; a kind adds its own keys."""

    title: Text = Field(description="Title, for tables and reports.")
    description: Text = Field(description="What the experiment does, in a paragraph.")
    board: Text = Field(description="Name of the board, as `sluice list` shows it.")

    _file: Path = PrivateAttr(default=Path("experiment.toml"))

    @classmethod
    def load(cls, path: Path, document: Mapping[str, object]) -> Self:
        """Return the experiment in a file's document."""
        experiment = checked(cls, document, str(path))
        experiment._file = path  # noqa: SLF001
        experiment.find_published()
        return experiment

    def find_published(self) -> None:
        """Find the published figures that the file points to, if its kind has any."""

    def offered_board(self, catalogue: Catalogue) -> Board:
        """Return its board; one that sluice-bench does not have is an error of its file."""
        with self._key("board"):
            return catalogue.board(self.board)

    def offered_designs(self, board: Board) -> list[Design]:
        """Return the designs that it measures; one that is not there is an error of its file."""
        with self._key("design"):
            return [board.design(name) for name in self.design_names]

    @contextmanager
    def _key(self, key: str) -> Iterator[None]:
        """Put the file and a key of it before the sentence of an error."""
        try:
            yield
        except InputError as error:
            raise InputError(f"{self.file}: {key}: {error}") from error

    @property
    def file(self) -> Path:
        """Return the file of the experiment."""
        return self._file

    @property
    def name(self) -> str:
        """Return the name of the experiment: that of its file."""
        return self._file.stem

    @property
    def design_names(self) -> tuple[str, ...]:
        """Return the designs that it measures."""
        raise NotImplementedError

    @property
    def row_count(self) -> int:
        """Return how many rows the whole experiment has."""
        raise NotImplementedError


Cell = str | int | float | bool | None
Cells = dict[str, Cell]  # the columns of a row of a sweep

_E = TypeVar("_E", bound=Experiment)
_O = TypeVar("_O")
_C = TypeVar("_C", bound=Conditions)
_R = TypeVar("_R", bound=ResultRow)
_X = TypeVar("_X", bound=Result[Any, Any])


@dataclass(frozen=True, slots=True)
class Session:
    """What a kind measures with."""

    program: Path  # sluice-bench
    catalogue: Catalogue
    stop: Stop
    jobs: int | None = None  # simulations at once; None: as many as there are cores
    earlier: Sequence[Result[Any, Any]] = ()  # results that --continue goes on with

    def ask(self, words: Sequence[str], what: str, timeout_s: int) -> Any:  # noqa: ANN401
        """Return the JSON object that sluice-bench prints; a signal ends it."""
        return bench.ask(self.program, words, what, timeout_s, self.stop)


@dataclass(frozen=True, slots=True)
class Measurement(Generic[_C, _R]):
    """A measurement that is planned: each row is measured when it is drawn from `rows`.

    Where something fails, `rows` first gives what was measured until then, then raises.
    """

    rows: Iterator[_R]
    conditions: _C
    seed: int | None = None
    designs: tuple[str, ...] | None = None  # None: those that the experiment names


def is_number(value: object) -> bool:
    """Tell whether a cell holds a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def flattened(row: ResultRow) -> Cells:
    """Return the fields of a row as columns; lists of figures, such as samples, are left out."""
    columns: Cells = {}

    def add(name: str, value: object) -> None:
        if isinstance(value, Mapping):
            for key, entry in value.items():
                add(f"{name}_{key}" if name else str(key), entry)
        elif value is None or isinstance(value, str | int | float | bool):
            columns[name] = value
        elif isinstance(value, list) and value and all(isinstance(one, str) for one in value):
            columns[name] = ",".join(value)

    add("", row.model_dump(mode="json"))
    return columns


class Kind(ABC, Generic[_E, _O, _X]):
    """One kind of experiment."""

    name: str  # as its files say: kind = "name"
    summary: str  # one sentence: what it measures
    unit: str  # what a row is called, in the plural
    options: type[_O]  # a dataclass: what `sluice run` takes beside the options of all kinds
    experiment: type[_E]  # the model of its files
    result: type[_X]  # the model of its results
    resumes: bool = False  # whether --continue has a meaning
    # Keys of its files for the number of runs and for their seed, where runs differ by chance. A
    # sweep gives both in their place, and `runs` below is then of this kind.
    of_chance: tuple[str, ...] = ()

    def runs(
        self, experiment: _E, runs: range, seed: int, session: Session
    ) -> dict[int, list[Cells]]:
        """Measure runs of all rows of an experiment for a sweep; return their columns, by run.

        Where nothing is drawn by chance, all runs are the same, and there is run 0 alone.
        """
        del seed
        measured = [
            flattened(row) for row in self.measure(experiment, self.options(), session).rows
        ]
        return dict.fromkeys(runs, measured)

    def load(self, path: Path, document: Mapping[str, object]) -> _E:
        """Return the experiment in a file's document, or say what is wrong there."""
        return self.experiment.load(path, document)

    @abstractmethod
    def measure(self, experiment: _E, options: _O, session: Session) -> Measurement[Any, Any]:
        """Plan the measurement; refuse here, before anything is measured, what is not possible."""

    @abstractmethod
    def show(self, result: _X, console: Console) -> None:
        """Print a result, which has at least one row, as a table on the terminal."""

    @abstractmethod
    def page(self, result: _X, name: str) -> Section:
        """Return the section of a report about a result, which has at least one row.

        Names of its plots start with `name`, so that no other result of the report has them.
        """

    def empty_page(self, result: _X) -> Section:
        """Return the section about a result without rows."""
        del result
        return Section(
            conditions="",
            summary=[
                (
                    f"The result has no {self.unit}: the measurement ended before the first one. "
                    "The command at the end of this section measures it."
                )
            ],
        )
