# SPDX-License-Identifier: Apache-2.0
"""RTL and transactions over the real sluice-bench: both levels give the same rates.

`make test-full` compares every row of both port studies at 1 MiB with 16 skews, within 1 %;
`make test` rows that the memory system holds back, with few skews. The skews are the same on both
levels, so the means are compared, not their noise. Where single runs spread so far that no mean of
16 is sharp, in duplex on ports that overload the memory together, the means may differ by their
noise.

`make test-full` also compares every row at 32 MiB with one of which the middle was left out.
"""

import os
from statistics import mean, stdev

import pytest

from calling import Sluice

pytestmark = pytest.mark.usefixtures("real_bench")
SEED = os.environ.get("SEED") or "1"
FULL = os.environ.get("SLUICE_FULL") == "1"
CLOSE = 0.01  # of the rate, for means over 16 skews
CLOSE_FEW = 0.02  # over two

# Where the experiment's transaction-level engines are the published one's, not those of the RTL.
ENGINES_OF_RTL = {
    "zynq7010-hp": "engine.max_read_bursts=32",
    "cyclonev-f2s": "engine.loop_latency_edges=4",
}

DIRECTIONS = ("duplex", "mm2s", "s2mm")
# Runs spread by 2 to 12 % from skew to skew, whatever their length.
NOISY_ROWS = [
    ("zynq7010-hp", "64", "duplex", "0,1"),
    ("zynq7010-hp", "64", "duplex", "0,1,2"),
    ("zynq7010-hp", "64", "duplex", "0,1,2,3"),
    ("cyclonev-split", "64", "duplex", "0,1"),
    ("cyclonev-split", "64", "duplex", "0,1,2"),
]
ROWS = [
    ("zynq7010-hp", width, direction, ports)
    for width in ("32", "64")
    for direction in DIRECTIONS
    for ports in ("0", "0,1", "0,2", "0,1,2", "0,1,2,3")
    if ("zynq7010-hp", width, direction, ports) not in NOISY_ROWS
]
ROWS += [
    ("cyclonev-f2s", width, direction, "0")
    for width in ("32", "64", "128", "256")
    for direction in DIRECTIONS
]
ROWS += [
    ("cyclonev-split", "64", direction, ports)
    for direction in ("mm2s", "s2mm")
    for ports in ("0,1", "0,1,2")
]
FEW_ROWS = [
    ("zynq7010-hp", "32", "duplex", "0"),
    ("zynq7010-hp", "64", "duplex", "0,2"),
    ("cyclonev-f2s", "256", "duplex", "0"),
    ("cyclonev-split", "64", "mm2s", "0,1,2"),
]


def rates(
    sluice: Sluice,
    level: str,
    row: tuple[str, str, str, str],
    runs: int,
    size: str = "1MiB",
    options: tuple[str, ...] = (),
) -> list[float]:
    experiment, width, direction, ports = row
    of_rtl = ENGINES_OF_RTL.get(experiment) if level == "transaction" else None
    done = sluice(
        *(
            "run",
            experiment,
            "--bytes",
            size,
            "--level",
            level,
            "--runs",
            str(runs),
            "--seed",
            SEED,
        ),
        *("--width", width, "--direction", direction, "--ports", ports, "--json", "-"),
        *(("--set", of_rtl) if of_rtl else ()),
        *options,
    )
    assert done.status == 0, done.err
    (found,) = done.json["rows"]
    assert found["verified"]
    samples: list[float] = found["mb_s"]["samples"]
    return samples


@pytest.mark.parametrize("row", ROWS if FULL else FEW_ROWS, ids="-".join)
def test_both_levels_agree(sluice: Sluice, row: tuple[str, str, str, str]) -> None:
    runs = 16 if FULL else 2
    rtl = mean(rates(sluice, "rtl", row, runs))
    assert mean(rates(sluice, "transaction", row, runs)) == pytest.approx(
        rtl, rel=CLOSE if FULL else CLOSE_FEW
    )


@pytest.mark.skipif(not FULL, reason="make test-full moves 32 MiB on every port")
@pytest.mark.parametrize("row", [*ROWS, *NOISY_ROWS], ids="-".join)
def test_leaving_out_changes_no_rate(sluice: Sluice, row: tuple[str, str, str, str]) -> None:
    whole = rates(sluice, "transaction", row, 2, "32MiB")
    fast = rates(sluice, "transaction", row, 2, "32MiB", ("--fast-forward",))
    assert fast == pytest.approx(whole, rel=0.001)


@pytest.mark.parametrize("row", NOISY_ROWS, ids="-".join)
def test_both_levels_spread_alike(sluice: Sluice, row: tuple[str, str, str, str]) -> None:
    runs, size = (64, "1MiB") if FULL else (16, "64KiB")
    rtl = rates(sluice, "rtl", row, runs, size)
    transactions = rates(sluice, "transaction", row, runs, size)
    noise = ((stdev(rtl) ** 2 + stdev(transactions) ** 2) / runs) ** 0.5
    assert abs(mean(transactions) - mean(rtl)) < 3 * noise
    # Of 16 runs one outlier doubles a deviation; a level without any spread is found still.
    most = 2 if FULL else 3
    assert 1 / most < stdev(transactions) / stdev(rtl) < most
