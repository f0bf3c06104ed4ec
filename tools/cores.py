# SPDX-License-Identifier: Apache-2.0
"""The RTL's source lists, read from FuseSoC's core files: what a module needs, in compile order.

    python -m tools.cores (--sources | --includes | --cores) MODULE...

--sources prints the files of the modules and of all that they use, --includes the folders of their
include files, --cores all core files; each one a line, relative to the top of the tree. Exit
status: 0, or 2 for a module that no core has.
"""

from __future__ import annotations

import argparse
import re
import sys
from functools import cache
from pathlib import Path

import yaml  # type: ignore[import-untyped]

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("rtl", "regs")
SOURCE, INCLUDE = ".sv", ".svh"


class CoresError(Exception):
    """What is asked of the cores is not in them."""


@cache
def core_files() -> tuple[Path, ...]:
    """Every core file, relative to the top of the tree."""
    found = (file for folder in FOLDERS for file in (ROOT / folder).rglob("*.core"))
    return tuple(sorted(file.relative_to(ROOT) for file in found))


@cache
def by_name() -> dict[str, str]:
    """Module, package or interface, or include file, to the file named after it."""
    files: dict[str, str] = {}
    for core in core_files():
        for fileset in yaml.safe_load((ROOT / core).read_text())["filesets"].values():
            for entry in fileset.get("files", ()):
                name = entry if isinstance(entry, str) else next(iter(entry))
                file = core.parent / name
                key = file.name if file.suffix == INCLUDE else file.stem
                files[key] = file.as_posix()
    return files


def _used(text: str) -> list[str]:
    """Names of modules, packages and interfaces in a text; a macro `SL_X stands for module sl_x."""
    text = re.sub(r"//.*", "", text)
    return list(dict.fromkeys(name.lower() for name in re.findall(r"\b(?:sl|SL)_\w+", text)))


def sources(*modules: str, synthesis: bool = False) -> list[str]:
    """The files of modules, those they use first; without those of simulation alone if wanted.

    A module may also be a path to a file that no core has, such as a bench.
    """
    files: dict[str, None] = {}

    def add(file: str, under: tuple[str, ...]) -> None:
        if file in files or file in under:
            return
        text = (ROOT / file).read_text()
        if synthesis:
            text = re.sub(r"`ifndef SYNTHESIS.*?`endif", "", text, flags=re.DOTALL)
            text = re.sub(r"`SL_\w+_CHECK\b", "", text)
        for name in _used(text):
            if name in by_name():
                add(by_name()[name], (*under, file))
        files[file] = None

    for module in modules:
        if module.endswith(SOURCE):
            add(module, ())
        elif module in by_name():
            add(by_name()[module], ())
        else:
            raise CoresError(f"no core has a module '{module}'")
    return list(files)


def headers() -> list[str]:
    """The include files."""
    return [file for file in by_name().values() if file.endswith(INCLUDE)]


def includes() -> list[str]:
    """Folders of include files."""
    return sorted({Path(file).parent.as_posix() for file in headers()})


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.cores", description=__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--sources", action="store_true", help="files that the modules need")
    what.add_argument("--includes", action="store_true", help="folders of include files")
    what.add_argument("--cores", action="store_true", help="all core files")
    parser.add_argument("modules", nargs="*", metavar="MODULE")
    options = parser.parse_args(arguments)
    try:
        if options.sources:
            lines = sources(*options.modules)
        else:
            lines = includes() if options.includes else [str(file) for file in core_files()]
    except CoresError as error:
        print(f"tools.cores: {error}", file=sys.stderr)
        return 2
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
