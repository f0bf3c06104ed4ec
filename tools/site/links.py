# SPDX-License-Identifier: Apache-2.0
"""The links of the site as it was written: each leads to a file, and to a place that is on it; and
no page has anything loaded from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {
    "script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src", "audio": "src",
    "object": "data", "embed": "src",
}  # fmt: skip


class _Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[tuple[str, bool]] = []  # and whether a browser loads it by itself
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        places = ("id", "name") if tag == "a" else ("id",)
        self.ids |= {values[name] for name in places if name in values}
        if tag == "a" and "href" in values:
            self.links.append((values["href"], False))
        elif tag == "link" and "href" in values:
            self.links.append((values["href"], values.get("rel") != "canonical"))
        elif tag in LOADED and LOADED[tag] in values:
            self.links.append((values[LOADED[tag]], True))


def problems(site: Path) -> Iterator[str]:
    """A sentence for each link that leads nowhere, and for each load from elsewhere."""
    pages = {path.resolve(): _Page(path.read_text("utf-8")) for path in site.rglob("*.html")}
    for path, page in sorted(pages.items()):
        here = path.relative_to(site.resolve())
        for link, is_loaded in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if is_loaded and parts.scheme != "data":
                    yield f"{here}: loads {link}"
                continue
            there = path if not parts.path else (path.parent / unquote(parts.path)).resolve()
            if there.is_dir():
                yield f"{here}: {link} is a folder, which a page read from files cannot open"
            elif not there.is_relative_to(site.resolve()) or not there.is_file():
                yield f"{here}: {link} is not there"
            elif parts.fragment and there in pages:
                anchor = unquote(parts.fragment)
                if anchor != "__top" and anchor not in pages[there].ids:
                    yield f"{here}: {link} has no such place"
