# SPDX-License-Identifier: Apache-2.0
"""`python -m tools.engines [--only KEY ...] [--list]`: measures, writes JSON and the Markdown page.

Exit status: 0 done (the page says what misses its goal); 1 a test failed; 2 the call is wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from .benches import ROOT, benches
from .measure import BenchError, measure
from .report import markdown

BUILD = ROOT / "build" / "engines"
REPORT = ROOT / "docs" / "reference" / "engine-performance.md"


def say(line: str) -> None:
    print(f"engine-bench: {line}", flush=True)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.engines", description=__doc__)
    parser.add_argument(
        "--only", metavar="KEY", nargs="+", help="run these benches only; write no Markdown"
    )
    parser.add_argument("--list", action="store_true", help="list the benches' keys and stop")
    parser.add_argument(
        "--kept", action="store_true", help=f"take what earlier runs left in {BUILD}, if anything"
    )
    parser.add_argument("--json", type=Path, default=BUILD / "engine-bench.json")
    parser.add_argument("--output", type=Path, default=REPORT, help="the Markdown page")
    options = parser.parse_args(arguments)

    chosen = benches()
    if options.list:
        for bench in chosen:
            print(bench.key)
        return 0
    if options.only:
        unknown = set(options.only) - {bench.key for bench in chosen}
        if unknown:
            print(
                f"engine-bench: unknown bench {', '.join(sorted(unknown))}; --list names all",
                file=sys.stderr,
            )
            return 2
        chosen = [bench for bench in chosen if bench.key in options.only]

    BUILD.mkdir(parents=True, exist_ok=True)
    results = []
    failed = False
    try:
        for number, bench in enumerate(chosen, 1):
            say(f"{number} of {len(chosen)}: {bench.key}")
            kept = BUILD / f"{bench.key}.json"
            if not (options.kept and kept.exists()):
                try:
                    kept.write_text(json.dumps(measure(bench)))
                except BenchError as error:
                    print(f"engine-bench: {error}", file=sys.stderr)
                    failed = True
                    continue
            results.append((bench, json.loads(kept.read_text())))
    except KeyboardInterrupt:
        print("engine-bench: stopped; --kept goes on", file=sys.stderr)
        return 130
    if failed:
        print("engine-bench: no page; --kept runs what failed again", file=sys.stderr)
        return 1

    options.json.parent.mkdir(parents=True, exist_ok=True)
    raw = [{"key": bench.key, "figures": figures} for bench, figures in results]
    options.json.write_text(json.dumps(raw, indent=1) + "\n")
    say(f"raw results: {options.json}")
    page = markdown(results)
    if options.only:
        print(page)
    else:
        options.output.write_text(page)
        say(f"page: {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
