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

from . import card, door, logic
from .card import Card, CardServer
from .flavours import FLAVOURS, VERSION, VERSIONS
from .guest import SharedMemory, command_line
from .kernel import kernel
from .logic import Logic, LogicServer
from .qemu_source import ChoiceError
from .recipe import BuildError
from .server import DIES_WITH_US, BoardError, Server

ROOT = Path(__file__).resolve().parents[2]
DRIVER = ROOT / "driver"
HEADERS = ROOT / "regs" / "gen" / "c"


def designs(program: Path) -> list[str]:
    """What sluice-card or sluice-pl can serve. Raises UnavailableError."""
    if not program.exists():
        raise UnavailableError(f"{program.name} is not built: run 'make build'")
    done = subprocess.run([program, "--help"], capture_output=True, text=True, check=True)
    found = re.search(r"Board and design: ((?:\w+/\w+[,\s]+)+)", done.stdout)
    return found[1].replace(",", " ").split() if found else []


def motd(flavour: str, release: str, board: str | None, modules: list[str]) -> str:
    """What the guest greets with."""
    lines = [f"Sluice: Linux {release} on {flavour}" + (f", board {board}" if board else "")]
    if modules:
        lines.append(f"modules, to be loaded with insmod: {' '.join(modules)}")
    lines.append("Leave with exit, poweroff, or Ctrl-A x.")
    return "\n".join(lines) + "\n"


def shell(name: str, version: str, board: Card | Logic | None, append: str, own: list[Path]) -> int:
    """Runs a guest on the terminal until it ends. `board`: on its bus, or in its logic."""
    flavour = FLAVOURS[name]
    built = kernel(flavour, version)
    modules = built.build_modules(DRIVER, [HEADERS]) if (DRIVER / "Kbuild").exists() else {}
    files: dict[str, Path | bytes] = {f"/modules/{m.name}": m for m in modules.values()}
    files |= {f"/root/{file.name}": file for file in own}
    listed = [f"/modules/{m.name}" for m in (modules | built.modules).values()]
    files["/etc/motd"] = motd(name, built.version, board.design if board else None, listed).encode()
    with ExitStack() as undo:
        folder = Path(undo.enter_context(tempfile.TemporaryDirectory(prefix="sluice-guest-")))
        devices: list[str] = []
        overlays: list[Path] = []
        memory: Path | None = None
        server: Server | None = None
        if isinstance(board, Card):
            server = on_bus = CardServer(board, folder, 0, folder / "board.log")
            undo.callback(on_bus.kill)
            devices = on_bus.device()
        elif board is not None:
            shared = SharedMemory(flavour.memory_mib << 20)
            undo.callback(shared.close)
            memory = shared.path
            server = in_logic = LogicServer(board, folder, memory, folder / "board.log")
            undo.callback(in_logic.kill)
            if (described := board.overlay) is not None:
                overlays.append(described)
            devices = in_logic.device(paced=True)
        command = command_line(built, folder, files, f"quiet {append}", overlays, memory)
        process = subprocess.Popen([*DIES_WITH_US, *command, *devices, "-serial", "mon:stdio"])
        undo.callback(process.wait)
        undo.callback(process.kill)
        status = process.wait()
        if server is not None:
            server.finish()
            # Its first line says that it waits.
            print(server.log().partition("\n")[2], end="", file=sys.stderr)
        return status


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="guest-shell", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("guest", choices=sorted(FLAVOURS), help="GUEST=: %(choices)s")
    parser.add_argument(
        "--board",
        metavar="BOARD/DESIGN",
        help="BOARD=: a card, or the logic of zynq; none if left out",
    )
    parser.add_argument(
        "--level",
        choices=("rtl", "transaction"),
        default="rtl",
        help="LEVEL=: of the logic of zynq; transaction is faster (%(default)s)",
    )
    parser.add_argument(
        "--processor",
        choices=("instructions", "cortex-a9"),
        default="instructions",
        help="PROCESSOR=: what the time of zynq's is, beside a board; cortex-a9: with caches, TLBs "
        "and memory (%(default)s)",
    )
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
        has_bus = FLAVOURS[given.guest].has_bus
        if given.level != "rtl" and (has_bus or not given.board):
            parser.error("--level: of the logic of zynq; a card has RTL only")
        if given.processor != "instructions" and (has_bus or not given.board):
            parser.error("--processor: of zynq with a board in its logic")
        door.chosen()  # a wrong choice is told before a kernel is built
        board: Card | Logic | None = None
        if given.board:
            served = designs(card.PROGRAM if has_bus else logic.PROGRAM)
            if given.board not in served:
                parser.error(f"no board '{given.board}'; there are {', '.join(served)}")
            board = (
                Card(given.board)
                if has_bus
                else Logic(given.board, level=given.level, processor=given.processor)
            )
        return shell(given.guest, given.version, board, given.append, given.file)
    except ChoiceError as error:
        parser.error(str(error))
    except (UnavailableError, BuildError, BoardError) as error:
        print(f"guest-shell: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
