# SPDX-License-Identifier: Apache-2.0
"""docs/explanation/pcie-link.md shows what the results kept in docs/evidence/experiments say."""

import re
from pathlib import Path

import pytest

from sluice.experiments.registry import read_result
from sluice.experiments.transfers.experiment import OF_CARD
from sluice.experiments.transfers.result import TransfersResult, TransfersRow

DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGE = (DOCS / "explanation" / "pcie-link.md").read_text(encoding="utf-8")
PATHS = (DOCS / "explanation" / "gpu-paths.md").read_text(encoding="utf-8")
SIZES = {"256 B": 256, "1 KiB": 1024, "4 KiB": 4096, "64 KiB": 65536}
COLUMNS = (
    ("FH", "xdma"),
    ("HF", "xdma"),
    ("FH+HF", "xdma"),
    ("FH", "xdma_stream"),
    ("HF", "xdma_stream"),
)


def kept(name: str) -> TransfersResult:
    """Return a kept result."""
    path = DOCS / "evidence" / "experiments" / f"{name}.json"
    _, result = read_result(path.read_bytes(), path.name)
    assert isinstance(result, TransfersResult)
    assert not result.partial
    return result


def row(result: TransfersResult, code: str, design: str, size: int, how: str) -> TransfersRow:
    """Return the one row of this transfer."""
    (found,) = (
        row
        for row in result.rows
        if (row.code, row.design, row.bytes, row.completions) == (code, design, size, how)
    )
    return found


@pytest.mark.parametrize("size", SIZES)
def test_rates_of_descriptors(size: str) -> None:
    result = kept("pcie-descriptors")
    cells = []
    for code, design in COLUMNS:
        at = row(result, code, design, SIZES[size], "poll")
        cells.append(f"{at.mb_s:,.0f} ({max(at.up_share, at.down_share):.0%})".replace("%)", " %)"))
    assert f"| {size} | {' | '.join(cells)} |" in PAGE


def test_fits() -> None:
    for fit in kept("pcie-transfers").fits:
        if fit.published is None:
            continue
        shown = re.search(rf"^\| {fit.code} \| ([\d.]+) \| ([\d.]+) \|", PATHS, re.MULTILINE)
        assert shown is not None, fit.series
        figures = (fit.bandwidth_mb_s, fit.published.bandwidth_mb_s)
        assert [f"{f:.{d}f}" for f, d in zip(figures, (1, 0), strict=True)] == list(shown.groups())
        if fit.code not in OF_CARD:
            continue
        shown = re.search(
            rf"^\| {fit.code} \| ([\d.]+)[^|]*\| ([\d.]+) \| ([\d.]+) \|", PAGE, re.MULTILINE
        )
        assert shown is not None, fit.code
        figures = (fit.bandwidth_mb_s, fit.published.bandwidth_mb_s, fit.latency_us)
        assert [f"{f:.{d}f}" for f, d in zip(figures, (1, 0, 2), strict=True)] == list(
            shown.groups()
        )


def test_latencies() -> None:
    result = kept("pcie-latency")
    by_interrupt = [row(result, code, "xdma", 4, "interrupt").latency for code in ("FH", "HF")]
    c2h, h2c = (latency.p50_us for latency in by_interrupt if latency is not None)
    assert f"{c2h:.2f} µs C2H and {h2c:.2f} µs H2C" in PAGE
