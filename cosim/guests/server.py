# SPDX-License-Identifier: Apache-2.0
"""A program of ours that QEMU is a client of, in a process of its own."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from tools.debian import UnavailableError

BUILT = Path(__file__).resolve().parents[2] / "build" / "release" / "cosim"
START_S = 300
STOP_S = 300
DIES_WITH_US = ("setpriv", "--pdeathsig", "KILL")


class BoardError(Exception):
    """A board did not start, or did not end well; the text says why."""


class Server:
    """A running program that waits for QEMU at `socket`. What it says goes to `log`."""

    def __init__(
        self, program: Path, options: Sequence[str], socket: Path, log: Path, *, nice: int = 0
    ) -> None:
        """Returns once it waits. `nice`, 0 to 19, of its process. Raises BoardError, and
        debian.UnavailableError if it is not built."""
        if not program.exists():
            raise UnavailableError(f"{program.name} is not built: run 'make build'")
        self.socket = socket
        self._name = program.name
        self._log = log
        command = [str(program), "--socket", str(socket), *options]
        with log.open("w") as stream:
            self.process = subprocess.Popen(
                [*DIES_WITH_US, "nice", "-n", str(nice), *command],
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=stream,
            )
        deadline = time.monotonic() + START_S
        while not socket.exists() and time.monotonic() < deadline:
            if self.process.poll() is not None:
                break
            time.sleep(0.01)
        if not socket.exists():
            self.kill()
            raise BoardError(f"{self._name} does not start: {self.log().strip()}")

    def log(self) -> str:
        """What it has said so far."""
        return self._log.read_text(errors="replace")

    def finish(self) -> None:
        """After QEMU's end it ends by itself, and well. Raises BoardError."""
        try:
            status = self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.kill()
            raise BoardError(f"{self._name} did not end with QEMU: {self.log().strip()}") from None
        if status != 0:
            raise BoardError(f"{self._name} ended with status {status}: {self.log().strip()}")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
