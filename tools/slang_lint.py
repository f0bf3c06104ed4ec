# SPDX-License-Identifier: Apache-2.0
"""Elaborate a design with slang, a second opinion beside Verilator's.

    python -m tools.slang_lint TOP FILELIST [NAME=VALUE...]

FILELIST names sources one a line, relative to the top of the tree; NAME=VALUE sets parameters of
TOP. Prints slang's diagnostics; exit status 1 if there are any.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pyslang

ROOT = Path(__file__).resolve().parent.parent


def main(arguments: list[str]) -> int:
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    top, filelist, *parameters = arguments
    lines = Path(filelist).read_text(encoding="utf-8").splitlines()
    sources = [str(ROOT / line) for line in lines if line and not line.startswith("#")]
    driver = pyslang.driver.Driver()
    driver.addStandardArgs()
    options = ["slang", "--top", top, "-Werror", *(f"-G{p}" for p in parameters)]
    if not driver.parseCommandLine(" ".join([*options, *sources])):
        return 2
    if not (driver.processOptions() and driver.parseAllSources()):
        return 1
    return 0 if driver.runFullCompilation(quiet=True) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
