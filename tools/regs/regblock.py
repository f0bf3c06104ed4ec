# SPDX-License-Identifier: Apache-2.0
"""Register module of a block by PeakRDL-regblock: `<block>_regs` and `<block>_regs_pkg`."""

from __future__ import annotations

import tempfile
from pathlib import Path

from peakrdl_regblock import RegblockExporter  # type: ignore[import-untyped]
from peakrdl_regblock.cpuif.axi4lite import (  # type: ignore[import-untyped]
    AXI4Lite_Cpuif_flattened,
)

from . import banner
from .model import Description

# Verilator takes writes of different members of one unpacked struct by several always_comb blocks
# for conflicting drivers; the generated code also leaves bus bits and package constants unused.
MODULE_WAIVERS = ("MULTIDRIVEN", "UNUSEDSIGNAL")
PACKAGE_WAIVERS = ("UNUSEDPARAM",)


def render(description: Description) -> dict[str, str]:
    """File names and their content."""
    module = f"{description.name}_regs"
    package = f"{module}_pkg"
    with tempfile.TemporaryDirectory() as folder:
        RegblockExporter().export(
            description.node,
            folder,
            cpuif_cls=AXI4Lite_Cpuif_flattened,
            module_name=module,
            package_name=package,
            reuse_hwif_typedefs=False,
            address_width=description.address_bits,
            default_reset_activelow=True,
        )
        return {
            f"{name}.sv": _dress(description, (Path(folder) / f"{name}.sv").read_text(), waivers)
            for name, waivers in ((package, PACKAGE_WAIVERS), (module, MODULE_WAIVERS))
        }


def _dress(description: Description, text: str, waivers: tuple[str, ...]) -> str:
    """Replace the generator's opening comment by ours and bracket the file by its lint waivers."""
    lines = text.splitlines()
    while lines and (lines[0].startswith("//") or not lines[0].strip()):
        del lines[0]
    return "\n".join(
        [
            f"// {banner.LICENCE}",
            f"// {banner.generated(description.source, 'tools/regs (PeakRDL-regblock)')}",
            *(f"// verilator lint_off {waiver}" for waiver in waivers),
            "",
            *(line.rstrip() for line in lines),
            "",
            *(f"// verilator lint_on {waiver}" for waiver in waivers),
            "",
        ]
    )
