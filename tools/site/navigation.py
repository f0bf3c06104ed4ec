# SPDX-License-Identifier: Apache-2.0
"""Which pages the site has, and that the navigation names every one: mkdocs.yml names folders of
generated pages by the folder alone. Nothing here needs what `tools/setup docs` installs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from . import experiments

ROOT = Path(__file__).resolve().parents[2]
CONFIG = ROOT / "mkdocs.yml"
DOCS = ROOT / "docs"
PAGES = ROOT / "tools" / "site" / "pages"  # of the site alone; they appear in reference/
HEADERS = {  # and their pages
    "lib/include/sluice.h": "reference/sluice.h.md",
    "lib/cuda/include/sluice_cuda.h": "reference/sluice_cuda.h.md",
}
PACKAGES = ("io", "cuda")  # of sluice, which pages/python.md is about
GALLERY = "evidence/experiments/README.md"
PROJECT = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
ELSEWHERE = "repository"  # pages of what is not in docs/


def manual_pages() -> list[str]:
    """The manual pages, by their files' names."""
    return sorted(path.name for path in (DOCS / "man").glob("*.[24]"))


def moved() -> dict[str, str]:
    """Files and folders that the site shows in a way of its own, by the page."""
    manual = {f"docs/man/{name}": f"man/{name}.md" for name in manual_pages()}
    python = {f"python/src/sluice/{name}/__init__.py": "reference/python.md" for name in PACKAGES}
    return HEADERS | manual | python | {str(experiments.FOLDER): GALLERY}


def folders() -> dict[str, list[str]]:
    """The pages of the folders that the navigation names."""
    registers = sorted((DOCS / "reference" / "registers").glob("*.md"))
    return {
        "reference/registers/": [f"reference/registers/{path.name}" for path in registers],
        "man/": [f"man/{name}.md" for name in manual_pages()],
    }


def expand(nav: Any) -> None:
    """Put the pages of a folder where the navigation names it."""
    known = folders()
    for entry in nav.values() if isinstance(nav, dict) else nav:
        if isinstance(entry, list):
            entry[:] = [
                page for item in entry
                for page in (known.get(item, [item]) if isinstance(item, str) else [item])
            ]  # fmt: skip
        if isinstance(entry, (list, dict)):
            expand(entry)


def entries(nav: Any) -> Iterator[str]:
    """Every page of a navigation."""
    if isinstance(nav, str):
        yield nav
    else:
        for entry in nav.values() if isinstance(nav, dict) else nav:
            yield from entries(entry)


def pages() -> set[str]:
    """Every page that has to be in the navigation."""
    return {
        *(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")),
        *(f"reference/{path.name}" for path in PAGES.glob("*.md")),
        *(f"{ELSEWHERE}/{name}" for name in PROJECT),
        *HEADERS.values(),
        *(page for folder in folders().values() for page in folder),
        GALLERY,
    }


class _Loader(yaml.SafeLoader):  # type: ignore[misc]
    """Reads mkdocs.yml without what its tags name."""


_Loader.add_multi_constructor("tag:yaml.org,2002:python/", lambda *_: None)


def of_configuration() -> list[str]:
    """The pages that mkdocs.yml names, its folders expanded."""
    nav = yaml.load(CONFIG.read_text(encoding="utf-8"), Loader=_Loader)["nav"]
    expand(nav)
    return list(entries(nav))
