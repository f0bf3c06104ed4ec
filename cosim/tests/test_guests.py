# SPDX-License-Identifier: Apache-2.0
"""Guests boot, do what they are told, and no trouble in them goes unnoticed."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cosim.boot import Boot
from cosim.guests import (
    FLAVOURS,
    VERSION,
    VERSIONS,
    BuildError,
    Card,
    Guest,
    GuestError,
    HungError,
    KernelSplatError,
    initramfs,
    recipe,
    toolchain,
)
from cosim.guests.card import PROGRAM
from cosim.guests.console import SPLAT
from cosim.guests.flavours import ARM64
from tools.debian import UnavailableError

TROUBLE = Path(__file__).resolve().parent / "trouble"
ROOT = Path(__file__).resolve().parents[2]
WAIT_S = 600  # against hanging only
PROBE = "/sys/bus/pci/drivers_probe"
FULL = os.environ.get("SLUICE_FULL") is not None
IN_CI = ("arm64",)

OVERLAY = """/dts-v1/;
/plugin/;
&{/pcie@10000000} {
	card@1,0 {
		reg = <0x800 0 0 0 0>;
		sluice,told = "so";
	};
};
"""


def full_only(what: str) -> None:
    if what not in IN_CI and not FULL:
        pytest.skip(f"{what} is booted by make test-full")


def trouble(boot: Boot, flavour: str = "arm64") -> list[Path]:
    return [boot.kernel(flavour).build_modules(TROUBLE)["trouble"]]


def make_trouble(kind: str) -> str:
    return f"insmod /modules/trouble.ko && echo {kind} >/sys/kernel/debug/trouble"


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_guest_boots(boot: Boot, flavour: str) -> None:
    full_only(flavour)
    with boot(flavour) as guest:
        # A Zynq has two, of which QEMU starts one.
        cpus = 1 if flavour.startswith("zynq") else 2
        assert guest.run("grep -c ^processor /proc/cpuinfo").text == f"{cpus}\n"
        assert guest.run("cat /sys/kernel/debug/dmaengine/summary").status == 0


def test_guest_runs_commands(boot: Boot) -> None:
    text = b"as it was packed \0\xff\n"
    with boot("arm64", files={"/tests/data/packed": text}) as guest:
        assert guest.release.startswith("6.12.")
        assert guest.run("grep -c ^processor /proc/cpuinfo").text == "2\n"
        assert guest.run("cat /tests/data/packed").output == text
        assert guest.run("true").status == 0
        assert guest.run("echo one; echo two >&2; exit 7").output == b"one\ntwo\n"
        assert guest.run("exit 7").status == 7
        assert guest.run("kill -KILL $$").status == 128 + 9
        assert guest.run("no-such-program").status == 127
        assert guest.run("sleep 1000 & echo done").text == "done\n"
        many = guest.run("seq 1 20000")
        assert many.output == b"".join(b"%d\n" % n for n in range(1, 20001))


def test_a_script_runs_before_commands(boot: Boot) -> None:
    with boot("arm64", script="seq 1 3\nprintf %s $PATH\n") as guest:
        with pytest.raises(GuestError, match="commands come after the script"):
            guest.run("true")
        assert list(guest.script_lines()) == ["1", "2", "3", "/bin"]
        assert guest.run("echo after").text == "after\n"
    with boot("arm64", script="echo fine\nset -e\necho no such thing >&2\nexit 3\n") as guest:
        lines = guest.script_lines()
        assert next(lines) == "fine"
        with pytest.raises(GuestError, match=r"status 3 .* at last: no such thing"):
            list(lines)


def test_modules_load_and_kernel_lines_are_not_output(boot: Boot) -> None:
    with boot("arm64", modules=trouble(boot)) as guest:
        assert guest.run(make_trouble("chat")).status == 0
        noise = "for n in $(seq 1 200); do echo chat >/sys/kernel/debug/trouble; echo $n; done"
        expected = "".join(f"{n}\n" for n in range(1, 201))
        assert guest.run(noise).text == expected
        assert guest.run("rmmod trouble; grep -c trouble /proc/modules").text == "0\n"
    told = [line for line in guest.console.lines() if "trouble: a line of the kernel" in line]
    assert len(told) == 201


def test_card_is_on_the_bus(boot: Boot) -> None:
    with boot("arm64", cards=[Card("zynq7010/cdma"), Card()]) as guest:
        found = guest.run("cat /sys/bus/pci/devices/*/vendor").text.split()
        assert len(found) >= 2 and found.count(found[-1]) == 2
    assert all("the client has gone" in card.log() for card in guest.cards)


def test_cards_of_their_own_kind_are_on_the_bus(boot: Boot) -> None:
    cards = [
        Card("pcie/xdma", ("--width", "128")),
        Card("pcie/avmm", ("--width", "128", "--id", "1172:e003")),
    ]
    with boot("arm64", cards=cards) as guest:
        for slot, identity in ((1, "0x10ee 0x9038"), (2, "0x1172 0xe003")):
            device = f"/sys/bus/pci/devices/0000:00:{slot:02}.0"
            found = guest.run(f"echo $(cat {device}/vendor {device}/device)").text.strip()
            assert found == identity
            bars = guest.run(f"cat {device}/resource").text.splitlines()
            first, _, second = ([int(word, 16) for word in bar.split()] for bar in bars[:3])
            assert (first[1] - first[0] + 1, second[1] - second[0] + 1) == (1 << 20, 16 << 20)
            # The driver's own reset, by the PCI Express capability.
            assert "flr" in guest.run(f"cat {device}/reset_method").text.split()
            before = guest.run(f"hexdump {device}/config").text
            assert (
                guest.run(f"echo flr > {device}/reset_method; echo 1 > {device}/reset").status == 0
            )
            assert guest.run(f"hexdump {device}/config").text == before


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("warn", "trouble: as you wish"), ("oops", "Unable to handle kernel")],
)
def test_splat_is_noticed(boot: Boot, kind: str, expected: str) -> None:
    with (
        pytest.raises(KernelSplatError, match=expected),
        boot("arm64", modules=trouble(boot)) as guest,
    ):
        guest.run(make_trouble(kind))


def test_splat_after_the_last_command_is_noticed(boot: Boot) -> None:
    with (
        pytest.raises(KernelSplatError, match="as you wish"),
        boot("arm64", modules=trouble(boot)) as guest,
    ):
        assert guest.run(f"(sleep 0.5; {make_trouble('warn')}) &").status == 0
        wait_until(lambda: bool(guest.console.splats()))


@pytest.mark.skipif(not FULL, reason="the debug kernel is booted by make test-full")
def test_debug_guest_notices(boot: Boot) -> None:
    flavour = "arm64-debug"
    with boot(flavour, modules=trouble(boot, flavour), splats_allowed=True) as guest:
        assert guest.run("grep -c ^processor /proc/cpuinfo").text == "2\n"
        # The first allocation of the task that writes itself into its own list of failures.
        fail = "echo 0 >/sys/kernel/debug/failslab/verbose; echo 1 >/proc/self/fail-nth; cat /x"
        assert guest.run(f"sh -c '{fail}'").status != 0
        assert guest.run("ls /sys/kernel/debug/fail_page_alloc/probability").status == 0
        assert not guest.console.splats()
        guest.run("insmod /modules/trouble.ko")
        # In this order: lockdep looks no longer once KASAN has found something.
        for kind, expected in (
            ("locks", "possible circular locking dependency"),
            ("overrun", r"KASAN: slab-out-of-bounds in trouble_\w+"),
        ):
            before = len(guest.console.lines())
            assert guest.run(f"echo {kind} >/sys/kernel/debug/trouble").status == 0
            told = [guest.console.lines()[n] for n in guest.console.splats(before)]
            assert told and re.search(expected, told[0]), told


def test_every_mapping_may_be_a_copy(boot: Boot) -> None:
    with boot("arm64", append="swiotlb=16384,force") as guest:
        assert guest.run("cat /sys/kernel/debug/swiotlb/io_tlb_nslabs").text == "16384\n"


def test_tree_of_the_machine_takes_an_overlay(boot: Boot, tmp_path: Path) -> None:
    overlay = tmp_path / "card.dtso"
    overlay.write_text(OVERLAY)
    with boot("arm64", cards=[Card("zynq7010/cdma")], overlays=[overlay]) as guest:
        node = "/sys/bus/pci/devices/0000:00:01.0/of_node"
        assert guest.run(f"cat {node}/sluice,told").output == b"so\0"


@pytest.mark.parametrize("version", [version for version in VERSIONS if version != VERSION])
def test_other_kernels_boot(boot: Boot, version: str) -> None:
    full_only(version)
    modules = boot.kernel("arm64", version).build_modules(TROUBLE)
    with boot("arm64", version=version, modules=[modules["trouble"]]) as guest:
        assert guest.release.startswith(version + ".")
        assert guest.run(make_trouble("chat")).status == 0


def test_iommu_is_on_and_vfio_takes_a_card(boot: Boot) -> None:
    full_only("x86_64")
    with boot("x86_64", cards=[Card("zynq7010/cdma")]) as guest:
        device = "/sys/bus/pci/devices/0000:00:01.0"
        assert guest.run(f"ls {device}/iommu_group/devices").text == "0000:00:01.0\n"
        bind = f"echo vfio-pci >{device}/driver_override; echo 0000:00:01.0 >{PROBE}"
        assert guest.run(bind).status == 0
        group = guest.run(f"basename $(readlink {device}/iommu_group)").text.strip()
        assert guest.run(f"test -c /dev/vfio/{group}").status == 0


def test_missing_programs_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UnavailableError, match=r"flex .*gcc-aarch64-linux-gnu.*: run tools/setup"):
        toolchain.check(ARM64)


def test_splat_may_be_allowed(boot: Boot) -> None:
    with boot("arm64", modules=trouble(boot), splats_allowed=True) as guest:
        assert guest.run(make_trouble("warn")).status == 0
        assert guest.console.splats()


def test_hung_guest_says_where(boot: Boot) -> None:
    with (
        pytest.raises(HungError) as caught,
        boot("arm64", modules=trouble(boot)) as guest,
    ):
        assert guest.run(f"(sleep 0.5; {make_trouble('spin')}) &").status == 0
        wait_until(lambda: "trouble: spins" in "\n".join(guest.console.lines()))
        guest.run("echo before; sleep 1000", timeout_s=1)
    report = str(caught.value)
    assert re.search(r"CPU [01]: .*trouble_spin\+0x\w+ \[trouble\]", report), report
    assert "vfs_write+" in report, "and who called it"
    assert "'echo before; sleep 1000'" in report
    assert gone(guest)


def test_command_that_waits_is_seen_to_wait(boot: Boot) -> None:
    with pytest.raises(HungError) as caught, boot("arm64") as guest:
        guest.run("sleep 1000", timeout_s=2)
    assert "hrtimer_nanosleep" not in str(caught.value), "no task is blocked"
    assert "CPU 1: " in str(caught.value)
    assert gone(guest)


def test_machine_that_ends_by_itself_is_noticed(boot: Boot) -> None:
    with pytest.raises(GuestError, match="QEMU has ended"), boot("arm64") as guest:
        guest.run("reboot -f")
    assert gone(guest)


def test_command_to_a_machine_that_has_ended_is_refused(boot: Boot) -> None:
    with pytest.raises(GuestError, match="QEMU has ended"), boot("arm64") as guest:
        with pytest.raises(GuestError):
            guest.run("reboot -f")
        guest.run("true")


def test_unknown_option_is_named(tmp_path: Path) -> None:
    fragment = tmp_path / "wrong.config"
    fragment.write_text("CONFIG_MMU=y\nnonsense\n")
    with pytest.raises(BuildError, match=r"wrong\.config:2"):
        recipe.wanted([fragment])


def test_option_not_taken_is_named(boot: Boot, tmp_path: Path) -> None:
    kernel = boot.kernel("arm64")
    options = {"CONFIG_NO_SUCH_THING": "y", "CONFIG_MMU": "y"}
    with pytest.raises(BuildError, match="does not take CONFIG_NO_SUCH_THING=y:"):
        recipe.configure(kernel.source, tmp_path, ARM64, options, print)


def test_module_that_does_not_build_says_why(boot: Boot, tmp_path: Path) -> None:
    (tmp_path / "Kbuild").write_text("obj-m := broken.o\n")
    (tmp_path / "broken.c").write_text("#error as expected\n")
    with pytest.raises(BuildError, match="as expected"):
        boot.kernel("arm64").build_modules(tmp_path)


def test_archive_is_the_same_each_time_and_cpio_reads_it(tmp_path: Path) -> None:
    files: dict[str, Path | bytes] = {"/b/c/d": b"two", "/a": b"one"}
    packed = initramfs.archive(files)
    assert packed == initramfs.archive(dict(reversed(files.items())))
    names = re.findall(rb"070701\w{104}([^\0]+)\0", packed)
    assert names == [b"b", b"b/c", b"a", b"b/c/d", b"TRAILER!!!"]


def test_what_is_a_splat() -> None:
    for line in (
        "WARNING: CPU: 0 PID: 1 at kernel/x.c:3 f+0x0/0x4",
        "WARNING: possible circular locking dependency detected",
        "BUG: KASAN: slab-out-of-bounds in f+0x0/0x4",
        "BUG: sleeping function called from invalid context at x.c:1",
        "INFO: task cat:77 blocked for more than 120 seconds.",
        "rcu: INFO: rcu_sched self-detected stall on CPU",
        "DMA-API: pci 0000:00:01.0: device driver frees DMA memory it has not allocated",
        "Kernel panic - not syncing: Attempted to kill init!",
    ):
        assert SPLAT.search(line), line
    for line in (
        "DMA-API: preallocated 65536 debug entries",
        "DMA-API: debugging enabled by kernel config",
        "xilinx-vdma 10000.dma: Xilinx AXI CDMA Engine Driver Probed!!",
    ):
        assert not SPLAT.search(line), line


def gone(guest: Guest) -> bool:
    """Nothing of a guest runs any more."""
    own = subprocess.run(["ps", "-o", "args=", "--ppid", str(os.getpid())], capture_output=True)
    return b"qemu-system" not in own.stdout and guest.logs.exists()


@pytest.mark.parametrize(
    ("arguments", "leave", "told"),
    [
        (["arm64"], b"\x01x", b"sluice-card: "),
        pytest.param(
            ["zynq", "--level", "transaction"],
            b"poweroff\n",
            b"sluice-pl: the machine has gone",
            marks=pytest.mark.skipif(not FULL, reason="zynq is booted by make test-full"),
        ),
    ],
)
def test_prompt_for_a_person(boot: Boot, arguments: list[str], leave: bytes, told: bytes) -> None:
    """Until the person leaves. Then what the board has said is there."""
    boot.kernel(arguments[0])
    ours, terminal = os.openpty()
    command = [sys.executable, "-m", "cosim.guests", *arguments, "--board", "zynq7010/cdma"]
    person = subprocess.Popen(command, cwd=ROOT, stdin=terminal, stdout=terminal, stderr=terminal)
    os.close(terminal)
    try:
        wait_for(ours, b"# ")
        os.write(ours, b"grep -c . /proc/cpuinfo >/dev/null && echo it is $((6 * 7))\n")
        assert b"it is 42" in wait_for(ours, b"it is 42")
        os.write(ours, leave)
        wait_for(ours, told)
        assert person.wait(WAIT_S) == 0
    finally:
        person.kill()
        person.wait()
        os.close(ours)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["amiga"], "invalid choice: 'amiga'"),
        (["arm64", "--board", "zynq7010/nothing"], "no board 'zynq7010/nothing'; there are"),
        (["zynq", "--board", "pcie/xdma"], "no board 'pcie/xdma'; there are zynq7010/"),
    ],
)
def test_wrong_guest_or_board_is_refused(arguments: list[str], message: str) -> None:
    if not PROGRAM.exists():
        pytest.skip(f"{PROGRAM.name} is not built: run 'make build'")
    command = [sys.executable, "-m", "cosim.guests", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=WAIT_S)
    assert done.returncode == 2
    assert message in done.stderr


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def wait_for(terminal: int, text: bytes) -> bytes:
    """What comes out of a terminal until some text has."""
    seen = b""
    deadline = time.monotonic() + WAIT_S
    while text not in seen:
        left = max(deadline - time.monotonic(), 0)
        assert select.select([terminal], [], [], left)[0], seen
        seen += os.read(terminal, 4096)
    return seen
