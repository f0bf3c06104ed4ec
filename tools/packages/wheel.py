# SPDX-License-Identifier: Apache-2.0
"""Makes the wheel: the Python package with the boards, sluice.io's module and the experiments.

Called by `make wheel`, which has built build/release. The wheel fits this Python's version and
every Linux whose C library is as new as this machine's; auditwheel puts the other libraries into
it and names the tag (https://peps.python.org/pep-0600/).
"""

from __future__ import annotations

import argparse
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "release"
LIMIT_BYTES = 40_000_000

# What of a build goes where in the package; sluice.paths, sluice.io and sluice.cuda look there.
MODULE = f"_native{sysconfig.get_config_var('EXT_SUFFIX')}"
MODULES = {f"python/native/{MODULE}": f"io/{MODULE}"}
BUILT = {
    "bench/sluice-bench": "bin/sluice-bench",
    "lib/server/sluice-serve": "bin/sluice-serve",
    "lib/cuda/libsluice-cuda.so": "cuda/libsluice-cuda.so",
    **MODULES,
}
DATA = {"bench/experiments": "share/experiments", "bench/published": "share/published"}

# With it, setuptools makes a wheel for one Python on one kind of machine.
SETUP = """\
from setuptools import Distribution, setup


class Binary(Distribution):
    def has_ext_modules(self) -> bool:
        return True


setup(distclass=Binary, license_files=["LICENSE", "NOTICE", "LICENSES/*"])
"""
_BUILD = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"


class PackageError(Exception):
    """A sentence that says why there is no package."""


def stage(build: Path, tree: Path, built: Mapping[str, str]) -> None:
    """Lay out in `tree` what setuptools builds the wheel from, with these files of the build.

    Raises PackageError if a file of the build is missing.
    """
    package = tree / "src" / "sluice"
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "python" / "src" / "sluice", package, ignore=ignored)
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / "python" / name, tree)
    for name in ("LICENSE", "LICENSES", "NOTICE"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, tree / name)
    (tree / "setup.py").write_text(SETUP, encoding="utf-8")
    for source, target in built.items():
        if not (build / source).is_file():
            raise PackageError(f"{build / source} is missing; build it with `make build`")
        (package / target).parent.mkdir(exist_ok=True)
        shutil.copy(build / source, package / target)
    for source, target in DATA.items():
        shutil.copytree(ROOT / source, package / target)


def run(*command: str | Path, cwd: Path) -> None:
    """Run a program quietly. Raises PackageError, with the last line that it printed."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()
        raise PackageError(f"{Path(command[0]).name} failed: {lines[-1]}")


def strip(tree: Path) -> None:
    """Remove the symbols that only a debugger reads: half of the programs' size."""
    package = tree / "src" / "sluice"
    for target in BUILT.values():
        run("strip", "--strip-unneeded", package / target, cwd=tree)


def build_wheel(build: Path, output: Path) -> Path:
    """Return the wheel's file in the folder `output`. Raises PackageError."""
    libc, version = platform.libc_ver()
    if libc != "glibc":
        raise PackageError("a manylinux wheel needs a system with the GNU C library")
    tag = f"manylinux_{version.replace('.', '_')}_{platform.machine()}"
    with tempfile.TemporaryDirectory() as name:
        tree = Path(name) / "python"
        stage(build, tree, BUILT)
        strip(tree)
        run(sys.executable, "-c", _BUILD, tree / "raw", cwd=tree)
        (raw,) = (tree / "raw").glob("*.whl")
        repair = (sys.executable, "-m", "auditwheel", "repair", "--plat", tag)
        run(*repair, "--wheel-dir", tree / "dist", raw, cwd=tree)
        (wheel,) = (tree / "dist").glob("*.whl")
        if wheel.stat().st_size > LIMIT_BYTES:
            raise PackageError(f"the wheel has {wheel.stat().st_size} bytes, over {LIMIT_BYTES}")
        output.mkdir(parents=True, exist_ok=True)
        return Path(shutil.copy(wheel, output))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.packages.wheel", description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "dist", metavar="FOLDER")
    options = parser.parse_args()
    try:
        wheel = build_wheel(BUILD, options.output)
    except (PackageError, OSError) as error:
        print(f"make wheel: {error}", file=sys.stderr)
        return 1
    print(f"{wheel} ({wheel.stat().st_size / 1e6:.1f} MB)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
