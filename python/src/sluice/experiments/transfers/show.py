# SPDX-License-Identifier: Apache-2.0
"""A result about transfers of a card as tables on the terminal."""

from rich.console import Console
from rich.text import Text

from sluice.columns import columns
from sluice.experiments.transfers.result import TransfersResult
from sluice.labels import TRANSACTION
from sluice.units import format_bytes

_RATES = ("size", "N", "MB/s", "µs", "p50 µs", "p99 µs", "up %", "down %", "waits for")
_FITS = ("fit", "MB/s", "latency µs", "r²", "publ. MB/s", "publ. µs", "diff %")
_PRINTED = ("rate", "MB/s", "publ. MB/s", "diff %")


def print_result(result: TransfersResult, console: Console) -> None:
    """Print the rows, then the fits."""
    console.print(Text(result.title, style="bold"))
    console.print(Text(", ".join(conditions(result)), style="dim"))
    table = columns(*_RATES, words=_RATES[:1])
    for name in result.series:
        table.add_row(Text(name, style="bold"), *[""] * 8)
        for row in result.rows:
            if row.series != name:
                continue
            table.add_row(
                Text(format_bytes(row.bytes) + (" WRONG" if row.wrong else "")),
                str(row.iterations),
                Text(f"{row.mb_s:.1f}", style="bold"),
                f"{row.us:.2f}",
                "-" if row.latency is None else f"{row.latency.p50_us:.2f}",
                "-" if row.latency is None else f"{row.latency.p99_us:.2f}",
                percent(row.up_share),
                percent(row.down_share),
                waits_for(row.tags_share, row.credits_share, row.completion_share),
            )
    console.print(table)
    if result.fits:
        table = columns(*_FITS, words=_FITS[:1])
        for fit in result.fits:
            printed = fit.published
            table.add_row(
                Text(fit.series),
                Text(f"{fit.bandwidth_mb_s:.1f}", style="bold"),
                f"{fit.latency_us:.2f}",
                f"{fit.r2:.4f}",
                "-" if printed is None else f"{printed.bandwidth_mb_s:.0f}",
                "-" if printed is None else f"{printed.latency_us:.0f}",
                "-" if fit.difference is None else f"{100 * fit.difference:+.2f}",
            )
        console.print(table)
    if any(row.published for row in result.rows):
        table = columns(*_PRINTED, words=_PRINTED[:1])
        for row in result.rows:
            if row.published is None or row.difference is None:
                continue
            table.add_row(
                Text(row.label),
                Text(f"{row.mb_s:.1f}", style="bold"),
                f"{row.published.mb_s:.0f}",
                f"{100 * row.difference:+.2f}",
            )
        console.print(table)
    for note in notes(result):
        console.print(Text(note, style="dim"))


def conditions(result: TransfersResult) -> list[str]:
    """Return what all transfers share, in words."""
    shared = result.conditions
    return [
        shared.board,
        *(["transaction level"] if shared.level == TRANSACTION else []),
        *(f"{name} = {value}" for name, value in shared.settings.items()),
    ]


def _clocks(result: TransfersResult) -> list[str]:
    """Return what the times are of."""
    simulated = [name for name in result.series if _clock(result, name) == "simulated"]
    if len(simulated) == len(result.series):
        return ["Simulated time; MB = 10^6 bytes, payload only."]
    machine = ", ".join(name for name in result.series if name not in simulated)
    of_stub = any(row.gpu == "stub" for row in result.rows)
    return [
        f"Time of the machine that measured: {machine}"
        + (". Beside a stub or a simulated card it says nothing of hardware." if of_stub else "."),
        *([f"Simulated time: {', '.join(simulated)}."] if simulated else []),
        "MB = 10^6 bytes, payload only.",
    ]


def _clock(result: TransfersResult, series: str) -> str:
    return next(row.clock for row in result.rows if row.series == series)


def notes(result: TransfersResult) -> list[str]:
    """Return what the reader of a result has to know of its rows."""
    apart = result.conditions.level is None
    simulated = [
        name
        for name in result.series
        if apart and any(row.level == TRANSACTION for row in result.rows if row.series == name)
    ]
    gpus = dict.fromkeys(row.gpu for row in result.rows if row.gpu)
    printed = (
        *(fit.published.source for fit in result.fits if fit.published),
        *(row.published.source for row in result.rows if row.published),
    )
    return [
        *_clocks(result),
        *([f"GPU: {', '.join(gpus)}."] if gpus else []),
        *([f"Card at transaction level: {', '.join(simulated)}."] if simulated else []),
        *(f"Published: {source}." for source in dict.fromkeys(printed)),
    ]


def percent(share: float | None) -> str:
    """Return a share of the time; - where none was counted."""
    return "-" if share is None else f"{100 * share:.1f}"


def waits_for(tags: float | None, credit: float | None, completion: float | None) -> str:
    """Return what the card waited for most, with its share of the time."""
    if tags is None or credit is None or completion is None:
        return "-"
    share, name = max((tags, "tags"), (credit, "credits"), (completion, "completion"))
    return f"{name} {100 * share:.0f} %" if share > 0 else "-"
