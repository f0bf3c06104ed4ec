# SPDX-License-Identifier: Apache-2.0
"""The names and numbers that C, SystemVerilog and Python share.

Names carry no prefix of the description; each language adds its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from .model import Description, Field, RegistersError


@dataclass(frozen=True)
class Constant:
    name: str
    value: int
    width: int  # bits; tells how many digits to print
    comment: str = ""


@dataclass(frozen=True)
class Enumeration:
    name: str  # upper case
    width: int  # bits of the field
    members: tuple[Constant, ...]  # names without the enumeration's


@dataclass(frozen=True)
class AddressFunction:
    """Offset of something inside an element of an array, from the start of the map."""

    name: str  # upper case
    offset: int  # inside element 0
    stride: int
    count: int
    array: str
    title: str


@dataclass(frozen=True)
class NamedField:
    """A field that software sets or reads by name."""

    name: str
    text: str
    constant: str  # what the names of its register's and field's constants begin with
    register: str
    max: int  # largest value that can be written; 0: read only
    wide: bool  # its register is the lower one of a pair, NAME_LO and NAME_HI


@dataclass(frozen=True)
class Group:
    """Constants of one register, or of one place in a map."""

    title: str
    constants: tuple[Constant, ...]
    enumerations: tuple[Enumeration, ...] = ()


def groups(description: Description) -> list[Group]:
    """Constants of a description in order of address.

    Raises:
        RegistersError: two things would get the same name.
    """
    result = [_window(description), *_registers(description), *_places(description)]
    seen: set[str] = set()
    names = [constant.name for group in result for constant in group.constants]
    names += [
        f"{enumeration.name}_{member.name}"
        for group in result
        for enumeration in group.enumerations
        for member in enumeration.members
    ]
    names += [function.name for function in address_functions(description)]
    for name in names:
        if name in seen:
            raise RegistersError(f"{description.source}: error: two constants are named '{name}'")
        seen.add(name)
    return result


def _window(description: Description) -> Group:
    bits = description.address_bits
    window = Constant("WINDOW", 1 << bits, bits + 1, f"bytes that it decodes, {bits} address bits")
    return Group("Size", (window,))


def _registers(description: Description) -> list[Group]:
    result = []
    for register in description.registers:
        name = register.name
        constants = [
            Constant(f"{name}_OFFSET", register.offset, description.address_bits),
            Constant(f"{name}_DEFAULT", register.reset, 32),
        ]
        for field in register.fields:
            constants.append(
                Constant(f"{name}_{field.name}_SHIFT", field.lsb, 5, _field_comment(field))
            )
            constants.append(Constant(f"{name}_{field.name}_MASK", field.mask, 32))
        enumerations = tuple(
            Enumeration(
                f"{name}_{field.name}",
                field.msb - field.lsb + 1,
                tuple(
                    Constant(member.name, member.value, field.msb - field.lsb + 1, member.text)
                    for member in field.members
                ),
            )
            for field in register.fields
            if field.members
        )
        result.append(Group(f"{name}: {register.title}", tuple(constants), enumerations))
    return result


def _field_comment(field: Field) -> str:
    bits = f"[{field.msb}:{field.lsb}]" if field.msb != field.lsb else f"[{field.lsb}]"
    unit = f", {field.unit}" if field.unit else ""
    return f"{bits} {field.access}{unit}: {field.title}"


def _places(description: Description) -> list[Group]:
    result = []
    bits = description.address_bits
    for instance in description.instances:
        constants = [Constant(f"{instance.name}_OFFSET", instance.offset, bits)]
        if instance.count:
            constants.append(Constant(f"{instance.name}_COUNT", instance.count, 8))
            constants.append(Constant(f"{instance.name}_STRIDE", instance.stride, bits))
        for child in instance.children:
            constants.append(
                Constant(
                    f"{instance.name}_{child.name}_OFFSET",
                    instance.offset + child.offset,
                    bits,
                    f"{child.type_name}" + (", in element 0" if instance.count else ""),
                )
            )
        result.append(Group(f"{instance.name}: {instance.title}", tuple(constants)))
    return result


def address_functions(description: Description) -> list[AddressFunction]:
    """One function for each block inside an array, or for an array of blocks."""
    result = []
    for instance in description.instances:
        if instance.count:
            inside = [(f"{instance.name}_{c.name}", c.offset, c.title) for c in instance.children]
            result += [
                AddressFunction(
                    name,
                    instance.offset + offset,
                    instance.stride,
                    instance.count,
                    instance.name,
                    title,
                )
                for name, offset, title in inside or [(instance.name, 0, instance.title)]
            ]
    return result


def named_fields(description: Description) -> dict[str, list[NamedField]]:
    """The fields with an attribute's name in order of address, by group. Those of every user of
    the block are the group "".

    Raises:
        RegistersError: two fields have one name, or the upper register of a pair is elsewhere.
    """
    places = {register.name: register.offset for register in description.registers}
    result: dict[str, list[NamedField]] = {}
    seen: set[str] = set()
    for register in description.registers:
        for field in register.fields:
            attribute = field.attribute
            if attribute is None:
                continue
            if attribute.name in seen:
                raise RegistersError(
                    f"{description.source}: error: two attributes are named '{attribute.name}'"
                )
            seen.add(attribute.name)
            wide = register.name.endswith("_LO")
            upper = register.name.removesuffix("LO") + "HI"
            if wide and places.get(upper) != register.offset + 4:
                raise RegistersError(
                    f"{description.source}: error: '{attribute.name}' is the lower half of a pair "
                    f"in '{register.name}', so '{upper}' must be the next register"
                )
            result.setdefault(attribute.group, []).append(
                NamedField(
                    attribute.name,
                    attribute.text,
                    f"{register.name}_{field.name}",
                    register.name,
                    _largest(field),
                    wide,
                )
            )
    return result


def _largest(field: Field) -> int:
    """The largest value that can be written to a field: that has a meaning, if its values have
    names."""
    if field.access == "ro":
        return 0
    if field.members:
        return max(member.value for member in field.members)
    return field.mask >> field.lsb
