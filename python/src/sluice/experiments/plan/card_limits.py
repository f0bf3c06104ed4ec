# SPDX-License-Identifier: Apache-2.0
"""What limits a program's transfers to and from a card.

One limit after the other is taken out of the model, cheapest remedy first, until the requested
rate is met. Those that may stay are put back then, dearest first: what cannot stay is the limit.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce

from sluice.boards import Board
from sluice.experiments.plan.simulator import Simulator
from sluice.experiments.transfers.command import Figures, Transfers
from sluice.units import format_bytes, format_number, format_time_ns

_DEEPEST = 256
_TAGS = {"tags": 256}
_CREDITS = {"posted_headers": 2047, "posted_data": 32767, "nonposted_headers": 2047}
_LATENCY = {"root_read_ns": 0, "root_write_ns": 0}
_PAYLOADS = (512, 1024)  # above that of every board
_BUSY = 0.95  # share from which on a wire is what limits
_PRESET = "bare_metal"


@dataclass(frozen=True, slots=True)
class _Remedy:
    """A limit that can be taken out, and what it is called, given what it leaves of the rate."""

    change: Callable[[Transfers], Transfers]
    name: Callable[[Transfers, Figures, str], str]


def limits(
    short: Sequence[Transfers], needed_mb_s: float, board: Board, simulator: Simulator
) -> dict[Transfers, tuple[str, ...]]:
    """Return what limits each of the transfers, all of which fall short of a rate."""
    for transfers in short:
        if bound := _bound(transfers, needed_mb_s, board):
            return dict.fromkeys(short, (bound,))  # they share the link and the port
    searches = [_Search(one, needed_mb_s, board, simulator) for one in short]
    _take_out(searches, simulator)
    _put_back([search for search in searches if search.reaches], simulator)
    return {search.transfers: search.found() for search in searches}


def _bound(transfers: Transfers, needed_mb_s: float, board: Board) -> str:
    """Return the bound that no remedy moves, where the rate is above it."""
    if board.ddr_peak_mb_s < needed_mb_s:
        peak = f"{board.ddr_peak_mb_s:.0f} MB/s"
        return f"the link's wires: {peak} a direction, headers included"
    if _port_mb_s(transfers, board) < needed_mb_s:
        return f"the card's port: {_port(transfers, board)}"
    return ""


def _port_mb_s(transfers: Transfers, board: Board) -> float:
    clock = transfers.clock_mhz or board.default_clock_mhz
    return board.design(transfers.design).widths[0] / 8 * clock


def _port(transfers: Transfers, board: Board) -> str:
    width = board.design(transfers.design).widths[0]
    clock = format_number(transfers.clock_mhz or board.default_clock_mhz)
    rate = format_number(_port_mb_s(transfers, board))
    return f"{width} bits at {clock} MHz carry {rate} MB/s a direction"


@dataclass(slots=True)
class _Search:
    """The search for what limits some transfers."""

    transfers: Transfers
    needed_mb_s: float
    board: Board
    simulator: Simulator
    cheap: list[_Remedy] = field(init=False)  # all but longer payloads
    remedies: list[_Remedy] = field(init=False)  # that change something, cheapest first
    out: list[_Remedy] = field(init=False)  # that are taken out
    short: dict[int, Transfers] = field(init=False)  # what falls short, by the remedy it lacks
    reaches: bool = False

    def __post_init__(self) -> None:
        self.cheap = [
            remedy
            for remedy in _cheap(self.board, self.simulator)
            if remedy.change(self.transfers) != self.transfers
        ]
        self.remedies = [*self.cheap, *(_payload(size) for size in _PAYLOADS)]
        self.out, self.short = [], {}

    def steps(self, count: int) -> list[list[_Remedy]]:
        """Return what may be taken out where so many limits are: all of them, or all but the first.

        The first is the cost of a start. Without it a program starts fewer chunks at a time, and
        is told of more ends; where the link is full, that makes the transfers slower.
        """
        out = self.remedies[:count]
        return [out[1:], out] if out[1:] else [out]

    def enough(self, remedies: Sequence[_Remedy]) -> bool:
        return self.simulator.mb_s(_changed(self.transfers, remedies)) >= self.needed_mb_s

    def found(self) -> tuple[str, ...]:
        if not self.reaches:
            return (self._rest(),)
        return tuple(
            remedy.name(self.transfers, self.simulator.known[left], self._rate(left))
            for remedy in self.out
            for left in [self.short[id(remedy)]]
        )

    def _rate(self, transfers: Transfers) -> str:
        return f"at most {self.simulator.mb_s(transfers):.0f} MB/s"

    def _rest(self) -> str:
        """Return the wire where it is busy, with the board's own payload; or the port."""
        tried = [self.transfers]
        for count in range(1, len(self.cheap) + 1):
            tried += [_changed(self.transfers, out) for out in self.steps(count)]
        best = max(tried, key=self.simulator.mb_s)
        figures, rate = self.simulator.known[best], self.simulator.mb_s(best)
        ways = {"to the host": figures.shares.up_share, "to the card": figures.shares.down_share}
        way = max(ways, key=lambda name: ways[name])
        chunk = format_bytes(self.transfers.bytes)
        if ways[way] < _BUSY:
            port = _port(self.transfers, self.board)
            return f"the card's port: {port}, and {rate:.0f} MB/s in chunks of {chunk}"
        return (
            f"the link: its wire {way} carries {rate / ways[way]:.0f} MB/s in chunks of {chunk}, "
            f"besides headers, descriptors and DLLPs ({_percent(ways[way])} busy)"
        )


def _take_out(searches: Sequence[_Search], simulator: Simulator) -> None:
    """Take out one limit after the other, until the rate is met or none is left."""
    still, count = list(searches), 0
    while still:
        count += 1
        simulator.simulate(
            _changed(one.transfers, out) for one in still for out in one.steps(count)
        )
        for one in still:
            for out in one.steps(count):
                if not one.reaches and one.enough(out):
                    one.out, one.reaches = out, True
                    one.short[id(out[-1])] = _changed(one.transfers, out[:-1])
        still = [one for one in still if not one.reaches and count < len(one.remedies)]


def _put_back(searches: Sequence[_Search], simulator: Simulator) -> None:
    """Put back those without which the rate is met too, dearest first; not the last, which met it.

    All searches go on together, so that what they simulate runs side by side.
    """
    left = {id(one): one.out[-2::-1] for one in searches}
    while searches := [one for one in searches if left[id(one)]]:
        tried = {id(one): left[id(one)].pop(0) for one in searches}
        without = {id(one): [x for x in one.out if x is not tried[id(one)]] for one in searches}
        simulator.simulate(_changed(one.transfers, without[id(one)]) for one in searches)
        for one in searches:
            if one.enough(without[id(one)]):
                one.out = without[id(one)]
            else:
                one.short[id(tried[id(one)])] = _changed(one.transfers, without[id(one)])


def _changed(transfers: Transfers, remedies: Sequence[_Remedy]) -> Transfers:
    return reduce(lambda changed, remedy: remedy.change(changed), remedies, transfers)


def _set(transfers: Transfers, settings: dict[str, int]) -> Transfers:
    """Return transfers with settings of the link; in one order, so that equal ones are equal."""
    merged = dict(transfers.settings) | settings
    return replace(transfers, settings=tuple(sorted(merged.items())))


def _cheap(board: Board, simulator: Simulator) -> list[_Remedy]:
    """Return the remedies besides longer payloads, cheapest first."""
    start = format_time_ns(board.start_cost_ns(_PRESET, board.default_clock_mhz))
    return [
        _Remedy(
            lambda one: replace(one, start_cost_ns=0),
            lambda one, _, rate: (
                f"software's start cost of {start}: {rate} in chunks of {format_bytes(one.bytes)}"
            ),
        ),
        _Remedy(
            lambda one: replace(one, completions="poll"),
            lambda _, __, rate: f"waiting by interrupt instead of polling: {rate}",
        ),
        _Remedy(
            lambda one: simulator.queued(one, _DEEPEST),
            lambda one, _, rate: (
                f"queue: {rate} with {one.depth} x {format_bytes(one.bytes)} in flight"
            ),
        ),
        _Remedy(
            lambda one: _set(one, _TAGS),
            lambda _, left, rate: (
                f"tags: {rate}, reads wait for one {_percent(left.shares.tags_share)} of the time"
            ),
        ),
        _Remedy(
            lambda one: _set(one, _CREDITS),
            lambda _, left, rate: (
                f"credits: {rate}, packets wait for them "
                f"{_percent(left.shares.credits_share)} of the time"
            ),
        ),
        _Remedy(
            lambda one: _set(one, _LATENCY),
            lambda _, left, rate: (
                f"the host's latency: {rate}, reads wait for their data "
                f"{_percent(left.shares.completion_share)} of the time"
            ),
        ),
    ]


def _payload(size: int) -> _Remedy:
    """Return the remedy of longer packets; a completion is no longer than its request."""
    settings = {"mps": size} if size <= min(_PAYLOADS) else {"mps": size, "mrrs": size}
    return _Remedy(
        lambda one: _set(one, settings),
        lambda _, __, rate: f"payload of a packet (MPS): {rate}, {size} B would reach it",
    )


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
