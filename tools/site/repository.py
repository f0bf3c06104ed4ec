# SPDX-License-Identifier: Apache-2.0
"""Where the site has what documents link to: pages of docs/ lie where they lie there; files and
folders elsewhere in the repository, as far as something links to them, are pages below
repository/."""

from __future__ import annotations

import posixpath
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

LINK = re.compile(r"(\]\()([^)\s]+)")
FENCE = re.compile(r"\s*(```+|~~~+)")
LANGUAGES = {
    ".c": "c", ".h": "c", ".cpp": "cpp", ".hpp": "cpp", ".py": "python", ".toml": "toml",
    ".json": "json", ".yaml": "yaml", ".sv": "systemverilog", ".lua": "lua", ".dts": "dts",
    ".core": "yaml", ".rdl": "verilog", ".rules": "text",
}  # fmt: skip


class SiteError(Exception):
    """A sentence about what keeps the site from being built."""


def outside_fences(text: str) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it is text, not code."""
    fence = ""
    for line in text.split("\n"):
        found = FENCE.match(line)
        if found and not fence:
            fence = found[1]
            yield line, False
        elif fence:
            if found and found[1].startswith(fence) and not line.strip().strip("`~"):
                fence = ""
            yield line, False
        else:
            yield line, True


def targets(text: str) -> Iterator[str]:
    """The relative links of a document."""
    for line, is_text in outside_fences(text):
        if is_text:
            yield from (target for _, target in LINK.findall(line) if _is_relative(target))


def _is_relative(target: str) -> bool:
    return not re.match(r"[a-z]+:|#|/", target)


def resolved(document: str, target: str) -> str:
    """What a link of a document leads to, from the repository's root."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(document), target.split("#")[0]))


class Repository:
    """The files that git tracks, and their places on the site."""

    def __init__(self, root: Path, moved: Mapping[str, str]) -> None:
        """`moved`: files and folders that the site shows in a way of its own, by the page."""
        self.root = root
        self.moved = moved
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=root, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if listed.returncode != 0:
            raise SiteError(f"git ls-files in {root}: {listed.stderr.strip()}")
        self.files = {name for name in listed.stdout.split("\0") if (root / name).is_file()}
        self.folders = {
            str(folder) for name in self.files for folder in Path(name).parents if folder.name
        }

    def text(self, path: str) -> str:
        return (self.root / path).read_text(encoding="utf-8")

    def page(self, path: str) -> str | None:
        """The page of the site that shows this file or folder, by its source's name."""
        if path in self.moved:
            return self.moved[path]
        if path.startswith("docs/") and path in self.files:
            return path.removeprefix("docs/")
        if path in self.folders:
            path = f"{path}/README.md"
        elif path not in self.files:
            return None
        if path.startswith("docs/"):
            return path.removeprefix("docs/")
        return f"repository/{path}" if path.endswith(".md") else f"repository/{path}.md"

    def linked(self, documents: Iterable[str]) -> set[str]:
        """Files and folders outside docs/ that these documents link to, and those that the
        documents among them do."""
        found: set[str] = set()
        waiting = list(documents)
        while waiting:
            document = waiting.pop()
            for target in targets(self.text(document)):
                path = resolved(document, target)
                if path in found or path.startswith("docs/") or path in self.moved:
                    continue
                if path not in self.files and path not in self.folders:
                    continue  # the build says so
                found.add(path)
                readme = f"{path}/README.md"
                if path.endswith(".md"):
                    waiting.append(path)
                elif readme in self.files:
                    waiting.append(readme)
        return found

    def with_links_of_the_site(self, document: str, page: str, text: str) -> str:
        """A document's text as that of `page`, each relative link one from page to page."""

        def link(found: re.Match[str]) -> str:
            target = found[2]
            if not _is_relative(target):
                return found[0]
            there = self.page(resolved(document, target))
            if there is None:
                return found[0]
            anchor = f"#{target.split('#', 1)[1]}" if "#" in target else ""
            return found[1] + posixpath.relpath(there, posixpath.dirname(page) or ".") + anchor

        return "\n".join(
            LINK.sub(link, line) if is_text else line for line, is_text in outside_fences(text)
        )

    def source(self, path: str) -> str:
        """A page with a file's text."""
        text = self.text(path)
        longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
        fence = "`" * max(3, longest + 1)
        language = LANGUAGES.get(posixpath.splitext(path)[1], "text")
        return "\n".join(
            [
                "---", "search:", "  exclude: true", "hide: [toc]", "---",
                f"# `{path}`", "", f'{fence} {{ .{language} linenums="1" }}', text.rstrip("\n"),
                fence, "",
            ]
        )  # fmt: skip

    def folder(self, path: str, pages: set[str]) -> tuple[str, str]:
        """A page about a folder: its README, if there is one, and its files, with links to those
        that have a page. Returns the document that it is made of, and its text."""
        readme = f"{path}/README.md"
        lines = [self.text(readme)] if readme in self.files else [f"# `{path}`"]
        lines += ["", "## In this folder", ""]
        inside = {
            name.removeprefix(f"{path}/").split("/")[0]
            for name in self.files
            if name.startswith(f"{path}/") and name != readme
        }
        for name in sorted(inside):
            shown = f"`{name}/`" if f"{path}/{name}" in self.folders else f"`{name}`"
            lines.append(f"- [{shown}]({name})" if f"{path}/{name}" in pages else f"- {shown}")
        return readme, "\n".join([*lines, ""])
