# SPDX-License-Identifier: Apache-2.0
"""One body for the instances of a module of which Verilator has written one each.

Four lanes are four times the code, and neither a compiler nor the instruction cache of a processor
likes that: a cycle of hp_stress ran through 150 KB of it. The bodies differ in the objects of the
model that they name (interfaces of the instance, pins of its port), in texts (where the instance
is), and in numbers within names of local variables. So the first instance's body is kept, takes
what differs from a table, and each function calls it with its own row.

That they are the same otherwise is not assumed but compared, token by token; functions that differ
in anything else stay as they are.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

_FUNCTION = re.compile(
    r"^(?P<cold>VL_ATTR_COLD )?void (?P<name>\w+)\((?P<type>\w+)\* vlSelf\) \{\n"
    r"(?: +VL_DEBUG_IF[^\n]*\n)?"
    r"(?P<body>.*?)^\}\n",
    re.MULTILINE | re.DOTALL,
)
_INDEX = re.compile(r"__BRA__(\d+)__KET__")
_TOKEN = re.compile(
    r"(?P<member>vlSymsp->\w+\.\w+|vlSelfRef\.\w+)"
    r'|(?P<text>"(?:[^"\\]|\\.)*")'
    r"|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<other>/\*.*?\*/|\d\w*|\S)"
)
_DECLARES = re.compile(r"/\*\d+:\d+\*/|>|string")  # what stands before a new variable's name
_HEADER = re.compile(r'^#include "V\w+__pch\.h"\n', re.MULTILINE)
_MACROS = """
#ifndef SL_OF_MODEL
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
// In the place of a member that the first instance names: that of the row `of`.
#define SL_AT(base, first, offset) \\
    (*reinterpret_cast<decltype(first)*>(reinterpret_cast<char*>(base) + (offset)))
#define SL_OF_MODEL(first, n) SL_AT(vlSymsp, first, of.member[n])
#define SL_OF_SELF(first, n) SL_AT(vlSelf, first, of.member[n])
#endif
"""


@dataclass(frozen=True)
class _Function:
    path: Path
    text: str
    cold: str
    name: str
    type: str
    body: str

    def row(self, name: str, number: int) -> str:
        """The function, by the body `name` that it shares."""
        return f"{self.cold}void {self.name}({self.type}* vlSelf) {{ {name}(vlSelf, {name}_rows[{number}]); }}\n"


@dataclass
class _Table:
    """What differs: by what each instance has in a place, the number of its column."""

    objects: dict[tuple[str, ...], int] = field(default_factory=dict)
    members: dict[tuple[str, ...], int] = field(default_factory=dict)
    texts: dict[tuple[str, ...], int] = field(default_factory=dict)
    places: list[tuple[re.Match[str], str]] = field(default_factory=list)  # and what comes there

    def object(self, place: re.Match[str], objects: tuple[str, ...], member: str) -> None:
        number = self.objects.setdefault(objects, len(self.objects))
        self.places.append((place, f"object{number}->{member}"))

    def member(self, place: re.Match[str], members: tuple[str, ...]) -> None:
        number = self.members.setdefault(members, len(self.members))
        macro = "SL_OF_SELF" if place[0].startswith("vlSelfRef") else "SL_OF_MODEL"
        self.places.append((place, f"{macro}({place[0]}, {number})"))

    def text(self, place: re.Match[str], texts: tuple[str, ...]) -> None:
        number = self.texts.setdefault(texts, len(self.texts))
        self.places.append((place, f"of.text[{number}]"))


def _local_names_only(bodies: Sequence[Sequence[re.Match[str]]]) -> bool:
    """Whether names that differ between bodies are variables that each of them declares, and go
    one to one."""
    first = bodies[0]
    for body in bodies[1:]:
        there: dict[str, str] = {}
        back: dict[str, str] = {}
        for number, (a, b) in enumerate(zip(first, body, strict=True)):
            if a.lastgroup != "name":
                continue
            new = a[0] not in there
            if there.setdefault(a[0], b[0]) != b[0] or back.setdefault(b[0], a[0]) != a[0]:
                return False
            if new and a[0] != b[0] and not _DECLARES.fullmatch(first[number - 1][0]):
                return False
    return True


def _compare(functions: Sequence[_Function]) -> _Table | None:
    """None: they differ in what a table cannot have."""
    bodies = [list(_TOKEN.finditer(function.body)) for function in functions]
    if len({tuple(token.lastgroup for token in body) for body in bodies}) != 1:
        return None
    if not _local_names_only(bodies):
        return None
    table = _Table()
    for tokens in zip(*bodies, strict=True):
        place = tokens[0]
        texts = tuple(token[0] for token in tokens)
        if len(set(texts)) == 1 or place.lastgroup == "name":
            continue
        if place.lastgroup == "text":
            table.text(place, texts)
        elif place.lastgroup == "member":
            objects, members = zip(*(text.split(".") for text in texts), strict=True)
            if len({name == "vlSelfRef" for name in objects}) != 1:
                return None
            if len(set(members)) == 1:
                table.object(place, objects, members[0])
            else:
                table.member(place, texts)
        else:
            return None
    return table


def _offset(member: str, own: str, model: str) -> str:
    if member.startswith("vlSelfRef."):
        return f"offsetof({own}, {member.removeprefix('vlSelfRef.')})"
    return f"offsetof({model}, {member.removeprefix('vlSymsp->')})"


def _columns(values: Sequence[str]) -> str:
    return "{" + ", ".join([*values, "0"]) + "}"  # an array has one element at least


def _share(functions: Sequence[_Function], table: _Table, model: str) -> tuple[str, str, str]:
    """The name of the body that they share, its declaration and its definition."""
    first = functions[0]
    name = f"{first.name}__shared"
    declaration = (
        f"#ifndef {name}_ROWS\n#define {name}_ROWS\n"
        f"struct {name}_row {{\n"
        f"    std::size_t object[{len(table.objects) + 1}];\n"
        f"    std::size_t member[{len(table.members) + 1}];\n"
        f"    const char* text[{len(table.texts) + 1}];\n"
        "};\n"
        f"extern const {name}_row {name}_rows[{len(functions)}];\n"
        f"void {name}({first.type}* vlSelf, const {name}_row& of);\n"
        "#endif\n"
    )
    rows = ""
    for number in range(len(functions)):
        objects = [_offset(names[number], first.type, model) for names in table.objects]
        members = [_offset(names[number], first.type, model) for names in table.members]
        texts = [texts[number] for texts in table.texts]
        rows += f"    {{{_columns(objects)}, {_columns(members)}, {_columns(texts)}}},\n"
    body = first.body
    for place, text in reversed(table.places):
        body = body[: place.start()] + text + body[place.end() :]
    lines = body.splitlines(keepends=True)
    begin = sum(" vlSymsp VL_" in line or "vlSelfRef = " in line for line in lines)
    lines[begin:begin] = [
        f"    auto* const object{number} = &SL_AT(vlSymsp, {names[0]}, of.object[{number}]);\n"
        for names, number in table.objects.items()
    ]
    return (
        name,
        declaration,
        f"const {name}_row {name}_rows[{len(functions)}] = {{\n{rows}}};\n"
        f"{first.cold}void {name}({first.type}* vlSelf, const {name}_row& of) {{\n"
        f"{''.join(lines)}}}\n",
    )


def _instances(folder: Path) -> list[list[_Function]]:
    """Functions of the same place in the instances of a module."""
    groups: dict[tuple[str, str], list[_Function]] = defaultdict(list)
    for path in sorted(folder.glob("V*.cpp")):
        for match in _FUNCTION.finditer(path.read_text()):
            cold, name, own, body = match["cold"] or "", match["name"], match["type"], match["body"]
            function = _Function(path, match[0], cold, name, own, body)
            groups[own, _INDEX.sub("__BRA____KET__", name)].append(function)
    for group in groups.values():
        group.sort(key=lambda function: [int(n) for n in _INDEX.findall(function.name)])
    return [group for group in groups.values() if len(group) > 1]


def share_lanes(folder: Path) -> int:
    """Gives instances one body wherever theirs are the same. Returns how many bodies that saves.

    The folder is Verilator's --Mdir of the model V<name of the folder>.
    """
    model = f"V{folder.name}__Syms"
    changes: dict[Path, list[tuple[str, str]]] = defaultdict(list)
    saved = 0
    for functions in _instances(folder):
        table = _compare(functions)
        if table is None:
            continue
        name, declaration, definition = _share(functions, table, model)
        for number, function in enumerate(functions):
            text = declaration + (definition if number == 0 else "") + function.row(name, number)
            changes[function.path].append((function.text, text))
        saved += len(functions) - 1
    for path, replacements in changes.items():
        source = path.read_text()
        for before, after in replacements:
            source = source.replace(before, after, 1)
        path.write_text(_HEADER.sub(lambda include: include[0] + _MACROS, source, count=1))
    return saved
