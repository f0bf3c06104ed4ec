# SPDX-License-Identifier: Apache-2.0
"""Checks what users read: `python -m tools.prose [PATH...]`."""

from __future__ import annotations

import argparse
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

from tools.prose.rules import rule_of
from tools.prose.texts import texts

ROOT = Path(__file__).resolve().parents[2]
RULES = [rule_of(path) for path in sorted((Path(__file__).parent / "Sluice").glob("*.yml"))]
# Markdown, public headers, and sources whose literals are help, errors and log messages.
WANTED = (
    *("*.md", "driver/include/uapi/*.h", "lib/include/*.h*", "lib/cuda/include/*.h*"),
    *("python/src/*.py", "tools/man.py", "driver/*.c", "lib/server/*.[ch]pp"),
    *(f"{folder}/src/*.[ch]pp" for folder in ("bench", "cosim", "lib", "lib/cuda", "sim")),
)


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


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.prose", description=__doc__)
    parser.add_argument("paths", nargs="*", help="Only these files or folders")
    arguments = parser.parse_args()

    found = [
        f"{path}:{line}: {rule.name}: {finding}"
        for path in chosen(parser, arguments.paths)
        for line, text in texts(ROOT / path)
        for rule in RULES
        for finding in rule.findings(text)
    ]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
