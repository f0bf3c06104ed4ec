# SPDX-License-Identifier: Apache-2.0
"""What the movers should do, written from the contract on whole transfers, byte by byte."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tb.command import Command, Status

OKAY, INTERNAL, SLVERR, DECERR = range(4)


def bursts(addr: int, count: int, beat: int, max_burst: int) -> list[tuple[int, int]]:
    """(address, beats) of each burst of a command."""
    window = min(beat * max_burst, 4096)
    found = []
    end = addr + count
    while addr < end:
        stop = min(end, (addr // window + 1) * window)
        found.append((addr, (stop - 1) // beat - addr // beat + 1))
        addr = stop
    return found


def is_bad(command: Command, beat: int, unaligned: bool) -> bool:
    return command.bytes == 0 or (not unaligned and command.addr % beat != 0)


def expected_status(command: Command, beat: int, unaligned: bool, error: Callable[[int], int]) -> Status:
    """`error` answers for the address of a whole beat of memory."""
    if is_bad(command, beat, unaligned):
        return Status(0, False, INTERNAL, command.tag)
    for at in range(command.addr - command.addr % beat, command.addr + command.bytes, beat):
        if error(at) >= SLVERR:
            return Status(max(at - command.addr, 0), command.eop, error(at), command.tag)
    return Status(command.bytes, command.eop, OKAY, command.tag)


def expected_packets(
    commands: list[Command], memory: bytes, beat: int, unaligned: bool, error: Callable[[int], int]
) -> tuple[list[list[int | None]], list[int | None]]:
    """Finished packets and the open one; None for a byte that came from a failed read."""
    packets: list[list[int | None]] = []
    part: list[int | None] = []
    for command in commands:
        if is_bad(command, beat, unaligned):
            continue
        for at in range(command.addr, command.addr + command.bytes):
            part.append(None if error(at - at % beat) >= SLVERR else memory[at])
        if command.eop:
            packets.append(part)
            part = []
    return packets, part


def same(got: bytes, wanted: list[int | None]) -> bool:
    return len(got) == len(wanted) and all(w is None or w == g for g, w in zip(got, wanted, strict=True))


def random_size(rng: Any, limit: int) -> int:
    """Sizes that matter: single bytes, around a beat, a burst and 4 KiB, and anything up to
    `limit`."""
    kind = rng.random()
    if kind < 0.35:
        size = rng.randint(1, 80)
    elif kind < 0.6:
        size = rng.choice((64, 128, 256, 512, 1024, 2048, 4096)) + rng.randint(-3, 3)
    else:
        size = int(2 ** rng.uniform(0, 16))
    return max(1, min(size, limit))
