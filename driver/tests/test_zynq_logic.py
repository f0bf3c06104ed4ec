# SPDX-License-Identifier: Apache-2.0
"""Designs in the logic of a Zynq under Linux, on the kernel's own clock: mainline's xilinx_dma on
our engines, sluice.ko and libsluice on top of it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from guest_library import build_library
from linux_drivers import SELFTESTS, selftest

from cosim.boot import Boot
from cosim.commands import dmatest, load, must, unload
from cosim.guests import FLAVOURS, Guest, GuestError, Logic, program
from driver.overhead import queue

FULL = os.environ.get("SLUICE_FULL") is not None
SEED = int(os.environ.get("SEED") or 1)
ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
INCLUDE = [ROOT / "regs" / "gen" / "c"]
ENGINES = 4
RAM_BYTES = 32768  # of an engine
ACP_RAM_BYTES = 65536
WAIT_S = 600  # against hanging only
COPIES = 10
COPY_BYTES = 1 << 14
ROUNDS = 20
LOOPBACK_BYTES = 100_000
PERIODS = 20
PAUSE_TICKS = 20_000
PERIODS_OF_PROGRAMS = 300
LONG_PAUSE_TICKS = 40_000  # for a program that looks at each word of 4 KiB
CAPTURES = [("capture", "hp0"), ("capture_32", "hp0"), ("capture_acp", "acp0")]
FCLK = "/sys/kernel/debug/clk/fclk0"
FCLK_HZ = 50_000_000
OWN = f"""
chip = "zynq7010"
label = "radio"
fclk = 0
clock_hz = {FCLK_HZ}
design = "cdma"
[parameters]
NumPorts = 2
RamBeats = 4096
"""
DIRECT_ROUNDS = 5
LANE_TOLD = (
    r"pieces: the memory of a transfer on hp{n}\.mm2s must be contiguous for the engine, but "
    r"this buffer has \d+ segments. Open the board with \?heap=cma\n"
    r"packet: the engine of hp{n}\.s2mm does not report how much of a packet arrived. Set "
    r"SLUICE_TRANSFER_FILL on transfers that are always filled\n"
    r"rounds {rounds}\n"
)
PORT_MB_S = 800  # 64 bits at 100 MHz
ACCESSES = 200
# 140 ns and 80 ns on the way (docs/reference/sluice-pl.md), and the design's own cycles.
READ_CYCLES, WRITE_CYCLES = 17, 11
INTERRUPTS = 20
DELAY = 10_000
STATUS, NOTHING = "0x4", "0x00ffc"  # of a CDMA, behind what it has
SLOT_S = 30  # that the driver gives an engine for a read() or write() (slot.c)
LEVELS = pytest.mark.parametrize("level", ["rtl", "transaction"])
TIMER_ON = [("zynq", "rtl"), ("zynq", "transaction"), ("zynq-debug", "rtl")]

pytestmark = pytest.mark.skipif(not FULL, reason="zynq is booted by make test-full")


def booted(
    boot: Boot,
    design: str,
    flavour: str = "zynq",
    programs: Sequence[str] = (),
    level: str = "rtl",
    tree: Path | None = None,
    overlays: Sequence[Path] = (),
) -> Guest:
    modules = boot.kernel(flavour).build_modules(ROOT / "driver", include=INCLUDE)
    wanted = [modules[name] for name in ("sluice", "sluice_selftest")]
    return boot(
        flavour,
        logic=Logic(f"zynq7010/{design}", level=level, tree=tree),
        modules=wanted,
        files=build_library(flavour, programs) | own_programs(flavour),
        overlays=overlays,
    )


def own_programs(flavour: str) -> dict[str, Path]:
    processor = FLAVOURS[flavour].processor
    return {
        f"/tests/{name}": program(processor, [HERE / "zynq" / f"{name}.c"], include=INCLUDE)
        for name in ("uio_deafen", "uio_read", "uio_timer")
    }


@pytest.fixture(scope="module", params=["zynq", "zynq-debug"])
def guest(request: pytest.FixtureRequest) -> Iterator[Guest]:
    with booted(Boot(f"zynq-logic-{request.param}"), "cdma", request.param) as guest:
        load(guest, "sluice")
        yield guest


def channels_of(guest: Guest, node: str) -> list[str]:
    """dmaengine's names of the channels behind a node."""
    text = must(guest, "for c in /sys/class/dma/*; do echo $(readlink -f $c/device) $c; done")
    return [
        Path(line.split()[1]).name for line in text.splitlines() if f"/{node}" in line.split()[0]
    ]


def test_mainline_copies_on_each_engine(guest: Guest) -> None:
    names = [name for n in range(ENGINES) for name in channels_of(guest, f"400{n}0000")]
    assert len(names) == ENGINES
    unload(guest, "sluice")  # which has all channels
    for name, copies in dmatest(guest, names, COPIES, COPY_BYTES).items():
        assert copies.tests == COPIES and copies.failures == 0, (name, copies)
    text = must(guest, "grep xilinx-dma-controller /proc/interrupts")
    lines = {int(line.split()[3]) for line in text.splitlines() if int(line.split()[1]) > 0}
    assert lines == {61 + n for n in range(ENGINES)}
    load(guest, "sluice")


def test_programs_copy_on_each_engine(guest: Guest) -> None:
    lines = must(guest, "/tests/sluice_on_device list").splitlines()
    assert "board dev:pl" in lines
    for number in range(ENGINES):
        command = f"/tests/sluice_on_device copy dev:pl hp{number}.copy {ROUNDS} {SEED + number}"
        found = dict(line.split() for line in must(guest, command).splitlines())
        assert int(found["bytes"]) > 0


def ram_parts(guest: Guest) -> Iterator[str]:
    """A command for each engine's part of the block RAM."""
    for n in range(ENGINES):
        yield f"/tests/sluice_on_device ram dev:pl hp{n}.copy {ROUNDS} {SEED + n}"


def test_programs_copy_to_block_ram(guest: Guest) -> None:
    """Into each engine's RAM and back, by the calls of any copy; the processor sees it too."""
    for command in ram_parts(guest):
        text = must(guest, command)
        assert "bytes 655360" in text
        assert "refused" in text and "block RAM" in text


def test_block_ram_is_read_and_written(guest: Guest) -> None:
    """The classical methods as calls: by the processor on the board's memory node (PIO), and by an
    engine on its channel, through memory of the driver. What one wrote the others read; positions;
    the end."""
    must(guest, f"dd if=/dev/urandom of=/tmp/all bs={RAM_BYTES} count={ENGINES}")
    must(guest, f"dd if=/tmp/all of=/dev/sluice/pl/memory bs={RAM_BYTES}")
    for n in range(ENGINES):
        node = f"/dev/sluice/pl/hp{n}.copy"
        part = f"skip={n} bs={RAM_BYTES} count=1"
        must(guest, f"dd if=/tmp/all {part} of=/tmp/part")
        must(guest, f"dd if={node} of=/tmp/back bs=5000 && cmp /tmp/back /tmp/part")
        must(guest, f"dd if=/dev/urandom of=/tmp/new bs={RAM_BYTES} count=1")
        must(guest, f"dd if=/tmp/new of={node} bs=3000 && cat {node} | cmp - /tmp/new")
        must(guest, f"dd if=/dev/sluice/pl/memory {part} | cmp - /tmp/new")
        # 700 bytes at 1100, the rest as it was.
        must(guest, f"dd if=/tmp/part of={node} bs=100 skip=3 seek=11 count=7")
        must(guest, "dd if=/tmp/part of=/tmp/new bs=100 skip=3 seek=11 count=7 conv=notrunc")
        must(guest, f"cmp /tmp/new {node}")
        full = guest.run(f"cat /tmp/part /tmp/part > {node}")
        assert full.status != 0 and "No space left" in full.text, full
    assert must(guest, "wc -c < /dev/sluice/pl/memory").strip() == str(RAM_BYTES * ENGINES)
    full = guest.run("cat /tmp/all /tmp/part > /dev/sluice/pl/memory")
    assert full.status != 0 and "No space left" in full.text, full


def test_the_ps_dma_reaches_the_logics_memory(guest: Guest) -> None:
    """The PL330 through M_AXI_GP: a device that is not ours, and knows nothing of the logic."""
    for channel in ("copy0", "copy7"):
        words = f"dev:ps {channel} /dev/sluice/pl/memory {ROUNDS} {SEED}"
        assert "bytes 327680" in must(guest, f"/tests/sluice_on_device through {words}")


def test_the_logics_engines_reach_on_chip_memory(guest: Guest) -> None:
    """From DDR to on-chip memory and back by CDMAs on HP ports; the processor sees their bytes in
    between, and the PL330 those of the last round."""
    for n in range(ENGINES):
        words = f"dev:pl hp{n}.copy /dev/sluice/ps/memory {ROUNDS} {SEED + n}"
        assert "bytes 327680" in must(guest, f"/tests/sluice_on_device through {words}")
    must(guest, "dd if=/dev/sluice/ps/memory of=/tmp/chip bs=16384 count=1")
    must(guest, "dd if=/dev/sluice/ps/copy0 bs=16384 count=1 | cmp - /tmp/chip")
    assert guest.run("cmp -n 64 /tmp/chip /dev/zero").status != 0


def test_memory_goes_with_the_logic(guest: Guest) -> None:
    """Unbound while a program of the PS DMA has the memory: it loses it; the logic comes back."""
    node = must(guest, "ls -d /sys/bus/platform/drivers/sluice/*pl-channels").strip()
    name = Path(node).name
    words = f"dev:ps copy0 /dev/sluice/pl/memory 1000000 {SEED}"
    program = f"/tests/sluice_on_device through {words}; echo status $?"
    must(guest, f"({program}) >/tmp/through 2>&1 &")
    buffers = "/sys/class/sluice/*copy0*/buffers"
    must(guest, f"while ! grep -q peer {buffers}; do sleep 0.01; done", WAIT_S)
    must(guest, f"echo {name} > /sys/bus/platform/drivers/sluice/unbind")
    assert guest.run("ls /dev/sluice/pl").status != 0
    must(guest, "while pidof sluice_on_device; do sleep 0.01; done", WAIT_S)
    must(guest, f"echo {name} > /sys/bus/platform/drivers/sluice/bind")
    must(guest, next(ram_parts(guest)))
    ended = must(guest, "cat /tmp/through")
    # In a call, in a copy, or where it touches the memory itself.
    ends = (
        r"Stale file handle.*status 1\n",
        r"a copy failed.*status 1\n",
        r"Bus error\nstatus 135\n",
    )
    assert any(re.search(end, ended, re.DOTALL) for end in ends), ended


def test_open_files_outlive_the_logic(guest: Guest) -> None:
    """Channel and memory node, open while their device goes: ENODEV, and seeking harms nobody."""
    name = Path(must(guest, "ls -d /sys/bus/platform/drivers/sluice/*pl-channels").strip()).name
    driver = "/sys/bus/platform/drivers/sluice"
    for node in ("hp0.copy", "memory"):
        lines = [
            f"exec 3<>/dev/sluice/pl/{node}",
            "dd bs=64 count=1 <&3 >/dev/null",
            f"echo {name} > {driver}/unbind",
            "dd bs=64 count=1 <&3 2>/tmp/read",
            "dd bs=64 count=1 </dev/zero >&3 2>/tmp/write",
            "dd bs=64 skip=5 count=1 <&3",
            "exec 3>&-",
            f"echo {name} > {driver}/bind",
        ]
        guest.run("\n".join(lines))
        for file in ("/tmp/read", "/tmp/write"):
            assert "No such device" in must(guest, f"cat {file}")
        must(guest, next(ram_parts(guest)))


def test_module_comes_and_goes(guest: Guest) -> None:
    for _ in range(3):
        unload(guest, "sluice")
        assert guest.run("ls /dev/sluice/pl").status != 0
        load(guest, "sluice")
        must(guest, f"/tests/sluice_on_device copy dev:pl hp0.copy 2 {SEED}")


def test_a_coherent_engine_copies(boot: Boot) -> None:
    """On the ACP, as its device tree says to the kernel."""
    with booted(boot, "cdma_acp") as guest:
        load(guest, "sluice")
        node = "/sys/bus/platform/devices/40000000.dma-controller/of_node/dma-coherent"
        must(guest, f"ls {node}")
        text = must(guest, f"/tests/sluice_on_device copy dev:pl acp0.copy {ROUNDS} {SEED}")
        assert int(text.split()[1]) > 0
        words = f"dev:pl acp0.copy /dev/sluice/ps/memory {ROUNDS} {SEED}"
        assert "bytes 327680" in must(guest, f"/tests/sluice_on_device through {words}")
        node, part = "/dev/sluice/pl/acp0.copy", f"bs={ACP_RAM_BYTES} count=1"
        must(guest, f"dd if=/dev/urandom of=/tmp/part {part} && dd if=/tmp/part of={node} {part}")
        must(guest, f"cmp /tmp/part {node} && cmp /tmp/part /dev/sluice/pl/memory")


def test_a_persons_own_description_drives_the_design(boot: Boot, tmp_path: Path) -> None:
    """Two of its four engines, under another name, on a clock that Linux sets."""
    (tmp_path / "own.toml").write_text(OWN)
    tree = tmp_path / "own.dtso"
    make = [sys.executable, "-m", "tools.devicetree", str(tmp_path / "own.toml"), "-o", str(tree)]
    subprocess.run(make, cwd=ROOT, check=True)
    with booted(boot, "cdma", tree=tree) as guest:
        load(guest, "sluice")
        assert must(guest, "ls /dev/sluice/radio").split() == ["hp0.copy", "hp1.copy", "memory"]
        for n in range(2):
            words = f"dev:radio hp{n}.copy {ROUNDS} {SEED + n}"
            assert must(guest, f"/tests/sluice_on_device copy {words}").startswith("bytes ")
            assert "bytes 655360" in must(guest, f"/tests/sluice_on_device ram {words}")
        rate_hz, users = must(guest, f"cd {FCLK} && cat clk_rate clk_enable_count").split()
        # The nearest that the dividers of QEMU's Zynq make.
        assert 0.95 * FCLK_HZ < int(rate_hz) < 1.05 * FCLK_HZ and int(users) > 0


def boot_lines(lines: list[str]) -> list[str]:
    """What the kernel says, with the time of each line, until programs run."""
    return lines[: next(n for n, line in enumerate(lines) if "Run /init" in line)]


def test_two_boots_take_the_same_time(boot: Boot) -> None:
    boots = []
    for _ in range(2):
        with booted(boot, "cdma") as guest:
            boots.append(boot_lines(guest.console.lines()))
    assert any("Xilinx AXI CDMA Engine Driver Probed" in line for line in boots[0])
    assert boots[0] == boots[1]


def test_a_copy_takes_the_time_of_its_port(boot: Boot) -> None:
    """By the kernel's clock: dmatest's rate of large copies, one at a time, is near the port's. A
    guest without a model of the engines would be far off either way."""
    with booted(boot, "cdma") as guest:
        (name,) = channels_of(guest, "40000000")
        load(guest, "dmatest")
        folder = "/sys/module/dmatest/parameters"
        settings = {"iterations": 4, "test_buf_size": 1 << 20, "noverify": 1, "norandom": 1}
        lines = [f"echo {value} > {folder}/{key}" for key, value in settings.items()]
        lines += [f"echo {name} > {folder}/channel", f"echo 1 > {folder}/run"]
        lines += [f"cat {folder}/wait", "sleep 0.1", "dmesg | grep summary"]
        text = must(guest, " && ".join(lines))
        found = re.search(r"(\d+) KB/s", text)
        assert found, text
        mb_s = int(found[1]) * 1024 / 1e6
        assert 0.8 * PORT_MB_S / 2 < mb_s < PORT_MB_S, text


@LEVELS
@pytest.mark.parametrize("name", queue.WAYS)
def test_four_ports_deliver_their_rate_to_a_program(name: str, level: str) -> None:
    """From first submission to last completion in the program, in modelled time: into streams,
    into block RAM, out of it."""
    way = queue.WAYS[name]
    planned = queue.steps(way, [ENGINES], [16], ["none"], 1 << 16, 256)
    (row,) = queue.rows(queue.Machine(level), way, planned)
    assert row["mb_s"] >= 0.95 * ENGINES * PORT_MB_S, row


def test_a_client_in_the_kernel_gets_the_rate_of_four_ports() -> None:
    """One copy a port at a time, as the program's calls one at a time, without its calls."""
    serial, threads = queue.kernel_rows(queue.Machine(), [ENGINES], 1 << 16, 16)
    for row in (serial, threads):
        assert 0.6 * ENGINES * PORT_MB_S < row["mb_s"] < ENGINES * PORT_MB_S, row


@pytest.mark.parametrize("flavour", ["zynq", "zynq-debug"])
def test_engines_without_descriptors_move_streams(boot: Boot, flavour: str) -> None:
    """hp_stress: xilinx_dma in direct register mode. One contiguous piece at a time goes well, on
    all engines at once; sluice.ko says so of them, and refuses the rest."""
    with booted(boot, "hp_stress", flavour, ["sluice_lane_on_device"]) as guest:
        load(guest, "sluice")
        words = [f"dev:pl hp{n} {DIRECT_ROUNDS} {SEED + n}" for n in range(ENGINES)]
        runs = [
            f"/tests/sluice_lane_on_device {word} >/tmp/lane{n} 2>&1 & "
            for n, word in enumerate(words)
        ]
        must(guest, f"({''.join(runs)} wait)", WAIT_S)
        for n in range(ENGINES):
            text = must(guest, f"cat /tmp/lane{n}")
            assert re.fullmatch(LANE_TOLD.format(n=n, rounds=DIRECT_ROUNDS), text), text


def test_one_piece_at_a_time_has_its_rate(boot: Boot) -> None:
    """However many are queued: the engine has one, and the next begins after its interrupt."""
    way = queue.Way("zynq7010/hp_stress", "mm2s")
    planned = queue.steps(way, [1], [1, 16], ["none"], 1 << 16, 64)
    alone, queued = queue.rows(queue.Machine(), way, planned)
    assert 0.5 * PORT_MB_S < alone["mb_s"] < queued["mb_s"] < 0.95 * PORT_MB_S, (alone, queued)


@pytest.mark.parametrize("design", ["dma_loopback", "capture"])
def test_streams_are_found(boot: Boot, design: str) -> None:
    with booted(boot, design) as guest:
        load(guest, "sluice")
        found = must(guest, "ls /dev/sluice/pl").split()
        ports = ENGINES if design == "dma_loopback" else 1
        assert sum(name.endswith("s2mm") for name in found) == ports


def test_streams_go_round_through_the_kernels_client(boot: Boot) -> None:
    with booted(boot, "dma_loopback") as guest:
        load(guest, "sluice_selftest")
        devices = must(guest, f"ls {SELFTESTS}").split()
        assert len(devices) == ENGINES
        for result in selftest(guest, devices, bytes=LOOPBACK_BYTES, seed=SEED):
            assert result["status"] == 0, result


def test_what_only_rtl_does_ends_the_machine(boot: Boot) -> None:
    """The kernel's client sends packets of any length; transactions have none of 7 bytes."""
    with booted(boot, "dma_loopback", level="transaction") as guest:
        load(guest, "sluice_selftest")
        devices = must(guest, f"ls {SELFTESTS}").split()
        with pytest.raises(GuestError, match=r"a transfer of .* only the RTL level does"):
            selftest(guest, devices, bytes=LOOPBACK_BYTES, seed=SEED)
        guest.kill()


@LEVELS
def test_a_read_where_no_register_is_returns_0(boot: Boot, level: str) -> None:
    """By a program through UIO. The transaction level says once where, and goes on."""
    overlay = HERE / "zynq" / "uio_engine.dtso"
    with booted(boot, "cdma", level=level, overlays=[overlay]) as guest:
        load(guest, "sluice")
        load(guest, "uio")
        load(guest, "uio_pdrv_genirq", "of_id=generic-uio")
        assert int(must(guest, f"/tests/uio_read /dev/uio0 {STATUS}"), 16) != 0
        for _ in range(2):
            assert int(must(guest, f"/tests/uio_read /dev/uio0 {NOTHING}"), 16) == 0
        must(guest, next(ram_parts(guest)))
        assert guest.logic is not None
        told = guest.logic.log().count(f"level has no register at {NOTHING}; reads there return 0")
        assert told == (level == "transaction")


@LEVELS
@pytest.mark.parametrize("design", ["capture", "capture_32", "capture_acp"])
def test_a_stream_is_captured_by_the_kernels_client(boot: Boot, design: str, level: str) -> None:
    with booted(boot, design, level=level) as guest:
        load(guest, "sluice_selftest")
        devices = must(guest, f"ls {SELFTESTS}").split()
        # At full rate the source laps a processor that looks at each word, as it would on a board.
        [result] = selftest(guest, devices, periods=PERIODS, pause_ticks=PAUSE_TICKS)
        assert result["status"] == 0 and result["lost"] == 0, result
        assert result["packets"] == PERIODS


@pytest.mark.parametrize(("design", "lane"), CAPTURES)
def test_programs_capture(boot: Boot, design: str, lane: str) -> None:
    """By libsluice on sluice.ko: nothing is lost; what a late reader has lost is named; a stream
    that can wait is held."""
    with booted(boot, design, level="transaction") as guest:
        load(guest, "sluice")
        told = must(guest, "/tests/sluice_on_device attributes dev:pl").splitlines()
        assert f"{lane}.picture.format: 2: 0: grey, 8 bits, 1: RGB565, 2: YUYV" in told
        capture = f"/tests/sluice_on_device capture dev:pl {lane}.s2mm {PERIODS_OF_PROGRAMS} {{}}"
        for way, pause in (("keep", LONG_PAUSE_TICKS), ("hold", LONG_PAUSE_TICKS), ("stall", 0)):
            found = numbers(must(guest, capture.format(f"{way} {pause}"), WAIT_S))
            assert found["periods"] == PERIODS_OF_PROGRAMS
            assert (found["lost"] > 0) == (way == "hold"), (way, found)


def numbers(text: str) -> dict[str, int]:
    return {name: int(value) for name, value in map(str.split, text.splitlines())}


@pytest.mark.parametrize("flavour", ["zynq", "zynq-debug"])
def test_a_dead_engine_fails_a_read_and_a_write(boot: Boot, flavour: str) -> None:
    """An engine that never says that it is done: read() and write() of its channel fail after 30 s
    of the guest's time, which take no such time here; the channel works again."""
    overlay = HERE / "zynq" / "uio_engine.dtso"
    node, part = "/dev/sluice/pl/hp0.copy", "bs=4096 count=1"
    with booted(boot, "cdma", flavour, overlays=[overlay]) as guest:
        load(guest, "sluice")
        load(guest, "uio")
        load(guest, "uio_pdrv_genirq", "of_id=generic-uio")
        must(guest, f"dd if=/dev/urandom of=/tmp/part {part}")
        for way in (f"dd of=/tmp/back {part} <&3", f"dd if=/tmp/part {part} >&3"):
            # Opening it starts its driver's use of the engine, and enables the interrupts.
            lines = [f"exec 3<>{node}", f"dd of=/dev/null {part} <&3", "cut -d. -f1 /proc/uptime"]
            lines += ["/tests/uio_deafen /dev/uio0", f"{way}; echo status $?"]
            lines += ["cut -d. -f1 /proc/uptime"]
            text = must(guest, " && ".join(lines))
            assert "timed out" in text and "status 1" in text, text
            begun, ended = (int(line) for line in text.splitlines() if line.isdecimal())
            assert SLOT_S <= ended - begun <= SLOT_S + 2, text
            must(guest, f"dd if=/tmp/part of={node} {part}")
            must(guest, f"dd if={node} {part} | cmp - /tmp/part")


@pytest.mark.parametrize(("flavour", "level"), TIMER_ON)
def test_programs_have_registers_and_an_interrupt(boot: Boot, flavour: str, level: str) -> None:
    """The timer of capture through UIO: each access costs what its way takes and the design's own
    cycles; each interrupt arrives, once; sluice.ko captures beside it."""
    with booted(boot, "capture", flavour, level=level) as guest:
        load(guest, "uio")
        load(guest, "uio_pdrv_genirq", "of_id=generic-uio")
        assert must(guest, "cat /sys/class/uio/uio0/name").strip() == "timer@5000"
        assert int(must(guest, "cat /sys/class/uio/uio0/maps/map0/addr"), 16) == 0x4000_5000
        cost = numbers(must(guest, f"/tests/uio_timer registers /dev/uio0 {ACCESSES}"))
        for kind, cycles in (("read", READ_CYCLES), ("write", WRITE_CYCLES)):
            assert cycles <= cost[f"{kind}_cycles"] / ACCESSES <= 1.3 * cycles, cost
        command = f"/tests/uio_timer interrupts /dev/uio0 {INTERRUPTS} {DELAY}"
        late = numbers(must(guest, command))
        # From the logic's edge to the program: at least the read that tells of it.
        assert READ_CYCLES <= late["fewest"] <= late["most"], late
        row = must(guest, "grep timer@5000 /proc/interrupts").split()
        assert row[3] == "63" and int(row[1]) == INTERRUPTS + 2, row
        load(guest, "sluice_selftest")
        devices = must(guest, f"ls {SELFTESTS}").split()
        [result] = selftest(guest, devices, periods=PERIODS, pause_ticks=PAUSE_TICKS)
        assert result["status"] == 0 and result["lost"] == 0, result
        must(guest, command)


def test_a_board_that_is_killed_ends_the_machine(boot: Boot) -> None:
    with booted(boot, "cdma") as guest:
        load(guest, "sluice")
        assert guest.logic is not None
        guest.logic.kill()
        with pytest.raises(GuestError, match="has gone; the machine ends with it"):
            guest.run(f"/tests/sluice_on_device copy dev:pl hp0.copy 1 {SEED}")
        guest.kill()
