# SPDX-License-Identifier: Apache-2.0
"""What the tests of Linux's drivers have in common: our modules, and tests that run in a guest."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from cosim.boot import Boot
from cosim.commands import load, must
from cosim.guests import VERSION, Card, Guest
from cosim.guests.flavours import PCI_OF_NODES_SINCE

ROOT = Path(__file__).resolve().parents[2]
DRIVERS_S = 300  # against hanging: drivers bind later, an engine's after its clock's
SELFTESTS = "/sys/kernel/debug/sluice_selftest"
OUR_DRIVER = "/sys/bus/pci/drivers/sluice_pci"
PCI_HOST = "/pcie@10000000"  # of QEMU's virt, in its device tree


def boot_cards(
    boot: Boot,
    *designs: str,
    flavour: str = "arm64",
    version: str = VERSION,
    options: Sequence[str] = (),
    parameters: str = "",
    append: str = "",
) -> Guest:
    """A guest with a card for each design, in slots 1 and up, with the engines' drivers, ours with
    `parameters`, and sluice_selftest. `options`: of the cards."""
    guest = boot_bare(
        boot, *designs, flavour=flavour, version=version, options=options, append=append
    )
    try:
        load(guest, "sluice_pci", parameters)
        load(guest, "sluice_selftest")
    except BaseException:
        guest.kill()
        raise
    return guest


def boot_bare(
    boot: Boot,
    *designs: str,
    flavour: str = "arm64",
    version: str = VERSION,
    options: Sequence[str] = (),
    append: str = "",
) -> Guest:
    """The same, but none of our modules is loaded yet."""
    include = [ROOT / "regs" / "gen" / "c"]
    modules = boot.kernel(flavour, version).build_modules(ROOT / "driver", include=include)
    with TemporaryDirectory(prefix="sluice-cards-") as folder:
        guest = boot(
            flavour,
            version=version,
            cards=[Card(f"zynq7010/{design}", tuple(options)) for design in designs],
            modules=list(modules.values()),
            overlays=described(designs, version, Path(folder)),
            append=append,
        )
    try:
        for module in ("xilinx_dma", "altera-msgdma"):
            load(guest, module)
    except BaseException:
        guest.kill()
        raise
    return guest


def described(designs: Sequence[str], version: str, folder: Path) -> list[Path]:
    """For kernels that make no nodes for cards: overlays that make a node for each under the PCI
    host of the machine's own tree, and then put there what sluice_pci would."""
    if tuple(int(part) for part in version.split(".")) >= PCI_OF_NODES_SINCE:
        return []
    nodes = "".join(
        f"""card@{slot},0 {{
            device_type = "pci"; /* addresses of three cells are those of PCI */
            reg = <{slot << 11:#x} 0 0 0 0>;
            clock {{ clock-output-names = "card{slot}"; }};
        }};
        """
        for slot in range(1, len(designs) + 1)
    )
    cards = folder / "cards.dtso"
    cards.write_text(f"/dts-v1/;\n/plugin/;\n&{{{PCI_HOST}}} {{\n{nodes}\n}};\n")
    overlays = [cards]
    for slot, design in enumerate(designs, 1):
        source = ROOT / f"driver/overlays/sluice-{design.replace('_', '-')}.dtso"
        target = f'#define SLUICE_TARGET "{PCI_HOST}/card@{slot},0"'
        overlay = folder / f"card{slot}.dtso"
        overlay.write_text(f'{target}\n#include "{source}"\n')
        overlays.append(overlay)
    return overlays


def traces(guest: Guest) -> list[str]:
    """What there is of devices, in the device tree, of interrupts and of memory regions.

    Not whether a device waits for another: the kernel keeps that until a driver first takes it.
    """
    folders = "/proc/device-tree/ /sys/devices /sys/class /sys/bus/platform /sys/kernel/irq"
    debug = "/sys/kernel/debug/clk /sys/kernel/debug/sluice_selftest"
    text = must(
        guest,
        f"find {folders} {debug} ! -name waiting_for_supplier 2> /dev/null | sort; cat /proc/iomem;"
        " awk '{ print $1, $NF }' /proc/interrupts",
    )
    return text.splitlines()


def pci(slot: int) -> str:
    return f"0000:00:{slot:02x}.0"


def channels(guest: Guest, slot: int, count: int) -> list[str]:
    """The DMA channels behind a card, once there are so many."""
    text = must(
        guest,
        f"for i in $(seq {10 * DRIVERS_S}); do "
        f"set -- $(find /sys/devices -path '*/{pci(slot)}/*' -name 'dma*chan*'); "
        f"[ $# -ge {count} ] && break; sleep 0.1; done; "
        "for c in $@; do basename $c; done",
    )
    found = sorted(text.split())
    assert len(found) == count, f"{count} channels at {pci(slot)}: {found}"
    return found


def selftest_devices(guest: Guest, slot: int, count: int) -> list[str]:
    """The devices of a card that sluice_selftest has bound to, once there are so many."""
    text = must(
        guest,
        f"for i in $(seq {10 * DRIVERS_S}); do "
        "set -- $(find /sys/bus/platform/drivers/sluice_selftest/ -type l -name '*.*'"
        f" -exec readlink -f {{}} ';' | grep /{pci(slot)}/); "
        f"[ $# -ge {count} ] && break; sleep 0.1; done; "
        "for d in $@; do basename $d; done",
    )
    found = sorted(text.split())
    assert len(found) == count, f"{count} devices at {pci(slot)}: {found}"
    return found


def selftest(
    guest: Guest, devices: list[str], timeout_s: float = 1200, **settings: int
) -> list[dict[str, int]]:
    """Runs sluice_selftest on devices, all at once; what each found. Status is 0 or -errno."""
    for device in devices:
        for name, value in settings.items():
            must(guest, f"echo {value} > {SELFTESTS}/{device}/{name}")
    runs = "".join(f"echo 1 > {SELFTESTS}/{device}/run & " for device in devices)
    must(guest, f"({runs} wait) 2> /dev/null", timeout_s)
    results = []
    for device in devices:
        lines = must(guest, f"cat {SELFTESTS}/{device}/result").splitlines()
        results.append({name: int(value) for name, value in (line.split() for line in lines)})
    return results
