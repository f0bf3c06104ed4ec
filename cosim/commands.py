# SPDX-License-Identifier: Apache-2.0
"""What tests have guests do: commands that have to succeed, modules, the kernel's own copies."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .guests import Guest
from .guests.guest import COMMAND_S

DMATEST = "/sys/module/dmatest/parameters"


def must(guest: Guest, command: str, timeout_s: float = COMMAND_S) -> str:
    """What a command says that has to succeed."""
    result = guest.run(command, timeout_s)
    assert result.status == 0, result
    return result.text


def load(guest: Guest, module: str, parameters: str = "") -> None:
    """Loads a module, unless it is built into the kernel."""
    must(guest, f"[ ! -e /modules/{module}.ko ] || insmod /modules/{module}.ko {parameters}")


def unload(guest: Guest, module: str) -> None:
    must(guest, f"[ ! -e /modules/{module}.ko ] || rmmod {module}")


@dataclass(frozen=True)
class Copies:
    """What dmatest says of one channel."""

    tests: int
    failures: int


def dmatest(guest: Guest, names: list[str], iterations: int, size: int) -> dict[str, Copies]:
    """Copies by the kernel's own test, all channels at once, offsets and lengths at random."""
    load(guest, "dmatest")
    settings = {
        "iterations": iterations,
        "test_buf_size": size,
        "timeout": 600_000,  # ms
        "threads_per_chan": 1,
    }
    lines = [f"echo {value} > {DMATEST}/{name}" for name, value in settings.items()]
    lines += [f"echo {name} > {DMATEST}/channel" for name in names]
    lines += ["dmesg -c > /dev/null", f"echo 1 > {DMATEST}/run", f"cat {DMATEST}/wait"]
    # `wait` knows only threads that have started; what counts is the last word of each.
    lines += [f"until [ $(dmesg | grep -c summary) -ge {len(names)} ]; do sleep 0.1; done", "dmesg"]
    text = must(guest, " && ".join(lines), timeout_s=1800)
    unload(guest, "dmatest")
    # The thread's name: cut to 15 characters, so without its number from dma10chan0 on.
    summary = r"dmatest: (\w+)-copy0?: summary (\d+) tests, (\d+) failures"
    copies = {name: Copies(int(t), int(f)) for name, t, f in re.findall(summary, text)}
    assert set(copies) == set(names), text
    return copies
