# SPDX-License-Identifier: Apache-2.0
"""Guests: real kernels in QEMU, with boards as cards on their bus or as the logic of a Zynq.

A guest is a fresh machine each time. Its kernel, the programs in it and our modules are built when
they are asked for, and kept by content in build/cache/guests.

    from cosim.guests import Card, Guest, kernel, program, FLAVOURS

    flavour = FLAVOURS["arm64"]
    modules = kernel(flavour, "6.12").build_modules(Path("driver"), include=[Path("regs/gen/c")])
    copy = program(flavour.processor, [Path("driver/selftests/copy.c")])
    with Guest(
        "arm64",
        cards=[Card("zynq7010/cdma")],
        modules=[modules["sluice"]],
        files={"/tests/copy": copy, "/tests/run": b"insmod /modules/sluice.ko && /tests/copy"},
    ) as guest:
        result = guest.run("sh /tests/run", timeout_s=30)
        assert result.status == 0, result

Whatever a kernel complains of (a warning, an oops, lockdep, KASAN) makes run() or the end of the
block raise KernelSplatError; a command that does not end in time raises HungError, which says
where the guest is. Logs: build/guests/NAME, or NAME in the folder that SLUICE_GUEST_LOGS names:
console, commands, QEMU, boards. In a pytest of cosim/tests and driver/tests use the fixture `boot`
in place of Guest.
"""

from .card import Card
from .flavours import FLAVOURS, NEWEST, VERSION, VERSIONS
from .guest import Guest, GuestError, HungError, KernelSplatError, Result
from .kernel import Kernel, kernel
from .logic import Logic
from .qemu_source import ChoiceError
from .recipe import BuildError
from .server import BoardError
from .toolchain import program

__all__ = [
    "FLAVOURS",
    "NEWEST",
    "VERSION",
    "VERSIONS",
    "BoardError",
    "BuildError",
    "Card",
    "ChoiceError",
    "Guest",
    "GuestError",
    "HungError",
    "Kernel",
    "KernelSplatError",
    "Logic",
    "Result",
    "kernel",
    "program",
]
