# SPDX-License-Identifier: Apache-2.0
"""The other end of sluice-card's control channel: has the card fail as hardware does.

    with CardControl(path) as control:
        fault = control.arm("stuck", port=0, channel="r", skip=100)
        ...
        control.clear(fault)

Faults and their fields: docs/reference/sluice-card.md.
"""

from __future__ import annotations

import json
import socket
from pathlib import Path
from types import TracebackType
from typing import Any

TIMEOUT_S = 300


class RefusedError(Exception):
    """The card did not take a request; it says why."""


class CardControl:
    """A connection to the socket that `sluice-card --control` makes."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(TIMEOUT_S)
        self._socket.connect(str(path))
        self._stream = self._socket.makefile("rw")

    def __enter__(self) -> CardControl:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Armed faults stay."""
        self._stream.close()
        self._socket.close()

    def ask(self, do: str, **fields: Any) -> dict[str, Any]:
        """One request and its answer. Raises RefusedError, or OSError if the card has gone."""
        self._stream.write(json.dumps({"do": do, **fields}) + "\n")
        self._stream.flush()
        line = self._stream.readline()
        if not line:
            raise ConnectionError("the card has gone")
        answer: dict[str, Any] = json.loads(line)
        if not answer["ok"]:
            raise RefusedError(answer["error"])
        return answer

    def arm(self, fault: str, **fields: Any) -> int:
        """Arm a fault; its number, for clear()."""
        identity: int = self.ask("arm", fault=fault, **fields)["id"]
        return identity

    def clear(self, fault: int | None = None) -> None:
        """Clear one fault, or all."""
        self.ask("clear", **({} if fault is None else {"id": fault}))

    def interrupt(self, line: int) -> None:
        """Send the message of a line that is not asking for it."""
        self.ask("interrupt", line=line)

    def status(self) -> dict[str, Any]:
        """What the card counts: cycles, messages, handshakes of the ports' channels, faults."""
        return self.ask("status")
