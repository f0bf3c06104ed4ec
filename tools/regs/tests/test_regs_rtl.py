# SPDX-License-Identifier: Apache-2.0
"""The generated SystemVerilog is lint clean, and register modules keep what the .rdl promise."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pyslang
import pytest

from tools.regs.tests.rdl_numbers import NAMES, REGS

SV = REGS / "gen/sv"
BLOCKS = [name for name in NAMES if (SV / f"{name}_regs.sv").exists()]
BENCH = Path(__file__).with_name("regs_bench.sv")


def sources(name: str) -> list[str]:
    return [str(SV / f"{name}_regs_pkg.sv"), str(SV / f"{name}_regs.sv")]


@pytest.mark.parametrize("name", NAMES)
def test_verilator_lint(name: str) -> None:
    """Waivers stand in the files, and end with them."""
    command = ["verilator", "--lint-only", "-Wall", "--quiet"]
    subprocess.run([*command, str(SV / f"{name}_addr_pkg.sv")], check=True)
    if name in BLOCKS:
        subprocess.run([*command, *sources(name)], check=True)


@pytest.mark.parametrize("name", NAMES)
def test_slang_lint(name: str) -> None:
    files = [str(SV / f"{name}_addr_pkg.sv"), *(sources(name) if name in BLOCKS else [])]
    driver = pyslang.driver.Driver()
    driver.addStandardArgs()
    assert driver.parseCommandLine(
        " ".join(["slang", "-Weverything", "-Wno-unused", "-Wno-missing-top", "-Werror", *files])
    )
    assert driver.processOptions()
    assert driver.parseAllSources()
    assert driver.runFullCompilation(True)


def test_all_blocks_in_one_compilation() -> None:
    """Package and type names of different blocks do not collide."""
    tree = pyslang.syntax.SyntaxTree.fromFiles(
        [path for name in BLOCKS for path in sources(name)]
        + [str(SV / f"{name}_addr_pkg.sv") for name in NAMES]
    )
    compilation = pyslang.ast.Compilation()
    compilation.addSyntaxTree(tree)
    assert not list(compilation.getAllDiagnostics())
    assert {top.name for top in compilation.getRoot().topInstances} == {
        f"{name}_regs" for name in BLOCKS
    }


def test_register_modules_keep_their_promises(tmp_path: Path) -> None:
    """What the comments at the head of the .rdl files tell the RTL: see regs_bench.sv."""
    names = ("sl_axi_dma", "sl_stream_source")
    files = [path for name in names for path in sources(name)]
    files += [str(SV / f"{name}_addr_pkg.sv") for name in names]
    command = [
        "verilator",
        "--binary",
        "--timing",
        "--assert",
        "-j",
        "2",
        "-Wall",
        "-Wno-UNUSEDSIGNAL",
    ]
    command += ["--quiet", "-MAKEFLAGS", "VM_PARALLEL_BUILDS=0"]
    command += ["-CFLAGS", "-fcoroutines -std=c++20 -O0", "--Mdir", str(tmp_path)]
    command += ["--top-module", "regs_bench", "-o", "bench", *files, str(BENCH)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    result = subprocess.run([tmp_path / "bench"], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "regs_bench: passed" in result.stdout
