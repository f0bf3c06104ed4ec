# SPDX-License-Identifier: Apache-2.0
"""The words about a plan of ports."""

from collections.abc import Sequence
from typing import ClassVar

from sluice.experiments.plan.ports import STAGGERS
from sluice.experiments.plan.result import PlacedRates, PlanResult, PlanRow, PortsRow
from sluice.experiments.plan.words import Column, Words, limited
from sluice.labels import DIRECTIONS, ports_label
from sluice.overload import overload_note
from sluice.units import format_bytes


class PortsWords(Words[PortsRow]):
    """Words about configurations of ports."""

    columns: ClassVar[Sequence[Column]] = (
        Column("ports", "Ports and their direction", left=True),
        Column("bits", "Data width of each port"),
        Column(
            "MB/s a direction",
            "Slowest to fastest run, buffers aligned to the same DRAM bank",
        ),
        Column(
            "two banks apart",
            "The same, each buffer two banks further than the one before",
        ),
        Column(
            "verdict",
            "Whether the slowest run meets the requested rates, or what limits it",
            left=True,
        ),
    )

    def note(self, result: PlanResult) -> str:
        """Return what the ranges are, and what to know about those at overload."""
        said = "Ranges are over start skews, simulated; cheapest first."
        if (sweep := result.conditions.sweep) is not None:
            said = f"Ranges are over the runs in {sweep}, of the configurations that it has."
        if not any(placed.at_overload for row in result.rows for placed in _placements(row)):
            return said
        error = result.conditions.overload_error
        counted = (
            ""
            if error is None
            else f" The plan counts on the slowest run less {error.worst_percent:.1f} %."
        )
        return f"{said} {overload_note(error)}{counted}"

    def cells(self, row: PortsRow) -> list[str]:
        """Return the cells of a configuration."""
        return [
            f"{ports_label(row.ports)} {DIRECTIONS[row.direction]}",
            str(row.width_bits),
            *(_range(placed) for placed in row.placements),
            _verdict(row),
        ]

    def take(self, row: PortsRow) -> str:
        """Return which ports to take, and where to place their buffers."""
        return f"Take {ports_label(row.ports)}, {row.width_bits} bits. " + (
            "Buffers may lie anywhere."
            if row.reaches_anywhere
            else f"Place each buffer {format_bytes(STAGGERS[1])} further past a common alignment "
            "than the one before, so that engines in step use different DRAM banks."
        )


def _range(placed: PlacedRates) -> str:
    low, high = f"{placed.mb_s_a_direction[0]:.0f}", f"{placed.mb_s_a_direction[2]:.0f}"
    return (low if low == high else f"{low} to {high}") + (" *" if placed.at_overload else "")


def _placements(row: PlanRow) -> tuple[PlacedRates, ...]:
    return row.placements if isinstance(row, PortsRow) else ()


def _verdict(row: PortsRow) -> str:
    if row.reaches_anywhere:
        return "reaches it"
    return "reaches it if buffers are apart" if row.reaches else limited(row.limits)
