# SPDX-License-Identifier: Apache-2.0
"""QEMU with vfio-user: the machine's own if it is new enough, else one out of Debian."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from .debian import LIBRARIES, UnavailableError, Unpacked

MINIMUM = (10, 1)  # the first with vfio-user-pci
FOR_PLUGINS = (11, 0)  # the first whose plugins cosim/door is one of
# By the name of the machine's processor. What loads option ROMs comes along.
PACKAGES = {
    "aarch64": ("qemu-system-arm", "ipxe-qemu"),
    "arm": ("qemu-system-arm", "ipxe-qemu"),
    "x86_64": ("qemu-system-x86", "ipxe-qemu"),
}
DATA = ("share/qemu", "share/seabios")  # of QEMU itself, and the firmware of PCs
SUITES = ("trixie", "trixie-backports")
CACHE = Path(__file__).resolve().parents[1] / "build" / "cache"


def version(command: list[str]) -> tuple[int, ...]:
    """What `qemu-system-... --version` says, as numbers; () if that is not understood."""
    done = subprocess.run([*command, "--version"], capture_output=True, text=True)
    found = re.search(r"version (\d+)\.(\d+)\.(\d+)", done.stdout)
    return tuple(int(part) for part in found.groups()) if found else ()


def command(processor: str, minimum: tuple[int, ...] = MINIMUM) -> list[str]:
    """The command that runs qemu-system-`processor`, with its data; fetches it if the machine's own
    is older than `minimum`. Raises debian.UnavailableError, also if Debian's is older."""
    name = f"qemu-system-{processor}"
    own = shutil.which(name)
    if own is not None and version([own]) >= minimum:
        return [own]
    # One package has several: unpacked once, under the first one's name.
    first = next(of for of, packages in PACKAGES.items() if packages == PACKAGES[processor])
    unpacked = Unpacked(PACKAGES[processor], SUITES, CACHE / f"qemu-system-{first}")
    program = unpacked.command(name)
    if version(program) < minimum:
        wanted = ".".join(map(str, minimum))
        raise UnavailableError(
            f"{name} {unpacked.version()} of Debian {SUITES[-1]} is older than {wanted}"
        )
    modules = unpacked.root / LIBRARIES / "qemu"
    data = [unpacked.root / "usr" / folder for folder in DATA]
    folders = [argument for folder in data for argument in ("-L", str(folder))]
    return ["env", f"QEMU_MODULE_DIR={modules}", *program, *folders]
