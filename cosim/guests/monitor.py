# SPDX-License-Identifier: Apache-2.0
"""QEMU's monitor (QEMU, docs/interop/qmp-spec.rst), for what a hung guest does not say itself."""

from __future__ import annotations

import json
import re
import socket
from typing import Any

TIMEOUT_S = 300
# How `info registers` writes the program counter: AArch64, x86-64, Arm.
COUNTER = re.compile(r"\b(?:PC|RIP|R15)=\s*([0-9a-f]+)")
FRAME = re.compile(r"\b(?:X29|RBP)=\s*([0-9a-f]+)")


class Monitor:
    """A connection to QEMU's monitor."""

    def __init__(self, connection: socket.socket) -> None:
        connection.settimeout(TIMEOUT_S)
        self._connection = connection
        self._stream = connection.makefile("rw")
        self._ready = False

    def ask(self, command: str, **arguments: Any) -> Any:
        """Runs a command of the monitor. Raises OSError if QEMU does not answer."""
        if not self._ready:
            self._ready = True
            self._stream.readline()  # greeting
            self.ask("qmp_capabilities")
        self._stream.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
        self._stream.flush()
        for line in self._stream:
            answer = json.loads(line)
            if "return" in answer:
                return answer["return"]
            if "error" in answer:
                raise OSError(f"QEMU's monitor: {command}: {answer['error']['desc']}")
        raise OSError("QEMU has gone")

    def _human(self, cpu: int, line: str) -> str:
        arguments = {"command-line": line, "cpu-index": cpu}
        return str(self.ask("human-monitor-command", **arguments))

    def cpus(self) -> list[int]:
        """The processors there are."""
        return [cpu["cpu-index"] for cpu in self.ask("query-cpus-fast")]

    def registers(self, cpu: int) -> tuple[int, int]:
        """A processor's program counter and frame pointer; 0 where it is not known by that name."""
        text = self._human(cpu, "info registers")
        found = (COUNTER.search(text), FRAME.search(text))
        counter, frame = (int(match[1], 16) if match else 0 for match in found)
        return counter, frame

    def words(self, cpu: int, address: int, count: int) -> list[int]:
        """Words of 64 bits as a processor reads them; fewer than asked for if they end before."""
        text = self._human(cpu, f"x/{count}gx {address:#x}")
        return [int(word, 16) for word in re.findall(r"0x([0-9a-f]{16})", text)]

    def send_break(self, port: str) -> None:
        """A break on a serial port: the kernel takes the next character as a SysRq key."""
        self.ask("chardev-send-break", id=port)

    def close(self) -> None:
        self._stream.close()
        self._connection.close()
