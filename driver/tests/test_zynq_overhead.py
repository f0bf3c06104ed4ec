# SPDX-License-Identifier: Apache-2.0
"""What a transfer costs Linux stays what it is to be: the experiments `linux-overhead` and
`linux-iio`, in short."""

from __future__ import annotations

import os

import pytest

from driver.overhead import iio, iio_report
from driver.overhead.measure import CONTROL, FLOOR, METHODS, Plan, boot_and_run, differ
from driver.overhead.report import goals
from tools.debian import UnavailableError

FULL = os.environ.get("SLUICE_FULL") is not None
PLAN = Plan(size=4096, batches=(32,), rounds=5)
QUEUES = ((1, 1), (32, 1), (32, 16))
STREAMS = iio.Plan(
    tuple(iio.Case(way, 4096, *queue) for way in iio.DIRECTIONS for queue in QUEUES),
    transfers=64,
    rounds=3,
)
MOST_BEYOND = {"calls": 1000, "library": 1000}  # the floor, of 32 queued


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


@pytest.mark.skipif(not FULL, reason="zynq is booted by make test-full")
def test_a_transfer_takes_less_than_iios() -> None:
    try:
        release, rows = iio.boot_and_run(STREAMS)
    except UnavailableError as error:
        pytest.skip(str(error))
    assert release.startswith(iio.VERSION)
    cases = iio_report.cases({"rows": rows})
    assert [list(case) for case in cases] == [list(iio.WAYS)] * len(STREAMS.cases)
    for case in cases:
        for way, most in MOST_BEYOND.items():
            ours, theirs = case[way], case[iio.IIO]
            assert ours["median"] < theirs["median"] and ours["mb_s"] > theirs["mb_s"], case
            if ours["depth"] == 32:
                # The least of few rounds: a timer tick adds 80 instructions to each transfer.
                assert ours["least"] - case[FLOOR]["least"] <= most, case
