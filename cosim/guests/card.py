# SPDX-License-Identifier: Apache-2.0
"""A board as a card in a guest: sluice-card in a process of its own."""

from __future__ import annotations

import json
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from tools.debian import UnavailableError

PROGRAM = Path(__file__).resolve().parents[2] / "build" / "release" / "cosim" / "sluice-card"
START_S = 300
STOP_S = 300
ANSWER_MS = 600_000  # how long QEMU waits for a card that simulates on a busy host
DIES_WITH_US = ("setpriv", "--pdeathsig", "KILL")


@dataclass(frozen=True)
class Card:
    """Which card: a design of the catalogue (`sluice-card --help`), and further options; `nice`,
    0 to 19, of its process: 19 for hardware that never outruns the guest on a busy host; `bus`,
    QEMU's name of the port that it is behind, alone; None: the root bus, in a slot of its own."""

    design: str = "zynq7010/hp_stress"
    options: tuple[str, ...] = ()
    nice: int = 0
    bus: str | None = None


class CardError(Exception):
    """A card did not start, or did not end well; the text says why."""


class Server:
    """A running sluice-card. What it says goes to `log`; `folder` has its socket."""

    def __init__(self, card: Card, folder: Path, number: int, log: Path) -> None:
        if not PROGRAM.exists():
            raise UnavailableError(f"{PROGRAM.name} is not built: run 'make build'")
        self.card = card
        self._log = log
        self._socket = folder / f"card{number}"
        self._slot = number + 1
        command = [str(PROGRAM), "--design", card.design, "--socket", str(self._socket), "--once"]
        with log.open("w") as stream:
            self.process = subprocess.Popen(
                [*DIES_WITH_US, "nice", "-n", str(card.nice), *command, *card.options],
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=stream,
            )
        deadline = time.monotonic() + START_S
        while not self._socket.exists() and time.monotonic() < deadline:
            if self.process.poll() is not None:
                break
            time.sleep(0.01)
        if not self._socket.exists():
            self.kill()
            raise CardError(f"sluice-card does not start: {self.log().strip()}")

    def device(self) -> list[str]:
        """QEMU's arguments for it."""
        place = {"addr": f"{self._slot:x}"} if self.card.bus is None else {"bus": self.card.bus}
        device = {
            "driver": "vfio-user-pci",
            **place,
            "socket": {"type": "unix", "path": str(self._socket)},
            "x-msg-timeout": ANSWER_MS,
        }
        return ["-device", json.dumps(device)]

    def log(self) -> str:
        """What it has said so far."""
        return self._log.read_text(errors="replace")

    def finish(self) -> None:
        """After QEMU's end it ends by itself, and well. Raises CardError."""
        try:
            status = self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.kill()
            raise CardError(f"sluice-card did not end with QEMU: {self.log().strip()}") from None
        if status != 0:
            raise CardError(f"sluice-card ended with status {status}: {self.log().strip()}")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
