# SPDX-License-Identifier: Apache-2.0
"""`sluice report`: the files it writes, what the page says, and what it refuses."""

import json
import re
import shutil
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from PIL import Image

from calling import Sluice

PNGS = ["zynq7010-hp-32bit.png", "zynq7010-hp-64bit.png", "zynq7010-streamsize-64bit.png"]


@pytest.fixture
def results(recorded: list[Path], tmp_path: Path) -> list[Path]:
    """Return the results of both experiments, to change as a test likes."""
    return [Path(shutil.copy(path, tmp_path)) for path in recorded]


class Outline(HTMLParser):
    """The tags of a page, checked for being closed in order, and what they refer to."""

    void = ("meta", "link", "br")

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


def test_page_and_pictures(sluice: Sluice, results: list[Path], tmp_path: Path) -> None:
    done = sluice("report", *results, "-o", tmp_path / "a" / "b")
    assert done.status == 0
    folder = tmp_path / "a" / "b"
    assert done.out.split() == [str(folder / name) for name in ("index.html", *PNGS)]
    assert sorted(path.name for path in folder.iterdir()) == ["index.html", *PNGS]
    for name in PNGS:
        with Image.open(folder / name) as picture:
            assert picture.width == 1664
            colours = picture.convert("RGB").getcolors(1 << 24)
            assert colours is not None
            assert len(colours) > 50
    page = outline(folder / "index.html")
    assert page.count["svg"] == 3
    assert page.count["table"] == 2
    assert page.count["tr"] == 2 + 6 + 30 + 1 + 19
    assert len(page.ids) == len(set(page.ids))
    for link in page.links:
        assert link == "data:," or link.removeprefix("#") in page.ids
    text = (folder / "index.html").read_text(encoding="utf-8")
    assert "http://" not in re.sub(r'xmlns(:\w+)?="[^"]*"', "", text)
    assert "#fe01" not in text  # every marker colour became a variable
    for words in (
        "3197.6",
        "Vieira",
        "simulated time",
        "1 MiB",
        "--full takes a longer one",
        "sluice run zynq7010-hp --runs 2",
        "sluice-bench 0.0.0-fake",
        "on silicon above 1440 MB/s",
        "Placement",
    ):
        assert words in text


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
    assert (tmp_path / "zynq7010-streamsize-1-64bit.png").is_file()
    assert (tmp_path / "zynq7010-streamsize-2-64bit.png").is_file()


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
    assert "script" not in page.count
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
    assert outline(tmp_path / "e.html").count.get("svg") is None


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
    done = sluice("report", results[0], "-o", tmp_path / "s.html")
    assert done.out.split() == [
        str(tmp_path / name) for name in ("s.html", "zynq7010-hp-by-width.png")
    ]
    text = (tmp_path / "s.html").read_text(encoding="utf-8")
    marks = re.findall(r'<g id="[^"]*mark\d+"[^>]*>.*?<path d="M ([\d.]+) ', text, re.DOTALL)
    assert len(marks) == 18
    assert len(set(marks)) == 18
    assert "buffers staggered by 4 KiB" in text
    assert "Difference" not in text  # nothing published, no columns for it


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
    ids = re.findall(r'aria-labelledby="(\S+) (\S+)"', page)
    assert ids
    assert all(f'id="{one}"' in page for pair in ids for one in pair)
