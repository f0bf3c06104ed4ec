# SPDX-License-Identifier: Apache-2.0
"""The HTML page of a report. It loads nothing: style and plots are inside it."""

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from statistics import median

import sluice
from sluice.cpu_result import CpuResult
from sluice.labels import TRANSACTION, ports_label, row_label
from sluice.report.cpu import cpu_section
from sluice.report.plots import Plot
from sluice.report.threads import threads_section
from sluice.result import AnyResult, Result, ResultRow
from sluice.table import (
    clock_text,
    conditions,
    difference_text,
    grouped,
    published_text,
    sizes_vary,
)
from sluice.threads_result import ThreadsResult
from sluice.units import format_bytes, format_time_ns

_HEADS = (
    ("Expected", "Theoretical rate: ports × width × clock × directions, at most the DDR peak"),
    ("Min", "Slowest run"),
    ("Median", "Median of the runs"),
    ("Mean", "Mean of the runs"),
    ("Max", "Fastest run"),
    ("Sigma", "Standard deviation of the sample"),
    ("Efficiency", "Mean as a share of expected"),
)
_PUBLISHED_HEADS = (
    ("Published", "Measured on silicon"),
    ("Difference", "Mean against the published figure"),
)


def render_page(sections: Sequence[tuple[AnyResult, Sequence[Plot]]]) -> str:
    """Return the page about some results and their plots."""
    results = [result for result, _ in sections]
    style = (files("sluice.report") / "style.css").read_text(encoding="utf-8")
    titles = ", ".join(result.experiment for result in results)
    anchors = [f"result-{index + 1}" for index in range(len(sections))]
    body = "\n".join(
        _any_section(anchor, result, plots)
        for anchor, (result, plots) in zip(anchors, sections, strict=True)
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="sluice {escape(sluice.__version__)}">
<title>Sluice: {escape(titles)}</title>
<link rel="icon" href="data:,">
<style>
{style}</style>
</head>
<body>
<header class="top">
<p class="brand">Sluice</p>
<p class="claim">What the ports of a board deliver: simulated, and measured on silicon</p>
{_navigation(anchors, results)}
</header>
<main>
{body}
</main>
<footer>
<p>Written by sluice {escape(sluice.__version__)}. MB is 10<sup>6</sup> bytes, MiB is
2<sup>20</sup>. The page loads nothing and works without a network.</p>
</footer>
</body>
</html>
"""


def _any_section(anchor: str, result: AnyResult, plots: Sequence[Plot]) -> str:
    if isinstance(result, CpuResult):
        return cpu_section(anchor, result)
    if isinstance(result, ThreadsResult):
        return threads_section(anchor, result, "\n".join(_figure(plot) for plot in plots))
    return _section(anchor, result, plots)


def _navigation(anchors: Sequence[str], results: Sequence[AnyResult]) -> str:
    if len(results) == 1:
        return ""
    links = "".join(
        f'<a href="#{anchor}">{escape(result.experiment)}</a>'
        for anchor, result in zip(anchors, results, strict=True)
    )
    return f'<nav aria-label="Results">{links}</nav>'


def _section(anchor: str, result: Result, plots: Sequence[Plot]) -> str:
    parts = [
        f'<section id="{anchor}" aria-labelledby="{anchor}-title">',
        f'<p class="name">{escape(result.experiment)}</p>',
        f'<h1 id="{anchor}-title">{escape(result.title)}</h1>',
        f'<p class="lead">{escape(" ".join(result.description.split()))}</p>',
        *_warnings(result),
    ]
    if result.rows:
        parts += [
            f'<p class="conditions">{escape(conditions(result.rows))}</p>',
            _facts(result.rows),
            *(_figure(plot) for plot in plots),
            _table(result),
        ]
    parts += [_notes(result), _provenance(result), "</section>"]
    return "\n".join(parts)


def _warnings(result: Result) -> Iterable[str]:
    if result.partial:
        yield (
            '<p class="warning" role="note"><strong>Partial.</strong> The measurement was cut '
            "short: rows or runs are missing.</p>"
        )
    wrong = sum(not row.verified for row in result.rows)
    if wrong:
        yield (
            f'<p class="warning" role="note"><strong>Wrong data.</strong> {wrong} of '
            f"{len(result.rows)} rows moved data that did not arrive as it left.</p>"
        )


def _facts(rows: Sequence[ResultRow]) -> str:
    runs = sum(len(row.runs) for row in rows)
    facts = [
        (f"{len(rows)}", f"rows, {runs} runs"),
        (
            "Verified" if all(row.verified for row in rows) else "Wrong data",
            "every byte of every run compared",
        ),
    ]
    best = max(rows, key=lambda row: row.mb_s.mean)
    facts.append(
        (f"{best.mb_s.mean:,.0f} MB/s".replace(",", "\u202f"), f"highest rate: {_name(best)}")
    )
    compared = [(row, row.difference) for row in rows if row.difference is not None]
    stated = [row for row in rows if row.published is not None and row.difference is None]
    if compared:
        middle = median(abs(difference) for _, difference in compared)
        row, largest = max(compared, key=lambda pair: abs(pair[1]))
        facts += [
            (f"{100 * middle:.2f} %", f"median distance from silicon, {len(compared)} rows"),
            (f"{100 * largest:+.1f} %".replace("-", "−"), f"largest distance: {_name(row)}"),
        ]
    elif stated:
        met = sum(difference_text(row) == "met" for row in stated)
        bound = stated[0].published.mb_s if stated[0].published else 0.0
        facts.append(
            (f"{met} of {len(stated)}", f"rows above {bound:.0f} MB/s where silicon is above it")
        )
        reached = [row for row in rows if row.mb_s.mean > bound]
        if reached:
            first = min(reached, key=lambda row: row.bytes)
            facts.append((format_bytes(first.bytes), f"smallest size above {bound:.0f} MB/s"))
    items = "".join(
        f"<div><dd>{escape(value)}</dd><dt>{escape(label)}</dt></div>" for value, label in facts
    )
    return f'<dl class="facts">{items}</dl>'


def _figure(plot: Plot) -> str:
    return (
        f'<figure class="chart"><figcaption>{escape(plot.title)}</figcaption>'
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(plot.title)}">'
        f"{plot.svg()}</div></figure>"
    )


def _table(result: Result) -> str:
    rows = result.rows
    by_size = sizes_vary(rows)
    key = "Transfer" if by_size else "Ports"
    published = any(row.published is not None for row in rows)
    columns = _HEADS + _PUBLISHED_HEADS if published else _HEADS
    heads = "".join(
        f'<th scope="col"><abbr title="{escape(why)}">{escape(name)}</abbr></th>'
        for name, why in columns
    )
    bodies = []
    for group, members in grouped(rows).items():
        lines = "\n".join(_row(row, by_size=by_size, published=published) for row in members)
        bodies.append(
            f'<tbody>\n<tr class="group"><th scope="rowgroup" colspan="{len(columns) + 1}">'
            f"{escape(group)}</th></tr>\n{lines}\n</tbody>"
        )
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="Table of all rows">\n'
        f"<table>\n<caption>All rows. Rates in MB/s of {clock_text(rows)}.</caption>\n"
        f'<thead><tr><th scope="col">{key}</th>{heads}</tr></thead>\n'
        + "\n".join(bodies)
        + "\n</table>\n</div>"
    )


def _row(row: ResultRow, *, by_size: bool, published: bool) -> str:
    key = format_bytes(row.bytes) if by_size else ports_label(row.ports)
    rates = row.mb_s
    wrong = "" if row.verified else ' <strong class="wrong">wrong data</strong>'
    few = f" <small>{len(row.runs)} of {row.runs_wanted} runs</small>" * (
        len(row.runs) < row.runs_wanted
    )
    share = 100 * row.efficiency
    detail = ""
    figure = row.published
    if figure is not None:
        printed = [f"{figure.source}, table {figure.table}: {figure.measured_with}"]
        if figure.min is not None and figure.max is not None:
            printed.append(f"min {figure.min:g}, max {figure.max:g}")
        detail = f' class="published" title="{escape("; ".join(printed))}"'
    cells = [
        f"<td>{row.expected_mb_s:.1f}</td>",
        f"<td>{rates.min:.1f}</td>",
        f"<td>{rates.median:.1f}</td>",
        f'<td class="mean">{rates.mean:.1f}</td>',
        f"<td>{rates.max:.1f}</td>",
        f"<td>{rates.sigma:.2f}</td>",
        f'<td class="share" style="--share:{min(share, 100):.1f}">{share:.2f} %</td>',
    ]
    if published:
        cells += [
            f"<td{detail}>{escape(_dash(published_text(row)))}</td>",
            f"<td>{escape(_percent(difference_text(row)))}</td>",
        ]
    return f'<tr><th scope="row">{escape(key)}{wrong}{few}</th>{"".join(cells)}</tr>'


def _dash(text: str) -> str:
    return "–" if text == "-" else text.replace(">", "> ")


def _percent(text: str) -> str:
    if text[0] in "+-" and len(text) > 1:
        return text.replace("-", "−") + " %"
    return _dash(text)


def _on_device(result: Result) -> bool:
    return any(row.device is not None for row in result.rows)


def _time(result: Result) -> str:
    clock = clock_text(result.rows)
    devices = dict.fromkeys(row.device for row in result.rows if row.device is not None)
    if devices:
        return f"Measured on {' and '.join(devices)}: time is {clock} of the system it is in."
    return "Time is the board's simulated time; how fast the simulation ran changes no figure."


def _notes(result: Result) -> str:
    notes = [
        _time(result),
        "A rate is all bytes of all ports and directions over last finish minus first start.",
        "Expected is ports × width × clock × directions, at most the peak of the board's memory.",
    ]
    if not _on_device(result):
        notes.append(
            "The runs of a row differ in the random start skew of each engine, drawn from the seed."
        )
    if any(row.level == TRANSACTION for row in result.rows):
        notes.append(
            "Engines are simulated by transactions, with the policy of the RTL engines; on runs of "
            "1 MiB both agree within 1 %."
        )
    for settings in {tuple(row.settings.items()) for row in result.rows if row.settings}:
        changed = ", ".join(f"{name} = {value}" for name, value in settings)
        notes.append(f"The memory model was changed: {changed}.")
    rules = dict.fromkeys(row.placement.rule for row in result.rows)
    notes += [f"Placement, the same for all rows: {rule}" for rule in rules]
    if result.rows and not _on_device(result):
        first = result.rows[0]
        cost = format_time_ns(first.start_cost_ns)
        if sizes_vary(result.rows):
            notes.append(
                f"Software needs {cost} to start an engine, which small transfers pay in full."
            )
        else:
            notes.append(
                f"Each engine moves one block of {format_bytes(first.bytes)} a run; --full takes "
                f"a longer one. Software needs {cost} to start an engine, which weighs more on a "
                "smaller block."
            )
    for figure in dict.fromkeys(row.published for row in result.rows if row.published):
        text = f"Published: {figure.source}, table {figure.table}. {figure.measured_with}."
        if text not in notes:
            notes.append(text)
    items = "".join(f"<li>{escape(note)}</li>" for note in notes)
    return f"<h2>How to read this</h2><ul>{items}</ul>"


def _provenance(result: Result) -> str:
    started = result.started.replace("T", " ").replace("+00:00", " UTC")
    facts = {"Measured": f"{started}, in {result.elapsed_s:.0f} s"}
    if result.rows:
        first = result.rows[0]
        facts |= {
            "Board and design": f"{first.board}, "
            + " and ".join(dict.fromkeys(row.design for row in result.rows)),
        }
        if not _on_device(result):
            facts["Start cost and skew"] = (
                f"{format_time_ns(first.start_cost_ns)} an engine; "
                f"skew up to {format_time_ns(first.skew_ns)}; seed {first.seed}"
            )
    facts |= {
        "Versions": ", ".join(
            f"{name.replace('_', '-')} {version}" for name, version in result.versions.items()
        ),
        "Commit": result.commit or "not from a checkout",
        "Machine": f"{result.machine.get('processor', 'unknown')}, "
        f"{result.machine.get('cores', '?')} cores, {result.machine.get('system', '')}",
    }
    items = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>"
        for name, value in facts.items()
    )
    command = f"{result.command} --json {result.experiment}.json"
    report = f"sluice report {result.experiment}.json"
    return (
        f'<h2>Conditions</h2><dl class="provenance">{items}</dl>'
        "<h2>Measure it again</h2>"
        f"<pre><code>{escape(command)}\n{escape(report)}</code></pre>"
    )


def _name(row: ResultRow) -> str:
    return row_label(row.width_bits, row.direction, row.ports)
