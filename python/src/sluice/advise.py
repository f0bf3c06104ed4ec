# SPDX-License-Identifier: Apache-2.0
"""`sluice plan`: which configurations of a board reach a wish, and what limits the others.

Every configuration is simulated on the transaction level with blocks of the wished chunk, started
by software one after the other. One that falls short is simulated again with one thing changed at
a time, cheapest remedy first; the first change that makes it reach the wish names the limit.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sluice import bench, conditions
from sluice.boards import Board
from sluice.errors import InputError, RunError
from sluice.experiment import Axes, Experiment
from sluice.labels import DIRECTIONS, ENGINES_PER_PORT, TRANSACTION, ports_label
from sluice.paths import find_bench
from sluice.plan import Request, Row, plan_rows
from sluice.rates import Rates, summarise
from sluice.runner import Work, measure
from sluice.stop import Stop
from sluice.units import format_bytes, format_number

DESIGN = "hp_stress"
PORT_SETS = ((0,), (0, 2), (0, 1), (0, 1, 2), (0, 1, 2, 3))
STAGGERS = (0, 8192)  # the second puts each buffer two DRAM banks further: see zynq-placement
_RUNS = 8
_SKEW_NS = 200
_PRESET = "bare_metal"
_LONG_BYTES = 4 << 20
_SHARED_PORT = (("read_ram_words", 512), ("read_bursts", 32))


@dataclass(frozen=True, slots=True)
class Wish:
    """What has to be moved, in MB/s, and how."""

    board: str
    read_mb_s: float
    write_mb_s: float
    clock_mhz: float | None
    chunk_bytes: int

    @property
    def direction(self) -> str:
        """Return the direction that each port works in."""
        if self.read_mb_s and self.write_mb_s:
            return "duplex"
        return "mm2s" if self.read_mb_s else "s2mm"

    @property
    def needed_mb_s(self) -> float:
        """Return the rate that a row must show: a duplex row counts both directions alike."""
        return max(self.read_mb_s, self.write_mb_s) * ENGINES_PER_PORT[self.direction]


@dataclass(slots=True)
class Answer:
    """One configuration: its rates by placement, and what limits it."""

    row: Row
    rates: dict[int, Rates]  # by stagger
    limits: list[str] = field(default_factory=list)

    @property
    def bits(self) -> int:
        """Return what it costs: wires of data."""
        return len(self.row.ports) * self.row.width_bits

    def reaches(self, wish: Wish, stagger: int) -> bool:
        """Tell whether the slowest run reaches the wish under this placement."""
        return self.rates[stagger].min >= wish.needed_mb_s


class Adviser:
    """Simulates configurations of one board."""

    def __init__(self, program: Path, board: Board, processes: int, stop: Stop) -> None:
        self._program = program
        self._board = board
        self._processes = processes
        self._stop = stop

    def measure(self, rows: Sequence[Row]) -> list[Rates]:
        """Return the rates of rows."""
        measured = measure(self._program, Work(rows), self._processes, self._stop, lambda _: None)
        if measured.failure is not None:
            raise measured.failure
        if not measured.complete:
            raise RunError("stopped before all configurations were simulated")
        return [summarise([run.mb_s for run in runs]) for runs in measured.runs]

    def rows(self, wish: Wish, request: Request) -> list[Row]:
        """Return a row for each configuration and placement."""
        design = self._board.design(DESIGN)
        experiment = Experiment(
            name="plan",
            file=Path("plan"),
            title="",
            description="",
            board=self._board.name,
            designs=(DESIGN,),
            level=TRANSACTION,
            settings=(),
            placement_rule="one after another, in order of port",
            labels=None,
            axes=Axes(
                width_bits=design.widths,
                direction=(wish.direction,),
                ports=tuple(ports for ports in PORT_SETS if max(ports) < len(design.ports)),
                clock_mhz=(wish.clock_mhz or self._board.default_clock_mhz,),
                bytes=(wish.chunk_bytes,),
                stagger_bytes=STAGGERS,
            ),
            full_bytes=None,
            runs=_RUNS,
            fewer_runs=(),
            seed=1,
            preset=_PRESET,
            skew_ns=_SKEW_NS,
            published=None,
        )
        return plan_rows(experiment, self._board, request)

    def answers(self, wish: Wish) -> list[Answer]:
        """Return all configurations, cheapest first, and why each that falls short does."""
        rows = self.rows(wish, Request())
        rates = self.measure(rows)
        answers = [Answer(row, {}) for row in rows if row.placement.stagger_bytes == STAGGERS[0]]
        by_key = {(answer.row.width_bits, answer.row.ports): answer for answer in answers}
        for row, rate in zip(rows, rates, strict=True):
            by_key[row.width_bits, row.ports].rates[row.placement.stagger_bytes] = rate
        for answer in answers:
            if not any(answer.reaches(wish, stagger) for stagger in STAGGERS):
                answer.limits = self.limits(wish, answer)
        return sorted(answers, key=lambda answer: (answer.bits, len(answer.row.ports)))

    def limits(self, wish: Wish, answer: Answer) -> list[str]:
        """Return what limits a configuration: the first change that would make it reach."""
        row = answer.row
        if row.expected_mb_s < wish.needed_mb_s:
            peak = self._board.ddr_peak_mb_s
            if row.expected_mb_s >= peak:
                return [f"the memory's peak, {format_number(peak)} MB/s"]
            offered = row.expected_mb_s / ENGINES_PER_PORT[wish.direction]
            clock = format_number(row.clock_mhz)
            return [f"ports and clock: {format_number(offered)} MB/s a direction at {clock} MHz"]
        chunk = format_bytes(wish.chunk_bytes)
        remedies = [
            (
                f"software's start cost: chunks of {chunk} are too short",
                Request(start_cost_ns=0, skew_ns=0),
            ),
            (
                f"start and latency of a transfer: chunks of {chunk} are too short",
                Request(start_cost_ns=0, skew_ns=0, bytes=_LONG_BYTES),
            ),
            (
                f"reads in flight: {_sharing(row)} share a port of the memory controller",
                Request(start_cost_ns=0, bytes=_LONG_BYTES, settings=_SHARED_PORT),
            ),
        ]
        for text, change in remedies:
            if "share" in text and not _sharing(row):
                continue
            changed = [
                other
                for other in self.rows(wish, change)
                if (other.width_bits, other.ports) == (row.width_bits, row.ports)
            ]
            if max(rate.min for rate in self.measure(changed)) >= wish.needed_mb_s:
                return [text]
        return ["the memory: turns between reads and writes, row changes, refresh"]


def _sharing(row: Row) -> str:
    """Return the ports that have to share a port of the controller."""
    pairs = [pair for pair in ((0, 1), (2, 3)) if set(pair) <= set(row.port_indices)]
    return " and ".join(f"HP{a},{b}" for a, b in pairs)


def advise(wish: Wish, processes: int | None, console: Console | None) -> int:
    """Print the answers, as JSON without a console; 1 if nothing reaches the wish."""
    if not wish.read_mb_s and not wish.write_mb_s:
        raise InputError("give --read or --write, or both: a rate such as 600MB/s")
    program = find_bench()
    board = bench.catalogue(program).board(wish.board)
    with Stop() as stop:
        adviser = Adviser(program, board, processes or conditions.cores(), stop)
        answers = adviser.answers(wish)
    reached = [answer for answer in answers if any(answer.reaches(wish, s) for s in STAGGERS)]
    if console is None:
        print(to_json(wish, answers))  # noqa: T201
    else:
        _show(wish, answers, reached, console)
    return 0 if reached else 1


def to_json(wish: Wish, answers: Sequence[Answer]) -> str:
    """Return the answers as one JSON object."""
    share = ENGINES_PER_PORT[wish.direction]
    document = {
        "board": wish.board,
        "read_mb_s": wish.read_mb_s,
        "write_mb_s": wish.write_mb_s,
        "chunk_bytes": wish.chunk_bytes,
        "direction": wish.direction,
        "configurations": [
            {
                "ports": list(answer.row.ports),
                "width_bits": answer.row.width_bits,
                "clock_mhz": answer.row.clock_mhz,
                "placements": [
                    {
                        "stagger_bytes": stagger,
                        "reaches": answer.reaches(wish, stagger),
                        "mb_s_a_direction": [rate.min / share, rate.mean / share, rate.max / share],
                    }
                    for stagger, rate in answer.rates.items()
                ],
                "limits": answer.limits,
            }
            for answer in answers
        ],
    }
    return json.dumps(document, indent=1)


def _show(
    wish: Wish, answers: Sequence[Answer], reached: Sequence[Answer], console: Console
) -> None:
    share = ENGINES_PER_PORT[wish.direction]
    asked = [
        f"{what} {format_number(rate)} MB/s"
        for what, rate in (("read", wish.read_mb_s), ("write", wish.write_mb_s))
        if rate
    ]
    clock = format_number(answers[0].row.clock_mhz)
    console.print(
        Text(f"{wish.board} at {clock} MHz, chunks of {format_bytes(wish.chunk_bytes)}: ")
        + Text(" and ".join(asked), style="bold")
    )
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    heads = ("ports", "bits", "MB/s a direction", "two banks apart", "verdict")
    for head in heads:
        table.add_column(head, justify="left" if head in ("ports", "verdict") else "right")
    for answer in answers:
        cells = [_range(answer.rates[stagger], share) for stagger in STAGGERS]
        table.add_row(
            f"{ports_label(answer.row.ports)} {DIRECTIONS[wish.direction]}",
            str(answer.row.width_bits),
            *cells,
            _verdict(wish, answer),
        )
    console.print(table)
    console.print(Text("Ranges are over start skews, simulated; cheapest first.", style="dim"))
    if not reached:
        console.print("No configuration reaches it.")
        return
    best = reached[0]
    aligned = best.reaches(wish, STAGGERS[0])
    console.print(
        f"Take {ports_label(best.row.ports)}, {best.row.width_bits} bits. "
        + (
            "Buffers may lie anywhere."
            if aligned
            else f"Place each buffer {format_bytes(STAGGERS[1])} further past a common alignment "
            "than the one before, so that engines in step use different DRAM banks."
        )
    )


def _range(rate: Rates, share: int) -> str:
    low, high = f"{rate.min / share:.0f}", f"{rate.max / share:.0f}"
    return low if low == high else f"{low} to {high}"


def _verdict(wish: Wish, answer: Answer) -> Text:
    if answer.reaches(wish, STAGGERS[0]):
        return Text("reaches it", style="green")
    if answer.reaches(wish, STAGGERS[1]):
        return Text("reaches it if buffers are apart", style="green")
    return Text("limit: " + "; ".join(answer.limits))
