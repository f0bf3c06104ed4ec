# SPDX-License-Identifier: Apache-2.0
"""A prompt in a guest, for a person: `make guest-shell GUEST=arm64 BOARD=zynq7010/cdma`."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from tools.debian import UnavailableError

from .card import DIES_WITH_US, PROGRAM, Card, CardError, Server
from .flavours import FLAVOURS, VERSION, VERSIONS
from .guest import command_line
from .kernel import kernel
from .recipe import BuildError

ROOT = Path(__file__).resolve().parents[2]
DRIVER = ROOT / "driver"
HEADERS = ROOT / "regs" / "gen" / "c"


def designs() -> list[str]:
    """What sluice-card can serve. Raises UnavailableError."""
    if not PROGRAM.exists():
        raise UnavailableError(f"{PROGRAM.name} is not built: run 'make build'")
    done = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, check=True)
    found = re.search(r"board and design: ((?:\w+/\w+[,\s]+)+)", done.stdout)
    return found[1].replace(",", " ").split() if found else []


def motd(flavour: str, release: str, board: str | None, modules: list[str]) -> str:
    """What the guest greets with."""
    lines = [f"Sluice: Linux {release} on {flavour}" + (f", card {board}" if board else "")]
    if modules:
        lines.append(f"modules, to be loaded with insmod: {' '.join(modules)}")
    lines.append("Leave with exit, or Ctrl-A x.")
    return "\n".join(lines) + "\n"


def shell(name: str, version: str, board: str | None, append: str, own: list[Path]) -> int:
    """Runs a guest on the terminal until it ends."""
    flavour = FLAVOURS[name]
    built = kernel(flavour, version)
    modules = built.build_modules(DRIVER, [HEADERS]) if (DRIVER / "Kbuild").exists() else {}
    files: dict[str, Path | bytes] = {f"/modules/{m.name}": m for m in modules.values()}
    files |= {f"/root/{file.name}": file for file in own}
    listed = [f"/modules/{m.name}" for m in (modules | built.modules).values()]
    files["/etc/motd"] = motd(name, built.version, board, listed).encode()
    with ExitStack() as undo:
        folder = Path(undo.enter_context(tempfile.TemporaryDirectory(prefix="sluice-guest-")))
        command = command_line(built, folder, files, f"quiet {append}", ())
        devices: list[str] = []
        if board is not None:
            server = Server(Card(board), folder, 0, folder / "card.log")
            undo.callback(server.kill)
            devices = server.device()
        process = subprocess.Popen([*DIES_WITH_US, *command, *devices, "-serial", "mon:stdio"])
        undo.callback(process.wait)
        undo.callback(process.kill)
        return process.wait()


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="guest-shell", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("guest", choices=sorted(FLAVOURS), help="GUEST=: %(choices)s")
    parser.add_argument("--board", metavar="BOARD/DESIGN", help="BOARD=: a card, none if left out")
    parser.add_argument("--version", choices=VERSIONS, default=VERSION, help="of the kernel")
    parser.add_argument("--append", default="", help="to the kernel's command line")
    parser.add_argument(
        "--file", type=Path, action="append", default=[], help="put into /root; any number of times"
    )
    given = parser.parse_args()
    for file in given.file:
        if not file.is_file():
            parser.error(f"no file {file}")
    try:
        if given.board:
            if not FLAVOURS[given.guest].has_bus:
                parser.error(f"the guest {given.guest} has no bus for a card: leave BOARD out")
            if given.board not in designs():
                parser.error(f"no board '{given.board}'; there are {', '.join(designs())}")
        return shell(given.guest, given.version, given.board or None, given.append, given.file)
    except (UnavailableError, BuildError, CardError) as error:
        print(f"guest-shell: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
