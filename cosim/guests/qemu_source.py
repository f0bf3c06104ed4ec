# SPDX-License-Identifier: Apache-2.0
"""QEMU out of Debian's package of its source, or out of a folder or an archive at hand, with the
plugin of cosim/door compiled within it, against QEMU's own headers.

Kept in build/cache/qemu-source by the version of the source and what it is built with. The plugin
is kept by the door's source: when that changes, QEMU itself stays.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from tools import qemu
from tools.debian import Source, UnavailableError, locked, upstream

from . import recipe, toolchain
from .kernel import say

ROOT = Path(__file__).resolve().parents[2]
CACHE = toolchain.CACHE.parent / "qemu-source"
SUITES = (qemu.SUITES[-1], "sid")
DOOR = ROOT / "cosim" / "door"
WIRE = ROOT / "cosim" / "include" / "sluice" / "cosim" / "pl_wire.h"
# The door's files by their path in QEMU's source.
FILES = {Path("sluice") / file.name: file for file in sorted(DOOR.iterdir())}
FILES[Path("sluice") / WIRE.relative_to(ROOT / "cosim")] = WIRE
SUBDIR = "subdir('sluice')\n"
PROGRAM = "qemu-system-arm"
PLUGIN = "sluice/pl.so"
# Meson and what QEMU's build asks for beside it: Debian 12's are too old, and nobody else wants
# them, so they have an environment of their own.
REQUIREMENTS = ROOT / "tools" / "requirements" / "qemu.txt"
OPTIONS = (
    "--target-list=arm-softmmu",
    # All boards stay: QEMU of one board alone is not built by its makers, and does not link.
    "--without-default-features",
    *("--enable-tcg", "--enable-plugins"),
    "--disable-debug-info",
    "--disable-install-blobs",  # firmware, which Debian's package of the source leaves out
    "--disable-download",
    # Plugins see every function, as they do where QEMU has modules; else those of their own API.
    "--extra-ldflags=-Wl,--export-dynamic",
)
NICE = ("nice", "-n", "10")
# What is run, and the package of Debian that has it. Headers come from packages too, by
# `tools/setup guest`: they have to fit this machine's compiler and libraries, which QEMU is run
# with, so those of another suite are no use.
PROGRAMS = {
    "cc": "gcc",
    "ninja": "ninja-build",
    "pkg-config": "pkg-config",
    "dpkg-source": "dpkg-dev",
    "patch": "patch",
}
HEADERS = {"glib.h": "libglib2.0-dev", "libfdt.h": "libfdt-dev", "zlib.h": "zlib1g-dev"}


class ChoiceError(ValueError):
    """A person has chosen what cannot be had; the text says what can."""


class Tree(NamedTuple):
    """A source that the door may be put into."""

    path: Path
    version: str
    key: str  # differs where the files do


def check() -> None:
    """Raises UnavailableError if something to build with is not there, naming its package."""
    missing = [package for name, package in PROGRAMS.items() if shutil.which(name) is None]
    if not missing:
        flags = ["pkg-config", "--cflags", "--silence-errors", "glib-2.0"]
        glib = subprocess.run(flags, capture_output=True, text=True).stdout.split()
        for header, package in HEADERS.items():
            command = ["cc", "-E", *glib, "-include", header, "-x", "c", "/dev/null"]
            if subprocess.run(command, capture_output=True).returncode != 0:
                missing.append(package)
    if missing:
        raise UnavailableError(
            f"what builds QEMU from its source is missing, {' '.join(missing)}: run tools/setup "
            "guest, or have those packages installed"
        )


def compiler() -> str:
    """The compiler's first line about itself."""
    done = subprocess.run(["cc", "--version"], capture_output=True, text=True, check=True)
    return done.stdout.split("\n")[0]


def of_debian() -> Tree:
    """Debian's package. Raises UnavailableError."""
    source = Source("qemu", SUITES, qemu.FOR_PLUGINS, CACHE / "source")
    if not source.fetched:
        say("fetching QEMU's source from Debian")
    try:
        version = source.fetch()
    except UnavailableError as error:
        raise UnavailableError(
            f"{error}; SLUICE_QEMU=PATH builds from a folder or an archive of QEMU's source"
        ) from None
    return Tree(source.tree, version, version)


def fingerprint(given: Path) -> str:
    """Differs where an archive does, or a file of a folder by its size or time."""
    if given.is_file():
        with given.open("rb") as archive:
            return hashlib.file_digest(archive, "sha256").hexdigest()[:16]
    parts = []
    for file in sorted(given.rglob("*")):
        if ".git" not in file.relative_to(given).parts and file.is_file():
            status = file.stat()
            parts.append(f"{file.relative_to(given)} {status.st_size} {status.st_mtime_ns}")
    return toolchain.digest(parts)


def copy(given: Path, tree: Path) -> str:
    """Copies a folder or unpacks an archive. The version of the source. Raises ChoiceError."""
    if given.is_file():
        tree.mkdir()
        command = ["tar", "-xf", str(given), "-C", str(tree), "--strip-components=1"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            why = done.stderr.strip().splitlines()[:1]
            raise ChoiceError(f"{given} is no archive that tar unpacks ({''.join(why)})")
    else:
        shutil.copytree(given, tree, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    missing = [n for n in ("VERSION", "configure", "meson.build") if not (tree / n).is_file()]
    version = "" if missing else (tree / "VERSION").read_text(errors="replace").strip()
    if re.fullmatch(r"\d+(\.\d+)+", version) is None:
        raise ChoiceError(
            f"{given} is not QEMU's source: "
            + (f"it has no {' and no '.join(missing)}" if missing else "its VERSION is no version")
        )
    if upstream(version) < qemu.FOR_PLUGINS:
        wanted = ".".join(map(str, qemu.FOR_PLUGINS))
        raise ChoiceError(f"{given} is the source of QEMU {version}; allowed: {wanted} or newer")
    return version


def of_person(given: Path) -> Tree:
    """A copy of what is at hand, which stays as it is. Raises ChoiceError."""
    mark = fingerprint(given)
    folder = CACHE / f"given-{mark}"
    complete = folder / "complete"
    with locked(folder):
        if not complete.exists():
            say(f"taking QEMU's source from {given}")
            shutil.rmtree(folder / "tree", ignore_errors=True)
            try:
                complete.write_text(copy(given, folder / "tree"))
            except ChoiceError:
                shutil.rmtree(folder)
                raise
        version = complete.read_text()
    return Tree(folder / "tree", version, f"{version} {mark}")


def put_door(tree: Path) -> None:
    """Puts the door's source into QEMU's. What is there already keeps its time, so that nothing is
    built again for it."""
    for path, file in FILES.items():
        target = tree / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.read_bytes() != file.read_bytes():
            shutil.copyfile(file, target)
    top = tree / "meson.build"
    text = top.read_text()
    if not text.endswith(SUBDIR):
        top.write_text(text + SUBDIR)


def make(build: Path, target: str, what: str) -> None:
    """Builds one thing. Raises BuildError."""
    log = build / f"{Path(target).stem}.log"
    command = [*NICE, "ninja", "-C", str(build / "qemu"), "-j", str(recipe.JOBS), target]
    recipe.run(what, command, log, say)


def environment(build: Path) -> Path:
    """A Python with Meson. Raises BuildError."""
    folder = build / "venv"
    python = folder / "bin" / "python"
    log = build / "meson.log"
    recipe.run("preparing Python", [sys.executable, "-m", "venv", str(folder)], log, say)
    install = [str(python), "-m", "pip", "install", "--no-deps", "--require-hashes"]
    recipe.run("fetching Meson", [*install, "-r", str(REQUIREMENTS)], log, say)
    return python


def configure(tree: Path, build: Path) -> None:
    """Prepares QEMU's build. Raises BuildError."""
    folder = build / "qemu"
    folder.mkdir()
    python = environment(build)
    command = [*NICE, "env", "-C", str(folder), str(tree / "configure"), f"--python={python}"]
    recipe.run("configuring QEMU", [*command, *OPTIONS], build / "configure.log", say)


def prune(build: Path) -> None:
    """Removes what neither QEMU nor the build of its plugin needs."""
    for file in list((build / "qemu").rglob("*")):
        if file.suffix in (".o", ".a") and file.is_file():
            file.unlink()


def built(why: str, given: Path | None = None) -> tuple[Path, Path]:
    """QEMU's program and the plugin, built if need be. `why`: said with it. `given`: a folder or an
    archive, which exists, of QEMU's source; else Debian's is used. Raises debian.UnavailableError,
    recipe.BuildError, ChoiceError."""
    check()
    source = of_debian() if given is None else of_person(given)
    version = source.version
    key = toolchain.digest([source.key, compiler(), REQUIREMENTS.read_bytes(), *OPTIONS])
    build = CACHE / f"build-{key}"
    door = [part for path, file in FILES.items() for part in (str(path), file.read_bytes())]
    plugin = build / "plugins" / toolchain.digest(door) / "pl.so"
    complete = build / "complete"
    with locked(CACHE):
        if not complete.exists():
            how = f"building QEMU {version} from its source, 10 minutes of processor time, once"
            say(f"{why}: {how}")
            shutil.rmtree(build, ignore_errors=True)
            build.mkdir()
            put_door(source.path)
            configure(source.path, build)
            # First: it compiles in seconds, or this QEMU is not one that the door is written for.
            make(build, PLUGIN, "building the door's plugin in QEMU")
            make(build, PROGRAM, f"building QEMU {version}")
            prune(build)
            complete.write_text(version)
        if not plugin.exists():
            put_door(source.path)
            make(build, PLUGIN, "building the door's plugin in QEMU")
            plugin.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(build / "qemu" / PLUGIN, plugin)
    return build / "qemu" / PROGRAM, plugin
