# SPDX-License-Identifier: Apache-2.0
"""sluice-card on the bus of a real QEMU: found, set up, and moving that machine's memory."""

from __future__ import annotations

import random
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from qtest import Machine
from sluice_regs import hp_stress, sl_axi_dma, sl_hp_lane

from cosim.card_control import CardControl
from tools import debian, qemu

CARD = Path(__file__).resolve().parents[2] / "build" / "release" / "cosim" / "sluice-card"
TIMEOUT_S = 300
# QEMU's machine `virt` (QEMU, hw/arm/virt.c): configuration space, window for BARs, memory.
ECAM = 0x40_1000_0000
WINDOW = 0x1000_0000
RAM = 0x4000_0000
SLOT = 1 << 15  # device 1, function 0
# Configuration space (PCI 3.0, 6.1; PCI Express 4.0, 7.7.2).
COMMAND, BAR0, BAR4, SUBSYSTEM, CAPABILITIES = 0x04, 0x10, 0x20, 0x2C, 0x34
MEMORY_AND_MASTER = 6
MSIX = 0x11
MSIX_ENABLE = 1 << 15
MESSAGES = RAM + 0x1000  # where vector n writes word n: a message is a write like any other
MESSAGE = 0xCAFE_0000  # + n
VECTORS = 8
IDENTITY = 0x534C_4850  # SLHP


@dataclass
class Card:
    """The card as the machine's processor sees it."""

    machine: Machine
    control: CardControl
    bar0: int = WINDOW
    bar4: int = WINDOW + 0x20_0000

    def config(self, offset: int) -> int:
        return ECAM + SLOT + offset

    def set_up(self) -> None:
        """What firmware does, then a driver: addresses, memory and bus master, MSI-X."""
        write = self.machine.write32
        for bar, address in ((BAR0, self.bar0), (BAR4, self.bar4)):
            write(self.config(bar), address)
            write(self.config(bar + 4), 0)
        self.machine.write16(self.config(COMMAND), MEMORY_AND_MASTER)
        self.machine.write16(self.config(self.capability(MSIX) + 2), MSIX_ENABLE)
        for vector in range(VECTORS):
            address, message = MESSAGES + 4 * vector, MESSAGE + vector
            for word, value in enumerate((address, 0, message, 0)):
                write(self.bar4 + 16 * vector + 4 * word, value)

    def capability(self, identity: int) -> int:
        at = self.machine.read32(self.config(CAPABILITIES)) & 0xFF
        while at:
            header = self.machine.read32(self.config(at))
            if header & 0xFF == identity:
                return at
            at = header >> 8 & 0xFF
        raise AssertionError(f"no capability {identity:#x}")

    def read(self, offset: int) -> int:
        return self.machine.read32(self.bar0 + offset)

    def write(self, offset: int, value: int) -> None:
        self.machine.write32(self.bar0 + offset, value)

    def interrupts(self) -> list[int]:
        """Vectors whose message has come."""
        words = [self.machine.read32(MESSAGES + 4 * vector) for vector in range(VECTORS)]
        return [vector for vector, word in enumerate(words) if word == MESSAGE + vector]


@pytest.fixture(scope="module")
def command() -> list[str]:
    if not CARD.exists():
        pytest.skip(f"{CARD.name} is not built: run 'make build'")
    try:
        return qemu.command("aarch64")
    except debian.UnavailableError as error:
        pytest.skip(f"no QEMU with vfio-user: {error}")


@pytest.fixture
def card(command: list[str], tmp_path: Path) -> Iterator[Card]:
    path = tmp_path / "card"
    with (tmp_path / "card.log").open("w+") as log:
        server = subprocess.Popen(
            [CARD, "--socket", path, "--control", tmp_path / "control", "--once"], stderr=log
        )
        deadline = time.monotonic() + TIMEOUT_S
        while not path.exists() and server.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        assert path.exists(), (tmp_path / "card.log").read_text()
        device = (
            f'{{"driver":"vfio-user-pci","addr":"1","socket":{{"type":"unix","path":"{path}"}}}}'
        )
        machine = Machine(
            [
                *command,
                *(
                    "-nodefaults",
                    "-M",
                    "virt,gic-version=3,memory-backend=ram",
                    "-cpu",
                    "cortex-a53",
                ),
                *("-m", "256M", "-object", "memory-backend-memfd,id=ram,size=256M,share=on"),
                *("-device", device),
            ],
            tmp_path,
        )
        with machine, CardControl(tmp_path / "control") as control:
            yield Card(machine, control)
        # The machine has gone, so the card goes: of itself, and content.
        assert server.wait(TIMEOUT_S) == 0
        assert "the client has gone" in (tmp_path / "card.log").read_text()


def test_card_is_found(card: Card) -> None:
    assert card.machine.read32(card.config(0)) == 0x5020_10EE
    assert card.machine.read32(card.config(SUBSYSTEM)) == 0x51CE_1234
    card.machine.write32(card.config(BAR0), 0xFFFF_FFFF)
    assert card.machine.read32(card.config(BAR0)) & ~0xF == 0xFFF0_0000


def test_registers_are_behind_bar0(card: Card) -> None:
    card.set_up()
    assert card.read(hp_stress.PAGE_OFFSET) == IDENTITY


def test_memory_of_the_machine_is_moved(card: Card) -> None:
    card.set_up()
    data = random.Random(1).randbytes(100_000)
    source, target = RAM + 0x100_0000, RAM + 0x200_0000
    card.machine.write(source, data)
    dma = hp_stress.hp_dma(0)
    run = sl_axi_dma.MM2S_DMACR_RS_MASK | sl_axi_dma.MM2S_DMACR_IOC_IRQEN_MASK
    card.write(hp_stress.hp_control(0) + sl_hp_lane.ROUTE_OFFSET, sl_hp_lane.ROUTE_LOOPBACK_MASK)
    card.write(dma + sl_axi_dma.S2MM_DMACR_OFFSET, run)
    card.write(dma + sl_axi_dma.S2MM_DA_OFFSET, target)
    card.write(dma + sl_axi_dma.S2MM_LENGTH_OFFSET, len(data))
    card.write(dma + sl_axi_dma.MM2S_DMACR_OFFSET, run)
    card.write(dma + sl_axi_dma.MM2S_SA_OFFSET, source)
    card.write(dma + sl_axi_dma.MM2S_LENGTH_OFFSET, len(data))
    deadline = time.monotonic() + TIMEOUT_S
    while card.interrupts() != [0, 1] and time.monotonic() < deadline:
        time.sleep(0.01)
    assert card.interrupts() == [0, 1], "both channels of port 0 and no other"
    assert card.machine.read(target, len(data)) == data
    assert card.machine.read(target + len(data), 64) == bytes(64)


def test_a_reset_waits_for_memory_and_ends_with_it(card: Card) -> None:
    card.set_up()
    control = hp_stress.hp_dma(0) + sl_axi_dma.MM2S_DMACR_OFFSET
    card.control.arm("stuck", port=0, channel="r", skip=5)
    card.write(control, sl_axi_dma.MM2S_DMACR_RS_MASK)
    card.write(hp_stress.hp_dma(0) + sl_axi_dma.MM2S_SA_OFFSET, RAM)
    card.write(hp_stress.hp_dma(0) + sl_axi_dma.MM2S_LENGTH_OFFSET, 4096)
    card.write(control, sl_axi_dma.MM2S_DMACR_RESET_MASK)
    for _ in range(100):
        assert card.read(control) & sl_axi_dma.MM2S_DMACR_RESET_MASK
    card.control.clear()
    deadline = time.monotonic() + TIMEOUT_S
    while card.read(control) & sl_axi_dma.MM2S_DMACR_RESET_MASK:
        assert time.monotonic() < deadline, "the reset does not end"
