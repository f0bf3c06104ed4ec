# SPDX-License-Identifier: Apache-2.0
"""Simulating transfers of a card: each of them once, several at a time."""

import math
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from sluice import conditions
from sluice.experiments.kind import Session
from sluice.experiments.transfers.command import Figures, Transfers

# Start and end, about 3 us, weigh about 1 % of this, or of so many rounds of the queue.
_LINK_US = 500
_ROUNDS = 64
_FEWEST = 2


@dataclass(frozen=True, slots=True)
class Simulator:
    """What was simulated, and how more is."""

    session: Session
    link_mb_s: float  # of a wire, overhead included
    known: dict[Transfers, Figures] = field(default_factory=dict)

    def simulate(self, wanted: Iterable[Transfers]) -> None:
        """Simulate those that are not known yet."""
        missing = [one for one in dict.fromkeys(wanted) if one not in self.known]
        with ThreadPoolExecutor(self.session.jobs or conditions.cores()) as pool:
            self.known.update(zip(missing, pool.map(self._ask, missing), strict=True))

    def mb_s(self, transfers: Transfers) -> float:
        """Return the rate of each direction of transfers that were simulated."""
        return transfers.mb_s_a_direction(self.known[transfers])

    def queued(self, transfers: Transfers, depth: int) -> Transfers:
        """Return transfers with this depth, and as many of them as it needs."""
        of_link = math.ceil(self.link_mb_s * _LINK_US / transfers.bytes)
        count = max(_FEWEST, min(of_link, _ROUNDS * depth))
        return replace(transfers, depth=depth, iterations=count)

    def _ask(self, transfers: Transfers) -> Figures:
        what = f"{transfers.code}, depth {transfers.depth}, {transfers.completions}"
        return transfers.ask(self.session, what)
