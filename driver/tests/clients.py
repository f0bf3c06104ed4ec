# SPDX-License-Identifier: Apache-2.0
"""The clients that docs/howto/write-a-client.md shows, built for a guest."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

from sluice_guest import ROOT

from cosim.guests import Kernel
from cosim.guests.toolchain import program

PAGE = ROOT / "docs" / "howto" / "write-a-client.md"
PROGRAM, MODULE = "/tests/client", "/modules/client.ko"


def clients(kernel: Kernel) -> dict[str, Path]:
    """Files of a guest. Raises BuildError."""
    user, module = re.findall(r"^```c\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    uapi = ROOT / "driver" / "include" / "uapi"
    with TemporaryDirectory(prefix="sluice-clients-") as name:
        for part, text in (("user", user), ("module", module)):
            folder = Path(name) / part
            folder.mkdir()
            (folder / "client.c").write_text(text)
        (folder / "Kbuild").write_text("obj-m += client.o\n")
        source = Path(name) / "user" / "client.c"
        flags = ["-Wall", "-Wextra", "-Werror"]
        return {
            PROGRAM: program(kernel.flavour.processor, [source], include=[uapi], flags=flags),
            MODULE: kernel.build_modules(folder)["client"],
        }
