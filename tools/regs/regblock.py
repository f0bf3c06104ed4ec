# SPDX-License-Identifier: Apache-2.0
"""Register module of a block by PeakRDL-regblock: `<block>_regs` and `<block>_regs_pkg`."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from peakrdl_regblock import RegblockExporter  # type: ignore[import-untyped]
from peakrdl_regblock.cpuif.axi4lite import (  # type: ignore[import-untyped]
    AXI4Lite_Cpuif_flattened,
)
from systemrdl.node import AddressableNode

from . import banner
from .model import Description

# Verilator takes writes of different members of one unpacked struct by several always_comb blocks
# for conflicting drivers; the generated code also leaves bus bits and package constants unused.
MODULE_WAIVERS = ("MULTIDRIVEN", "UNUSEDSIGNAL")
PACKAGE_WAIVERS = ("UNUSEDPARAM",)


class SmallAxiLite(AXI4Lite_Cpuif_flattened):  # type: ignore[misc]
    """Bus side of a register module: PeakRDL's own buffers two accesses, and is as large as a
    small register file. See the template for how this one behaves. Not for external registers,
    whose answers come later."""

    template_path = "axil_tmpl.sv"


def render(description: Description) -> dict[str, str]:
    """File names and their content."""
    module = f"{description.name}_regs"
    package = f"{module}_pkg"
    external = any(
        node.external
        for node in description.node.descendants()
        if isinstance(node, AddressableNode)
    )
    with tempfile.TemporaryDirectory() as folder:
        RegblockExporter().export(
            description.node,
            folder,
            cpuif_cls=AXI4Lite_Cpuif_flattened if external else SmallAxiLite,
            module_name=module,
            package_name=package,
            reuse_hwif_typedefs=False,
            address_width=description.address_bits,
            default_reset_activelow=True,
        )
        texts = {name: (Path(folder) / f"{name}.sv").read_text() for name in (package, module)}
        texts[module] = _readback_by_index(
            _enable_by_byte(texts[module]), description.address_bits, external=external
        )
        return {
            f"{name}.sv": _dress(description, texts[name], waivers)
            for name, waivers in ((package, PACKAGE_WAIVERS), (module, MODULE_WAIVERS))
        }


def _enable_by_byte(text: str) -> str:
    """Write byte enables as conditions, not masks: registers then use their clock enables, and no
    logic for each bit."""
    masked = re.compile(
        r"next_c = \([\w.]+ & ~decoded_wr_biten\[(\d+):(\d+)\]\)"
        r" \| \(decoded_wr_data\[\1:\2\] & decoded_wr_biten\[\1:\2\]\);"
    )
    return masked.sub(
        r"for(int i=\2; i<=\1; i++) if(decoded_wr_biten[i]) next_c[i-\2] = decoded_wr_data[i];",
        text,
    )


def _readback_by_index(text: str, address_bits: int, *, external: bool) -> str:
    """Read registers as an array: a chain of conditions would become a chain of logic. And only
    in the cycle of a read, unless external registers may answer later: a simulation then skips all
    of it in almost every cycle."""
    head, _, tail = text.partition("        readback_data_var = '0;\n")
    body, _, rest = tail.partition("        readback_data = readback_data_var;\n")
    register = re.compile(
        r"^ {8}if\(rd_mux_addr == \d+'h([0-9a-f]+)\) begin\n((?: {12}.*\n)*) {8}end\n",
        re.MULTILINE,
    )
    words = [int(found[1], 16) // 4 for found in register.finditer(body)]
    if not words or register.sub("", body).strip():
        return text  # arrays of registers: left as they are
    bits = max(words).bit_length() or 1
    conditions = [] if external else ["decoded_req", "!decoded_req_is_wr"]
    if address_bits > bits + 2:
        conditions.append(f"rd_mux_addr[{address_bits - 1}:{bits + 2}] == '0")
    read = " && ".join(conditions) or "'1"

    def assignments(found: re.Match[str]) -> str:
        word = int(found[1], 16) // 4
        return re.sub(r"^ +readback_data_var", f"            words[{word}]", found[2], flags=re.M)

    head = head.replace("        automatic logic [31:0] readback_data_var;\n", "")
    return "".join(
        [
            head,
            "        readback_data = '0;\n",
            f"        if({read}) begin\n",
            f"            automatic logic [31:0] words [{2**bits}];\n",
            "            words = '{default: '0};\n",
            register.sub(assignments, body),
            f"            readback_data = words[rd_mux_addr[{bits + 1}:2]];\n",
            "        end\n",
            rest,
        ]
    )


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
