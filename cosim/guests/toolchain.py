# SPDX-License-Identifier: Apache-2.0
"""The programs that build kernels, modules and test programs, and C programs for a guest."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tools.debian import UnavailableError

from .flavours import Processor
from .recipe import BuildError

CACHE = Path(__file__).resolve().parents[2] / "build" / "cache" / "guests"
# What is run, and the package of Debian that has it; the cross compilers' are the processors'.
PROGRAMS = {
    "make": "make",
    "gcc": "gcc",
    "flex": "flex",
    "bison": "bison",
    "bc": "bc",
    "xz": "xz-utils",
    "patch": "patch",
}
# What checks modules, likewise.
CHECKERS = {"perl": "perl", "sparse": "sparse", "spatch": "coccinelle", "ocamlopt": "ocaml-nox"}


def check(processor: Processor, checkers: Sequence[str] = ()) -> None:
    """Raises UnavailableError if a program to build with, or one of the CHECKERS, is not there,
    naming its package."""
    wanted = PROGRAMS | {program: CHECKERS[program] for program in checkers}
    missing = [package for program, package in wanted.items() if shutil.which(program) is None]
    if shutil.which(processor.compiler + "gcc") is None:
        missing += processor.packages
    if missing:
        raise UnavailableError(
            f"what builds guests is missing, {' '.join(missing)}: run tools/setup guest, "
            "or have those packages installed"
        )


def compiler_version(processor: Processor) -> str:
    """The compiler's first line about itself."""
    command = [processor.compiler + "gcc", "--version"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")[0]


def digest(parts: Sequence[bytes | str]) -> str:
    """A short name for contents."""
    sha = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        sha.update(len(data).to_bytes(8, "little") + data)
    return sha.hexdigest()[:16]


def tree(folder: Path, suffixes: tuple[str, ...]) -> list[Path]:
    """The files below a folder that have one of the suffixes, or are a makefile, in order."""
    names = ("Kbuild", "Makefile")
    found = (file for file in folder.rglob("*") if file.suffix in suffixes or file.name in names)
    return sorted(file for file in found if file.is_file())


def program(
    processor: Processor,
    sources: Sequence[Path],
    include: Sequence[Path] = (),
    flags: Sequence[str] = (),
) -> Path:
    """A statically linked C program for a guest, named after its first source; kept by content.
    `include`: folders of headers."""
    check(processor)
    headers = [file for folder in include for file in tree(folder, (".h",))]
    beside = [file for source in sources for file in sorted(source.parent.glob("*.h"))]
    inputs = [file.read_bytes() for file in (*sources, *headers, *beside)]
    key = digest([compiler_version(processor), *flags, *inputs])
    target = CACHE / "programs" / processor.name / key / sources[0].stem
    if target.exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as file:
        pass
    command = [
        processor.compiler + "gcc", "-std=gnu17", "-O2", "-Wall", "-Wextra", "-Werror", "-static",
        *(f"-I{folder}" for folder in include), *flags, *map(str, sources), "-o", file.name,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        Path(file.name).unlink()
        raise BuildError(f"{sources[0].name} does not compile:\n{done.stderr}")
    Path(file.name).replace(target)
    return target
