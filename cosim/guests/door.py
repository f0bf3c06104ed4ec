# SPDX-License-Identifier: Apache-2.0
"""The QEMU for a board in the Zynq's logic, and the plugin that fits it: an installed or unpacked
QEMU with the plugin of build/release, or both built from QEMU's source."""

from __future__ import annotations

import functools
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tools import qemu
from tools.debian import UnavailableError

from . import qemu_source
from .qemu_source import ChoiceError
from .recipe import BuildError
from .server import BUILT

PLUGIN = BUILT / "pl.so"
# An instruction takes 2 ns, a Cortex-A9's average at 667 MHz: programs and logic are on one clock.
CLOCK = "shift=1,sleep=off"
# By this variable of the environment a person chooses.
CHOICE = "SLUICE_QEMU"
SOURCE = "source"
CHECK_S = 300  # against hanging only
FAILED = 1  # the plugin's own status, for what is not QEMU's fault


@dataclass(frozen=True)
class Door:
    """A command that runs qemu-system-arm, and the plugin for it."""

    qemu: tuple[str, ...]
    plugin: Path


def chosen() -> Path | bool:
    """Whether a person asks for QEMU built from its source, or the folder or the archive to build
    it from. Raises ChoiceError."""
    choice = os.environ.get(CHOICE, "")
    if choice in ("", SOURCE):
        return choice == SOURCE
    given = Path(choice)
    if not given.exists():
        raise ChoiceError(
            f"{CHOICE} is '{choice}'; allowed: {SOURCE}, the path of a folder or an archive of "
            "QEMU's source, or nothing"
        )
    return given.resolve()


def misfit(door: Door) -> str | None:
    """Why the plugin does not work in that QEMU, by its self-test; None if it does. Raises
    UnavailableError for a plugin that is none of this version."""
    command = [
        *door.qemu,
        *("-nodefaults", "-display", "none", "-M", "xilinx-zynq-a9", "-icount", CLOCK),
        *("-plugin", f"{door.plugin},check=on"),
    ]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=CHECK_S
        )
    except subprocess.TimeoutExpired:
        return f"its self-test does not end in {CHECK_S} s"
    if done.returncode == 0:
        return None
    told = "".join(done.stderr.strip().splitlines()[-1:])
    if done.returncode == FAILED and told.startswith("sluice-pl:"):
        raise UnavailableError(f"{door.plugin} is of another version ({told}): run 'make build'")
    return told or f"its self-test ends with status {done.returncode}"


def of_packages() -> Door | str:
    """The machine's QEMU or that of Debian's packages; or why the plugin does not fit it. Raises
    UnavailableError."""
    door = Door(tuple(qemu.command("arm", qemu.FOR_PLUGINS)), PLUGIN)
    reason = misfit(door)
    return door if reason is None else f"the QEMU here does not fit the plugin ({reason})"


def of_source(why: str) -> Door:
    """QEMU out of its source, built if need be. Raises UnavailableError, BuildError,
    ChoiceError."""
    given = chosen()
    try:
        program, plugin = qemu_source.built(why, given if isinstance(given, Path) else None)
    except UnavailableError as error:
        raise UnavailableError(f"QEMU cannot be built from its source: {error}; {why}") from None
    door = Door((str(program),), plugin)
    reason = misfit(door)
    if reason is not None:
        raise BuildError(f"QEMU built from its source does not fit the plugin ({reason}); {why}")
    return door


@functools.cache
def find() -> Door:
    """QEMU with the door; out of packages where that fits, else built from its source. Raises
    UnavailableError, BuildError, ChoiceError."""
    if chosen():
        return of_source(f"{CHOICE}={os.environ[CHOICE]} asks for it")
    if not PLUGIN.exists():
        raise UnavailableError(f"{PLUGIN.name} is not built: run 'make build'")
    try:
        found = of_packages()
    except UnavailableError as error:
        return of_source(f"no QEMU here has what the plugin needs ({error})")
    if isinstance(found, Door):
        return found
    try:
        return of_source(found)
    except UnavailableError as error:
        # Where a QEMU is there, tests do not pass over that it does not fit.
        raise BuildError(str(error)) from None
