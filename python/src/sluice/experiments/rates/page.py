# SPDX-License-Identifier: Apache-2.0
"""The section of a report about rates."""

from collections.abc import Sequence
from statistics import median

from sluice.experiments.rates.charts import charts_of
from sluice.experiments.rates.charts.marks import how
from sluice.experiments.rates.reasons import (
    MEMORY,
    Compared,
    compared,
    lost,
    not_converted,
    silicon_blocks,
)
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
from sluice.report.differences import furthest
from sluice.report.section import Section
from sluice.report.table import (
    DESKTOP,
    Cell,
    Column,
    Group,
    Line,
    Table,
    dash,
    difference,
    signed,
)
from sluice.units import format_bytes, format_count, format_time_ns

_CLOSE = 0.01  # of silicon's mean: what the summary calls close


def section(result: RatesResult, name: str) -> Section:
    """Return the section about one result."""
    rows = result.rows
    return Section(
        conditions=conditions(rows),
        summary=_summary(rows),
        tiles=_tiles(rows),
        charts=charts_of(result, name),
        tables=[_table(rows)],
        notes=_notes(result),
        facts=_facts(result),
    )


def _pairs(rows: Sequence[RatesRow]) -> list[Compared]:
    return [one for row in rows if (one := compared(row)) is not None]


def _stated(rows: Sequence[RatesRow]) -> list[RatesRow]:
    """Return the rows about which a source states a bound rather than a mean."""
    return [row for row in rows if row.published_detail is not None and row.published is None]


def _summary(rows: Sequence[RatesRow]) -> list[str]:
    """Return what came out, for who reads nothing else."""
    first = rows[0]
    runs = sum(len(row.runs) for row in rows)
    designs = " and ".join(dict.fromkeys(row.design for row in rows))
    where = (
        f"a simulated board, {first.board} with design {designs}"
        if first.device is None
        else f"{first.device}"
    )
    right = (
        "Every byte of every run was compared and is right."
        if all(row.verified for row in rows)
        else "Some data was wrong: see the marked rows."
    )
    counts = f"{format_count(len(rows), 'row')}, {format_count(runs, 'run')}"
    said = [f"Measured on {where}: {counts}. {right}"]
    if pairs := _pairs(rows):
        said.append(_comparison(pairs))
    elif stated := _stated(rows):
        met = sum(difference_text(row) == "met" for row in stated)
        figure = stated[0].published_detail
        if figure is not None:
            said.append(
                f"Silicon is above {figure.mb_s:.0f} MB/s in {format_count(len(stated), 'row')}; "
                f"ours is in {met} of them. Source: {figure.place} ({figure.measured_with})."
            )
    at_overload = [row for row in rows if (reason := lost(row)) and reason.limit == MEMORY]
    if at_overload:
        said.append(
            f"The memory limits the rate in {len(at_overload)} of {format_count(len(rows), 'row')}."
            " The column “Limited by” names the limit of each row."
        )
    return said


def _comparison(pairs: Sequence[Compared]) -> str:
    figure = pairs[0].row.published_detail
    source = f"{figure.place} ({figure.measured_with})" if figure else ""
    far = furthest(pairs, lambda one: one.difference)
    low, high = far.silicon_range
    close = sum(abs(one.difference) <= _CLOSE for one in pairs)
    converted = any(one.converted for one in pairs)
    blocks = f", both with {silicon_blocks(pairs)}" if converted else ""
    spread = (
        f", where silicon's own runs lie from {signed(low, 1)} to {signed(high, 1)} of their mean"
        if low or high
        else ""
    )
    return (
        f"Compared with silicon: {format_count(len(pairs), 'row')}. Source: {source}. Within "
        f"{100 * _CLOSE:.0f} % of silicon's mean{blocks}: {close} of {len(pairs)}. The largest "
        f"difference is {signed(far.difference, 1)}, {far.row.label}{spread}."
    )


def _tiles(rows: Sequence[RatesRow]) -> list[tuple[str, str]]:
    """Return the figures to show large, each with its label."""
    runs = sum(len(row.runs) for row in rows)
    best = max(rows, key=lambda row: row.mb_s.mean)
    tiles = [
        (f"{len(rows)}", f"{'row' if len(rows) == 1 else 'rows'}, {format_count(runs, 'run')}"),
        (
            "All right" if all(row.verified for row in rows) else "Wrong data",
            "every byte of every run compared",
        ),
        (f"{best.mb_s.mean:,.0f} MB/s".replace(",", "\u202f"), f"highest rate: {best.label}"),
    ]
    stated = _stated(rows)
    if pairs := _pairs(rows):
        middle = median(abs(one.difference) for one in pairs)
        far = furthest(pairs, lambda one: one.difference)
        blocks = f", {silicon_blocks(pairs)}" if any(one.converted for one in pairs) else ""
        tiles += [
            (
                f"{100 * middle:.2f} %",
                f"median difference to silicon, {format_count(len(pairs), 'row')}{blocks}",
            ),
            (signed(far.difference, 1), f"largest difference{blocks}: {far.row.label}"),
        ]
    elif stated:
        met = sum(difference_text(row) == "met" for row in stated)
        bound = stated[0].published_detail.mb_s if stated[0].published_detail else 0.0
        tiles.append(
            (f"{met} of {len(stated)}", f"rows above {bound:.0f} MB/s where silicon is above it")
        )
        reached = [row for row in rows if row.mb_s.mean > bound]
        if reached:
            first = min(reached, key=lambda row: row.bytes)
            tiles.append((format_bytes(first.bytes), f"smallest block above {bound:.0f} MB/s"))
    return tiles


def _table(rows: Sequence[RatesRow]) -> Table:
    by_size = sizes_vary(rows)
    converted = any(one.converted for one in _pairs(rows)) or any(map(not_converted, rows))
    published = any(row.published_detail is not None for row in rows)
    columns = _columns(rows, converted=converted)
    if published:
        columns += _published_columns(rows, converted=converted)
    many = len(_blocks_of_silicon(rows)) > 1
    return Table(
        key="rows",
        title="All rows",
        about=f"Rates in MB/s of {clock_text(rows)}.",
        first="Block" if by_size else "Ports",
        columns=columns,
        groups=[
            Group(
                group,
                [_line(row, by_size=by_size, published=published, converted=converted, many=many)
                 for row in members],
            )
            for group, members in grouped(rows).items()
        ],
    )  # fmt: skip


def _columns(rows: Sequence[RatesRow], *, converted: bool) -> list[Column]:
    simulated = all(row.device is None for row in rows)
    one_block = converted and not sizes_vary(rows)
    unit = "MB/s" + (f", {format_bytes(rows[0].bytes)} blocks" if one_block else "")
    return [
        Column(
            "Expected",
            "Theoretical rate: ports × width × clock × directions, at most the DDR peak",
            screen=DESKTOP,
        ),
        Column("Min", "Slowest run", screen=DESKTOP),
        Column("Median", "Median of the runs", screen=DESKTOP),
        Column("Mean", "Mean of the runs", unit=unit, main=True),
        Column("Max", "Fastest run", screen=DESKTOP),
        Column("Sigma", "Standard deviation of the runs", screen=DESKTOP),
        Column("Efficiency", "Mean as a share of the expected rate", unit="%"),
        *(
            [
                Column(
                    "Limited by",
                    "What most of the time goes to. “ports” is their width and clock; “memory's "
                    "peak” is what the memory can give at most. The "
                    "small line has the shares of the time that are lost against the expected "
                    "rate. Engine starts: from the start of the first engine to that of the last. "
                    "Memory: more than the ports need, if the memory is the limit. Engine: more "
                    "than the ports need, if an engine alone is slower than its port. Latency: "
                    "what a run waits once, whatever its block",
                    words=True,
                )
            ]
            if simulated
            else []
        ),
    ]


def _blocks_of_silicon(rows: Sequence[RatesRow]) -> list[int]:
    return sorted({
        row.published_detail.block_bytes
        for row in rows
        if row.published_detail and row.published_detail.block_bytes
    })  # fmt: skip


def _published_columns(rows: Sequence[RatesRow], *, converted: bool) -> list[Column]:
    """Return the columns about silicon; `converted`: a row has another block than silicon."""
    blocks = _blocks_of_silicon(rows)  # of several, each cell says its own
    unit = "MB/s" + (f", {format_bytes(blocks[0])} blocks" if len(blocks) == 1 else "")
    places = dict.fromkeys(row.published_detail.place for row in rows if row.published_detail)
    silicon = Column(
        "Silicon",
        f"Mean that was measured on silicon, under it the slowest and fastest run. Source: "
        f"{'; '.join(places)}",
        unit=unit,
    )
    if not converted:
        return [silicon, Column("Difference", "Our mean against that of silicon", unit="%")]
    theirs = f"{format_bytes(blocks[0])} blocks" if len(blocks) == 1 else "silicon's blocks"
    if sizes_vary(rows) or len(blocks) > 1:
        measured, as_measured = "%, each at its own block", "with the blocks of each"
    else:
        ours = format_bytes(rows[0].bytes)
        measured = f"%, {ours} against {format_bytes(blocks[0])}"
        as_measured = f"at {ours} blocks against {theirs}"
    return [
        silicon,
        Column(
            "Difference",
            f"Our mean against that of silicon as measured, {as_measured}",
            unit=measured,
            screen=DESKTOP,
        ),
        Column(
            "Difference",
            f"The same at equal blocks. Our rate is converted to {theirs}: engine "
            "starts, and latency below overload, take the same time in a longer block. What the "
            "memory costs at overload, or a slow engine, is not converted",
            unit=f"%, both with {theirs}",
        ),
    ]


def _line(row: RatesRow, *, by_size: bool, published: bool, converted: bool, many: bool) -> Line:
    rates = row.mb_s
    cells: list[str | Cell] = [
        f"{row.expected_mb_s:.1f}",
        f"{rates.min:.1f}",
        f"{rates.median:.1f}",
        f"{rates.mean:.1f}",
        f"{rates.max:.1f}",
        f"{rates.sigma:.2f}",
        f"{100 * row.efficiency:.2f}",
    ]
    if (reason := lost(row)) is not None:
        cells.append(Cell(reason.limit, small=reason.words))
    if published:
        figure = row.published_detail
        spread = (
            ""
            if figure is None or figure.min is None or figure.max is None
            else f"{figure.min:.0f} to {figure.max:.0f}"
        )
        if many and figure is not None and figure.block_bytes:
            block = f"{format_bytes(figure.block_bytes)} blocks"
            spread = f"{spread}, {block}" if spread else block
        cells += [
            Cell(
                dash(published_text(row)).replace(">", ">\u00a0"),
                small=spread,
                silicon=figure is not None,
            ),
            difference_text(row)
            if row.published is None and figure is not None
            else difference(row.difference, 2),
        ]
        if converted:
            pair = compared(row)
            small = "use --full" if not_converted(row) else ""
            cells.append(Cell(difference(None if pair is None else pair.difference, 2), small))
    few = len(row.runs) < row.runs_wanted
    mark = "" if reason is not None and reason.settles else overload_mark(row)
    return Line(
        (format_bytes(row.bytes) if by_size else ports_label(row.ports)) + mark,
        cells,
        small=f"{len(row.runs)} of {row.runs_wanted} runs" if few else "",
        wrong=row.wrong,
    )


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
        "Expected: ports × width × clock × directions, at most the peak of the board's memory.",
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
    if any(row.fast_forward for row in result.rows):
        notes.append(
            "Where all rates stayed the same, the simulation skipped the middle of long transfers "
            "(--fast-forward)."
        )
    settling = [row for row in result.rows if (reason := lost(row)) and reason.settles]
    notes += overload_notes([row for row in result.rows if row not in settling])
    if settling:
        slowed = ", ".join(dict.fromkeys(row.label for row in settling))
        notes.append(
            f"The memory slows {format_count(len(settling), 'row')} a little: {slowed}. It may do "
            "so only until reads and writes take regular turns. One block does not tell whether a "
            "longer one loses as much, so the rate is not converted to silicon's block. A run "
            "with --full measures it."
        )
    notes += settings_notes(result.rows)
    rules = dict.fromkeys(row.placement.rule for row in result.rows)
    notes += [f"Placement, the same for all rows: {rule}" for rule in rules]
    if not _on_device(result):
        first = result.rows[0]
        cost = format_time_ns(first.start_cost_ns)
        if sizes_vary(result.rows):
            notes.append(
                f"Software needs {cost} to start an engine. Small transfers pay it in full."
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
        text = f"Silicon: {figure.place}. {figure.measured_with}."
        if text not in notes:
            notes.append(text)
    return notes


def _facts(result: RatesResult) -> dict[str, str]:
    first = result.rows[0]
    designs = " and ".join(dict.fromkeys(row.design for row in result.rows))
    facts = {"Board and design": f"{first.board}, {designs}", "Rates": how(result.rows)}
    if not _on_device(result):
        facts["Start cost and skew"] = (
            f"{format_time_ns(first.start_cost_ns)} an engine, "
            f"skew up to {format_time_ns(first.skew_ns)}, seed {first.seed}"
        )
    return facts
