# SPDX-License-Identifier: Apache-2.0
"""A new kind is one folder: the toy in tests/kinds is found, and every command takes it."""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from calling import Sluice
from sluice import experiments, paths
from sluice.errors import InputError
from sluice.experiments import registry

KINDS = Path(__file__).parent / "kinds"
TEXT = """
kind = "toy"
title = "Reads"
description = "Of two sizes."
board = "zynq7010"
sizes = ["4KiB", "1MiB"]
"""


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Put the folder beside those of the package."""
    monkeypatch.setattr(experiments, "__path__", [*experiments.__path__, str(KINDS)])
    registry.kinds.cache_clear()
    yield
    registry.kinds.cache_clear()
    sys.modules.pop("sluice.experiments.toy", None)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_the_folder_is_the_kind(file: Path) -> None:
    assert list(registry.kinds()) == [
        "rates",
        "cpu",
        "linux",
        "plan",
        "threads",
        "toy",
        "transfers",
    ]
    kind, experiment = registry.load(file)
    assert kind is registry.kinds()["toy"]
    assert (experiment.name, experiment.row_count) == ("mine", 2)


def test_load_measure_show_and_page(sluice: Sluice, file: Path, tmp_path: Path) -> None:
    result = tmp_path / "mine.json"
    done = sluice("run", file, "--json", result)
    assert (done.status, done.err) == (0, "")
    assert done.out == "4096 bytes: 2000000 ns\n1048576 bytes: 2000000 ns\n"
    document = json.loads(result.read_text(encoding="utf-8"))
    assert (document["format"], document["kind"]) == ("sluice-result-2", "toy")
    assert document["conditions"] == {"state": "cold"}
    assert document["provenance"]["command"] == f"sluice run {file}"
    assert [row["bytes"] for row in document["rows"]] == [4096, 1 << 20]
    assert sluice("report", result, "-o", tmp_path / "report").status == 0
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    for text in ("<li>4096 bytes &lt;all of it&gt;: 2000000 ns</li>", "Reads", "zynq7010, cold"):
        assert text in page


def test_its_options_are_those_of_the_command(
    sluice: Sluice, refused: Callable[..., str], file: Path
) -> None:
    assert "--only" in sluice("run", "--help").out
    document = sluice("run", file, "--only", "4096", "--json", "-").json
    assert [row["bytes"] for row in document["rows"]] == [4096]
    assert document["provenance"]["command"] == f"sluice run {file} --only 4096"
    assert "of kind toy, which does not take --set; it takes --only, --jobs, --json and -o" in (
        refused("run", file, "--set", "tRP=9")
    )
    assert "of kind rates, which does not take --only" in refused(
        "run", "zynq7010-hp", "--only", "1"
    )
    assert "of kind toy, which is measured as a whole; leave --continue out" in refused(
        "run", file, "--continue"
    )


def test_list_shows_it(sluice: Sluice, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "experiment_files", lambda: {"mine": file})
    assert "mine" in sluice("list").out
    (entry,) = sluice("list", "--json").json["experiments"]
    assert (entry["name"], entry["kind"], entry["rows"]) == ("mine", "toy", 2)


def test_a_failure_keeps_what_was_measured(
    sluice: Sluice, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_BENCH_MODE", "refuse")
    done = sluice("run", file, "--json", "-")
    assert done.status == 2
    assert done.err == "sluice: 4096 bytes: sluice-bench: 33 bytes of work\n"
    assert (done.json["partial"], done.json["rows"]) == (True, [])


def test_a_result_of_another_kind_is_not_continued(
    sluice: Sluice, refused: Callable[..., str], file: Path, tmp_path: Path
) -> None:
    result = tmp_path / "mine.json"
    assert sluice("run", file, "--json", result).status == 0
    said = refused("run", "zynq7010-hp", "--json", result, "--continue")
    assert "is a result of kind toy; give another file" in said


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'kind = "toy"',
            'kind = "tow"',
            "kind: 'tow' is not one of rates, cpu, linux, plan, threads, toy",
        ),
        ('kind = "toy"', "kind = 3", "kind: 3 is not one of rates"),
        ('"1MiB"', '"4KiB"', "sizes: holds 4096 twice"),
        ("sizes =", "size =", "size: unknown key; allowed here: board, description, kind, sizes"),
    ],
)
def test_wrong_files(file: Path, old: str, new: str, message: str) -> None:
    file.write_text(TEXT.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        registry.load(file)
