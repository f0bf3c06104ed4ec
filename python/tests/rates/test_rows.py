# SPDX-License-Identifier: Apache-2.0
"""Rows: their number and order, what narrows them, what changes them, what is refused."""

from pathlib import Path
from typing import Any

import pytest

from fake_bench import CATALOGUE
from sluice.boards import Board, read_catalogue
from sluice.errors import InputError, RunError
from sluice.experiments.rates.experiment import RatesExperiment
from sluice.experiments.rates.result import Run
from sluice.experiments.rates.rows import Request, Row, expected_mb_s, plan_rows
from sluice.experiments.rates.runner import run_s, split
from sluice.experiments.registry import load
from sluice.models import read_toml
from sluice.paths import experiment_files

HP = "zynq7010-hp"


def board() -> Board:
    return read_catalogue(CATALOGUE).board("zynq7010")


def rows(name: str = HP, **request: Any) -> list[Row]:  # noqa: ANN401
    return plan_rows(loaded(experiment_files()[name]), board(), Request(**request))


def loaded(path: Path) -> RatesExperiment:
    _, experiment = load(path)
    assert isinstance(experiment, RatesExperiment)
    return experiment


@pytest.mark.parametrize(
    ("ports", "width", "clock", "direction", "expected"),
    [
        (1, 64, 100, "duplex", 1600),
        (2, 64, 100, "duplex", 3200),
        (3, 64, 100, "duplex", 4264),  # the memory's peak
        (4, 64, 100, "mm2s", 3200),
        (4, 64, 150, "s2mm", 4264),
        (1, 32, 100, "mm2s", 400),
        (4, 32, 100, "duplex", 3200),
    ],
)
def test_expected(ports: int, width: int, clock: float, direction: str, expected: float) -> None:
    assert expected_mb_s(ports, width, clock, direction, 4264) == expected


def test_all_rows_in_the_order_of_the_file() -> None:
    planned = rows()
    assert len(planned) == 30
    assert [row.width_bits for row in planned] == [32] * 15 + [64] * 15
    assert planned[17].ports == ("HP0", "HP2")
    assert planned[17].published is not None
    assert planned[17].expected_mb_s == 3200
    assert {row.runs for row in planned} == {4}
    assert {row.start_cost_ns for row in planned} == {2100}
    assert sum(row.published is not None for row in planned) == 15


@pytest.mark.parametrize(
    ("request_", "count"),
    [
        ({"width_bits": (64,)}, 15),
        ({"directions": ("mm2s",)}, 10),
        ({"directions": ("mm2s", "s2mm")}, 20),
        ({"ports": ("0,2",)}, 6),
        ({"ports": ("2,0",)}, 6),
        ({"ports": ("HP0,hp2",)}, 6),
        ({"ports": ("0", "0,1")}, 12),
        ({"width_bits": (64,), "directions": ("duplex",), "ports": ("0,2",)}, 1),
    ],
)
def test_narrowing(request_: dict[str, Any], count: int) -> None:
    found = rows(**request_)
    assert len(found) == count
    everything = rows()
    assert found == [row for row in everything if row in found]  # unchanged, in order


def test_placements_are_an_axis() -> None:
    found = rows(stagger_bytes=(0, 4096), width_bits=(64,), directions=("duplex",))
    assert [row.stagger_bytes for row in found] == [0] * 5 + [4096] * 5
    assert len({row.placement_rule for row in found}) == 1


def test_level_and_settings() -> None:
    assert {(row.level, row.settings) for row in rows()} == {("rtl", ())}
    found = rows(level="transaction", settings=(("read_ram_words", 64), ("tREFI", 8000)))
    assert {row.level for row in found} == {"transaction"}
    engine = ("engine.max_read_bursts", 6)  # the experiment's
    assert {row.settings for row in found} == {
        (engine, ("read_ram_words", 64), ("tREFI", 8000)),
    }
    assert run_s(found[0]) < run_s(rows()[0])


def test_jobs_leave_out_what_is_known() -> None:
    planned = rows(width_bits=(64,), directions=("duplex",), ports=("0",), runs=6, bytes=4096)
    run = Run(
        run=2,
        mb_s=1.0,
        bytes=8192,
        start_ns=0,
        finish_ns=1,
        pl_cycles=1,
        verified=True,
        skew_ns=(0.0,),
    )
    jobs = split(planned, {(0, 2): run, (0, 5): run})
    assert [(job.first_run, job.runs) for job in jobs] == [(0, 2), (3, 2)]


def test_changes() -> None:
    changed = rows(clock_mhz=150, runs=9, seed=7, start_cost_ns=0, skew_ns=5)
    assert {(r.clock_mhz, r.runs, r.seed, r.start_cost_ns, r.skew_ns) for r in changed} == {
        (150, 9, 7, 0, 5)
    }
    assert all(row.published is None for row in changed)
    assert changed[0].expected_mb_s == 1200
    assert all(row.published is None for row in rows(bytes=4096))
    full = rows(full=True)
    assert {row.bytes for row in full} == {32 << 20}
    assert sum(row.published is not None for row in full) == 15
    assert [row.bytes for row in rows("zynq7010-streamsize", bytes=4096)] == [4096]


def test_a_start_takes_clocks_of_the_logic() -> None:
    assert {row.start_cost_ns for row in rows(clock_mhz=150)} == {1400}
    assert {row.start_cost_ns for row in rows(clock_mhz=200)} == {1050}
    assert {row.start_cost_ns for row in rows(clock_mhz=200, start_cost_ns=7)} == {7}


def test_the_models_error_is_of_the_unchanged_model() -> None:
    level = {"level": "transaction"}
    assert all(row.full_rate and row.overload_error for row in rows(**level))
    engines = rows(**level, settings=(("engine.buffer_beats", 16),))  # they may set the rate then
    assert not any(row.full_rate for row in engines)
    memory = rows(**level, settings=(("tRFC", 60),))
    assert all(row.full_rate and row.overload_error is None for row in memory)


def test_the_published_engine_is_that_of_transactions() -> None:
    assert {row.settings for row in rows()} == {()}
    level = {"level": "transaction"}
    assert {row.settings for row in rows(**level)} == {(("engine.max_read_bursts", 6),)}
    changed = rows(**level, settings=(("engine.max_read_bursts", 32), ("tREFI", 8000)))
    assert {row.settings for row in changed} == {
        (("engine.max_read_bursts", 32), ("tREFI", 8000)),
    }


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"width_bits": (48,)}, "--width 48: zynq7010-hp has no such row; allowed: 32, 64"),
        ({"directions": ("up",)}, "--direction up: .* allowed: duplex, mm2s, s2mm"),
        ({"ports": ("4",)}, "--ports 4: design hp_stress has no port '4'; .*0; 0,1; 0,2"),
        ({"ports": ("0,3",)}, "--ports 0,3: zynq7010-hp has no row with exactly these ports"),
        ({"ports": ("0,0",)}, "--ports 0,0: names a port twice"),
        ({"ports": ("",)}, "no port ''"),
        ({"clock_mhz": 0}, "--clock-mhz: .* no clock of 0 MHz; allowed: 10 to 250"),
        ({"clock_mhz": 251}, "no clock of 251 MHz"),
        ({"clock_mhz": float("nan")}, "no clock of nan MHz"),
        ({"runs": 0}, "--runs 0 is not allowed; give 1 to 10000"),
        ({"seed": -1}, "--seed -1 is not allowed"),
        ({"seed": 2**32}, "--seed 4294967296 is not allowed"),
        ({"start_cost_ns": -1}, "--start-cost-ns -1 is not allowed"),
        ({"skew_ns": 10**6 + 1}, "--skew-ns 1000001 is not allowed; give 0 to 1000000"),
        ({"clock_mhz": 133.3333}, "133.3333 MHz is no whole number of kHz"),
        ({"bytes": 0}, "--bytes: a transfer of 0 bytes is not possible; .* 1 to 67108863"),
        ({"bytes": 1 << 26}, "a transfer of 67108864 bytes is not possible"),
        ({"bytes": 1001}, "--bytes: 1001 bytes are no multiple of a beat; .*32 bits .* 4 bytes"),
        ({"bytes": 12, "width_bits": (64,)}, "a row 64 bits wide needs a multiple of 8 bytes"),
        ({"level": "netlist"}, "--level netlist is not allowed; give rtl or transaction"),
        ({"stagger_bytes": (-64,)}, "--stagger-bytes: -64 is not possible; give a multiple of 64"),
        ({"stagger_bytes": (100,)}, "--stagger-bytes: 100 is not possible; give a multiple of 64"),
        ({"bytes": 4096, "full": True}, "--full and --bytes both say the block size"),
    ],
)
def test_refusals(request_: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        rows(**request_)


def test_full_is_refused_where_sizes_are_an_axis() -> None:
    with pytest.raises(InputError, match="--full: zynq7010-streamsize varies the block size"):
        rows("zynq7010-streamsize", full=True)


def test_a_copy_counts_a_byte_once_and_crosses_the_bus_twice() -> None:
    assert expected_mb_s(1, 64, 100, "copy", 4264) == 800
    assert expected_mb_s(4, 64, 100, "copy", 4264) == 2132


def test_a_direction_that_the_design_lacks(tmp_path: Path) -> None:
    path = tmp_path / "copy.toml"
    text = experiment_files()["zynq7010-streamsize"].read_text(encoding="utf-8")
    text = text.split("# A statement in the text", maxsplit=1)[0]
    path.write_text(text.replace('["duplex"]', '["copy"]'), encoding="utf-8")
    with pytest.raises(InputError, match="hp_stress does not go copy; allowed: both, duplex"):
        plan_rows(loaded(path), board(), Request())


def test_jobs_cover_every_run_once() -> None:
    for name, path in experiment_files().items():
        _, experiment = load(path)
        # The stand-in has one board and one design.
        if not isinstance(experiment, RatesExperiment) or (
            (experiment.board, experiment.design_names) != (board().name, ("hp_stress",))
        ):
            continue
        planned = rows(name, runs=13)
        jobs = split(planned)
        covered = [(job.index, job.first_run + run) for job in jobs for run in range(job.runs)]
        assert covered == [(index, run) for index in range(len(planned)) for run in range(13)]


def test_a_catalogue_that_is_wrong() -> None:
    with pytest.raises(RunError, match="sluice-bench list: boards: is missing"):
        read_catalogue({"version": "1"})
    with pytest.raises(InputError, match="no board 'x'; boards: zynq7010"):
        read_catalogue(CATALOGUE).board("x")
    with pytest.raises(InputError, match="board zynq7010 has no design 'x'; designs: hp_stress"):
        board().design("x")


@pytest.mark.parametrize(
    ("key", "wrong", "message"),
    [
        ("board", "x", "mine.toml: board: there is no board 'x'; boards: "),
        ("design", "x", "mine.toml: design: board zynq7010 has no design 'x'; designs: "),
    ],
)
def test_the_file_names_what_there_is_not(key: str, wrong: str, message: str) -> None:
    document = read_toml(experiment_files()[HP]) | {key: wrong}
    experiment = RatesExperiment.load(Path("mine.toml"), document)
    with pytest.raises(InputError, match=message):
        experiment.offered_designs(experiment.offered_board(read_catalogue(CATALOGUE)))
