# SPDX-License-Identifier: Apache-2.0
"""The words about a plan of a card."""

from collections.abc import Sequence
from typing import ClassVar

from sluice.experiments.plan.result import CardRow, PlanResult
from sluice.experiments.plan.words import Column, Words, limited

_TAKE = {"interrupt": "wait by interrupt", "poll": "poll"}


class CardsWords(Words[CardRow]):
    """Words about how a program moves its chunks."""

    columns: ClassVar[Sequence[Column]] = (
        Column("depth", "Chunks that are queued at a time, each way"),
        Column("waits", "How the program waits for the engine", left=True),
        Column("MB/s a direction", "Of chunks alone, simulated"),
        Column("up %", "Share of the time in which the wire to the host was busy"),
        Column("down %", "The same of the wire to the card"),
        Column("verdict", "Whether it meets the requested rates, or what limits it", left=True),
    )

    def note(self, result: PlanResult) -> str:  # noqa: ARG002
        """Return what the columns are."""
        return (
            "MB/s of payload, simulated. Up and down are the link's wires. The cheapest is first."
        )

    def cells(self, row: CardRow) -> list[str]:
        """Return the cells of a configuration."""
        return [
            f"{row.depth}{' WRONG' if row.wrong else ''}",
            row.completions,
            f"{row.mb_s_a_direction:.0f}",
            f"{100 * row.up_share:.0f}",
            f"{100 * row.down_share:.0f}",
            "reaches it" if row.reaches else limited(row.limits),
        ]

    def take(self, row: CardRow) -> str:
        """Return how to queue, and how to wait."""
        chunks = "One chunk at a time" if row.depth == 1 else f"Queue {row.depth} chunks at a time"
        return f"{chunks}, and {_TAKE[row.completions]}."
