# SPDX-License-Identifier: Apache-2.0
"""C header of a description: macros, enumerations, structs; includes nothing of the system's."""

from __future__ import annotations

from . import banner
from .constants import (
    Constant,
    Enumeration,
    Group,
    NamedField,
    address_functions,
    groups,
    named_fields,
)
from .model import Description

MAP_USE = " * Offsets are in bytes from the start of the design."
BLOCK_USE = """\
 * Offsets are in bytes from the start of the block. A _MASK is the field in place, as GENMASK()
 * gives it (for FIELD_GET and FIELD_PREP), a _SHIFT its lowest bit, a _DEFAULT the register after
 * reset."""

ATTRIBUTES_USE = (
    "/*",
    " * What software sets or reads by name: X(name, text, offset, mask, max, wide) for each.",
    " *   max   the largest value that can be written; 0: the field is read-only",
    " *   wide  1: 64 bits; the register at offset is the lower one of two and latches the other",
    " */",
)


def render(description: Description) -> str:
    prefix = description.name.upper()
    guard = f"SLUICE_REGS_{prefix}_H"
    lines = [
        f"/* {banner.LICENCE} OR GPL-2.0-only */",
        f"/* {banner.generated(description.source)} */",
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        "/*",
        f" * {description.title}.",
        MAP_USE if description.is_map else BLOCK_USE,
        " */",
    ]
    if description.is_map:
        lines += ["", *_includes(description)]
    for group in groups(description):
        lines += ["", *_group(group, prefix)]
    if description.is_layout:
        lines += ["", *_struct(description)]
    functions = address_functions(description)
    if functions:
        lines += ["", "/* Offset of a block in an element of an array */"]
    for function in functions:
        name = f"{prefix}_{function.name}"
        array = f"{prefix}_{function.array}"
        lines.append(f"#define {name}(i) ({name}_OFFSET + (i) * {array}_STRIDE)")
    named = named_fields(description)
    if named:
        lines += ["", *ATTRIBUTES_USE]
    for name, fields in named.items():
        lines += ["", *_attributes(f"{prefix}_{name}" if name else prefix, prefix, fields)]
    lines += ["", f"#endif /* {guard} */", ""]
    return "\n".join(lines)


def _struct(description: Description) -> list[str]:
    """The layout as a struct of little-endian words, with assertions of its size and offsets."""
    name, size = description.name, 1 << description.address_bits
    lines = [f"/* {description.title}: little-endian words */", f"struct {name} {{"]
    checks = [f"sizeof(struct {name}) == {size}"]
    at = 0
    for register in sorted(description.registers, key=lambda register: register.offset):
        lines += _gap(at, register.offset)
        member = register.name.lower()
        lines.append(f"\tunsigned int {member}; /* 0x{register.offset:02x} {register.title} */")
        checks.append(f"__builtin_offsetof(struct {name}, {member}) == {register.offset}")
        at = register.offset + 4
    lines += [*_gap(at, size), "};", "#ifdef __cplusplus"]
    lines += [f'static_assert({check}, "{name}");' for check in checks]
    lines += ["#else"]
    lines += [f'_Static_assert({check}, "{name}");' for check in checks]
    return [*lines, "#endif"]


def _gap(start: int, end: int) -> list[str]:
    if start == end:
        return []
    return [f"\tunsigned int reserved_{start:02x}[{(end - start) // 4}];"]


def _includes(description: Description) -> list[str]:
    types = set()
    for instance in description.instances:
        types |= {child.type_name for child in instance.children} or {instance.type_name}
    return [f'#include "{name}.h"' for name in sorted(types)]


def _group(group: Group, prefix: str) -> list[str]:
    lines = [f"/* {group.title} */"]
    width = max(len(constant.name) for constant in group.constants) + len(prefix) + 1
    for constant in group.constants:
        comment = f" /* {constant.comment} */" if constant.comment else ""
        lines.append(f"#define {f'{prefix}_{constant.name}':{width}} {_number(constant)}{comment}")
    for enumeration in group.enumerations:
        lines += _enumeration(enumeration, prefix)
    return lines


def _attributes(name: str, prefix: str, fields: list[NamedField]) -> list[str]:
    """An X-macro: a table of attributes is made of it by a macro X of one's own."""
    entries = [
        f'X("{field.name}", "{field.text}", \\\n'
        f"\t  {prefix}_{field.register}_OFFSET, \\\n"
        f"\t  {prefix}_{field.constant}_MASK, 0x{field.max:x}U, {int(field.wide)})"
        for field in fields
    ]
    return [f"#define {name}_ATTRIBUTES(X) \\", "\t" + " \\\n\t".join(entries)]


def _number(constant: Constant) -> str:
    if constant.name.endswith(("_SHIFT", "_COUNT")):
        return f"{constant.value}"
    return f"0x{constant.value:0{(constant.width + 3) // 4}x}U"


def _enumeration(enumeration: Enumeration, prefix: str) -> list[str]:
    name = f"{prefix}_{enumeration.name}"
    lines = [f"enum {name.lower()} {{"]
    for member in enumeration.members:
        comment = f" /* {member.comment} */" if member.comment else ""
        lines.append(f"\t{name}_{member.name} = {member.value},{comment}")
    return [*lines, "};"]
