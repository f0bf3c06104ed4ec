# SPDX-License-Identifier: Apache-2.0
"""Checks what users read: `python -m tools.prose [PATH...]`."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections import Counter
from fnmatch import fnmatch
from pathlib import Path

from tools.prose.rules import Rule, rule_of
from tools.prose.texts import texts

ROOT = Path(__file__).resolve().parents[2]
BASELINE = Path(__file__).parent / "baseline.txt"
RULES = [rule_of(path) for path in sorted((Path(__file__).parent / "Sluice").glob("*.yml"))]
# Markdown, public headers, and sources whose literals are help, errors and log messages.
WANTED = (
    *("*.md", "driver/include/uapi/*.h", "lib/include/*.h*", "lib/cuda/include/*.h*"),
    *("python/src/*.py", "tools/man.py", "driver/*.c", "lib/server/*.[ch]pp"),
    *(f"{folder}/src/*.[ch]pp" for folder in ("bench", "cosim", "lib", "lib/cuda", "sim")),
)
Counts = Counter[tuple[str, str]]  # of a rule in a file


def user_facing() -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [
        path
        for path in listed.stdout.split()
        if any(fnmatch(path, pattern) for pattern in WANTED)
        and "/tests/" not in path
        and (ROOT / path).is_file()  # git lists deleted ones too
    ]


def chosen(parser: argparse.ArgumentParser, wanted: list[str]) -> list[str]:
    """Those of user_facing() that are in one of these files or folders; all, if none is named."""
    files = user_facing()
    if not wanted:
        return files
    found = set()
    for name in wanted:
        inside = {path for path in files if (ROOT / path).is_relative_to(Path(name).resolve())}
        if not inside:
            parser.error(f"no file that users read is in {name}")
        found |= inside
    return [path for path in files if path in found]


def findings(path: str, rules: list[Rule]) -> list[tuple[str, str]]:
    return [
        (rule.name, f"{path}:{line}: {rule.name}: {finding}")
        for line, text in texts(ROOT / path)
        for rule in rules
        for finding in rule.findings(text)
    ]


def read_baseline() -> Counts:
    lines = BASELINE.read_text(encoding="utf-8").splitlines()
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    return Counter({(rule, path): int(count) for count, rule, path in rows})


def write_baseline(counts: Counts) -> None:
    rows = [f"{count} {rule} {path}\n" for (rule, path), count in sorted(counts.items()) if count]
    BASELINE.write_text(
        "# Findings of prose rules that are not resolved yet; the numbers may only go down.\n"
        + "".join(rows),
        encoding="utf-8",
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.prose", description=__doc__)
    parser.add_argument("paths", nargs="*", help="Print every finding in these files or folders")
    parser.add_argument("--shrink", action="store_true", help="Lower the baseline to what is left")
    parser.add_argument("--count", action="store_true", help="Print the findings of each rule")
    arguments = parser.parse_args()

    allowed = read_baseline()
    counts: Counts = Counter()
    failures: list[str] = []
    for path in chosen(parser, arguments.paths):
        found = findings(path, RULES)
        counts.update((rule, path) for rule, _ in found)
        for rule in RULES:
            key = (rule.name, path)
            if arguments.paths or counts[key] > allowed[key]:
                failures += [text for name, text in found if name == rule.name]
    if arguments.count:
        for rule in RULES:
            print(f"{rule.name}: {sum(n for (name, _), n in counts.items() if name == rule.name)}")
        return 0
    print("\n".join(failures), end="\n" if failures else "")
    if arguments.paths or failures:
        return 1 if failures else 0
    if arguments.shrink:
        write_baseline(counts)
    elif counts != +allowed:
        print(f"{BASELINE.name} allows more than is left: run python -m tools.prose --shrink")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
