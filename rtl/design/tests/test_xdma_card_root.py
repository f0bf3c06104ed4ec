# SPDX-License-Identifier: Apache-2.0
"""xdma_card under a PCI Express hierarchy that this project did not write.

cocotbext-pcie's root complex enumerates a device, programs the card's MSI-X table through its BAR as
its Linux-like driver does, and carries every access as packets: the card's reads and writes of host
memory, the CPU's of both BARs, and the interrupts. Between its device and the card's pins stand
cocotbext-axi's masters and slave."""

from __future__ import annotations

import struct
from typing import Any

import cocotb
import pytest
from cocotb.triggers import with_timeout
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiMaster, AxiRam, AxiSlave
from cocotbext.pcie.core import Device, MemoryEndpoint, RootComplex
from cocotbext.pcie.core.caps import MsixCapability

from tb import run, seed
from tb.signals import reset

from sluice_regs import sl_xdma_channel as channel  # isort: skip
from sluice_regs import sl_xdma_desc as desc  # isort: skip
from sluice_regs import sl_xdma_irq as irq  # isort: skip
from sluice_regs import sl_xdma_sgdma as sgdma  # isort: skip
from sluice_regs import xdma_card as top  # isort: skip

CARD_BYTES = 1 << 20
HOST_BYTES = 1 << 20
TIMEOUT_US = 200
CONFIGURATIONS: list[dict[str, Any]] = [{"DataWidth": 128, "BufferBeats": 128}]


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=lambda c: f"{c['DataWidth']}")
def test_xdma_card_root(config: dict[str, Any]) -> None:
    run("xdma_card", config)


class Host:
    """What the card's host port reaches: the device's function, which makes packets of it."""

    def __init__(self, function: MemoryEndpoint) -> None:
        self.function = function

    async def read(self, address: int, length: int, **_: object) -> bytes:
        return bytes(await self.function.mem_read(address, length))

    async def write(self, address: int, data: bytes, **_: object) -> None:
        await self.function.mem_write(address, data)


class Pc:
    """The card in a PC."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.control = AxiLiteMaster(
            AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk_i, dut.rst_ni, reset_active_level=False
        )
        self.bar = AxiMaster(AxiBus.from_prefix(dut, "s_axi_bar"), dut.clk_i, dut.rst_ni, reset_active_level=False)
        self.card = AxiRam(
            AxiBus.from_prefix(dut, "m_axi_card"), dut.clk_i, dut.rst_ni, reset_active_level=False, size=CARD_BYTES
        )
        self.function = MemoryEndpoint()
        self.function.add_mem_region(1 << 20, self.read_control, self.write_control)
        self.function.add_prefetchable_mem_region(CARD_BYTES, self.read_bar, self.write_bar)
        self.msix = MsixCapability()
        self.msix.msix_table_size = 31
        self.msix.msix_table_offset = top.MSIX_VECTOR_OFFSET
        self.msix.msix_pba_offset = top.MSIX_PBA_OFFSET
        self.function.register_capability(self.msix)
        self.host = AxiSlave(
            AxiBus.from_prefix(dut, "m_axi_host"),
            dut.clk_i,
            dut.rst_ni,
            reset_active_level=False,
            target=Host(self.function),
        )
        self.root = RootComplex()
        self.root.max_payload_size = 1  # 256 bytes
        self.root.make_port().connect(Device(self.function))
        self.memory = self.root.mem_pool.alloc_region(HOST_BYTES)
        for side in (self.control, self.bar, self.card, self.host):
            for part in (side.write_if, side.read_if):
                part.log.setLevel("WARNING")
        for item in (self.root, self.function):
            item.log.setLevel("WARNING")

    async def read_control(self, offset: int, length: int) -> bytes:
        return bytes((await self.control.read(offset, length)).data)

    async def write_control(self, offset: int, data: bytes) -> None:
        await self.control.write(offset, data)

    async def read_bar(self, offset: int, length: int) -> bytes:
        return bytes((await self.bar.read(offset, length)).data)

    async def write_bar(self, offset: int, data: bytes) -> None:
        await self.bar.write(offset, data)

    async def start(self) -> None:
        for name, value in {"bdf": 0x0100, "max_payload": 1, "max_read_request": 2, "msi": 0, "msix_mask": 0}.items():
            getattr(self.dut, f"cfg_{name}_i").value = value
        self.dut.cfg_msix_i.value = 1
        await reset(self.dut)
        await self.root.enumerate()
        self.device = self.root.find_device(self.function.pcie_id)
        await self.device.enable_device()
        await self.device.set_master()
        assert await self.device.enable_msix_range(32, 32, 0) == 32
        self.registers, self.window = self.device.bar_window[0], self.device.bar_window[1]

    def bus(self, offset: int) -> int:
        return self.memory.get_absolute_address(offset)

    async def write(self, offset: int, value: int) -> None:
        await self.registers.write_dword(offset, value)

    async def read(self, offset: int) -> int:
        return await self.registers.read_dword(offset)


async def transfer(pc: Pc, c2h: bool, pieces: list[tuple[int, int, int]], at: int) -> None:
    """Runs a chain of (source, destination, bytes) from the table at `at` of host memory; its interrupt ends it."""
    for i, (source, destination, size) in enumerate(pieces):
        last = i == len(pieces) - 1
        control = desc.CONTROL_DEFAULT | (desc.CONTROL_STOP_MASK | desc.CONTROL_COMPLETED_MASK if last else 0)
        adjacent = max(0, len(pieces) - i - 2)
        control |= adjacent << desc.CONTROL_NEXT_ADJACENT_SHIFT
        following = 0 if last else pc.bus(at + 32 * (i + 1))
        pc.memory[at + 32 * i : at + 32 * (i + 1)] = struct.pack(
            "<IIQQQ", control, size, source, destination, following
        )
    number = int(c2h)
    base = top.C2H_OFFSET if c2h else top.H2C_OFFSET
    fetch = top.C2H_SGDMA_OFFSET if c2h else top.H2C_SGDMA_OFFSET
    vectors = top.IRQ_OFFSET + irq.CHANNEL_VECTOR0_OFFSET
    await pc.write(vectors, (await pc.read(vectors)) & ~(0xFF << 8 * number) | (3 + number) << 8 * number)
    await pc.write(top.IRQ_OFFSET + irq.CHANNEL_ENABLE_W1S_OFFSET, 1 << number)
    event = pc.device.msi_vectors[3 + number].event
    event.clear()
    await pc.write(base + channel.IRQ_MASK_OFFSET, channel.STATUS_DESC_STOPPED_MASK)
    await pc.write(fetch + sgdma.FIRST_LO_OFFSET, pc.bus(at) & 0xFFFFFFFF)
    await pc.write(fetch + sgdma.FIRST_HI_OFFSET, pc.bus(at) >> 32)
    await pc.write(fetch + sgdma.FIRST_ADJACENT_OFFSET, len(pieces) - 1)
    await pc.write(base + channel.CONTROL_OFFSET, channel.CONTROL_RUN_MASK | channel.CONTROL_IE_DESC_STOPPED_MASK)
    await with_timeout(event.wait(), TIMEOUT_US, "us")
    status = await pc.read(base + channel.STATUS_RC_OFFSET)
    assert status & ~channel.STATUS_BUSY_MASK == channel.STATUS_DESC_STOPPED_MASK, hex(status)
    assert await pc.read(base + channel.COMPLETED_COUNT_OFFSET) == len(pieces)
    await pc.write(base + channel.CONTROL_OFFSET, 0)


@cocotb.test()
async def there_and_back(dut: Any) -> None:
    """What software finds by enumeration; chains of random pieces both ways, with interrupts; the BAR beside them."""
    rng = seed("root")
    pc = Pc(dut)
    await pc.start()
    assert await pc.read(top.IRQ_OFFSET) >> 16 == 0x1FC2
    assert await pc.read(top.CONFIG_OFFSET) >> 16 == 0x1FC3
    assert await pc.read(top.H2C_OFFSET) >> 16 == 0x1FC0
    assert await pc.read(top.C2H_OFFSET) >> 16 == 0x1FC1
    assert await pc.read(top.H2C_OFFSET + top.H2C_STRIDE) == 0  # a channel that is not built
    for turn in range(3):
        pc.memory[0:HOST_BYTES] = rng.randbytes(HOST_BYTES)
        out, back = [], []
        for i in range(rng.randint(1, 12)):
            size = rng.choice((1, 3, 64, rng.randint(1, 600), rng.randint(1, 6000)))
            card = 8192 * i + rng.randrange(2000)
            out.append((pc.bus(16384 * i + rng.randrange(4096)), card, size))
            back.append((card, pc.bus((1 << 19) + 8192 * i + rng.randrange(2000)), size))
        expected = bytearray(pc.memory[0:HOST_BYTES])
        for (source, _, size), (_, destination, _) in zip(out, back, strict=True):
            source, destination = source - pc.bus(0), destination - pc.bus(0)
            expected[destination : destination + size] = expected[source : source + size]
        tables = HOST_BYTES - 8192
        await transfer(pc, False, out, tables)
        source, card, size = out[-1]
        source -= pc.bus(0)
        assert await pc.window.read(card, size) == expected[source : source + size]
        await transfer(pc, True, back, tables + 4096)
        assert pc.memory[0:tables] == expected[:tables]
        patch = rng.randbytes(rng.randint(1, 500))
        await pc.window.write(CARD_BYTES // 2 + turn, patch)
        assert await pc.window.read(CARD_BYTES // 2 + turn, len(patch)) == patch
