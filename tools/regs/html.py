# SPDX-License-Identifier: Apache-2.0
"""HTML reference of every design by PeakRDL-html."""

from __future__ import annotations

import importlib.metadata
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from peakrdl_html import HTMLExporter  # type: ignore[import-untyped]

from . import banner
from .model import Description

README = """\
# Registers as HTML
{generated}
Pages load data by HTTP: `python3 -m http.server` in this folder, then open localhost:8000.
Scripts and style sheets are PeakRDL-html's, without text fonts and MathJax
(LICENSE: LGPL-3.0; LICENSE-3RD-PARTY: parts by others).
"""

# PeakRDL-html carries 8 MB of fonts. One format of the icon font stays (every browser reads WOFF2);
# text uses fonts of the system, which the style sheets name as alternatives. Launchers for Windows
# go too.
KEPT_FONTS = re.compile(r"fonts/FontAwesome/.*\.woff2$")
FONT_FACE = re.compile(rb'@font-face \{\s*font-family:"(?:Lato|Roboto Slab)";[^}]*\}\n?')
# The page would load MathJax from a server on every view; no description has a formula. A stub
# takes the calls of the page's scripts.
MATHJAX = re.compile(rb"(?:[ ]*<script[^>]*mathjax.*?</script>\n)+", re.S)
MATHJAX_STUB = b"    <script>var MathJax = {Hub: {Queue: function() {}}};</script>\n"
DROPPED = re.compile(r"^(fonts/|\.launcher_data/|launcher-)")
# The templates leave their own indentation and empty lines in every page, a sixth of its size. No
# page holds preformatted text.
BLANKS = re.compile(rb"\n\s+")


def render(descriptions: Sequence[Description]) -> dict[str, bytes]:
    """File names relative to the folder, and their content."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        HTMLExporter(
            user_context={"build_ts": 0},  # else the time of the run
            extra_doc_properties=["sl_spec", "sl_unit"],
            generate_source_links=False,
        ).export(
            [description.node for description in descriptions],
            str(folder),
            title="Sluice registers",
        )
        files = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file()
        }
    files = {
        path: content
        for path, content in files.items()
        if KEPT_FONTS.match(path) or not DROPPED.match(path)
    }
    for path in files:
        if path.startswith("content/"):
            files[path] = BLANKS.sub(b"\n", files[path])
    files["css/theme.css"] = FONT_FACE.sub(b"", files["css/theme.css"])
    files["index.html"] = MATHJAX.sub(MATHJAX_STUB, files["index.html"])
    sources = ", ".join(description.source for description in descriptions)
    files["README.md"] = README.format(
        generated=banner.generated(sources, "tools/regs (PeakRDL-html)"),
    ).encode()
    return files | _licences()


def _licences() -> dict[str, bytes]:
    result = {}
    for path in importlib.metadata.files("peakrdl-html") or ():
        if path.name in ("LICENSE", "LICENSE-3RD-PARTY"):
            result[path.name] = path.read_binary()
    return result
