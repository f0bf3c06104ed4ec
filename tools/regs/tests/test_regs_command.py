# SPDX-License-Identifier: Apache-2.0
"""The command: what --check finds, what writing repairs, how a wrong description is refused."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tools.regs.__main__ import ROOT, main

HEADER = Path("regs/gen/c/sl_axi_dma.h")
PAGE = Path("docs/reference/registers/sl_axi_dma.md")


@dataclass(frozen=True)
class Result:
    status: int
    out: str
    err: str


Command = Callable[..., Result]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs the command in a tree, in this process; an exception that leaves it fails the test."""

    def run(root: Path, *options: str) -> Result:
        status = main(["--root", str(root), *options])
        captured = capsys.readouterr()
        return Result(status, captured.out, captured.err)

    return run


def test_repository_is_up_to_date() -> None:
    arguments = [sys.executable, "-m", "tools.regs", "--check"]
    result = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_check_names_each_difference_and_writing_repairs_them(copy: Path, command: Command) -> None:
    stale = Path("regs/gen/sv/gone_regs.sv")
    (copy / HEADER).write_text((copy / HEADER).read_text().replace("0x00010002U", "0x00010003U"))
    (copy / PAGE).unlink()
    (copy / stale).touch()
    result = command(copy, "--check")
    assert result.status == 1
    assert result.out.splitlines() == [
        f"missing: {PAGE}",
        f"differs: {HEADER}",
        f"stale: {stale}",
    ]
    assert "run `python -m tools.regs`" in result.err
    assert not (copy / PAGE).exists()  # --check writes nothing

    result = command(copy)
    assert result.status == 0
    assert result.out.splitlines() == [
        f"written: {PAGE}",
        f"written: {HEADER}",
        f"deleted: {stale}",
    ]
    assert command(copy, "--check").status == 0


def test_change_of_a_description_shows_everywhere(copy: Path, command: Command) -> None:
    path = copy / "regs/sl_hp_lane.rdl"
    path.write_text(path.read_text().replace("@0x04", "@0x08"))
    result = command(copy, "--check")
    assert result.status == 1
    changed = {line.removeprefix("differs: ") for line in result.out.splitlines()}
    assert changed >= {
        "regs/gen/c/sl_hp_lane.h",
        "regs/gen/python/sluice_regs/sl_hp_lane.py",
        "regs/gen/sv/sl_hp_lane_addr_pkg.sv",
        "regs/gen/sv/sl_hp_lane_regs.sv",
        "docs/reference/registers/sl_hp_lane.md",
    }
    assert not any("sl_axi_dma" in path for path in changed)


@pytest.mark.parametrize(
    ("field", "skips"),
    [
        ("sw = rw; hw = r;", True),
        ("sw = rw; hw = w; we;", True),
        ("sw = rw; hw = w;", False),  # a value of the hardware in each cycle
        ("sw = r; hw = r; counter;", False),
    ],
)
def test_simulations_skip_modules_of_fields_that_say_when_they_change(
    copy: Path, command: Command, field: str, skips: bool
) -> None:
    (copy / "regs/sl_new.rdl").write_text(
        '`include "properties.rdl"\naddrmap sl_new { sl_address_bits = 12;\n'
        '  name = "New"; desc = "A block.";\n'
        f'  reg {{ name = "R"; desc = "A register."; field {{ name = "F"; desc = "It."; {field} }}'
        " F[3:0] = 0; } R @0;\n};\n"
    )
    assert command(copy).status == 0
    text = (copy / "regs/gen/sv/sl_new_regs.sv").read_text()
    assert ("`ifndef SYNTHESIS" in text.split("field_storage_t field_storage;")[1]) == skips


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
    "attribute without text": (
        "addrmap bad { sl_address_bits = 12;\n"
        '  reg { field { sw = rw; hw = r; sl_attribute = "a"; } A[3:0] = 0; } R @0;\n};\n',
        "regs/bad.rdl:3:",
    ),
    "attribute with a long text": (
        "addrmap bad { sl_address_bits = 12;\n"
        '  reg { field { sw = rw; hw = r; sl_attribute = "a"; sl_attribute_text = "'
        + "x" * 128
        + '"; } A[3:0] = 0; } R @0;\n};\n',
        "regs/bad.rdl:3:",
    ),
    "attribute of two fields": (
        "addrmap bad { sl_address_bits = 12;\n"
        '  reg { field { sw = rw; hw = r; sl_attribute = "a"; sl_attribute_text = "A."; }'
        " A[3:0] = 0; } R @0;\n"
        '  reg { field { sw = rw; hw = r; sl_attribute = "a"; sl_attribute_text = "A."; }'
        " A[3:0] = 0; } S @4;\n};\n",
        "regs/bad.rdl: error: two attributes are named 'a'",
    ),
    "attribute of half a pair": (
        "addrmap bad { sl_address_bits = 12;\n"
        '  reg { field { sw = r; hw = w; sl_attribute = "a"; sl_attribute_text = "A."; }'
        " A[31:0] = 0; } R_LO @0;\n};\n",
        "regs/bad.rdl: error: 'a' is the lower half of a pair in 'R_LO', so 'R_HI' must be the"
        " next register",
    ),
    "refused by regblock": (
        "addrmap bad { sl_address_bits = 12;\n"
        "  reg { field { sw = rw; hw = r; } A[3:0]; A->next = A; } R @0;\n};\n",
        "regs/bad.rdl:3:",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_description_is_refused_with_its_place(
    case: str, copy: Path, command: Command
) -> None:
    text, start = WRONG[case]
    (copy / "regs/bad.rdl").write_text('`include "properties.rdl"\n' + text.replace("$F", FIELD))
    result = command(copy)
    assert result.status == 2
    assert result.out == ""
    assert result.err.startswith(start), result.err
    assert command(copy, "--check").status == 2
    assert not list(copy.glob("regs/gen/*/*bad*"))


def test_folder_without_descriptions_is_refused(tmp_path: Path, command: Command) -> None:
    result = command(tmp_path)
    assert result.status == 2
    assert result.err == f"{tmp_path}/regs: error: no .rdl file found\n"
