# SPDX-License-Identifier: Apache-2.0
"""How a kernel is configured and built. A kernel is built anew when this file changes."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from .flavours import Processor

JOBS = os.cpu_count() or 1
PROGRESS_S = 15  # between two lines that say how far a build is
# The same build gives the same bytes.
SAME = ("KBUILD_BUILD_TIMESTAMP=1970-01-01", "KBUILD_BUILD_USER=sluice", "KBUILD_BUILD_HOST=guest")


class BuildError(Exception):
    """A kernel, a module or a program does not build; the text says why."""


def make(source: Path, build: Path, processor: Processor) -> list[str]:
    """`make` for a kernel's folders."""
    return [
        "make", "-C", str(source), f"O={build}", f"ARCH={processor.name}",
        f"CROSS_COMPILE={processor.compiler}", *SAME,
    ]  # fmt: skip


def run(what: str, command: Sequence[str], log: Path, say: Callable[[str], None]) -> None:
    """Runs a command, its output into `log`; says now and then how far it is."""
    # Whoever runs make around this has no say in it.
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS")}
    start = said = time.monotonic()
    with log.open("w") as stream, log.open() as output:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream, env=environment
        )
        lines = 0
        try:
            while True:
                try:
                    status = process.wait(0.2)
                    break
                except subprocess.TimeoutExpired:
                    pass
                lines += output.read().count("\n")
                if time.monotonic() - said >= PROGRESS_S:
                    said = time.monotonic()
                    say(f"{what}: {said - start:.0f} s, {lines} steps")
        finally:
            process.kill()
    if status != 0:
        text = log.read_text(errors="replace").splitlines()
        errors = [line for line in text if re.search(r"error|Error|can't", line)] or text
        raise BuildError("\n".join([f"{what} failed; all of it is in {log}:", *errors[:20]]))


def wanted(fragments: Sequence[Path]) -> dict[str, str]:
    """The options that fragments ask for."""
    options: dict[str, str] = {}
    for fragment in fragments:
        for number, line in enumerate(fragment.read_text().splitlines(), 1):
            if not line or line.startswith("#"):
                continue
            found = re.fullmatch(r"(CONFIG_\w+)=(\S+)", line)
            if found is None or found[1] in options:
                raise BuildError(f"{fragment}:{number}: not an option, or given before: {line}")
            options[found[1]] = found[2]
    return options


def configure(
    source: Path,
    build: Path,
    processor: Processor,
    options: Mapping[str, str],
    say: Callable[[str], None],
) -> None:
    """Nothing but the options wanted, and all of them."""
    asked = build / "asked.config"
    asked.write_text("".join(f"{name}={value}\n" for name, value in options.items()))
    command = [*make(source, build, processor), f"KCONFIG_ALLCONFIG={asked}", "allnoconfig"]
    run("configuring the kernel", command, build / "configure.log", say)
    got = set((build / ".config").read_text().splitlines())
    # What is off, Kconfig writes as a comment, if it knows it at all.
    refused = [f"{n}={v}" for n, v in options.items() if v != "n" and f"{n}={v}" not in got]
    refused += [f"{n}=n" for n, v in options.items() if v == "n" and {f"{n}=y", f"{n}=m"} & got]
    if refused:
        raise BuildError(
            f"the kernel's configuration does not take {', '.join(refused)}: "
            "something that it depends on is not on, or this version has no such option"
        )


def compile(source: Path, build: Path, processor: Processor, say: Callable[[str], None]) -> None:
    """Builds the kernel, its modules, and what building other modules needs."""
    targets = [Path(processor.image).name, "modules"]
    command = [*make(source, build, processor), f"-j{JOBS}", *targets]
    run("building the kernel", command, build / "build.log", say)


def prune(build: Path) -> None:
    """Removes what neither a guest nor the build of a module needs."""
    suffixes = (".o", ".a", ".cmd", ".mod")
    for file in list(build.rglob("*")):
        linked = file.parent == build and file.name.startswith((".tmp_", "vmlinux"))
        if file.is_file() and (file.suffix in suffixes or linked):
            file.unlink()
