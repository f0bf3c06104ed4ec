# SPDX-License-Identifier: Apache-2.0
"""The comparison with IIO as a section of the reference."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .measure import FLOOR
from .windows import PROGRAM

CALLS, LIBRARY, IIO = "calls", "library", "iio"
NAMES = {
    FLOOR: "client in the kernel",
    CALLS: "sluice.ko's calls",
    LIBRARY: "libsluice",
    IIO: "IIO",
}
SHAPE = ("direction", "transfer_bytes", "depth", "wake")
PORT_MB_S = 800  # 64 bits at 100 MHz
GOAL_DEPTH, GOAL_BYTES, GOAL_BEYOND = 32, 4096, 1000
HEADING = "## Beside IIO"

Case = dict[str, dict[str, Any]]  # records by way


def cases(result: dict[str, Any]) -> list[Case]:
    """The ways of each case, in the order of cases."""
    found: dict[tuple[Any, ...], Case] = {}
    for row in result["rows"]:
        found.setdefault(tuple(row[key] for key in SHAPE), {})[row["method"]] = row
    return list(found.values())


def goals(result: dict[str, Any]) -> list[dict[str, Any]]:
    """What the figures are to be, of those that were measured."""
    rows: list[tuple[str, float, float]] = []
    measured = cases(result)
    deep = [
        case
        for case in measured
        for row in [next(iter(case.values()))]
        if (row["depth"], row["transfer_bytes"]) == (GOAL_DEPTH, GOAL_BYTES)
    ]
    for way in (CALLS, LIBRARY):
        beyond = [
            case[way]["median"] - case[FLOOR]["median"]
            for case in deep
            if way in case and FLOOR in case
        ]
        if beyond:
            what = f"{NAMES[way]} beyond the floor, {GOAL_DEPTH} transfers of {GOAL_BYTES:,} bytes"
            rows.append((f"{what}, instructions", max(beyond), GOAL_BEYOND))
        share = [
            case[way]["median"] / case[IIO]["median"] * 100
            for case in measured
            if way in case and IIO in case
        ]
        if share:
            rows.append(
                (f"{NAMES[way]}, % of IIO's instructions, most of any row", max(share), 100)
            )
    return [
        {"what": what, "value": value, "limit": limit, "met": value <= limit}
        for what, value, limit in rows
    ]


def shown(row: dict[str, Any], key: str) -> str:
    """A figure; IIO's instructions vary from round to round, so with their range."""
    text = f"{row[key]:,.0f}"
    if key == "median" and row["method"] == IIO:
        text += f" ({row['least']:,.0f} to {row['most']:,.0f})"
    return text


def lines(result: dict[str, Any], key: str) -> Iterator[str]:
    """A table with a figure of each way."""
    ways = [way for way in NAMES if any(way in case for case in cases(result))]
    heads = ["direction", "bytes", "queued", "waited for", *(NAMES[way] for way in ways)]
    yield f"| {' | '.join(heads)} |"
    yield f"|---|{'--:|' * (len(heads) - 1)}"
    for case in cases(result):
        row = next(iter(case.values()))
        shape = [row["direction"].upper(), f"{row['transfer_bytes']:,}", row["depth"], row["wake"]]
        figures = [shown(case[way], key) if way in case else "" for way in ways]
        yield f"| {' | '.join(map(str, [*shape, *figures]))} |"


def table(result: dict[str, Any]) -> list[str]:
    """For a terminal."""
    return ["instructions", *lines(result, "median"), "", "MB/s", *lines(result, "mb_s")]


def functions(row: dict[str, Any]) -> Iterator[str]:
    yield f"| {NAMES[row['method']]} | instructions |"
    yield "|---|--:|"
    for name, count in row["functions"].items():
        yield f"| `{name}` | {count:,.0f} |"


def parts(case: Case, transfers: int) -> Iterator[str]:
    yield "| way | program and library | sluice.ko | the rest of the kernel | system calls |"
    yield "|---|--:|--:|--:|--:|"
    for way in (CALLS, LIBRARY, IIO):
        row = case[way]
        own, driver = row["parts"].get(PROGRAM, 0), row["parts"].get("sluice", 0)
        rest = sum(row["parts"].values()) - own - driver
        calls = row["system_calls"][0] / transfers
        yield f"| {NAMES[way]} | {own:,.0f} | {driver:,.0f} | {rest:,.0f} | {calls:.2f} |"


def markdown(result: dict[str, Any], prose: str) -> str:
    """The section: `prose` with the tables where it says so."""
    asked = ["| | reached | limit | |", "|---|--:|--:|---|"]
    asked += [
        f"| {goal['what']} | {goal['value']:,.0f} | at most {goal['limit']:,} "
        f"| {'met' if goal['met'] else 'missed'} |"
        for goal in result["goals"]
    ]
    deepest = max(row["depth"] for row in result["rows"])
    most = max(row["wake"] for row in result["rows"])
    deep = next(
        case
        for case in cases(result)
        for row in [case[IIO]]
        if (row["direction"], row["depth"], row["wake"]) == ("mm2s", deepest, most)
    )
    tables = {
        "INSTRUCTIONS": "\n".join(lines(result, "median")),
        "RATES": "\n".join(lines(result, "mb_s")),
        "GOALS": "\n".join(asked),
        "PARTS": "\n".join(parts(deep, result["transfers"])),
        "FUNCTIONS": "\n".join([*functions(deep[LIBRARY]), "", *functions(deep[IIO])]),
        "SHOWN": f"{deep[IIO]['transfer_bytes']:,} bytes, {deepest} queued, {most} waited for",
        "KERNEL": result["kernel"],
        "TRANSFERS": str(result["transfers"]),
        "ROUNDS": str(result["rounds"]),
        "PORT": str(PORT_MB_S),
    }
    for name, text in tables.items():
        prose = prose.replace("{" + name + "}", text)
    return prose


def replace(page: str, text: str) -> str:
    """The page with this section, in the place of the one that it has, or else at its end."""
    own = re.compile(rf"^{HEADING}\n.*?(?=^## |\Z)", re.DOTALL | re.MULTILINE)
    if own.search(page):
        return own.sub(lambda _: text + "\n", page, count=1).rstrip("\n") + "\n"
    return f"{page}\n{text}"


def keep(page: str, before: str) -> str:
    """A new page with the section that the page had before, if any."""
    own = re.search(rf"^{HEADING}\n.*?(?=^## |\Z)", before, re.DOTALL | re.MULTILINE)
    return replace(page, own[0].rstrip("\n") + "\n") if own else page
