# SPDX-License-Identifier: Apache-2.0
"""The words about a plan that a table on the terminal and the page of a report have in common."""

from sluice.experiments.plan.measure import STAGGERS
from sluice.experiments.plan.result import PlacedRates, PlanResult, PlanRow
from sluice.labels import DIRECTIONS, ports_label
from sluice.units import format_bytes, format_number

HEADS = ("ports", "bits", "MB/s a direction", "two banks apart", "verdict")
NOTE = "Ranges are over start skews, simulated; cheapest first."


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


def cells(row: PlanRow) -> list[str]:
    """Return the cells of a configuration."""
    return [
        f"{ports_label(row.ports)} {DIRECTIONS[row.direction]}",
        str(row.width_bits),
        *(_range(placed) for placed in row.placements),
        _verdict(row),
    ]


def advice(result: PlanResult) -> str:
    """Return which configuration to take, and where to place its buffers."""
    best = result.best
    if best is None:
        return "No configuration reaches it."
    return f"Take {ports_label(best.ports)}, {best.width_bits} bits. " + (
        "Buffers may lie anywhere."
        if best.reaches_anywhere
        else f"Place each buffer {format_bytes(STAGGERS[1])} further past a common alignment "
        "than the one before, so that engines in step use different DRAM banks."
    )


def _range(placed: PlacedRates) -> str:
    low, high = f"{placed.mb_s_a_direction[0]:.0f}", f"{placed.mb_s_a_direction[2]:.0f}"
    return low if low == high else f"{low} to {high}"


def _verdict(row: PlanRow) -> str:
    if row.reaches_anywhere:
        return "reaches it"
    return "reaches it if buffers are apart" if row.reaches else f"limit: {'; '.join(row.limits)}"
