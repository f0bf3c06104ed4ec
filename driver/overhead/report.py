# SPDX-License-Identifier: Apache-2.0
"""The result as a page of the reference."""

from __future__ import annotations

from typing import Any

from .measure import CONTROL, FLOOR, METHODS
from .windows import PROGRAM

WHAT = {
    FLOOR: "dmaengine alone, a client in the kernel: the floor",
    "cpu": "programmed I/O: memcpy() by the CPU",
    "copied": "read/write with copy, one at a time",
    "interrupt": "queued dma-buf, the driver's calls, REAP waits for the interrupt",
    "ring": "queued dma-buf, libsluice, completions polled from the mapped ring",
    "brackets": "begin and end of the CPU's access to both buffers",
}
GOAL_BEYOND, GOAL_REAP = 1000, 60


def chosen(result: dict[str, Any], method: str, batch: int) -> dict[str, Any]:
    return next(
        record
        for record in result["methods"]
        if record["method"] == method and record["batch"] == batch
    )


def reap(record: dict[str, Any]) -> float:
    """Instructions a completion, of a round in the middle."""
    taken = sorted(parts[1] for parts in record["rounds"])
    median: float = taken[(len(taken) - 1) // 2] / record["batch"]
    return median


def goals(result: dict[str, Any]) -> list[dict[str, Any]]:
    """What the figures are to be. Empty without a batch of 32."""
    if 32 not in result["batches"]:
        return []
    floor, ring = chosen(result, FLOOR, 32), chosen(result, "ring", 32)
    calls = chosen(result, "interrupt", 32)
    rows = [
        ("driver and library beyond the floor, of a transfer", ring["median"] - floor["median"],
         GOAL_BEYOND),
        ("the driver's calls alone beyond the floor", calls["median"] - floor["median"],
         GOAL_BEYOND),
        ("taking a completion from the mapped ring", reap(ring), GOAL_REAP),
        ("system calls of that", ring["system_calls"][1], 0),
    ]  # fmt: skip
    return [
        {"what": what, "value": value, "limit": limit, "met": value <= limit}
        for what, value, limit in rows
    ]


def table(result: dict[str, Any]) -> list[str]:
    lines = ["| way | at a time | instructions | beyond the floor | least to most | system calls |",
             "|---|--:|--:|--:|--:|--:|"]  # fmt: skip
    for method in (FLOOR, *METHODS):
        for batch in result["batches"]:
            record = chosen(result, method, batch)
            beyond = record["median"] - chosen(result, FLOOR, batch)["median"]
            shown = "" if method in (FLOOR, "cpu", "brackets") else f"{beyond:,.0f}"
            calls = " + ".join(str(count) for count in record["system_calls"])
            lines.append(
                f"| {WHAT[method]} | {batch} | {record['median']:,.0f} | {shown} "
                f"| {record['least']:,.0f} to {record['most']:,.0f} "
                f"| {'' if method == FLOOR else calls} |"
            )
    return lines


def where(result: dict[str, Any], batch: int) -> list[str]:
    methods = [method for method in METHODS if method != "cpu"]
    lines = ["| way | program and library | sluice.ko | the rest of the kernel |",
             "|---|--:|--:|--:|"]  # fmt: skip
    for method in methods:
        parts = chosen(result, method, batch)["parts"]
        own, driver = parts.get(PROGRAM, 0), parts.get("sluice", 0)
        rest = sum(parts.values()) - own - driver
        lines.append(f"| {WHAT[method]} | {own:,.0f} | {driver:,.0f} | {rest:,.0f} |")
    return lines


def markdown(result: dict[str, Any], prose: str) -> str:
    """The page: `prose` with the tables where it says so."""
    batch = max(result["batches"])
    asked = ["| | reached | limit | |", "|---|--:|--:|---|"]
    asked += [
        f"| {goal['what']} | {goal['value']:,.0f} | at most {goal['limit']:,} "
        f"| {'met' if goal['met'] else 'missed'} |"
        for goal in goals(result)
    ]
    ring = chosen(result, "ring", batch)["functions"]
    functions = ["| function | instructions |", "|---|--:|"]
    functions += [f"| `{name}` | {count:,.0f} |" for name, count in ring.items()]
    measured = [record for record in result["methods"] if record["method"] != CONTROL]
    control = chosen(result, CONTROL, batch)
    beyond = max(abs(record["clock_beyond"]) for record in measured)
    tables = {
        "TABLE": "\n".join(table(result)),
        "GOALS": "\n".join(asked),
        "WHERE": "\n".join(where(result, batch)),
        "FUNCTIONS": "\n".join(functions),
        "BATCH": str(batch),
        "BYTES": f"{result['bytes']:,}",
        "ROUNDS": str(result["rounds"]),
        "KERNEL": result["kernel"],
        "QEMU": result["qemu"],
        "COMPILER": result["compiler"],
        "SCALE": f"{result['ns_per_instruction']:.2f}",
        "CLOCK": f"{beyond:,.1f}",
        "IDLE": str(sum(record["idle_entries"] for record in measured)),
        "CONTROL": f"{control['median'] * batch:,.0f}",
        "CONTROL_CLOCK": f"{control['clock_beyond']:,.0f}",
        "CONTROL_IDLE": str(control["idle_entries"]),
        "TWICE": str(result["differs_between_boots"]),
    }
    for name, text in tables.items():
        prose = prose.replace("{" + name + "}", text)
    return prose
