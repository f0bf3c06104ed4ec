# SPDX-License-Identifier: Apache-2.0
"""cdma through its control port: all engines at once, errors, interrupts, address map."""

from __future__ import annotations

import sys
from typing import Any

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from tb import REPO, RTL, run, seed, stall
from tb.axi import OKAY, SLVERR, AxiSlave, Stalls
from tb.signals import reader, reset
from tb.stalls import parameters

sys.path[:0] = [str(RTL / "dma" / "tests"), str(RTL / "axi" / "tests"), str(REPO / "regs" / "gen" / "python")]

from axi_pins import Pins
from lane import RESET_TIMEOUT, Silence, design
from sluice_regs import cdma as top
from sluice_regs import sl_axi_cdma as regs
from sluice_regs import sl_design_page as page
from test_sl_axi_join import quiet_master
from traffic import INCR, Burst

from tb.axi import DECERR
from tb.axil import AxiLite

COMMON = {"BufferBeats": 128, "ResetTimeout": RESET_TIMEOUT}
CONFIGURATIONS = [
    COMMON | {"NumPorts": 4, "DataWidth": 64, "LenWidth": 20, "RamBeats": 1024},
    COMMON | {"NumPorts": 1, "DataWidth": 32, "LenWidth": 14, "Unaligned": 0, "IncludeSg": 0},
    COMMON | {"NumPorts": 3, "DataWidth": 32, "LenWidth": 20, "RamBeats": 1024, "Coherent": 1},
]
REFUSED = [
    ({"NumPorts": 5}, "NumPorts must be 1..4, is 5"),
    ({"DataWidth": 128}, "DataWidth must be 32 or 64, is 128"),
    ({"RamBeats": 256}, "WindowBits must be 12..31, is 11"),
    ({"RamBeats": 1024, "RamBase": 0x40080100}, "Base must be a multiple of the window's size, is 40080100"),
    ({"RamBeats": 16384}, "RamBeats must make at most 64 KiB an engine, is 16384"),
]
RAM = 0x40080000  # of the first engine, the others' behind it
WINDOW = 0x80000  # where the control port has it
MEMORY_BYTES = 1 << 16
HALF = MEMORY_BYTES // 2


def name(config: dict[str, Any]) -> str:
    return "-".join(f"{k}={v}" for k, v in config.items())


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=name)
def test_cdma(config: dict[str, Any]) -> None:
    run("sl_hp_ports", design("cdma", config))


@pytest.mark.parametrize(("config", "message"), REFUSED, ids=lambda x: name(x) if isinstance(x, dict) else "")
def test_refused(config: dict[str, Any], message: str) -> None:
    run("sl_hp_ports", design("cdma", config), expect_build_error=message)


class Lane:
    """One port: its memory and its engine."""

    def __init__(self, bench: Bench, port: int, stalls: Stalls) -> None:
        self.bus = bench.bus
        self.port = port
        self.base = top.hp_cdma(port)
        self.broken: set[int] = set()
        self.memory = AxiSlave(
            bench.dut,
            f"m_axi_hp{port}",
            bytearray(bench.rng.randbytes(MEMORY_BYTES)),
            read_latency=10,
            write_latency=10,
            max_burst=16,
            stalls=stalls,
            error=lambda _, addr: SLVERR if addr >> 6 in self.broken else OKAY,
        )

    async def put(self, offset: int, value: int) -> None:
        await self.bus.write(self.base + offset, value)

    async def get(self, offset: int) -> int:
        return await self.bus.read(self.base + offset)

    async def start(self, source: int, destination: int, length: int) -> None:
        await self.put(regs.CDMACR_OFFSET, regs.CDMACR_IOC_IRQEN_MASK | regs.CDMACR_ERR_IRQEN_MASK)
        await self.put(regs.SA_OFFSET, source)
        await self.put(regs.DA_OFFSET, destination)
        await self.put(regs.BTT_OFFSET, length)

    async def acknowledge(self) -> int:
        status = await self.get(regs.CDMASR_OFFSET)
        await self.put(regs.CDMASR_OFFSET, status)
        return status


class Bench:
    def __init__(self, dut: Any, label: str, busy: float = 0.0) -> None:
        self.dut = dut
        self.config = parameters()
        self.ports = int(self.config["NumPorts"])
        self.step = 1 if self.config.get("Unaligned", 1) else int(self.config["DataWidth"]) // 8
        self.rng = seed(label)
        self.irq = reader(dut.irq_o)
        self.bus = AxiLite(dut)

        def some() -> Any:
            return stall(seed(f"{label}/{self.rng.random()}"), busy)

        self.lanes = [Lane(self, port, Stalls(some(), some(), some(), some(), some())) for port in range(self.ports)]

    def place(self, length: int) -> int:
        return self.rng.randrange(0, HALF - length) // self.step * self.step

    async def wait(self, bits: int, limit: int = 20_000) -> None:
        """Until all of these interrupts are up."""
        edge = RisingEdge(self.dut.clk_i)
        for _ in range(limit):
            if self.irq() & bits == bits:
                return
            await edge
        raise AssertionError(f"interrupts {self.irq():#x} after {limit} cycles, waited for {bits:#x}")


@cocotb.test()
async def address_map(dut: Any) -> None:
    """The design page, and DECERR wherever no page stands."""
    bench = Bench(dut, "address_map")
    await reset(dut)
    read = bench.bus.read_resp
    config = bench.config
    assert await read(top.PAGE_OFFSET + page.IDENTITY_OFFSET) == (0x534C4344, OKAY)
    assert await read(top.PAGE_OFFSET + page.CONFIG_OFFSET) == (
        bench.ports | config["DataWidth"] // 8 << 8 | config["LenWidth"] << 16 | config.get("Unaligned", 1) << 24,
        OKAY,
    )
    pages = {top.hp_cdma(port) for port in range(bench.ports)} | {top.PAGE_OFFSET}
    ram_bytes = bench.ports * config.get("RamBeats", 0) * config["DataWidth"] // 8
    pages |= set(range(WINDOW, WINDOW + ram_bytes, 0x1000))
    for addr in {port << 16 | block << 12 for port in range(16) for block in (0, 1, 2, 3, 4, 8, 15)}:
        resp = OKAY if addr in pages else DECERR
        assert (await read(addr))[1] == resp, f"{addr:#x}"
    for lane in bench.lanes:
        await lane.put(regs.SA_OFFSET, 64 * lane.port)
    for lane in bench.lanes:
        assert await lane.get(regs.SA_OFFSET) == 64 * lane.port, "lanes apart"
    for port in range(bench.ports, 4):
        for out in ("arvalid", "awvalid", "wvalid", "rready", "bready", "araddr", "awaddr"):
            assert int(getattr(dut, f"m_axi_hp{port}_{out}").value) == 0, "tied off"


@cocotb.test()
async def copies(dut: Any) -> None:
    """Every engine at once, any alignment where it is built for that; nothing else is touched. Each
    raises its own interrupt."""
    bench = Bench(dut, "copies", busy=0.15)
    await reset(dut)
    for _ in range(6):
        expected = []
        for lane in bench.lanes:
            length = bench.rng.choice((1, 5, 64, bench.rng.randint(1, 3000)))
            length = max(length // bench.step * bench.step, bench.step)
            source, destination = bench.place(length), HALF + bench.place(length)
            image = bytearray(lane.memory.memory)
            image[destination : destination + length] = image[source : source + length]
            expected.append(image)
            await lane.start(source, destination, length)
        await bench.wait((1 << bench.ports) - 1)
        for lane, image in zip(bench.lanes, expected, strict=True):
            before = bench.irq()
            status = await lane.acknowledge()
            assert status & (regs.CDMASR_IOC_IRQ_MASK | regs.CDMASR_ERR_IRQ_MASK) == regs.CDMASR_IOC_IRQ_MASK
            assert lane.memory.memory == image
            assert before & ~bench.irq() == 1 << lane.port
        assert bench.irq() == 0


@cocotb.test()
async def errors_stay_in_their_lane(dut: Any) -> None:
    """A failed read halts its engine until a reset; the others work on."""
    bench = Bench(dut, "errors", busy=0.1)
    await reset(dut)
    broken = bench.rng.choice(bench.lanes)
    broken.broken = {0x1200 >> 6}
    for lane in bench.lanes:
        await lane.start(0x1000, 0x9000, 0x400)
    await bench.wait((1 << bench.ports) - 1)
    for lane in bench.lanes:
        status = await lane.get(regs.CDMASR_OFFSET)
        if lane is broken:
            assert status & regs.CDMASR_DMASLVERR_MASK and status & regs.CDMASR_ERR_IRQ_MASK
            await lane.put(regs.CDMACR_OFFSET, regs.CDMACR_RESET_MASK)
            while await lane.get(regs.CDMACR_OFFSET) & regs.CDMACR_RESET_MASK:
                pass
            lane.broken = set()
            await lane.start(0x1000, 0x9000, 0x400)
            await bench.wait(1 << lane.port)
        assert lane.memory.memory[0x9000:0x9400] == lane.memory.memory[0x1000:0x1400]


@cocotb.test(skip=not parameters().get("IncludeSg", 1))
async def chains(dut: Any) -> None:
    """A chain of copies on every engine at once, descriptors through the same port; every byte, every status."""
    bench = Bench(dut, "chains", busy=0.15)
    await reset(dut)
    table, first, count = HALF, HALF + 0x1000, 6
    plans = []
    for lane in bench.lanes:
        memory = lane.memory.memory
        copies, to = [], first
        for n in range(count):
            length = max(bench.rng.randint(1, 900) // bench.step * bench.step, bench.step)
            source = bench.place(length)
            copies.append((source, to, length))
            words = [table + 64 * ((n + 1) % count), 0, source, 0, to, 0, length, 0]
            memory[table + 64 * n : table + 64 * n + 32] = b"".join(w.to_bytes(4, "little") for w in words)
            to += -(-length // 8) * 8 + bench.rng.randrange(0, 64, bench.step)
        image = bytearray(memory)
        for n, (source, destination, length) in enumerate(copies):
            image[destination : destination + length] = image[source : source + length]
            image[table + 64 * n + 28 : table + 64 * n + 32] = (1 << 31 | length).to_bytes(4, "little")
        plans.append((lane, image))
        enables = regs.CDMACR_IOC_IRQEN_MASK | regs.CDMACR_ERR_IRQEN_MASK
        await lane.put(regs.CDMACR_OFFSET, enables | regs.CDMACR_SGMODE_MASK | count << regs.CDMACR_IRQTHRESHOLD_SHIFT)
        await lane.put(regs.CURDESC_OFFSET, table)
        await lane.put(regs.TAILDESC_OFFSET, table + 64 * (count - 1))
    await bench.wait((1 << bench.ports) - 1)
    for lane, image in plans:
        status = await lane.acknowledge()
        assert status & regs.CDMASR_SGINCLD_MASK
        assert status & (regs.CDMASR_IOC_IRQ_MASK | regs.CDMASR_ERR_IRQ_MASK) == regs.CDMASR_IOC_IRQ_MASK
        assert lane.memory.memory == image


@cocotb.test(skip=not parameters().get("RamBeats", 0))
async def block_ram(dut: Any) -> None:
    """From memory to block RAM, within it, and back: every engine has its own, the port sees only its side. Nearly a
    beat a cycle into it and out of it, half of that within it."""
    bench = Bench(dut, "block_ram")
    await reset(dut)
    room = parameters()["RamBeats"] * bench.config["DataWidth"] // 8
    size = room // 2
    for lane in bench.lanes:
        memory, log = lane.memory.memory, lane.memory.log
        ram = RAM + lane.port * room
        steps = ((0x100, ram + 8, size), (ram + 8, ram + size, size - 64), (ram + size, HALF + 3, size - 64))
        for source, destination, length in steps:
            before = len(log.reads), len(log.writes)
            await lane.start(source, destination, length)
            begun = lane.memory.cycle
            await bench.wait(1 << lane.port)
            cycles = lane.memory.cycle - begun
            turns = 2 if min(source, destination) >= RAM else 1  # the RAM's reads and writes take turns
            beats = length * 8 // bench.config["DataWidth"]
            assert cycles < beats * turns * 1.05 + 80, f"{cycles} cycles for {length} B"
            assert await lane.acknowledge() & regs.CDMASR_ERR_IRQ_MASK == 0
            assert (len(log.reads) > before[0]) == (source < RAM)
            assert (len(log.writes) > before[1]) == (destination < RAM)
        assert memory[HALF + 3 : HALF + 3 + size - 64] == memory[0x100 : 0x100 + size - 64]
    cache = reader(dut.m_axi_hp0_arcache)
    assert (cache() == 15) == bool(parameters().get("Coherent", 0))


@cocotb.test(skip=not parameters().get("RamBeats", 0))
async def block_ram_of_both(dut: Any) -> None:
    """Processor and engines in the RAMs at once: bytes that the processor writes on the control port are copied out
    and those copied in are read there, while copies to and from the rest of the same RAM go on."""
    bench = Bench(dut, "block_ram_of_both", busy=0.2)
    bus, rng = bench.bus, bench.rng
    await reset(dut)
    room = parameters()["RamBeats"] * bench.config["DataWidth"] // 8
    half = room // 2  # the lower one is the processor's
    images = [bytearray(rng.randbytes(half)) for _ in bench.lanes]
    for turn in range(4):
        for lane in bench.lanes:  # the engine's half: in or out
            ram = RAM + lane.port * room + half
            await lane.start(*((0x40, ram, half) if turn % 2 == 0 else (ram, HALF, half)))
        places = rng.sample(range(0, half, 4), 60)
        for at in range(0, half, 4) if turn == 0 else places:
            for lane, image in zip(bench.lanes, images, strict=True):
                window = WINDOW + lane.port * room + at
                if turn == 0 or rng.random() < 0.5:
                    strobe = 0xF if turn == 0 else rng.randrange(16)
                    data = image[at : at + 4] if turn == 0 else rng.randbytes(4)
                    await bus.write(window, int.from_bytes(data, "little"), strobe)
                    for byte in range(4):
                        if strobe >> byte & 1:
                            image[at + byte] = data[byte]
                else:
                    assert await bus.read(window) == int.from_bytes(image[at : at + 4], "little")
        await bench.wait((1 << bench.ports) - 1)
        for lane in bench.lanes:
            assert await lane.acknowledge() & regs.CDMASR_ERR_IRQ_MASK == 0
            if turn % 2:
                assert lane.memory.memory[HALF : HALF + half] == lane.memory.memory[0x40 : 0x40 + half]
    for lane, image in zip(bench.lanes, images, strict=True):
        await lane.start(RAM + lane.port * room, HALF, half)
        await bench.wait(1 << lane.port)
        await lane.acknowledge()
        assert lane.memory.memory[HALF : HALF + half] == image
    assert (await bus.read_resp(WINDOW + bench.ports * room))[1] == DECERR


@cocotb.test(skip=not parameters().get("RamBeats", 0))
async def bursts_of_another_master(dut: Any) -> None:
    """A master with bursts, as M_AXI_GP0 is one, and the engines in the RAMs at once; each byte where it belongs,
    beyond the RAMs SLVERR."""
    bench = Bench(dut, "bursts_of_another_master", busy=0.2)
    rng = bench.rng
    master: Any = quiet_master(dut, "s_axi_ram", rng, 0.1)
    await reset(dut)
    room = parameters()["RamBeats"] * bench.config["DataWidth"] // 8
    half = room // 2  # the lower one is the master's
    images = [bytearray(rng.randbytes(half)) for _ in bench.lanes]
    for lane, image in zip(bench.lanes, images, strict=True):
        await master.write(lane.port * room, bytes(image))
    for turn in range(4):
        for lane in bench.lanes:  # the engine's half: in or out
            ram = RAM + lane.port * room + half
            await lane.start(*((0x40, ram, half) if turn % 2 == 0 else (ram, HALF, half)))
        for _ in range(20):
            lane = rng.choice(bench.lanes)
            image = images[lane.port]
            length = rng.choice((1, 4, 64, rng.randint(1, 400)))
            at = rng.randrange(half - length)
            if rng.random() < 0.5:
                image[at : at + length] = rng.randbytes(length)
                answer = await master.write(lane.port * room + at, bytes(image[at : at + length]))
                assert answer.resp == OKAY
            else:
                assert (await master.read(lane.port * room + at, length)).data == image[at : at + length]
        await bench.wait((1 << bench.ports) - 1)
        for lane in bench.lanes:
            assert await lane.acknowledge() & regs.CDMASR_ERR_IRQ_MASK == 0
            if turn % 2:
                assert lane.memory.memory[HALF : HALF + half] == lane.memory.memory[0x40 : 0x40 + half]
    for lane, image in zip(bench.lanes, images, strict=True):
        await lane.start(RAM + lane.port * room, HALF, half)
        await bench.wait(1 << lane.port)
        await lane.acknowledge()
        assert lane.memory.memory[HALF : HALF + half] == image
        assert await bench.bus.read(WINDOW + lane.port * room) == int.from_bytes(image[:4], "little")
    for at in (bench.ports * room, (1 << 19) - 4):
        assert (await master.write(at, bytes(4))).resp == SLVERR
        assert (await master.read(at, 4)).resp == SLVERR


@cocotb.test(skip=not parameters().get("RamBeats", 0))
async def a_word_a_cycle_by_bursts(dut: Any) -> None:
    """Bursts of 16 words, the longest of M_AXI_GP0, write and read a RAM without a gap."""
    bench = Bench(dut, "a_word_a_cycle_by_bursts")
    pins = Pins(dut, bench.rng, 0, "s_axi_ram")
    await reset(dut)
    pins.start()
    bursts = [Burst(0, 64 * n, 16, 4, INCR) for n in range(60)]
    pins.writes += [(burst, [(bench.rng.getrandbits(32), 15) for _ in range(16)]) for burst in bursts]
    await pins.settle()
    assert pins.ends[-1] - pins.ends[0] <= 16 * (len(bursts) - 1) + 4
    pins.reads += bursts
    await pins.settle()
    assert pins.beats[-1] - pins.beats[0] <= 16 * len(bursts) + 4
    assert [data for _, data, _, _ in pins.found] == [data for _, beats in pins.writes for data, _ in beats]


@cocotb.test(skip=not parameters().get("RamBeats", 0))
async def not_an_engines_ram(dut: Any) -> None:
    """An engine does not reach the others' RAM: it asks for it at its port, which has none there."""
    bench = Bench(dut, "not_an_engines_ram")
    await reset(dut)
    room = parameters()["RamBeats"] * bench.config["DataWidth"] // 8
    lane, other = bench.lanes[:2]
    await lane.start(RAM + other.port * room, 0x100, 64)
    await bench.wait(1 << lane.port)
    assert await lane.acknowledge() & regs.CDMASR_DMADECERR_MASK


@cocotb.test()
async def memory_falls_silent(dut: Any) -> None:
    """The memory of one port answers no more: a reset ends after ResetTimeout, FAULTS names the port until a hard
    reset, what is started on it fails at once; the other ports work on."""
    bench = Bench(dut, "silence")
    await reset(dut)
    lane = bench.rng.choice(bench.lanes)
    silence = Silence(bench.bus, top.PAGE_OFFSET, lane.memory)
    await lane.start(0x1000, 0x9000, 0x400)
    await silence.begin()
    await lane.put(regs.CDMACR_OFFSET, regs.CDMACR_RESET_MASK)
    while await lane.get(regs.CDMACR_OFFSET) & regs.CDMACR_RESET_MASK:
        pass
    await silence.end(1 << lane.port)
    for other in bench.lanes:
        await other.start(0x1000, 0x9000, 0x400)
    await bench.wait((1 << bench.ports) - 1)
    for other in bench.lanes:
        failed = await other.acknowledge() & regs.CDMASR_DMASLVERR_MASK
        assert bool(failed) == (other is lane)
        if other is not lane:
            assert other.memory.memory[0x9000:0x9400] == other.memory.memory[0x1000:0x1400]
    await reset(dut, start_clock=False)
    assert await silence.faults() == 0
