# SPDX-License-Identifier: Apache-2.0
"""From an experiment and what the user asked for to the rows that will be measured."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from sluice.boards import Board, Design
from sluice.errors import InputError
from sluice.experiments.options import level_of
from sluice.experiments.rates.experiment import LAST_SEED, MOST_RUNS, RatesExperiment
from sluice.experiments.rates.published import Conditions, Figure
from sluice.labels import (
    CROSSINGS,
    ENGINES_PER_PORT,
    OF_ENGINES,
    TRANSACTION,
    Direction,
    Level,
    ports_label,
)
from sluice.overload import OverloadError, is_overload
from sluice.units import format_bytes, format_number

_MOST_NS = 1_000_000
_CLOCK_ROUNDING = 1e-6
_STAGGER_STEP = 64
_MOST_STAGGER = 1 << 20

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line narrows (first three) or changes. None or empty: as the file says."""

    width_bits: tuple[int, ...] = ()
    directions: tuple[str, ...] = ()
    ports: tuple[str, ...] = ()  # port sets such as "0,2"
    clock_mhz: float | None = None
    bytes: int | None = None
    full: bool = False
    runs: int | None = None
    seed: int | None = None
    start_cost_ns: int | None = None
    skew_ns: int | None = None
    stagger_bytes: tuple[int, ...] = ()
    level: str | None = None
    fast_forward: bool | None = None
    settings: tuple[tuple[str, int], ...] = ()  # of the memory model, beside the experiment's


@dataclass(frozen=True, slots=True)
class Row:
    """One row to measure: everything that its figure depends on."""

    board: str
    design: str
    level: Level
    settings: tuple[tuple[str, int], ...]
    width_bits: int
    direction: Direction
    port_indices: tuple[int, ...]
    ports: tuple[str, ...]
    clock_mhz: float
    bytes: int
    runs: int
    seed: int
    start_cost_ns: float
    skew_ns: float
    placement_rule: str
    stagger_bytes: int
    expected_mb_s: float
    published: Figure | None
    labels: dict[str, str | int] = field(default_factory=dict)
    attributes: tuple[tuple[str, int], ...] = ()  # of the design
    device: str | None = None  # URI of what is measured instead of a simulated board
    full_rate: bool = False  # as of Design
    overload_error: OverloadError | None = None  # of the board's model
    fast_forward: bool = False

    @property
    def engines(self) -> int:
        """Return how many engines move a block each."""
        return len(self.ports) * ENGINES_PER_PORT[self.direction]

    def at_overload(self, mb_s: float) -> bool:
        """Tell whether the memory sets that rate. False also where engines may, or on a device."""
        return (
            self.full_rate
            and self.device is None
            and is_overload(
                mb_s=mb_s,
                expected_mb_s=self.expected_mb_s,
                moved_bytes=self.bytes * self.engines,
                waits_ns=self.engines * (self.start_cost_ns + self.skew_ns),
            )
        )


def expected_mb_s(
    ports: int, width_bits: int, clock_mhz: float, direction: str, ddr_peak_mb_s: float
) -> float:
    """Return the theoretical rate: all ports at one beat a clock, at most the memory's peak."""
    at_ports = ports * width_bits / 8 * clock_mhz * ENGINES_PER_PORT[direction]
    return min(at_ports, ddr_peak_mb_s / CROSSINGS[direction])


def plan_rows(experiment: RatesExperiment, board: Board, request: Request) -> list[Row]:
    """Return the rows of an experiment that were asked for, in the order of its file."""
    designs = experiment.offered_designs(board)
    for design in designs:
        _check_axes(experiment, design)
    widths = _narrow("--width", request.width_bits, experiment.axes.width_bits, experiment)
    directions = _narrow("--direction", request.directions, experiment.axes.direction, experiment)
    port_sets = _narrow_ports(request.ports, experiment, designs[0])
    clocks = _clocks(experiment, board, request)
    sizes = _sizes(experiment, request)
    seed = experiment.defaults.seed if request.seed is None else request.seed
    _check_range("--seed", seed, 0, LAST_SEED)
    if request.runs is not None:
        _check_range("--runs", request.runs, 1, MOST_RUNS)
    _check_start_cost(experiment, board, request)
    skew_ns = experiment.defaults.skew_ns if request.skew_ns is None else request.skew_ns
    if request.skew_ns is not None:
        _check_range("--skew-ns", request.skew_ns, 0, _MOST_NS)
    rows = []
    level = _level(experiment, request)
    for design in designs:
        if level in design.levels:
            continue
        where = "--level" if request.level is not None else f"{experiment.file}: defaults.level"
        allowed = _join(design.levels)
        raise InputError(f"{where}: design {design.name} has no level {level}; allowed: {allowed}")
    if request.fast_forward and level != TRANSACTION:
        raise InputError("--fast-forward is for --level transaction; give both")
    settings = tuple((experiment.settings(level) | dict(request.settings)).items())
    staggers = request.stagger_bytes or experiment.staggers
    for stagger in staggers:
        _check_stagger(stagger, experiment, given=bool(request.stagger_bytes))
    for design, attributes, stagger, width, direction, indices, clock, size in itertools.product(
        designs,
        experiment.attributes,
        staggers,
        widths,
        directions,
        port_sets,
        clocks,
        sizes,
    ):
        ports = tuple(design.ports[index] for index in indices)
        conditions = Conditions(width, direction, ports_label(ports), clock, size, design.name)
        published = experiment.published
        row = Row(
            board=board.name,
            design=design.name,
            level=level,
            settings=settings,
            width_bits=width,
            direction=direction,
            port_indices=indices,
            ports=ports,
            clock_mhz=clock,
            bytes=size,
            runs=request.runs or experiment.runs_of(size, design.name),
            seed=seed,
            start_cost_ns=_start_cost_ns(experiment, board, request, clock),
            skew_ns=skew_ns,
            placement_rule=experiment.placement.rule,
            stagger_bytes=stagger,
            expected_mb_s=expected_mb_s(len(ports), width, clock, direction, board.ddr_peak_mb_s),
            published=published.figure(conditions) if published else None,
            labels=experiment.labels.of(direction, len(ports)) if experiment.labels else {},
            attributes=attributes,
            full_rate=design.full_rate and not attributes and not _engines_changed(request),
            overload_error=None if _memory_changed(settings) else board.overload_error,
            fast_forward=bool(request.fast_forward),
        )
        _check_bytes(row, board, "--bytes" if request.bytes is not None else experiment.file.name)
        rows.append(row)
    return rows


def _engines_changed(request: Request) -> bool:
    """Tell whether engines are others than the experiment's: these may then set a rate."""
    return any(name.startswith(OF_ENGINES) for name, _ in request.settings)


def _memory_changed(settings: tuple[tuple[str, int], ...]) -> bool:
    """Tell whether the memory is another than the one that was compared with silicon."""
    return any(not name.startswith(OF_ENGINES) for name, _ in settings)


def _level(experiment: RatesExperiment, request: Request) -> Level:
    if request.level is None:
        return experiment.defaults.level
    return level_of(request.level)


def _check_axes(experiment: RatesExperiment, design: Design) -> None:
    """Refuse an experiment that its own board cannot do."""
    axes, where = experiment.axes, experiment.file
    for width in axes.width_bits:
        if width not in design.widths:
            allowed = _join(design.widths)
            raise InputError(
                f"{where}: axes.width_bits: design {design.name} has no width {width}; "
                f"allowed: {allowed}"
            )
    for direction in axes.direction:
        if direction not in design.directions:
            allowed = _join(design.directions) or "none"
            raise InputError(
                f"{where}: axes.direction: design {design.name} does not go {direction}; "
                f"allowed: {allowed}"
            )
    for index in itertools.chain.from_iterable(axes.ports):
        if index >= len(design.ports):
            raise InputError(
                f"{where}: axes.ports: design {design.name} has no port {index}; "
                f"allowed: 0 to {len(design.ports) - 1}"
            )


def _narrow(
    option: str, wanted: Sequence[object], there: Sequence[_T], of: RatesExperiment
) -> list[_T]:
    for value in wanted:
        if value not in there:
            raise InputError(
                f"{option} {value}: {of.name} has no such row; allowed: {_join(there)}"
            )
    return [value for value in there if not wanted or value in wanted]


def _narrow_ports(
    wanted: Iterable[str], experiment: RatesExperiment, design: Design
) -> list[tuple[int, ...]]:
    there = experiment.axes.ports
    asked = {_port_set(text, experiment, design) for text in wanted}
    return [ports for ports in there if not asked or ports in asked]


def _port_set(text: str, experiment: RatesExperiment, design: Design) -> tuple[int, ...]:
    """Return the port set that "0,2" or "HP0,HP2" names; it must be one of the experiment's."""
    names = {name: index for index, name in enumerate(design.ports)}
    names |= {str(index): index for index in range(len(design.ports))}
    allowed = "; ".join(_join(ports, ",") for ports in experiment.axes.ports)
    indices = []
    for word in text.split(","):
        index = names.get(word.strip().upper())
        if index is None:
            raise InputError(
                f"--ports {text}: design {design.name} has no port '{word.strip()}'; "
                f"port sets of {experiment.name}: {allowed}"
            )
        indices.append(index)
    if len(set(indices)) != len(indices):
        raise InputError(f"--ports {text}: names a port twice; port sets: {allowed}")
    ports = tuple(sorted(indices))
    if ports not in experiment.axes.ports:
        raise InputError(
            f"--ports {text}: {experiment.name} has no row with exactly these ports; "
            f"port sets: {allowed}"
        )
    return ports


def _clocks(experiment: RatesExperiment, board: Board, request: Request) -> tuple[float, ...]:
    least, most = board.clock_mhz
    if request.clock_mhz is None:
        clocks, where = experiment.axes.clock_mhz, f"{experiment.file}: axes.clock_mhz"
    else:
        clocks, where = (request.clock_mhz,), "--clock-mhz"
    for clock in clocks:
        if not least <= clock <= most:
            raise InputError(
                f"{where}: board {board.name} has no clock of {format_number(clock)} MHz; "
                f"allowed: {format_number(least)} to {format_number(most)}"
            )
        if abs(clock * 1000 - round(clock * 1000)) > _CLOCK_ROUNDING:
            raise InputError(
                f"{where}: {format_number(clock)} MHz is no whole number of kHz; "
                "give at most three digits after the point"
            )
    return clocks


def _sizes(experiment: RatesExperiment, request: Request) -> tuple[int, ...]:
    if request.full and request.bytes is not None:
        raise InputError("--full and --bytes both say the block size; give one of them")
    if request.full:
        if experiment.defaults.full_bytes is None:
            raise InputError(
                f"--full: {experiment.name} varies the block size itself; "
                "use --bytes to measure one size"
            )
        return (experiment.defaults.full_bytes,)
    return experiment.sizes if request.bytes is None else (request.bytes,)


def _check_start_cost(experiment: RatesExperiment, board: Board, request: Request) -> None:
    if request.start_cost_ns is not None:
        _check_range("--start-cost-ns", request.start_cost_ns, 0, _MOST_NS)
    elif experiment.defaults.preset not in board.presets:
        raise InputError(
            f"{experiment.file}: defaults.preset: board {board.name} has no preset "
            f"'{experiment.defaults.preset}'; allowed: {_join(board.presets)}"
        )


def _start_cost_ns(
    experiment: RatesExperiment, board: Board, request: Request, clock_mhz: float
) -> int:
    if request.start_cost_ns is not None:
        return request.start_cost_ns
    return board.start_cost_ns(experiment.defaults.preset, clock_mhz)


def _check_bytes(row: Row, board: Board, where: str) -> None:
    """Refuse a block that the engines cannot move or the memory cannot hold."""
    beat = row.width_bits // 8
    if not 1 <= row.bytes <= board.max_transfer_bytes:
        raise InputError(
            f"{where}: a transfer of {row.bytes} bytes is not possible; "
            f"board {board.name} allows 1 to {board.max_transfer_bytes}"
        )
    if row.bytes % beat:
        raise InputError(
            f"{where}: {row.bytes} bytes are no multiple of a beat; "
            f"a row {row.width_bits} bits wide needs a multiple of {beat} bytes"
        )
    if row.engines * row.bytes > board.memory_bytes:
        raise InputError(
            f"{where}: {row.engines} engines with {format_bytes(row.bytes)} each need "
            f"{format_bytes(row.engines * row.bytes)}, "
            f"and the memory of board {board.name} has {format_bytes(board.memory_bytes)}"
        )


def _check_stagger(stagger: int, experiment: RatesExperiment, *, given: bool) -> None:
    if stagger % _STAGGER_STEP or not 0 <= stagger <= _MOST_STAGGER:
        where = "--stagger-bytes" if given else f"{experiment.file}: stagger_bytes"
        raise InputError(
            f"{where}: {stagger} is not possible; give a multiple of {_STAGGER_STEP} "
            f"from 0 to {_MOST_STAGGER}"
        )


def _check_range(option: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise InputError(f"{option} {value} is not allowed; give {least} to {most}")


def _join(values: Iterable[object], separator: str = ", ") -> str:
    return separator.join(str(value) for value in values)
