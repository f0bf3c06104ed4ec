# SPDX-License-Identifier: Apache-2.0
"""What a person writes: a design of their own, and driver/overlays/designs.toml."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator
from sluice.errors import InputError
from sluice.models import Distinct, Table, checked, problem, read_model, read_toml

from tools import cores

from .builds import SOURCE as BUILDS
from .builds import builds
from .design import (
    AXI_CDMA,
    AXI_DMA,
    BOTH,
    CDMA_REFUSED,
    COPY,
    ENGINES,
    MSGDMA,
    MSGDMA_PORTS,
    S2MM,
    Design,
    Engine,
    Memory,
    Window,
    of_rtl,
)
from .overlay import IRQF2P, Place
from .registers import PAGE_BYTES, Block, read_map

OURS = "driver/overlays/designs.toml"
# UG585 table 4-1: what M_AXI_GP0 and M_AXI_GP1 reach.
GP_FIRST, GP_END = 0x4000_0000, 0xC000_0000
CLOCK_MOST_HZ = 250_000_000  # DS187: F_AXI_MAX of the PL's AXI ports
# DS190 table 1: blocks of 36 Kb, of which 32 Kb are data.
CHIP_RAM_BYTES = {"zynq7010": 60 * 4096, "zynq7020": 140 * 4096}
DATA_BITS = (32, 64, 128, 256, 512, 1024)
LENGTH_BITS = {AXI_DMA: (8, 26), AXI_CDMA: (8, 26), MSGDMA: (10, 31)}
EXAMPLE = {AXI_DMA: "dma_loopback", AXI_CDMA: "cdma", MSGDMA: "msgdma"}  # designs with that engine


def _name(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,25}", value):
        raise problem(
            "",
            "must be up to 26 letters, digits, '_' and '-', the first a letter or a digit, is "
            f"'{value}'",
        )
    return value


def _line(value: int) -> int:
    if not 0 <= value < len(IRQF2P):
        raise problem("", f"IRQF2P has the lines 0 to {len(IRQF2P) - 1}, not {value}")
    return value


def _parameter(value: int) -> int:
    if not 0 <= value < 1 << 32:
        raise problem("", f"must be 0 to {(1 << 32) - 1}, is {value}")
    return value


def _data_bits(value: int) -> int:
    if value not in DATA_BITS:
        raise problem("", f"must be one of {', '.join(map(str, DATA_BITS))}, is {value}")
    return value


def _base(value: int) -> int:
    if not GP_FIRST <= value < GP_END:
        raise problem(
            "",
            f"M_AXI_GP0 and M_AXI_GP1 reach {GP_FIRST:#x} to {GP_END - 1:#x}, not {value:#x}",
        )
    return value


def _clock(value: int) -> int:
    if not 1 <= value <= CLOCK_MOST_HZ:
        raise problem(
            "", f"the logic's AXI ports take up to {CLOCK_MOST_HZ} Hz (DS187), not {value}"
        )
    return value


Chip = Literal["zynq7010", "zynq7020"]
Name = Annotated[str, AfterValidator(_name)]
Line = Annotated[int, AfterValidator(_line)]
DataBits = Annotated[int, AfterValidator(_data_bits)]
Base = Annotated[int, AfterValidator(_base)]
Parameter = Annotated[int, AfterValidator(_parameter)]
Delay = Annotated[int, Field(ge=0, le=255)]

IRQ_DELAY = (
    "Delay after which a received packet interrupts, in units of 125 clocks. With 8, packets do "
    "not wait for one another. Needs Linux 6.8 or newer. Default: none."
)


class OwnEngine(Table):
    """An engine of a design that is not of rtl/design."""

    kind: Literal["axi-dma", "axi-cdma", "msgdma"] = Field(
        description="Kind of its registers, of AMD's AXI DMA or AXI CDMA, or of Intel's mSGDMA."
    )
    offset: Annotated[int, Field(ge=0)] = Field(
        description="Offset of its registers from `base`, in bytes."
    )
    interrupts: Distinct[Line] = Field(
        description="IRQF2P line of each channel, MM2S before S2MM. Other kinds have one line."
    )
    length_bits: int = Field(
        description="Width of its length register, 8 to 26 bits, or 10 to 31 for an msgdma."
    )
    name: Name | None = Field(
        default=None,
        description="First part of its channels' names, such as hp0 of hp0.s2mm. Default: hp and "
        "its number from 0 on, or acp with `coherent`.",
    )
    channels: Distinct[Literal["mm2s", "s2mm"]] = Field(
        default=("mm2s", "s2mm"), description="Streams that an axi-dma has. Default: both."
    )
    data_bits: DataBits = Field(
        default=64, description="Width of its memory port, 32 to 1024 bits."
    )
    unaligned: bool = Field(
        default=False,
        description="Whether buffers may start at any byte, by a data realignment engine.",
    )
    descriptors: bool = Field(
        default=True,
        description="Whether it has scatter-gather. Without it, an axi-dma accepts one contiguous "
        "piece at a time ([limits](sluice-ko.md#engines-without-descriptors)).",
    )
    coherent: bool = Field(default=False, description="Whether its memory port is at the ACP.")
    irq_delay: Delay | None = Field(default=None, description=IRQ_DELAY)

    @model_validator(mode="after")
    def _fits_its_kind(self) -> OwnEngine:
        least, most = LENGTH_BITS[self.kind]
        if not least <= self.length_bits <= most:
            raise problem(
                "length_bits", f"is {least} to {most} of an {self.kind}, not {self.length_bits}"
            )
        if self.offset % PAGE_BYTES:
            raise problem("offset", f"must be a multiple of {PAGE_BYTES:#x}, is {self.offset:#x}")
        if self.kind != AXI_DMA and self.channels != BOTH:
            raise problem("channels", f"only an axi-dma has streams, not an {self.kind}")
        if self.channels not in (BOTH, *((channel,) for channel in BOTH)):
            raise problem("channels", 'must be ["mm2s"], ["s2mm"] or ["mm2s", "s2mm"]')
        if len(self.interrupts) != len(self.built):
            raise problem(
                "interrupts",
                f"must be {len(self.built)}, one for each of {', '.join(self.built)}, is "
                f"{len(self.interrupts)}",
            )
        if self.kind == AXI_CDMA and not self.descriptors:
            raise problem("descriptors", CDMA_REFUSED)
        if S2MM not in self.built and self.irq_delay is not None:
            raise problem("irq_delay", "only the receiving channel of an axi-dma has it")
        return self

    @property
    def built(self) -> tuple[str, ...]:
        return self.channels if self.kind == AXI_DMA else (COPY,)

    def engine(self, number: int) -> Engine:
        """It as that engine of its design."""
        return Engine(
            kind=self.kind,
            name=self.name or f"{'acp' if self.coherent else 'hp'}{number}",
            registers=tuple(
                Window(self.offset + block.offset, block.bytes) for block in _registers(self.kind)
            ),
            channels=self.built,
            lines=self.interrupts,
            data_bits=self.data_bits,
            length_bits=self.length_bits,
            unaligned=self.unaligned,
            descriptors=self.descriptors,
            coherent=self.coherent,
            irq_delay=self.irq_delay,
        )


def _registers(kind: str) -> list[Block]:
    """The blocks of an engine of that kind, as a design of ours has them in its first lane."""
    modules = MSGDMA_PORTS if kind == MSGDMA else tuple(m for m, k in ENGINES.items() if k == kind)
    return [block for block in read_map(EXAMPLE[kind]).blocks if block.module in modules]


class OwnDesign(Table):
    """A design in the programmable logic of a Zynq-7000."""

    chip: Chip = Field(description="Zynq that the design is built for: zynq7010 or zynq7020.")
    design: str = Field(
        default="",
        description="Design of rtl/design, such as cdma. Its registers and interrupt outputs are "
        "known. A design that is not there has `engine` instead.",
    )
    parameters: dict[str, Parameter] = Field(
        default={},
        description="Parameters of the design's top level that differ from their defaults, such "
        "as `NumPorts = 2`.",
    )
    interrupts: tuple[Line, ...] = Field(
        default=(),
        description="IRQF2P lines of the design's outputs irq_o[0], irq_o[1] and so on. Default: "
        "0, 1 and so on.",
    )
    irq_delay: Delay | None = Field(default=None, description=IRQ_DELAY)
    engine: tuple[OwnEngine, ...] = Field(
        default=(), description="Engines of a design that is not of rtl/design."
    )
    label: Name = Field(
        default=Place.label,
        description="Name of the board. Programs open /dev/sluice/LABEL/CHANNEL.",
    )
    base: Base = Field(
        default=Place.base, description="Address of the control space at M_AXI_GP0 or M_AXI_GP1."
    )
    clock_hz: Annotated[int, AfterValidator(_clock)] = Field(
        default=Place.clock_hz, description="Clock of the design, Hz."
    )
    fclk: Annotated[int, Field(ge=0, le=3)] | None = Field(
        default=None,
        description="Number of the processing system's FCLK_CLK0 to FCLK_CLK3 that is the "
        "design's clock. Linux sets it to the nearest rate, and keeps it on. Default: a clock that "
        "Linux does not control.",
    )

    @model_validator(mode="after")
    def _is_one_kind(self) -> OwnDesign:
        if bool(self.design) == bool(self.engine):
            raise problem("design", "give either design or [[engine]] tables")
        for key in ("parameters", "interrupts", "irq_delay") if self.engine else ():
            if getattr(self, key) not in ((), {}, None):
                raise problem(key, "is of a design of rtl/design; an [[engine]] has its own keys")
        if self.design and self.design not in designs():
            raise problem("design", f"'{self.design}' is not one of {', '.join(sorted(designs()))}")
        if len(set(self.interrupts)) != len(self.interrupts):
            raise problem("interrupts", "holds a line twice")
        return self

    @property
    def place(self) -> Place:
        return Place(self.label, self.base, self.clock_hz, self.fclk)

    def made(self) -> Design:
        """The design. Raises InputError; the sentence starts with a key."""
        if self.engine:
            found, step = _of_engines(self.engine), PAGE_BYTES
        else:
            found = of_rtl(
                self.design, self.parameters, lines=self.interrupts, irq_delay=self.irq_delay
            )
            step = found.bytes  # its top level decodes so many addresses, wherever they are
        if self.base % step:
            raise InputError(f"base: must be a multiple of {step:#x}, is {self.base:#x}")
        if self.base + found.bytes > GP_END:
            raise InputError(
                f"base: {found.bytes:#x} bytes from {self.base:#x} on go beyond {GP_END - 1:#x}, "
                "the last address of M_AXI_GP1"
            )
        if found.memory:
            _check_memory(self, found.memory)
        return found


class OurDesign(Table):
    """A design of the catalogue with a device tree; how it is built is known."""

    card: bool = Field(default=False, description="sluice_pci has it on a card, too.")
    zynq7020: str = Field(default="", description="The build that a zynq7020 has in its place.")
    irq_delay: Delay | None = Field(default=None, description=IRQ_DELAY)

    def own(self, name: str, chip: Chip) -> OwnDesign:
        """The same as a person would describe it."""
        build = builds()[name]
        return OwnDesign(
            chip=chip,
            design=build.design,
            parameters=build.parameters,
            irq_delay=self.irq_delay,
        )


@cache
def read_ours() -> dict[str, OurDesign]:
    """driver/overlays/designs.toml, by the name in the catalogue. Raises InputError."""
    found = {}
    for name, table in read_toml(cores.ROOT / OURS).items():
        entry = checked(OurDesign, table, f"{OURS}: {name}")
        for key, build in (("", name), (".zynq7020", entry.zynq7020 or name)):
            if build not in builds():
                raise InputError(f"{OURS}: {name}{key}: {BUILDS} builds no design '{build}'")
        found[name] = entry
    return found


def designs() -> set[str]:
    """Designs of rtl/design with a device tree."""
    return {builds()[name].design for name in read_ours()}


def _check_memory(given: OwnDesign, memory: Memory) -> None:
    seen = given.base + memory.offset
    if memory.address != seen:
        raise InputError(
            f"parameters.RamBase: is {memory.address:#x}, but the processor has the block RAM at "
            f"{seen:#x}: build the design with RamBase = {seen:#x}"
        )
    most = CHIP_RAM_BYTES[given.chip]
    if memory.bytes > most:
        raise InputError(
            f"parameters.RamBeats: {memory.bytes} bytes of block RAM in all, but a {given.chip} "
            f"has {most}"
        )


def _of_engines(tables: Iterable[OwnEngine]) -> Design:
    engines = [table.engine(number) for number, table in enumerate(tables)]
    for number, engine in enumerate(engines):
        for before in engines[:number]:
            if engine.registers[0].offset == before.registers[0].offset:
                raise InputError(f"engine[{number}].offset: engine '{before.name}' is there")
            if engine.name == before.name:
                raise InputError(f"engine[{number}].name: '{engine.name}' is another engine's")
            for line in engine.lines:
                if line in before.lines:
                    raise InputError(
                        f"engine[{number}].interrupts: line {line} is that of engine "
                        f"'{before.name}'"
                    )
    end = max(engine.registers[0].offset for engine in engines) + PAGE_BYTES
    return Design(bytes=end, engines=tuple(engines))


def read_own(path: Path) -> tuple[OwnDesign, Design]:
    """A design of one's own. Raises InputError with a sentence that names the file and the key."""
    given = read_model(OwnDesign, path)
    try:
        return given, given.made()
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
