# SPDX-License-Identifier: Apache-2.0
"""What simulations skip in register modules changes nothing: see _asleep_in_simulation()."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from tools.regs.tests.rdl_numbers import REGS

ROOT = REGS.parent
SV = REGS / "gen/sv"
# With fields that hardware sets, pulses and plain ones; the largest take a minute.
BLOCKS = ("sl_hp_lane_regs", "sl_stream_sink_regs")
# Nobody looks at these but in the cycle of an access.
ACCESS = ("addr", "wr_data", "wr_biten")
FREE = [*(f"cpuif_{name}" for name in ACCESS), *(f"decoded_{name}" for name in ACCESS)]
FREE.append("rd_mux_addr")

needs_yosys = pytest.mark.skipif(
    importlib.util.find_spec("pyosys") is None, reason="needs pyosys (make setup-hw)"
)


def is_equal(folder: Path, block: str) -> bool:
    """Whether the module in a folder is the same with and without SYNTHESIS."""
    (folder / "free").write_text("".join(f"{name}\n\\{name}\n" for name in FREE))
    script = ""
    for side, define in (("gold", "-DSYNTHESIS"), ("gate", "--no-synthesis-define")):
        script += f"read_slang {define} --top {block} {SV}/{block}_pkg.sv {block}.sv\n"
        script += f"proc\nflatten\nopt_clean\nrename {block} {side}\ndesign -stash {side}\n"
    script += "design -copy-from gold -as gold gold\ndesign -copy-from gate -as gate gate\n"
    script += "equiv_make -blacklist free gold gate equiv\nhierarchy -top equiv\nopt_clean\n"
    script += "equiv_simple -undef\nequiv_induct -undef -seq 3\nequiv_status -assert\n"
    (folder / "equal.ys").write_text(script)
    command = [sys.executable, "-m", "tools.fpga.yosys", "-q", "-l", "log", "equal.ys"]
    environment = {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    log = (folder / "log").read_text()
    assert "quivalence successfully proven" in log or "unproven $equiv" in log, log[-2000:]
    return done.returncode == 0


@needs_yosys
@pytest.mark.parametrize("block", BLOCKS)
def test_skipped_cycles_change_nothing(block: str, tmp_path: Path) -> None:
    (tmp_path / f"{block}.sv").write_text((SV / f"{block}.sv").read_text())
    assert is_equal(tmp_path, block)


@needs_yosys
def test_a_condition_that_is_missing_is_found(tmp_path: Path) -> None:
    block = "sl_hp_lane_regs"
    text = (SV / f"{block}.sv").read_text()
    condition = "        if(cpuif_req\n"
    assert text.count(condition) == 1
    (tmp_path / f"{block}.sv").write_text(text.replace(condition, "        if(1'b0\n"))
    assert not is_equal(tmp_path, block)
