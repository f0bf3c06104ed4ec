# SPDX-License-Identifier: Apache-2.0
"""The options of `sluice run` for experiments about transfers of a card."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from sluice.experiments.options import Device, LevelWord, Settings


@dataclass(frozen=True, slots=True)
class Options:
    """What narrows an experiment to some of its rows, or changes its conditions."""

    code: Annotated[
        list[str] | None,
        typer.Option(metavar="CODE", help="Only rows of this path, such as FH. Repeatable."),
    ] = None
    size: Annotated[
        list[str] | None,
        typer.Option(metavar="SIZE", help="Only rows of this size, such as 4KiB. Repeatable."),
    ] = None
    board: Annotated[
        str | None, typer.Option(metavar="NAME", help="Measure this board with a card.")
    ] = None
    mps: Annotated[
        int | None,
        typer.Option(metavar="BYTES", help="Largest payload of a packet: 128, 256, 512 or 1024."),
    ] = None
    level: LevelWord = None
    iterations: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Number of transfers in each row."),
    ] = None
    settings: Settings = None
    device: Device = None
    gpu: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Model this GPU beside a simulated card: quadro-m2000 or gtx-950."
        ),
    ] = None
    cuda: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="Use this GPU of the machine, by its number in CUDA, instead of a simulated one.",
        ),
    ] = None
    peer: Annotated[
        str | None,
        typer.Option(
            metavar="FUNCTION/BAR",
            help="With --device: use this memory of another PCI device of vfio-pci in place of a "
            "GPU, such as 0000:02:00.0/2, for FR and GR only.",
        ),
    ] = None
    log: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="CSV file for the steps of each transfer, with their times. Needs a single row.",
        ),
    ] = None
    tlp: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="pcap file for the packets of the link. Needs a single row."
        ),
    ] = None
