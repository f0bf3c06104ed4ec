# SPDX-License-Identifier: Apache-2.0
"""What several charts of rates say alike."""

from collections.abc import Sequence

from sluice.experiments.rates.published import ABOVE
from sluice.experiments.rates.reasons import compared, lost, not_converted
from sluice.experiments.rates.result import RatesRow
from sluice.labels import DIRECTIONS, row_label
from sluice.report.table import signed
from sluice.units import format_bytes, format_number


def how(rows: Sequence[RatesRow]) -> str:
    """Return how the rates came about."""
    return "simulated" if all(row.device is None for row in rows) else "measured"


def stagger(row: RatesRow) -> str:
    """Return the stagger of a row's buffers in words."""
    stagger = row.placement.stagger_bytes
    return f"stagger {format_bytes(stagger)}" if stagger else "no stagger"


def direction_name(direction: str, rows: Sequence[RatesRow]) -> str:
    """Return what a direction is called, in the words of the experiment if it has its own."""
    row = next(row for row in rows if row.direction == direction)
    words = [word for word in row.labels.values() if isinstance(word, str)]
    return words[0] if words else DIRECTIONS[direction]


def tip_of(row: RatesRow) -> str:
    """Return what the chart says of a row to who points at it."""
    label = row_label(row.width_bits, row.direction, row.ports)
    rates = row.mb_s
    lines = [
        f"{label}, {format_bytes(row.bytes)} blocks at {format_number(row.clock_mhz)} MHz",
        (
            f"{how([row]).capitalize()}: mean {rates.mean:.1f} MB/s "
            f"({rates.min:.1f} to {rates.max:.1f}, {len(rates.samples)} runs)"
        ),
        f"Efficiency: {100 * row.efficiency:.2f} % of {row.expected_mb_s:.1f} MB/s",
    ]
    if (reason := lost(row)) is not None:
        lines.append(f"Limited by {reason.limit}; lost to {reason.words}")
    if row.placement.stagger_bytes:
        lines.append(f"Buffers staggered by {format_bytes(row.placement.stagger_bytes)}")
    figure = row.published_detail
    if figure is not None:
        blocks = f" with {format_bytes(figure.block_bytes)} blocks" if figure.block_bytes else ""
        spread = (
            ""
            if figure.min is None or figure.max is None
            else f" ({figure.min:.1f} to {figure.max:.1f})"
        )
        above = "above " if figure.relation == ABOVE else ""
        lines.append(f"Silicon: {above}{figure.mb_s:.1f} MB/s{spread}{blocks}")
    if (beside := compared(row)) is not None:
        at = f" at {beside.block} blocks" if beside.converted else ""
        lines.append(f"Difference: {signed(beside.difference, 2)}{at}")
    elif not_converted(row):
        lines.append("Difference: not known at silicon's block; --full measures it")
    return "\n".join(lines)
