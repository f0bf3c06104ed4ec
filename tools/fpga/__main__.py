# SPDX-License-Identifier: Apache-2.0
"""`python -m tools.fpga [--only KEY ...] [--list]`: measures, writes JSON and the Markdown report.

Exit status: 0 done; 1 a tool failed; 2 the call is wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
from importlib.util import find_spec
from pathlib import Path

from .measure import Measurer
from .nextpnr import ToolError
from .report import markdown
from .targets import ROOT, targets

BUILD = ROOT / "build" / "fpga"
REPORT = ROOT / "docs" / "reference" / "fpga-report.md"


def say(line: str) -> None:
    print(f"fpga-report: {line}", flush=True)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.fpga", description=__doc__)
    parser.add_argument(
        "--only", metavar="KEY", nargs="+", help="measure these rows only; write no Markdown"
    )
    parser.add_argument("--list", action="store_true", help="list the rows' keys and stop")
    parser.add_argument("--json", type=Path, default=BUILD / "fpga-report.json")
    parser.add_argument("--output", type=Path, default=REPORT, help="the Markdown report")
    options = parser.parse_args(arguments)

    rows = targets()
    if options.list:
        for target in rows:
            print(target.key)
        return 0
    if options.only:
        unknown = set(options.only) - {target.key for target in rows}
        if unknown:
            print(
                f"fpga-report: unknown row {', '.join(sorted(unknown))}; --list names all",
                file=sys.stderr,
            )
            return 2
        rows = [target for target in rows if target.key in options.only]
    if find_spec("pyosys") is None:
        print("fpga-report: pyosys is not installed: run 'tools/setup hw'", file=sys.stderr)
        return 1

    try:
        measurer = Measurer(BUILD, say)
        results = []
        for number, target in enumerate(rows, 1):
            say(f"{number} of {len(rows)}: {target.key}")
            results.append((target, measurer.target(target)))
    except ToolError as error:
        print(f"fpga-report: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("fpga-report: stopped; finished steps are kept", file=sys.stderr)
        return 130

    options.json.parent.mkdir(parents=True, exist_ok=True)
    raw = {"tools": measurer.tools, "rows": [result for _, result in results]}
    options.json.write_text(json.dumps(raw, indent=1) + "\n")
    say(f"raw results: {options.json}")
    page = markdown(results, measurer.tools, measurer.unavailable)
    if options.only:
        print(page)
    else:
        options.output.write_text(page)
        say(f"report: {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
