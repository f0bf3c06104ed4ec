# SPDX-License-Identifier: Apache-2.0
"""A design as a device tree sees it: engines, what is around them, memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sluice.errors import InputError

from .registers import Block, Map, read_map
from .top import INTERRUPTS, Top, elaborate

# Channels, by the name that stands behind their lane's, and how sluice.ko calls their direction.
MM2S, S2MM, COPY = "mm2s", "s2mm", "copy"
DIRECTIONS = {MM2S: "tx", S2MM: "rx", COPY: "copy"}
BOTH = (MM2S, S2MM)

AXI_DMA, AXI_CDMA, MSGDMA = "axi-dma", "axi-cdma", "msgdma"
# The kind of engine that has a block's registers; an mSGDMA has up to three blocks, this one first.
ENGINES = {"sl_axi_dma": AXI_DMA, "sl_axi_cdma": AXI_CDMA, "sl_msgdma_csr": MSGDMA}
MSGDMA_PORTS = ("sl_msgdma_csr", "sl_msgdma_desc", "sl_msgdma_resp")
RESPONSES = MSGDMA_PORTS[-1]
SOURCE, SINK, CAPABILITY = "sl_stream_source", "sl_stream_sink", "sl_capability"
PICTURE, TIMER = "sl_test_picture", "sl_timer"
TIMER_OUTPUT = 2  # of a lane: behind the two of its AXI DMA
# A lane's control: with a source and a sink it routes, without them it is that of a loop-back.
LANE, LOOPBACK = "sl_hp_lane", "loopback"
# mainline's xilinx_dma takes a CDMA's lengths for 23 bits, and has no property that says else.
CDMA_LENGTH_BITS = 23
CDMA_REFUSED = (
    "Linux's xilinx_dma loses copies of an AXI CDMA without scatter-gather; build it with"
)


@dataclass(frozen=True)
class Window:
    """Registers in the control space."""

    offset: int
    bytes: int


@dataclass(frozen=True)
class Engine:
    kind: str
    name: str  # its channels' names begin with it
    registers: tuple[Window, ...]
    channels: tuple[str, ...]
    lines: tuple[int, ...]  # interrupts: one for each channel
    data_bits: int
    length_bits: int
    unaligned: bool  # any alignment
    descriptors: bool  # scatter-gather
    coherent: bool
    irq_delay: int | None = None  # of an AXI DMA's S2MM channel

    @property
    def segment_bytes(self) -> int:
        """The most that its length register holds, as its driver uses it."""
        bits = self.length_bits
        if self.kind == AXI_CDMA:
            bits = min(bits, CDMA_LENGTH_BITS)
        return (1 << bits) - 1


@dataclass(frozen=True)
class Around:
    """A block around an engine."""

    kind: str  # SOURCE, SINK, PICTURE, CAPABILITY, TIMER, LANE or LOOPBACK
    lane: int
    name: str  # the lane's
    registers: Window
    # What the block alone is connected to, for a driver that tests it: channels of the lane's
    # engine. None where a route decides what a channel's stream leads to.
    channels: tuple[str, ...] = ()
    beat_bytes: int | None = None
    line: int | None = None  # its interrupt
    # Of a capability block: the engine's channel that each of its channels counts.
    counted: tuple[str, ...] = ()

    @property
    def for_programs(self) -> bool:
        """Whether programs drive it by themselves, not sluice.ko."""
        return self.kind == TIMER


@dataclass(frozen=True)
class Memory:
    """Block RAM of the engines, one part each, at the same address for them and the processor."""

    offset: int  # in the control space
    address: int  # that the engines have it at
    bytes: int  # of all parts


@dataclass(frozen=True)
class Design:
    bytes: int  # of its control space
    engines: tuple[Engine, ...]
    around: tuple[Around, ...] = ()
    memory: Memory | None = None


def of_rtl(
    design: str,
    parameters: Mapping[str, int],
    *,
    lines: Sequence[int] = (),
    irq_delay: int | None = None,
) -> Design:
    """A design of rtl/design, built with these parameters. `lines`: where each of its interrupt
    outputs is connected; if not given, to the line of the same number.

    Raises InputError; the sentence starts with a key.
    """
    top, registers = elaborate(design, parameters), read_map(design)
    lanes = top.get("NumPorts", registers.lanes)
    outputs = lanes * top.outputs // registers.lanes
    if lines and len(lines) != outputs:
        raise InputError(
            f"interrupts: must be {outputs} lines, those of {INTERRUPTS}[0] to "
            f"{INTERRUPTS}[{outputs - 1}], is {len(lines)}"
        )
    built = [
        _Lane(top, registers, number, tuple(lines or range(outputs)), irq_delay)
        for number in range(lanes)
    ]
    engines = tuple(lane.engine for lane in built)
    if any(engine.kind == AXI_CDMA and not engine.descriptors for engine in engines):
        raise InputError(f"parameters.IncludeSg: {CDMA_REFUSED}")
    if irq_delay is not None and not any(S2MM in engine.channels for engine in engines):
        raise InputError(f"irq_delay: {design} has no receiving channel of an AXI DMA")
    ram_bytes = top.get("RamBytes")
    return Design(
        bytes=registers.bytes,
        engines=engines,
        around=tuple(block for lane in built for block in lane.around),
        memory=Memory(top.get("RamPlace"), top.get("RamBase"), lanes * ram_bytes)
        if ram_bytes
        else None,
    )


@dataclass(frozen=True)
class _Lane:
    """One port's part of a design of rtl/design."""

    top: Top
    registers: Map
    number: int
    lines: tuple[int, ...]
    irq_delay: int | None

    @property
    def name(self) -> str:
        return f"{'acp' if self.top.get('Coherent') else 'hp'}{self.number}"

    def _window(self, block: Block) -> Window:
        return Window(self.number * self.registers.stride + block.offset, block.bytes)

    def _line(self, output: int) -> int:
        return self.lines[self.number * self.top.outputs // self.registers.lanes + output]

    @property
    def engine(self) -> Engine:
        first = next(block for block in self.registers.blocks if block.module in ENGINES)
        kind = ENGINES[first.module]
        modules = {first.module} if kind != MSGDMA else set(MSGDMA_PORTS)
        if not self.top.get("IncludeResponse", 1):
            modules.discard(RESPONSES)
        built = [channel for channel in BOTH if channel.upper() in first.parts]
        channels = tuple(built) if kind == AXI_DMA else (COPY,)
        return Engine(
            kind=kind,
            name=self.name,
            registers=tuple(
                self._window(block) for block in self.registers.blocks if block.module in modules
            ),
            channels=channels,
            lines=tuple(
                self._line(BOTH.index(channel) if kind == AXI_DMA else 0) for channel in channels
            ),
            data_bits=self.top.get("DataWidth"),
            length_bits=self.top.get("LenWidth"),
            unaligned=bool(self.top.get("Unaligned")),
            descriptors=bool(self.top.get("IncludeSg", 1)),
            coherent=bool(self.top.get("Coherent")),
            irq_delay=self.irq_delay,
        )

    @property
    def around(self) -> list[Around]:
        modules = [block.module for block in self.registers.blocks]
        return [
            self._around(block, modules)
            for block in self.registers.blocks
            if block.module in (SOURCE, SINK, PICTURE, TIMER, LANE)
            or (block.module == CAPABILITY and self.engine.descriptors)
        ]

    def _around(self, block: Block, modules: Sequence[str]) -> Around:
        kind = block.module
        channels: tuple[str, ...] = ()
        beat_bytes = None
        if kind == LANE and SOURCE not in modules:
            kind, channels = LOOPBACK, self.engine.channels
        elif kind == SOURCE and LANE not in modules:
            channels, beat_bytes = self.engine.channels, self.engine.data_bits // 8
        return Around(
            kind,
            self.number,
            self.name,
            self._window(block),
            channels,
            beat_bytes,
            line=self._line(TIMER_OUTPUT) if kind == TIMER else None,
            counted=(S2MM,) if kind == CAPABILITY else (),  # as sl_lane_capability
        )
