# SPDX-License-Identifier: Apache-2.0
"""`sluice list`, `--version`, `--help`, and finding sluice-bench."""

from collections.abc import Callable
from pathlib import Path

import pytest

import sluice as package
from calling import FAKE_BENCH, Sluice
from sluice import paths
from sluice.errors import RunError


def test_list(sluice: Sluice) -> None:
    done = sluice("list")
    assert done.status == 0
    for word in ("zynq7010", "hp_stress", "HP3", "zynq7010-hp", "zynq7010-streamsize", "30", "19"):
        assert word in done.out


def test_list_json(sluice: Sluice) -> None:
    document = sluice("list", "--json").json
    board, *_ = document["boards"]
    assert board["designs"][0]["ports"] == ["HP0", "HP1", "HP2", "HP3"]
    assert board["presets"] == {"bare_metal": {"start_cost_ns": 2100, "start_cost_clocks": 210}}
    assert [entry["name"] for entry in document["experiments"]] == sorted(paths.experiment_files())
    assert document["versions"] == {"sluice": package.__version__, "sluice_bench": "0.0.0-fake"}


def test_version(sluice: Sluice) -> None:
    assert sluice("--version").out == f"sluice {package.__version__}\n"


@pytest.mark.parametrize("name", ["", "list", "run", "plan", "calibrate", "report"])
def test_help_has_examples(sluice: Sluice, name: str) -> None:
    done = sluice(*name.split(), "--help")
    assert done.status == 0
    assert "Examples" in done.out
    assert f"sluice {name or 'list'}" in done.out


@pytest.mark.parametrize(
    "arguments",
    [["fly"], ["--fly"], ["run"], ["run", "x", "y"], ["run", "x", "--runs", "many"], ["report"]],
)
def test_wrong_words(refused: Callable[..., str], arguments: list[str]) -> None:
    assert "sluice --help" in refused(*arguments)


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        ("bad-list", "did not print a JSON object"),
        ("list-fails", "sluice-bench: no board can be simulated here"),
    ],
)
def test_bench_that_cannot_list(
    sluice: Sluice, monkeypatch: pytest.MonkeyPatch, mode: str, message: str
) -> None:
    monkeypatch.setenv("FAKE_BENCH_MODE", mode)
    done = sluice("list")
    assert done.status == 1
    assert message in done.err


def test_where_bench_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert paths.find_bench() == FAKE_BENCH
    monkeypatch.setenv("SLUICE_BENCH", str(tmp_path / "gone"))
    with pytest.raises(RunError, match=r"SLUICE_BENCH names .*gone, which is not a program"):
        paths.find_bench()
    monkeypatch.delenv("SLUICE_BENCH")
    monkeypatch.setattr(paths, "repository", lambda: tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RunError, match="is not built; build it with `make build`"):
        paths.find_bench()
    (tmp_path / "sluice-bench").symlink_to(FAKE_BENCH)
    assert paths.find_bench() == tmp_path / "sluice-bench"
    built = tmp_path / "build" / "release" / "bench" / "sluice-bench"
    built.parent.mkdir(parents=True)
    built.symlink_to(FAKE_BENCH)
    assert paths.find_bench() == built


def test_bench_that_is_no_program(
    sluice: Sluice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bench"
    program.write_bytes(b"\0")
    program.chmod(0o755)
    monkeypatch.setenv("SLUICE_BENCH", str(program))
    done = sluice("list")
    assert done.status == 1
    assert "cannot be run" in done.err
