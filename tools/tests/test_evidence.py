# SPDX-License-Identifier: Apache-2.0
"""tools/evidence.py: counting, keeping part by part, and the page."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tools import evidence
from tools.evidence import Part, Run

JUNIT = """<testsuites><testsuite>
<testcase name="a"/><testcase name="b"/>
<testcase name="c"><failure message="no"/></testcase><testcase name="d"><error/></testcase>
<testcase name="e"><skipped message="no browser"/></testcase>
</testsuite></testsuites>"""


def test_counts(tmp_path: Path) -> None:
    file = tmp_path / "junit.xml"
    file.write_text(JUNIT)
    run = Run(1, sweeps=True)
    assert run.add_junit(file) == Counter({"no browser": 1})
    assert (run.passed, run.failed, run.skipped, run.total) == (2, 2, 1, 5)


@pytest.mark.parametrize("text", [None, "<testsuites>"])
def test_a_file_that_is_not_there_or_broken_is_a_failure(tmp_path: Path, text: str | None) -> None:
    file = tmp_path / "junit.xml"
    if text is not None:
        file.write_text(text)
    run = Run(1, sweeps=False)
    assert not run.add_junit(file)
    assert (run.passed, run.failed) == (0, 1)


def test_keeps_the_skips_of_the_sweeps_and_the_guests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evidence, "BOOTED", tmp_path / "booted")
    part = evidence.begin("driver")
    evidence.BOOTED.write_text("arm64 6.1.170\narm64-debug 6.12.107\narm64 6.1.170\n")
    evidence.end_run(
        part,
        Run(1, True, passed=5, skipped=1),
        Counter({"no browser: this machine says why; at length": 1}),
    )
    evidence.end_run(part, Run(2, False, passed=4, skipped=2), Counter({"without sweeps": 2}))
    part.write(tmp_path)
    (kept,) = evidence.read(tmp_path)
    assert kept == part
    assert kept.guests == {"arm64 6.1.170": 2, "arm64-debug 6.12.107": 1}
    assert kept.skipped == {"no browser": 1}
    page = evidence.page([kept])
    assert "| 1 with sweeps, 2 | 9 | 0 | 3 |" in page
    assert "| driver | arm64 | 6.1.170 | 2 |" in page
    assert "| driver | no browser | 1 |" in page


def test_every_test_is_in_one_part() -> None:
    parts = evidence.parts()
    files = [
        str(file.relative_to(evidence.ROOT))
        for folder in ("python", "tools", "rtl", "cosim", "driver")
        for file in (evidence.ROOT / folder).rglob("test_*.py")
        if "tests" in file.parts
    ]
    for file in files:
        in_parts = [
            name
            for name, paths in parts.items()
            if any(file == p or file.startswith(f"{p}/") for p in paths)
        ]
        assert len(in_parts) == 1, (file, in_parts)


def test_selects_parts() -> None:
    parts = evidence.parts()
    assert evidence.selected(parts, None) == parts
    assert list(evidence.selected(parts, "rtl/sg")) == ["rtl/sg"]
    assert set(evidence.selected(parts, "rtl")) == {n for n in parts if n.startswith("rtl/")}
    assert list(evidence.selected(parts, "driver/tests/test_faults.py")) == ["driver/test_faults"]
    assert list(evidence.selected(parts, "native")) == ["native"]
    assert not evidence.selected(parts, "test_random")
    assert evidence.is_seeded("rtl/sg") and not evidence.is_seeded("driver/test_faults")


def test_goes_on_after_what_this_commit_has_passed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evidence, "RESULTS", tmp_path)
    Part("rtl/sg", commit="1234", runs=[Run(1, True, passed=3)]).write(tmp_path)
    Part("rtl/axi", commit="1234", runs=[Run(1, True, passed=3, failed=1)]).write(tmp_path)
    Part("rtl/dma", commit="1234-dirty", runs=[Run(1, True, passed=3)]).write(tmp_path)
    found = evidence.passed(Part("rtl/sg", commit="1234"))
    assert found is not None and found.runs[0].passed == 3
    assert evidence.passed(Part("rtl/sg", commit="1235")) is None
    assert evidence.passed(Part("rtl/axi", commit="1234")) is None
    assert evidence.passed(Part("rtl/dma", commit="1234-dirty")) is None
    assert evidence.passed(Part("rtl/mover", commit="1234")) is None


def test_a_part_replaces_itself_alone(tmp_path: Path) -> None:
    Part("rtl", runs=[Run(1, True, passed=1)]).write(tmp_path)
    Part("driver", runs=[Run(1, True, passed=2)]).write(tmp_path)
    Part("rtl", runs=[Run(1, True, passed=3)]).write(tmp_path)
    assert {part.part: part.runs[0].passed for part in evidence.read(tmp_path)} == {
        "rtl": 3,
        "driver": 2,
    }


def test_a_part_that_is_gone_is_named_and_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    results, kept = tmp_path / "results", tmp_path / "kept"
    part = next(iter(evidence.parts()))
    Part(part, "abc", "2026-01-01").write(results)
    for name in (part, "gone/before"):
        Part(name, "abc", "2026-01-01").write(kept)
    (kept / "README.md").write_text(evidence.page(evidence.read(kept)))
    monkeypatch.setattr(evidence, "RESULTS", results)
    monkeypatch.setattr(evidence, "KEPT", kept)
    monkeypatch.setattr(evidence, "PAGE", kept / "README.md")
    monkeypatch.setattr("sys.argv", ["evidence", "--check"])
    assert evidence.main() == 1
    assert "gone/before: no such part" in capsys.readouterr().out
    monkeypatch.setattr("sys.argv", ["evidence"])
    assert evidence.main() == 0
    assert [found.part for found in evidence.read(kept)] == [part]
    monkeypatch.setattr("sys.argv", ["evidence", "--check"])
    assert evidence.main() == 0
