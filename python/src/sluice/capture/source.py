# SPDX-License-Identifier: Apache-2.0
"""The counter source in front of a channel: its rate, its start and its end."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sluice.errors import InputError

if TYPE_CHECKING:
    from sluice.capture.options import Options
    from sluice.io import Board, Channel

WORD_BYTES = 4  # of the words that count
_SHARE = 0.5  # of what the channel's width and clock carry, where no rate was asked for


@dataclass(frozen=True, slots=True)
class Source:
    """How to set the source up: a packet a period, packets at an even pace."""

    prefix: str  # of its attributes
    beats: int  # of a packet
    ticks: int  # from packet to packet
    waits: bool  # rather than that beats are dropped
    rate_mb_s: float | None  # None: not known

    def prepare(self, board: Board) -> None:
        """Let it stand still, its words to count from 0."""
        for name, value in (
            ("enable", 0),
            ("packet_beats", self.beats),
            ("pause_ticks", 0),
            ("frame_packets", 1),
            ("frame_ticks", self.ticks),
            ("start", 0),
            ("free_run", int(not self.waits)),
            ("continuous", 1),
            ("clear", 1),
        ):
            board.attributes[f"{self.prefix}.{name}"] = value

    def as_set(self, settings: tuple[str, ...]) -> Source:
        """Return it behind settings of --set: of one that they change the rate is not known."""
        changed = any(setting.startswith(f"{self.prefix}.") for setting in settings)
        return replace(self, rate_mb_s=None) if changed else self

    def first_word(self, board: Board) -> int:
        """Return the word that comes first."""
        return board.attributes[f"{self.prefix}.start"]

    def start(self, board: Board) -> None:
        """Let the words come."""
        board.attributes[f"{self.prefix}.enable"] = 1

    def stop(self, board: Board) -> None:
        """Let no beat follow the presented one."""
        board.attributes[f"{self.prefix}.enable"] = 0


def plan_source(board: Board, channel: Channel, options: Options) -> Source | None:
    """Return how the channel's source has to be set up; None: nobody asked, and it is a device's.

    A simulated board's source stands still until somebody starts it, so there it always is.
    """
    prefix = f"{channel.info.name.rpartition('.')[0]}.source"
    there = f"{prefix}.frame_ticks" in board.attributes.info()
    if options.rate_mb_s is None and not (there and board.info.simulated_time):
        return None
    if not there:
        raise InputError(
            f"--rate: {options.uri} has no counter source in front of {channel.info.name}; its "
            "data has its own rate, so leave out --rate"
        )
    beat_bytes = channel.info.width_bits // 8
    clock_hz = board.info.clock_khz * 1000
    if not beat_bytes or not clock_hz:
        raise InputError(
            f"--rate: {options.uri} does not report its width and clock, which a rate needs; set "
            f"{prefix}.frame_ticks by --set instead"
        )
    beats, rest = divmod(options.period_bytes, beat_bytes)
    if rest or not beats:
        raise InputError(
            f"--period-bytes {options.period_bytes}: the source's beats have {beat_bytes} bytes; "
            "give a multiple of that"
        )
    most_mb_s = beat_bytes * clock_hz / 1e6
    rate_mb_s = options.rate_mb_s or _SHARE * most_mb_s
    if rate_mb_s > most_mb_s:
        raise InputError(
            f"--rate: {options.rate_mb_s:g} MB/s are more than the source's {beat_bytes} bytes at "
            f"{clock_hz / 1e6:g} MHz, {most_mb_s:g} MB/s"
        )
    ticks = max(round(options.period_bytes / 1e6 / rate_mb_s * clock_hz), beats)
    _check_maxima(board, prefix, beats, ticks)
    return Source(
        prefix=prefix,
        beats=beats,
        ticks=ticks,
        waits=options.policy == "hold",
        rate_mb_s=options.period_bytes * clock_hz / ticks / 1e6,
    )


def _check_maxima(board: Board, prefix: str, beats: int, ticks: int) -> None:
    known = board.attributes.info()
    for name, value, option in (
        ("packet_beats", beats, "--period-bytes"),
        ("frame_ticks", ticks, "--rate"),
    ):
        most = known[f"{prefix}.{name}"].maximum
        if value > most:
            raise InputError(
                f"{option}: the source's {name} would be {value}, and is at most {most}"
            )
