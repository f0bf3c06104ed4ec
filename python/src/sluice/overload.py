# SPDX-License-Identifier: Apache-2.0
"""Rates that the memory sets, and how far the model is from silicon there."""

from typing import Annotated

from pydantic import Field

from sluice.models import Record

_SHORT = 0.995  # of the rate of ports and clock: below, the memory sets it
_LATENCY_NS = 10_000.0  # of a transfer: what its first and last bytes wait

_Percent = Annotated[float, Field(ge=0)]


class OverloadError(Record):
    """How far the model is from what silicon was measured at, where the memory sets the rate."""

    mean_percent: _Percent = Field(description="Mean of |error| over the measured rows.")
    worst_percent: _Percent = Field(description="Largest |error| of a measured row.")

    @property
    def least_share(self) -> float:
        """Return the share of a simulated rate that the measured rows allow to promise."""
        return 1 - self.worst_percent / 100


def is_overload(*, mb_s: float, expected_mb_s: float, moved_bytes: int, waits_ns: float) -> bool:
    """Tell whether the memory sets a rate.

    It does if moving `moved_bytes` took longer than ports and clock (expected_mb_s) need, beside
    `waits_ns` of software and the latency of a transfer.
    """
    fastest_ns = moved_bytes / expected_mb_s * 1e3 + waits_ns + _LATENCY_NS
    return moved_bytes / mb_s * 1e3 > fastest_ns / _SHORT


def overload_note(error: OverloadError | None) -> str:
    """Return the sentence about rows that are marked with *."""
    said = "* At overload: the memory, not ports and clock, sets the rate."
    if error is None:
        return said
    return (
        f"{said} There the model is {error.mean_percent:.1f} % from silicon on average, "
        f"{error.worst_percent:.1f} % at worst."
    )
