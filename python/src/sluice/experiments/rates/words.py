# SPDX-License-Identifier: Apache-2.0
"""The words about rates that a table on the terminal and the page of a report have in common."""

from collections.abc import Sequence

from sluice.experiments.rates.published import ABOVE
from sluice.experiments.rates.result import SIMULATED, RatesResult, RatesRow
from sluice.labels import DIRECTIONS, OF_ENGINES, TRANSACTION, ports_label
from sluice.overload import overload_note
from sluice.units import format_bytes, format_count, format_number, format_time_ns


def sizes_vary(rows: Sequence[RatesRow]) -> bool:
    """Tell whether the rows are about transfer size rather than about ports."""
    return len({row.bytes for row in rows}) > 1


def group_label(row: RatesRow, rows: Sequence[RatesRow]) -> str:
    """Return the heading under which a row stands: what it shares with its neighbours."""
    name = f"{row.width_bits}-bit {DIRECTIONS[row.direction]}"
    parts = [f"{name} {ports_label(row.ports)}" if sizes_vary(rows) else name]
    if len({other.variant for other in rows}) > 1:
        parts.insert(0, row.variant)
    if len({other.clock_mhz for other in rows}) > 1:
        parts.append(f"{format_number(row.clock_mhz)} MHz")
    if len({other.placement.stagger_bytes for other in rows}) > 1:
        stagger = row.placement.stagger_bytes
        parts.append(f"staggered by {format_bytes(stagger)}" if stagger else "not staggered")
    return ", ".join(parts)


def grouped(rows: Sequence[RatesRow]) -> dict[str, list[RatesRow]]:
    """Return the rows under their headings, in the order in which these come first."""
    groups: dict[str, list[RatesRow]] = {}
    for row in rows:
        groups.setdefault(group_label(row, rows), []).append(row)
    return groups


def conditions(rows: Sequence[RatesRow]) -> str:
    """Return in one line what all rows have in common."""
    first = rows[0]
    parts = [
        first.board,
        " and ".join(dict.fromkeys(row.design for row in rows)),
        *(["transaction level"] if first.level == TRANSACTION else []),
        *(["fast-forward"] if first.fast_forward else []),
        " and ".join(sorted({f"{format_number(row.clock_mhz)} MHz" for row in rows})),
    ]
    if not sizes_vary(rows):
        parts.append(f"{format_bytes(first.bytes)} blocks")
    runs = sorted({len(row.runs) for row in rows})
    fewest = f"{runs[0]} to " if len(runs) > 1 else ""
    parts += [
        f"start cost {format_time_ns(first.start_cost_ns)}"
        if first.device is None
        else f"measured on {first.device}",
        f"{fewest}{format_count(runs[-1], 'run')} a row",
        f"seed {first.seed}",
    ]
    return ", ".join(parts)


def clock_text(rows: Sequence[RatesRow]) -> str:
    """Return the time that the rates of a result are of."""
    clocks = dict.fromkeys(row.clock for row in rows)
    words = ["simulated time" if clock == SIMULATED else clock for clock in clocks]
    return " and ".join(words) or "simulated time"


def notes(result: RatesResult) -> list[str]:
    """Return the sentences without which the figures would mislead."""
    rows = result.rows
    clock = clock_text(rows)
    said = [f"Rates in MB/s (10^6 bytes) of {clock}: all bytes / (last finish - first start)."]
    wrong = [row for row in rows if not row.verified]
    if wrong:
        said.append(f"{len(wrong)} of {len(rows)} rows carried WRONG DATA (marked !).")
    else:
        said.append("Every run was verified byte by byte.")
    said += overload_notes(rows)
    for figure in dict.fromkeys(row.published_detail for row in rows if row.published_detail):
        text = f"Published: {figure.place}: {figure.measured_with}."
        if text not in said:
            said.append(text)
    return said + settings_notes(rows[:1])


def settings_notes(rows: Sequence[RatesRow]) -> list[str]:
    """Return what was changed in the model of memory and in that of the engines."""
    notes: dict[str, None] = {}
    for row in rows:
        of_engines = {k: v for k, v in row.settings.items() if k.startswith(OF_ENGINES)}
        of_memory = {k: v for k, v in row.settings.items() if k not in of_engines}
        for what, settings in (("memory model was", of_memory), ("engines were", of_engines)):
            if settings:
                changed = ", ".join(
                    f"{name.removeprefix(OF_ENGINES)} = {value}" for name, value in settings.items()
                )
                notes[f"The {what} changed: {changed}."] = None
    return list(notes)


def overload_notes(rows: Sequence[RatesRow]) -> list[str]:
    """Return what to know about the rows that `mark` marks: nothing if there are none."""
    return list(dict.fromkeys(overload_note(r.overload_error) for r in rows if r.at_overload))


def overload_mark(row: RatesRow) -> str:
    """Return what follows the name of a row that is at overload."""
    return " *" if row.at_overload else ""


def published_text(row: RatesRow) -> str:
    """Return the published figure; a statement that the rate is above it as ">1440.0"."""
    if row.published_detail is None:
        return "-"
    return f"{'>' if row.published_detail.relation == ABOVE else ''}{row.published_detail.mb_s:.1f}"


def difference_text(row: RatesRow) -> str:
    """Return the difference to the published mean in percent, or whether a statement holds."""
    if row.difference is not None:
        return f"{100 * row.difference:+.2f}"
    if row.published_detail is None:
        return "-"
    return "met" if row.mb_s.mean > row.published_detail.mb_s else "not met"
