# SPDX-License-Identifier: Apache-2.0
"""The driver's sources: they call one another downwards, and the kernel's own checks have nothing
against them (checkpatch, the compiler with W=1, sparse, coccinelle)."""

from __future__ import annotations

import re
import subprocess
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from sluice_guest import FULL

from cosim.boot import Boot
from cosim.guests import Kernel, recipe, toolchain
from cosim.guests.kernel import copy_sources, module_sources
from tools.debian import UnavailableError

ROOT = Path(__file__).resolve().parents[2]
DRIVER = ROOT / "driver"
HEADERS = ROOT / "regs" / "gen" / "c"

# What checkpatch says against a module that stands outside the kernel or needs a macro so, by file.
PARDONED = {
    "include/uapi/linux/sluice.h": {"BIT_MACRO"},  # programs have no BIT()
    "core/compat.h": {
        "LINUX_VERSION_CODE",  # it is here that versions differ
        "CONSTANT_COMPARISON",  # LINUX_VERSION_CODE looks like one
        "MACRO_ARG_UNUSED",  # as in newer kernels
    },
    "core/control.c": {"MACRO_ARG_UNUSED"},  # the lists in regs/gen/c have more than it needs
    "pci/sluice_compat.h": {"LINUX_VERSION_CODE", "CONSTANT_COMPARISON"},
    "pci/sluice_pci.c": {"MACRO_ARG_UNUSED"},  # where the kernel has no dynamic nodes
    "core/sysfs.c": {"MACRO_ARG_REUSE"},  # of a name
    "core/trace.h": {"OPEN_ENDED_LINE", "PARENTHESIS_ALIGNMENT"},  # as all TRACE_EVENT() stand
}

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
TAG = re.compile(r"\b(?:struct|enum) \w+")  # may have the name of a function
LOCAL = r"^(?!(?:static|extern|typedef|return)\b)"
FUNCTION = re.compile(LOCAL + r"\w[\w *]*?\b(\w+)\([^;{}]*\)\n\{", re.MULTILINE)
VARIABLE = re.compile(LOCAL + r"\w[\w *]*?\b(\w+)(?:\[\w*\])?(?: = [^;]*)?;", re.MULTILINE)


def uses(folder: Path) -> dict[str, set[str]]:
    """The translation units of a folder, each with those whose functions, variables or header it
    uses in its file and in its own header."""
    texts = {file: COMMENT.sub("", file.read_text()) for file in sorted(folder.glob("*.[ch]"))}
    found: dict[str, set[str]] = {file.stem: set() for file in texts if file.suffix == ".c"}
    owner = {
        name: file.stem
        for file, text in texts.items()
        if file.suffix == ".c"
        for name in FUNCTION.findall(text) + VARIABLE.findall(text)
    }
    for file, text in texts.items():
        if file.stem in found:
            names = set(re.findall(r"\w+", TAG.sub("", text))) & owner.keys()
            headers = {Path(name).stem for name in re.findall(r'^#include "(.*)"', text, re.M)}
            found[file.stem] |= {owner[name] for name in names} | headers & found.keys()
            found[file.stem].discard(file.stem)
    return found


def circle(folder: Path) -> list[str]:
    """Units that use one another in a circle, the first one again at the end; or none."""
    try:
        TopologicalSorter(uses(folder)).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_core_reads_downwards() -> None:
    core = uses(DRIVER / "core")
    assert core["main"] >= {"device", "work"}
    assert core["queue"] >= {"channel", "job", "work"}  # a header, functions, a variable
    assert circle(DRIVER / "core") == []


@pytest.mark.parametrize(
    ("low", "high"),
    [
        ("void high(void);\nstatic int low(void)\n{\n\thigh();\n}\n", "void high(void)\n{\n}\n"),
        ("extern int high;\nint low(int a,\n\tint b)\n{\n\treturn high;\n}\n", "int high;\n"),
        ('#include "high.h"\n', "const struct ops high[] = {\n};\n"),
    ],
)
def test_core_reads_downwards_finds(tmp_path: Path, low: str, high: str) -> None:
    (tmp_path / "low.c").write_text(low)
    (tmp_path / "high.c").write_text(high)
    assert circle(tmp_path) == []
    (tmp_path / "high.h").write_text("/* low.h */\n")
    assert circle(tmp_path) == []
    (tmp_path / "high.h").write_text('#include "low.h"\n')
    assert circle(tmp_path) in (["low", "high", "low"], ["high", "low", "high"])


def strict(kernel: Kernel, *files: Path) -> set[tuple[str, str]]:
    """The kinds of what checkpatch says, each with its file."""
    command = ["perl", str(kernel.source / "scripts" / "checkpatch.pl"), "--no-tree", "--strict"]
    done = subprocess.run(
        [*command, "--terse", "--show-types", "--file", *map(str, files)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.stderr
    kinds = re.findall(r"^(.*?):\d+: (?:ERROR|WARNING|CHECK):(\w+): ", done.stdout, re.M)
    return {(str(Path(file)), kind) for file, kind in kinds}


def test_checkpatch(boot: Boot) -> None:
    files = [file for file in module_sources(DRIVER) if file.suffix in (".c", ".h")]
    # Beside the drivers as published there are the programs that call them.
    programs = {"published_calls", "published_direct", "published_pipe", "took", "took_alone"}
    programs |= {"published_memory", "published_reads"}
    files += [f for f in module_sources(DRIVER / "published") if f.stem not in programs]
    found = strict(boot.kernel("arm64"), *files)
    pardoned = {(str(DRIVER / file), kind) for file, kinds in PARDONED.items() for kind in kinds}
    assert found - pardoned == set()
    assert pardoned - found == set(), "no longer needed"


def test_checkpatch_finds(boot: Boot, tmp_path: Path) -> None:
    bad = tmp_path / "bad.c"
    bad.write_text("// SPDX-License-Identifier: GPL-2.0-only\nint a( void )\n{\n return(1);\n}\n")
    assert (str(bad), "SPACING") in strict(boot.kernel("arm64"), bad)


def checked(kernel: Kernel, folder: Path) -> list[str]:
    try:
        return kernel.check_modules(folder, [HEADERS])
    except UnavailableError as error:
        pytest.skip(str(error))


def test_compiler_and_sparse(boot: Boot) -> None:
    assert checked(boot.kernel("arm64"), DRIVER) == []


def test_compiler_and_sparse_find(boot: Boot, tmp_path: Path) -> None:
    folder = tmp_path / "bad"
    folder.mkdir()
    (folder / "Kbuild").write_text("obj-m := bad.o\n")
    (folder / "bad.c").write_text(
        "// SPDX-License-Identifier: GPL-2.0-only\n#include <linux/module.h>\n"
        "static __le32 word;\nint init_module(void) { int unused = 0; return word; }\n"
        'MODULE_LICENSE("GPL");\nMODULE_DESCRIPTION("bad");\n'
    )
    told = "\n".join(checked(boot.kernel("arm64"), folder))
    assert "incorrect type in return expression" in told  # sparse's
    assert "unused" in told  # the compiler's


def test_coccinelle(boot: Boot, tmp_path: Path) -> None:
    if not FULL:
        pytest.skip("the kernel's 80 patterns are for make test-full")
    kernel = boot.kernel("arm64")
    processor = kernel.flavour.processor
    try:
        toolchain.check(processor, ("spatch", "ocamlopt"))
    except UnavailableError as error:
        pytest.skip(str(error))
    copy_sources(DRIVER, tmp_path / "driver")
    make = recipe.make(kernel.source, kernel.build, processor)
    done = subprocess.run(
        [*make, f"M={tmp_path / 'driver'}", "MODE=report", "J=1", "coccicheck"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "spatch -D report" in done.stdout
    assert re.findall(rf"^{tmp_path}/.*", done.stdout, re.M) == []


@pytest.mark.parametrize(
    ("program", "words", "status", "sentence"),
    [
        # A target that is no address would be address 0, where Linux has its own memory.
        ("direct", "again /dev/null memry 64 1", 2, "memory|ADDRESS"),
        ("direct", "again /dev/null 0 64 1", 2, "memory|ADDRESS"),
        ("pipe", "again /dev/null /dev/null 64 1", 1, "/dev/null: Input/output error"),
    ],
)
def test_programs_say_what_is_wrong(
    program: str, words: str, status: int, sentence: str, tmp_path: Path
) -> None:
    built = tmp_path / program
    source = DRIVER / "published" / f"published_{program}.c"
    subprocess.run(["cc", "-o", str(built), str(source)], check=True)
    command = [str(built), *words.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, sentence in done.stderr) == (status, True), done.stderr
