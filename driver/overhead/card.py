# SPDX-License-Identifier: Apache-2.0
"""What a transfer of 4 KiB to a card, and one from it, costs Linux, in instructions: sluice.ko on
our driver beside AMD's own driver with write() and read(). Same card, same kernel, one processor,
by interrupt, some transfers at once: by one call, or by as many threads. All of the processor's
instructions count until the last has ended, those of waiting too; the middle window of many. AMD's
source is the user's (XDMA/linux-kernel of dma_ip_drivers). Exit status: 0 done, 1 it could not be
measured."""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from cosim.commands import load, must
from cosim.guests import VERSION, BuildError, Card, Guest, GuestError, Kernel, flavours, kernel
from cosim.guests.toolchain import program
from driver import amd
from tools.debian import UnavailableError

from .measure import HERE, ROOT, MeasureError, plugin
from .windows import read

FLAVOUR = flavours.FLAVOURS["arm64"]
FUNCTION = "0000:00:01.0"
BOARD = f"/dev/sluice/{FUNCTION}"
DIRECTIONS = ("h2c", "c2h")
MOST = 64  # at once: card.c
WARM = 10  # rounds that are not looked at


def count(built: Kernel, modules: list[Path], loads: tuple[str, ...], runs: list[str]) -> list[int]:
    """Instructions of the middle window of each run, in one boot of one processor."""
    include = [ROOT / "driver" / "include" / "uapi", HERE]
    test = program(FLAVOUR.processor, [HERE / "card.c"], include=include, flags=["-pthread"])
    with tempfile.TemporaryDirectory(prefix="sluice-overhead-") as folder:
        counted = Path(folder) / "windows"
        with Guest(
            FLAVOUR.name,
            cards=[Card("pcie/xdma", ("--width", "128"))],
            modules=modules,
            files={"/tests/card": test},
            append="maxcpus=1",
            qemu_options=["-plugin", f"{plugin()},out={counted}"],
            name="card-overhead",
        ) as guest:
            for module in loads:
                load(guest, module)
            for words in runs:
                must(guest, f"/tests/card {words}")
        windows = [window.instructions for window in read(counted)]
    each = len(windows) // len(runs)
    if each * len(runs) != len(windows) or each <= WARM:
        raise MeasureError(f"{len(windows)} windows of {len(runs)} runs")
    return [
        statistics.median_low(windows[number * each + WARM : (number + 1) * each])
        for number in range(len(runs))
    ]


def measure(source: Path, size: int, depths: list[int], rounds: int) -> dict[str, Any]:
    """The result, as it is written to JSON."""
    cases = [(direction, depth) for depth in depths for direction in DIRECTIONS]
    built = kernel(FLAVOUR, VERSION)
    ours = built.build_modules(ROOT / "driver", include=[ROOT / "regs" / "gen" / "c"])
    runs = [f"queue {BOARD}/{way}0 {BOARD}/memory {size} {n} {rounds}" for way, n in cases]
    modules = [ours["sluice_card"], ours["sluice"]]
    found = count(built, modules, ("sluice_card", "sluice"), runs)
    with tempfile.TemporaryDirectory(prefix="sluice-amd-") as folder:
        theirs = amd.module(built, source, Path(folder) / "xdma-amd")
        runs = [f"file /dev/xdma0_{way}_0 {size} {n} {rounds}" for way, n in cases]
        beside = count(built, [theirs], ("xdma",), runs)
    return {
        "experiment": "card-overhead",
        "kernel": built.version,
        "bytes": size,
        "rounds": rounds,
        "rows": [
            {"direction": way, "depth": n, "sluice": a / n, "amd": b / n, "ratio": a / b}
            for (way, n), a, b in zip(cases, found, beside, strict=True)
        ],
    }


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m driver.overhead.card", description=__doc__)
    parser.add_argument("source", type=Path, help="AMD's XDMA/linux-kernel")
    parser.add_argument("--bytes", type=int, default=4096, help="of a transfer (default 4096)")
    parser.add_argument("--depths", type=int, nargs="+", default=[1, 8, 32], help="at once")
    parser.add_argument("--rounds", type=int, default=100, help="windows each (default 100)")
    parser.add_argument("--json", type=Path, help="write the result here")
    given = parser.parse_args()
    if given.bytes < 1 or given.bytes > 1 << 20 or given.rounds <= WARM:
        parser.error(f"--bytes is 1 to {1 << 20}, --rounds more than {WARM}")
    if not all(1 <= depth <= MOST for depth in given.depths):
        parser.error(f"--depths are 1 to {MOST}")
    try:
        result = measure(given.source, given.bytes, given.depths, given.rounds)
    except (UnavailableError, BuildError, GuestError, MeasureError, OSError) as error:
        print(f"card-overhead: {error}", file=sys.stderr)
        return 1
    if given.json is not None:
        given.json.write_text(json.dumps(result, indent=2) + "\n")
    for row in result["rows"]:
        print(
            f"{row['direction']}, {row['depth']} at once: sluice.ko {row['sluice']:.0f}, "
            f"AMD's {row['amd']:.0f}: {row['ratio']:.2f}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
