# SPDX-License-Identifier: Apache-2.0
"""Where a guest's processors are, as functions, without the guest's help: it hangs.

The program counter is looked up in the kernel's symbols; frame pointers, which our kernels have,
lead to the callers. What is outside the kernel is looked for in the loaded modules, whose list is
read out of the guest's memory (Linux, include/linux/module.h: `struct module` starts with its
state, its place in the list and its name; on 64-bit processors).
"""

from __future__ import annotations

import bisect
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .kernel import Kernel
from .monitor import Monitor

KERNEL_HALF = 1 << 63  # of the addresses of 64-bit processors
FRAMES = 16
MODULES = 64
LIST, NAME = 8, 24  # offsets in struct module
MODULE_WORDS = 128  # of struct module, that has the addresses of the module's parts
MODULE_MAX = 1 << 20  # bytes of a module
PAGE = 4096


@dataclass(frozen=True)
class Loaded:
    """A module in a guest's memory."""

    name: str
    pages: list[int]  # addresses of pages that it knows: where its parts start


def loaded(monitor: Monitor, cpu: int, kernel: Kernel) -> list[Loaded]:
    """The modules in a guest's memory."""
    head = next((at for at, _, name in kernel.symbols if name == "modules"), 0)
    found: list[Loaded] = []
    at = head
    while head >= KERNEL_HALF and len(found) < MODULES:
        entry = monitor.words(cpu, at, 1)
        if not entry or entry[0] == head or entry[0] < KERNEL_HALF:
            break
        at = entry[0]
        words = monitor.words(cpu, at - LIST, MODULE_WORDS)
        text = b"".join(word.to_bytes(8, "little") for word in words)[NAME : NAME + 56]
        pages = [word for word in words if word >= KERNEL_HALF and word % PAGE == 0]
        found.append(Loaded(text.split(b"\0")[0].decode(errors="replace"), pages))
    return found


def functions(module: Path) -> list[tuple[int, str]]:
    """Offsets and names of a module's functions in its code."""
    read = subprocess.run(["readelf", "-SsW", module], capture_output=True, text=True, check=True)
    section = re.search(r"\[\s*(\d+)\] \.text ", read.stdout)
    symbols = re.findall(r": ([0-9a-f]+) +\S+ FUNC .* (\d+) (\S+)$", read.stdout, re.MULTILINE)
    return sorted(
        (int(at, 16), name) for at, where, name in symbols if section and where == section[1]
    )


class Map:
    """Names for addresses of one guest."""

    def __init__(self, kernel: Kernel, modules: list[Loaded], files: Mapping[str, Path]) -> None:
        self._modules = modules
        # A file's name may have dashes where the module's has underscores.
        self._files = {name.replace("-", "_"): file for name, file in files.items()}
        self._kernel = [(at, name) for at, kind, name in kernel.symbols if kind in "tTwW"]
        limits = [at for at, _, name in kernel.symbols if name in ("_stext", "_einittext")]
        self._start, self._end = min(limits), max(limits)

    def name(self, address: int) -> str:
        """An address as function+offset, [module] behind it if it is not the kernel's own."""
        if self._start <= address < self._end:
            return self._function(self._kernel, address)
        for module in self._modules:
            parts = [page for page in module.pages if abs(page - address) < MODULE_MAX]
            below = [part for part in parts if part <= address]
            if not below:
                continue
            # Its code is placed first, and so lowest.
            part, file = max(below), self._files.get(module.name)
            if part == min(parts) and file is not None:
                return f"{self._function(functions(file), address - part)} [{module.name}]"
            return f"{part:#x}+{address - part:#x} [{module.name}]"
        return f"{address:#x}, a program" if address < KERNEL_HALF else f"{address:#x}"

    @staticmethod
    def _function(known: list[tuple[int, str]], address: int) -> str:
        at = bisect.bisect_right(known, (address, "\x7f")) - 1
        return f"{known[at][1]}+{address - known[at][0]:#x}" if at >= 0 else f"{address:#x}"


def stack(monitor: Monitor, cpu: int) -> list[int]:
    """Where a processor is, and where that was called from as far as frame pointers say."""
    counter, frame = monitor.registers(cpu)
    addresses = [counter]
    # A frame starts with the address of its caller's, and where to return to.
    while frame >= KERNEL_HALF and len(addresses) < FRAMES:
        words = monitor.words(cpu, frame, 2)
        if len(words) != 2:
            break
        if words[1] >= KERNEL_HALF:
            addresses.append(words[1])
        frame = words[0]
    return addresses


def report(monitor: Monitor, kernel: Kernel, files: Mapping[str, Path]) -> list[str]:
    """A line for each processor. `files`: modules by name. Raises OSError if QEMU does not
    answer."""
    cpus = monitor.cpus()
    names = Map(kernel, loaded(monitor, cpus[0], kernel), files)
    return [
        f"CPU {cpu}: " + " < ".join(names.name(address) for address in stack(monitor, cpu))
        for cpu in cpus
    ]
