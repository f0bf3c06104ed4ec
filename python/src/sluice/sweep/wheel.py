# SPDX-License-Identifier: Apache-2.0
"""The library as a wheel that has sluice-bench in it, for workers that share no files with us."""

import os
import re
import shutil
import stat
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import sluice
from sluice.errors import InputError, RunError
from sluice.paths import find_bench, repository
from sluice.sweep.worker import IDENTITY, identity

# Of the C library: a worker's own, since it fits the worker's kernel and loader.
_OF_SYSTEM = re.compile(r"(ld-linux|libc|libm|libdl|libpthread|librt|linux-vdso)\b.*")
_LIBRARY = re.compile(r"\s*(\S+) => (/\S+) \(")
_START = """#!/bin/sh
here=$(dirname "$0")/libraries
LD_LIBRARY_PATH=$here exec "$here/sluice-bench" "$@"
"""
_BUILD = (
    "import sys\n"
    "from setuptools import build_meta\n"
    "print(build_meta.build_wheel(sys.argv[1], "
    "{'--build-option': ['--plat-name', sys.argv[2]]}))"
)


def build() -> bytes:
    """Return the wheel."""
    root = repository()
    if root is None or not (root / "python" / "pyproject.toml").is_file():
        raise InputError(
            "--scheduler sends workers a wheel that is built from a checkout of Sluice, and this "
            "installation has none; run the sweep from a checkout"
        )
    with tempfile.TemporaryDirectory() as name:
        tree = Path(name) / "python"
        ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
        shutil.copytree(Path(sluice.__file__).parent, tree / "src" / "sluice", ignore=ignored)
        for file in ("pyproject.toml", "README.md"):
            shutil.copy(root / "python" / file, tree)
        _add_bench(tree / "src" / "sluice" / "bin")
        return _built(tree)


def _add_bench(folder: Path) -> None:
    """Put sluice-bench there, with the libraries that a worker may not have."""
    bench, libraries = find_bench(), folder / "libraries"
    libraries.mkdir(parents=True)
    shutil.copy(bench, libraries / "sluice-bench")
    for line in _ldd(bench).splitlines():
        match = _LIBRARY.match(line)
        if match is not None and not _OF_SYSTEM.fullmatch(match[1]):
            shutil.copy(match[2], libraries / match[1])
    start = folder / "sluice-bench"
    start.write_text(_START, encoding="utf-8")
    start.chmod(start.stat().st_mode | stat.S_IXUSR)
    (folder / IDENTITY).write_text(identity() + "\n", encoding="utf-8")


def _ldd(program: Path) -> str:
    """Return the libraries of a program; of a script there are none."""
    done = subprocess.run(  # noqa: S603
        ["ldd", program],  # noqa: S607
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,
    )
    return done.stdout


def _built(tree: Path) -> bytes:
    target = tree / "wheel"
    target.mkdir()
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    done = subprocess.run(  # noqa: S603  (this Python)
        [sys.executable, "-c", _BUILD, str(target), platform],
        cwd=tree,
        env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,  # a Ctrl-C in the terminal reaches the command alone
    )
    wheels = list(target.glob("*.whl"))
    if done.returncode or not wheels:
        lines = done.stderr.strip().splitlines() or ["it said nothing"]
        raise RunError(f"the wheel for workers cannot be built: {lines[-1]}")
    return wheels[0].read_bytes()
