# SPDX-License-Identifier: Apache-2.0
"""What users read, out of files: paragraphs of Markdown, comments of public headers (the man pages
come of one), docstrings of public packages (pages of the site come of them), and the literals of
sources that are help, errors and log messages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from tools.site.field_comments import field_comment

Text = tuple[int, str]  # line and a paragraph, an item of a list, a cell, a member or a literal

C_TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<mark>\w*)\((?P<raw>.*?)\)(?P=mark)"'
    r"|\"(?P<text>(?:\\.|[^\"\\\n])*)\"|(?<!\w)'(?:\\.|[^'\\\n])+'",
    re.DOTALL,
)


PUBLIC = ("sluice/io/*.py", "sluice/cuda/*.py")  # packages whose docstrings the site shows

# What a member or an item is about, which is not part of its sentence.
LABEL = re.compile(r"^\s*(?:@\w+: (?:out: )?|[-*] [\w -]+: |[-\w.]+ {2,})")


def paragraphs(lines: list[Text], starts: str) -> Iterator[Text]:
    """Joins lines up to an empty one, or to one that begins as `starts` says."""
    gathered: list[Text] = []
    for line, text in [*lines, (0, "")]:
        if gathered and (not text.strip() or re.match(starts, text)):
            yield gathered[0][0], " ".join(part.strip() for _, part in gathered)
            gathered = []
        if text.strip():
            gathered.append((line, text))


def markdown(source: str) -> Iterator[Text]:
    blank = re.compile(r"^( *)(```|~~~).*?^ *\2 *$|<!--.*?-->", re.MULTILINE | re.DOTALL)
    source = blank.sub(lambda block: "\n" * block[0].count("\n"), source)
    source = re.sub(r"`[^`]+`", lambda code: "CODE" + "\n" * code[0].count("\n"), source)
    source = re.sub(r"\]\([^)]*\)", "]", source)
    lines: list[Text] = []
    for number, line in enumerate(source.split("\n"), 1):
        cells = line.strip().strip("|").split("|") if line.lstrip().startswith("|") else []
        lines += [part for cell in cells for part in ((number, cell), (number, ""))]
        lines += [] if cells else [(number, line), *([(number, "")] if line[:1] == "#" else [])]
    yield from paragraphs(lines, r"\s*([-*+]|\d+[.)])\s|#")


def comments(source: str) -> Iterator[Text]:
    """Comments of C; in kernel-doc, members and items are texts of their own, code is none."""
    for token in C_TOKEN.finditer(source):
        if token[0][0] != "/":
            continue
        first = source.count("\n", 0, token.start()) + 1
        body = re.sub(r"^/[*/]+<?|\**/$", "", token[0])
        lines = [
            (first + number, re.sub(r"^\s*\* ?", "", line))
            for number, line in enumerate(body.split("\n"))
        ]
        code = re.search(r"::\n\n((?:\t.*\n|\n)+)", "\n".join(line for _, line in lines) + "\n")
        dropped = set(code[1].split("\n")) if code else set()
        lines = [(number, "" if line in dropped else line) for number, line in lines]
        for line, text in paragraphs(lines, r"\s*(@\w+:|[-*] |[-\w.]+ {2,}|\"\w+:\"  )"):
            yield line, LABEL.sub("", text)


def literals_c(source: str) -> Iterator[Text]:
    last, start, gathered = -1, 0, ""
    for token in [*C_TOKEN.finditer(source), None]:
        adjacent = token and not source[last : token.start()].strip()
        if gathered and not (adjacent and token and token["text"] is not None):
            yield source.count("\n", 0, start) + 1, gathered
            gathered = ""
        if token and (text := token["text"] if token["raw"] is None else token["raw"]) is not None:
            start = start if gathered else token.start()
            gathered += text.replace("\\n", "\n").replace('\\"', '"')
            last = token.end()


Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.Assign | ast.AnnAssign


def public(node: ast.Module | ast.ClassDef) -> Iterator[Documented]:
    """A module or class, and what is in it, but for names that begin with an underscore."""
    yield node
    for inner in node.body:
        if isinstance(inner, ast.ClassDef | ast.FunctionDef) and not inner.name.startswith("_"):
            yield from public(inner) if isinstance(inner, ast.ClassDef) else [inner]
        if (
            isinstance(node, ast.ClassDef)
            and isinstance(inner, ast.Assign | ast.AnnAssign)
            and not ast.unparse(inner).startswith("_")
        ):
            yield inner


def docstrings(source: str) -> Iterator[Text]:
    """Docstrings of public names, and comments of fields; sections are those of Google's style."""
    for node in public(ast.parse(source)):
        if isinstance(node, ast.Assign | ast.AnnAssign):
            if comment := field_comment(source.split("\n"), node.lineno):
                yield node.lineno, comment
            continue
        lines, of_section = [], False
        for number, line in enumerate((ast.get_docstring(node) or "").split("\n")):
            indented = line.startswith("    ")
            if line.strip() and not indented:
                of_section = re.fullmatch(r"(Args|Returns|Raises|Yields):", line) is not None
            dropped = of_section != indented  # code of an example, or a section's title
            text = re.sub(r"`[^`]+`", "CODE", re.sub(r"^( {4})\w+: ", r"\1", line))
            first = number + (node.body[0].lineno if node.body else 1)
            lines.append((first, "" if dropped else text))
        yield from paragraphs(lines, r" {4}\S|[-*] ")


def literals_python(source: str) -> Iterator[Text]:
    inner: set[ast.AST] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr):
            inner.add(node.value)  # a docstring
        elif isinstance(node, ast.JoinedStr):
            inner.update(node.values)
            values = [
                str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values
            ]
            yield node.lineno, "".join(values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in inner:
            yield node.lineno, node.value


def prose(literals: Iterator[Text]) -> Iterator[Text]:
    """What of literals are sentences: four words or more, and no markup of pages."""
    for line, text in literals:
        if re.search(r"</?[a-z]+[ >]|[{}] *\n|\$\{", text):
            continue
        text = re.sub(r"\{[^{}]*\}|%[-0-9.*lzh]*[a-zA-Z]", "X", text)
        for paragraph in re.split(r"\n\s*\n|\n(?=\s*- )|\n {2,}(?=\S+ {2,})", text):
            bare = " ".join(paragraph.split())
            bare = re.sub(r"^(?:[\w./'-]+(?: [\w'-]+)?: )+", "", bare)  # what an error is about
            bare = re.sub(r": '?X\b", " X", bare)  # a label of what follows
            if len(re.findall(r"[A-Za-z]{2,}", bare)) >= 4:
                yield line, bare


def texts(path: Path) -> Iterator[Text]:
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return markdown(source)
    if "include" in path.parts:  # a public header
        return comments(source)
    literals = prose(literals_python(source) if path.suffix == ".py" else literals_c(source))
    if any(path.match(pattern) for pattern in PUBLIC):
        return chain(docstrings(source), literals)
    return literals
