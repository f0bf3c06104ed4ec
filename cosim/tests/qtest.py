# SPDX-License-Identifier: Apache-2.0
"""A QEMU machine without a processor: the test does the processor's accesses itself, over QEMU's
qtest protocol (QEMU, docs/devel/testing/qtest.rst)."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import time
from pathlib import Path
from types import TracebackType

TIMEOUT_S = 300


class Machine:
    """QEMU, as `command`, with qtest as its accelerator. Sockets and logs go to `folder`."""

    def __init__(self, command: list[str], folder: Path) -> None:
        path = folder / "qtest"
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(str(path))
        listener.listen(1)
        listener.settimeout(0.1)
        self._log = (folder / "qemu.log").open("w+")
        self._process = subprocess.Popen(
            [*command, "-accel", "qtest", "-qtest", f"unix:{path}", "-display", "none"],
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )
        deadline = time.monotonic() + TIMEOUT_S
        connection = None
        while connection is None and self._process.poll() is None and time.monotonic() < deadline:
            with contextlib.suppress(TimeoutError):
                connection, _ = listener.accept()
        listener.close()
        if connection is None:
            self._process.kill()
            raise RuntimeError(f"QEMU does not start: {self.log()}")
        connection.settimeout(TIMEOUT_S)
        self._stream = connection.makefile("rw")

    def __enter__(self) -> Machine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stream.close()
        self._process.terminate()
        self._process.wait(TIMEOUT_S)
        self._log.close()

    def log(self) -> str:
        """What QEMU has printed."""
        self._log.seek(0)
        return self._log.read()

    def _ask(self, request: str) -> str:
        self._stream.write(request + "\n")
        self._stream.flush()
        for line in self._stream:
            if line.startswith("OK"):
                return line[2:].strip()
            if line.startswith(("FAIL", "ERR")):
                raise RuntimeError(f"qtest: {request}: {line.strip()}")
        raise RuntimeError(f"QEMU has gone: {self.log()}")

    def read(self, address: int, size: int) -> bytes:
        """Bytes of the machine's memory."""
        return bytes.fromhex(self._ask(f"read {address:#x} {size:#x}")[2:])

    def write(self, address: int, data: bytes) -> None:
        """Bytes into the machine's memory."""
        self._ask(f"write {address:#x} {len(data):#x} 0x{data.hex()}")

    def read32(self, address: int) -> int:
        """A load of 32 bits."""
        return int(self._ask(f"readl {address:#x}"), 0)

    def write32(self, address: int, value: int) -> None:
        """A store of 32 bits."""
        self._ask(f"writel {address:#x} {value:#x}")

    def write16(self, address: int, value: int) -> None:
        """A store of 16 bits."""
        self._ask(f"writew {address:#x} {value:#x}")

    def read16(self, address: int) -> int:
        """A load of 16 bits."""
        return int(self._ask(f"readw {address:#x}"), 0)
