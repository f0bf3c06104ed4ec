# SPDX-License-Identifier: Apache-2.0
"""`sluice report`: the files it writes, what the page says, and what it refuses."""

import csv
import json
import re
import shutil
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from calling import Sluice
from sluice.experiments.rates.reasons import (
    ENGINE,
    MEMORY,
    PEAK,
    PORTS,
    at_block,
    compared,
    lost,
)
from sluice.experiments.registry import read_result
from sluice.report.curves import Point, parts
from sluice.report.table import Cell

EVIDENCE = Path(__file__).resolve().parents[2] / "docs" / "evidence" / "experiments"
CHARTS = {
    "zynq7010-hp": (
        "32bit-rate", "32bit-efficiency", "64bit-rate", "64bit-difference", "64bit-efficiency",
    ),
    "zynq7010-streamsize": ("64bit-size",),
}  # fmt: skip
FILES = [
    name
    for result, charts in CHARTS.items()
    for name in (
        f"{result}-result.json",
        f"{result}-rows.csv",
        *(f"{result}-{chart}.{kind}" for chart in charts for kind in ("png", "svg")),
    )
]


@pytest.fixture
def results(recorded: list[Path], tmp_path: Path) -> list[Path]:
    """Return the results of both experiments, to change as a test likes."""
    return [Path(shutil.copy(path, tmp_path)) for path in recorded]


class Outline(HTMLParser):
    """The tags of a page, checked for being closed in order, and what they refer to."""

    void = ("meta", "link", "br", "img", "input", "wbr")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.count: dict[str, int] = {}
        self.links: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        self.handle_startendtag(tag, attrs)
        if tag not in self.void:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag that closes itself."""
        self.count[tag] = self.count.get(tag, 0) + 1
        for key, value in attrs:
            if key in ("href", "src", "xlink:href") and value:
                self.links.append(value)
            if key == "id" and value:
                self.ids.append(value)

    def handle_endtag(self, tag: str) -> None:
        """Check that the tag closes the one opened last."""
        assert self.open.pop() == tag


def outline(page: Path) -> Outline:
    found = Outline()
    found.feed(page.read_text(encoding="utf-8"))
    assert found.open == []
    return found


def specs(page: Path) -> list[Any]:
    """Return the charts of a page."""
    found = re.findall(
        r'<script type="application/json">(.*?)</script>', page.read_text(encoding="utf-8")
    )
    return [json.loads(text) for text in found]


def marks(spec: Any) -> list[Any]:  # noqa: ANN401
    """Return the values of a chart that say something to who points at them."""
    return [value for value in spec["data"]["values"] if "tip" in value]


def test_page_and_files(sluice: Sluice, results: list[Path], tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    done = sluice("report", *results, "-o", folder)
    assert done.status == 0
    assert done.out.split() == [str(folder / name) for name in ("index.html", *FILES)]
    assert sorted(path.name for path in folder.iterdir()) == sorted(["index.html", *FILES])
    for path in folder.glob("*.png"):
        with Image.open(path) as picture:
            assert picture.width > 1600
            assert len(picture.convert("RGB").getcolors(1 << 24) or []) > 20
    for path in folder.glob("*.svg"):
        assert "var(--" not in path.read_text(encoding="utf-8")
    page = outline(folder / "index.html")
    assert page.count["figure"] == 6
    assert page.count["table"] == 2
    assert page.count["tr"] == 2 + 6 + 30 + 1 + 19
    assert len(page.ids) == len(set(page.ids))
    beside = ("data:,", *FILES)
    assert all(link in beside or link.removeprefix("#") in page.ids for link in page.links)
    assert set(FILES) <= set(page.links)  # everything is linked to
    text = (folder / "index.html").read_text(encoding="utf-8")
    for words in (
        "3197.6",
        "Vieira",
        "text beside figures 3 and 7",
        "simulated time",
        "1 MiB",
        "--full takes a longer one",
        "sluice run zynq7010-hp --runs 2",
        "sluice-bench 0.0.0-fake",
        "on silicon above 1440 MB/s",
        "Placement",
        "BSD-3-Clause",
    ):
        assert words in text
    assert "Fig3/Fig7" not in text
    assert " title=" not in re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL)
    assert json.loads((folder / FILES[0]).read_bytes()) == json.loads(results[0].read_bytes())
    with (folder / FILES[1]).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 30
    assert float(rows[0]["mb_s_mean"]) > 0


def test_rates_are_compared_at_equal_blocks(
    sluice: Sluice, results: list[Path], tmp_path: Path
) -> None:
    """What a run loses once weighs less in a longer block; the head of the column names blocks."""
    document = json.loads(results[0].read_text(encoding="utf-8"))
    row = next(row for row in document["rows"] if row["published"] and len(row["ports"]) == 1)
    expected, total = row["expected_mb_s"], 2 * (1 << 20)
    elapsed_ns = total / expected * 1e3 + 3000  # of which the second engine starts 2100 late
    row["runs"] = [
        row["runs"][0]
        | {"start_ns": 0, "finish_ns": elapsed_ns, "bytes": total, "skew_ns": [0, 0]}
        | {"mb_s": total / elapsed_ns * 1e3}
    ]
    rates = dict.fromkeys(("min", "median", "mean", "p99", "max"), total / elapsed_ns * 1e3)
    row |= {"mb_s": rates | {"sigma": 0, "samples": [rates["mean"]]}, "runs_wanted": 1}
    row |= {"direction": "duplex", "at_overload": False, "start_cost_ns": 2100}
    document["rows"] = [row]
    results[0].write_text(json.dumps(document), encoding="utf-8")
    _, result = read_result(results[0].read_bytes(), "x")
    pair = compared(result.rows[0])
    reason = lost(result.rows[0])
    assert pair is not None
    assert reason is not None
    assert reason.starts == pytest.approx(2100 / elapsed_ns)
    assert reason.rest == pytest.approx(900 / elapsed_ns)
    # Runs differ in what they lose once: without that, all have the expected rate.
    for nanoseconds in (1000, 3000, 5000):
        run = total / (elapsed_ns - 3000 + nanoseconds) * 1e3
        assert at_block(result.rows[0], run, 1 << 60) == pytest.approx(expected)
    longer = 32 * total / (32 * total / expected * 1e3 + 3000) * 1e3
    assert pair.difference == pytest.approx(longer / row["published"] - 1)
    sluice("report", results[0], "-o", tmp_path / "x.html")
    text = (tmp_path / "x.html").read_text(encoding="utf-8")
    for words in (
        "MB/s, 1 MiB blocks",
        "MB/s, 32 MiB blocks",
        "both with 32 MiB blocks",
        "engine starts 0.",
    ):
        assert words in text


def test_a_short_loss_near_the_ports_rate_is_not_converted(results: list[Path]) -> None:
    """HP0 and HP2 lose 38 us at 1 MiB as at 32 MiB, HP0 and HP1 600 us at 1 MiB: it grows."""
    document = json.loads(results[0].read_text(encoding="utf-8"))
    row = next(
        row for row in document["rows"] if row["published"] and row["ports"] == ["HP0", "HP2"]
    )
    row |= {"direction": "duplex", "at_overload": True, "expected_mb_s": 3200.0, "bytes": 1 << 20}
    found = []
    for lost_ns in (38_400, 600_000):
        elapsed_ns = (4 << 20) / 3200 * 1e3 + lost_ns
        mb_s = (4 << 20) / elapsed_ns * 1e3
        rates = dict.fromkeys(("min", "median", "mean", "p99", "max"), mb_s)
        run = row["runs"][0] | {"start_ns": 0, "finish_ns": elapsed_ns, "mb_s": mb_s}
        found.append(
            row | {"mb_s": rates | {"sigma": 0, "samples": [mb_s]}, "runs": [run], "runs_wanted": 1}
        )
    document["rows"] = found
    results[0].write_text(json.dumps(document), encoding="utf-8")
    kind, result = read_result(results[0].read_bytes(), "x")
    assert [lost(row).limit for row in result.rows] == [PORTS, MEMORY]
    assert [compared(row) is None for row in result.rows] == [True, False]
    section = kind.page(result, "x")
    first, second = section.tables[0].groups[0].lines
    assert first.cells[-1] == Cell("–", "use --full")
    assert (first.name, second.name) == ("HP0,2", "HP0,2 *")
    assert "Compared with silicon: 1 row." in section.summary[1]
    assert any("The memory slows 1 row a little" in note for note in section.notes)

    # Alone, too, it is not compared at another block.
    document["rows"] = found[:1]
    results[0].write_text(json.dumps(document), encoding="utf-8")
    kind, result = read_result(results[0].read_bytes(), "x")
    (table,) = kind.page(result, "x").tables
    assert [column.unit for column in table.columns[-2:]] == [
        "%, 1 MiB against 32 MiB",
        "%, both with 32 MiB blocks",
    ]
    assert table.groups[0].lines[0].cells[-1] == Cell("–", "use --full")


def test_heads_name_a_block_that_all_rows_have(results: list[Path]) -> None:
    document = json.loads(results[0].read_text(encoding="utf-8"))
    rows = [row for row in document["rows"] if row["published"]][:2]
    rows[0] |= {"bytes": 4 << 20}
    rows[1]["published_detail"]["block_bytes"] = 2 << 20
    document["rows"] = rows
    results[0].write_text(json.dumps(document), encoding="utf-8")
    kind, result = read_result(results[0].read_bytes(), "x")
    (table,) = kind.page(result, "x").tables
    assert {column.unit for column in table.columns if "MiB" in column.unit} == set()
    assert table.columns[-1].unit == "%, both with silicon's blocks"
    lines = [line for group in table.groups for line in group.lines]
    assert [line.name.split(" *")[0] for line in lines] == ["4 MiB", "1 MiB"]
    assert [line.all[-3].small.split(", ")[1] for line in lines] == [
        "32 MiB blocks",
        "2 MiB blocks",
    ]


def test_the_page_is_the_same_every_time(
    sluice: Sluice, results: list[Path], tmp_path: Path
) -> None:
    sluice("report", *results, "-o", tmp_path / "one.html")
    sluice("report", *results, "-o", tmp_path / "two.html")
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()


def test_where_it_goes_by_default(sluice: Sluice, results: list[Path]) -> None:
    assert sluice("report", results[1]).status == 0
    assert (results[1].parent / "report" / "index.html").is_file()


def test_two_results_of_one_experiment(sluice: Sluice, results: list[Path], tmp_path: Path) -> None:
    sluice("report", results[1], results[1], "-o", tmp_path / "twice.html")
    page = outline(tmp_path / "twice.html")
    assert len(page.ids) == len(set(page.ids))
    assert (tmp_path / "zynq7010-streamsize-1-64bit-size.png").is_file()
    assert (tmp_path / "zynq7010-streamsize-2-64bit-size.png").is_file()


def test_texts_are_escaped(sluice: Sluice, results: list[Path], tmp_path: Path) -> None:
    document = json.loads(results[0].read_text(encoding="utf-8"))
    document["title"] = "<script>alert(1)</script>"
    document["description"] = 'a "b" & <i>c'
    document["rows"] = document["rows"][:1]
    document["rows"][0]["ports"] = ["<b>0"]
    document["rows"][0]["placement"]["rule"] = "</ul><script>"
    document["provenance"]["command"] = "sluice run </pre><script>"
    results[0].write_text(json.dumps(document), encoding="utf-8")
    assert sluice("report", results[0], "-o", tmp_path / "x.html").status == 0
    page = outline(tmp_path / "x.html")
    text = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert page.count["script"] == 2 + len(specs(tmp_path / "x.html"))
    assert "<script>alert" not in text
    assert "</pre><script>" not in text
    assert "b" not in page.count


def test_partial_and_empty_results(sluice: Sluice, results: list[Path], tmp_path: Path) -> None:
    document = json.loads(results[0].read_text(encoding="utf-8"))
    document["partial"] = True
    document["rows"][0]["verified"] = False
    document["rows"][1]["runs_wanted"] = 9
    results[0].write_text(json.dumps(document), encoding="utf-8")
    sluice("report", results[0], "-o", tmp_path / "p.html")
    text = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert "<strong>Partial.</strong>" in text
    assert "<strong>Wrong data.</strong>" in text
    assert "2 of 9 runs" in text
    document["rows"] = []
    results[0].write_text(json.dumps(document), encoding="utf-8")
    assert sluice("report", results[0], "-o", tmp_path / "e.html").status == 0
    assert outline(tmp_path / "e.html").count.get("figure") is None
    assert "The result has no rows: " in (tmp_path / "e.html").read_text(encoding="utf-8")
    assert (tmp_path / "e.html").stat().st_size < 40_000  # nothing to draw, and nothing that draws


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read: no such file"),
        (b"", "is not JSON"),
        (b"\xff\xfe", "is not JSON"),
        (b"[1]", "must be a table, is a list"),
        (b"{}", "format: nothing is not 'sluice-result-2': this is no result of `sluice run`"),
        (
            b'{"format": "sluice-result-2"}',
            "kind: nothing is not one of rates, cpu, linux, plan, threads",
        ),
        (b'{"format": "sluice-result-2", "kind": "rates"}', "experiment: is missing"),
        (b'{"format": "sluice-result-1"}', "experiment: is missing"),
    ],
)
def test_what_is_no_result(
    refused: Callable[..., str], tmp_path: Path, content: bytes | None, message: str
) -> None:
    path = tmp_path / "r.json"
    if content is not None:
        path.write_bytes(content)
    assert message in refused("report", path)
    assert not (tmp_path / "report").exists()


def test_an_experiments_file_is_no_result(refused: Callable[..., str]) -> None:
    assert "first measure it with `sluice run mine.toml --json FILE`" in refused(
        "report", "mine.toml"
    )


@pytest.mark.parametrize(
    ("where", "value", "message"),
    [
        (("rows", 0, "mb_s", "mean"), "fast", "rows[0].mb_s.mean: must be a number"),
        (("rows", 0, "mb_s", "samples"), [], "rows[0].mb_s.samples: must be a list with entries"),
        (("rows", 0, "direction"), "up", "rows[0].direction: 'up' is not one of"),
        (("rows", 0, "expected_mb_s"), 0, "rows[0].expected_mb_s: must be above 0"),
        (("rows", 0, "runs"), [], "rows[0].runs: must be a list with entries, is an empty list"),
        (("rows", 0, "ports"), [], "rows[0].ports: must be a list with entries"),
        (
            ("rows", 16, "published_detail", "relation"),
            "x",
            "relation: 'x' is not one of equal, above",
        ),
        (("provenance", "machine"), 3, "provenance.machine: must be a table, is 3"),
    ],
)
def test_a_result_with_a_wrong_field(
    refused: Callable[..., str],
    results: list[Path],
    where: tuple[str | int, ...],
    value: object,
    message: str,
) -> None:
    document = json.loads(results[0].read_text(encoding="utf-8"))
    holder = document
    for step in where[:-1]:
        holder = holder[step]
    holder[where[-1]] = value
    results[0].write_text(json.dumps(document), encoding="utf-8")
    assert message in refused("report", results[0])


def test_a_folder_instead_of_a_result_or_a_target(
    refused: Callable[..., str], results: list[Path], tmp_path: Path
) -> None:
    assert "is a directory" in refused("report", tmp_path)
    assert "cannot be made" in refused("report", results[0], "-o", results[1])
    (tmp_path / "taken.html").mkdir()
    assert "it is a directory" in refused("report", results[0], "-o", tmp_path / "taken.html")


def test_every_bar_has_a_place_of_its_own(
    sluice: Sluice, results: list[Path], tmp_path: Path
) -> None:
    """Rows that differ in placement or in width only stand side by side, not on one another."""
    document = json.loads(results[0].read_text(encoding="utf-8"))
    rows = [row for row in document["rows"] if row["ports"] == ["HP0"]]
    for stagger in (64, 4096):
        rows += [
            row | {"placement": row["placement"] | {"stagger_bytes": stagger}} for row in rows[:6]
        ]
    document["rows"] = [row | {"published": None, "published_detail": None} for row in rows]
    results[0].write_text(json.dumps(document), encoding="utf-8")
    sluice("report", results[0], "-o", tmp_path / "s.html")
    text = (tmp_path / "s.html").read_text(encoding="utf-8")
    charts = specs(tmp_path / "s.html")
    assert len(charts) == 2  # nothing published, no difference
    for chart in charts:
        found = marks(chart)
        assert len(found) == 18
        assert len({mark["name"] for mark in found}) == 18
        assert any("staggered by 4 KiB" in mark["tip"] for mark in found)
    assert "Difference" not in text  # no columns for it either


@pytest.mark.parametrize("name", ["../out", "my ports (1)"])
def test_a_name_leads_nowhere(
    sluice: Sluice, recorded: list[Path], tmp_path: Path, name: str
) -> None:
    document = json.loads(recorded[1].read_text(encoding="utf-8"))
    document["experiment"] = name
    result, folder = tmp_path / "r.json", tmp_path / "a" / "report"
    result.write_text(json.dumps(document), encoding="utf-8")
    done = sluice("report", result, "-o", folder)
    assert done.status == 0, done.err
    written = [Path(line) for line in done.out.splitlines()]
    assert len(written) > 1
    assert {path.resolve().parent for path in written} == {folder}
    page = written[0].read_text(encoding="utf-8")
    for link in outline(written[0]).links:
        assert link == "data:," or link[0] == "#" or (folder / link).is_file()
    assert f'<figure class="chart" id="{written[-1].stem}"' in page


def test_an_engine_that_is_slower_than_its_port_is_the_limit() -> None:
    """It loses its share in each block, so that no block is converted into a faster one."""
    _, result = read_result((EVIDENCE / "streamif-2017.json").read_bytes(), "streamif-2017")
    rows = result.rows
    assert {lost(row).limit for row in rows if len(row.ports) == 1} == {ENGINE}
    assert {lost(row).bound for row in rows if len(row.ports) == 1} == {PORTS}
    for row in rows:
        without_starts = row.mb_s.mean / (1 - lost(row).starts)
        assert at_block(row, row.mb_s.mean, 1 << 60) == pytest.approx(without_starts)
    _, result = read_result((EVIDENCE / "zynq7010-hp-150.json").read_bytes(), "zynq7010-hp-150")
    assert {lost(row).bound for row in result.rows} == {PEAK}


@pytest.mark.parametrize(
    "names", [["a", "a", "a-2"], ["x", "x-64bit"], ["tip"], ["said"], ["main"]]
)
def test_names_of_files_and_places_are_used_once(
    sluice: Sluice, results: list[Path], tmp_path: Path, names: list[str]
) -> None:
    files = []
    for number, name in enumerate(names):
        document = json.loads(results[0].read_text(encoding="utf-8")) | {"experiment": name}
        files.append(tmp_path / f"{number}.json")
        files[-1].write_text(json.dumps(document), encoding="utf-8")
    printed = sluice("report", *files, "-o", tmp_path / "out").out.split()
    assert len(printed) == len(set(printed)) == len(list((tmp_path / "out").iterdir()))
    ids = outline(tmp_path / "out" / "index.html").ids
    assert len(ids) == len(set(ids))


def test_a_title_with_a_name_of_a_colour_is_drawn(
    sluice: Sluice, results: list[Path], tmp_path: Path
) -> None:
    document = json.loads(results[0].read_text(encoding="utf-8"))
    for row in document["rows"]:
        row["labels"] = {"mode": "var(--none)"}
    results[0].write_text(json.dumps(document), encoding="utf-8")
    sluice("report", results[0], "-o", tmp_path / "out")


def test_a_run_that_takes_no_time_is_refused(
    refused: Callable[..., str], results: list[Path]
) -> None:
    document = json.loads(results[0].read_text(encoding="utf-8"))
    run = document["rows"][0]["runs"][0]
    run["finish_ns"] = run["start_ns"]
    results[0].write_text(json.dumps(document), encoding="utf-8")
    assert "finish_ns must be after start_ns" in refused("report", results[0])


def test_every_line_of_a_chart_looks_different() -> None:
    """Also the 21 of paths between card, host and GPU: four charts, and no style twice in one."""
    kind, result = read_result((EVIDENCE / "pcie-transfers.json").read_bytes(), "pcie-transfers")
    *charts, _ = kind.page(result, "x").charts
    names: list[str] = []
    for chart in (chart.spec for chart in charts):
        line, point = (layer["encoding"] for layer in chart["layer"][:2])
        looks = [line["color"], line["strokeDash"], point["shape"]]
        names += line["color"]["scale"]["domain"]
        for at in (looks, looks[:2], looks[::2]):  # the line alone, and its points, suffice
            found = list(zip(*(map(str, one["scale"]["range"]) for one in at), strict=True))
            assert len(found) == len(set(found)) == len(line["color"]["scale"]["domain"]) <= 8
    assert len(charts) == 4
    assert len(names) == len(set(names)) == 21
    lines = {f"work {number}": [Point(4, 1.0, "")] for number in range(26)}
    assert [len(part) for part in parts(lines, "x").values()] == [25, 1]
