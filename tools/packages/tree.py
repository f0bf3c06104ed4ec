# SPDX-License-Identifier: Apache-2.0
"""Lays out python3-sluice for debian/rules: the package for Debian's own Python, and the command
with the libraries that it was tested with.

Called without a network; the wheels are those of the source package.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from tools.packages import wheel

# Of tools/requirements/run.txt, what only a build needs.
BUILD_ONLY = ("nanobind", "pyyaml", "setuptools")
COMMAND = """\
#!/bin/sh
# -P: a module of the current folder is none of the command's.
export PYTHONPATH=/usr/lib/sluice/python
exec /usr/bin/python3 -P -m sluice "$@"
"""


def requirements(lock: str) -> str:
    """The entries of a lock file, with their hashes, that the command needs when it runs."""
    entries = lock.replace("\\\n", " ").splitlines()
    names = tuple(f"{name}==" for name in BUILD_ONLY)
    return "\n".join(entry for entry in entries if not entry.startswith(names)) + "\n"


def lay_out(build: Path, wheels: Path, root: Path) -> None:
    """Put python3-sluice's files under `root`. Raises wheel.PackageError."""
    library = root / "usr" / "lib" / "sluice" / "python"
    packages = root / "usr" / "lib" / "python3" / "dist-packages"
    wheel.stage(build, root / "staged", wheel.MODULES)
    packages.mkdir(parents=True)
    (root / "staged" / "src" / "sluice").rename(packages / "sluice")
    lock = root / "staged" / "requirements.txt"
    lock.write_text(requirements((wheel.ROOT / "tools/requirements/run.txt").read_text()))
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", "--no-deps")
    offline = ("--no-index", "--find-links", wheels, "--require-hashes")
    wheel.run(*pip, *offline, "--target", library, "-r", lock, cwd=root)
    command = root / "usr" / "bin" / "sluice"
    command.write_text(COMMAND)
    command.chmod(0o755)
    shutil.rmtree(root / "staged")
    shutil.rmtree(library / "bin")  # commands of the libraries


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.packages.tree", description=__doc__)
    parser.add_argument("--build", type=Path)
    parser.add_argument("--wheels", type=Path)
    parser.add_argument("--root", type=Path)
    parser.add_argument("--substitutions", action="store_true", help="of debian/control")
    options = parser.parse_args()
    if options.substitutions:
        major, minor = sys.version_info[:2]
        print(f"-Vsluice:Python={major}.{minor} -Vsluice:NextPython={major}.{minor + 1}")
        return 0
    try:
        lay_out(options.build, options.wheels.resolve(), options.root)
    except (wheel.PackageError, OSError) as error:
        print(f"debian/rules: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
