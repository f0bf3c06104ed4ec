# SPDX-License-Identifier: Apache-2.0
"""`sluice list`: what can be measured."""

import json
from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

import sluice
from sluice.boards import Catalogue
from sluice.experiments.kind import Experiment
from sluice.experiments.registry import AnyKind
from sluice.labels import DIRECTIONS
from sluice.units import format_bytes, format_number

Listed = Sequence[tuple[AnyKind, Experiment]]


def to_json(catalogue: Catalogue, experiments: Listed) -> str:
    """Return boards, designs and experiments as one JSON object."""
    document = {
        "boards": [board.model_dump(mode="json") for board in catalogue.boards],
        "experiments": [
            {
                "name": experiment.name,
                "kind": kind.name,
                "title": experiment.title,
                "description": experiment.description,
                "board": experiment.board,
                "design": ", ".join(experiment.design_names),
                "rows": experiment.row_count,
                "file": str(experiment.file),
            }
            for kind, experiment in experiments
        ],
        "versions": {"sluice": sluice.__version__, "sluice_bench": catalogue.version},
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def print_listing(catalogue: Catalogue, experiments: Listed, console: Console) -> None:
    """Print boards with their designs, then experiments."""
    for board in catalogue.boards:
        console.print(
            Text.assemble(("board ", "dim"), (board.name, "bold"), ("  " + board.uri, "cyan"))
        )
        console.print(_indented(board.description))
        low, high = (format_number(clock) for clock in board.clock_mhz)
        console.print(
            _indented(
                f"clock {low} to {high} MHz; memory {format_bytes(board.memory_bytes)}, "
                f"peak {format_number(board.ddr_peak_mb_s)} MB/s, "
                f"transfers up to {board.max_transfer_bytes} bytes"
            )
        )
        for design in board.designs:
            ways = ", ".join(DIRECTIONS.get(word, word) for word in design.directions)
            widths = ", ".join(str(width) for width in design.widths)
            console.print(
                Text.assemble(("  design ", "dim"), (design.name, "bold")),
                _indented(f"{design.description}", 4),
                _indented(f"ports {', '.join(design.ports)}; {widths} bits wide", 4),
                _indented(ways or "no rate to measure: for programs that use the library", 4),
                sep="\n",
            )
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name in ("experiment", "board", "rows", "title"):
        table.add_column(name, justify="right" if name == "rows" else "left")
    for _, experiment in experiments:
        table.add_row(
            Text(experiment.name, style="bold"),
            Text(experiment.board),
            str(experiment.row_count),
            Text(experiment.title),
        )
    console.print()
    console.print(table)


def _indented(text: str, by: int = 2) -> Text:
    return Text(" " * by + text)
