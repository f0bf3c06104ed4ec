# SPDX-License-Identifier: Apache-2.0
"""QEMU out of Debian's package of its source, with the plugin of cosim/door compiled within it,
against QEMU's own headers.

Kept in build/cache/qemu-source by the version of the source and what it is built with. The plugin
is kept by the door's source: when that changes, QEMU itself stays.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from tools import qemu
from tools.debian import Source, UnavailableError, locked

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


def built(why: str) -> tuple[Path, Path]:
    """QEMU's program and the plugin, built if need be. `why`: said with it. Raises
    debian.UnavailableError, recipe.BuildError."""
    check()
    source = Source("qemu", SUITES, qemu.FOR_PLUGINS, CACHE / "source")
    if not source.fetched:
        say("fetching QEMU's source from Debian")
    version = source.fetch()
    key = toolchain.digest([version, compiler(), REQUIREMENTS.read_bytes(), *OPTIONS])
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
            put_door(source.tree)
            configure(source.tree, build)
            # First: it compiles in seconds, or this QEMU is not one that the door is written for.
            make(build, PLUGIN, "building the door's plugin in QEMU")
            make(build, PROGRAM, f"building QEMU {version}")
            prune(build)
            complete.write_text(version)
        if not plugin.exists():
            put_door(source.tree)
            make(build, PLUGIN, "building the door's plugin in QEMU")
            plugin.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(build / "qemu" / PLUGIN, plugin)
    return build / "qemu" / PROGRAM, plugin
