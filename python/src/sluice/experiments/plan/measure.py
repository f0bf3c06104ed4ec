# SPDX-License-Identifier: Apache-2.0
"""Planning with what the board has: ports of the memory system, or a card in its slot."""

from sluice.boards import Board
from sluice.errors import InputError
from sluice.experiments.kind import Measurement, Session
from sluice.experiments.plan import cards, ports
from sluice.experiments.plan.experiment import PlanExperiment
from sluice.experiments.plan.result import CardRow, PlanConditions, PortsRow
from sluice.units import format_number

Row = PortsRow | CardRow


def measure(experiment: PlanExperiment, session: Session) -> Measurement[PlanConditions, Row]:
    """Plan the configurations of an experiment."""
    board = experiment.offered_board(session.catalogue)
    _check_clock(experiment, board)
    conditions = PlanConditions(
        read_mb_s=experiment.read,
        write_mb_s=experiment.write,
        chunk_bytes=experiment.chunk,
        direction=experiment.direction,
        sweep=experiment.sweep,
        overload_error=board.overload_error,
    )
    design = _design(board)
    if design == cards.DESIGN:
        if experiment.sweep is not None:
            raise InputError(
                f"--sweep {experiment.sweep}: board {board.name} is a card, and sweeps hold the "
                "rates of ports; leave --sweep out"
            )
        of_card = cards.planned(experiment, board, session)
        return Measurement(of_card, conditions, designs=(design,))
    of_ports = ports.planned(experiment, board, session)
    return Measurement(of_ports, conditions, ports.SEED, designs=(design,))


def _design(board: Board) -> str:
    """Return the design that a board is planned with."""
    plannable = (ports.DESIGN, cards.DESIGN)
    for design in board.designs:
        if design.name in plannable:
            return design.name
    known = ", ".join(design.name for design in board.designs)
    raise InputError(
        f"board {board.name} has no design '{ports.DESIGN}', whose ports are planned with, nor "
        f"'{cards.DESIGN}', that of cards; designs: {known}"
    )


def _check_clock(plan: PlanExperiment, board: Board) -> None:
    """Refuse a clock that the board has not, by the key that the plan has for it."""
    least, most = board.clock_mhz
    if plan.clock_mhz is not None and not least <= plan.clock_mhz <= most:
        raise InputError(
            f"{plan.file}: clock_mhz: board {board.name} has no clock of "
            f"{format_number(plan.clock_mhz)} MHz; allowed: {format_number(least)} to "
            f"{format_number(most)}"
        )
