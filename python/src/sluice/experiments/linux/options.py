# SPDX-License-Identifier: Apache-2.0
"""The options of `sluice run` for experiments under Linux."""

from dataclasses import dataclass
from typing import Annotated

import typer

from sluice.experiments.options import LevelWord


@dataclass(frozen=True, slots=True)
class Options:
    """What changes how an experiment is measured."""

    level: LevelWord = None
    here: Annotated[
        bool,
        typer.Option(
            "--here",
            help="Measure on this machine, a Zynq with the design in its logic, the modules "
            "installed and the programs on the PATH, in place of a guest. Needs the right to load "
            "modules.",
        ),
    ] = False
    logic: Annotated[
        str | None,
        typer.Option(
            "--logic",
            metavar="NAME",
            help="Measure only what needs this logic, named as in the experiment's file; needed "
            "with --here where that has several.",
        ),
    ] = None
    as_published: Annotated[
        bool,
        typer.Option(
            "--as-published",
            help="Measure only as the printed tables were: one call a process, through a stream, "
            "from memory that is mapped uncached.",
        ),
    ] = False
