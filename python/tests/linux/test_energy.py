# SPDX-License-Identifier: Apache-2.0
"""The estimate of energy: by hand for one of each, and what its table must hold."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sluice.errors import InputError
from sluice.experiments.linux.energy import Counted, EnergyTable, estimate
from sluice.experiments.linux.experiment import LinuxExperiment
from sluice.experiments.linux.machine import Machine
from sluice.experiments.linux.measure import measured
from sluice.experiments.registry import load
from sluice.paths import experiment_files
from sluice.stop import Stop

FILE = experiment_files()["zynq-energy"]
NONE = dict.fromkeys(Counted.model_fields, 0.0)
BYTES = 1000
# What a program prints, and counts that grow with its runs above those of a boot.
ANSWER = {"user_ns": [50_000], "bytes": 32768, "reached": 32768}


def table() -> EnergyTable:
    _, experiment = load(FILE)
    assert isinstance(experiment, LinuxExperiment)
    assert experiment.energy is not None
    return experiment.energy


def high(of: str) -> float:
    return next(one.high for one in table().constant if one.name == of)


def test_each_command_counts_for_itself() -> None:
    """Two chips at 1.5 V, 533 MHz: a burst of 7.5 ns."""
    chips_v = 2 * 1.5
    burst_ns = 4e3 / 533
    read_pj = chips_v * (140 - 45) * burst_ns + 2 * 20 * 4.6 * burst_ns
    write_pj = chips_v * (155 - 45) * burst_ns + 2 * 22 * 21.2 * burst_ns
    row_pj = chips_v * (90 * 50.625 - 45 * 37.5 - 35 * (50.625 - 37.5))
    for name, pj in (
        ("processor_reads", read_pj),
        ("engine_reads", read_pj),
        ("processor_writes", write_pj),
        ("engine_writes", write_pj),
        ("processor_rows", row_pj),
        ("engine_rows", row_pj),
    ):
        found = estimate(table(), Counted(**{**NONE, name: 100.0}), 0.0, BYTES)
        assert found.memory.high == pytest.approx(100 * pj / 1e3 / BYTES), name
        assert 0.5 * found.memory.high < found.memory.low <= found.memory.high
        assert found.standby.high == found.processor.high == 0
        assert found.total == found.memory


def test_time_counts_for_standby_and_refresh_and_work_for_the_processor() -> None:
    """Beats have no energy."""
    us = 78.0  # ten refreshes
    found = estimate(table(), Counted(**{**NONE, "hp_beats": 1e6}), us, BYTES)
    assert found.standby.high == pytest.approx(2 * 1.5 * 45 * us / BYTES)
    assert found.memory.high == pytest.approx(10 * 3 * (215 - 45) * 160 / 1e3 / BYTES)
    assert found.processor.high == 0
    found = estimate(table(), Counted(**{**NONE, "active_us": us}), 0.0, BYTES)
    assert found.processor.low == pytest.approx(high("core_w") * 17 / 32 * us * 1e3 / BYTES)
    assert found.total == found.processor


def test_a_call_is_the_difference_of_two_boots(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def lines(_: Machine, __: LinuxExperiment, ___: object, calls: list[str]) -> Iterator[Any]:
        [command] = calls
        runs = max(int(word) for word in re.findall(r"\d+", command.replace("32768", "")))
        asked.append(runs)
        yield {"kernel": "6.12"}
        yield ANSWER
        yield {
            "processor": {
                "active_ps": 10**12 + runs * 80_000_000,
                "memory_reads": 500 + 3 * runs,
                "memory_writes": 600 + 2 * runs,
                "memory_rows": 700 + runs,
                "of another version": 1,
            },
            "board": {
                "reads": 1024 * runs,
                "writes": 1025 * runs,
                "rows": 16 * runs,
                "hp_read_bytes": 32768 * runs,
                "hp_write_bytes": 8 * runs,
            },
        }

    monkeypatch.setattr(Machine, "lines", lines)
    _, experiment = load(FILE)
    assert isinstance(experiment, LinuxExperiment)
    found = list(measured(experiment.only(logic="loop"), Machine(Stop())))
    assert len(found) == 2
    assert asked == [256, 512] * 2
    for row in found:
        assert row.energy is not None
        assert row.energy.counted == Counted(
            processor_reads=3,
            processor_writes=2,
            processor_rows=1,
            engine_reads=1024,
            engine_writes=1025,
            engine_rows=16,
            hp_beats=4097,
            active_us=50,  # no more than the call took
        )


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('name = "vdd_v"', 'name = "idd0_ma"', "energy.constant: must hold each once: devices"),
        ("low = 2.0", "low = 3.0", "energy.constant[0].low: must be no more than high"),
        ('name = "vdd_v"', 'name = "volts"', "energy.constant[1].name"),
        ('source = "JESD79-3F"', 'source = ""', "energy.constant[1].source"),
    ],
)
def test_the_table_is_checked(old: str, new: str, said: str, tmp_path: Path) -> None:
    text = FILE.read_text()
    assert old in text
    file = tmp_path / "energy.toml"
    file.write_text(text.replace(old, new, 1))
    with pytest.raises(InputError) as raised:
        load(file)
    assert said in str(raised.value)


def test_a_machine_of_ones_own_counts_nothing(refused: Callable[..., str], tmp_path: Path) -> None:
    file = tmp_path / "energy.toml"
    file.write_text(FILE.read_text().replace('"zynq7020"', '"zynq7010"'))
    said = refused("run", str(file), "--here", "--logic", "cdma")
    assert "--here: energy is estimated from what a guest's machine counts" in said


def test_constants_that_contradict_each_other_are_refused(tmp_path: Path) -> None:
    text = FILE.read_text()
    for name, value, sentence in (
        ("idd3n_ma", "400.0", "idd3n_ma must be no more than idd0_ma"),
        ("t_ras_ns", "60.0", "t_ras_ns must be no more than t_rc_ns"),
    ):
        wrong = tmp_path / "wrong.toml"
        at = text.index(f'name = "{name}"')
        wrong.write_text(
            text[:at] + re.sub(r"(?m)^high = .*$", f"high = {value}", text[at:], count=1)
        )
        with pytest.raises(InputError, match=sentence):
            load(wrong)
