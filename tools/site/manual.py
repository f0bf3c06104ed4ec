# SPDX-License-Identifier: Apache-2.0
"""Manual pages as pages of the site: of man(7) what tools/man.py writes, and no more."""

from __future__ import annotations

import re

FONTS = re.compile(r"\\f([BI])(.*?)\\fP")


def escaped(text: str) -> str:
    """Text that Markdown takes as it is."""
    return re.sub(r"([\\`*_\[\]<>#|~])", r"\\\1", text)


def _plain(text: str) -> str:
    return text.replace("\\&", "").replace("\\-", "-").replace("\\e", "\\")


def _inline(text: str) -> str:
    parts: list[str] = []
    position = 0
    for found in FONTS.finditer(text):
        parts.append(escaped(_plain(text[position : found.start()])))
        parts.append(f"`{_plain(found[2])}`")
        position = found.end()
    return "".join([*parts, escaped(_plain(text[position:]))])


def _words(text: str) -> list[str]:
    return [quoted or bare for quoted, bare in re.findall(r'"([^"]*)"|(\S+)', text)]


class _Page:
    def __init__(self, pages: set[str]) -> None:
        self.pages = pages
        self.lines: list[str] = []
        self.paragraph: list[str] = []
        self.code: list[str] | None = None
        self.term = 0  # 1: the next line is the term, 2: what follows belongs to it

    def flush(self) -> None:
        if self.paragraph:
            text = " ".join(self.paragraph).replace(" ,", ",")
            self.lines += [f":   {text}" if self.term == 2 else text, ""]
            self.paragraph = []

    def add(self, text: str) -> None:
        if self.term == 1:
            self.flush()
            self.lines.append(text)
            self.term = 2
        else:
            self.paragraph.append(text)

    def reference(self, words: list[str]) -> str:
        name, (section, rest) = _plain(words[0]), words[1].removeprefix("(").split(")", 1)
        shown = f"`{name}({section})`"
        page = f"{name}.{section}"
        text = f"[{shown}]({page}.md)" if page in self.pages else shown
        return text + rest + "".join(words[2:])

    def macro(self, name: str, rest: str) -> None:
        if name in ("SH", "SS", "PP", "TP", "nf"):
            self.flush()
            self.term = 0
        if name in ("SH", "SS"):
            self.lines += [f"{'##' if name == 'SH' else '###'} {_heading(rest)}", ""]
        elif name == "TP":
            self.term = 1
        elif name == "nf":
            self.code = []
        elif name == "B" or name == "I":
            self.add(f"`{_plain(rest)}`")
        elif name == "BR":
            self.add(self.reference(_words(rest)))
        elif name not in ("TH", "PP", "RS", "RE"):
            raise ValueError(f"a manual page has .{name}, which the site does not show")

    def line(self, line: str) -> None:
        found = re.match(r"\.(\w+) ?(.*)", line)
        if self.code is None:
            if found:
                self.macro(found[1], found[2])
            else:
                self.add(_inline(line))
        elif found and found[1] == "fi":
            self.lines += ["```c", *self.code, "```", ""]
            self.code = None
        elif found and found[1] in ("sp", "PP"):
            self.code.append("")
        elif found and found[1] in ("B", "BI"):
            self.code.append(_plain("".join(_words(found[2]) if found[1] == "BI" else [found[2]])))
        elif not found:
            self.code.append(_plain(line))


def _heading(text: str) -> str:
    text = _plain(text)
    return escaped(text.capitalize() if text.isupper() else text)


def to_markdown(source: str, name: str, pages: set[str]) -> str:
    """A manual page as Markdown. `name` is its file's, `pages` are those of all of them."""
    page = _Page(pages)
    for line in source.rstrip("\n").split("\n"):
        if not line.startswith('.\\"'):
            page.line(line)
    page.flush()
    stem, section = name.rsplit(".", 1)
    return "\n".join([f"# {escaped(stem)}({section})", "", *page.lines])
