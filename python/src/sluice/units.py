# SPDX-License-Identifier: Apache-2.0
"""Quantities as people write them. MB = 10^6 bytes, MiB = 2^20."""

import re

from sluice.errors import InputError

_FACTORS = {
    "": 1,
    "B": 1,
    "kB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
}
_RATE = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?) ?([A-Za-z]*)/s", re.ASCII)
_SIZE = re.compile(r"([0-9]{1,18}) ?([A-Za-z]*)", re.ASCII)


def parse_bytes(text: str) -> int:
    """Return the bytes that `text` names, such as "4096", "64KiB" or "1 MiB"."""
    match = _SIZE.fullmatch(text.strip())
    if match is None or match[2] not in _FACTORS:
        raise InputError(
            f"'{text}' is not a size. Give a whole number of bytes, or one with KiB, MiB, GiB, "
            "kB, MB or GB, such as 4096 or 1MiB"
        )
    return int(match[1]) * _FACTORS[match[2]]


def parse_rate(text: str) -> float:
    """Return the MB/s that `text` names, such as "600MB/s", "1.2GB/s" or "100 MiB/s"."""
    match = _RATE.fullmatch(text.strip())
    if match is None or match[2] not in _FACTORS or not match[2]:
        raise InputError(
            f"'{text}' is not a rate; write a number and kB/s, MB/s, GB/s, KiB/s, MiB/s or GiB/s, "
            "such as 600MB/s"
        )
    return float(match[1]) * _FACTORS[match[2]] / 1e6


def format_bytes(count: int) -> str:
    """Return `count` in the largest binary unit that divides it: 65536 is "64 KiB"."""
    for unit in ("GiB", "MiB", "KiB"):
        if count and count % _FACTORS[unit] == 0:
            return f"{count // _FACTORS[unit]} {unit}"
    return f"{count} B"


def format_count(count: int, noun: str) -> str:
    """Return how many, with the noun's plural: 1 "frame" is "1 frame"."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def format_number(value: float) -> str:
    """Return a number without a fraction that says nothing: 100.0 is "100"."""
    return str(int(value)) if float(value).is_integer() else str(float(value))


def format_time_ns(nanoseconds: float) -> str:
    """Return a duration for reading: 2100 is "2.1 µs"."""
    if nanoseconds >= 1000:  # noqa: PLR2004
        return f"{format_number(nanoseconds / 1000)} µs"
    return f"{format_number(nanoseconds)} ns"
