# SPDX-License-Identifier: Apache-2.0
"""The boards that sluice-bench simulates, and what they allow."""

from dataclasses import dataclass
from typing import Any

from sluice.errors import InputError, RunError
from sluice.fields import Fields
from sluice.labels import DIRECTIONS, LEVELS


@dataclass(frozen=True, slots=True)
class Design:
    """A top-level of logic: the ports it may use and the widths it exists in."""

    name: str
    description: str
    ports: tuple[str, ...]
    widths: tuple[int, ...]
    levels: tuple[str, ...] = tuple(LEVELS)
    directions: tuple[str, ...] = tuple(DIRECTIONS)


@dataclass(frozen=True, slots=True)
class Board:
    """A design's surroundings and their limits."""

    name: str
    uri: str
    description: str
    designs: tuple[Design, ...]
    ddr_peak_mb_s: float
    memory_bytes: int
    default_clock_mhz: float
    clock_mhz: tuple[float, float]
    max_transfer_bytes: int
    start_cost_ns: dict[str, float]  # by preset, such as "bare_metal"

    def design(self, name: str) -> Design:
        """Return the design called `name`."""
        for design in self.designs:
            if design.name == name:
                return design
        known = ", ".join(design.name for design in self.designs)
        raise InputError(f"board {self.name} has no design '{name}'; designs: {known}")


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All that one sluice-bench offers."""

    version: str
    boards: tuple[Board, ...]

    def board(self, name: str) -> Board:
        """Return the board called `name`."""
        for board in self.boards:
            if board.name == name:
                return board
        known = ", ".join(board.name for board in self.boards)
        raise InputError(f"there is no board '{name}'; boards: {known}")


def read_catalogue(document: Any) -> Catalogue:  # noqa: ANN401
    """Return what `sluice-bench list` printed. Keys that are not known are ignored."""
    fields = Fields("sluice-bench list", document, error=RunError)
    return Catalogue(
        version=fields.text("version"),
        boards=tuple(_board(entry) for entry in fields.tables("boards")),
    )


def _board(fields: Fields) -> Board:
    clock = fields.numbers("clock_mhz")
    if len(clock) != 2:  # noqa: PLR2004
        raise fields.problem("clock_mhz", "must hold the slowest and the fastest clock")
    presets = fields.table("presets")
    return Board(
        name=fields.text("name"),
        uri=fields.text("uri"),
        description=fields.text("description"),
        designs=tuple(_design(entry) for entry in fields.tables("designs")),
        ddr_peak_mb_s=fields.number("ddr_peak_mb_s"),
        memory_bytes=fields.whole("memory_bytes", 1),
        default_clock_mhz=fields.number("default_clock_mhz"),
        clock_mhz=(min(clock), max(clock)),
        max_transfer_bytes=fields.whole("max_transfer_bytes", 1),
        start_cost_ns={
            name: presets.table(name).number("start_cost_ns") for name in presets.names()
        },
    )


def _design(fields: Fields) -> Design:
    ports = fields.items("ports")
    return Design(
        name=fields.text("name"),
        description=fields.text("description"),
        ports=tuple(f"HP{port}" if isinstance(port, int) else str(port) for port in ports),
        widths=fields.wholes("widths", 1),
        levels=fields.texts("levels") if "levels" in fields else tuple(LEVELS),
        # A design whose engines the library does not drive has none.
        directions=(
            fields.texts("directions", empty=True) if "directions" in fields else tuple(DIRECTIONS)
        ),
    )
