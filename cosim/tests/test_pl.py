# SPDX-License-Identifier: Apache-2.0
"""The door to the Zynq's logic: a program without an operating system behind QEMU's plugin, on one
clock with a design; and what becomes of a machine whose board is not there, or goes."""

from __future__ import annotations

import os
import struct
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cosim.guests import FLAVOURS, Logic, door, program
from cosim.guests.door import CLOCK
from cosim.guests.guest import SharedMemory
from cosim.guests.logic import PROGRAM, LogicServer
from cosim.guests.server import DIES_WITH_US
from tools import qemu
from tools.debian import UnavailableError

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FULL = os.environ.get("SLUICE_FULL") is not None
WAIT_S = 600  # against hanging only
RESULT = 0x300000
MEMORY_BYTES = 512 << 20
CYCLE_NS = 10
LINE = 61
TRANSFER_BYTES = 0x10000
FITS = 0
DIED = 1
UNFIT = 3


class Machine:
    """QEMU's Zynq with a program, without or with a board."""

    def __init__(
        self, folder: Path, memory: Path, *options: str, clock: str | None = CLOCK
    ) -> None:
        processor = FLAVOURS["zynq"].processor
        flags = ["-nostdlib", "-ffreestanding", "-mcpu=cortex-a9", "-marm", "-Wl,-e_start"]
        flags += ["-Wl,-Ttext=0x10000", "-Wl,--build-id=none"]
        include = [ROOT / "regs" / "gen" / "c"]
        image = program(processor, [HERE / "zynq" / "door.c"], include=include, flags=flags)
        backend = f"memory-backend-file,id=ram,size=512M,share=on,mem-path={memory}"
        self.memory = memory
        self.log = folder / "qemu.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [
                    *(*DIES_WITH_US, *door.find().qemu, "-nodefaults", "-display", "none"),
                    *("-M", "xilinx-zynq-a9,memory-backend=ram", "-m", "512M"),
                    *(() if clock is None else ("-icount", clock)),
                    *("-object", backend, "-kernel", str(image), *options),
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def results(self) -> list[int]:
        """What the program has found, once it has."""
        deadline = time.monotonic() + WAIT_S
        with self.memory.open("rb", buffering=0) as file:
            while time.monotonic() < deadline:
                assert self.process.poll() is None, self.log.read_text()
                file.seek(RESULT)
                (count,) = struct.unpack("<I", file.read(4))
                if count:
                    return list(struct.unpack(f"<{count}I", file.read(4 * count)))
                time.sleep(0.01)
        raise AssertionError(f"no result in {WAIT_S} s: {self.log.read_text()}")

    def ends(self) -> tuple[int, str]:
        """Its status and last words, once it has ended by itself."""
        status = self.process.wait(WAIT_S)
        return status, self.log.read_text()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture
def memory() -> Iterator[Path]:
    shared = SharedMemory(MEMORY_BYTES)
    yield shared.path
    shared.close()


def serve(folder: Path, memory: Path, design: str = "zynq7010/hp_stress") -> LogicServer:
    try:
        return LogicServer(Logic(design), folder, memory, folder / "logic.log")
    except UnavailableError as error:
        pytest.skip(str(error))


def plugin() -> Path:
    try:
        return door.find().plugin
    except UnavailableError as error:
        pytest.skip(str(error))


def boot(folder: Path, memory: Path, *options: str, clock: str | None = CLOCK) -> Machine:
    try:
        return Machine(folder, memory, *options, clock=clock)
    except UnavailableError as error:
        pytest.skip(str(error))


def measured(folder: Path) -> list[int]:
    memory = SharedMemory(MEMORY_BYTES)
    server = serve(folder, memory.path)
    try:
        machine = boot(folder, memory.path, *server.device())
        try:
            return machine.results()
        finally:
            machine.kill()
            server.finish()
    finally:
        server.kill()
        memory.close()


def version(found: door.Door) -> tuple[int, ...]:
    return qemu.version([*found.qemu])


def test_logic_and_processor_are_on_one_clock(tmp_path: Path) -> None:
    """A transfer takes as long by the processor's timer as by the design's own cycles; and in a
    second run everything takes the same, to the cycle."""
    first = measured(tmp_path)
    read, loop, timer, ticks, waited, cycles, line, status, beats = first
    assert 14 <= read <= 30  # 140 ns on the way, and the design's own cycles
    assert loop > read + 1000 * 2 * 2 // CYCLE_NS  # two instructions a round at least, 2 ns each
    # The same stretch by both; the timer's own accesses take no time in QEMU.
    assert ticks <= timer <= ticks + 2 * read
    floor = TRANSFER_BYTES // 8
    assert floor < waited < floor * 1.1  # 800 MB/s, but for the start
    assert waited <= cycles <= waited + 2 * read
    assert line & 0x3FF == LINE
    assert status & 0x1000 == 0  # acknowledged
    assert beats == TRANSFER_BYTES // 8
    assert measured(tmp_path) == first


@pytest.mark.skipif(not FULL, reason="QEMU is built from its source by make test-full")
def test_a_qemu_built_from_its_source_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its plugin has the same times in each run; and QEMU of packages has them too, if it is of the
    same version."""
    try:
        source = door.of_source("this test asks for it")
    except UnavailableError as error:
        pytest.skip(str(error))
    packages = door.find()
    monkeypatch.setattr(door, "find", lambda: source)
    first = measured(tmp_path)
    assert measured(tmp_path) == first
    if version(packages) == version(source):
        monkeypatch.setattr(door, "find", lambda: packages)
        assert measured(tmp_path) == first


def test_a_machine_without_its_board_does_not_start(tmp_path: Path, memory: Path) -> None:
    socket = tmp_path / "nobody"
    machine = boot(tmp_path, memory, "-plugin", f"{plugin()},socket={socket}")
    status, told = machine.ends()
    assert status == DIED
    assert f"sluice-pl: no board at {socket}: No such file or directory; start" in told


def test_qemu_is_tested_without_a_board(tmp_path: Path, memory: Path) -> None:
    for clock, expected in ((CLOCK, FITS), ("shift=0,sleep=off", UNFIT)):
        machine = boot(tmp_path, memory, "-plugin", f"{plugin()},check=on", clock=clock)
        status, told = machine.ends()
        assert status == expected, told
        assert "lists of timers" not in told  # it would be slow


def test_arguments_are_checked(tmp_path: Path, memory: Path) -> None:
    for argument, expected in (
        (
            "colour=red",
            "unknown argument 'colour=red'; allowed: socket=PATH, counts=FILE, check=on",
        ),
        ("", "give one of socket=PATH, which sluice-pl listens at, and check=on, which tests this"),
        (f"check=on,socket={tmp_path}", "give one of socket=PATH, which sluice-pl listens at, and"),
    ):
        machine = boot(tmp_path, memory, "-plugin", f"{plugin()},{argument}".rstrip(","))
        status, told = machine.ends()
        assert status == DIED
        assert expected in told


def test_nothing_is_counted_without_a_processors_time(tmp_path: Path, memory: Path) -> None:
    server = serve(tmp_path, memory)
    file = tmp_path / "counts"
    try:
        argument = f"{plugin()},socket={server.socket},counts={file}"
        status, told = boot(tmp_path, memory, "-plugin", argument).ends()
    finally:
        server.kill()
    assert status == DIED and not file.exists()
    assert f"sluice-pl: counts={file}: nothing is counted but with sluice-pl --processor" in told


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["--processor", "z80"], "--processor is z80; allowed: instructions, cortex-a9"),
        (["--level", "gate"], "--level is gate; allowed: rtl, transaction"),
        (
            ["--set", "hp0_qos"],
            "--set takes NAME=VALUE, a whole number such as hp0_qos=15, not hp0_qos",
        ),
        (["--set", "hp0_qos=16"], "--set: hp0_qos must be 0 to 15, not 16"),
        (
            ["--set", "engine.loop_beats=4"],
            "--set engine.loop_beats is of the transaction-level engines; give --level transaction",
        ),
    ],
)
def test_options_are_checked(tmp_path: Path, memory: Path, given: list[str], sentence: str) -> None:
    options = ["--memory", str(memory), "--socket", str(tmp_path / "pl"), *given]
    done = subprocess.run([PROGRAM, *options], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == f"sluice-pl: {sentence}\n"


def test_other_memory_is_noticed(tmp_path: Path, memory: Path) -> None:
    server = serve(tmp_path, memory)
    other = SharedMemory(MEMORY_BYTES)
    try:
        status, told = boot(tmp_path, other.path, *server.device()).ends()
        assert status == DIED
        assert "the machine's memory is not the board's" in told
    finally:
        other.close()
        server.kill()


@pytest.mark.parametrize("clock", [None, "shift=0,sleep=off"])
def test_a_clock_that_cannot_be_put_on_is_noticed(
    tmp_path: Path, memory: Path, clock: str | None
) -> None:
    """The host's; and of an instruction's time that is its count, 1 ns, the plugin cannot tell
    count and clock."""
    server = serve(tmp_path, memory)
    device = server.device()[-2:]
    try:
        machine = boot(tmp_path, memory, *device, clock=clock)
        status, told = machine.ends()
        assert status == UNFIT
        assert "virtual clock cannot be advanced; it needs -icount shift=N" in told
    finally:
        server.kill()


def test_another_machine_is_noticed(tmp_path: Path, memory: Path) -> None:
    server = serve(tmp_path, memory)
    device = server.device()[-2:]
    try:
        options = ("-M", "virt", "-cpu", "cortex-a15", "-icount", CLOCK)
        command = [*door.find().qemu, "-nodefaults", "-display", "none", *options, *device]
        done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S)
        assert done.returncode == UNFIT
        assert "use -M xilinx-zynq-a9" in done.stderr
    finally:
        server.kill()


def test_a_machine_ends_with_its_board(tmp_path: Path, memory: Path) -> None:
    """Though nobody asks for anything any more: the program waits for no interrupt."""
    server = serve(tmp_path, memory)
    machine = boot(tmp_path, memory, *server.device())
    machine.results()
    server.kill()
    status, told = machine.ends()
    assert status == DIED
    assert "has gone; the machine ends with it" in told


def test_bad_input_of_the_board(tmp_path: Path, memory: Path) -> None:
    if not PROGRAM.exists():
        pytest.skip("sluice-pl is not built: run 'make build'")
    socket = ["--socket", str(tmp_path / "socket")]
    small = tmp_path / "small"
    small.write_bytes(bytes(4096))
    given = ["--memory", str(memory)]
    for options, expected in (
        ([*socket], "--memory is required"),
        ([*given], "--socket is required"),
        ([*socket, *given, "--design", "zynq7010/nothing"], "unknown design 'zynq7010/nothing'"),
        ([*socket, *given, "--design", "cyclonev/f2s_stress"], "allowed: zynq7010/"),
        ([*socket, *given, "--width", "128"], "--width: hp_stress is not built for 128 bits"),
        ([*socket, *given, "--clock", "1000"], "--clock must be 10 to 250 MHz, is 1000"),
        ([*socket, "--memory", str(small)], "has 4096 bytes; the board's memory has 536870912"),
        ([*socket, "--memory", str(tmp_path / "none")], "No such file or directory"),
        ([*socket, *given, "--counts", str(tmp_path / "none" / "counts")], "/none/counts: No such"),
    ):
        command = [str(PROGRAM), *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S)
        assert done.returncode == 2, (options, done.stderr)
        assert expected in done.stderr, done.stderr
        assert not (tmp_path / "socket").exists()
