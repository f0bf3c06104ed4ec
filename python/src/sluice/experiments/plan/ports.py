# SPDX-License-Identifier: Apache-2.0
"""Simulating configurations of ports: what each delivers, and what limits those that fall short.

Every configuration is simulated on the transaction level with blocks of the requested chunk,
started by software one after the other. One that falls short is simulated again with one thing
changed at a time, cheapest remedy first; the first change that makes it meet the requested rates
names the limit.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sluice import conditions
from sluice.boards import Board
from sluice.experiments.kind import Session
from sluice.experiments.plan.experiment import PlanExperiment
from sluice.experiments.plan.result import PlacedRates, PortsRow
from sluice.experiments.rates.experiment import RatesExperiment
from sluice.experiments.rates.rows import Request, Row, plan_rows
from sluice.experiments.rates.runner import rates_of
from sluice.experiments.rates.statistics import Rates
from sluice.labels import ENGINES_PER_PORT, TRANSACTION
from sluice.units import format_bytes, format_number

if TYPE_CHECKING:
    from sluice.experiments.plan.swept import Swept

DESIGN = "hp_stress"
WIDTHS = (32, 64)
PORT_SETS = ((0,), (0, 2), (0, 1), (0, 1, 2), (0, 1, 2, 3))
STAGGERS = (0, 8192)  # the second puts each buffer two DRAM banks further: see zynq-placement
_RUNS = 8
SEED = 1
_SKEW_NS = 200
_PRESET = "bare_metal"
_LONG_BYTES = 4 << 20
_SHARED_PORT = (("read_ram_words", 512), ("read_bursts", 32))


def planned(plan: PlanExperiment, board: Board, session: Session) -> Iterator[PortsRow]:
    """Refuse what is not possible; return what measures the configurations, cheapest first."""
    if plan.sweep is None:
        planner = _Planner(plan, board, session)
        planner.rows(Request())
        return planner.measured()
    from sluice.experiments.plan.swept import Swept  # noqa: PLC0415  (pyarrow, for sweeps alone)

    planner = _Planner(plan, board, session, Swept(Path(plan.sweep)))
    planner.known()
    return planner.measured()


@dataclass(frozen=True, slots=True)
class _Planner:
    plan: PlanExperiment
    board: Board
    session: Session
    swept: "Swept | None" = None  # None: all is simulated

    def rows(self, request: Request) -> list[Row]:
        """Return a row for each configuration and placement."""
        design = self.board.design(DESIGN)
        sets = [list(ports) for ports in PORT_SETS if max(ports) < len(design.ports)]
        document = {
            "title": self.plan.title,
            "description": self.plan.description,
            "board": self.board.name,
            "design": DESIGN,
            "placement": {"rule": "one after another, in order of port"},
            "defaults": {
                "runs": _RUNS,
                "seed": SEED,
                "level": TRANSACTION,
                "preset": _PRESET,
                "skew_ns": _SKEW_NS,
            },
            "axes": {
                "width_bits": list(WIDTHS),
                "direction": [self.plan.direction],
                "ports": sets,
                "clock_mhz": [self.plan.clock_mhz or self.board.default_clock_mhz],
                "bytes": [f"{self.plan.chunk}"],
                "stagger_bytes": list(STAGGERS),
            },
        }
        experiment = RatesExperiment.load(self.plan.file, document)
        return plan_rows(experiment, self.board, request)

    def rates(self, rows: Sequence[Row]) -> list[Rates]:
        """Return the rates of rows."""
        session = self.session
        jobs = session.jobs or conditions.cores()
        return rates_of(session.program, rows, jobs, session.stop)

    def known(self) -> list[tuple[Row, Rates]]:
        """Return the rows with their rates; of a sweep those that it has in each placement."""
        rows = self.rows(Request())
        if self.swept is None:
            return list(zip(rows, self.rates(rows), strict=True))
        found = [(row, rates) for row in rows if (rates := self.swept.rates(row)) is not None]
        placed = Counter((row.width_bits, row.ports) for row, _ in found)
        whole = [
            (row, rates)
            for row, rates in found
            if placed[row.width_bits, row.ports] == len(STAGGERS)
        ]
        if not whole:
            raise self.swept.complaint(rows)
        return whole

    def measured(self) -> Iterator[PortsRow]:
        """Give all configurations, cheapest first, and why each that falls short does."""
        found: dict[tuple[int, tuple[str, ...]], list[tuple[Row, Rates]]] = {}
        for row, rates in self.known():
            found.setdefault((row.width_bits, row.ports), []).append((row, rates))
        ordered = sorted(found.values(), key=lambda placed: _cost(placed[0][0]))
        yield from [self._configuration(placed) for placed in ordered]

    def _needed(self, row: Row) -> float:
        """Return the rate that a row must show: a duplex row counts both directions alike."""
        return self.plan.needed_mb_s * ENGINES_PER_PORT[row.direction]

    def _configuration(self, placed: Sequence[tuple[Row, Rates]]) -> PortsRow:
        row, _ = placed[0]
        share, needed = ENGINES_PER_PORT[row.direction], self._needed(row)
        placements = tuple(
            PlacedRates(
                stagger_bytes=one.stagger_bytes,
                at_overload=one.at_overload(rates.mean),
                reaches=_promised(one, rates) >= needed,
                mb_s_a_direction=(rates.min / share, rates.mean / share, rates.max / share),
            )
            for one, rates in placed
        )
        enough = any(one.reaches for one in placements)
        return PortsRow(
            ports=row.ports,
            width_bits=row.width_bits,
            direction=row.direction,
            clock_mhz=row.clock_mhz,
            placements=placements,
            limits=() if enough else (self._limit(row),),
        )

    def _limit(self, row: Row) -> str:
        """Return what limits a configuration: the first change that would make it reach."""
        needed = self._needed(row)
        if row.expected_mb_s < needed:
            peak = self.board.ddr_peak_mb_s
            if row.expected_mb_s >= peak:
                return f"the memory's peak, {format_number(peak)} MB/s"
            offered = row.expected_mb_s / ENGINES_PER_PORT[row.direction]
            clock = format_number(row.clock_mhz)
            return f"ports and clock: {format_number(offered)} MB/s a direction at {clock} MHz"
        if self.swept is not None:
            return "not known from the sweep; leave --sweep out to find it by simulation"
        chunk = format_bytes(self.plan.chunk)
        remedies = [
            (
                f"software's start cost: chunks of {chunk} are too short",
                Request(start_cost_ns=0, skew_ns=0),
            ),
            (
                f"start and latency of a transfer: chunks of {chunk} are too short",
                Request(start_cost_ns=0, skew_ns=0, bytes=_LONG_BYTES),
            ),
        ]
        if sharing := _sharing(row):
            remedies.append(
                (
                    f"reads in flight: {sharing} share a port of the memory controller",
                    Request(start_cost_ns=0, bytes=_LONG_BYTES, settings=_SHARED_PORT),
                )
            )
        for text, change in remedies:
            changed = [
                other
                for other in self.rows(change)
                if (other.width_bits, other.ports) == (row.width_bits, row.ports)
            ]
            rates = self.rates(changed)
            if max(map(_promised, changed, rates)) >= needed:
                return text
        return "the memory: turns between reads and writes, row changes, refresh"


def _promised(row: Row, rates: Rates) -> float:
    """Return the rate to rely on: of the slowest run, and at overload less the model's error."""
    if row.overload_error is None or not row.at_overload(rates.mean):
        return rates.min
    return rates.min * row.overload_error.least_share


def _cost(row: Row) -> tuple[int, int]:
    """Return what a configuration costs: wires of data, then ports."""
    return len(row.ports) * row.width_bits, len(row.ports)


def _sharing(row: Row) -> str:
    """Return the ports that have to share a port of the controller."""
    pairs = [pair for pair in ((0, 1), (2, 3)) if set(pair) <= set(row.port_indices)]
    return " and ".join(f"HP{a},{b}" for a, b in pairs)
