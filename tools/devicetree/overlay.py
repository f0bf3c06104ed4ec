# SPDX-License-Identifier: Apache-2.0
"""Overlays: a design's nodes, in a Zynq's programmable logic or on a PCI Express card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .design import (
    AXI_CDMA,
    AXI_DMA,
    CAPABILITY,
    DIRECTIONS,
    LANE,
    LOOPBACK,
    MSGDMA,
    PICTURE,
    S2MM,
    SINK,
    SOURCE,
    TIMER,
    Around,
    Design,
    Engine,
)
from .dts import Node, byte, cells, numbers, text

# What a label begins with, what a node is called, what it is compatible with. By generic-uio,
# uio_pdrv_genirq gives programs what they drive by themselves.
AROUND = {
    SOURCE: ("source", "stream-source", ("sluice,stream-source",)),
    SINK: ("sink", "stream-sink", ("sluice,stream-sink",)),
    PICTURE: ("picture", "test-picture", ("sluice,test-picture",)),
    LANE: ("lane", "lane-control", ("sluice,lane-control",)),
    LOOPBACK: ("loopback", "loopback", ("sluice,stream-loopback",)),
    CAPABILITY: ("capability", "capability", ("sluice,capability-1.0",)),
    TIMER: ("timer", "timer", ("sluice,timer-1.0", "generic-uio")),
}
COMPATIBLE = {
    AXI_DMA: "xlnx,axi-dma-1.00.a",
    AXI_CDMA: "xlnx,axi-cdma-1.00.a",
    MSGDMA: "altr,socfpga-msgdma",
}
ADDRESS_BITS = 32
CAPABILITY_CELLS = "#sluice,capability-cells"

# Of a Zynq (UG585): IRQF2P[n] among the shared peripheral interrupts (table 7-4), and which clock
# of the processing system's clkc FCLK_CLK0 is (Linux, clock/zynq-7000.txt).
IRQF2P = (*range(29, 37), *range(52, 60))
LEVEL_HIGH = 4
FIRST_FCLK = 15


@dataclass(frozen=True)
class Place:
    """Where a design is in a Zynq."""

    label: str = "pl"  # the board's name
    base: int = 0x4000_0000  # of the control space: M_AXI_GP0
    clock_hz: int = 100_000_000
    fclk: int | None = None  # the processing system's clock that the design has; None: its own

    @property
    def clock(self) -> str:
        return "&aclk" if self.fclk is None else f"&clkc {FIRST_FCLK + self.fclk}"


# --- nodes ---------------------------------------------------------------------------------------


def _index(engine: Engine, channel: str) -> int:
    """The cell that names a channel; an engine's that has one is 0, but S2MM is always 1."""
    return 1 if channel == S2MM else 0


def _registers(engine: Engine) -> tuple[str, ...]:
    return tuple(cells(window.offset, window.bytes) for window in engine.registers)


def _engine(number: int, engine: Engine, clock: str, rate_hz: int | None) -> Node:
    node = Node(f"dma-controller@{engine.registers[0].offset:x}", f"dma{number}")
    node.set("compatible", text(COMPATIBLE[engine.kind]))
    node.set("reg", *_registers(engine))
    if engine.kind == MSGDMA:
        names = ("csr", "desc", "resp")
        node.set("reg-names", *map(text, names[: len(engine.registers)]))
        node.set("interrupts", numbers(*engine.lines))
        node.set("#dma-cells", numbers(1))
    else:
        node.set("#dma-cells", numbers(1))
        clocks = _clocks(engine)
        node.set("clocks", *(cells(clock) for _ in clocks))
        node.set("clock-names", *map(text, clocks))
        node.set("xlnx,addrwidth", numbers(ADDRESS_BITS))
        if engine.kind == AXI_DMA:
            node.set("xlnx,sg-length-width", numbers(engine.length_bits))
        for channel, line in zip(engine.channels, engine.lines, strict=True):
            node.add(_channel(engine, channel, line))
    if rate_hz is not None:
        node.set("assigned-clocks", cells(clock))
        node.set("assigned-clock-rates", numbers(rate_hz))
    if engine.coherent:
        node.set("dma-coherent")
    return node


def _clocks(engine: Engine) -> list[str]:
    if engine.kind == AXI_CDMA:
        return ["s_axi_lite_aclk", "m_axi_aclk"]
    names = ["s_axi_lite_aclk", *(f"m_axi_{channel}_aclk" for channel in ("mm2s", "s2mm"))]
    # Its descriptors' port has a clock; by that sluice.ko knows whether it takes descriptors.
    return names + (["m_axi_sg_aclk"] if engine.descriptors else [])


def _channel(engine: Engine, channel: str, line: int) -> Node:
    if engine.kind == AXI_CDMA:
        node = Node("dma-channel")
        node.set("compatible", text("xlnx,axi-cdma-channel"))
    else:
        node = Node(f"dma-channel-{channel}")
        node.set("compatible", text(f"xlnx,axi-dma-{channel}-channel"))
    node.set("interrupts", numbers(line))
    node.set("xlnx,datawidth", numbers(engine.data_bits))
    if engine.unaligned:
        node.set("xlnx,include-dre")
    if channel == S2MM and engine.irq_delay is not None:
        node.set("xlnx,irq-delay", byte(engine.irq_delay))
    return node


def _around(block: Around, engine: Engine, clock: str) -> Node:
    label, name, compatible = AROUND[block.kind]
    node = Node(f"{name}@{block.registers.offset:x}", f"{label}{block.lane}")
    node.set("compatible", *map(text, compatible))
    node.set("reg", cells(block.registers.offset, block.registers.bytes))
    if block.channels:
        node.set("dmas", *(cells(_dma(block.lane, engine, c)) for c in block.channels))
        node.set("dma-names", *(text(DIRECTIONS[channel]) for channel in block.channels))
    if block.beat_bytes is not None:
        node.set("sluice,beat-bytes", numbers(block.beat_bytes))
    if block.line is not None:
        node.set("interrupts", numbers(block.line))
    if block.kind == CAPABILITY:
        node.set("clocks", cells(clock))
        node.set(CAPABILITY_CELLS, numbers(1))
    return node


def _dma(number: int, engine: Engine, channel: str) -> str:
    return f"&dma{number} {_index(engine, channel)}"


def _bus(design: Design, name: str, ranges: Sequence[int], clock: str, rate_hz: int | None) -> Node:
    bus = Node(name)
    bus.set("compatible", text("simple-bus"))
    bus.set("#address-cells", numbers(1))
    bus.set("#size-cells", numbers(1))
    bus.set("ranges", cells(*ranges, design.bytes))
    bus.set("interrupt-parent", cells("&vectors"))
    nodes = [
        (engine.registers[0].offset, _engine(number, engine, clock, rate_hz))
        for number, engine in enumerate(design.engines)
    ]
    nodes += [
        (block.registers.offset, _around(block, design.engines[block.lane], clock))
        for block in design.around
    ]
    for _, node in sorted(nodes, key=lambda entry: entry[0]):
        bus.add(node)
    return bus


def _channels(design: Design, node: Node) -> Node:
    """What sluice.ko is told of the channels, into the node that has their board's own part."""
    every = [
        (number, engine, channel)
        for number, engine in enumerate(design.engines)
        for channel in engine.channels
    ]
    node.set("dmas", *(cells(_dma(number, engine, channel)) for number, engine, channel in every))
    node.set("dma-names", *(text(f"{engine.name}.{channel}") for _, engine, channel in every))
    node.set("sluice,directions", *(text(DIRECTIONS[channel]) for _, _, channel in every))
    longest = min(engine.segment_bytes for engine in design.engines)
    node.set("sluice,max-segment-bytes", cells(longest))
    counters = {
        (block.lane, channel): f"&capability{block.lane} {index:#x}"
        for block in design.around
        for index, channel in enumerate(block.counted)
    }
    if counters:
        node.set(
            "sluice,capabilities",
            *(cells(counters.get((number, channel), 0)) for number, _, channel in every),
        )
    controls = [block for block in design.around if not block.for_programs]
    if controls:
        labels = (f"&{AROUND[block.kind][0]}{block.lane}" for block in controls)
        node.set("sluice,controls", *map(cells, labels))
        node.set("sluice,control-names", *(text(block.name) for block in controls))
    return node


def _clock(name: str, rate_hz: int) -> Node:
    node = Node(name, "aclk")
    node.set("compatible", text("fixed-clock"))
    node.set("#clock-cells", numbers(0))
    node.set("clock-frequency", numbers(rate_hz))
    return node


def _fragment(target: str) -> tuple[Node, Node]:
    """A whole overlay, and the node of it that becomes part of the target."""
    root = Node("/")
    fragment = root.add(Node("fragment@0"))
    fragment.set("target-path", target)
    return root, fragment.add(Node("__overlay__"))


def _source(head: Sequence[str], root: Node) -> str:
    return "\n".join([*head, *root.lines(), ""])


# --- places --------------------------------------------------------------------------------------


def zynq(design: Design, place: Place, head: Sequence[str]) -> str:
    """The overlay of a design in a Zynq's programmable logic. `head`: comments above it."""
    root, overlay = _fragment(text("/"))
    overlay.set("#address-cells", numbers(1))
    overlay.set("#size-cells", numbers(1))
    vectors = overlay.add(Node("irqf2p", "vectors"))
    vectors.set("#interrupt-cells", numbers(1))
    vectors.set("#address-cells", numbers(0))
    vectors.set(
        "interrupt-map",
        *(f"<{line} &intc 0 {number} {LEVEL_HIGH}>" for line, number in enumerate(IRQF2P)),
    )
    if place.fclk is None:
        overlay.add(_clock("pl-clock", place.clock_hz))
    rate_hz = None if place.fclk is None else place.clock_hz
    ranges = (0, place.base)
    overlay.add(_bus(design, f"bus@{place.base:x}", ranges, place.clock, rate_hz))
    memory = design.memory
    address = place.base + memory.offset if memory else 0
    node = overlay.add(Node(f"pl-channels@{address:x}" if memory else "pl-channels"))
    node.set("compatible", text("sluice,channels"))
    node.set("label", text(place.label))
    if memory:
        node.set("reg", cells(address, memory.bytes))
        node.set("reg-names", text("memory"))
        node.set("sluice,memory-per-channel")
    _channels(design, node)
    return _source([*head, "/dts-v1/;", "/plugin/;", ""], root)


def card(design: Design, clock_hz: int, head: Sequence[str]) -> str:
    """The overlay of a design on a PCI Express card, on the node of the card's function: addresses
    are those of BAR 0, interrupts are MSI-X vectors. sluice_pci names the board and its clock."""
    root, overlay = _fragment("SLUICE_TARGET")
    overlay.set("#address-cells", numbers(3))
    overlay.set("#size-cells", numbers(2))
    vectors = overlay.add(Node("interrupt-controller", "vectors"))
    vectors.set("interrupt-controller")
    vectors.set("#interrupt-cells", numbers(1))
    overlay.add(_clock("clock", clock_hz))
    overlay.add(_bus(design, "bus@0", (0, 0, 0, 0), "&aclk", None))
    node = overlay.add(Node("channels"))
    node.set("compatible", text("sluice,channels"))
    _channels(design, node)
    target = [
        "/* A path to the node, where sluice_pci does not find it. */",
        "#ifndef SLUICE_TARGET",
        '#define SLUICE_TARGET ""',
        "#endif",
        "",
    ]
    return _source([*head, "/dts-v1/;", "/plugin/;", *target], root)
