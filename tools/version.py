#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the version of Sluice, which the file VERSION has, to where a file has to hold it itself.
CMakeLists.txt reads VERSION. `python -m tools.version --check` only says what differs.

Exit status: 0 done, or nothing differs; 1 --check found differences; 2 VERSION has no version, a
file has no place for one, or debian/changelog has no entry for it.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from tools import generated

ROOT = Path(__file__).resolve().parent.parent
VERSION = re.compile(r"\d+\.\d+\.\d+")
# Files by a pattern, and what stands before the version in them.
PLACES = {
    "lib/include/sluice.h": r'#define SLUICE_VERSION "',
    "python/src/sluice/__init__.py": r'__version__ = "',
    "driver/dkms.conf": r'PACKAGE_VERSION="',
    "debian/sluice-dkms.install": r"usr/src/sluice-",
    "docs/howto/install.md": r"dist/sluice-|find_package\(sluice ",
    "docs/howto/use-the-linux-driver.md": r"/usr/src/sluice-|dkms install sluice/",
    "regs/*.core": r"^name: sluice:\w+:\w+:",
    "rtl/*/*.core": r"^name: sluice:\w+:\w+:",
}
# Its newest entry is of the version, and written by whoever makes the release.
CHANGELOG = Path("debian/changelog")


class VersionError(Exception):
    """A sentence about a version that is not there."""


def version(root: Path) -> str:
    """What VERSION says."""
    text = (root / "VERSION").read_text(encoding="utf-8").strip()
    if not VERSION.fullmatch(text):
        raise VersionError(f"VERSION has '{text}'; give major.minor.patch, for example 1.2.0")
    return text


def files(root: Path) -> generated.Files:
    """The files that hold the version, as they have to be.

    Raises:
        VersionError: VERSION has no version, one of the files has no place for it, or the newest
            entry of debian/changelog is of another.
    """
    wanted = version(root)
    newest = (root / CHANGELOG).read_text(encoding="utf-8").split("\n", 1)[0]
    if not newest.startswith(f"sluice ({wanted}-"):
        raise VersionError(
            f"{CHANGELOG} begins with '{newest}', not with {wanted}: add an entry, for example "
            f"with dch --newversion {wanted}-1"
        )
    found: generated.Files = {}
    for pattern, before in PLACES.items():
        place = re.compile(rf"({before}){VERSION.pattern}", re.MULTILINE)
        for path in sorted(root.glob(pattern)):
            text = path.read_text(encoding="utf-8")
            changed, count = place.subn(rf"\g<1>{wanted}", text)
            if count == 0:
                raise VersionError(f"{path.relative_to(root)} has no version after {before}")
            found[path.relative_to(root)] = changed.encode()
    return found


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.version", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, report differences")
    parser.add_argument("--root", type=Path, default=ROOT, help="another copy of the repository")
    options = parser.parse_args(arguments)
    root = options.root.resolve()
    try:
        wanted = files(root)
    except VersionError as error:
        print(f"version: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"version: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    command = "python -m tools.version"
    return generated.settle(root, wanted, wanted, check=options.check, command=command)


if __name__ == "__main__":
    sys.exit(main())
