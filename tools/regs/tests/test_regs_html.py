# SPDX-License-Identifier: Apache-2.0
"""The HTML reference works without the network and asks for no file that is not there."""

from __future__ import annotations

import re

from tools.regs.__main__ import ROOT

HTML = ROOT / "docs/reference/registers/html"
LOADS = re.compile(r"""(?:src=|<link[^>]*href=|url\()["']([^"']+)["']""")


def test_loads_only_what_is_there() -> None:
    pages = [HTML / "index.html", *HTML.glob("css/*.css"), *HTML.glob("content/*.html")]
    loads = 0
    for page in pages:
        for target in LOADS.findall(page.read_text()):
            path = (page.parent / re.split(r"[?#]", target)[0]).resolve()
            if path.name.startswith("fa-") and path.suffix != ".woff2":
                continue  # older formats of the icon font: browsers take the WOFF2
            assert path.is_file(), f"{page}: {target}"
            loads += 1
    assert loads > 10


def test_calls_of_mathjax_find_the_stub() -> None:
    index = (HTML / "index.html").read_text()
    assert index.count("MathJax = {Hub") == 1
    assert "://cdn" not in index


def test_pages_hold_no_preformatted_text() -> None:
    """Blanks at the beginning of a line are taken out of the pages: nothing may depend on them."""
    pages = [page.read_text() for page in HTML.glob("content/*.html")]
    assert pages
    assert not any("<pre" in page or "\n " in page for page in pages)


def test_size_is_fit_for_a_repository() -> None:
    size = sum(path.stat().st_size for path in HTML.rglob("*") if path.is_file())
    assert size < 2_500_000
