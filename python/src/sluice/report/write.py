# SPDX-License-Identifier: Apache-2.0
"""`sluice report`: results in, one self-contained HTML page and its plots as PNGs out."""

import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

import sluice
from sluice import save
from sluice.errors import InputError, reason
from sluice.experiments.registry import read_result
from sluice.report.plot import Plot
from sluice.report.render import TEMPLATES, environment, render
from sluice.report.section import Reported, Section

STDIN = "-"
_SWEEP = ".parquet"  # ends the name of a sweep's file
_UNSAFE = re.compile(r"[^\w.+-]")  # in names of files, and of parts of an SVG


@dataclass(frozen=True, slots=True)
class _Found:
    """One result, and what makes its section."""

    result: Reported
    unit: str  # what a row is called, in the plural
    page: Callable[[str], Section]  # given what names of its plots start with


@dataclass(frozen=True, slots=True)
class _Part:
    """One result in the page."""

    anchor: str
    result: Reported
    html: Markup
    plots: Sequence[Plot]


def write_report(names: Sequence[str], target: Path | None) -> list[Path]:
    """Write the report of the named results; return the files written, the page first."""
    results = [_read(name) for name in names]
    page = _page_path(names[0], target)
    save.check_folder(page.parent)
    save.check_writable(page)
    parts = [_part(index, results) for index in range(len(results))]
    save.write(page, _page(parts).encode())
    written = [page]
    for part in parts:
        for plot in part.plots:
            path = page.parent / f"{plot.name}.png"
            save.write(path, plot.png())
            written.append(path)
    return written


def _part(index: int, results: Sequence[_Found]) -> _Part:
    """Return the part about a result; its plots have names that no other result uses."""
    found = results[index]
    names = [_UNSAFE.sub("_", other.result.experiment) for other in results]
    name = names[index] + (f"-{index + 1}" if names.count(names[index]) > 1 else "")
    section = found.page(name) if found.result.rows else None
    anchor = f"result-{index + 1}"
    html = render(section, found.result, anchor, found.unit)
    return _Part(anchor, found.result, html, section.plots if section else ())


def _page(parts: Sequence[_Part]) -> str:
    """Return the page. It loads nothing: style and plots are inside it."""
    style = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    return (
        environment(TEMPLATES)
        .get_template("page.html")
        .render(
            parts=parts,
            version=sluice.__version__,
            style=Markup(style),  # noqa: S704  (a file of the project)
        )
    )


def _read(name: str) -> _Found:
    if name == STDIN:
        return _result(sys.stdin.buffer.read(), "standard input")
    if name.endswith(_SWEEP):
        return _sweep(Path(name))
    try:
        text = Path(name).read_bytes()
    except OSError as error:
        raise InputError(f"{name} cannot be read: {reason(error)}") from error
    return _result(text, name)


def _result(text: bytes, where: str) -> _Found:
    kind, result = read_result(text, where)
    return _Found(result, kind.unit, lambda name: kind.page(result, name))


def _sweep(path: Path) -> _Found:
    from sluice.sweep.report.page import section  # noqa: PLC0415  (pyarrow, for sweeps alone)
    from sluice.sweep.report.view import read_view  # noqa: PLC0415

    view = read_view(path)
    return _Found(view, "jobs", lambda name: section(view, name))


def _page_path(first: str, target: Path | None) -> Path:
    if target is None:
        target = (Path() if first == STDIN else Path(first).parent) / "report"
    return target if target.suffix.lower() in (".html", ".htm") else target / "index.html"
