# SPDX-License-Identifier: Apache-2.0
"""What is measured, by which test, and the goals."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MOVER = "rtl/mover/tests"
DMA = "rtl/dma/tests"

READ, WRITE, COPY = "memory to stream", "stream to memory", "memory to memory"

# Figures' names, as rtl/tb/figures.py makes them, and the columns' heads.
RATES = {
    "64 B, L=20": "64 B, L=20",
    "64 B, L=120": "64 B, L=120",
    "256 B, L=120": "256 B, L=120",
    "1024 B, L=120": "1 KiB, L=120",
    "65536 B, L=120": "64 KiB, L=120",
    "128 B, L=120, 8 outstanding": "128 B, L=120, 8 out",
}
RATE_GOALS = {
    READ: dict(zip(RATES, (97, 94, 98, 99.5, 99.9, 94), strict=True)),
    WRITE: dict(zip(RATES, (98, 94, 98.5, 99.5, 99.9, 94), strict=True)),
    COPY: dict(zip(RATES, (98, 94, 98, 99.5, 99.9, 94), strict=True)),
}
ONE = "one of 64 B, L=20: status"  # cycles from the command
ONE_GOALS = {READ: 30, WRITE: 31, COPY: 56}
DESCRIPTOR_GOALS = {
    "256 B contiguous": 80,
    "256 B scattered": 45,
    "1024 B contiguous": 95,
    "4096 B contiguous": 98,
}
STORE = (
    "store and forward is the default. A write burst opens only when all its data is there, so "
    "that it never blocks the slave. `CutThrough = 1` reaches the goal."
)
REALIGN = (
    "the register behind the realigner takes one more cycle. The last beat leaves after 30, and "
    "the status follows it. A multiplexer around the buffer would save a cycle. It would "
    "cost a LUT a bit and one more level before the realigner, in the longest path. Otherwise the "
    "status would have to come before its beat."
)


@dataclass(frozen=True)
class Bench:
    """A test of an engine in one configuration."""

    key: str
    title: str
    node: str  # of pytest
    mode: str = ""  # its rates and latency have the goals of this mode
    # Rows of the table of descriptors: title, and prefix of the figures' names.
    descriptors: tuple[tuple[str, str], ...] = ()
    why: str = ""  # what keeps a single transfer from its goal
    tests: str = ""  # regular expression on the cocotb tests' names; empty: as the node has them


def benches() -> list[Bench]:
    """All benches, in the report's order."""
    mover = "throughput|latency"
    read = [
        Bench(
            f"mm2s-{key}",
            f"`sl_mm2s`, {text}",
            f"{MOVER}/test_sl_mm2s.py::test_sl_mm2s[64-{unaligned}-16-26-512]",
            READ,
            why=REALIGN if unaligned else "",
            tests=mover,
        )
        for unaligned, key, text in ((0, "aligned", "aligned"), (1, "unaligned", "any alignment"))
    ]
    write = [
        Bench(
            f"s2mm-{key}",
            f"`sl_s2mm`, {text}",
            f"{MOVER}/test_sl_s2mm.py::test_sl_s2mm[64-{unaligned}-{cut}-16-26-512]",
            WRITE,
            why="" if cut else STORE,
            tests=mover,
        )
        for unaligned, cut, key, text in (
            (0, 0, "aligned", "aligned"),
            (1, 0, "unaligned", "any alignment"),
            (0, 1, "aligned-cut", "aligned, CutThrough"),
            (1, 1, "unaligned-cut", "any alignment, CutThrough"),
        )
    ]
    copy = [
        Bench(
            f"copy{key}",
            f"`sl_axi_cdma_copy`, any alignment{text}",
            f"{DMA}/test_sl_axi_cdma.py::test_sl_axi_cdma_copy[{cut}]",
            COPY,
            why="" if cut else STORE,
            tests="rates|queued_copies",
        )
        for cut, key, text in ((0, "", ""), (1, "-cut", ", CutThrough"))
    ]
    stream = "DataWidth=64-LenWidth=32-BufferBeats=512-QueueDepth=1024-Packets=1"
    msgdma = [
        Bench(
            "msgdma-mm",
            "`sl_msgdma`, any alignment, CutThrough",
            f"{DMA}/test_sl_msgdma.py::test_rates",
            COPY,
            tests="rates|one_copy",
        )
    ] + [
        Bench(
            f"msgdma-{key}",
            "`sl_msgdma`, aligned",
            f"{DMA}/test_sl_msgdma.py::test_sl_msgdma[Mode={number}-{stream}]",
            mode,
            tests=r"\.rates$",  # the module's name holds it too, and a filter runs what is skipped
        )
        for number, key, mode in ((1, "mm2s", READ), (2, "s2mm", WRITE))
    ]
    rate = f"{DMA}/test_sl_axi_dma_sg_rate.py::test_rate"
    chain = f"{DMA}/test_sl_axi_cdma_sg.py::test_sl_axi_cdma_sg"
    send, receive, both = (
        "`sl_axi_dma`, MM2S",
        "`sl_axi_dma`, S2MM",
        "with the other channel running",
    )
    descriptors = [
        Bench("axi-dma-send", send, f"{rate}[send]", descriptors=((send, "send, "),)),
        Bench(
            "axi-dma-receive", receive, f"{rate}[receive]", descriptors=((receive, "receive, "),)
        ),
        Bench(
            "axi-dma-both",
            "`sl_axi_dma`",
            f"{rate}[both]",
            descriptors=((f"{send}, {both}", "send, "), (f"{receive}, {both}", "receive, ")),
        ),
        Bench(
            "axi-cdma",
            "`sl_axi_cdma`",
            f"{chain}[DataWidth=64-LenWidth=17-IncludeSg=1]",
            descriptors=(("`sl_axi_cdma`", ""),),
            tests="rates",
        ),
    ]
    return [*read, *write, *copy, *msgdma, *descriptors]
