# SPDX-License-Identifier: Apache-2.0
"""Documents are CommonMark with tables, as GitHub shows them; the site's generator reads
Python-Markdown. Two differences matter: what belongs to an item of a list is indented by the width
of its marker in the one and by four columns a level in the other, and only the first lets a list, a
table or a fence follow a paragraph without an empty line."""

from __future__ import annotations

import re
from dataclasses import dataclass

from markdown_it import MarkdownIt

PARSER = MarkdownIt("commonmark").enable("table")
MARKER = re.compile(r"\s*([-*+]|\d+[.)])( *)")
BLOCKS = ("bullet_list_open", "ordered_list_open", "table_open", "fence", "html_block")
CODE = re.compile(r"(`+)(.+?)\1")
STEP = 4  # columns a level


@dataclass
class Item:
    """An item of a list: its lines, and the columns of its marker and of what belongs to it."""

    first: int
    after: int
    depth: int
    marker: int
    content: int


def to_python_markdown(text: str) -> str:
    """The same document for Python-Markdown."""
    lines = text.split("\n")
    items: list[Item] = []
    blocks: list[tuple[str, int, int]] = []
    depth = 0
    for token in PARSER.parse(text):
        if token.type == "list_item_open":
            assert token.map is not None
            depth += 1
            items.append(_item(lines, token.map[0], token.map[1], depth))
        elif token.type == "list_item_close":
            depth -= 1
        elif (
            token.type in BLOCKS and token.map is not None and not (depth and "list" in token.type)
        ):
            blocks.append((token.type, token.map[0], token.map[1]))
    of_line: list[Item | None] = [None] * len(lines)
    for item in items:  # the inner ones come later
        of_line[item.first : item.after] = [item] * (item.after - item.first)
    tables = {line for kind, first, after in blocks if kind == "table_open"
              for line in range(first, after)}  # fmt: skip
    apart = {first for _, first, _ in blocks} | {after for _, _, after in blocks}
    # A paragraph that is not the first of its item would take the next item as its own.
    empty = {number for number, line in enumerate(lines) if not line.strip()} | apart
    apart |= {item.after for item in items if empty & set(range(item.first + 1, item.after))}
    result: list[str] = []
    for number, line in enumerate(lines):
        if number in apart and line.strip() and result and result[-1].strip():
            result.append("")
        moved = _moved(line, number, of_line[number])
        result.append(CODE.sub(_unescaped, moved) if number in tables else moved)
    return "\n".join(result)


def _item(lines: list[str], first: int, after: int, depth: int) -> Item:
    line = lines[first]
    found = MARKER.match(line)
    assert found, line
    marker, blanks = found.start(1), len(found[2])
    content = found.end(1) + (blanks if 1 <= blanks <= STEP else 1)
    return Item(first, after, depth, marker, content)


def _moved(line: str, number: int, item: Item | None) -> str:
    if item is None or not line.strip():
        return line
    if number == item.first:
        return " " * STEP * (item.depth - 1) + line[item.marker :]
    blanks = len(line) - len(line.lstrip(" "))
    return " " * STEP * item.depth + line[min(blanks, item.content) :]


def _unescaped(code: re.Match[str]) -> str:
    """Code in a table: a bar needs no backslash here."""
    return code[0].replace("\\|", "|")
