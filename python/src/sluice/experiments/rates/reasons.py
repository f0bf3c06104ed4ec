# SPDX-License-Identifier: Apache-2.0
"""Why a rate is what it is: what its time went to, and what it comes to with another block.

The time of a run is what its bytes need at the expected rate, what passes from the start of the
first engine to that of the last, and the rest. The rest is the memory's where a row is at
overload, and the engine's where that alone is slower than its port. Elsewhere it is latency, which
a run pays once, whatever its block.

Ports that read and write at once may lose time only until their reads and writes have settled into
turns. On the simulated Zynq at 100 MHz, HP0 and HP2 lose 30 to 45 us (64 bits) or 50 to 225 us (32
bits) with every block from 64 KiB to 32 MiB; HP0 and HP1 lose a third of the time of any block. A
short loss of a row near the rate of its ports may be of either sort, which one block does not tell.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from sluice.experiments.rates.result import RatesRow
from sluice.labels import ENGINES_PER_PORT
from sluice.overload import is_overload
from sluice.units import format_bytes

PORTS, PEAK = "ports", "memory's peak"  # what the expected rate is that of
MEMORY, ENGINE, LATENCY, STARTS = "memory", "engine", "latency", "engine starts"
_NEAR = 0.9  # of the ports' rate: what a row that may settle reaches at least
_SETTLING_NS = 250_000.0  # what it loses at most


@dataclass(frozen=True, slots=True)
class Lost:
    """Shares of a row's time in which its bytes do not move at the expected rate."""

    starts: float  # from the start of the first engine to that of the last
    rest: float
    cause: str  # of the rest: MEMORY, ENGINE or LATENCY
    bound: str  # PORTS or PEAK
    settles: bool = False  # perhaps: the memory's rest may be what a run loses once

    @property
    def limit(self) -> str:
        """Return what most of the time goes to."""
        if self.cause != LATENCY and not self.settles:
            return self.cause
        moving = 1 - self.starts - self.rest
        return max((moving, self.bound), (self.starts, STARTS), (self.rest, LATENCY))[1]

    @property
    def once(self) -> float:
        """Return the share that a run loses once, whatever its block."""
        return self.starts + (self.rest if self.cause == LATENCY else 0.0)

    @property
    def words(self) -> str:
        """Return the shares for reading."""
        parts = ((self.rest, self.cause), (self.starts, STARTS))
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
    engines = len(row.ports) * ENGINES_PER_PORT[row.direction]
    at_ports = row.width_bits / 8 * row.clock_mhz * engines
    bound = PEAK if row.expected_mb_s < at_ports * (1 - 1e-9) else PORTS
    rest, cause = max(1 - row.efficiency - starts, 0.0), _cause(row, engines)
    rest_ns = rest * fmean(run.finish_ns - run.start_ns for run in row.runs)
    near = bound == PORTS and row.efficiency >= _NEAR and rest_ns <= _SETTLING_NS
    return Lost(starts, rest, cause, bound, settles=near and cause == MEMORY)


def _cause(row: RatesRow, engines: int) -> str:
    if row.at_overload:
        return MEMORY
    # False also where it is not known: with engines that alone are slower than their ports.
    slow = is_overload(
        mb_s=row.mb_s.mean,
        expected_mb_s=row.expected_mb_s,
        moved_bytes=row.bytes * engines,
        waits_ns=engines * (row.start_cost_ns + row.skew_ns),
    )
    return ENGINE if slow else LATENCY


def at_block(row: RatesRow, mb_s: float, block_bytes: int) -> float:
    """Return what a rate of a row comes to where each engine moves another block.

    What a run loses once stays as long as it is: the starts, and below overload the latency.
    """
    found = lost(row)
    if found is None or mb_s == 0:
        return mb_s
    share = mb_s / row.mb_s.mean  # of the mean's rate, and of a run's time the inverse
    # Below overload, runs differ in what they lose once; at overload, in the rest.
    once = 1 - (1 - found.once) * share if found.cause == LATENCY else found.once * share
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
    """Return a row beside silicon's mean, if one was printed and its block can be converted to."""
    figure = row.published_detail
    if figure is None or row.published is None or not_converted(row):
        return None
    block = figure.block_bytes if figure.block_bytes and lost(row) else row.bytes
    return Compared(row, row.published, block)


def not_converted(row: RatesRow) -> bool:
    """Tell whether silicon had another block, at which the rate of a row is not known."""
    figure, reason = row.published_detail, lost(row)
    if figure is None or row.published is None or reason is None:
        return False
    return reason.settles and figure.block_bytes not in (None, row.bytes)


def silicon_blocks(pairs: Sequence[Compared]) -> str:
    """Return the blocks at which rows are compared with silicon, for reading."""
    blocks = {one.block for one in pairs}
    return f"{blocks.pop()} blocks" if len(blocks) == 1 else "silicon's blocks"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %" if share >= 0.1 else f"{100 * share:.2f} %"  # noqa: PLR2004
