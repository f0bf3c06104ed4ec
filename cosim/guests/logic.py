# SPDX-License-Identifier: Apache-2.0
"""A board as the programmable logic of the Zynq's guest: sluice-pl in a process of its own, and
QEMU's plugin that leads there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tools.debian import UnavailableError

from . import door
from .server import BUILT, Server

PROGRAM = BUILT / "sluice-pl"
ROOT = Path(__file__).resolve().parents[2]
OVERLAYS = ROOT / "driver" / "overlays"
NO_LOGIC = "none"
PACED_CLOCK = "shift=1,sleep=on"


@dataclass(frozen=True)
class Logic:
    """Which design of the catalogue (`sluice-pl --help`), on which level, what the processor's time
    is, and further options; with `none` a Zynq without logic, whose DMA controller and memory are
    the board's all the same. `counts`: a file for what a Cortex-A9 has waited for, JSON. `tree`:
    the source of a device-tree overlay, in place of that in driver/overlays."""

    design: str = "zynq7010/cdma"
    options: tuple[str, ...] = ()
    level: str = "rtl"  # or transaction
    processor: str = "instructions"  # or cortex-a9
    counts: Path | None = None
    tree: Path | None = None

    @property
    def overlay(self) -> Path | None:
        """The source of the device-tree overlay that describes it; no logic has none. Raises
        UnavailableError."""
        if self.tree is not None:
            return self.tree
        board, _, design = self.design.partition("/")
        if design == NO_LOGIC:
            return None
        name = design.replace("_", "-")
        of_board, of_any = (OVERLAYS / f"{chip}-{name}.dtso" for chip in (board, "zynq"))
        if not of_any.exists():
            raise UnavailableError(f"no device tree describes {self.design} in a Zynq: {of_any}")
        return of_board if of_board.exists() else of_any


class LogicServer(Server):
    """A running sluice-pl, and which QEMU has the door to it. What it says goes to `log`; `folder`
    has its socket. `memory`: the file that is the machine's memory."""

    def __init__(self, logic: Logic, folder: Path, memory: Path, log: Path) -> None:
        """Raises as door.find() and Server do."""
        self.door = door.find()
        self.logic = logic
        given = ("--design", logic.design, "--level", logic.level, "--memory", str(memory))
        options = (*given, "--processor", logic.processor, *logic.options)
        super().__init__(PROGRAM, options, folder / "logic", log)

    def device(self, *, paced: bool = False) -> list[str]:
        """QEMU's arguments for it. `paced`: for a person, idle time is as long as it is; else it
        passes at once, and a prompt that waits for a minute has waited for hours of the guest's."""
        plugin = f"{self.door.plugin},socket={self.socket}"
        if self.logic.counts is not None:
            plugin += f",counts={self.logic.counts}"
        return ["-icount", PACED_CLOCK if paced else door.CLOCK, "-plugin", plugin]
