# SPDX-License-Identifier: Apache-2.0
"""The Yosys command line, for the pyosys wheel, which has none. sby runs it as `yosys`.

Options: -q (print nothing), -l FILE (log), -p COMMANDS, -s FILE or FILE (script), -V (version).
"""

from __future__ import annotations

import os
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

SILENT = Path("/dev/null")


def run(commands: list[str], log: Path | None, quiet: bool) -> None:
    """Run commands in a fresh design. Yosys itself ends the process on an error."""
    if quiet:  # libyosys announces each command on standard output
        os.dup2(os.open(SILENT, os.O_WRONLY), sys.stdout.fileno())
    from pyosys import libyosys  # type: ignore[import-not-found, import-untyped, unused-ignore]

    design = libyosys.Design()
    log = log or (SILENT if quiet else None)
    tee = [] if log is None else ["tee", *(["-q"] if quiet else []), "-a", str(log)]
    if log is not None and log != SILENT:
        log.write_text("")
    for command in commands:
        libyosys.run_pass(" ".join([*tee, command]), design)


def yosys_version() -> str:
    """What `yosys -V` prints."""
    return f"Yosys {version('pyosys')} (pyosys)"


def main(arguments: list[str]) -> int:
    commands: list[str] = []
    log: Path | None = None
    quiet = False
    rest = list(arguments)
    while rest:
        option = rest.pop(0)
        if option == "-V":
            try:
                print(yosys_version())
            except PackageNotFoundError:
                print("yosys: pyosys is not installed: run 'tools/setup hw'", file=sys.stderr)
                return 1
            return 0
        if option.startswith("-"):
            # Short options may be joined, the one with a value last: -ql FILE.
            for letter in option[1:]:
                if letter == "q":
                    quiet = True
                elif letter in "lps" and rest:
                    value = rest.pop(0)
                    if letter == "l":
                        log = Path(value)
                    else:
                        commands.append(value if letter == "p" else f"script {value}")
                else:
                    print(f"yosys: unknown option or missing value: {option}", file=sys.stderr)
                    return 2
        else:
            commands.append(f"script {option}")
    run(commands, log, quiet)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
