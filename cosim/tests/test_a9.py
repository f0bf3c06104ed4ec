# SPDX-License-Identifier: Apache-2.0
"""The Zynq's guest with a Cortex-A9's time: programs in it have the rates that the model's own
processor has (docs/explanation/cpu-accesses.md), and that a Zybo was measured to have."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from cosim.boot import Boot
from cosim.guests import FLAVOURS, Logic, program

FULL = os.environ.get("SLUICE_FULL") is not None
LOOPS = Path(__file__).resolve().parent / "zynq" / "loops.c"
DESIGN = "zynq7010/cdma"
# Loops, what the model says, and within what: MB/s, or ns of a load.
MB_S = {"copy:4194304": (342.2, 0.05), "read:4194304": (719.1, 0.05), "read:262144": (1286.3, 0.05)}
# In the guest a load that hits takes an instruction's time, 2 ns, not the 6 of the model.
LOAD_NS = {"chase:262144:64:20000": (60.9 - 4, 0.05), "chase:16777216:4096:20000": (187.1 - 4, 0.1)}
HIT_MOST_NS = 4.0
STEADY = "16777216:4096:100"


def measured(boot: Boot, *loops: str, counts: Path | None = None) -> dict[str, int]:
    """ns of each loop."""
    flavour = FLAVOURS["zynq"]
    boot.kernel(flavour.name)  # skips where nothing can be built for it
    built = program(flavour.processor, [LOOPS], flags=["-O2", "-marm"])
    logic = Logic(DESIGN, level="transaction", processor="cortex-a9", counts=counts)
    script = f"/tests/loops {' '.join(loops)}\n"
    with boot(flavour.name, logic=logic, files={"/tests/loops": built}, script=script) as guest:
        lines = [line.split() for line in guest.script_lines()]
    return {loop: int(ns) for loop, ns in lines}


def test_loops_take_the_time_of_a_cortex_a9(boot: Boot, tmp_path: Path) -> None:
    counts = tmp_path / "counts.json"
    found = measured(boot, *MB_S, *LOAD_NS, "chase:16384:64:20000", counts=counts)
    for loop, (model, within) in MB_S.items():
        mb_s = int(loop.split(":")[1]) * 1e3 / found[loop]
        assert mb_s == pytest.approx(model, rel=within), loop
    for loop, (model, within) in LOAD_NS.items():
        assert found[loop] / int(loop.split(":")[3]) == pytest.approx(model, rel=within), loop
    assert found["chase:16384:64:20000"] / 20000 < HIT_MOST_NS
    told = json.loads(counts.read_text())
    assert told["instructions"] > told["loads"] > told["load_misses"] > told["l2_misses"] > 0
    assert all(told[name] > 0 for name in told if name.endswith("_ps"))


def test_each_of_many_runs_waits(boot: Boot) -> None:
    """What the core waits is in its clock at once, before ticks of the kernel too: no run is
    shorter than others, beyond which of its rows are open."""
    found = measured(boot, f"chase:{STEADY}", f"steady:{STEADY}")
    assert found[f"steady:{STEADY}"] > 0.8 * found[f"chase:{STEADY}"], found


@pytest.mark.skipif(not FULL, reason="make test-full boots twice")
def test_two_boots_take_the_same_time(boot: Boot) -> None:
    loops = ["copy:65536", "chase:1048576:4096:1000"]
    assert measured(boot, *loops) == measured(boot, *loops)
