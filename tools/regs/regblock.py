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
        if not external:
            texts[module] = _asleep_in_simulation(texts[module])
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


_FIELD = re.compile(
    r"    // Field: (?P<name>.*)\n"
    r"    always_comb begin\n"
    r"        automatic (?P<type>logic \[\d+:0\]) next_c;\n"
    r"        automatic logic load_next_c;\n"
    r"        next_c = field_storage\.(?P<path>[\w.]+)\.value;\n"
    r"        load_next_c = '0;\n"
    r"(?P<body>(?: {8}.*\n)*?)"
    r"        field_combo\.(?P=path)\.next = next_c;\n"
    r"        field_combo\.(?P=path)\.load_next = load_next_c;\n"
    r"    end\n"
    r"    always_ff @\(posedge clk\) begin\n"
    r"(?P<reset>        if\((?P<when>.*)\) begin\n"
    r"            field_storage\.(?P=path)\.value <= .*\n"
    r"        end else begin\n)"
    r"            if\(field_combo\.(?P=path)\.load_next\) begin\n"
    r"                field_storage\.(?P=path)\.value <= field_combo\.(?P=path)\.next;\n"
    r"            end\n"
    r"        end\n"
    r"    end\n"
)
_COMBO = re.compile(r"    typedef struct \{\n(?: {8}.*\n)*    \} field_combo_t;\n.*\n")
_STROBE = re.compile(r"(?: {8}decoded_reg_strb\.[\w.]+ = cpuif_req_masked & .*\n)+")


def _asleep_in_simulation(text: str) -> str:
    """Fields in one block, behind a condition that only simulations have: no access, no reset, and
    nothing that the hardware sets leaves them all as they are. Register modules are at rest in
    almost every cycle of a simulation, and were a third of its cost.

    A module with something else than plain fields (arrays, counters, fields that take a value of
    the hardware in each cycle) is left as it is.
    """
    wakes = ["cpuif_req"]
    blocks = []
    others = []

    def block(found: re.Match[str]) -> str:
        path = found["path"]
        for condition in re.findall(r"if\((.*)\) begin", found["body"]):
            if not condition.startswith("decoded_reg_strb."):
                wakes.append(condition)
        if " else begin // singlepulse" in found["body"]:
            wakes.append(f"field_storage.{path}.value")
        if re.search(r"field_combo| else begin(?! // singlepulse)", found["body"]):
            others.append(found["name"])
        wakes.append(found["when"])
        body = re.sub(r"^(?=.)", "        ", found["body"], flags=re.MULTILINE)
        blocks.append(
            f"            // {found['name']}\n"
            + re.sub(r"^(?=.)", "    ", found["reset"], flags=re.MULTILINE)
            + f"                automatic {found['type']} next_c;\n"
            "                automatic logic load_next_c;\n"
            f"                next_c = field_storage.{path}.value;\n"
            "                load_next_c = '0;\n"
            f"{body}"
            f"                if(load_next_c) field_storage.{path}.value <= next_c;\n"
            "            end\n"
        )
        return ""

    text = _STROBE.sub(_strobes, text)
    shorter = _COMBO.sub("", _FIELD.sub(block, text), count=1)
    if not blocks or others or "field_combo" in shorter:
        return text
    wake = "\n                || ".join(dict.fromkeys(wakes))
    fields = (
        "    // Not in synthesis: what changes fields. A simulation skips all other cycles.\n"
        "    always_ff @(posedge clk) begin\n"
        "`ifndef SYNTHESIS\n"
        f"        if({wake})\n"
        "`endif\n"
        "        begin\n"
        f"{''.join(blocks)}"
        "        end\n"
        "    end\n"
    )
    storage = "    field_storage_t field_storage;\n\n"
    if shorter.count(storage) != 1:
        raise ValueError("PeakRDL-regblock declares field_storage otherwise than expected")
    return shorter.replace(storage, storage + fields)


def _strobes(found: re.Match[str]) -> str:
    """Strobes of registers, decoded only in the cycle of an access."""
    return (
        "        if(cpuif_req_masked) begin\n"
        + re.sub(r"^(.*)cpuif_req_masked & (.*)", r"    \1\2", found[0], flags=re.MULTILINE)
        + "        end else begin\n"
        + re.sub(r"^(.*) = .*", r"    \1 = '0;", found[0], flags=re.MULTILINE)
        + "        end\n"
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
