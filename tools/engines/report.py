# SPDX-License-Identifier: Apache-2.0
"""The page: each figure beside its goal."""

from __future__ import annotations

from collections.abc import Iterable

from .benches import (
    COPY,
    DESCRIPTOR_GOALS,
    ONE,
    ONE_GOALS,
    RATE_GOALS,
    RATES,
    READ,
    WRITE,
    Bench,
)
from .measure import Figures

Results = list[tuple[Bench, Figures]]

HEAD = """<!-- SPDX-License-Identifier: Apache-2.0. Written by `make engine-bench`. -->
# Rates and latencies of the engines

`make engine-bench` measures the engines in simulation with Verilator, and writes this page. It uses
the code of the tests that check these figures.

- The engines have 64 bits and bursts of at most 16 beats.
- The memory answers a read burst L cycles after its address, and a write burst L cycles after its
  last data.
- The memory moves a beat a cycle each way without a stall.

## Queued commands

The figures are percent of 8 B a cycle: beats over cycles. They are measured from the first data
beat of the 33rd command to the last beat of 1,024 commands. With 64 KiB they are measured from the
7th to the last of 12 commands. All commands are queued back to back.

In the last column the memory holds only 8 bursts. Its ceiling is 128 beats in 136 cycles, 94.1. The
figures exceed it a little, because the window may end before the last response.
"""
ONE_HEAD = """
## One transfer

The transfer has 64 B at L=20. Cycles count from the command taken to the status, unless the row
says otherwise.

| engine | cycles | goal |
|---|---|---|
"""
DESCRIPTORS_HEAD = """
## Descriptors

The figures are percent of 8 B a cycle, from the first data beat of the 33rd descriptor to the last
of 1,024. Memory and the descriptor port have L=60. Contiguous descriptors are a ring at consecutive
addresses. Scattered descriptors are at random places, so an address is known only when the
descriptor before it has come.
"""
OFFSETS_HEAD = """
## At an offset

The figures are percent of 8 B a cycle of payload, at an address that is not beat-aligned. A command
then takes one beat more in memory: with 64 B, 9 instead of 8. They are measured over 150 commands
of 64 B, or 60 of 1 KiB.

"""


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [list(head)]
    lines += [["---"] * len(lines[0]), *(list(row) for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def percent_cell(value: float | None, goal: float) -> str:
    if value is None:
        return "not measured"
    return f"{value:.2f}" + ("" if value >= goal else ", **missed**")


def rates(results: Results) -> str:
    parts = []
    for mode in (READ, WRITE, COPY):
        goals = RATE_GOALS[mode]
        rows = [
            [bench.title, *(percent_cell(figures.get(name), goals[name]) for name in RATES)]
            for bench, figures in results
            if bench.mode == mode
        ]
        if rows:
            goal_row = ["goal", *(f"≥ {goals[name]:g}" for name in RATES)]
            parts.append("\n" + table([mode, *RATES.values()], [goal_row, *rows]))
    return "".join(parts)


def single(results: Results) -> str:
    lines, notes = [], []
    for bench, figures in results:
        for name, value in figures.items():
            if not name.startswith("one of 64 B"):
                continue
            goal = ONE_GOALS[bench.mode] if name == ONE else None
            missed = goal is not None and value > goal
            title = bench.title if name == ONE else f"{bench.title}: {name.split(': ')[1]}"
            if missed:
                notes.append(f"- {bench.title}: {bench.why}\n")
            cell = f"{value:.0f}" + (", **missed**" if missed else "")
            lines.append(f"| {title} | {cell} | {'' if goal is None else f'≤ {goal}'} |\n")
    text = ONE_HEAD + "".join(lines) if lines else ""
    return text + ("\nMissed:\n\n" + "".join(notes) if notes else "")


def descriptors(results: Results) -> str:
    rows = [
        [title, *(percent_cell(figures.get(prefix + n), g) for n, g in DESCRIPTOR_GOALS.items())]
        for bench, figures in results
        for title, prefix in bench.descriptors
    ]
    if not rows:
        return ""
    goal_row = ["goal", *(f"≥ {goal}" for goal in DESCRIPTOR_GOALS.values())]
    return DESCRIPTORS_HEAD + "\n" + table(["engine", *DESCRIPTOR_GOALS], [goal_row, *rows])


def offsets(results: Results) -> str:
    rows = [
        [bench.title, name, f"{value:.2f}"]
        for bench, figures in results
        for name, value in figures.items()
        if " at +" in name
    ]
    if not rows:
        return ""
    return OFFSETS_HEAD + table(["engine", "commands", "percent"], rows)


def markdown(results: Results) -> str:
    return HEAD + rates(results) + single(results) + descriptors(results) + offsets(results)
