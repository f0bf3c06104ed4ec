# SPDX-License-Identifier: Apache-2.0
"""`sluice report`: results in, one self-contained HTML page and its plots as PNGs out."""

import sys
from collections.abc import Sequence
from pathlib import Path

from sluice import save
from sluice.cpu_result import CpuResult
from sluice.errors import InputError
from sluice.report.page import render_page
from sluice.report.plots import Plot, plots_of
from sluice.report.threads import threads_plots
from sluice.result import AnyResult, read_any_result
from sluice.threads_result import ThreadsResult

STDIN = "-"


def write_report(names: Sequence[str], target: Path | None) -> list[Path]:
    """Write the report of the named results; return the files written, the page first."""
    results = [_read(name) for name in names]
    page = _page_path(names[0], target)
    save.check_folder(page.parent)
    save.check_writable(page)
    sections = [(result, _plots(index, results)) for index, result in enumerate(results)]
    save.write(page, render_page(sections).encode())
    written = [page]
    for _, plots in sections:
        for plot in plots:
            path = page.parent / f"{plot.name}.png"
            save.write(path, plot.png())
            written.append(path)
    return written


def _plots(index: int, results: Sequence[AnyResult]) -> list[Plot]:
    """Return the plots of a result, with names that no other result of the report uses."""
    result = results[index]
    if isinstance(result, CpuResult):
        return []
    twins = [other.experiment for other in results].count(result.experiment)
    name = result.experiment + (f"-{index + 1}" if twins > 1 else "")
    return (
        threads_plots(result, name) if isinstance(result, ThreadsResult) else plots_of(result, name)
    )


def _read(name: str) -> AnyResult:
    if name == STDIN:
        return read_any_result(sys.stdin.buffer.read(), "standard input")
    try:
        text = Path(name).read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(f"{name} cannot be read: {reason}") from error
    return read_any_result(text, name)


def _page_path(first: str, target: Path | None) -> Path:
    if target is None:
        target = (Path() if first == STDIN else Path(first).parent) / "report"
    return target if target.suffix.lower() in (".html", ".htm") else target / "index.html"
