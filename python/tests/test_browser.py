# SPDX-License-Identifier: Apache-2.0
"""The report in headless Chromium: every chart drawn, nothing complained of, nothing loaded."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from browser import OVERFLOW, Browser, find_browser
from sluice.cli import command

PROGRAM = find_browser()
pytestmark = pytest.mark.skipif(
    PROGRAM is None, reason="no Chromium or Chrome on the PATH (Debian: apt-get install chromium)"
)

DRAWN = "document.documentElement.dataset.drawn"
# Of each chart: how wide it is, how many values answer, and how far one lies outside of it.
CHARTS = """[...document.querySelectorAll('.plot')].map(plot => {
  const box = plot.getBoundingClientRect();
  const marks = [...plot.querySelectorAll('.role-mark [aria-label]')];
  return {
    width: plot.querySelector('svg').getBoundingClientRect().width / box.width,
    marks: marks.length,
    said: marks.every(mark => mark.getAttribute('aria-label').includes('mean')),
    outside: Math.max(...marks.map(mark => mark.getBoundingClientRect().right)) - box.right,
  };
})"""
TIP = "document.getElementById('page:tip')"
# The columns of a table that are in sight without scrolling.
SEEN = """[...document.querySelectorAll('table')[0].querySelectorAll('thead th')]
  .filter(head => head.offsetWidth && head.getBoundingClientRect().right <= innerWidth)
  .map(head => head.textContent.split(' ')[0])"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory, recorded: list[Path]) -> Path:
    """Return a report about both experiments."""
    folder = tmp_path_factory.mktemp("report")
    assert command(["report", *map(str, recorded), "-o", str(folder)]) == 0
    return folder / "index.html"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Return a browser."""
    assert PROGRAM is not None
    with Browser(PROGRAM) as found:
        yield found


@pytest.mark.parametrize(("width", "dark"), [(1400, False), (390, True)])
def test_report(browser: Browser, page: Path, width: int, *, dark: bool) -> None:
    browser.requests.clear()
    browser.emulate(width=width, dark=dark)
    browser.open(page)
    browser.until(DRAWN)
    charts = browser.evaluate(CHARTS)
    assert [chart["marks"] for chart in charts] == [15, 15, 15, 15, 15, 19]
    for chart in charts:
        assert 0.9 < chart["width"] <= 1.01
        assert chart["said"]
        assert chart["outside"] < 12  # a circle to touch, around the last point
    assert browser.evaluate(OVERFLOW) <= 0
    seen = browser.evaluate(SEEN)
    assert {"Ports", "Mean", "Efficiency", "Limited", "Silicon", "Difference"} <= set(seen)
    assert ("Median" in seen) == (width > 1000)
    assert browser.inaccessible() == []
    assert [url for url in browser.requests if not url.startswith("data:")] == [page.as_uri()]
    assert browser.complaints == []


def test_keys_and_pointer(browser: Browser, page: Path) -> None:
    browser.emulate(width=1400, dark=False)
    browser.open(page)
    browser.until(DRAWN)
    browser.page.locator(".plot").first.focus()
    assert browser.evaluate(f"{TIP}.hidden")
    browser.press("ArrowRight")
    first = browser.evaluate(f"{TIP}.textContent")
    assert "32-bit duplex HP0, 1 MiB blocks" in first
    assert "Limited by" in first
    assert browser.evaluate("document.getElementById('page:said').textContent") == first
    browser.press("End")
    assert "32-bit PL to PS HP0,1,2,3" in browser.evaluate(f"{TIP}.textContent")
    browser.press("Escape")
    assert browser.evaluate(f"{TIP}.hidden")
    browser.page.locator("#zynq7010-hp-64bit-difference .role-mark [aria-label]").nth(1).hover()
    assert "Silicon: 2236.1 MB/s" in browser.evaluate(f"{TIP}.textContent")
    # Its head stays in sight, and its explanations open without a pointer.
    browser.evaluate("document.getElementById('zynq7010-hp-rows-4').scrollIntoView()")
    browser.until("document.querySelector('thead th').getBoundingClientRect().top === 0")
    browser.page.locator("summary").first.focus()
    browser.press("Enter")
    assert browser.page.get_by_text("Mean of the runs").first.is_visible()
    assert browser.complaints == []


def test_the_test_would_notice(browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "bad.html"
    page.write_text(
        "<!DOCTYPE html><title>x</title><img src='gone.png'><script>undefined_name()</script>",
        encoding="utf-8",
    )
    browser.open(page)
    found = " ".join(browser.complaints)
    browser.complaints.clear()
    assert "undefined_name" in found
    assert any(url.endswith("gone.png") for url in browser.requests)
    assert any("gone.png" in one for one in browser.inaccessible())
