# SPDX-License-Identifier: Apache-2.0
"""Elaborate a design with slang, a second opinion beside Verilator's.

    python -m tools.slang_lint TOP [NAME=VALUE...]

TOP is a module of a core; NAME=VALUE sets its parameters. Prints slang's diagnostics; exit status 1
if there are any.
"""

from __future__ import annotations

import sys

import pyslang

from . import cores


def main(arguments: list[str]) -> int:
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    top, *parameters = arguments
    try:
        sources = [str(cores.ROOT / file) for file in cores.sources(top)]
    except cores.CoresError as error:
        print(f"slang_lint: {error}", file=sys.stderr)
        return 2
    driver = pyslang.driver.Driver()
    driver.addStandardArgs()
    # slang takes one string, in which a quotation mark needs a backslash.
    values = (f"-G{parameter}".replace('"', '\\"') for parameter in parameters)
    folders = (f"-I{cores.ROOT / folder}" for folder in cores.includes())
    options = ["slang", "--top", top, "-Werror", *folders, *values]
    if not driver.parseCommandLine(" ".join([*options, *sources])):
        return 2
    if not (driver.processOptions() and driver.parseAllSources()):
        return 1
    return 0 if driver.runFullCompilation(quiet=True) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
