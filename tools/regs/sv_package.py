# SPDX-License-Identifier: Apache-2.0
"""SystemVerilog package of offsets, masks and enumerations: `<description>_addr_pkg`."""

from __future__ import annotations

from . import banner
from .constants import AddressFunction, Constant, Enumeration, Group, address_functions, groups
from .model import Description


def render(description: Description) -> str:
    package = f"{description.name}_addr_pkg"
    lines = [
        f"// {banner.LICENCE}",
        f"// {banner.generated(description.source)}",
        f"// {description.title}: offsets in bytes, masks in place, values after reset.",
        "// verilator lint_off UNUSEDPARAM",
        "",
        f"package {package};",
    ]
    for group in groups(description):
        lines += ["", *_group(group)]
    for function in address_functions(description):
        lines += ["", *_function(function)]
    lines += ["", f"endpackage : {package}", "", "// verilator lint_on UNUSEDPARAM", ""]
    return "\n".join(lines)


def _group(group: Group) -> list[str]:
    lines = [f"  // {group.title}"]
    for constant in group.constants:
        if constant.comment:
            lines.append(f"  // {constant.comment}")
        lines.append(f"  localparam {_typed(constant)};")
    for enumeration in group.enumerations:
        lines += _enumeration(enumeration)
    return lines


def _typed(constant: Constant) -> str:
    if constant.name.endswith(("_SHIFT", "_COUNT")):
        return f"int unsigned {constant.name} = {constant.value}"
    return f"logic [31:0] {constant.name} = 32'h{constant.value:08x}"


def _enumeration(enumeration: Enumeration) -> list[str]:
    lines = [f"  typedef enum logic [{enumeration.width - 1}:0] {{"]
    last = len(enumeration.members) - 1
    for index, member in enumerate(enumeration.members):
        comma = "" if index == last else ","
        comment = f"  // {member.comment}" if member.comment else ""
        value = f"{enumeration.width}'d{member.value}"
        lines.append(f"    {enumeration.name}_{member.name} = {value}{comma}{comment}")
    return [*lines, f"  }} {enumeration.name.lower()}_e;"]


def _function(function: AddressFunction) -> list[str]:
    name = function.name.lower()
    return [
        f"  // {function.title}: offset in element `index` of {function.array}",
        f"  function automatic logic [31:0] {name}(input int unsigned index);",
        f"    return {function.name}_OFFSET + index * {function.array}_STRIDE;",
        f"  endfunction : {name}",
    ]
