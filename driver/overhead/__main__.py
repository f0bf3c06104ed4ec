# SPDX-License-Identifier: Apache-2.0
"""What a transfer costs Linux, in instructions: experiment `linux-overhead`. Boots the Zynq's
guest, whose time counts instructions, twice, and measures each way to copy memory. Exit status:
0 done, and every figure is as asked for; 1 it could not be measured; 3 a figure misses its goal."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from cosim.guests import VERSION, BuildError, GuestError, kernel
from cosim.guests.toolchain import compiler_version
from tools import qemu
from tools.debian import UnavailableError

from .iio_report import keep
from .measure import FLAVOUR, ROOT, MeasureError, Plan, boot_and_run, commit, differ
from .report import goals, markdown, table

PAGE = ROOT / "docs" / "reference" / "linux-overhead.md"
PROSE = Path(__file__).resolve().parent / "page.md.in"
BOOTS = 2


def say(text: str) -> None:
    print(f"linux-overhead: {text}", file=sys.stderr, flush=True)


def measure(plan: Plan) -> dict[str, Any]:
    """The result, as it is written to JSON."""
    boots = []
    for boot in range(BOOTS):
        say(f"boot {boot + 1} of {BOOTS}")
        boots.append(boot_and_run(plan))
    methods, again = boots
    return {
        "experiment": "linux-overhead",
        "machine": " ".join(FLAVOUR.machine),
        "kernel": kernel(FLAVOUR, VERSION).version,
        "qemu": ".".join(map(str, qemu.version(qemu.command(FLAVOUR.processor.qemu)))),
        "compiler": compiler_version(FLAVOUR.processor),
        "commit": commit(),
        "bytes": plan.size,
        "rounds": plan.rounds,
        "batches": list(plan.batches),
        "ns_per_instruction": methods[0]["ns_per_instruction"],
        "differs_between_boots": differ(methods, again),
        "methods": methods,
    }


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m driver.overhead", description=__doc__)
    parser.add_argument("--json", type=Path, help="write the result here, raw counts included")
    parser.add_argument(
        "--page", type=Path, nargs="?", const=PAGE, help="write the page of the reference, or FILE"
    )
    parser.add_argument("--bytes", type=int, default=4096, help="of a copy (%(default)s)")
    parser.add_argument(
        "--batch",
        type=int,
        nargs="+",
        default=[1, 32],
        metavar="N",
        help="copies asked for at once",
    )
    parser.add_argument("--rounds", type=int, default=16, help="of each (%(default)s, up to 64)")
    given = parser.parse_args()
    if given.bytes < 1 or not 1 <= given.rounds <= 64 or any(not 1 <= n <= 64 for n in given.batch):
        parser.error("at least a byte, 1 to 64 rounds, 1 to 64 copies at once")
    try:
        result = measure(Plan(given.bytes, tuple(given.batch), given.rounds))
    except (UnavailableError, BuildError, GuestError, MeasureError) as error:
        say(str(error))
        return 1
    result["goals"] = goals(result)
    if given.json:
        given.json.parent.mkdir(parents=True, exist_ok=True)
        given.json.write_text(json.dumps(result, indent=1) + "\n")
    if given.page:
        before = given.page.read_text() if given.page.exists() else ""
        given.page.write_text(keep(markdown(result, PROSE.read_text()), before))
    print("\n".join(table(result)))
    for goal in result["goals"]:
        verdict = "met" if goal["met"] else "MISSED"
        print(f"{goal['what']}: {goal['value']:,.1f}, at most {goal['limit']:,}: {verdict}")
    return 0 if all(goal["met"] for goal in result["goals"]) else 3


if __name__ == "__main__":
    sys.exit(main())
