# SPDX-License-Identifier: Apache-2.0
"""Boots the guest, runs each method in it, and puts together what the plugin has counted and what
the guest's clock has said."""

from __future__ import annotations

import itertools
import shutil
import statistics
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cosim.guests import FLAVOURS, VERSION, Guest, kernel
from cosim.guests.library import library_programs
from tools.debian import UnavailableError

from .windows import IDLE, SYSTEM_CALL, Symbols, Window, read

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FLAVOUR = FLAVOURS["zynq"]
BOARD, CHANNEL = "ps", "copy0"
FLOOR = "floor"
METHODS = ("cpu", "copied", "interrupt", "ring", "brackets")
CONTROL = "sleep"  # what waits is not counted
TOP = 12  # functions that are named


class MeasureError(Exception):
    """The guest did not do what it should; the text says what."""


@dataclass(frozen=True)
class Plan:
    """What to measure."""

    size: int  # bytes of a copy
    batches: tuple[int, ...]
    rounds: int


@dataclass(frozen=True)
class Rounds:
    """What the guest has printed of a method: nanoseconds of its clock."""

    clock_ns: int  # of reading it
    scale: tuple[int, int] | None  # nanoseconds of so many instructions
    parts_ns: list[list[int]]  # of each round, each of its windows


def commit() -> str:
    """What is measured; empty outside of a repository."""
    done = subprocess.run(
        ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True
    )
    return done.stdout.strip()


def plugin() -> Path:
    """count.c, for QEMU. Raises UnavailableError, MeasureError."""
    if shutil.which("gcc") is None:
        raise UnavailableError("there is no gcc: run tools/setup guest")
    target = ROOT / "build" / "guests" / "count.so"
    target.parent.mkdir(parents=True, exist_ok=True)
    command = ["gcc", "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    command += ["-fvisibility=hidden", str(HERE / "count.c"), "-o", str(target)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise MeasureError(f"count.c does not compile:\n{done.stderr}")
    return target


def parse(text: str) -> Rounds:
    """What a method's program, or the floor's module, says. Raises MeasureError."""
    found: dict[str, list[list[int]]] = {}
    try:
        for word, *numbers in (line.split() for line in text.splitlines()):
            found.setdefault(word, []).append([int(number) for number in numbers])
        scale = found.get("scale")
        clock_ns = found["clock"][0][0]
        parts = [[ns - clock_ns for ns in round_] for round_ in found["round"]]
        return Rounds(clock_ns, (scale[0][0], scale[0][1]) if scale else None, parts)
    except (IndexError, KeyError, ValueError):
        raise MeasureError(f"no figures but: {text}") from None


def script(plan: Plan) -> bytes:
    """The guest's first process: measures, then goes on as any guest does. Nothing has come from
    outside by then, so every boot is the same to the last instruction."""
    lines = [
        "#!/bin/busybox sh",
        "/bin/busybox mkdir -p /proc /sys /dev /results",
        "/bin/busybox --install -s /bin",
        "export PATH=/bin",
        "mount -t devtmpfs dev /dev",
        "mount -t proc proc /proc",
        "mount -t sysfs sys /sys",
    ]
    for batch in plan.batches:
        # The module measures while it is loaded, and then refuses to stay.
        options = f"batch={batch} bytes={plan.size} rounds={plan.rounds}"
        lines += [
            "dmesg -c > /dev/null",
            f"insmod /modules/dma_floor.ko {options} 2> /dev/null",
            "dmesg | sed -n 's/.*dma_floor: //p' | grep -e ^clock -e ^round"
            f" > /results/{FLOOR}-{batch}",
        ]
    lines.append("insmod /modules/sluice.ko")
    for batch in plan.batches:
        for method in (*METHODS, CONTROL):
            words = f"{method} {BOARD} {CHANNEL} {plan.size} {batch} {plan.rounds}"
            lines.append(f"/tests/sluice_overhead {words} > /results/{method}-{batch} 2>&1")
    lines += ["cat /proc/kallsyms > /results/kallsyms", "exec /init"]
    return "\n".join(lines).encode() + b"\n"


def boot_and_run(plan: Plan) -> list[dict[str, Any]]:
    """One boot: a record for each method and batch, with all rounds. Raises MeasureError, and what
    guests raise."""
    built = kernel(FLAVOUR, VERSION)
    driver = built.build_modules(ROOT / "driver", include=[ROOT / "regs" / "gen" / "c"])
    floor = built.build_modules(HERE / "module", include=[HERE])
    programs = library_programs(FLAVOUR.processor, ["sluice_overhead"])
    with tempfile.TemporaryDirectory(prefix="sluice-overhead-") as folder:
        counted = Path(folder) / "windows"
        with Guest(
            FLAVOUR.name,
            modules=[driver["sluice"], floor["dma_floor"]],
            files={f"/tests/{name}": path for name, path in programs.items()}
            | {"/measure": script(plan)},
            append="rdinit=/measure",
            qemu_options=["-plugin", f"{plugin()},out={counted}"],
            name="linux-overhead",
        ) as guest:

            def told(name: str) -> str:
                return guest.run(f"cat /results/{name}").text

            names = [(FLOOR, batch) for batch in plan.batches]
            names += [(method, batch) for batch in plan.batches for method in (*METHODS, CONTROL)]
            done = [(method, batch, parse(told(f"{method}-{batch}"))) for method, batch in names]
            kallsyms = told("kallsyms")
        windows = read(counted)
        symbols = Symbols(FLAVOUR.processor.compiler, programs["sluice_overhead"], kallsyms)
        scale = next((rounds.scale for _, _, rounds in done if rounds.scale is not None), None)
        if scale is None:
            raise MeasureError("no method has told how many instructions its clock's time is")
        records = [
            record(method, batch, rounds, windows, symbols, scale[0] / scale[1])
            for method, batch, rounds in done
        ]
        if next(windows, None) is not None:
            raise MeasureError("there are more windows than rounds: marks where none should be")
        return records


def record(
    method: str,
    batch: int,
    rounds: Rounds,
    windows: Iterator[Window],
    symbols: Symbols,
    ns_per_instruction: float,
) -> dict[str, Any]:
    """One method's figures. Each round has as many windows as the guest has printed times."""
    taken: list[list[Window]] = [
        list(itertools.islice(windows, len(parts))) for parts in rounds.parts_ns
    ]
    if [len(round_) for round_ in taken] != [len(parts) for parts in rounds.parts_ns]:
        raise MeasureError(f"{method}, batch {batch}: fewer windows than rounds: marks are missing")
    counts = [[window.instructions for window in round_] for round_ in taken]
    totals = [sum(round_) for round_ in counts]
    by_clock = [[ns / ns_per_instruction for ns in parts] for parts in rounds.parts_ns]
    every = [window for round_ in taken for window in round_]
    median = statistics.median_low(totals)
    typical = taken[totals.index(median)]
    found: dict[str, Any] = {
        "method": method,
        "batch": batch,
        "rounds": counts,  # instructions of each window
        "rounds_by_clock": [[round(value, 1) for value in parts] for parts in by_clock],
        "clock_ns": rounds.clock_ns,
        "ns_per_instruction": ns_per_instruction,
        "median": median / batch,
        "least": min(totals) / batch,
        "most": max(totals) / batch,
        "first": totals[0] / batch,
        # What the clock has counted beyond the instructions: idle time, if there was any. In the
        # middle of the rounds: a timer's tick may come between a mark and the clock's reading.
        "clock_beyond": statistics.median_low(
            sum(clocked) - sum(counted) for counted, clocked in zip(counts, by_clock, strict=True)
        ),
    }
    if method != FLOOR:  # whose module is gone when symbols are read
        parts: Counter[str] = Counter()
        functions: Counter[str] = Counter()
        for window in typical:
            parts += symbols.parts(window)
            functions += symbols.functions(window)
        found["parts"] = {name: count / batch for name, count in parts.most_common()}
        found["functions"] = {name: count / batch for name, count in functions.most_common(TOP)}
    found["system_calls"] = [symbols.entered(window, SYSTEM_CALL) for window in typical]
    found["idle_entries"] = sum(symbols.entered(window, IDLE) for window in every)
    return found


def differ(first: Sequence[dict[str, Any]], second: Sequence[dict[str, Any]]) -> int:
    """By how many instructions any round differs between two boots, at most."""
    differences: Iterator[int] = (
        abs(a - b)
        for one, other in zip(first, second, strict=True)
        for rounds in zip(one["rounds"], other["rounds"], strict=True)
        for a, b in zip(*rounds, strict=True)
    )
    return max(differences)
