# SPDX-License-Identifier: Apache-2.0
# mypy: disable-error-code="import-not-found,import-untyped,misc,no-any-return,unused-ignore"
# What `tools/setup docs` installs is not there where `make lint` checks types.
"""A page about a C header, out of its declarations and the comments beside them.

A comment that ends on the line before a declaration is about it and those that follow without an
empty line; one behind a member or a definition, on its line, is about that; `/* --- name --- */`
begins a section; any other is text of the section. Comments are plain text: paragraphs, lists with
- and lists of terms (`term  text`, continued by lines that are indented further).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import tree_sitter_c
from tree_sitter import Language, Node, Parser

from .manual import escaped
from .repository import SiteError

SECTION = re.compile(r"/\* -{3} (.+?) -{3,} \*/$")
TERM = re.compile(r"(\s*)(\S+(?: \S+)?) {2,}(\S.*)")
ITEM = re.compile(r"(\s*)[-*] (\S.*)")
# What stands in comments as code: errors, names of the library, expressions, quoted text.
CODE = re.compile(
    r"docs/[\w/.-]+\.md|-E[A-Z]{2,}\w*|\bsizeof\([^)]*\)|\*\w+\b|\"[^\"]+\"|"
    r"\b[A-Za-z]\w*_\w*(?:\*|\(\))?|\b[a-z]+\(\)|`[^`]+`|\b(?:sim|dev|vfio|tcp):(?:[\w/?=&.:#-]*\w)?|"
    r"(?<![\w)<])/(?:[a-z][\w.-]*/)*[a-z]\w*"
)


@dataclass
class Member:
    """A member, an enumerator or a definition, with its comment."""

    name: str
    value: str
    text: str


@dataclass
class Entry:
    """Declarations that one comment is about."""

    names: list[str]
    code: list[str]
    text: list[str]  # lines of the comment
    members: list[Member] = field(default_factory=list)
    notes: list[list[str]] = field(default_factory=list)
    is_function: bool = False


@dataclass
class Section:
    """A part of the header: text and declarations in their order."""

    title: str
    content: list[Entry | list[str]] = field(default_factory=list)


def comment_lines(comment: str) -> list[str]:
    """The text of a comment, its lines without what frames them."""
    body = comment.removeprefix("/*").removesuffix("*/").rstrip()
    first, *rest = body.split("\n")
    stripped = [re.sub(r"^\s*\*(?: |$)", "", line) for line in rest]
    if rest and not all(re.match(r"\s*(\*|$)", line) for line in rest):
        stripped = [line.strip() for line in rest]
    lines = [first.strip(), *(line.rstrip() for line in stripped)]
    while lines and not lines[0]:
        del lines[0]
    return lines


def _blank(source: str, api: str) -> str:
    """The header without what is C++'s and without attributes of functions, at the same places."""

    def blanks(found: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", found[0])

    source = re.sub(r"#ifdef __cplusplus\n.*?#endif", blanks, source, flags=re.DOTALL)
    source = re.sub(r"#if defined\(__GNUC__\)\n.*?#endif", blanks, source, flags=re.DOTALL)
    return re.sub(rf"\b{api}\b(?! __)", blanks, source)


class Reader:
    """Reads a header into sections."""

    def __init__(self, source: str, path: str) -> None:
        api = re.search(r"#define (\w+_API) __attribute__", source)
        self.source = _blank(source, api[1] if api else "SLUICE_API").encode()
        self.path = path
        tree = Parser(Language(tree_sitter_c.language())).parse(self.source)
        if tree.root_node.has_error:
            bad = next(node for node in _walk(tree.root_node) if node.is_error or node.is_missing)
            raise SiteError(
                f"{path}:{bad.start_point.row + 1}: tree-sitter does not read this as C"
            )
        guard = next(node for node in tree.root_node.children if node.type == "preproc_ifdef")
        self.opening = [node for node in tree.root_node.children if node.type == "comment"]
        self.nodes = [node for node in guard.children[2:] if node.is_named]

    def text(self, node: Node) -> str:
        return self.source[node.start_byte : node.end_byte].decode()

    def sections(self) -> list[Section]:
        found = [Section("")]
        comment: Node | None = None
        last: Entry | None = None
        row = -2  # of the end of what came before
        for node in self.nodes:
            if node.type == "comment":
                title = SECTION.match(self.text(node))
                if last and node.start_point.row == row:  # behind a definition
                    last.members[-1].text = " ".join(comment_lines(self.text(node)))
                    row = node.end_point.row
                    continue
                if comment is not None:
                    found[-1].content.append(comment_lines(self.text(comment)))
                comment, last = None, None
                if title:
                    found.append(Section(title[1][0].upper() + title[1][1:]))
                else:
                    comment = node
                row = node.end_point.row
                continue
            if node.type in ("preproc_include", ";"):
                continue
            joined = node.start_point.row <= row + 1
            if comment is not None and not joined:
                found[-1].content.append(comment_lines(self.text(comment)))
                comment = None
            entry = self.entry(node, comment)
            if entry is not None:
                if last and comment is None and joined and last.is_function == entry.is_function:
                    last.names += entry.names
                    last.code += entry.code
                    last.members += entry.members
                else:
                    found[-1].content.append(entry)
                    last = entry
            comment = None
            row = node.end_point.row - (node.type == "preproc_def")  # it ends with its line
        if comment is not None:
            found[-1].content.append(comment_lines(self.text(comment)))
        return [section for section in found if section.content]

    def entry(self, node: Node, comment: Node | None) -> Entry | None:
        about = comment_lines(self.text(comment)) if comment else []
        if node.type in ("preproc_def", "preproc_function_def"):
            return self.definition(node, about)
        if node.type in ("struct_specifier", "enum_specifier"):
            return self.record(node, about)
        if node.type == "declaration":
            code = " ".join(self.text(node).split())
            function = next(
                (inner for inner in _walk(node) if inner.type == "function_declarator"), None
            )
            if function is None or (name := function.child_by_field_name("declarator")) is None:
                raise SiteError(f"{self.path}:{node.start_point.row + 1}: no function is declared")
            return Entry([self.text(name)], [_wrapped(code)], about, is_function=True)
        if node.type == "type_definition":
            names = [self.text(inner) for inner in node.children if inner.type == "type_identifier"]
            return Entry(names[-1:], [self.text(node)], about, [Member(names[-1], "", "")])
        raise SiteError(f"{self.path}:{node.start_point.row + 1}: the site does not show this")

    def definition(self, node: Node, about: list[str]) -> Entry | None:
        name = node.child_by_field_name("name")
        value = node.child_by_field_name("value")
        assert name is not None
        if value is None:
            return None
        behind = [self.text(inner) for inner in node.children if inner.type == "comment"]
        text = " ".join(line for comment in behind for line in comment_lines(comment))
        member = Member(self.text(name), self.text(value).strip(), text)
        code = f"#define {member.name} {member.value}"
        return Entry([member.name], [code], about, [member])

    def record(self, node: Node, about: list[str]) -> Entry:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        assert name is not None and body is not None
        entry = Entry([self.text(name)], [], about)
        lines: list[str] = []
        row = -1
        for inner in body.children:
            if inner.type == "comment":
                lines_of = comment_lines(self.text(inner))
                if inner.start_point.row == row and entry.members:
                    before = entry.members[-1].text
                    entry.members[-1].text = " ".join([*([before] if before else []), *lines_of])
                    row = inner.end_point.row
                elif entry.members and _is_below(self.source, inner):
                    entry.members[-1].text += " " + " ".join(lines_of)
                else:
                    entry.notes.append(lines_of)
                continue
            if not inner.is_named:
                continue
            row = inner.end_point.row
            code = " ".join(self.text(inner).split())
            lines.append(f"    {code}" + ("," if inner.type == "enumerator" else ""))
            entry.members.append(self.member(inner, code))
        kind = "struct" if node.type == "struct_specifier" else "enum"
        entry.code = [f"{kind} {entry.names[0]} {{", *lines, "};"]
        return entry

    def member(self, node: Node, code: str) -> Member:
        if node.type == "enumerator":
            name, _, value = code.partition(" = ")
            return Member(name, value, "")
        declarator = node.child_by_field_name("declarator")
        assert declarator is not None, code
        shown = self.text(declarator)
        name = next(
            self.text(inner) for inner in _walk(declarator) if inner.type == "field_identifier"
        )
        kind = code.removesuffix(";").removesuffix(shown).strip()
        return Member(name, kind + shown.replace(name, ""), "")


def _is_below(source: bytes, node: Node) -> bool:
    """Whether a comment stands far to the right, below one that it goes on with."""
    start = source.rfind(b"\n", 0, node.start_byte) + 1
    return node.start_byte - start >= 20


def _walk(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _walk(child)


def _wrapped(code: str) -> str:
    """A function's declaration, in lines that a narrow page has room for."""
    if len(code) <= 80:
        return code
    head, _, rest = code.partition("(")
    parameters = rest.removesuffix(");").split(", ")
    return f"{head}(\n    " + ",\n    ".join(parameters) + ");"


class Writer:
    """Writes sections as Markdown."""

    def __init__(self, known: dict[str, str], document: Callable[[str], str | None]) -> None:
        """`known`: the anchor of each name; `document`: a link to a file of docs/."""
        self.known = known
        self.document = document

    def inline(self, text: str, besides: str = "") -> str:
        """Text with names as code; `besides` are not links, where they are described."""
        parts: list[str] = []
        position = 0
        for found in CODE.finditer(text):
            parts += [escaped(text[position : found.start()]), self.code(found[0], besides)]
            position = found.end()
        return "".join([*parts, escaped(text[position:])])

    def code(self, text: str, besides: str) -> str:
        if text.startswith("docs/"):
            link = self.document(text)
            return f"[{escaped(text)}]({link})" if link else f"`{text}`"
        shown = text.strip("`")
        name = shown.removesuffix("()")
        if name in self.known and name != besides:
            return f"[`{shown}`]({self.known[name]})"
        return f"`{shown}`"

    def prose(self, lines: list[str], besides: str = "") -> list[str]:
        out: list[str] = []
        parts: list[tuple[str, int, list[str]]] = []  # kind, indent, lines
        for line in lines:
            indent = len(line) - len(line.lstrip())
            kind, at, held = parts[-1] if parts else ("", 0, [])
            if not line.strip():
                parts.append(("", 0, []))
            elif item := ITEM.match(line):
                parts.append(("item", indent, [item[2]]))
            elif (term := TERM.match(line)) and not (held and kind == "" and indent == at):
                parts.append(("term", indent, [term[2], term[3]]))
            elif held and (kind == "" or indent > at):
                held.append(line.strip())
            else:
                parts.append(("", indent, [line.strip()]))
        for kind, _, held in parts:
            if not held:
                continue
            if kind == "item":
                if out and not out[-1].startswith("- ") and out[-1]:
                    out.append("")
                out.append(f"- {self.inline(' '.join(held), besides)}")
            elif kind == "term":
                out += ["", f"`{held[0]}`", f":   {self.inline(' '.join(held[1:]), besides)}"]
            else:
                out += ["", self.inline(" ".join(held), besides)]
        return [*out, ""]

    def entry(self, entry: Entry) -> list[str]:
        own = entry.names[0]
        calls = "()" if entry.is_function else ""
        head = ", ".join(f"`{name}{calls}`" for name in entry.names[:2])
        if len(entry.names) > 2:
            head += ", …"
        out = ["", f"### {head} {{ #{own} }}", ""]
        out += [f'<a id="{name}"></a>' for name in entry.names[1:]]
        out += ["", "```c", *entry.code, "```", "", *self.prose(entry.text, own)]
        for member in entry.members if not entry.code[0].startswith(("struct", "enum")) else ():
            if member.text:
                out += [f"`{member.name}`", f":   {self.inline(member.text, own)}", ""]
        if entry.code[0].startswith(("struct", "enum")):
            out += self.table(entry)
        for note in entry.notes:
            out += self.prose(note, own)
        return out

    def table(self, entry: Entry) -> list[str]:
        if not any(member.text for member in entry.members):
            return []
        first = "Member" if entry.code[0].startswith("struct") else "Name"
        out = ["", f"| {first} | Meaning |", "|---|---|"]
        for member in filter(lambda member: member.text, entry.members):
            anchor = f' <a id="{member.name}"></a>' if first == "Name" else ""
            out.append(f"| `{member.name}`{anchor} | {self.inline(member.text, entry.names[0])} |")
        return [*out, ""]


def names(sections: list[Section]) -> Iterator[tuple[str, str]]:
    """Every name that a page describes, and its anchor."""
    for section in sections:
        for entry in section.content:
            if isinstance(entry, Entry):
                for name in entry.names:
                    yield name, name
                if entry.code[0].startswith("enum"):
                    for member in entry.members:
                        yield member.name, member.name if member.text else entry.names[0]


def to_markdown(
    source: str, path: str, link: str, known: dict[str, str], document: Callable[[str], str | None]
) -> str:
    """A page about a header. `link` leads to its source; `known` has names of other headers and
    their places, relative to this page; `document` gives the link to a file of docs/."""
    reader = Reader(source, path)
    sections = reader.sections()
    writer = Writer(known | {name: f"#{anchor}" for name, anchor in names(sections)}, document)
    opening = [comment_lines(reader.text(node)) for node in reader.opening]
    opening = [lines for lines in opening if not lines[0].startswith("SPDX")]
    title, *about = opening[0]
    name, _, summary = title.partition(" - ")
    include = path.rsplit("/", 1)[1]
    out = [
        f"# {include}: {escaped(name)}",
        "",
        summary[:1].upper() + summary[1:] + ("" if summary.endswith(".") else "."),
        "",
        f"Source: [`{path}`]({link}).",
        "",
    ]
    out += writer.prose(about)
    for section in sections:
        out += ["", f"## {section.title or 'Definitions'}", ""]
        for part in section.content:
            out += writer.entry(part) if isinstance(part, Entry) else writer.prose(part)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)) + "\n"
