# SPDX-License-Identifier: Apache-2.0
"""The device-tree compiler, and the command that is tested."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tools.cores import ROOT
from tools.debian import UnavailableError, Unpacked
from tools.devicetree.__main__ import main
from tools.devicetree.tests.blob import Node, parse

# What overlays refer to in the tree of a board with a Zynq.
BOARD = """/dts-v1/;
/ {
    #address-cells = <1>;
    #size-cells = <1>;
    intc: interrupt-controller { interrupt-controller; #interrupt-cells = <3>; };
    clkc: clkc { #clock-cells = <1>; };
};
"""


@dataclass(frozen=True)
class Result:
    status: int
    out: str
    err: str


Command = Callable[..., Result]
Apply = Callable[[Path], Node]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs the command in this process."""

    def run(*words: str | Path) -> Result:
        try:
            status = main([str(word) for word in words])
        except SystemExit as end:  # argparse
            status = int(end.code or 0)
        captured = capsys.readouterr()
        return Result(status, captured.out, captured.err)

    return run


@pytest.fixture(scope="session")
def tool() -> Callable[..., None]:
    """Runs a program of the device-tree compiler's: the machine's own, or Debian's."""
    unpacked = Unpacked(("device-tree-compiler",), ("trixie",), ROOT / "build" / "cache" / "dtc")

    def run(name: str, *words: str | Path) -> None:
        program = [name] if shutil.which(name) else unpacked.command(name)
        done = subprocess.run([*program, *map(str, words)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    try:
        run("dtc", "--version")
    except UnavailableError as error:
        pytest.skip(str(error))
    return run


@pytest.fixture
def compile(tool: Callable[..., None], tmp_path: Path) -> Callable[[Path], bytes]:
    """The blob of a source, without a preprocessor."""

    def made(source: Path) -> bytes:
        blob = tmp_path / f"{source.stem}.dtbo"
        tool("dtc", "-q", "-@", "-O", "dtb", "-o", blob, source)
        return blob.read_bytes()

    return made


@pytest.fixture
def apply(tool: Callable[..., None], compile: Callable[[Path], bytes], tmp_path: Path) -> Apply:
    """The tree of a board with an overlay on it."""
    board = tmp_path / "board.dts"
    board.write_text(BOARD)
    tool("dtc", "-q", "-@", "-O", "dtb", "-o", tmp_path / "board.dtb", board)

    def made(source: Path) -> Node:
        compile(source)
        merged = tmp_path / "merged.dtb"
        overlay = tmp_path / f"{source.stem}.dtbo"
        tool("fdtoverlay", "-i", tmp_path / "board.dtb", "-o", merged, overlay)
        return parse(merged.read_bytes())

    return made
