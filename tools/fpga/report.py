# SPDX-License-Identifier: Apache-2.0
"""The report: figures beside goals and beside Vieira's published resources."""

from __future__ import annotations

import json
import re
from statistics import median
from typing import Any

from .measure import SEEDS, Result
from .targets import ECP5, ROOT, XC7, Device, Target

PUBLISHED = ROOT / "bench" / "published" / "vieira2020.json"


def published(design: str, width: int) -> dict[str, int]:
    """A row of Vieira's Table 6."""
    for table in json.loads(PUBLISHED.read_text())["tables"]:
        if table["table"] == "6":
            for row in table["rows"]:
                named: dict[str, Any] = dict(zip(table["columns"], row, strict=True))
                if named["design"] == design and named["width_bits"] == width:
                    return {key: int(named[key]) for key in ("LUT", "FF", "BRAM")}
    raise KeyError(f"{PUBLISHED}: no row for {design}, {width} bits, in table 6")


def frequencies(routed: Result) -> list[float]:
    """MHz of each seed, sorted; empty if not placed and routed."""
    return sorted(run["mhz"] for run in routed.get("runs", ()))


def mhz_cell(target: Target, device: Device, result: Result) -> str:
    routed = result["routed"].get(device.key, {})
    if "unavailable" in routed:
        return "no tool"
    found = frequencies(routed)
    if not found:
        return ""
    text = f"{median(found):.0f} ({found[0]:.0f} to {found[-1]:.0f})"
    if target.mhz_goal is not None and median(found) < target.mhz_goal:
        text += ", **missed**"
    return text


def lut_counts(result: Result) -> list[int]:
    """Mapped for the fewest, then, for a row with a goal, as for place and route."""
    return [result[flow]["lut"] for flow in ("area", "default") if flow in result]


def missed(target: Target, result: Result) -> bool:
    """Whether any of the row's goals is."""
    slow = (
        target.mhz_goal is not None and found and median(found) < target.mhz_goal
        for found in map(frequencies, result["routed"].values())
    )
    return (target.lut_goal is not None and max(lut_counts(result)) > target.lut_goal) or any(slow)


def path_summary(lines: list[str]) -> str:
    """The named nets of a critical path, in order."""
    names: list[str] = []
    for line in lines:
        kind, _, name = line.split(" ", 2) if line.count(" ") >= 2 else (line, "", "")
        found = re.match(r"u_dut\.([\w.\[\]]+)", name)
        if kind == "clk-to-q" and not found:
            continue
        if found and "_LUT4" not in name and "TRELLIS" not in name and found[1] not in names:
            names.append(found[1])
    return " → ".join(f"`{name}`" for name in names) or "generated names only"


def markdown(
    rows: list[tuple[Target, Result]], tools: dict[str, str], missing: dict[str, str]
) -> str:
    """The whole page."""
    out = [
        "<!-- SPDX-License-Identifier: Apache-2.0. Written by `make fpga-report`. -->",
        "# Size and speed on FPGAs",
        "",
        "`make fpga-report` measures the modules with open tools, and writes this page.",
        "",
        "- `synth_xilinx` synthesises each module by itself for 7-series. LUT, FF and BRAM are the",
        "  result. A BRAM has 36 Kb, and half a BRAM has 18 Kb.",
        "- Every row is mapped for the fewest LUTs: `-widemux 5`, ABC9 with its longer script",
        "  (`flow2`), and a cost of 1 for each LUT.",
        "- LUT also counts inverters, LUT RAM and LUTs on the way to a MUXF7.",
        "- Where a goal is set, a second count of LUTs is in brackets. It is the one that",
        "  `synth_xilinx` maps without options. MHz were measured on that mapping. A goal for LUTs",
        "  is missed if either count exceeds it.",
        f"- MHz are the median of {len(SEEDS)} seeds of place and route, with the lowest and the",
        "  highest in brackets. Every port is registered.",
        "",
        f"| module | LUT | goal | FF | BRAM | {XC7.name} MHz | {ECP5.name} MHz | goal |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for target, result in rows:
        area = result["area"]
        counts = lut_counts(result)
        lut = " ".join([str(counts[0]), *(f"({count})" for count in counts[1:])])
        if target.lut_goal is not None and max(counts) > target.lut_goal:
            lut += ", **missed**"
        out.append(
            f"| {target.title} | {lut} "
            f"| {'' if target.lut_goal is None else f'≤ {target.lut_goal}'} "
            f"| {area['ff']} | {area['bram']:g} | {mhz_cell(target, XC7, result)} "
            f"| {mhz_cell(target, ECP5, result)} "
            f"| {'' if target.mhz_goal is None else f'≥ {target.mhz_goal:.0f}'} |"
        )
    beside = [(t, r) for t, r in rows if t.published is not None]
    if beside:
        out += [
            "",
            "The table compares designs with published ones for a Zynq (Vieira, Table 6), which",
            "use AMD's AXI DMA and tools:",
            "",
            "| design | LUT | published | FF | published | BRAM | published |",
            "|---|---|---|---|---|---|---|",
        ]
        for target, result in beside:
            assert target.published is not None
            theirs, area = published(*target.published), result["area"]
            out.append(
                f"| {target.title} | {area['lut']} | {theirs['LUT']} | {area['ff']} "
                f"| {theirs['FF']} | {area['bram']:g} | {theirs['BRAM']} |"
            )
    areas = {target.key: result["area"] for target, result in rows}
    increments = [t for t, _ in rows if t.beyond in areas]
    if increments:
        out += [
            "",
            "The table has what an option adds to its module:",
            "",
            "| module | LUT | FF | BRAM |",
            "|---|---|---|---|",
        ]
        for target in increments:
            assert target.beyond is not None
            more, less = areas[target.key], areas[target.beyond]
            differences = (more[key] - less[key] for key in ("lut", "ff", "bram"))
            out.append(f"| {target.title} | {' | '.join(f'{n:+g}' for n in differences)} |")
    reasons = [t for t, r in rows if t.why and missed(t, r)]
    if reasons:
        out += ["", "## Goals missed", ""]
        out += [f"- {target.title}: {target.why}" for target in reasons]
    out += [
        "",
        "## Critical paths",
        "",
        "The table has the slowest seed of each row. Nets are listed in order, if they have names",
        "in the source.",
        "",
        "| module | device | MHz | logic, ns | routing, ns | nets |",
        "|---|---|---|---|---|---|",
    ]
    for target, result in rows:
        for device in (XC7, ECP5):
            runs = result["routed"].get(device.key, {}).get("runs")
            if runs:
                worst = min(runs, key=lambda run: float(run["mhz"]))
                out.append(
                    f"| {target.title} | {device.name} | {worst['mhz']:.0f} "
                    f"| {worst['logic_ns']:.1f} | {worst['routing_ns']:.1f} "
                    f"| {path_summary(worst['path'])} |"
                )
    out += ["", "## Tools", ""]
    out += [f"- {name}: {text}" for name, text in tools.items()]
    out += [f"- {key}: not placed and routed, because {reason}" for key, reason in missing.items()]
    return "\n".join(out) + "\n"
