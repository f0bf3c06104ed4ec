# SPDX-License-Identifier: Apache-2.0
"""A board as a card in a guest: sluice-card in a process of its own."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from .server import BUILT, Server

PROGRAM = BUILT / "sluice-card"
ANSWER_MS = 600_000  # how long QEMU waits for a card that simulates on a busy host


@dataclass(frozen=True)
class Card:
    """Which card: a design of the catalogue (`sluice-card --help`), and further options; `nice`,
    0 to 19, of its process: 19 for hardware that never outruns the guest on a busy host; `bus`,
    QEMU's name of the port that it is behind, alone; None: the root bus, in a slot of its own."""

    design: str = "zynq7010/hp_stress"
    options: tuple[str, ...] = ()
    nice: int = 0
    bus: str | None = None


class CardServer(Server):
    """A running sluice-card. What it says goes to `log`; `folder` has its socket."""

    def __init__(self, card: Card, folder: Path, number: int, log: Path) -> None:
        self.card = card
        self._slot = number + 1
        options = ("--design", card.design, "--once", *card.options)
        super().__init__(PROGRAM, options, folder / f"card{number}", log, nice=card.nice)

    def device(self) -> list[str]:
        """QEMU's arguments for it."""
        place = {"addr": f"{self._slot:x}"} if self.card.bus is None else {"bus": self.card.bus}
        device = {
            "driver": "vfio-user-pci",
            **place,
            "socket": {"type": "unix", "path": str(self.socket)},
            "x-msg-timeout": ANSWER_MS,
        }
        return ["-device", json.dumps(device)]
