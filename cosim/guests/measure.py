# SPDX-License-Identifier: Apache-2.0
"""Measuring in the Zynq's guest, for `sluice run`: boots it with a design in its logic, runs a
script there before anything comes from outside, and prints the script's lines as they come.

What to do stands in a JSON object on standard input: see Order. Exit status: 0; 1, it failed or
cannot be done here; 2, bad input."""

from __future__ import annotations

import json
import signal
import sys
import tempfile
from dataclasses import dataclass, fields
from pathlib import Path

from tools.debian import UnavailableError

from . import FLAVOURS, VERSION, BoardError, BuildError, ChoiceError, Guest, GuestError, Logic
from .kernel import Kernel, kernel
from .library import library_programs
from .toolchain import program

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED = ROOT / "driver" / "published"
REGISTERS = ROOT / "regs" / "gen" / "c"
MEASURE_S = 7200  # against hanging only


@dataclass(frozen=True)
class Order:
    """A measurement."""

    guest: str  # zynq, or another one of its machine
    design: str  # BOARD/DESIGN
    clock_mhz: float | None  # of the logic; None: the board's
    settings: dict[str, int]  # of the board's memory system
    level: str
    processor: str
    counts: bool  # printed as a last line: what the processor and the board's memory have done
    overlay: str | None  # on the design's: of driver/published, without .dtso
    modules: tuple[str, ...]  # for /modules: sluice, of driver/published, or the kernel's own
    programs: tuple[str, ...]  # for /root: sluice-bench, or of driver/published
    append: str  # to the kernel's command line
    script: str


def read_order(text: str) -> Order:
    """Raises ValueError."""
    given = json.loads(text)
    if not isinstance(given, dict) or set(given) != {field.name for field in fields(Order)}:
        raise ValueError(f"an order has {', '.join(field.name for field in fields(Order))}")
    lists = {name: tuple(given[name]) for name in ("modules", "programs")}
    return Order(**{**given, **lists})


def modules_of(order: Order, built: Kernel) -> list[Path]:
    """Raises ValueError for one that there is not."""
    found = built.build_modules(PUBLISHED, include=[REGISTERS])
    if "sluice" in order.modules:
        found |= built.build_modules(ROOT / "driver", include=[REGISTERS])
    for name in order.modules:
        if name not in found and name not in built.modules:
            raise ValueError(f"there is no module {name}")
    # Each guest has the kernel's own.
    return [found[name] for name in order.modules if name in found]


def overlays_of(order: Order) -> list[Path]:
    """Raises ValueError for one that there is not."""
    if order.overlay is None:
        return []
    source = PUBLISHED / f"{order.overlay}.dtso"
    if not source.exists():
        raise ValueError(f"there is no overlay {order.overlay}")
    return [source]


def programs_of(order: Order) -> dict[str, Path | bytes]:
    """By their path in the guest. Raises ValueError for one that there is not."""
    processor = FLAVOURS[order.guest].processor
    found: dict[str, Path | bytes] = {}
    for name in order.programs:
        source = PUBLISHED / f"{name}.c"
        if source.exists():
            found[f"/root/{name}"] = program(processor, [source], flags=["-O2"])
        else:
            found |= {f"/root/{k}": v for k, v in library_programs(processor, [name]).items()}
        if f"/root/{name}" not in found:
            raise ValueError(f"there is no program {name}")
    return found


def measure(order: Order, folder: Path) -> None:
    """`folder`: an empty one, for what is counted."""
    options = () if order.clock_mhz is None else ("--clock", f"{order.clock_mhz:g}")
    of_processor, of_board = folder / "processor", folder / "board"
    for name, value in order.settings.items():
        options = (*options, "--set", f"{name}={value}")
    if order.counts:
        options = (*options, "--counts", str(of_board))
    guest = Guest(
        order.guest,
        logic=Logic(
            order.design,
            options,
            level=order.level,
            processor=order.processor,
            counts=of_processor if order.counts else None,
        ),
        modules=modules_of(order, kernel(FLAVOURS[order.guest], VERSION)),
        files=programs_of(order),
        append=order.append,
        overlays=overlays_of(order),
        script=order.script,
        # While it waited for a word from outside, its processor would work, and be counted.
        script_ends=order.counts,
        name=f"measure-{order.design.replace('/', '-')}",
    )
    with guest:
        print(json.dumps({"kernel": guest.release}), flush=True)
        for line in guest.script_lines(MEASURE_S):
            print(line, flush=True)
    if order.counts:  # they are written when the machine has gone
        try:
            counted = {file.name: json.loads(file.read_text()) for file in (of_processor, of_board)}
        except (OSError, ValueError) as error:
            raise BoardError(f"the machine has gone without its counts: {error}") from error
        print(json.dumps(counted), flush=True)


def main() -> int:
    # The guest's folder goes with its `with` block.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        order = read_order(sys.stdin.read())
        with tempfile.TemporaryDirectory(prefix="sluice-counts-") as folder:
            measure(order, Path(folder))
    except (ValueError, ChoiceError) as error:
        print(f"measure: {error}", file=sys.stderr)
        return 2
    except (UnavailableError, BuildError, BoardError, GuestError) as error:
        print(f"measure: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
