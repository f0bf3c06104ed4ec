# SPDX-License-Identifier: Apache-2.0
"""The boards that sluice-bench simulates, and what they allow, as `sluice-bench list` says it."""

from typing import Annotated, Any

from pydantic import Field

from sluice.errors import InputError, RunError
from sluice.labels import DIRECTIONS, LEVELS
from sluice.models import Record, Text, checked
from sluice.overload import OverloadError


class Design(Record):
    """A top-level of logic: the ports it may use and the widths it exists in."""

    name: Text
    description: str
    ports: Annotated[tuple[str, ...], Field(min_length=1)]
    widths: Annotated[tuple[int, ...], Field(min_length=1)]
    # A design whose engines the library does not drive has no direction.
    directions: tuple[str, ...] = tuple(DIRECTIONS)
    levels: tuple[str, ...] = tuple(LEVELS)
    full_rate: bool = False  # an engine alone keeps the rate of its port's width and clock


class Preset(Record):
    """What one kind of software costs."""

    start_cost_ns: float  # to start a transfer, at the board's default clock
    start_cost_clocks: int = 0  # how much of that is cycles of the logic's clock


class Board(Record):
    """A design's surroundings and their limits."""

    name: Text
    uri: Text
    description: str
    designs: tuple[Design, ...]
    ddr_peak_mb_s: Annotated[float, Field(ge=0, allow_inf_nan=True)]  # infinite: not known
    memory_bytes: Annotated[int, Field(ge=1)]
    default_clock_mhz: float
    clock_mhz: tuple[float, float]  # the slowest and the fastest
    max_transfer_bytes: Annotated[int, Field(ge=1)]
    presets: dict[str, Preset]  # by kind of software, such as "bare_metal"
    overload_error: OverloadError | None = None  # None: not compared with silicon

    def start_cost_ns(self, preset: str, clock_mhz: float) -> int:
        """Return what that kind of software needs to start a transfer of logic at that clock."""
        cost = self.presets[preset]
        cycle_ns, default_cycle_ns = 1e3 / clock_mhz, 1e3 / self.default_clock_mhz
        return round(cost.start_cost_ns + cost.start_cost_clocks * (cycle_ns - default_cycle_ns))

    def design(self, name: str) -> Design:
        """Return the design called `name`."""
        for design in self.designs:
            if design.name == name:
                return design
        known = ", ".join(design.name for design in self.designs)
        raise InputError(f"board {self.name} has no design '{name}'; designs: {known}")


class Catalogue(Record):
    """All that one sluice-bench offers."""

    version: Text
    boards: tuple[Board, ...]

    def board(self, name: str) -> Board:
        """Return the board called `name`."""
        for board in self.boards:
            if board.name == name:
                return board
        known = ", ".join(board.name for board in self.boards)
        raise InputError(f"there is no board '{name}'; boards: {known}")


def read_catalogue(document: Any) -> Catalogue:  # noqa: ANN401
    """Return what `sluice-bench list` printed."""
    return checked(Catalogue, document, "sluice-bench list", RunError)
