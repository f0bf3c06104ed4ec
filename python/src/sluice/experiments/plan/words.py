# SPDX-License-Identifier: Apache-2.0
"""The words about a plan that a table on the terminal and the page of a report have in common."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Generic, NamedTuple, TypeVar

from sluice.experiments.plan.result import PlanResult
from sluice.experiments.result import ResultRow
from sluice.units import format_bytes, format_number

_R = TypeVar("_R", bound=ResultRow)


class Column(NamedTuple):
    """A column of the table."""

    head: str
    about: str
    left: bool = False  # aligned


class Words(ABC, Generic[_R]):
    """The words about one form of rows."""

    columns: ClassVar[Sequence[Column]]

    @abstractmethod
    def note(self, result: PlanResult) -> str:
        """Return what to know about the figures."""

    @abstractmethod
    def cells(self, row: _R) -> list[str]:
        """Return the cells of a configuration, one for each column."""

    @abstractmethod
    def take(self, row: _R) -> str:
        """Return the advice to take a configuration."""


def conditions(result: PlanResult) -> str:
    """Return the board, its clock and the chunk."""
    clock = format_number(result.rows[0].clock_mhz)
    chunk = format_bytes(result.conditions.chunk_bytes)
    return f"{result.provenance.board} at {clock} MHz, chunks of {chunk}"


def asked(result: PlanResult) -> str:
    """Return the requested rates."""
    wish = result.conditions
    return " and ".join(
        f"{what} {format_number(rate)} MB/s"
        for what, rate in (("read", wish.read_mb_s), ("write", wish.write_mb_s))
        if rate
    )


def limited(limits: Sequence[str]) -> str:
    """Return the verdict on a configuration that falls short."""
    return f"limit: {'; '.join(limits)}"
