# SPDX-License-Identifier: Apache-2.0
"""What is measured, on what, and what is asked of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from tools import cores

ROOT = cores.ROOT


@dataclass(frozen=True)
class Device:
    """A part, and the tool that places and routes for it."""

    key: str
    name: str
    part: str
    synthesis: str  # Yosys's command


ECP5 = Device("ecp5", "ECP5 LFE5U-45F, grade 8", "45k", "synth_ecp5")
XC7 = Device("xc7", "XC7Z020-1", "xc7z020clg484-1", "synth_xilinx -family xc7 -nosrl -flatten")
DEVICES = (ECP5, XC7)
COPY_WHY = (
    "Missed only on ECP5, by 1 MHz in two of three seeds. The cause is placement, because most of "
    "the path is routing. With any alignment, a source that differs only in an unused output "
    "reached 159 MHz."
)
DMA_WHY = (
    "The limit is the mover inside, and registers beside it that place and route moves far away."
)
HP_STRESS_WHY = (
    "About 750 of a lane's LUTs are the DMA engine's. 365 are multiplexers through which its 45 "
    "registers are read, and 64 are the route of the streams."
)


@dataclass(frozen=True)
class Target:
    """One row: a module, its parameters, and its goals (None: none is set)."""

    key: str
    title: str
    module: str
    parameters: dict[str, int] = field(default_factory=dict)
    route: bool = True  # place and route it, not only synthesise
    devices: tuple[Device, ...] = DEVICES  # for which
    mhz_goal: float | None = None
    lut_goal: int | None = None
    published: tuple[str, int] | None = None  # design and width in Vieira's Table 6
    beyond: str | None = None  # key of the row that this one is listed as an increment of
    why: str = ""  # what keeps it from a goal that it misses

    @property
    def files(self) -> tuple[str, ...]:
        """What synthesis reads, in compile order."""
        return tuple(cores.sources(self.module, synthesis=True))


def targets() -> list[Target]:
    """All rows of the report, in its order."""
    alignments = ((0, "aligned"), (1, "any alignment"))
    keys = ("aligned", "unaligned")
    rows = [
        Target(
            f"{module}-{keys[unaligned]}",
            f"`sl_{module}`, 64 bits, {text}",
            f"sl_{module}",
            {"DataWidth": 64, "Unaligned": unaligned},
            mhz_goal=150.0,
            lut_goal=800,
        )
        for module in ("mm2s", "s2mm")
        for unaligned, text in alignments
    ]
    rows += [
        Target(
            f"cdma-copy-{keys[unaligned]}",
            f"`sl_axi_cdma_copy`, 64 bits, {text}",
            "sl_axi_cdma_copy",
            {"DataWidth": 64, "Unaligned": unaligned},
            mhz_goal=150.0,
            lut_goal=1600,
            why=COPY_WHY,
        )
        for unaligned, text in alignments
    ]
    rows += [
        Target(
            f"axi-dma-{keys[unaligned]}",
            f"`sl_axi_dma`, 64 bits, {text}",
            "sl_axi_dma",
            {"DataWidth": 64, "Unaligned": unaligned, "ResetTimeout": 0},
            mhz_goal=150.0,
            why=DMA_WHY,
        )
        for unaligned, text in alignments
    ]
    rows += [
        Target(
            "axi-dma-timeout",
            "`sl_axi_dma`, 64 bits, aligned, with the reset's timeout",
            "sl_axi_dma",
            {"DataWidth": 64},
            route=False,
            beyond="axi-dma-aligned",
        ),
        Target(
            "axi-dma-sg",
            "`sl_axi_dma`, 64 bits, aligned, scatter-gather",
            "sl_axi_dma",
            {"DataWidth": 64, "IncludeSg": 1, "ResetTimeout": 0},
            route=False,
            beyond="axi-dma-aligned",
        ),
        Target(
            "axi-cdma",
            "`sl_axi_cdma`, 64 bits, any alignment",
            "sl_axi_cdma",
            {"DataWidth": 64, "Unaligned": 1, "ResetTimeout": 0},
            route=False,
        ),
        Target(
            "axi-cdma-sg",
            "`sl_axi_cdma`, 64 bits, any alignment, scatter-gather",
            "sl_axi_cdma",
            {"DataWidth": 64, "Unaligned": 1, "IncludeSg": 1, "ResetTimeout": 0},
            route=False,
            beyond="axi-cdma",
        ),
    ]
    rows += [
        Target(
            f"msgdma-{key}",
            f"`sl_msgdma`, 64 bits, aligned, {text}",
            "sl_msgdma",
            {"DataWidth": 64, "Mode": mode},
            route=False,
        )
        for mode, key, text in (
            (0, "mm", "memory to memory"),
            (1, "mm2s", "memory to stream"),
            (2, "s2mm", "stream to memory"),
        )
    ]
    rows += [
        Target(
            f"axis-width-{slave}-{master}",
            f"`sl_axis_width`, {slave} to {master} bits (goal for FF: at most 115)",
            "sl_axis_width",
            {"SlvWidth": slave, "MstWidth": master},
            route=False,
            lut_goal=114,
        )
        for slave, master in ((32, 64), (64, 32))
    ]
    rows.append(
        Target(
            "capability",
            "`sl_capability`, 2 channels: what an engine's capability page adds",
            "sl_capability",
            {"NumChannels": 2},
            route=False,
        )
    )
    rows += [
        Target(
            "mem-region",
            "`sl_mem_region`, 64 bits, 512 beats, to a stream",
            "sl_mem_region",
            {"DataWidth": 64, "Beats": 512, "ToStream": 1},
            mhz_goal=150.0,
        ),
        Target(
            "mem-periph",
            "`sl_mem_periph`, 64 bits, 2 regions of 512 beats, a stream each way",
            "sl_mem_periph",
            {"DataWidth": 64, "NumRegions": 2, "ToStream": 1},
            route=False,
        ),
    ]
    rows += [
        Target(
            "s2mem",
            "`sl_s2mem`, 32-bit streams: a hardware thread's data path, converter included",
            "sl_s2mem",
            mhz_goal=100.0,
            lut_goal=1000,
        ),
        Target(
            "streamif-control",
            "`sl_streamif_control`, 8 threads, with the window checker",
            "sl_streamif_control",
            {"Statistics": 0},
            mhz_goal=100.0,
        ),
        *(
            Target(key, title, module, mhz_goal=100.0)
            for key, title, module in (
                ("streamif-stats", "`sl_streamif_stats`, 8 threads", "sl_streamif_stats"),
                ("window-check", "`sl_window_check`, 8 threads, 4 windows", "sl_window_check"),
                ("stream-xbar", "`sl_stream_xbar`, 8 threads, 32 bits", "sl_stream_xbar"),
                ("port-share", "`sl_port_share`, 2 threads", "sl_port_share"),
            )
        ),
        Target(
            "memif",
            "`sl_memif`, 8 threads, control and checker included",
            "sl_memif",
            {"Statistics": 0},
            route=False,
        ),
    ]
    for width in (32, 64):
        rows.append(
            Target(
                f"hp-stress-{width}",
                f"`hp_stress`, 4 ports, {width} bits, aligned",
                "sl_hp_ports",
                {"DataWidth": width, "ResetTimeout": 0},
                route=False,
                lut_goal=7500 if width == 64 else None,
                published=("Duplex", width),
                why=HP_STRESS_WHY if width == 64 else "",
            )
        )
    rows += [
        Target(
            f"hp-stress-64-{key}",
            f"`hp_stress`, 4 ports, 64 bits, {text}",
            "sl_hp_ports",
            {"DataWidth": 64, "ResetTimeout": 0} | more,
            route=False,
            beyond="hp-stress-64",
        )
        for key, text, more in (
            ("unaligned", "any alignment", {"Unaligned": 1}),
            ("timeout", "aligned, with the reset's timeout", {"ResetTimeout": 1 << 20}),
        )
    ]
    return rows + cards()


def cards() -> list[Target]:
    """The DMAs of a PCI Express card, a channel each way between two memories."""
    rows = [
        Target(
            f"xdma-{width}",
            f"`sl_xdma`, {width} bits, a channel each way, memory-mapped",
            "sl_xdma",
            {"DataWidth": width, "ResetTimeout": 0},
            devices=(XC7,),
            mhz_goal=125.0 if width == 128 else None,
        )
        for width in (128, 256)
    ]
    rows.append(
        Target(
            "avmm-128",
            "`sl_avmm_table`, 128 bits, a table each way",
            "sl_avmm_table",
            {"DataWidth": 128},
            devices=(XC7,),
            mhz_goal=125.0,
            why="Missed in two of three seeds. The paths are inside the movers, and four fifths of "
            "them are routing.",
        )
    )
    rows.append(
        Target(
            "xdma-128-timeout",
            "`sl_xdma`, 128 bits, with the reset's timeout",
            "sl_xdma",
            {"DataWidth": 128},
            route=False,
            beyond="xdma-128",
        )
    )
    return rows
