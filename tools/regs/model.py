# SPDX-License-Identifier: Apache-2.0
"""What the outputs need to know of a register description, read from SystemRDL.

A description is a block (it holds registers) or a map (it places blocks at addresses).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from peakrdl_regblock.udps import ALL_UDPS  # type: ignore[import-untyped]
from systemrdl.compiler import RDLCompiler
from systemrdl.messages import MessagePrinter, RDLCompileError, Severity
from systemrdl.node import AddressableNode, AddrmapNode, FieldNode, RegfileNode, RegNode
from systemrdl.node import Node as RdlNode
from systemrdl.rdltypes.builtin_enums import AccessType, OnWriteType
from systemrdl.source_ref import DetailedFileSourceRef, FileSourceRef, SourceRefBase


class RegistersError(Exception):
    """A description cannot be read or used; a sentence a line, each with its place."""


@dataclass(frozen=True)
class Member:
    """A named value of a field."""

    name: str
    value: int
    text: str


@dataclass(frozen=True)
class Attribute:
    """A field that software sets or reads by name."""

    name: str  # without that of the lane: "source.enable"
    text: str
    group: str  # upper case; empty: every user of the block has it


@dataclass(frozen=True)
class Field:
    name: str
    title: str
    text: str
    unit: str
    spec: str
    msb: int
    lsb: int
    access: str  # a key of ACCESS
    reset: int | None  # None: what the hardware says
    members: tuple[Member, ...]
    attribute: Attribute | None

    @property
    def mask(self) -> int:
        return ((1 << (self.msb - self.lsb + 1)) - 1) << self.lsb


@dataclass(frozen=True)
class Register:
    name: str  # path inside the block, joined by underscores
    title: str
    text: str
    spec: str
    offset: int
    fields: tuple[Field, ...]

    @property
    def reset(self) -> int:
        """Value after reset; bits that the hardware decides count as 0."""
        return sum((field.reset or 0) << field.lsb for field in self.fields)


@dataclass(frozen=True)
class Instance:
    """A block or map at an address of a map."""

    name: str
    type_name: str
    title: str
    offset: int  # in the enclosing map; of element 0 of an array
    count: int  # 0: not an array
    stride: int
    children: tuple[Instance, ...]  # empty for a block


@dataclass(frozen=True)
class Description:
    name: str
    title: str
    text: str
    spec: str
    source: str  # the .rdl file, relative to the root
    address_bits: int
    registers: tuple[Register, ...]  # empty for a map
    instances: tuple[Instance, ...]  # empty for a block
    node: AddrmapNode  # for the PeakRDL exporters
    messages: list[str]  # of the compiler; the PeakRDL exporters add theirs
    is_layout: bool = False  # of memory: a struct, no register module
    no_module: bool = False  # what has the registers is written by hand

    @property
    def is_map(self) -> bool:
        return bool(self.instances)

    @property
    def has_module(self) -> bool:
        """Whether a register module is generated of it."""
        return not (self.is_map or self.is_layout or self.no_module)


ACCESS = {
    "ro": "read only",
    "rw": "read and write",
    "w1c": "read; writing 1 clears, writing 0 has no effect",
    "w1s": "read; writing 1 sets, writing 0 has no effect",
    "w1p": "writing 1 acts once, reads 0",
    "wo": "write only, reads 0",
}

ATTRIBUTE_TEXT_MAX = 127  # SLUICE_TEXT_BYTES of sluice.h, less the terminating zero
PROPERTIES = "properties.rdl"  # included by the others, describes nothing itself


class _Printer(MessagePrinter):
    """Collects messages as `file:line:column: severity: text`, paths relative to the root."""

    def __init__(self, root: Path, source: str) -> None:
        self.root = root
        self.source = source  # stands for the place of a message that has none
        self.lines: list[str] = []

    def print_message(self, severity: Severity, text: str, src_ref: SourceRefBase | None) -> None:
        if severity == Severity.FATAL and src_ref is None and self.lines:
            return  # "aborted due to previous errors"
        where = place(src_ref, self.root) or f"{self.source}: "
        self.lines.append(f"{where}{severity.name.lower()}: {text}")


def place(src_ref: SourceRefBase | None, root: Path) -> str:
    """Where something stands, as the beginning of a message."""
    if not isinstance(src_ref, FileSourceRef):
        return ""
    path = os.path.relpath(src_ref.path, root)
    if isinstance(src_ref, DetailedFileSourceRef):
        return f"{path}:{src_ref.line}:{src_ref.line_selection[0] + 1}: "
    return f"{path}: "


def read_all(root: Path) -> list[Description]:
    """Read every description in regs/, ordered by name.

    Raises:
        RegistersError: a description is not valid, or uses what the outputs cannot express.
    """
    paths = sorted(path for path in (root / "regs").glob("*.rdl") if path.name != PROPERTIES)
    if not paths:
        raise RegistersError(f"{root / 'regs'}: error: no .rdl file found")
    return [read(path, root) for path in paths]


def read(path: Path, root: Path) -> Description:
    """Read the description of one file: the addrmap that is named like the file."""
    source = path.relative_to(root).as_posix()
    printer = _Printer(root, source)
    compiler = RDLCompiler(message_printer=printer)
    for definition in ALL_UDPS:
        compiler.register_udp(definition)
    try:
        compiler.compile_file(str(path))
        if path.stem not in compiler.root.comp_defs:
            raise RegistersError(f"{source}: error: no addrmap '{path.stem}' in this file")
        top = compiler.elaborate(top_def_name=path.stem).top
    except RDLCompileError as error:
        raise RegistersError("\n".join(printer.lines) or f"{source}: error: {error}") from error
    if printer.lines:
        raise RegistersError("\n".join(printer.lines))  # a warning is an error
    return _Reader(root).description(top, source, printer.lines)


def _string(node: RdlNode, name: str) -> str:
    return str(node.get_property(name, default="") or "")


def _text(node: RdlNode) -> str:
    """The description, without the line breaks of its source."""
    return " ".join(_string(node, "desc").split())


class _Reader:
    def __init__(self, root: Path) -> None:
        self.root = root

    def refuse(self, node: RdlNode, reason: str) -> RegistersError:
        src_ref = node.inst.inst_src_ref or node.inst.def_src_ref
        return RegistersError(f"{place(src_ref, self.root)}error: {reason}")

    def description(self, top: AddrmapNode, source: str, messages: list[str]) -> Description:
        address_bits = top.get_property("sl_address_bits", default=None)
        if not isinstance(address_bits, int):
            raise self.refuse(top, f"addrmap '{top.inst_name}' needs sl_address_bits")
        if top.size > 1 << address_bits:
            raise self.refuse(
                top, f"addrmap '{top.inst_name}' does not fit in sl_address_bits = {address_bits}"
            )
        children = list(top.children(skip_not_present=False))
        instances = [child for child in children if isinstance(child, AddrmapNode)]
        registers = list(self.registers(top))
        if bool(instances) == bool(registers):
            raise self.refuse(top, f"addrmap '{top.inst_name}' must hold either registers or maps")
        return Description(
            name=top.inst_name,
            title=_string(top, "name"),
            text=_text(top),
            spec=_string(top, "sl_spec"),
            source=source,
            address_bits=address_bits,
            registers=tuple(registers),
            instances=tuple(self.instance(child) for child in instances),
            node=top,
            messages=messages,
            is_layout=bool(top.get_property("sl_layout", default=False)),
            no_module=bool(top.get_property("sl_no_module", default=False)),
        )

    def instance(self, node: AddrmapNode) -> Instance:
        dimensions = node.array_dimensions or []
        if len(dimensions) > 1:
            raise self.refuse(node, f"'{node.inst_name}' has more than one dimension")
        children = [c for c in node.children(skip_not_present=False) if isinstance(c, AddrmapNode)]
        if any(child.is_array for child in children):
            raise self.refuse(node, f"'{node.inst_name}' holds an array: only a top may")
        if any(
            isinstance(grandchild, AddrmapNode) for c in children for grandchild in c.children()
        ):
            raise self.refuse(node, f"'{node.inst_name}' has more than two levels of maps")
        return Instance(
            name=node.inst_name,
            type_name=node.orig_type_name or node.inst_name,
            title=_string(node, "name"),
            offset=node.raw_address_offset,
            count=dimensions[0] if dimensions else 0,
            stride=node.array_stride or 0,
            children=tuple(self.instance(child) for child in children),
        )

    def registers(self, parent: AddressableNode, prefix: str = "") -> Iterator[Register]:
        for node in parent.children(skip_not_present=False):
            if isinstance(node, RegNode | RegfileNode) and node.is_array:
                raise self.refuse(node, f"'{node.inst_name}' is an array of registers: unsupported")
            if isinstance(node, RegfileNode):
                yield from self.registers(node, f"{prefix}{node.inst_name}_")
            elif isinstance(node, RegNode):
                yield self.register(node, f"{prefix}{node.inst_name}")

    def register(self, node: RegNode, name: str) -> Register:
        if node.get_property("regwidth") != 32:
            raise self.refuse(node, f"register '{name}' is not 32 bits wide")
        return Register(
            name=name,
            title=_string(node, "name"),
            text=_text(node),
            spec=_string(node, "sl_spec"),
            offset=node.absolute_address,
            fields=tuple(self.field(field) for field in node.fields()),
        )

    def field(self, node: FieldNode) -> Field:
        reset = node.get_property("reset", default=None)
        encode = node.get_property("encode", default=None)
        return Field(
            name=node.inst_name,
            title=_string(node, "name"),
            text=_text(node),
            unit=_string(node, "sl_unit"),
            spec=_string(node, "sl_spec"),
            msb=node.msb,
            lsb=node.lsb,
            access=self.access(node),
            reset=reset if isinstance(reset, int) else None,
            members=tuple(
                Member(member.name, member.value, " ".join((member.rdl_desc or "").split()))
                for member in (encode or ())
            ),
            attribute=self.attribute(node),
        )

    def attribute(self, node: FieldNode) -> Attribute | None:
        name, text = _string(node, "sl_attribute"), _string(node, "sl_attribute_text")
        group = _string(node, "sl_attribute_group")
        if bool(name) != bool(text) or (group and not name):
            raise self.refuse(
                node, f"field '{node.inst_name}' needs both sl_attribute and sl_attribute_text"
            )
        if len(text) > ATTRIBUTE_TEXT_MAX or not re.fullmatch(r"[ !#-\[\]-~]*", text):
            raise self.refuse(
                node,
                f"sl_attribute_text of '{name}' must be ASCII without quotes and backslashes, of "
                f"at most {ATTRIBUTE_TEXT_MAX} characters",
            )
        return Attribute(name, text, group) if name else None

    def access(self, node: FieldNode) -> str:
        software = node.get_property("sw")
        onwrite = node.get_property("onwrite")
        if software == AccessType.r:
            return "ro"
        if software == AccessType.w and node.get_property("singlepulse"):
            return "w1p"
        if software == AccessType.w and onwrite is None:
            return "wo"
        if software == AccessType.rw:
            known = {None: "rw", OnWriteType.woclr: "w1c", OnWriteType.woset: "w1s"}
            if onwrite in known and node.get_property("onread") is None:
                return known[onwrite]
        raise self.refuse(node, f"the access of field '{node.inst_name}' is not supported")
