# SPDX-License-Identifier: Apache-2.0
"""Draw what each mechanism of the memory model does: the port study with it switched off.

`python python/tools/mechanisms.py` measures (some minutes, on the transaction level) and writes
docs/explanation/mechanisms.json and the plot docs/images/mechanisms.png; `--plot` draws again what
was measured.
"""

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from sluice import bench, conditions
from sluice.experiments.rates.experiment import RatesExperiment
from sluice.experiments.rates.rows import Request, Row, plan_rows
from sluice.experiments.rates.runner import rates_of
from sluice.experiments.registry import load
from sluice.labels import DIRECTIONS, TRANSACTION, ports_label
from sluice.paths import find_bench, find_experiment
from sluice.stop import Stop

mpl.use("Agg")

DOCS = Path(__file__).resolve().parents[2] / "docs"
DATA = DOCS / "explanation" / "mechanisms.json"
PLOT = DOCS / "images" / "mechanisms.png"
EXPERIMENT = "zynq7010-hp"
BYTES = 4 << 20
RUNS = 4
ROWS = (("duplex", ("0,1", "0,2", "0,1,2", "0,1,2,3")), ("mm2s", ("0,1,2,3",)))
MODEL, SILICON, INK, MUTED, LINE = "#2f6fde", "#b5179e", "#1c2430", "#5b6675", "#dde2e8"
RANGE = "#e07b00"


@dataclass(frozen=True, slots=True)
class Mechanism:
    """One mechanism, and what takes it out of the model."""

    name: str
    settings: dict[str, int] = field(default_factory=dict)
    stagger_bytes: int = 0
    start_cost_ns: int | None = None
    skew_ns: int | None = None


MECHANISMS = (
    Mechanism("model as it is"),
    Mechanism(
        "reads in flight of a controller\nport without limit",
        {"read_ram_words": 512, "read_bursts": 32},
    ),
    Mechanism("read/write switch waits eight\ntimes as long", {"max_starve_x32": 16}),
    Mechanism("buffers one bank apart\n(stagger 4 KiB)", stagger_bytes=4096),
    Mechanism("row changes free\n(tRCD = tRP = tFAW = 1)", {"tRCD": 1, "tRP": 1, "tFAW": 1}),
    Mechanism("no preference for open rows", {"read_page_hit_limit": 0, "write_page_hit_limit": 0}),
    Mechanism("no refresh", {"tREFI": 1_000_000_000}),
    Mechanism("all engines start at once", start_cost_ns=0, skew_ns=0),
)


def rows_of(mechanism: Mechanism, board: Any) -> list[Row]:  # noqa: ANN401
    """Return the rows of the study with the mechanism switched off."""
    _, experiment = load(find_experiment(EXPERIMENT))
    assert isinstance(experiment, RatesExperiment)  # noqa: S101
    rows = []
    for direction, ports in ROWS:
        request = Request(
            width_bits=(64,),
            directions=(direction,),
            ports=ports,
            bytes=BYTES,
            runs=RUNS,
            level=TRANSACTION,
            settings=tuple(mechanism.settings.items()),
            stagger_bytes=(mechanism.stagger_bytes,),
            start_cost_ns=mechanism.start_cost_ns,
            skew_ns=mechanism.skew_ns,
        )
        rows += plan_rows(experiment, board, request)
    return rows


def collect() -> dict[str, Any]:
    """Measure every row without every mechanism."""
    program = find_bench()
    board = bench.catalogue(program).board("zynq7010")
    found = []
    with Stop() as stop:
        for mechanism in MECHANISMS:
            rows = rows_of(mechanism, board)
            rates = rates_of(program, rows, conditions.cores(), stop)
            found.append(
                {
                    "mechanism": mechanism.name.replace("\n", " "),
                    "settings": mechanism.settings,
                    "stagger_bytes": mechanism.stagger_bytes,
                    "start_cost_ns": rows[0].start_cost_ns,
                    "skew_ns": rows[0].skew_ns,
                    "mb_s": [round(rate.mean, 1) for rate in rates],
                    "range": [[round(rate.min, 1), round(rate.max, 1)] for rate in rates],
                }
            )
            sys.stderr.write(f"{mechanism.name.splitlines()[0]}\n")
    base = rows_of(MECHANISMS[0], board)
    return {
        "experiment": EXPERIMENT,
        "bytes": BYTES,
        "runs": RUNS,
        "rows": [f"{DIRECTIONS[row.direction]} {ports_label(row.ports)}" for row in base],
        "expected_mb_s": [row.expected_mb_s for row in base],
        "published": [
            None if row.published is None
            else [row.published.mb_s, row.published.min, row.published.max]
            for row in base
        ],
        "mechanisms": found,
    }  # fmt: skip


def draw(data: dict[str, Any]) -> Figure:
    """Return one panel a row of the study, one bar a mechanism."""
    names = [mechanism.name for mechanism in MECHANISMS]
    figure = Figure(figsize=(13.5, 4.6), layout="constrained")
    panels = figure.subplots(1, len(data["rows"]), sharey=True)
    for index, (panel, row) in enumerate(zip(panels, data["rows"], strict=True)):
        means = [entry["mb_s"][index] for entry in data["mechanisms"]]
        places = range(len(means))
        colours = [INK] + [MODEL] * (len(means) - 1)
        panel.barh(places, means, color=colours, height=0.62)
        for place, (entry, mean) in enumerate(zip(data["mechanisms"], means, strict=True)):
            low, high = entry["range"][index]
            panel.plot([low, high], [place, place], color=RANGE, linewidth=1.6, zorder=4)
            change = round(100 * (mean / means[0] - 1), 1) + 0.0
            text = f"{mean:.0f}" if place == 0 else f"{change:+.1f} %"
            panel.text(60, place, text, color="#ffffff", va="center", fontsize=8.5)
        published = data["published"][index]
        if published is not None:
            panel.axvspan(published[1], published[2], color=SILICON, alpha=0.18, linewidth=0)
            panel.axvline(published[0], color=SILICON, linewidth=1.4)
        panel.set_title(row, fontsize=10, color=INK)
        panel.set_xlim(0, max(data["expected_mb_s"]))
        panel.set_xticks([0, 1000, 2000, 3000])
        panel.tick_params(labelsize=8, colors=MUTED, length=0)
        panel.grid(axis="x", color=LINE, linewidth=0.8)
        panel.set_axisbelow(True)
        for spine in panel.spines.values():
            spine.set_visible(False)
    panels[0].set_yticks(range(len(names)), names, color=INK, fontsize=9)
    panels[0].invert_yaxis()
    figure.supxlabel(
        "MB/s; orange line: range over start skews; magenta: silicon, mean and range "
        "(Vieira 2020, table 3)",
        fontsize=9,
        color=MUTED,
    )
    return figure


def main() -> int:
    """Measure unless told to draw only, and draw."""
    if sys.argv[1:] == ["--plot"]:
        data = json.loads(DATA.read_text(encoding="utf-8"))
    else:
        data = collect()
        DATA.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    draw(data).savefig(PLOT, dpi=130)
    return 0


if __name__ == "__main__":
    sys.exit(main())
