# SPDX-License-Identifier: Apache-2.0
"""The options of `sluice run` for experiments about transfers of a card."""

from dataclasses import dataclass
from typing import Annotated

import typer

from sluice.experiments.options import LevelWord, Settings


@dataclass(frozen=True, slots=True)
class Options:
    """What changes the conditions of an experiment."""

    board: Annotated[
        str | None, typer.Option(metavar="NAME", help="Measure this board with a card instead.")
    ] = None
    mps: Annotated[
        int | None,
        typer.Option(metavar="BYTES", help="Largest payload of a packet: 128, 256, 512 or 1024."),
    ] = None
    level: LevelWord = None
    iterations: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Transfers of every row, as many as that."),
    ] = None
    settings: Settings = None
