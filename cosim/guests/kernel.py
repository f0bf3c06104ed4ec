# SPDX-License-Identifier: Apache-2.0
"""Kernels out of Debian's packages of the kernel's source, and modules for them.

Everything is kept by content in build/cache/guests, and made when it is asked for and not there.
"""

from __future__ import annotations

import fcntl
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tools.debian import Unpacked

from . import recipe
from .flavours import CONFIG, Flavour, fragments
from .toolchain import CACHE, check, compiler_version, digest, tree

# The suite of Debian that has linux-source-VERSION.
SUITES = {"6.1": "bookworm", "6.12": "trixie", "7.3": "trixie-backports"}
# Code for machines that no guest is: what Kconfig and the makefiles read stays.
OTHER_PROCESSORS = (
    *("alpha", "arc", "csky", "hexagon", "loongarch", "m68k", "microblaze", "mips", "nios2"),
    *("openrisc", "parisc", "powerpc", "riscv", "s390", "sh", "sparc", "xtensa"),
)
OTHER_DRIVERS = ("gpu", "net/*", "media", "infiniband", "scsi", "staging", "../sound")
# What modules are built from.
SOURCES = (".c", ".h", ".S", ".dts", ".dtsi", ".dtso")
# Folders beside the driver's sources: programs, and modules for measuring, which change without it.
PROGRAMS = ("tests", "overhead", "published")
COMPLAINT = r"\b(warning|error):"
LEFT_OUT = (
    *("*/Documentation/*/*", "*/tools/testing/*", "*/tools/perf/*"),
    *(f"*/arch/{name}/{files}" for name in OTHER_PROCESSORS for files in ("*.[chS]", "*.dts*")),
    *(f"*/drivers/{name}/*.[ch]".replace("/drivers/..", "") for name in OTHER_DRIVERS),
)


def say(text: str) -> None:
    """Progress, for whoever waits."""
    print(f"guests: {text}", file=sys.stderr, flush=True)


@contextmanager
def alone(name: str) -> Iterator[None]:
    """Nobody else makes the same at the same time."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def module_sources(folder: Path) -> list[Path]:
    """What the modules of a folder are built from."""
    found = tree(folder, SOURCES)
    return [file for file in found if file.relative_to(folder).parts[0] not in PROGRAMS]


def copy_sources(folder: Path, work: Path) -> None:
    """Copies what the modules of a folder are built from."""
    for file in module_sources(folder):
        copy = work / file.relative_to(folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)


@dataclass(frozen=True)
class Source:
    """A kernel's source, unpacked."""

    version: str  # of the package: 6.12.107-1
    folder: Path


def source(version: str) -> Source:
    """The source of a kernel's version (6.12), fetched and unpacked if need be.
    Raises debian.UnavailableError."""
    folder = CACHE / f"source-{version}"
    mark = folder / "version"
    with alone(folder.name):
        if not mark.exists():
            shutil.rmtree(folder, ignore_errors=True)
            name = f"linux-source-{version}"
            say(f"fetching {name} of Debian {SUITES[version]}")
            package = Unpacked((name,), (SUITES[version],), CACHE / name, alone=True)
            package.fetch()
            archive = package.root / "usr" / "src" / f"{name}.tar.xz"
            say(f"unpacking {name} {package.version()}")
            folder.mkdir()
            subprocess.run(
                ["tar", "-xJf", str(archive), "-C", str(folder), "--strip-components=1"]
                + [f"--exclude={pattern}" for pattern in LEFT_OUT],
                check=True,
            )
            mark.write_text(package.version())
            shutil.rmtree(package.cache)
    return Source(mark.read_text(), folder)


@dataclass(frozen=True)
class Kernel:
    """A kernel that is built."""

    flavour: Flavour
    version: str
    source: Path
    build: Path  # what modules are built against

    @property
    def image(self) -> Path:
        return self.build / self.flavour.processor.image

    @cached_property
    def modules(self) -> dict[str, Path]:
        """The modules that come with it, by name."""
        return {file.stem: file for file in sorted(self.build.rglob("*.ko"))}

    @cached_property
    def symbols(self) -> list[tuple[int, str, str]]:
        """Addresses, kinds and names of what is in the kernel, in order."""
        lines = (line.split() for line in (self.build / "System.map").read_text().splitlines())
        return sorted((int(at, 16), kind, name) for at, kind, name in lines)

    def build_modules(self, folder: Path, include: Sequence[Path] = ()) -> dict[str, Path]:
        """The modules that the Kbuild file of a folder describes, by name. The folder itself stays
        as it is. `include`: further folders of headers, searched before the kernel's."""
        processor = self.flavour.processor
        check(processor)
        inputs = module_sources(folder)
        headers = [file for path in include for file in tree(path, (".h",))]
        parts: list[bytes | str] = [self.build.name]
        for file in inputs:
            parts += [str(file.relative_to(folder)), file.read_bytes()]
        for file in headers:
            parts += [file.name, file.read_bytes()]
        key = digest(parts)
        target = CACHE / "modules" / f"{folder.name}-{self.flavour.name}-{key}"
        with alone(f"modules-{key}"):
            if not target.exists():
                target.parent.mkdir(exist_ok=True)
                with tempfile.TemporaryDirectory(dir=target.parent) as name:
                    work, out = Path(name) / folder.name, Path(name) / "out"
                    out.mkdir()
                    log = target.with_suffix(".log")
                    what = f"building the modules of {folder.name}"
                    recipe.run(what, self._make(folder, work, include), log, say)
                    for file in sorted(work.rglob("*.ko")):
                        shutil.copyfile(file, out / file.name)
                    out.replace(target)
        return {file.stem: file for file in sorted(target.glob("*.ko"))}

    def check_modules(self, folder: Path, include: Sequence[Path] = ()) -> list[str]:
        """What the compiler (W=1) and sparse say against the modules of a folder, a line each.
        `include` as for build_modules(). Raises UnavailableError, BuildError."""
        check(self.flavour.processor, ("sparse",))
        with tempfile.TemporaryDirectory() as name:
            log = Path(name) / "log"
            command = self._make(folder, Path(name) / folder.name, include)
            command += ["C=2", "W=1", "CHECK=sparse", "CF=-D__CHECK_ENDIAN__"]
            command += ["KCFLAGS=-Wno-missing-include-dirs"]  # headers come from `include`
            recipe.run(f"checking the modules of {folder.name}", command, log, say)
            lines = log.read_text().splitlines()
        if not any(line.split()[:1] == ["CHECK"] for line in lines):
            raise recipe.BuildError("sparse has looked at nothing")
        return [line.replace(f"{name}/", "") for line in lines if re.search(COMPLAINT, line)]

    def _make(self, folder: Path, work: Path, include: Sequence[Path]) -> list[str]:
        """Copies what the modules of a folder are built from to `work`; what builds them there."""
        copy_sources(folder, work)
        flags = " ".join(f"-I{path.resolve()}" for path in include)
        return [
            *recipe.make(self.source, self.build, self.flavour.processor),
            f"M={work}", f"KCPPFLAGS={flags}", "modules",
        ]  # fmt: skip


def kernel(flavour: Flavour, version: str) -> Kernel:
    """A guest's kernel, built if need be. Raises debian.UnavailableError, recipe.BuildError."""
    processor = flavour.processor
    check(processor)
    origin = source(version)
    names = fragments(flavour, version)
    options = recipe.wanted([CONFIG / f"{name}.config" for name in names])
    how = Path(recipe.__file__).read_bytes()
    key = digest([origin.version, compiler_version(processor), how, repr(sorted(options.items()))])
    build = CACHE / f"kernel-{flavour.name}-{version}-{key}"
    complete = build / "complete"
    with alone(build.name):
        if not complete.exists():
            shutil.rmtree(build, ignore_errors=True)
            build.mkdir()
            say(f"building the kernel {origin.version} of {flavour.name}: some minutes, once")
            recipe.configure(origin.folder, build, processor, options, say)
            recipe.compile(origin.folder, build, processor, say)
            recipe.prune(build)
            complete.write_text("")
    return Kernel(flavour, version, origin.folder, build)
