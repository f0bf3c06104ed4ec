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
            help="Measure on this machine instead of in a guest. It must be a Zynq with the "
            "design in its logic, installed modules, programs on the PATH, and permission to "
            "load modules.",
        ),
    ] = False
    logic: Annotated[
        str | None,
        typer.Option(
            "--logic",
            metavar="NAME",
            help="Measure only rows for this logic, named as in the experiment's file. Required "
            "with --here if that has several.",
        ),
    ] = None
    as_published: Annotated[
        bool,
        typer.Option(
            "--as-published",
            help="Measure only in the way of the printed tables: one call a process, through a "
            "stream, from memory that is mapped uncached.",
        ),
    ] = False
