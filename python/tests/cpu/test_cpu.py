# SPDX-License-Identifier: Apache-2.0
"""Experiments about the CPU's own accesses, with a stand-in for sluice-bench."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from calling import Sluice, check
from sluice.errors import InputError
from sluice.experiments.cpu.experiment import CpuExperiment
from sluice.experiments.registry import load
from sluice.paths import experiment_files

NAME = "zynq-cpu-access"
FILE = experiment_files()[NAME]


def test_figures_stand_beside_the_published_ones(sluice: Sluice) -> None:
    document = sluice("run", NAME, "--set", "tRP=8", "--json", "-").json
    check(document)
    assert document["format"] == "sluice-result-2"
    assert document["kind"] == "cpu"
    assert document["conditions"]["settings"] == {"tRP": 8}
    rows = {row["name"]: row for row in document["rows"]}
    copy = rows["copy, 4 MiB, again"]
    assert copy["figure"] == pytest.approx((4 << 20) / 1e6 * 1e3)  # warm
    assert copy["unit"] == "MB/s"
    assert copy["published"] == 342.6
    assert copy["difference"] == pytest.approx(copy["figure"] / 342.6 - 1)
    assert rows["load, L1 hit"]["figure"] == pytest.approx(1e6 / 20_000)  # warm
    miss = rows["L1 miss, L2 hit, beside a hit"]
    assert (miss["figure"], miss["published"], miss["unit"]) == (0.0, 44.65, "ns")
    uncached = rows["read, uncached, 1 MiB"]
    assert uncached["figure"] == pytest.approx((1 << 20) / 4e6 * 1e3)


def test_table_and_files(sluice: Sluice, tmp_path: Path) -> None:
    done = sluice("run", NAME, "-o", str(tmp_path))
    assert done.status == 0
    assert "342.60" in done.out
    assert "REDS" in done.out
    assert (tmp_path / f"{NAME}.json").is_file()


def test_a_report_has_a_section_about_it(
    sluice: Sluice, tmp_path: Path, recorded: list[Path]
) -> None:
    file = tmp_path / "cpu.json"
    sluice("run", NAME, "--set", "tRP=8", "--json", file)
    done = sluice("report", file, recorded[0], "-o", tmp_path / "report")
    assert done.status == 0, done.err
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert f'<section id="{NAME}"' in page
    assert f'<a href="#{NAME}">{NAME}</a>' in page
    for text in ("L1 miss, L2 hit, beside a hit", "44.65", "Programmed I/O", "tRP = 8"):
        assert text in page
    assert f"sluice run {NAME} --set tRP=8 --json {NAME}.json" in page
    assert (tmp_path / "report" / f"{NAME}-difference.png").is_file()


def test_list_names_it(sluice: Sluice) -> None:
    assert NAME in sluice("list").out


@pytest.mark.parametrize("option", [["--runs", "3"], ["--full"], ["--width", "64"]])
def test_options_without_meaning_are_refused(
    refused: Callable[..., str], option: list[str]
) -> None:
    assert "of kind cpu, which does not take" in refused("run", NAME, *option)


def test_what_the_bench_refuses(sluice: Sluice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_BENCH_MODE", "refuse")
    done = sluice("run", NAME)
    assert done.status == 2
    assert done.err == "sluice: copy, 4 MiB, again: sluice-bench: 33 bytes of work\n"
    assert "Nothing was measured." in done.out


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('kind = "copy"', 'kind = "fly"', "'fly' is not one of copy, read, chase"),
        ('state = "cold"', 'state = "hot"', "'hot' is not one of cold, warm"),
        ('minus = "load, L1 hit"', 'minus = "later"', "'later' is no work before it"),
        ('"tinymembench C copy"', '"nothing"', "has no row 'nothing'"),
        ("stride = 64\n", "", "stride: is missing"),
        ("uncached = true", "loads = 5", "loads: is of a chase, and this is a read"),
        ("uncached = true", "uncached = true\ncolour = 1", "unknown key"),
        ('name = "read, cached, 4 MiB"', 'name = "copy, 4 MiB, again"', "each under its own name"),
    ],
)
def test_wrong_files(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "mine.toml"
    text = FILE.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        load(path)


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        (None, "must hold a figure above 0 here, holds nothing"),
        ("fast", "column 'b' of table 1 of mine.json must hold numbers, holds 'fast'"),
        (0, "must hold a figure above 0 here, holds 0"),
    ],
)
def test_published_figures_that_are_none(tmp_path: Path, cell: object, message: str) -> None:
    path = own(tmp_path, [["q", cell]])
    with pytest.raises(InputError, match=rf"mine.toml: work\[0\].published.quantity: .*{message}"):
        load(path)


def own(folder: Path, rows: list[list[object]]) -> Path:
    """Return an experiment of one work, beside a data set with these rows."""
    table = {"table": "1", "columns": ["a", "b"], "rows": rows}
    data = {"source": "s", "tables": [table]}
    (folder / "mine.json").write_text(json.dumps(data), encoding="utf-8")
    path = folder / "mine.toml"
    path.write_text(
        'kind = "cpu"\ntitle = "t"\ndescription = "d"\nboard = "zynq7010"\n'
        '[[work]]\nname = "copy [/cold]"\nkind = "copy"\nbytes = "1MiB"\nstate = "cold"\n'
        'published = { dataset = "mine.json", table = "1", quantity = "q" }\n',
        encoding="utf-8",
    )
    return path


def test_a_name_is_no_markup(sluice: Sluice, tmp_path: Path) -> None:
    done = sluice("run", own(tmp_path, [["q", 300]]))
    assert done.status == 0, done.err
    assert "copy [/cold]" in done.out


def test_the_other_kind_is_still_read() -> None:
    assert isinstance(load(FILE)[1], CpuExperiment)
    assert not isinstance(load(experiment_files()["zynq7010-hp"])[1], CpuExperiment)
