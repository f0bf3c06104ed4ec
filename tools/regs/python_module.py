# SPDX-License-Identifier: Apache-2.0
"""Python module of a description, and the package `sluice_regs` that holds the modules."""

from __future__ import annotations

from . import banner
from .constants import AddressFunction, Constant, Enumeration, Group, address_functions, groups
from .model import Description


def render_package() -> str:
    """The package's `__init__.py`."""
    return "\n".join(
        [
            f"# {banner.LICENCE}",
            f"# {banner.generated('regs/')}",
            '"""Register maps: one module a block or design, constants without prefix."""',
            "",
        ]
    )


def render(description: Description) -> str:
    content = groups(description)
    functions = address_functions(description)
    enumerations = any(group.enumerations for group in content)
    lines = [
        f"# {banner.LICENCE}",
        f"# {banner.generated(description.source)}",
        f'"""{description.title}: offsets in bytes, masks in place, values after reset."""',
        "",
        *(["from enum import IntEnum"] if enumerations else []),
        "from typing import Final",
    ]
    for group in content:
        lines += ["", *_group(group)]
    for group in content:
        for enumeration in group.enumerations:
            lines += ["", "", *_enumeration(enumeration)]
    for function in functions:
        lines += ["", "", *_function(function)]
    return "\n".join([*lines, ""])


def _group(group: Group) -> list[str]:
    lines = [f"# {group.title}"]
    for constant in group.constants:
        if constant.comment:
            lines.append(f"# {constant.comment}")
        lines.append(f"{constant.name}: Final = {_number(constant)}")
    return lines


def _number(constant: Constant) -> str:
    if constant.name.endswith(("_SHIFT", "_COUNT")):
        return f"{constant.value}"
    return f"0x{constant.value:0{(constant.width + 3) // 4}X}"


def _enumeration(enumeration: Enumeration) -> list[str]:
    lines = [f"class {enumeration.name.title().replace('_', '')}(IntEnum):"]
    for member in enumeration.members:
        if member.comment:
            lines.append(f"    # {member.comment}")
        lines.append(f"    {member.name} = {member.value}")
    return lines


def _function(function: AddressFunction) -> list[str]:
    message = f"{function.array}: {{index}} is not in 0..{function.count - 1}"
    return [
        f"def {function.name.lower()}(index: int) -> int:",
        f'    """{function.title}: offset in element `index` of {function.array}."""',
        f"    if not 0 <= index < {function.array}_COUNT:",
        f'        raise IndexError(f"{message}")',
        f"    return {function.name}_OFFSET + index * {function.array}_STRIDE",
    ]
