# SPDX-License-Identifier: Apache-2.0
"""The command: what --check finds, what writing repairs, how a wrong description is refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tools.regs.__main__ import ROOT

HEADER = Path("regs/gen/c/sl_axi_dma.h")
PAGE = Path("docs/reference/registers/sl_axi_dma.md")


def command(root: Path, *options: str) -> subprocess.CompletedProcess[str]:
    arguments = [sys.executable, "-m", "tools.regs", "--root", str(root), *options]
    return subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, check=False)


def test_repository_is_up_to_date() -> None:
    result = command(ROOT, "--check")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_check_names_each_difference_and_writing_repairs_them(copy: Path) -> None:
    stale = Path("regs/gen/sv/gone_regs.sv")
    (copy / HEADER).write_text((copy / HEADER).read_text().replace("0x00010002U", "0x00010003U"))
    (copy / PAGE).unlink()
    (copy / stale).touch()
    result = command(copy, "--check")
    assert result.returncode == 1
    assert result.stdout.splitlines() == [
        f"missing: {PAGE}",
        f"differs: {HEADER}",
        f"stale: {stale}",
    ]
    assert "run `python -m tools.regs`" in result.stderr
    assert not (copy / PAGE).exists()  # --check writes nothing

    result = command(copy)
    assert result.returncode == 0
    assert result.stdout.splitlines() == [
        f"written: {PAGE}",
        f"written: {HEADER}",
        f"deleted: {stale}",
    ]
    assert command(copy, "--check").returncode == 0


def test_change_of_a_description_shows_everywhere(copy: Path) -> None:
    path = copy / "regs/sl_hp_lane.rdl"
    path.write_text(path.read_text().replace("@0x04", "@0x08"))
    result = command(copy, "--check")
    assert result.returncode == 1
    changed = {line.removeprefix("differs: ") for line in result.stdout.splitlines()}
    assert changed >= {
        "regs/gen/c/sl_hp_lane.h",
        "regs/gen/python/sluice_regs/sl_hp_lane.py",
        "regs/gen/sv/sl_hp_lane_addr_pkg.sv",
        "regs/gen/sv/sl_hp_lane_regs.sv",
        "docs/reference/registers/sl_hp_lane.md",
    }
    assert not any("sl_axi_dma" in path for path in changed)


FIELD = "field { sw = rw; hw = r; } A[31:0] = 0;"

# Text behind the line that includes properties.rdl ($F: FIELD), and how the message starts.
WRONG = {
    "syntax": ("addrmap bad {\n  reg {\n", "regs/bad.rdl:3:8: error: mismatched input"),
    "name": (
        "addrmap other {\n  reg { $F } R;\n};\n",
        "regs/bad.rdl: error: no addrmap 'bad' in this file",
    ),
    "overlap": (
        "addrmap bad { sl_address_bits = 12;\n  reg { $F } R @0;\n  reg { $F } S @0;\n};\n",
        "regs/bad.rdl:4:",
    ),
    "window": (
        "addrmap bad { sl_address_bits = 3;\n  reg { $F } R @8;\n};\n",
        "regs/bad.rdl:2:13: error: addrmap 'bad' does not fit in sl_address_bits = 3",
    ),
    "no window": (
        "addrmap bad {\n  reg { $F } R @8;\n};\n",
        "regs/bad.rdl:2:13: error: addrmap 'bad' needs sl_address_bits",
    ),
    "array": (
        "addrmap bad { sl_address_bits = 12;\n  reg { $F } R[4] @0;\n};\n",
        "regs/bad.rdl:3:",
    ),
    "access": (
        "addrmap bad { sl_address_bits = 12;\n"
        "  reg { field { sw = rw; onread = rclr; } A = 0; } R @0;\n};\n",
        "regs/bad.rdl:3:43: error: the access of field 'A' is not supported",
    ),
    "empty": (
        "addrmap bad { sl_address_bits = 12;\n};\n",
        "regs/bad.rdl:",
    ),
    "same name": (
        "addrmap bad { sl_address_bits = 12;\n"
        "  reg { $F } A_B @0;\n  regfile { reg { $F } B; } A @4;\n};\n",
        "regs/bad.rdl: error: two constants are named 'A_B_OFFSET'",
    ),
    "refused by regblock": (
        "addrmap bad { sl_address_bits = 12;\n"
        "  reg { field { sw = rw; hw = r; } A[3:0]; A->next = A; } R @0;\n};\n",
        "regs/bad.rdl:3:",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_description_is_refused_with_its_place(case: str, copy: Path) -> None:
    text, start = WRONG[case]
    (copy / "regs/bad.rdl").write_text('`include "properties.rdl"\n' + text.replace("$F", FIELD))
    result = command(copy)
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith(start), result.stderr
    assert "Traceback" not in result.stderr
    assert command(copy, "--check").returncode == 2
    assert not list(copy.glob("regs/gen/*/*bad*"))


def test_folder_without_descriptions_is_refused(tmp_path: Path) -> None:
    result = command(tmp_path)
    assert result.returncode == 2
    assert result.stderr == f"{tmp_path}/regs: error: no .rdl file found\n"
