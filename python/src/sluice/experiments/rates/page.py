# SPDX-License-Identifier: Apache-2.0
"""The section of a report about rates."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from sluice.experiments.rates.plots import plots_of
from sluice.experiments.rates.result import RatesResult, RatesRow
from sluice.experiments.rates.words import (
    clock_text,
    conditions,
    difference_text,
    grouped,
    overload_mark,
    overload_notes,
    published_text,
    settings_notes,
    sizes_vary,
)
from sluice.labels import TRANSACTION, ports_label
from sluice.report.section import Section
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


@dataclass(frozen=True, slots=True)
class _Line:
    """A row of the table."""

    row: RatesRow
    key: str
    published: str
    difference: str
    detail: str  # where the published figure is from; empty: there is none


def section(result: RatesResult, name: str) -> Section:
    """Return the section about one result."""
    rows = result.rows
    published = any(row.published_detail is not None for row in rows)
    return Section(
        template=Path(__file__).parent / "page.html",
        values={
            "highlights": _highlights(rows),
            "clock": clock_text(rows),
            "key": "Transfer" if sizes_vary(rows) else "Ports",
            "columns": _HEADS + _PUBLISHED_HEADS if published else _HEADS,
            "published": published,
            "groups": {
                group: [_line(row, by_size=sizes_vary(rows)) for row in members]
                for group, members in grouped(rows).items()
            },
        },
        conditions=conditions(rows),
        notes=_notes(result),
        facts=_facts(result),
        plots=plots_of(result, name),
    )


def _highlights(rows: Sequence[RatesRow]) -> list[tuple[str, str]]:
    """Return the figures to show large, each with its label."""
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
        (f"{best.mb_s.mean:,.0f} MB/s".replace(",", "\u202f"), f"highest rate: {best.label}")
    )
    compared = [(row, row.difference) for row in rows if row.difference is not None]
    stated = [row for row in rows if row.published_detail is not None and row.difference is None]
    if compared:
        middle = median(abs(difference) for _, difference in compared)
        row, largest = max(compared, key=lambda pair: abs(pair[1]))
        facts += [
            (f"{100 * middle:.2f} %", f"median distance from silicon, {len(compared)} rows"),
            (f"{100 * largest:+.1f} %".replace("-", "−"), f"largest distance: {row.label}"),
        ]
    elif stated:
        met = sum(difference_text(row) == "met" for row in stated)
        bound = stated[0].published_detail.mb_s if stated[0].published_detail else 0.0
        facts.append(
            (f"{met} of {len(stated)}", f"rows above {bound:.0f} MB/s where silicon is above it")
        )
        reached = [row for row in rows if row.mb_s.mean > bound]
        if reached:
            first = min(reached, key=lambda row: row.bytes)
            facts.append((format_bytes(first.bytes), f"smallest size above {bound:.0f} MB/s"))
    return facts


def _line(row: RatesRow, *, by_size: bool) -> _Line:
    detail = ""
    if (figure := row.published_detail) is not None:
        detail = f"{figure.source}, table {figure.table}: {figure.measured_with}"
        if figure.min is not None and figure.max is not None:
            detail += f"; min {figure.min:g}, max {figure.max:g}"
    return _Line(
        row=row,
        key=(format_bytes(row.bytes) if by_size else ports_label(row.ports)) + overload_mark(row),
        published=_dash(published_text(row)),
        difference=_percent(difference_text(row)),
        detail=detail,
    )


def _dash(text: str) -> str:
    return "–" if text == "-" else text.replace(">", "> ")


def _percent(text: str) -> str:
    if text[0] in "+-" and len(text) > 1:
        return text.replace("-", "−") + " %"
    return _dash(text)


def _on_device(result: RatesResult) -> bool:
    return any(row.device is not None for row in result.rows)


def _time(result: RatesResult) -> str:
    clock = clock_text(result.rows)
    devices = dict.fromkeys(row.device for row in result.rows if row.device is not None)
    if devices:
        return f"Measured on {' and '.join(devices)}: time is {clock} of the system it is in."
    return "Time is the board's simulated time; how fast the simulation ran changes no figure."


def _notes(result: RatesResult) -> list[str]:
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
            "Engines are simulated by transactions, with the policy of the RTL engines. On runs "
            "of 1 MiB both agree within 1 % if the engines are the same."
        )
    notes += overload_notes(result.rows)
    notes += settings_notes(result.rows)
    rules = dict.fromkeys(row.placement.rule for row in result.rows)
    notes += [f"Placement, the same for all rows: {rule}" for rule in rules]
    if not _on_device(result):
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
    for figure in dict.fromkeys(
        row.published_detail for row in result.rows if row.published_detail
    ):
        text = f"Published: {figure.source}, table {figure.table}. {figure.measured_with}."
        if text not in notes:
            notes.append(text)
    return notes


def _facts(result: RatesResult) -> dict[str, str]:
    first = result.rows[0]
    designs = " and ".join(dict.fromkeys(row.design for row in result.rows))
    facts = {"Board and design": f"{first.board}, {designs}"}
    if not _on_device(result):
        facts["Start cost and skew"] = (
            f"{format_time_ns(first.start_cost_ns)} an engine; "
            f"skew up to {format_time_ns(first.skew_ns)}; seed {first.seed}"
        )
    return facts
