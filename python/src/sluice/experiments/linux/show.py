# SPDX-License-Identifier: Apache-2.0
"""A result about programs under Linux as tables on the terminal."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from sluice.columns import columns
from sluice.experiments.linux.energy import ConstantTable
from sluice.experiments.linux.result import BUFFERED, LinuxResult, LinuxRow
from sluice.units import format_bytes

ENERGY_HEADS = (
    ("estimate of", "Work"),
    ("size", "Bytes of a call"),
    ("reads", "Bursts that the memory read in a call, for processor and engines"),
    ("writes", "Bursts that it wrote"),
    ("rows", "Rows that it opened"),
    ("beats", "Beats of 64 bits on HP ports"),
    ("active µs", "How long the processor worked"),
    ("memory", "Commands, data lines and refresh, nJ a byte"),
    ("standby", "The memory's standby while the call lasts, nJ a byte"),
    ("processor", "The processor's work beyond a sleeping one, nJ a byte"),
    ("nJ/B", "The sum; mJ an MB"),
)
FRAME_HEADS = (
    ("frames", "Work"),
    ("size", "Bytes of a frame"),
    ("every µs", "From one frame to the next"),
    ("busy µs", "How long the program is busy with one, median"),
    ("left %", "Share of the time from frame to frame that is left"),
    ("frames seen", "Frames that the program was done with in time"),
    ("lost", "Frames that were overwritten before that"),
    ("beats dropped", "Beats of the stream that found no room"),
)
BESIDE_HEADS = (
    ("beside copies", "Work"),
    ("size", "Bytes of a call"),
    ("MB/s", "Bytes over the time from one to the next, or over the median time of a call"),
    ("copied MB/s", "What engines beside it copied meanwhile"),
)
_WORDS = ("size", "view", "table")


def print_result(result: LinuxResult, console: Console) -> None:
    """Print each work's rows, then how the printed tables compare."""
    console.print(Text(result.title, style="bold"))
    console.print(Text(conditions(result), style="dim"))
    heads = ("size", "view", "µs", "p99 µs", "MB/s", "CPU %", "table", "publ. µs", "diff %")
    table = columns(*heads, words=_WORDS)
    for name in dict.fromkeys(row.name for row in result.rows):
        table.add_row(Text(name, style="bold"), *[""] * 8)
        for row in result.rows:
            if row.name != name:
                continue
            marks = ("*" if row.repaired else "") + (
                "" if row.scored or row.published_us is None else "°"
            )
            table.add_row(
                Text(format_bytes(row.bytes)),
                row.view,
                Text(f"{row.us.median:.1f}", style="bold"),
                f"{row.us.p99:.1f}",
                f"{row.mb_s:.1f}",
                "-" if row.cpu_percent is None else f"{row.cpu_percent:.0f}",
                row.table or "-",
                "-" if row.published_us is None else f"{row.published_us:g}{marks}",
                "-" if row.difference is None else f"{100 * row.difference:+.1f}",
            )
    console.print(table)
    if result.fits:
        pair = ("publ.", "diff %")
        of_fits = ("table", "view", "ns/B", *pair, "start µs", *pair, "rows %", "≥32 KiB %")
        table = columns(*of_fits, words=_WORDS)
        for fit in result.fits:
            table.add_row(
                fit.table,
                fit.view,
                Text(f"{fit.ns_per_byte:.3f}", style="bold"),
                f"{fit.published_ns_per_byte:.3f}",
                f"{100 * fit.slope_difference:+.1f}",
                Text(f"{fit.intercept_us:.1f}", style="bold"),
                f"{fit.published_intercept_us:.1f}",
                f"{100 * fit.intercept_difference:+.1f}",
                f"{100 * fit.mean_error:.1f}",
                "-" if fit.large_mean_error is None else f"{100 * fit.large_mean_error:.1f}",
            )
        console.print(table)
    _print_by_work(ENERGY_HEADS, [(r.name, energy_cells(r)) for r in result.rows], console)
    _print_by_work(FRAME_HEADS, [(r.name, frame_cells(r)) for r in result.rows], console)
    _print_by_work(BESIDE_HEADS, [(r.name, beside_cells(r)) for r in result.rows], console)
    for line in notes(result):
        console.print(Text(line, style="dim"))


def _print_by_work(
    heads: Sequence[tuple[str, str]], rows: Sequence[tuple[str, Sequence[str]]], console: Console
) -> None:
    """Print what stands beside each work, unless nothing does."""
    table = columns(*[head for head, _ in heads], words=heads[0][:1])
    for name, cells in rows:
        if cells:
            table.add_row(name, *cells)
    if table.rows:
        console.print(table)


def frame_cells(row: LinuxRow) -> list[str]:
    """Return what stands beside a work in the table of frames."""
    if row.frames is None:
        return []
    return [
        format_bytes(row.bytes),
        f"{row.frames.interval_us:.0f}",
        f"{row.us.median:.1f}",
        f"{100 * row.frames.left:.1f}",
        str(row.us.runs),
        str(row.frames.lost),
        str(row.frames.dropped_beats),
    ]


def beside_cells(row: LinuxRow) -> list[str]:
    """Return what stands beside a work in the table of copies meanwhile."""
    if row.beside_mb_s is None:
        return []
    # Frames that come at a rate bring that, however long the program is busy with one.
    mb_s = row.mb_s if row.frames is None else row.bytes / row.frames.interval_us
    return [format_bytes(row.bytes), f"{mb_s:.1f}", f"{row.beside_mb_s:.1f}"]


def energy_cells(row: LinuxRow) -> list[str]:
    """Return what stands beside a work in the table of estimates."""
    if row.energy is None:
        return []
    of = row.energy.counted
    parts = (row.energy.memory, row.energy.standby, row.energy.processor, row.energy.total)
    return [
        format_bytes(row.bytes),
        f"{of.processor_reads + of.engine_reads:.0f}",
        f"{of.processor_writes + of.engine_writes:.0f}",
        f"{of.processor_rows + of.engine_rows:.0f}",
        f"{of.hp_beats:.0f}",
        f"{of.active_us:.1f}",
        *(f"{part.low:.2g}-{part.high:.2g}" for part in parts),
    ]


def conditions(result: LinuxResult) -> str:
    """Return in one line what all rows have in common."""
    said = result.conditions
    parts = [result.provenance.board, *result.provenance.designs, said.machine]
    parts += [part for part in (said.level, said.processor) if part is not None]
    return ", ".join(parts)


def notes(result: LinuxResult) -> list[str]:
    """Return what a reader has to know."""
    found = [
        "µs is the median by Linux' own clock. CPU is a share of the program's time.",
        "MB = 10^6 bytes.",
    ]
    unscored = [row for row in result.rows if row.published_us is not None and not row.scored]
    # A result of an older version does not say why.
    found += dict.fromkeys(f"° not scored: {row.unscored or BUFFERED}." for row in unscored)
    found += dict.fromkeys(
        f"{row.design if row.clock_mhz is None else f'{row.clock_mhz:g} MHz'}: {row.note}."
        for row in result.rows
        if row.note
    )
    found += dict.fromkeys(f"{row.name}: {_settings(row)}." for row in result.rows if row.settings)
    found += dict.fromkeys(f"{row.name}: {row.work_note}." for row in result.rows if row.work_note)
    found += [_repair(row) for row in result.rows if row.repaired]
    energy = result.conditions.energy
    if energy is not None:
        found.append(f"Energy is an estimate, nJ a byte (mJ an MB): {energy.note}.")
        found += [f"{one.name} {_range(one)}: {one.source}." for one in energy.constant]
    if result.fits:
        found.append("Fits and means are over rows of 4 KiB and more.")
    if result.conditions.source:
        found.append(f"Published: {result.conditions.source}.")
    return found


def _settings(row: LinuxRow) -> str:
    return ", ".join(f"{name} = {value}" for name, value in row.settings.items())


def _range(one: ConstantTable) -> str:
    return f"{one.low:g}" if one.low == one.high else f"{one.low:g} to {one.high:g}"


def _repair(row: LinuxRow) -> str:
    taken = (
        ""
        if row.printed_us == row.published_us
        else f"printed {row.printed_us:g} µs, taken {row.published_us:g}: "
    )
    return f"* {row.table}, {row.samples} samples: {taken}{row.repaired}"
