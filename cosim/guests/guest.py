# SPDX-License-Identifier: Apache-2.0
"""A guest: a fresh machine of QEMU with our kernel, commands run in it, and what went wrong."""

from __future__ import annotations

import os
import shutil
import socket
import struct
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from tools import qemu

from . import devicetree, door, initramfs, where
from .card import Card, CardServer
from .channel import Channel
from .console import Console
from .flavours import FLAVOURS, VERSION
from .kernel import Kernel, kernel
from .logic import Logic, LogicServer
from .monitor import Monitor
from .server import DIES_WITH_US, Server

GUESTS = Path(__file__).resolve().parents[2] / "build" / "guests"
# Another folder for tests that run beside others with guests of the same names.
LOGS = Path(os.environ.get("SLUICE_GUEST_LOGS") or GUESTS)
BOOTED = GUESTS / "booted"  # a line for each guest that came up, for tools/evidence.py
# Against hanging only: a busy host takes long for anything.
BOOT_S = 600
COMMAND_S = 600
END_S = 300
TAIL = 15  # lines of the console in a report
TASKS = 60  # lines of the kernel's account of its tasks in a report
# An oops ends the machine at once, with the console's last words: nothing goes on with a kernel
# that is broken. Stalls are reported later than a busy host makes them.
APPEND = "panic=-1 oops=panic rcupdate.rcu_cpu_stall_timeout=120"


class GuestError(Exception):
    """A guest did not do what it should; the text says what, and where its logs are."""


class KernelSplatError(GuestError):
    """The kernel has said that something is wrong in it."""


class HungError(GuestError):
    """A guest did not answer in time."""


@dataclass(frozen=True)
class Result:
    """How a command in a guest ended."""

    command: str
    status: int  # 128 + n: killed by signal n
    output: bytes  # stdout and stderr

    @property
    def text(self) -> str:
        return self.output.decode(errors="replace")

    def __str__(self) -> str:
        return f"'{self.command}' ended with status {self.status}:\n{self.text}"


def command_line(
    built: Kernel,
    folder: Path,
    files: Mapping[str, Path | bytes],
    append: str,
    overlays: Sequence[Path],
    memory: Path | None = None,
) -> list[str]:
    """QEMU for a guest, without ports and cards. `memory`: a file that is its memory, and a
    board's too, which QEMU then has the door to. Raises UnavailableError, BuildError,
    ChoiceError."""
    flavour = built.flavour
    program = qemu.command(flavour.processor.qemu) if memory is None else [*door.find().qemu]
    initrd = folder / "initrd"
    initrd.write_bytes(initramfs.base(built) + initramfs.archive(files))
    size = f"{flavour.memory_mib}M"
    machine = ["-nodefaults", "-display", "none", "-no-reboot", "-m", size, *flavour.machine]
    if flavour.has_bus:
        # Cards reach the guest's memory through a file that they share with QEMU.
        machine += ["-object", f"memory-backend-memfd,id=ram,size={size},share=on"]
    if memory is not None:
        backend = f"memory-backend-file,id=ram,size={size},share=on,mem-path={memory}"
        machine += ["-object", backend, "-machine", "memory-backend=ram"]
    tree = folder / "machine.dtb"
    if flavour.device_tree is not None:
        devicetree.compile(built, devicetree.HERE / "dts" / f"{flavour.device_tree}.dts", tree)
    elif overlays:
        devicetree.machine([*program, *machine], tree)
    if overlays:
        compiled = [folder / f"overlay{number}.dtbo" for number in range(len(overlays))]
        for source, target in zip(overlays, compiled, strict=True):
            devicetree.compile(built, source, target)
        merged = folder / "merged.dtb"
        devicetree.merge(built, tree, compiled, merged)
        tree = merged
    return [
        *program,
        *machine,
        *(("-dtb", str(tree)) if tree.exists() else ()),
        *("-kernel", str(built.image), "-initrd", str(initrd)),
        *("-append", f"{flavour.append} {APPEND} {append}".strip()),
    ]


class SharedMemory:
    """A machine's memory that others map too: a file that is in memory alone, and goes with this
    object or this process."""

    def __init__(self, size_bytes: int) -> None:
        self._number = os.memfd_create("sluice-memory")
        os.ftruncate(self._number, size_bytes)
        # By this name any process of the same user opens it.
        self.path = Path(f"/proc/{os.getpid()}/fd/{self._number}")

    def close(self) -> None:
        os.close(self._number)


class Guest:
    """A guest that is up; ends with its `with` block. See the package for an example."""

    def __init__(
        self,
        flavour: str = "arm64",
        *,
        version: str = VERSION,
        cards: Sequence[Card] = (),
        logic: Logic | None = None,
        files: Mapping[str, Path | bytes] | None = None,
        modules: Sequence[Path] = (),
        script: str = "",
        script_ends: bool = False,
        append: str = "",
        overlays: Sequence[Path] = (),
        qemu_options: Sequence[str] = (),
        name: str | None = None,
        splats_allowed: bool = False,
    ) -> None:
        """`logic`: of a Zynq, which an overlay describes to the kernel; `files`: by their path in
        the guest; `modules`: put into /modules, to be loaded with insmod; `script`: for the guest's
        shell, run before any command, see script_lines(); `script_ends`: the machine ends with it,
        at a time of its own; `append`: to the kernel's command line;
        `overlays`: sources of device-tree overlays on the machine's tree, in order;
        `name`: of the folder of logs in build/guests. Raises debian.UnavailableError,
        recipe.BuildError, ChoiceError, GuestError, BoardError."""
        self.flavour = FLAVOURS[flavour]
        self.kernel: Kernel = kernel(self.flavour, version)
        self.logs = LOGS / (name or flavour)
        self.splats_allowed = splats_allowed
        self.cards: list[CardServer] = []
        self.logic: LogicServer | None = None
        self._modules = self.kernel.modules | {file.stem: file for file in modules}
        self._received = b""
        self._status = 0  # of the last command, 128 + n: killed by signal n
        self._closed = False
        content: dict[str, Path | bytes] = {f"/modules/{file.name}": file for file in modules}
        content |= files or {}
        self._scripted = bool(script)
        self._ends = script_ends
        if script:
            content["/etc/script"] = script.encode()
        shutil.rmtree(self.logs, ignore_errors=True)
        self.logs.mkdir(parents=True)
        with ExitStack() as undo:
            folder = Path(tempfile.mkdtemp(prefix="sluice-guest-"))
            undo.callback(shutil.rmtree, folder, ignore_errors=True)
            devices: list[str] = []
            for number, card in enumerate(cards):
                server = CardServer(card, folder, number, self.logs / f"card{number}.log")
                undo.callback(server.kill)
                self.cards.append(server)
                devices += server.device()
            memory = None
            if logic is not None:
                shared = SharedMemory(self.flavour.memory_mib << 20)
                undo.callback(shared.close)
                memory = shared.path
                self.logic = LogicServer(logic, folder, memory, self.logs / "logic.log")
                undo.callback(self.logic.kill)
                devices += self.logic.device()
                described = logic.overlay
                overlays = [*([] if described is None else [described]), *overlays]
            ends = "SLUICE_ENDS=1 " if script_ends else ""
            append = f"SLUICE_AGENT={self.flavour.channel} {ends}{append}"
            command = command_line(self.kernel, folder, content, append, overlays, memory)
            command += [*qemu_options, *devices]  # buses before what is on them
            self.console = Console(self.logs / "console.log", folder / "keyboard")
            undo.callback(self.console.close)
            self._channel = Channel(folder / "channel")
            undo.callback(self._channel.close)
            ours, theirs = socket.socketpair()
            undo.callback(ours.close)
            undo.callback(theirs.close)
            command += [
                *("-chardev", f"{self.console.chardev},id=console", "-serial", "chardev:console"),
                *("-chardev", f"{self._channel.chardev},id=channel", "-serial", "chardev:channel"),
                *("-chardev", f"socket,id=monitor,fd={theirs.fileno()}"),
                *("-mon", "monitor,mode=control"),
            ]
            with (self.logs / "qemu.log").open("w") as log:
                self._qemu = subprocess.Popen(
                    [*DIES_WITH_US, *command],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    pass_fds=(theirs.fileno(),),
                )
            undo.callback(self._qemu.wait)
            undo.callback(self._qemu.kill)
            theirs.close()
            self._monitor = Monitor(ours)
            undo.callback(self._monitor.close)
            try:
                kind, payload = self._frame(time.monotonic() + BOOT_S, "boot")
            except TimeoutError:
                raise HungError(self._report(f"does not boot in {BOOT_S} s")) from None
            if kind != b"H":
                raise GuestError(f"the guest's first word is {kind!r}, not its greeting")
            self.release = payload.decode()
            GUESTS.mkdir(parents=True, exist_ok=True)
            with BOOTED.open("a") as log:
                log.write(f"{flavour} {self.release}\n")
            self._undo = undo.pop_all()

    def __enter__(self) -> Guest:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.kill()

    def run(self, command: str, timeout_s: float = COMMAND_S) -> Result:
        """Runs a command with the guest's shell. Raises HungError after `timeout_s`, and
        KernelSplatError if the kernel has complained by then."""
        if self._scripted:
            raise GuestError("commands come after the script: read script_lines() to its end first")
        data = command.encode()
        self._channel.send(b"R" + struct.pack("<I", len(data)) + data)
        output = b"".join(self._output(command, timeout_s))
        self.check()
        return Result(command, self._status, output)

    def script_lines(self, timeout_s: float = COMMAND_S) -> Iterator[str]:
        """What the script prints, line by line as it does. It runs while nothing comes from outside
        the guest, so that where its clock counts instructions two boots take the same time. Raises
        GuestError if it fails, HungError after `timeout_s`, and KernelSplatError as run() does."""
        self._scripted = False
        told, rest = "", b""
        for part in self._output("the script", timeout_s):
            *lines, rest = (rest + part).split(b"\n")
            for line in lines:
                told = line.decode(errors="replace")
                yield told
        if rest:
            told = rest.decode(errors="replace")
            yield told
        self.check()
        if self._status != 0:
            raise GuestError(
                f"the script ended with status {self._status} ({self.logs}), at last: {told}"
            )

    def _output(self, command: str, timeout_s: float) -> Iterator[bytes]:
        """What a command prints, as it does; then its status is there."""
        deadline = time.monotonic() + timeout_s
        with (self.logs / "commands.log").open("ab") as log:
            log.write(b"# " + command.encode() + b"\n")
            while True:
                try:
                    kind, payload = self._frame(deadline, command)
                except TimeoutError:
                    raise HungError(
                        self._report(f"hangs: '{command}' did not end in {timeout_s} s")
                    ) from None
                if kind == b"X":
                    self._status = struct.unpack("<I", payload)[0]
                    log.write(b"# status %d\n" % self._status)
                    return
                log.write(payload)
                log.flush()
                yield payload

    def check(self) -> None:
        """Raises KernelSplatError if the kernel has complained."""
        splats = self.console.splats()
        if splats and not self.splats_allowed:
            first = splats[0]
            text = "\n".join(self.console.lines()[first : first + 2 * TAIL])
            raise KernelSplatError(f"the kernel complains ({self.logs}/console.log):\n{text}")

    def close(self) -> None:
        """Shuts the guest down. Raises as run() does, and BoardError for a board that failed."""
        if self._closed:
            return
        try:
            if not self._ends:
                self._channel.send(b"B" + bytes(4))
            deadline = time.monotonic() + END_S
            while self._qemu.poll() is None and time.monotonic() < deadline:
                time.sleep(0.01)
            if self._qemu.poll() is None:
                raise HungError(self._report(f"does not shut down in {END_S} s"))
            self.console.settle(0.05, 5)
            self.check()
            if self._qemu.returncode != 0:
                raise GuestError(self._gone())
            for server in self._servers():
                server.finish()
        finally:
            self.kill()

    def _servers(self) -> list[Server]:
        return [*self.cards, *([self.logic] if self.logic is not None else [])]

    def kill(self) -> None:
        """Ends the guest and its boards without a question."""
        if not self._closed:
            self._closed = True
            self._undo.close()

    def _frame(self, deadline: float, doing: str) -> tuple[bytes, bytes]:
        """The next frame that the agent sends. Raises TimeoutError, and GuestError if the machine
        has ended."""
        while True:
            size = struct.unpack_from("<I", self._received, 1)[0] if len(self._received) > 4 else 0
            if len(self._received) >= 5 + size:
                frame, self._received = self._received[: 5 + size], self._received[5 + size :]
                return frame[:1], frame[5:]
            left = max(deadline - time.monotonic(), 0)
            part = self._channel.receive(left)
            if not part:
                with suppress(subprocess.TimeoutExpired):
                    self._qemu.wait(END_S)
                self.console.settle(0.2, 5)
                self.check()
                raise GuestError(f"'{doing}': {self._gone()}")
            self._received += part

    def _gone(self) -> str:
        """What is known of a machine that has ended."""
        return "\n".join(
            [
                f"QEMU has ended with status {self._qemu.poll()} ({self.logs})",
                (self.logs / "qemu.log").read_text(errors="replace").strip(),
                *(f"board {n}: {s.log().strip()}" for n, s in enumerate(self._servers())),
                "last on the console:",
                *self.console.lines()[-TAIL:],
            ]
        )

    def _report(self, what: str) -> str:
        """Where a guest that does not answer is."""
        report = [f"the guest {what} ({self.logs})", "last on the console:"]
        report += self.console.lines()[-TAIL:]
        try:
            report += where.report(self._monitor, self.kernel, self._modules)
            # What the kernel itself says, if it still answers: its CPUs and blocked tasks.
            before = len(self.console.lines())
            for key in "lw":
                self._monitor.send_break("console")
                self.console.type(key)
                self.console.settle(0.5, 5)
            told = self.console.lines()[before:]
            report += ["the kernel's own account:", *told[:TASKS]] if told else []
        except OSError as error:
            report.append(f"nothing more to be had: {error}")
        return "\n".join(report)
