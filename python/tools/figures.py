# SPDX-License-Identifier: Apache-2.0
"""Measure what the README shows: its table, and the plot above it.

`python python/tools/figures.py` measures the 64-bit rows of zynq7010-hp (about a minute of one
core), and writes the result and the plot into docs/images and the rates into README.md. With
`--check` it measures nothing, and fails if README.md or the plot is not what the result says; that
the result is what the boards still deliver is a test, python/tests/test_readme.py.
"""

import io
import re
import sys
from pathlib import Path

from PIL import Image, ImageChops

from sluice.cli import command
from sluice.errors import RunError
from sluice.experiments.rates.charts.lines import line_charts
from sluice.experiments.rates.result import RatesResult, RatesRow
from sluice.experiments.registry import read_result
from sluice.labels import DIRECTIONS
from sluice.report.chart import Chart, beside

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
RESULT = ROOT / "docs" / "images" / "zynq7010-hp-64bit.json"
EXPERIMENT = ("zynq7010-hp", "--width", "64")
AGAIN = "run `make figures`"


def committed() -> RatesResult:
    """Return the result that the README shows."""
    _, result = read_result(RESULT.read_bytes(), str(RESULT))
    if not isinstance(result, RatesResult):
        raise RunError(f"{RESULT} is no result of kind rates; {AGAIN}")
    return result


def plot_of(result: RatesResult) -> Chart:
    """Return the plot of the result: its rates, and how far they are from silicon."""
    rates, difference, _ = line_charts(result.rows, "zynq7010-hp-64bit", "64-bit ports")
    return beside([rates, difference], "zynq7010-hp-64bit")


def with_rates(readme: str, result: RatesResult) -> str:
    """Return the text of the README with the rates of a result in its table."""
    for direction in dict.fromkeys(row.direction for row in result.rows):
        rows = [row for row in result.rows if row.direction == direction]
        for kind, rates in (
            ("simulated", [row.mb_s.mean for row in rows]),
            ("silicon", [_published(row) for row in rows]),
        ):
            name = f"{DIRECTIONS[direction]}, {kind}"
            line = f"| {name} | {' | '.join(f'{rate:.0f}' for rate in rates)} |"
            readme, found = re.subn(rf"(?m)^\| {re.escape(name)} \|.*$", line, readme)
            if found != 1:
                raise RunError(f"README.md has {found} rows '{name}' in tables, must have 1")
    return readme


def _published(row: RatesRow) -> float:
    if row.published is None:
        raise RunError(f"nothing is published about {row.label}")
    return row.published


def _same_picture(path: Path, drawn: bytes) -> bool:
    """Tell whether a file shows what was drawn, however either is compressed."""
    if not path.is_file():
        return False
    with Image.open(path) as old, Image.open(io.BytesIO(drawn)) as new:
        same_size = old.size == new.size
        return (
            same_size
            and ImageChops.difference(old.convert("RGB"), new.convert("RGB")).getbbox() is None
        )


def stale(result: RatesResult) -> list[str]:
    """Return the files that do not show the result."""
    plot = plot_of(result)
    picture = RESULT.with_name(f"{plot.name}.png")
    text = README.read_text(encoding="utf-8")
    found = [] if with_rates(text, result) == text else [README.name]
    return found + ([] if _same_picture(picture, plot.files()[picture.name]) else [picture.name])


def main() -> int:
    """Measure and write, or check what was written."""
    if sys.argv[1:] == ["--check"]:
        if wrong := stale(committed()):
            print(f"{', '.join(wrong)}: not what {RESULT.name} says; {AGAIN}", file=sys.stderr)
        return int(bool(wrong))
    if status := command(["run", *EXPERIMENT, "--json", str(RESULT)]):
        return status
    result = committed()
    plot = plot_of(result)
    picture = RESULT.with_name(f"{plot.name}.png")
    picture.write_bytes(plot.files()[picture.name])
    text = README.read_text(encoding="utf-8")
    README.write_text(with_rates(text, result), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
