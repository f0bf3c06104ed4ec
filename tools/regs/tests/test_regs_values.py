# SPDX-License-Identifier: Apache-2.0
"""Every language's constants agree with a second reading of the descriptions."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from enum import IntEnum
from pathlib import Path
from types import ModuleType

import pyslang
import pytest

from tools.regs.tests.rdl_numbers import NAMES, REGS, array_places, numbers

GEN = REGS / "gen"
MAPS = [name for name in NAMES if array_places(name)]

LANGUAGES = {
    "c11": ["gcc", "-std=c11", "-x", "c"],
    "c++20": ["g++", "-std=c++20", "-x", "c++"],
    # A kernel module compiles with these (scripts/Makefile.build), freestanding.
    "kernel": [
        *["gcc", "-std=gnu11", "-x", "c", "-D__KERNEL__", "-DMODULE", "-ffreestanding"],
        *["-fshort-wchar", "-fno-common", "-Wundef", "-Wdeclaration-after-statement"],
    ],
}
WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Werror"]


def c_names(name: str) -> list[str]:
    """Object-like macros and enumerators of a header, without its guard."""
    text = (GEN / f"c/{name}.h").read_text()
    macros = re.findall(rf"^#define ({name.upper()}_\w+)\s", text, re.M)
    return macros + re.findall(rf"^\t({name.upper()}_\w+) = ", text, re.M)


def run_c(language: str, body: str, includes: list[str], folder: Path) -> str:
    lines = ["#include <stdio.h>", *(f'#include "{name}.h"' for name in includes)]
    source = "\n".join([*lines, "int main(void) {", body, "return 0;", "}", ""])
    program = folder / "program"
    command = [*LANGUAGES[language], *WARNINGS, "-I", str(GEN / "c"), "-", "-o", str(program)]
    subprocess.run(command, input=source, text=True, check=True)
    return subprocess.run([program], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("name", NAMES)
def test_c_header_alone(name: str) -> None:
    """It compiles without another header in front of it, also twice."""
    source = f'#include "{name}.h"\n#include "{name}.h"\nextern int something;\n'
    command = [*LANGUAGES["kernel"], *WARNINGS, "-fsyntax-only", "-I", str(GEN / "c"), "-"]
    subprocess.run(command, input=source, text=True, check=True)


@pytest.mark.parametrize("language", LANGUAGES)
def test_c_headers(language: str, tmp_path: Path) -> None:
    macros = [(name, macro) for name in NAMES for macro in c_names(name)]
    body = "\n".join(
        f'printf("{name} {macro} %llu\\n", (unsigned long long){macro});' for name, macro in macros
    )
    values: dict[str, dict[str, int]] = {name: {} for name in NAMES}
    for line in run_c(language, body, NAMES, tmp_path).splitlines():
        name, macro, value = line.split()
        values[name][macro.removeprefix(f"{name.upper()}_")] = int(value)
    assert sum(len(found) for found in values.values()) == len(macros)
    assert values == {name: numbers(name) for name in NAMES}


@pytest.mark.parametrize("language", LANGUAGES)
def test_c_constant_expressions(language: str, tmp_path: Path) -> None:
    """Masks are usable where a constant expression is needed, as FIELD_PREP() does."""
    body = """
    enum { THRESHOLD = SL_AXI_DMA_MM2S_DMACR_IRQTHRESHOLD_MASK
                       >> SL_AXI_DMA_MM2S_DMACR_IRQTHRESHOLD_SHIFT };
    enum sl_stream_sink_control_stall_mode mode = SL_STREAM_SINK_CONTROL_STALL_MODE_RANDOM;
    printf("%d %d", (int)THRESHOLD, (int)mode);
    """
    assert run_c(language, body, NAMES, tmp_path) == "255 2"


@pytest.mark.parametrize("name", MAPS)
def test_c_array_macros(name: str, tmp_path: Path) -> None:
    places = array_places(name)
    body = "\n".join(
        f'printf("%llu\\n", (unsigned long long){name.upper()}_{place}({index}));'
        for place, index in places
    )
    output = run_c("c11", body, [name], tmp_path)
    assert [int(line) for line in output.split()] == list(places.values())


def python_module(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(GEN / "python")
    return importlib.import_module(f"sluice_regs.{name}")


@pytest.mark.parametrize("name", NAMES)
def test_python_module(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = python_module(name, monkeypatch)
    values = {key: value for key, value in vars(module).items() if isinstance(value, int)}
    expected = numbers(name)
    for key, kind in vars(module).items():
        if isinstance(kind, type) and issubclass(kind, IntEnum) and kind is not IntEnum:
            field = re.sub(r"(?<=.)([A-Z])", r"_\1", key).upper()
            values |= {f"{field}_{key}": int(member) for key, member in kind.__members__.items()}
    assert values == expected


@pytest.mark.parametrize("name", MAPS)
def test_python_array_functions(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = python_module(name, monkeypatch)
    places = array_places(name)
    assert places
    for (place, index), address in places.items():
        assert getattr(module, place.lower())(index) == address
    for place in {place for place, _ in places}:
        beyond = 1 + max(index for other, index in places if other == place)
        with pytest.raises(IndexError, match=rf"{beyond} is not in 0\.\.{beyond - 1}"):
            getattr(module, place.lower())(beyond)


def test_python_package_is_typed(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path)]
    subprocess.run([*command, "-p", "sluice_regs"], cwd=GEN / "python", check=True)


def sv_values(name: str) -> dict[str, int]:
    tree = pyslang.syntax.SyntaxTree.fromFile(str(GEN / f"sv/{name}_addr_pkg.sv"))
    compilation = pyslang.ast.Compilation()
    compilation.addSyntaxTree(tree)
    assert not list(compilation.getAllDiagnostics())
    package = compilation.getPackage(f"{name}_addr_pkg")
    assert package is not None
    result = {}
    for symbol in package:
        if isinstance(symbol, pyslang.ast.TransparentMemberSymbol):  # a value of an enumeration
            symbol = symbol.wrapped
        if isinstance(symbol, pyslang.ast.ParameterSymbol | pyslang.ast.EnumValueSymbol):
            constant = symbol.value.value
            assert isinstance(constant, pyslang.SVInt)
            result[symbol.name] = int(constant)
    return result


@pytest.mark.parametrize("name", NAMES)
def test_sv_package(name: str) -> None:
    assert sv_values(name) == numbers(name)


@pytest.mark.parametrize("name", MAPS)
def test_sv_array_functions(name: str) -> None:
    """Elaboration folds the functions and stops at a wrong one."""
    checks = "\n".join(
        f"if ({name}_addr_pkg::{place.lower()}({index}) != {address}) $fatal(1);"
        for (place, index), address in array_places(name).items()
    )
    source = f"module check;\n{checks}\nendmodule\n"
    tree = pyslang.syntax.SyntaxTree.fromText(
        (GEN / f"sv/{name}_addr_pkg.sv").read_text() + source, "check.sv"
    )
    compilation = pyslang.ast.Compilation()
    compilation.addSyntaxTree(tree)
    assert not [d for d in compilation.getAllDiagnostics() if d.isError()]
