# SPDX-License-Identifier: Apache-2.0
"""One body for the instances of a module of which Verilator has written one each.

Four lanes are four times the code, and neither a compiler nor the instruction cache of a processor
likes that: a cycle of hp_stress ran through 150 KB of it. The bodies differ in the objects of the
model that they name (interfaces of the instance, pins of its port), in texts (where the instance
is), in numbers within names of local variables, and in a few statements (its bit of a vector). So
the first instance's body is kept, takes what differs from a table, chooses those statements by
instance, and each function calls it with its own row.

That they are the same otherwise is not assumed but compared, token by token, and so are the types
of the members that they name; functions that differ in more stay as they are.
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
    r"|(?P<comment>//[^\n]*)"
    r"|(?P<other>/\*.*?\*/|\d\w*|\S)"
)
# What comes before the name that a statement declares. After another `>`, which compares or is of
# `->`, comes a name of something that exists.
_DECLARES = re.compile(
    r"(?:.*(?:/\*\d+:\d+\*/|std::string)|(?:const\s+)?\w+<[^()]*>)\s*", re.DOTALL
)
# A declaration, whose scope would end with its case; harmlessly also `return x;` and `goto x;`.
_DECLARATION = re.compile(r".*/\*|(?:const\s+)?[\w:]+(?:<[^()]*>)?\s+\w", re.DOTALL)
_NOT_IN_CASES = {"break", "case", "default", "do", "while"}  # means something else in a switch
# The classes of a model and of its modules, and their members.
_CLASS = re.compile(
    r"^class alignas\(\w+\) (\w+) final[^\n]*\{\n(.*?)^\};\n", re.MULTILINE | re.DOTALL
)
_MEMBER = re.compile(
    r"^ +(?:VL_(?:IN|OUT)(?P<bits>\w*)\((?P<port>\w+),\d+,\d+(?:,(?P<words>\d+))?\)"
    r"|(?P<type>\w[^()\n]*[^ ]) +(?P<name>\w+));$",
    re.MULTILINE,
)
_PORTS = {"8": "CData", "16": "SData", "": "IData", "64": "QData"}
_COMMENT = re.compile(r"/\*.*?\*/")
_MOST_CHOICES = 64  # statements of a body that are chosen by instance
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
        head = f"{self.cold}void {self.name}({self.type}* vlSelf)"
        return f"{head} {{ {name}(vlSelf, {name}_rows[{number}]); }}\n"


class _Types:
    """What the headers of a model declare: the C++ type of each member of its classes."""

    def __init__(self, folder: Path) -> None:
        self._model = f"V{folder.name}__Syms"
        self._members: dict[str, dict[str, str]] = {}
        for header in sorted(folder.glob("V*.h")):
            for name, body in _CLASS.findall(header.read_text()):
                self._members[name] = {
                    match["port"] or match["name"]: _COMMENT.sub("", match["type"] or "")
                    or _PORTS.get(match["bits"], f"VlWide<{match['words']}>")
                    for match in _MEMBER.finditer(body)
                }

    def object(self, name: str) -> str | None:
        """The class of vlSymsp->name."""
        return self._members.get(self._model, {}).get(name)

    def member(self, text: str, own: str) -> str | None:
        """The type of a member; vlSelfRef is of class `own`."""
        name, member = text.split(".")
        of = own if name == "vlSelfRef" else self.object(name.removeprefix("vlSymsp->"))
        return self._members.get(of or "", {}).get(member)


_Statement = list[re.Match[str]]  # its tokens; of a block, up to the brace that opens it


@dataclass
class _Table:
    """What differs: by what each instance has in a place, the number of its column."""

    types: _Types
    own: str  # the class of the instances
    objects: dict[tuple[str, ...], int] = field(default_factory=dict)
    members: dict[tuple[str, ...], int] = field(default_factory=dict)
    texts: dict[tuple[str, ...], int] = field(default_factory=dict)
    places: list[tuple[int, int, str]] = field(default_factory=list)  # from, to, what comes there
    choices: int = 0

    def put(self, place: _Statement, text: str) -> None:
        self.places.append((place[0].start(), place[-1].end(), text))

    def member(self, place: re.Match[str], texts: tuple[str, ...]) -> bool:
        objects, members = zip(*(text.split(".") for text in texts), strict=True)
        types = {self.types.member(text, self.own) for text in texts}
        if len({name == "vlSelfRef" for name in objects}) != 1 or len(types) != 1 or None in types:
            return False
        classes = {self.types.object(name.removeprefix("vlSymsp->")) for name in objects}
        if len(set(members)) == 1 and len(classes) == 1:
            number = self.objects.setdefault(objects, len(self.objects))
            self.put([place], f"object{number}->{members[0]}")
        else:
            number = self.members.setdefault(texts, len(self.members))
            macro = "SL_OF_SELF" if objects[0] == "vlSelfRef" else "SL_OF_MODEL"
            self.put([place], f"{macro}({place[0]}, {number})")
        return True

    def text(self, place: re.Match[str], texts: tuple[str, ...]) -> None:
        number = self.texts.setdefault(texts, len(self.texts))
        self.put([place], f"of.text[{number}]")


class _Names:
    """Names of the first body by those of another one: local variables go one to one."""

    def __init__(self) -> None:
        self._there: dict[str, str] = {}
        self._back: dict[str, str] = {}

    def same(self, ours: _Statement, theirs: _Statement) -> bool:
        for a, b in zip(ours, theirs, strict=True):
            if a.lastgroup != "name":
                continue
            new = a[0] not in self._there
            if self._there.setdefault(a[0], b[0]) != b[0]:
                return False
            if self._back.setdefault(b[0], a[0]) != a[0]:
                return False
            before = a.string[ours[0].start() : a.start()]
            if new and a[0] != b[0] and not _DECLARES.fullmatch(before):
                return False
        return True

    def ours(self, theirs: _Statement) -> str | None:
        """Their statement with our names. None: it has a name that is another variable's here."""
        text = _text(theirs)
        for token in reversed(theirs):
            if token.lastgroup == "name" and token[0] in self._back:
                begin, end = (at - theirs[0].start() for at in token.span())
                text = text[:begin] + self._back[token[0]] + text[end:]
            elif token[0] in self._there:
                return None
        return text


def _text(statement: _Statement) -> str:
    return statement[0].string[statement[0].start() : statement[-1].end()]


def _statements(body: str) -> list[_Statement]:
    found: list[_Statement] = [[]]
    depth = 0
    for token in _TOKEN.finditer(body):
        if token.lastgroup == "comment":
            continue
        found[-1].append(token)
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if depth == 0 and token[0] in ";{}":
            found.append([])
    return [statement for statement in found if statement]


def _alike(instances: Sequence[_Statement]) -> bool:
    """Whether they differ in nothing but members, texts and names."""
    shapes = (
        tuple(token[0] if token.lastgroup == "other" else token.lastgroup for token in statement)
        for statement in instances
    )
    return len(set(shapes)) == 1


def _choose(instances: Sequence[_Statement], names: Sequence[_Names]) -> str | None:
    """A statement of each instance's own. None: there is no way to choose among them."""
    first = instances[0]
    pairs = zip(names, instances[1:], strict=True)
    texts = [_text(first)]
    for name, other in pairs:
        text = name.ours(other)
        if text is None:
            return None
        texts.append(text)
    if all(text.endswith(";") for text in texts):
        words = {token[0] for statement in instances for token in statement}
        if words & _NOT_IN_CASES or any(_DECLARATION.match(text) for text in texts):
            return None
        cases = " ".join(f"case {number}: {text} break;" for number, text in enumerate(texts))
        return f"switch (of.instance) {{ {cases} }}"
    for head in ("if", "else if"):
        begin = f"{head} ("
        if all(text.startswith(begin) and text.endswith(") {") for text in texts):
            conditions = [text.removeprefix(f"{head} ").removesuffix(" {") for text in texts]
            chosen = conditions[-1]
            for number in reversed(range(len(texts) - 1)):
                chosen = f"of.instance == {number} ? bool{conditions[number]} : {chosen}"
            return f"{head} ({chosen}) {{"
    return None


def _compare(functions: Sequence[_Function], types: _Types) -> _Table | None:
    """None: they differ in what a table cannot have."""
    bodies = [_statements(function.body) for function in functions]
    if len({len(body) for body in bodies}) != 1:
        return None
    names = [_Names() for _ in functions[1:]]
    table = _Table(types, functions[0].type)
    for instances in zip(*bodies, strict=True):
        first = instances[0]
        if not _alike(instances):
            chosen = _choose(instances, names)
            table.choices += 1
            if chosen is None or table.choices > _MOST_CHOICES:
                return None
            table.put(first, chosen)
            continue
        pairs = zip(names, instances[1:], strict=True)
        if not all(name.same(first, other) for name, other in pairs):
            return None
        for tokens in zip(*instances, strict=True):
            texts = tuple(token[0] for token in tokens)
            if len(set(texts)) == 1:
                continue
            if tokens[0].lastgroup == "text":
                table.text(tokens[0], texts)
            elif tokens[0].lastgroup == "member" and not table.member(tokens[0], texts):
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
        f"    int instance;\n"
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
        columns = ", ".join(_columns(values) for values in (objects, members, texts))
        rows += f"    {{{number}, {columns}}},\n"
    body = first.body
    for begin, end, text in reversed(table.places):
        body = body[:begin] + text + body[end:]
    lines = body.splitlines(keepends=True)
    after = sum(" vlSymsp VL_" in line or "vlSelfRef = " in line for line in lines)
    lines[after:after] = [
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
    types = _Types(folder)
    changes: dict[Path, list[tuple[str, str]]] = defaultdict(list)
    saved = 0
    for functions in _instances(folder):
        table = _compare(functions, types)
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
