# SPDX-License-Identifier: Apache-2.0
"""`sluice report`: results in; one HTML page, its charts and its data as files out."""

import csv
import io
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

import sluice
from sluice import save
from sluice.errors import InputError, reason
from sluice.experiments.kind import Cells, flattened
from sluice.experiments.registry import read_result
from sluice.progress import progress_bar
from sluice.report.chart import Chart, library, versions
from sluice.report.render import TEMPLATES, environment, render
from sluice.report.section import Reported, Section

STDIN = "-"
_SWEEP = ".parquet"  # ends the name of a sweep's file
_EXPERIMENT = ".toml"  # ends that of an experiment's
_UNSAFE = re.compile(r"[^\w.+-]")  # in names of files, and of parts of the page


@dataclass(frozen=True, slots=True)
class _Found:
    """One result, and what makes its section."""

    result: Reported
    unit: str  # what a row is called, in the plural
    page: Callable[[str], Section]  # given what names of its charts start with
    text: bytes  # the file that it came from; of a sweep the record
    cells: Callable[[], Sequence[Cells]]  # its rows as a table has them


@dataclass(frozen=True, slots=True)
class _Part:
    """One result in the page, and the files beside the page that belong to it."""

    anchor: str
    result: Reported
    html: Markup
    charts: Sequence[Chart]
    files: dict[str, bytes]

    @property
    def names(self) -> list[str]:
        """Return the names of all its files."""
        drawn = [f"{chart.name}.{kind}" for chart in self.charts for kind in ("png", "svg")]
        return [*self.files, *drawn]


def write_report(names: Sequence[str], target: Path | None) -> list[Path]:
    """Write the report of the named results; return the files written, the page first."""
    results = [_read(name) for name in names]
    page = _page_path(names[0], target)
    save.check_folder(page.parent)
    save.check_writable(page)
    parts = _parts(results)
    save.write(page, _page(parts).encode())
    written = [page]
    for name, content in _files(parts):
        save.write(page.parent / name, content)
        written.append(page.parent / name)
    return written


def _files(parts: Sequence[_Part]) -> Iterator[tuple[str, bytes]]:
    """Return the files beside the page, each as soon as it is drawn, behind a progress bar."""
    charts = sum(len(part.charts) for part in parts)
    with progress_bar("charts") as progress:
        bar = progress.add_task("report", total=charts, done=0, wanted=charts)
        drawn = 0
        for part in parts:
            yield from part.files.items()
            for chart in part.charts:
                yield from chart.files().items()
                drawn += 1
                progress.update(bar, completed=drawn, done=drawn)


def _parts(results: Sequence[_Found]) -> list[_Part]:
    """Return a part about each result; no two have a file of the same name."""
    wanted = [_UNSAFE.sub("_", found.result.experiment) for found in results]
    numbers = range(1, len(results) + 1)
    for names in (
        [
            f"{name}-{n}" if wanted.count(name) > 1 else name
            for n, name in zip(numbers, wanted, strict=True)
        ],
        [
            f"{n}-{name}" for n, name in zip(numbers, wanted, strict=True)
        ],  # as a name may be like a chart's
    ):
        parts = [_part(found, name) for found, name in zip(results, names, strict=True)]
        files = [name for part in parts for name in part.names]
        if len(files) == len(set(files)):
            break
    return parts


def _part(found: _Found, name: str) -> _Part:
    """Return the part about a result, whose files have names that begin with `name`."""
    section = found.page(name)
    data = {f"{name}-result.json": ("the result, all fields", found.text)}
    if found.result.rows:
        rows = f"the {found.unit} as a table, a line each"
        data[f"{name}-rows.csv"] = (rows, _csv(found.cells()))
    said = [(file, what) for file, (what, _) in data.items()]
    html = render(section, found.result, name, found.unit, said)
    files = {file: content for file, (_, content) in data.items()}
    return _Part(name, found.result, html, section.charts, files)


def _csv(rows: Sequence[Cells]) -> bytes:
    """Return rows as CSV, with all columns that one of them has."""
    text = io.StringIO()
    columns = dict.fromkeys(name for row in rows for name in row)
    table = csv.DictWriter(text, list(columns), lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return text.getvalue().encode()


def _page(parts: Sequence[_Part]) -> str:
    """Return the page. It loads nothing: style, charts and what draws them are inside it."""
    charts = any(part.charts for part in parts)
    style, script = (
        Markup((TEMPLATES / name).read_text(encoding="utf-8"))  # noqa: S704  (of the project)
        for name in ("style.css", "charts.js")
    )
    return (
        environment(TEMPLATES)
        .get_template("page.html")
        .render(
            parts=parts,
            version=sluice.__version__,
            style=style,
            library=Markup(library().replace("</script", "<\\/script")) if charts else "",  # noqa: S704
            libraries=versions() if charts else "",
            script=script,
        )
    )


def _read(name: str) -> _Found:
    if name == STDIN:
        return _result(sys.stdin.buffer.read(), "standard input")
    if name.endswith(_SWEEP):
        return _sweep(Path(name))
    if name.endswith(_EXPERIMENT):
        raise InputError(
            f"{name} is the file of an experiment, not a result; first measure it with "
            f"`sluice run {name} --json FILE`, then give FILE"
        )
    try:
        text = Path(name).read_bytes()
    except OSError as error:
        raise InputError(f"{name} cannot be read: {reason(error)}") from error
    return _result(text, name)


def _result(text: bytes, where: str) -> _Found:
    kind, result = read_result(text, where)
    return _Found(
        result,
        kind.unit,
        lambda name: kind.page(result, name) if result.rows else kind.empty_page(result),
        text,
        lambda: [flattened(row) for row in result.rows],
    )


def _sweep(path: Path) -> _Found:
    from sluice.sweep.record import record_of  # noqa: PLC0415  (pyarrow, for sweeps alone)
    from sluice.sweep.report.page import empty_section, section  # noqa: PLC0415
    from sluice.sweep.report.view import read_view  # noqa: PLC0415

    view = read_view(path)
    return _Found(
        view,
        "jobs",
        lambda name: section(view, name) if view.rows else empty_section(view),
        record_of(path).read_bytes(),
        lambda: [dict(row.cells) for row in view.rows],
    )


def _page_path(first: str, target: Path | None) -> Path:
    if target is None:
        target = (Path() if first == STDIN else Path(first).parent) / "report"
    return target if target.suffix.lower() in (".html", ".htm") else target / "index.html"
