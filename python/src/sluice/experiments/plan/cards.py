# SPDX-License-Identifier: Apache-2.0
"""Simulating how a program moves its chunks to and from a PCI Express card.

A configuration is a depth of the queue and a way to wait. Each is simulated by `sluice-bench
transfers` on the design `xdma`, whose logic moves the bytes over the model of the link.
"""

from collections.abc import Iterator
from typing import Literal

from sluice.boards import Board
from sluice.errors import InputError
from sluice.experiments.kind import Session
from sluice.experiments.plan.card_limits import limits
from sluice.experiments.plan.experiment import PlanExperiment
from sluice.experiments.plan.result import CardRow
from sluice.experiments.plan.simulator import Simulator
from sluice.experiments.transfers.command import Transfers
from sluice.experiments.transfers.experiment import Completions
from sluice.labels import Direction
from sluice.units import format_bytes

DESIGN = "xdma"
DEPTHS = (1, 4, 16, 64, 256)
WAITS: tuple[Completions, ...] = ("interrupt", "poll")

_CODES: dict[Direction, Literal["FH", "HF", "FH+HF"]] = {
    "s2mm": "FH",
    "mm2s": "HF",
    "duplex": "FH+HF",
}


def planned(plan: PlanExperiment, board: Board, session: Session) -> Iterator[CardRow]:
    """Refuse what is not possible; return what measures the configurations, cheapest first."""
    if plan.chunk > board.max_transfer_bytes:
        raise InputError(
            f"{plan.file}: chunk: a transfer of board {board.name} has at most "
            f"{board.max_transfer_bytes} bytes, not {plan.chunk} ({format_bytes(plan.chunk)})"
        )
    return _measured(plan, board, Simulator(session, board.ddr_peak_mb_s))


def _configurations(
    plan: PlanExperiment, board: Board, simulator: Simulator
) -> Iterator[Transfers]:
    for depth in DEPTHS:
        for wait in WAITS:
            transfers = Transfers(
                board=board.name,
                design=DESIGN,
                code=_CODES[plan.direction],
                bytes=plan.chunk,
                iterations=1,
                depth=depth,
                completions=wait,
                clock_mhz=plan.clock_mhz or board.default_clock_mhz,
            )
            yield simulator.queued(transfers, depth)


def _measured(plan: PlanExperiment, board: Board, simulator: Simulator) -> Iterator[CardRow]:
    rows = list(_configurations(plan, board, simulator))
    simulator.simulate(rows)
    short = [row for row in rows if simulator.mb_s(row) < plan.needed_mb_s]
    found = limits(short, plan.needed_mb_s, board, simulator)
    for row in rows:
        figures = simulator.known[row]
        yield CardRow(
            code=_CODES[plan.direction],
            design=row.design,
            width_bits=board.design(DESIGN).widths[0],
            clock_mhz=plan.clock_mhz or board.default_clock_mhz,
            depth=row.depth,
            completions=row.completions,
            iterations=row.iterations,
            mb_s_a_direction=simulator.mb_s(row),
            reaches=row not in found and figures.verified,
            limits=found.get(row, ()),
            verified=figures.verified,
            **figures.shares.model_dump(),
        )
