# SPDX-License-Identifier: Apache-2.0
"""What count.c has written: the instructions of each window, and where in the code they were."""

from __future__ import annotations

import bisect
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MODULES = 0xBF000000  # on 32-bit Arm modules stand below the kernel, programs below these
SYSTEM_CALL = "vector_swi"  # the kernel's entries (Linux, arch/arm/kernel/entry-common.S)
IDLE = "arch_cpu_idle"
KERNEL = "kernel"
PROGRAM = "program and library"


@dataclass(frozen=True)
class Window:
    """What was executed between two marks."""

    instructions: int
    places: dict[int, int]  # how often, by address


def read(file: Path) -> Iterator[Window]:
    """The windows of a run, in order."""
    total: int | None = None
    places: dict[int, int] = {}
    for line in file.read_text().splitlines():
        first, second = line.split()
        if first != "window":
            places[int(first, 16)] = int(second)
            continue
        if total is not None:
            yield Window(total, places)
        total, places = int(second), {}
    if total is not None:
        yield Window(total, places)


class Symbols:
    """Names for addresses of one program and of the kernel under it."""

    def __init__(self, compiler: str, program: Path | None, kallsyms: str) -> None:
        lines = [line.split(None, 3) for line in kallsyms.splitlines()]
        kernel = {int(at, 16): " ".join(rest) for at, kind, *rest in lines if kind in "tTwW"}
        own: dict[int, str] = {}
        if program is not None:
            command = [f"{compiler}nm", "-C", str(program)]
            told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            entries = [line.split(None, 2) for line in told.splitlines()]
            own = {int(e[0], 16): e[2] for e in entries if len(e) == 3 and e[1] in "tTwWi"}
        self._names = own | kernel
        self._addresses = sorted(self._names)
        self._entry = {name: at for at, name in kernel.items()}

    def name(self, address: int) -> str:
        """The function that holds an address, "[module]" behind it where it is a module's."""
        at = bisect.bisect_right(self._addresses, address) - 1
        return self._names[self._addresses[at]] if at >= 0 else f"{address:#x}"

    def functions(self, window: Window) -> Counter[str]:
        """Instructions by function."""
        found: Counter[str] = Counter()
        for address, count in window.places.items():
            found[self.name(address)] += count
        return found

    def parts(self, window: Window) -> Counter[str]:
        """Instructions by part: program, kernel, and each module."""
        found: Counter[str] = Counter()
        for address, count in window.places.items():
            name = self.name(address)
            module = name.rpartition("[")[2].rstrip("]") if name.endswith("]") else None
            found[PROGRAM if address < MODULES else module or KERNEL] += count
        return found

    def entered(self, window: Window, function: str) -> int:
        """How often a function of the kernel was entered."""
        return window.places.get(self._entry[function], 0)
