# SPDX-License-Identifier: Apache-2.0
"""What is measured, on what, and what issue 3 wants of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MOVER = [
    f"rtl/mover/{name}.sv"
    for name in (
        "sl_mover_pkg", "sl_fifo", "sl_skid", "sl_burst_split", "sl_realign", "sl_mm2s", "sl_s2mm",
    )
]  # fmt: skip
DMA = [
    *MOVER,
    "rtl/dma/sl_axi_dma_pkg.sv",
    "regs/gen/sv/sl_axi_dma_regs_pkg.sv",
    "regs/gen/sv/sl_axi_dma_regs.sv",
    "rtl/dma/sl_dma_timeout.sv",
    "rtl/dma/sl_axi_dma_port.sv",
    "rtl/dma/sl_axi_dma_reset.sv",
    "rtl/dma/sl_axi_dma_csr.sv",
    "rtl/dma/sl_axi_dma_channel.sv",
    "rtl/dma/sl_axi_dma_mm2s.sv",
    "rtl/dma/sl_axi_dma_s2mm.sv",
    "rtl/dma/sl_axi_dma.sv",
]


def design_files(list_file: str) -> list[str]:
    """The sources that a compile list names."""
    lines = (ROOT / list_file).read_text().splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


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


@dataclass(frozen=True)
class Target:
    """One row: a module, its parameters, and its goals (None: none is set)."""

    key: str
    title: str
    module: str
    files: tuple[str, ...]
    parameters: dict[str, int] = field(default_factory=dict)
    route: bool = True  # place and route it, not only synthesise
    mhz_goal: float | None = None
    lut_goal: int | None = None
    published: tuple[str, int] | None = None  # design and width in Vieira's Table 6


def targets() -> list[Target]:
    """All rows of the report, in its order."""
    rows = [
        Target(
            f"{module}-{'unaligned' if unaligned else 'aligned'}",
            f"`sl_{module}`, 64 bits, {'any alignment' if unaligned else 'aligned'}",
            f"sl_{module}",
            tuple(MOVER),
            {"DataWidth": 64, "Unaligned": unaligned},
            mhz_goal=150.0,
            lut_goal=800,
        )
        for module in ("mm2s", "s2mm")
        for unaligned in (0, 1)
    ]
    rows += [
        Target(
            f"axi-dma-{'unaligned' if unaligned else 'aligned'}",
            f"`sl_axi_dma`, 64 bits, {'any alignment' if unaligned else 'aligned'}",
            "sl_axi_dma",
            tuple(DMA),
            {"DataWidth": 64, "Unaligned": unaligned, "ResetTimeout": 0},
        )
        for unaligned in (0, 1)
    ]
    for width in (32, 64):
        rows.append(
            Target(
                f"hp-stress-{width}",
                f"`hp_stress`, 4 ports, {width} bits, aligned",
                "hp_stress",
                tuple(design_files("rtl/design/hp_stress.f")),
                {"DataWidth": width},
                route=False,
                lut_goal=7500 if width == 64 else None,
                published=("Duplex", width),
            )
        )
    return rows
