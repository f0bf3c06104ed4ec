# SPDX-License-Identifier: Apache-2.0
"""Lanes at rest are not evaluated.

A lane is an object that Verilator has written for a module of _MODULES, with the objects within.
In the evaluation of a clock edge its functions take turns with the rest of the model's. Everything
but these functions is foreign to the lane here, its own evaluation of inputs included: that always
runs. A lane sees the members that its functions name, if they are inputs of the model or something
foreign may write them.

The rule. In an evaluation in which a lane tries to rest, all its bytes are compared with those
before, wherever its functions go on after something foreign that may have written what the lane
sees or may have read what it writes, and at the end. Members of other objects that it writes are
among these bytes. The lane rests if they stay, and if it sees the same at each of these points.
From then on its functions are left out up to a point where it sees something else than in that
evaluation. They are called from that point on.

Why this is exact. A function reads nothing but members, so it does the same for the same values. In
the attempt it left each of them as it was. A member that a lane writes is written by no foreign
piece of the evaluation, which could hide a change from the comparison. Nobody else writes what a
lane names and does not see. So while it sees the same, its functions would write what is there.
Where they go on, they find the values that they would have left. No byte is ever restored.

A counter that is 1 more after each evaluation would keep a lane from resting. While a lane rests,
its counters go on in the place of the function that writes them, so all readers find the same
values. A lane's functions may only count it or reset it, once in an evaluation, and copy it to
members. A copy made in the attempt would be the counter's value. So a lane with such a copy does
not rest. A board that skips time (skip() in sluice/sim) adds to counters, and to copies that follow
them. Lanes at rest have none of the latter.

An assertion that fails stops the simulation the first time, so it need not print again at rest. A
model that prints without a stop has no lanes that rest. Texts are written and printed, never read.
What a queue has is not among the bytes of a lane, so a lane rests with empty queues only.

What Verilator writes is recognized, not interpreted. Each statement has one of a few forms, whose
reads and writes are known. A model with any other statement has no lanes that rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

_MODULES = ("sl_f2s_lane", "sl_hp_lane", "sl_hwt_lane", "sl_msgdma_lane")

_FUNCTION = re.compile(
    r"^(?:VL_ATTR_COLD )?(?:void|bool) (?P<name>\w+)\((?P<type>\w+)\* vlSelf\) \{\n"
    r"(?: +VL_DEBUG_IF[^\n]*\n)?"
    r" +\w+\* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;\n"
    r" +auto& vlSelfRef = std::ref\(\*vlSelf\)\.get\(\);\n"
    r"(?P<body>.*?)^\}\n",
    re.MULTILINE | re.DOTALL,
)
_OBJECT = re.compile(r"^    (?P<type>V\w+) +(?P<name>TOP(?:__\w+)?);$", re.MULTILINE)
_INPUT = re.compile(r"^ +VL_IN\w*\(&?(\w+),", re.MULTILINE)
_PORT = re.compile(r"^ +VL_(?:IN|OUT)\w*\(&?(\w+),", re.MULTILINE)
_TYPED = re.compile(r"^ +(?P<type>\w[\w:]*(?:<[^;()]*>)?(?:/\*\d+:\d+\*/)?) +(?P<name>\w+);$", re.M)
_WORD = "QData/*63:0*/"
_BYTES = re.compile(
    r"(?:[CSIQ]Data|VlWide<\d+>|VlUnpacked<(?:[CSIQ]Data|VlWide<\d+>|[\s,\d<>]|VlUnpacked)*>)"
)
_STRUCT_TYPE = re.compile(r"V\w+__struct__\d+")
_STRUCT = re.compile(r"^struct (\w+__struct__\d+) \{\n(.*?)^\};", re.MULTILINE | re.DOTALL)
_QUEUE = re.compile(r"Vl(?:Queue|NBACommitQueue)<.*>")
# Of evaluating: written by what starts functions, and read by no function of a lane.
_CONTROL = re.compile(r"__V(?:ico|act|nba|trig|stl)\w+|__Vm_\w+")
_RAM = re.compile(r"\w+__DOT__u_region__DOT__ram")  # a program may write it (ram(), verilated.py)

# Texts, comments and characters have nothing of the structure of code.
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"s?')
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/")
_TEXT_OR_COMMENT = re.compile(rf"{_TEXT.pattern}|{_COMMENT.pattern}")
_CHARACTER = re.compile(r"'.'")
_ASSERTS = "vlSymsp->_vm_contextp__->assertOn()"
_LOOP = re.compile(r"for \(int (?P<name>\w+) = 0; (?P=name) < \d+; \+\+(?P=name)\) \{")
_STATEMENT = re.compile(r"([^;{}]*)([;{}])")
_MEMBER = re.compile(
    r"(?:vlSymsp->(?P<object>TOP\w*)\.|vlSelfRef\.|vlSelf->)(?!vlSymsp\b)(?P<member>\w+)"
)
_FIELD = re.compile(r"\.\s*\w+\b(?!\s*\()")
_NAME = re.compile(r"[A-Za-z_]\w*")
_NUMBER = re.compile(r"\b\d\w*")
_HEAD = re.compile(r"(?:else|do)?|(?:else )?if (?P<if>\(.*\))|while (?P<while>\(.*\))", re.DOTALL)
_DECLARATION = re.compile(
    r"(?P<type>int|[CSIQ]Data|std::string|VlWide<\d+>|VlUnpacked<[\w<>,\s]+>|V\w+__struct__\d+)"
    r"\s+(?P<name>\w+)"
)
_CALL = re.compile(r"(?P<name>V\w+)\((?:\(&vlSymsp->(?P<object>TOP\w*)\)|vlSelf)\)")
_JUMP = re.compile(r"(?P<to>\w+):|goto (?P<from>\w+)")
_ZERO = re.compile(r"VL_ZERO_W\(\d+, (?P<target>.*)\)", re.DOTALL)
_METHOD = re.compile(
    r"(?:std::ignore = )?(?P<target>[^()]*?)\.(?P<method>push_back|pop_front|clear|enqueue|commit)"
    r"\((?P<arguments>.*)\)",
    re.DOTALL,
)
_PRINT = re.compile(r"VL_WRITEF_NX\(.*\)", re.DOTALL)
_STOP = re.compile(r'VL_STOP_MT\("", \d+, ""(?:, false)?\)')
_ASSIGN = re.compile(r"(?<![=!<>])=(?!=)")
_TARGET = re.compile(
    rf"(?:{_MEMBER.pattern}|(?P<local>\w+))(?P<parts>(?:\s*\.\s*\w+|\s*\[.*\])*)", re.DOTALL
)
_ADDRESS = re.compile(r"(?:^|[^\s\w)\]])\s*&")
_WRITES = re.compile(r"\+\+|--|(?<![=!<>])=(?!=)|<<=|>>=|->")
_PLAIN = re.compile(r"[\w\s()\[\]?:~!&|^+\-*/%<>=,.\"]*")
_CALLED = re.compile(r"\.\s*(\w+)\s*\(")
# What the conditions and values of statements call; none of these writes anything.
_PURE = re.compile(
    r"VL_(?:UNLIKELY|LIKELY|SHIFT[LR]S?_[IQ]{3}|COUNTONES_[IQ]|ONEHOT0?_[IQ]|REDXOR_\w+|EXTENDS_[IQ]{2}"
    r"|(?:GT|GTE|LT|LTE)S_[IQ]{3})|[CSIQ]Data|true|false|V\w+__ConstPool__\w+"
)

_BLOCK = re.compile(
    r"(?P<head>.*?^    if \(\(1ULL & vlSelfRef\.__VnbaTriggered\[0U\]\)\) \{\n)"
    r"(?P<body>.*?)^    \}\n",
    re.MULTILINE | re.DOTALL,
)
_CALL_LINE = re.compile(rf"^ {{8}}{_CALL.pattern};\n$")
_STARTED = re.compile(r"\b(V\w+)\(")
_HELPERS = re.compile(r"(?:dump_triggers|trigger_\w+?)__\w+")  # their arguments are of _CONTROL

_Name = tuple[str, str]  # object of the model, member


class _Unknown(Exception):
    """A piece of code of none of the known forms."""


@dataclass
class _Uses:
    """What a piece of code names: all members, and those that it may write."""

    named: set[_Name] = field(default_factory=set)
    read: set[_Name] = field(default_factory=set)  # but for what is only printed
    written: set[_Name] = field(default_factory=set)
    calls: list[_Name] = field(default_factory=list)  # object, function

    def add(self, other: _Uses) -> None:
        self.named |= other.named
        self.read |= other.read
        self.written |= other.written


class _Code:
    """The statements of a function, and what they name of the object `own` and of others."""

    def __init__(self, text: str, own: str) -> None:
        """_Unknown: one is of no known form."""
        self.own = own
        self.uses = _Uses()
        self.statements: list[str] = []
        self.repeated: set[int] = set()  # numbers of statements within loops
        self.locals: set[str] = set()
        self._labels: set[str] = set()
        text = _TEXT_OR_COMMENT.sub(lambda match: '""' if match[0][0] == '"' else "", text)
        text = _CHARACTER.sub("0", text)
        text = text.replace(_ASSERTS, "true")
        for loop in _LOOP.finditer(text):
            self.locals.add(loop["name"])
        text = _LOOP.sub("while (0) {", text)
        printed = False
        loops: list[bool] = []  # for each block around a statement, whether it is one
        end = 0
        for match in _STATEMENT.finditer(text):
            statement, closed = match[1].strip(), match[2]
            end = match.end()
            if printed and not _STOP.fullmatch(statement):
                raise _Unknown(f"it prints and goes on: {statement}")
            printed = bool(_PRINT.fullmatch(statement))
            if closed == ";":
                if not printed and not _STOP.fullmatch(statement):
                    self._statement(statement)
                elif printed:
                    self._print(statement)
            elif closed == "{":
                self._head(statement)
                loops.append(statement.startswith(("do", "while")))
            elif statement or not loops:
                raise _Unknown(f"{statement}}}")
            else:
                loops.pop()
            if statement:
                if any(loops):
                    self.repeated.add(len(self.statements))
                self.statements.append(statement)
        if text[end:].strip() or printed or loops:
            raise _Unknown(text[end:])

    def _name(self, text: str) -> set[_Name]:
        names = {(match["object"] or self.own, match["member"]) for match in _MEMBER.finditer(text)}
        self.uses.named |= names
        return names

    def _print(self, text: str) -> None:
        if _WRITES.search(_MEMBER.sub("0", text.replace("vlSymsp->name()", "0"))):
            raise _Unknown(text)
        self._name(text)

    def _read(self, text: str) -> None:
        """An expression, which writes nothing."""
        self.uses.read |= self._name(text)
        if _WRITES.search(_MEMBER.sub("0", text)) or _ADDRESS.search(text.replace("&&", "+")):
            raise _Unknown(text)
        if not _PLAIN.fullmatch(_MEMBER.sub("0", text)):
            raise _Unknown(text)
        if set(_CALLED.findall(text)) - {"size", "at"}:
            raise _Unknown(text)
        rest = _FIELD.sub("", _NUMBER.sub("0", _MEMBER.sub("0", text)))
        for name in set(_NAME.findall(rest)) - self.locals - {"size", "at"}:
            if not _PURE.fullmatch(name):
                raise _Unknown(f"{name} in {text}")

    def _write(self, text: str) -> None:
        target = _TARGET.fullmatch(text.strip())
        if target is None:
            raise _Unknown(text)
        self._read(target["parts"])
        if target["member"]:
            name = target["object"] or self.own, target["member"]
            self.uses.named.add(name)
            self.uses.written.add(name)
        elif target["local"] not in self.locals:
            raise _Unknown(text)

    def _head(self, text: str) -> None:
        head = _HEAD.fullmatch(text)
        if head is None:
            raise _Unknown(text)
        self._read(head["if"] or head["while"] or "")

    def _statement(self, text: str) -> None:
        if not text:
            return
        if jump := _JUMP.fullmatch(text):
            if jump["to"]:
                self._labels.add(jump["to"])
            elif jump["from"] in self._labels:
                raise _Unknown(f"it jumps back: {text}")
        elif declared := _DECLARATION.fullmatch(text):
            self.locals.add(declared["name"])
        elif call := _CALL.fullmatch(text):
            self.uses.calls.append((call["object"] or self.own, call["name"]))
        elif zero := _ZERO.fullmatch(text):
            self._write(zero["target"])
        elif method := _METHOD.fullmatch(text):
            self._write(method["target"])
            if method["method"] == "commit":
                self._write(method["arguments"])
            else:
                self._read(method["arguments"])
        elif text.startswith("while "):
            self._head(text)
        else:
            parts = _ASSIGN.split(text, maxsplit=1)
            if len(parts) != 2:
                raise _Unknown(text)
            self._write(parts[0])
            self._read(parts[1])


class _Model:
    """What Verilator has written of a model."""

    def __init__(self, folder: Path) -> None:
        self.name = f"V{folder.name}"
        self.folder = folder
        self.objects = {
            match["name"]: match["type"]
            for match in _OBJECT.finditer((folder / f"{self.name}__Syms.h").read_text())
        }
        root = (folder / f"{self.name}___024root.h").read_text()
        self.inputs = {("TOP", member) for member in _INPUT.findall(root)}
        self.bodies: dict[str, str] = {}
        self.files: dict[str, Path] = {}
        for path in sorted(folder.glob("V*.cpp")):
            for match in _FUNCTION.finditer(path.read_text()):
                self.bodies[match["name"]] = match["body"]
                self.files[match["name"]] = path
        self._codes: dict[_Name, _Code] = {}
        self._uses: dict[_Name, _Uses] = {}
        self._types: dict[str, dict[str, str]] = {}
        self._structs: dict[str, set[str]] | None = None

    def root(self, function: str) -> str:
        return f"{self.name}___024root___{function}"

    def type(self, name: _Name) -> str:
        """The type of a member; "port" of a port, and empty of what is unknown."""
        own = self.objects[name[0]]
        if own not in self._types:
            text = (self.folder / f"{own}.h").read_text()
            self._types[own] = dict.fromkeys(_PORT.findall(text), "port") | {
                match["name"]: match["type"] for match in _TYPED.finditer(text)
            }
        return self._types[own].get(name[1], "")

    def plain(self, type_: str) -> bool:
        """Whether all that a type has are its bytes."""
        if self._structs is None:
            self._structs = {}
            for header in self.folder.glob("V*.h"):
                for name, body in _STRUCT.findall(header.read_text()):
                    self._structs[name] = {m["type"] for m in _TYPED.finditer(body)}
        if _STRUCT_TYPE.fullmatch(type_):
            return all(map(self.plain, self._structs.get(type_, {""})))
        return type_ == "port" or bool(_BYTES.fullmatch(_COMMENT.sub("", type_)))

    def lanes(self) -> list[list[str]]:
        """The outermost lanes, each with its objects, in the order of the model's."""
        kind = re.compile(rf"{self.name}_(?:{'|'.join(_MODULES)})(?:__\w+)?")
        tops: list[str] = []
        for name, cls in self.objects.items():
            if kind.fullmatch(cls) and not any(name.startswith(f"{top}__") for top in tops):
                tops.append(name)
        return [
            [name for name in self.objects if name == top or name.startswith(f"{top}__")]
            for top in tops
        ]

    def code(self, own: str, function: str) -> _Code:
        """A function of an object. _Unknown: it is none, or has an unknown statement."""
        if function not in self.bodies:
            raise _Unknown(function)
        key = own, function
        if key not in self._codes:
            self._codes[key] = _Code(self.bodies[function], own)
        return self._codes[key]

    def uses(self, own: str, function: str) -> _Uses:
        """What a function of an object uses, with all that it calls."""
        key = own, function
        if key not in self._uses:
            self._uses[key] = self.uses_of(self.code(own, function))
        return self._uses[key]

    def uses_of(self, code: _Code) -> _Uses:
        found = _Uses()
        found.add(code.uses)
        for own, function in code.uses.calls:
            found.add(self.uses(own, function))
        return found


@dataclass
class _Piece:
    """A part of an evaluation: a call of a function of an object, or statements between calls."""

    text: str
    uses: _Uses
    owner: str = ""  # of a call: its object
    function: str = ""


@dataclass
class _Counter:
    name: _Name
    function: str  # which writes it
    copies: list[_Name]


@dataclass
class _Lane:
    number: int
    objects: list[str]
    uses: _Uses = field(default_factory=_Uses)
    sees: set[_Name] = field(default_factory=set)
    counters: list[_Counter] = field(default_factory=list)
    points: list[list[_Name]] = field(default_factory=list)  # what is compared there

    @property
    def others(self) -> list[_Name]:
        """The members of other objects that it writes."""
        return sorted(name for name in self.uses.written if name[0] not in self.objects)


def _pieces(model: _Model, block: str) -> list[_Piece]:
    pieces: list[_Piece] = []
    between = ""
    for line in [*block.splitlines(keepends=True), ""]:
        call = _CALL_LINE.match(line)
        if not call and line:
            between += line
            continue
        if between:
            pieces.append(_Piece(between, model.uses_of(_Code(between, "TOP"))))
            between = ""
        if call:
            owner = call["object"] or "TOP"
            pieces.append(_Piece(line, model.uses(owner, call["name"]), owner, call["name"]))
    return pieces


def _before(model: _Model) -> _Uses:
    """What is written between two evaluations of a clock edge. _Unknown: more may be."""
    phases = {"ico", "act", "nba"}
    may = {
        "eval": {f"eval_phase__{phase}" for phase in phases},
        **{
            f"eval_phase__{phase}": {f"eval_{phase}", f"eval_triggers_vec__{phase}"}
            for phase in phases
        },
    }
    for function, calls in may.items():
        body = model.bodies.get(model.root(function), "")
        if not body and not function.endswith("ico"):
            raise _Unknown(f"it has no {function}")
        for match in _MEMBER.finditer(body):
            if not _CONTROL.fullmatch(match["member"]) and match["member"] != "clk_i":
                raise _Unknown(f"{function} names {match['member']}")
        started = {
            name.removeprefix(model.root(""))
            for name in _STARTED.findall(body)
            if name.startswith(model.name)
        }
        more = {name for name in started - calls if not _HELPERS.fullmatch(name)}
        if more:
            raise _Unknown(f"{function} calls {', '.join(sorted(more))}")
    found = _Uses()
    for function in ("eval_ico", "eval_act", "eval_triggers_vec__ico", "eval_triggers_vec__act"):
        if model.root(function) in model.bodies:
            found.add(model.uses("TOP", model.root(function)))
    return found


def _counter(model: _Model, lane: _Lane, member: str, pieces: list[_Piece]) -> _Counter | None:
    """A member of the lane's first object, if its functions only count, reset and copy it."""
    top = lane.objects[0]
    name = top, member
    if model.type(name) != _WORD or name in lane.sees:
        return None
    writers = [piece for piece in pieces if name in piece.uses.written]
    if len(writers) != 1:
        return None
    here = re.escape(f"vlSelfRef.{member}")
    named = re.compile(rf"(?:\.|->){member}(?!\w)")
    copies: list[_Name] = []
    for piece in pieces:
        if name not in piece.uses.named:
            continue
        code = model.code(piece.owner, piece.function)
        if code.uses.calls:
            return None
        assigned = [re.sub(r"\s+", " ", text) for text in code.statements if named.search(text)]
        locals_ = {
            match[1]
            for text in assigned
            if (match := re.fullmatch(rf"(\w+) = (?:\(1ULL \+ )?{here}\)?", text))
        }
        local = "|".join(map(re.escape, sorted(locals_))) or r"(?!)"
        plain = re.compile(
            rf"(?:{local}) = (?:{here}|\(1ULL \+ {here}\)|0|0ULL)|QData (?:{local})"
            rf"|{here} = (?:{local}|\(1ULL \+ {here}\)|0ULL)"
        )
        copy = re.compile(rf"vlSelfRef\.(\w+) = {here}")
        uses_local = re.compile(rf"(?<!\w)(?:{local})(?!\w)")
        for statement in code.statements:
            text = re.sub(r"\s+", " ", statement) if member in statement or locals_ else statement
            if not named.search(text) and not uses_local.search(text):
                continue
            if match := copy.fullmatch(text):
                if not _kept(code, match[1]):
                    return None
                copies.append((top, match[1]))
            elif not plain.fullmatch(text):
                return None
        if piece is writers[0] and not _counts_once(code, here, local):
            return None
    for copied in copies:
        others = [piece for piece in pieces if copied in piece.uses.written]
        if model.type(copied) != _WORD or copied in lane.sees or len(others) != 1:
            return None
    return _Counter(name, writers[0].function, copies)


def _counts_once(code: _Code, here: str, local: str) -> bool:
    """Whether what a function makes of a counter is the same, 1 more, or 0: it counts, in no loop,
    before it writes the member the first time. Else it could count what it has counted or reset."""

    def numbers(statement: str) -> list[int]:
        form = re.compile(statement)
        return [number for number, text in enumerate(code.statements) if form.match(text)]

    counted = numbers(rf"(?s:(?:{local}|{here})\s*=[^=].*{here}(?!\w))")
    written = numbers(rf"{here}\s*=(?!=)")
    if not counted or not written or {*counted, *written} & code.repeated:
        return False
    return max(counted) <= min(written)


def _kept(code: _Code, member: str) -> bool:
    """Whether a function reads a member of its object only after the last statement that writes it,
    none of them repeated, and that one does not read it: what it wrote before is then nowhere."""
    named = re.compile(rf"(?:\.|->){member}(?!\w)")
    target = re.compile(rf"vlSelfRef\.{member}\s*=(?!=)(?P<value>.*)", re.DOTALL)
    read = False
    for number, text in enumerate(code.statements):
        if not named.search(text):
            continue
        match = target.fullmatch(text)
        if match and (read or number in code.repeated or named.search(match["value"])):
            return False
        read = read or not match
    return True


def _find_counters(model: _Model, lane: _Lane, pieces: list[_Piece]) -> list[_Counter]:
    counted = re.compile(r"= \(1ULL \+ vlSelfRef\.(\w+)\)$")
    candidates: set[str] = set()
    for piece in pieces:
        if piece.owner == lane.objects[0]:
            for statement in model.code(piece.owner, piece.function).statements:
                if match := counted.search(statement):
                    candidates.add(match[1])
    found = (_counter(model, lane, member, pieces) for member in sorted(candidates))
    return [counter for counter in found if counter]


def _check_member(model: _Model, lane: _Lane, name: _Name) -> None:
    """_Unknown: a lane that names this member cannot rest."""
    type_ = model.type(name)
    if _RAM.fullmatch(name[1]) or (name[0] == "TOP" and _CONTROL.fullmatch(name[1])):
        raise _Unknown(f"a lane names {name[1]}")
    if type_ == "std::string" and name not in lane.uses.read | lane.sees:
        return
    if not (_QUEUE.fullmatch(type_) and name not in lane.sees) and not model.plain(type_):
        raise _Unknown(f"a lane names {name[1]}, of type {type_ or 'unknown'}")


def _analyse(model: _Model, pieces: list[_Piece]) -> list[_Lane]:
    """The model's lanes. _Unknown: they are not such as may rest."""
    lanes = [_Lane(number, objects) for number, objects in enumerate(model.lanes())]
    if len(lanes) < 2:
        raise _Unknown("it has less than two lanes")
    before = _before(model)
    for lane in lanes:
        own = [piece for piece in pieces if piece.owner in lane.objects]
        foreign: set[_Name] = set()
        for piece in pieces:
            if piece.owner in lane.objects:
                lane.uses.add(piece.uses)
            else:
                foreign |= piece.uses.written
        if both := foreign & lane.uses.written:
            raise _Unknown(f"a lane and another piece of code write {sorted(both)[0]}")
        lane.sees = lane.uses.named & (foreign | before.written | model.inputs)
        for name in lane.uses.named:
            _check_member(model, lane, name)
        lane.counters = _find_counters(model, lane, own)
    return lanes


def _points(lane: _Lane, pieces: list[_Piece]) -> Iterator[list[_Name] | None]:
    """For each piece: what is compared before it, if it is one of the lane's functions, and either
    something may have changed since it was compared, or something foreign has named what the lane
    writes."""
    unsure = set(lane.sees)
    shown = True  # what the lane has written since the last point may have been seen
    for piece in pieces:
        if piece.owner not in lane.objects:
            unsure |= piece.uses.written & lane.sees
            shown = shown or bool(piece.uses.named & lane.uses.written)
            yield None
            continue
        compared = sorted(piece.uses.named & unsure)
        unsure -= piece.uses.named
        yield compared if compared or shown else None
        shown = False


def _rewrite(model: _Model, lanes: list[_Lane], pieces: list[_Piece]) -> str:
    """The pieces, with those of lanes called unless these rest. Notes the lanes' points."""
    compared = [list(_points(lane, pieces)) for lane in lanes]
    of_object = {name: lane for lane in lanes for name in lane.objects}
    text = "        Lanes& lanes = Lanes::of(*vlSymsp);\n"
    for number, piece in enumerate(pieces):
        lane = of_object.get(piece.owner)
        if lane is None:
            text += piece.text
            continue
        n = lane.number
        names = compared[n][number]
        if names is not None:
            declared = "" if lane.points else "bool "
            goes = f"lanes.lane{n}.goes<{len(lane.points)}>(*vlSymsp, lanes.pace)"
            text += f"        {declared}go{n} = {goes};\n"
            lane.points.append(names)
        text += f"        if (go{n}) {piece.text.lstrip()}"
        counts = "".join(
            f" lanes.lane{n}.count({count}, *vlSymsp);"
            for count, counter in enumerate(lane.counters)
            if counter.function == piece.function
        )
        if counts:
            text += f"        else {{{counts} }}\n"
    return text + "".join(f"        lanes.lane{n}.end(*vlSymsp);\n" for n in range(len(lanes)))


def _at(name: _Name) -> str:
    return f"s.{name[0]}.{name[1]}"


def _lane_code(model: _Model, lane: _Lane) -> str:
    """The struct of a lane, for what is the same in all lanes."""
    sees = {name: number for number, name in enumerate(sorted(lane.sees))}
    fields = "".join(
        f"        Kept<decltype(model().{of}.{member})> of{number};\n"
        for (of, member), number in sees.items()
    )
    keep = "".join(
        f"        copy(kept.of{number}, {_at(name)});\n" for name, number in sees.items()
    )
    points = ""
    for number, names in enumerate(lane.points):
        equal = "\n            && ".join(
            ["true", *(f"equal({_at(name)}, kept.of{sees[name]})" for name in names)]
        )
        points += (
            f"    static bool same(const Syms& s, const Sees& kept, Point<{number}>) {{\n"
            f"        return {equal};\n    }}\n"
        )
    whole = [f"s.{name}" for name in lane.objects] + [_at(name) for name in lane.others]
    sizes = " + ".join(f"sizeof model().{text[2:]}" for text in whole)
    each = "".join(f"        visit({text});\n" for text in whole)
    counters = "".join(f"&{_at(counter.name)}, " for counter in lane.counters)
    offset = "".join(
        f"offsetof({model.objects[counter.name[0]]}, {counter.name[1]}), "
        for counter in lane.counters
    )
    copied = " || ".join(
        f"(step[{number}] != 0 && copied({_at(name)}, from[{number}]))"
        for number, counter in enumerate(lane.counters)
        for name in counter.copies
    )
    waiting = " && ".join(
        ["true"]
        + [
            f"empty({_at((of, member))})"
            for of, member in sorted(lane.uses.named)
            if _QUEUE.fullmatch(model.type((of, member)))
        ]
    )
    return f"""
struct Of{lane.number} {{
    struct Sees {{
{fields}    }};
    static constexpr std::size_t kBytes = {sizes};
    static constexpr int kCounters = {len(lane.counters)};
    static constexpr std::size_t kOffsets[] = {{{offset}0}};
    static QData* counter(Syms& s, int number) {{
        QData* const all[] = {{{counters}nullptr}};
        return all[number];
    }}
    static bool copies(const Syms& s, const QData* from, const QData* step) {{
        return {copied or "false"}; }}
    static bool waiting(const Syms& s) {{ return !({waiting}); }}
    static void keep(const Syms& s, Sees& kept) {{
{keep}    }}
{points}    template <typename Visit> static void each(const Syms& s, Visit visit) {{
{each}    }}
}};
"""


_COMMON = """
// Of tools/verilated_rest.py.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>
namespace {{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
using Syms = {syms};
Syms& model();  // of expressions that are not evaluated
template <typename T> using Kept = std::remove_cv_t<std::remove_reference_t<T>>;
template <typename T> bool equal(const T& a, const T& b) {{
    return std::memcmp(&a, &b, sizeof a) == 0;
}}
template <typename T> void copy(T& to, const T& from) {{ std::memcpy(&to, &from, sizeof to); }}
// Whether a copy of a counter may have been made while that was 1 more than `from`, or the same.
inline bool copied(QData copy, QData from) {{ return copy == from || copy == from + 1; }}
// What a queue has is not among the bytes of a lane.
template <typename T, std::size_t N> bool empty(const VlQueue<T, N>& queue) {{
    return queue.size() == 0;
}}
template <typename T, bool P, typename E, std::size_t N>
bool empty(const VlNBACommitQueue<T, P, E, N>& queue) {{
    const void* ends[3];  // of its vector: where it begins and ends
    static_assert(sizeof queue == sizeof ends && sizeof queue == sizeof(std::vector<E>));
    std::memcpy(ends, static_cast<const void*>(&queue), sizeof ends);
    return ends[0] == ends[1];
}}
template <int kNumber> using Point = std::integral_constant<int, kNumber>;

// Evaluations between attempts to rest: twice as many after each one that fails.
struct Pace {{
    unsigned fewest = 16, most = 512;
}};
template <typename Of> struct Lane {{
    enum Mode : unsigned char {{ kWorks, kTries, kRests }};

    // At each point: whether its functions have to be called up to the next one.
    template <int kPoint> bool goes(Syms& s, const Pace& pace) {{
        if (mode == kWorks && (kPoint != 0 || --left != 0)) return true;
        if (mode == kRests && Of::same(s, sees, Point<kPoint>{{}})) return false;
        if (mode == kRests) {{
            work(pace.fewest);
        }} else if (kPoint == 0)
            try_to_rest(s, pace);
        else if (!Of::same(s, sees, Point<kPoint>{{}}) || !unchanged(s))
            mode = kWorks;
        return true;
    }}
    void end(Syms& s) {{
        if (mode == kTries) mode = unchanged(s) && may_rest(s) ? kRests : kWorks;
    }}
    void work(unsigned evaluations) {{
        mode = kWorks;
        left = wait = evaluations;
    }}
    // In the place of the function that writes a counter.
    void count(int number, Syms& s) {{ *Of::counter(s, number) += step[number]; }}

    Mode mode = kWorks;
    unsigned left = Pace().fewest, wait = left;

 private:
    QData from[Of::kCounters + 1] = {{}};  // values of counters before the attempt
    QData step[Of::kCounters + 1] = {{}};  // what an evaluation adds
    typename Of::Sees sees;
    unsigned char bytes[Of::kBytes];

    [[gnu::noinline]] void try_to_rest(Syms& s, const Pace& pace) {{
        left = wait = std::min(2 * wait, pace.most);
        mode = kWorks;
        if (pace.most == 0 || Of::waiting(s)) return;
        mode = kTries;
        Of::keep(s, sees);
        unsigned char* to = bytes;
        Of::each(s, [&](const auto& part) {{
            std::memcpy(to, static_cast<const void*>(&part), sizeof part);
            to += sizeof part;
        }});
        for (int i = 0; i < Of::kCounters; ++i) from[i] = *Of::counter(s, i);
    }}
    // Its bytes are those before the attempt, but for counters.
    [[gnu::noinline]] bool unchanged(Syms& s) {{
        for (int i = 0; i < Of::kCounters; ++i)
            std::memcpy(bytes + Of::kOffsets[i], Of::counter(s, i), sizeof(QData));
        bool same = !Of::waiting(s);
        const unsigned char* was = bytes;
        Of::each(s, [&](const auto& part) {{
            same = same && !std::memcmp(&part, was, sizeof part);
            was += sizeof part;
        }});
        return same;
    }}
    bool may_rest(Syms& s) {{
        for (int i = 0; i < Of::kCounters; ++i) {{
            const QData now = *Of::counter(s, i);
            step[i] = now - from[i];
            if (step[i] > 1 || (step[i] == 1 && now == 0)) return false;
        }}
        return !Of::copies(s, from, step);
    }}
}};
{lanes}
struct Lanes {{
    Pace pace;
{members}    static Lanes& of(Syms& s) {{ return *static_cast<Lanes*>(s.sl_lanes.get()); }}
}};
}}  // namespace
#pragma GCC diagnostic pop
std::shared_ptr<void> {name}_lanes() {{ return std::make_shared<Lanes>(); }}
void {name}::rest(unsigned fewest, unsigned most) {{
    Lanes& lanes = Lanes::of(*vlSymsp);
    lanes.pace = {{fewest, most}};
{works}}}
unsigned {name}::resting() const {{
    const Lanes& lanes = Lanes::of(*vlSymsp);
    return {resting};
}}
"""
_INIT = "    bool __Vm_didInit = false;\n"
_LANES = "    const std::shared_ptr<void> sl_lanes = {name}_lanes();\n"
_INCLUDE = '#include "verilated.h"\n'
_SYMS = """
#include <memory>

std::shared_ptr<void> {name}_lanes();  // of tools/verilated_rest.py
"""
_CAPABILITIES = "    // CONSTEXPR CAPABILITIES"
_REST = """\
    // Evaluations between attempts of a lane to rest, 1 and more: the fewest, after it has worked,
    // and the most, after attempts that failed. 0, 0: none rests. And how many lanes are at rest.
    void rest(unsigned fewest, unsigned most);
    unsigned resting() const;

"""


def rest_lanes(folder: Path) -> int:
    """Has the lanes of the model in Verilator's --Mdir rest. Returns how many may: all or none."""
    model = _Model(folder)
    name = model.root("eval_nba")
    block = _BLOCK.fullmatch(model.bodies.get(name, ""))
    if block is None or ";" in block["head"] or len(model.lanes()) < 2:
        return 0
    try:
        pieces = _pieces(model, block["body"])
        lanes = _analyse(model, pieces)
    except _Unknown:
        return 0
    text = _rewrite(model, lanes, pieces)
    common = _COMMON.format(
        name=model.name,
        syms=f"{model.name}__Syms",
        lanes="".join(_lane_code(model, lane) for lane in lanes),
        members="".join(f"    Lane<Of{lane.number}> lane{lane.number};\n" for lane in lanes),
        works="".join(f"    lanes.lane{lane.number}.work(fewest);\n" for lane in lanes),
        resting=" + ".join(
            f"(lanes.lane{lane.number}.mode == Lane<Of{lane.number}>::kRests)" for lane in lanes
        ),
    )
    path = model.files[name]
    source = path.read_text()
    function = next(match for match in _FUNCTION.finditer(source) if match["name"] == name)
    whole = function[0].replace(block["body"], text)
    path.write_text(source.replace(function[0], common + "\n" + whole))
    lanes_of = _LANES.format(name=model.name)
    _put(folder / f"{model.name}__Syms.h", _INCLUDE, _INCLUDE + _SYMS.format(name=model.name))
    _put(folder / f"{model.name}__Syms.h", _INIT, _INIT + lanes_of)
    _put(folder / f"{model.name}.h", _CAPABILITIES, _REST + _CAPABILITIES)
    return len(lanes)


def _put(path: Path, place: str, text: str) -> None:
    """Puts a text in place of another one that a file has once. ValueError: it has not."""
    whole = path.read_text()
    if whole.count(place) != 1:
        raise ValueError(f"{path}: not written as expected, no place for lanes at rest")
    path.write_text(whole.replace(place, text))
