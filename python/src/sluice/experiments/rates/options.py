# SPDX-License-Identifier: Apache-2.0
"""The options of `sluice run` for experiments about rates."""

from dataclasses import dataclass
from typing import Annotated

import typer

from sluice.experiments.options import Device, LevelWord, Settings


@dataclass(frozen=True, slots=True)
class Options:
    """What narrows an experiment to some of its rows, or changes its conditions."""

    width: Annotated[
        list[int] | None,
        typer.Option(metavar="BITS", help="Only rows of this port width. Repeatable."),
    ] = None
    direction: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WORD",
            help="Only rows of this direction: duplex, mm2s (PS to PL), s2mm (PL to PS), both or "
            "copy (memory to memory). Repeatable.",
        ),
    ] = None
    ports: Annotated[
        list[str] | None,
        typer.Option(metavar="0,2", help="Only rows with exactly these ports. Repeatable."),
    ] = None
    clock_mhz: Annotated[
        float | None,
        typer.Option(metavar="MHZ", help="Clock of the logic, in place of the experiment's."),
    ] = None
    block_bytes: Annotated[
        str | None,
        typer.Option(
            "--bytes",
            metavar="SIZE",
            help="Block that each engine moves, such as 64KiB, in place of the experiment's.",
        ),
    ] = None
    full: Annotated[
        bool,
        typer.Option(
            "--full", help="Use blocks as large as the published ones (32 MiB). This is slow."
        ),
    ] = False
    runs: Annotated[
        int | None,
        typer.Option(metavar="N", help="Number of runs of each row, each with its own skew."),
    ] = None
    seed: Annotated[int | None, typer.Option(metavar="N", help="Seed of the start skews.")] = None
    start_cost_ns: Annotated[
        int | None,
        typer.Option(
            metavar="NS", help="Software cost of starting an engine, in place of the board's."
        ),
    ] = None
    skew_ns: Annotated[
        int | None,
        typer.Option(metavar="NS", help="Largest random start skew, in place of the experiment's."),
    ] = None
    stagger_bytes: Annotated[
        list[int] | None,
        typer.Option(metavar="N", help="Offset of each buffer from the previous one. Repeatable."),
    ] = None
    level: LevelWord = None
    fast_forward: Annotated[
        bool,
        typer.Option(
            "--fast-forward",
            help="Skip the middle of long transfers once all rates stay the same. Rates differ by "
            "less than 0.1 %. For --level transaction.",
        ),
    ] = False
    settings: Settings = None
    device: Device = None
