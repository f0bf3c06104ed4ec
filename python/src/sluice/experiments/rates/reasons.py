# SPDX-License-Identifier: Apache-2.0
"""Why a rate is what it is: what its time went to, and what it comes to with another block.

The time of a run is what its bytes need at the expected rate, what passes from the start of the
first engine to that of the last, and the rest. The rest is the memory's where a row is at
overload; elsewhere it is latency, which a run pays once, whatever its block.
"""

from dataclasses import dataclass
from statistics import fmean

from sluice.experiments.rates.result import RatesRow
from sluice.units import format_bytes

PORTS, MEMORY, STARTS, LATENCY = "ports", "memory", "engine starts", "latency"


@dataclass(frozen=True, slots=True)
class Lost:
    """Shares of a row's time in which its bytes do not move at the expected rate."""

    starts: float  # from the start of the first engine to that of the last
    rest: float
    at_overload: bool

    @property
    def limit(self) -> str:
        """Return what most of the time goes to."""
        rest = MEMORY if self.at_overload else LATENCY
        moving = 1 - self.starts - self.rest
        if self.at_overload:
            return MEMORY
        return max((moving, PORTS), (self.starts, STARTS), (self.rest, rest))[1]

    @property
    def words(self) -> str:
        """Return the shares for reading."""
        rest = MEMORY if self.at_overload else LATENCY
        parts = ((self.rest, rest), (self.starts, STARTS))
        return (
            ", ".join(f"{word} {_percent(share)}" for share, word in parts if share > 0) or "none"
        )


def lost(row: RatesRow) -> Lost | None:
    """Return what the time of a row went to; None on a device, whose starts are not known."""
    if row.device is not None:
        return None
    starts = fmean(
        (sum(run.skew_ns[1:]) + row.start_cost_ns * (len(run.skew_ns) - 1))
        / (run.finish_ns - run.start_ns)
        for run in row.runs
    )
    starts = min(max(starts, 0.0), max(1 - row.efficiency, 0.0))
    return Lost(starts, max(1 - row.efficiency - starts, 0.0), row.at_overload)


def at_block(row: RatesRow, mb_s: float, block_bytes: int) -> float:
    """Return what a rate of a row comes to where each engine moves another block.

    What a run loses once stays as long as it is: the starts, and below overload the latency.
    """
    found = lost(row)
    if found is None:
        return mb_s
    once = found.starts + (0.0 if found.at_overload else found.rest)
    once *= mb_s and row.mb_s.mean / mb_s  # of a slower run it is a smaller share
    return mb_s / (1 - once + once * row.bytes / block_bytes) if once < 1 else mb_s


@dataclass(frozen=True, slots=True)
class Compared:
    """A row beside silicon, both with silicon's block where that is known."""

    row: RatesRow
    silicon_mb_s: float
    block_bytes: int

    @property
    def converted(self) -> bool:
        """Tell whether our rates were measured with another block."""
        return self.block_bytes != self.row.bytes

    def share(self, mb_s: float) -> float:
        """Return how far one of our rates is from silicon's mean, as a share of it."""
        return at_block(self.row, mb_s, self.block_bytes) / self.silicon_mb_s - 1

    @property
    def difference(self) -> float:
        """Return how far our mean is from silicon's."""
        return self.share(self.row.mb_s.mean)

    @property
    def silicon_range(self) -> tuple[float, float]:
        """Return how far silicon's own runs were from their mean."""
        figure = self.row.published_detail
        if figure is None or figure.min is None or figure.max is None:
            return (0.0, 0.0)
        return (figure.min / self.silicon_mb_s - 1, figure.max / self.silicon_mb_s - 1)

    @property
    def block(self) -> str:
        """Return the block for reading."""
        return format_bytes(self.block_bytes)


def compared(row: RatesRow) -> Compared | None:
    """Return a row beside silicon's mean, if one was printed."""
    figure = row.published_detail
    if figure is None or row.published is None:
        return None
    block = figure.block_bytes if figure.block_bytes and lost(row) else row.bytes
    return Compared(row, row.published, block)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %" if share >= 0.1 else f"{100 * share:.2f} %"  # noqa: PLR2004
