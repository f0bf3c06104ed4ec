# SPDX-License-Identifier: Apache-2.0
"""Markdown reference page of a description."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from . import banner
from .model import ACCESS, Description, Field, Instance, Register


def render(description: Description) -> str:
    verb = "Takes" if description.is_layout else "Decodes"
    lines = [
        f"<!-- {banner.LICENCE} -->",
        f"<!-- {banner.generated(description.source)} -->",
        "",
        f"# {description.title} (`{description.name}`)",
        "",
        description.text,
        *(["", f"Follows {description.spec}."] if description.spec else []),
        "",
        f"{verb} {1 << description.address_bits:#x} bytes. Offsets are in bytes.",
        "",
        *(_map(description) if description.is_map else _block(description)),
        "",
    ]
    return "\n".join(lines)


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [
        "| " + " | ".join(header) + " |",
        "|" + "---|" * len(header),
        *("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows),
    ]


def _hex(value: int, bits: int) -> str:
    return f"`0x{value:0{(bits + 3) // 4}X}`"


def _map(description: Description) -> list[str]:
    rows: list[tuple[str, str, str]] = []
    for instance in description.instances:
        for index in range(max(instance.count, 1)):
            name = f"{instance.name}[{index}]" if instance.count else instance.name
            base = instance.offset + index * instance.stride
            for child in instance.children:
                rows.append(_place(f"{name}.{child.name}", base + child.offset, child, description))
            if not instance.children:
                rows.append(_place(name, base, instance, description))
    return _table(("Offset", "Place", "Block"), rows)


def _place(
    name: str, offset: int, instance: Instance, description: Description
) -> tuple[str, str, str]:
    link = f"[{instance.title}]({instance.type_name}.md)"
    return _hex(offset, description.address_bits), f"`{name}`", link


def _block(description: Description) -> list[str]:
    bits = description.address_bits
    lines = _table(
        ("Offset", "Register", "After reset", "Title"),
        (
            (
                _hex(register.offset, bits),
                f"[`{register.name}`](#{register.name.lower()})",
                _reset(register),
                register.title,
            )
            for register in description.registers
        ),
    )
    for register in description.registers:
        lines += ["", *_register(register, bits)]
    used = {field.access for register in description.registers for field in register.fields}
    lines += ["", "## Access", ""]
    return lines + _table(
        ("Access", "Meaning"), ((f"`{k}`", v) for k, v in ACCESS.items() if k in used)
    )


def _reset(register: Register) -> str:
    known = any(field.reset is not None for field in register.fields)
    return _hex(register.reset, 32) if known else "by hardware"


def _register(register: Register, bits: int) -> list[str]:
    text = " ".join(
        part
        for part in (register.text, f"Follows {register.spec}." if register.spec else "")
        if part
    )
    lines = [
        f"## {register.name}",
        "",
        f"Offset {_hex(register.offset, bits)}. {register.title}. {text}",
        "",
        *_table(
            ("Bits", "Field", "Access", "After reset", "Unit", "Description"),
            (_field(field) for field in reversed(register.fields)),
        ),
    ]
    for field in register.fields:
        if field.members:
            lines += ["", f"Values of `{field.name}`:", ""]
            lines += _table(
                ("Value", "Name", "Meaning"),
                ((str(m.value), f"`{m.name}`", m.text) for m in field.members),
            )
    return lines


def _field(field: Field) -> tuple[str, ...]:
    bits = str(field.lsb) if field.msb == field.lsb else f"{field.msb}:{field.lsb}"
    reset = "by hardware" if field.reset is None else f"`{field.reset:#x}`"
    spec = f" ({field.spec})" if field.spec else ""
    name = f" Attribute `{field.attribute.name}`." if field.attribute else ""
    text = f"{field.title}. {field.text}{spec}{name}"
    return bits, f"`{field.name}`", f"`{field.access}`", reset, field.unit, text
