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
        float | None, typer.Option(metavar="MHZ", help="Clock of the logic instead.")
    ] = None
    block_bytes: Annotated[
        str | None,
        typer.Option(
            "--bytes", metavar="SIZE", help="Block that each engine moves instead, such as 64KiB."
        ),
    ] = None
    full: Annotated[
        bool,
        typer.Option("--full", help="Blocks as large as the published ones (32 MiB): slow."),
    ] = False
    runs: Annotated[
        int | None, typer.Option(metavar="N", help="Runs of each row, each with its own skew.")
    ] = None
    seed: Annotated[int | None, typer.Option(metavar="N", help="Seed of the start skews.")] = None
    start_cost_ns: Annotated[
        int | None,
        typer.Option(metavar="NS", help="Software's cost of starting an engine instead."),
    ] = None
    skew_ns: Annotated[
        int | None, typer.Option(metavar="NS", help="Largest random start skew instead.")
    ] = None
    stagger_bytes: Annotated[
        list[int] | None,
        typer.Option(
            metavar="N", help="Move each buffer this much further than the one before. Repeatable."
        ),
    ] = None
    level: LevelWord = None
    settings: Settings = None
    device: Device = None
