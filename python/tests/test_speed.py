# SPDX-License-Identifier: Apache-2.0
"""sluice-bench speed and card-speed: what they print agrees with what they simulated."""

import json
import subprocess
from typing import Any

import pytest

from sluice.paths import find_bench

pytestmark = pytest.mark.usefixtures("real_bench")


def bench(*words: str) -> Any:  # noqa: ANN401
    done = subprocess.run([find_bench(), *words], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_of_ports() -> None:
    ports = ("--level", "transaction", "--ports", "0,2", "--bytes", "65536", "--clock-mhz", "200")
    said = bench("speed", *ports, "--runs", "3")
    assert said["bytes"] == 4 * 65536  # duplex: two ways on each port
    simulated_us = said["elapsed_ns"] / 1e3
    # All rates have the same seconds of CPU time.
    for name, amount in (
        ("mb_per_cpu_s", said["bytes"] / 1e6),
        ("pl_cycles_per_cpu_s", simulated_us * 200),
        ("ddr_cycles_per_cpu_s", simulated_us * 533),
    ):
        rate = said[name]
        assert len(rate["samples"]) == 3
        assert rate["min"] <= rate["median"] <= rate["max"]
        last_s = amount / rate["samples"][-1]
        assert last_s == pytest.approx(
            simulated_us * 200 / said["pl_cycles_per_cpu_s"]["samples"][-1]
        )


def test_of_a_card() -> None:
    card = ("--board", "pcie-gen2x4", "--level", "transaction", "--bytes", "65536")
    one = bench("card-speed", *card, "--code", "FH", "--iterations", "4")
    both = bench("card-speed", *card, "--code", "FH+HF", "--iterations", "4")
    assert (one["bytes"], both["bytes"]) == (4 * 65536, 8 * 65536)
    assert "ddr_cycles_per_cpu_s" not in one
    cpu_s = one["bytes"] / 1e6 / one["mb_per_cpu_s"]["median"]
    cycles = one["elapsed_ns"] / 1e3 * 125  # of the board's own clock
    assert one["pl_cycles_per_cpu_s"]["median"] == pytest.approx(cycles / cpu_s)
