# SPDX-License-Identifier: Apache-2.0
"""What a transfer costs Linux stays what it is to be: the experiment `linux-overhead`, in short."""

from __future__ import annotations

import os

import pytest

from driver.overhead.measure import CONTROL, FLOOR, METHODS, Plan, boot_and_run, differ
from driver.overhead.report import goals
from tools.debian import UnavailableError

FULL = os.environ.get("SLUICE_FULL") is not None
PLAN = Plan(size=4096, batches=(32,), rounds=5)


@pytest.mark.skipif(not FULL, reason="zynq is booted by make test-full")
def test_instructions_of_a_transfer() -> None:
    try:
        first, second = boot_and_run(PLAN), boot_and_run(PLAN)
    except UnavailableError as error:
        pytest.skip(str(error))
    assert differ(first, second) == 0
    assert [record["method"] for record in first] == [FLOOR, *METHODS, CONTROL]
    assert first[-1]["clock_beyond"] > 50_000 and first[-1]["idle_entries"] >= PLAN.rounds
    for record in first[:-1]:
        # Of a window of many thousands: by the clock the same, and nothing idle.
        assert abs(record["clock_beyond"]) < 100 and record["idle_entries"] == 0, record["method"]
    found = goals({"batches": PLAN.batches, "methods": first})
    assert found and all(goal["met"] for goal in found), found
