# SPDX-License-Identifier: Apache-2.0
"""`python -m tools.prove [NAME ...]`: run all proofs, or the tasks whose names hold a NAME.

Exit status: 0 all came out as they have to; 1 not; 2 the call is wrong.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from . import runner


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.prove", description=__doc__)
    parser.add_argument("names", metavar="NAME", nargs="*", help="part of a task's name")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N")
    parser.add_argument("--list", action="store_true", help="list the tasks and stop")
    options = parser.parse_args(arguments)

    chosen = [
        task
        for task in runner.tasks()
        if not options.names or any(name in task.name for name in options.names)
    ]
    if not chosen:
        print("prove: no task of such a name; --list names all", file=sys.stderr)
        return 2
    if options.list:
        for task in chosen:
            print(task.name)
        return 0
    missing = runner.missing_tool()
    if missing is not None:
        print(f"prove: {missing}", file=sys.stderr)
        return 1

    start = time.monotonic()
    failed = 0
    with ThreadPoolExecutor(max(1, options.jobs)) as pool:
        for task, outcome in zip(chosen, pool.map(runner.run, chosen), strict=True):
            failed += not outcome.passed
            verdict = "ok  " if outcome.passed else "FAIL"
            print(
                f"prove: {verdict} {task.name} {outcome.text} ({outcome.seconds:.1f} s)", flush=True
            )
    seconds = time.monotonic() - start
    print(f"prove: {len(chosen) - failed} as they have to be, {failed} not, {seconds:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
