# SPDX-License-Identifier: Apache-2.0
"""Every experiment's DRAM commands, read by the trace checker over the real sluice-bench.

`--set check_commands=1` has the checker, which is independent of the scheduler, read every command
of the memory; a violation fails the run. `make test-full` reads the RTL board's commands of every
row too.
"""

import os
import tomllib
from pathlib import Path

import pytest

from calling import Sluice
from sluice.paths import find_experiment

pytestmark = pytest.mark.usefixtures("real_bench")
FULL = os.environ.get("SLUICE_FULL") == "1"
CHECK = ("--set", "check_commands=1", "--runs", "1", "--json", "-")
FOLDER = find_experiment("zynq7010-hp").parent


RTL_ALONE = {"dma_loopback", "memif_threads", "streamif_threads"}  # no transaction level


def traffic_of_ports(experiment: Path) -> bool:
    """Say whether an experiment is about the ports of a board, and not of logic alone."""
    document = tomllib.loads(experiment.read_text(encoding="utf-8"))
    designs = document.get("designs") or [document.get("design")]
    return "axes" in document and not RTL_ALONE.intersection(designs)


NAMES = sorted(path.stem for path in FOLDER.glob("*.toml") if traffic_of_ports(path))


@pytest.mark.parametrize("name", NAMES)
def test_no_experiment_breaks_a_rule_of_the_memory(sluice: Sluice, name: str) -> None:
    done = sluice("run", name, "--level", "transaction", "--bytes", "64KiB", *CHECK)
    assert done.status == 0, done.err
    assert all(row["verified"] for row in done.json["rows"])


ON_PINS = [("zynq7010-hp", "32"), ("zynq7010-hp", "64"), ("cyclonev-f2s", "128")]
ON_PINS += [("streamif-measures", "32")]
MOST_PORTS = {"zynq7010-hp": "0,1,2,3", "cyclonev-f2s": "0"}
MOST_PORTS |= {"streamif-measures": "0,1,2,3,4,5,6,7"}


@pytest.mark.parametrize(("name", "width"), ON_PINS)
def test_nor_does_a_board_of_rtl(sluice: Sluice, name: str, width: str) -> None:
    few = () if FULL else ("--ports", MOST_PORTS[name])
    done = sluice(
        *("run", name, "--level", "rtl", "--bytes", "64KiB", "--width", width), *few, *CHECK
    )
    assert done.status == 0, done.err
    assert all(row["verified"] for row in done.json["rows"])
