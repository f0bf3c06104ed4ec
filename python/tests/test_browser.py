# SPDX-License-Identifier: Apache-2.0
"""The report in headless Chromium: nothing complained of, nothing loaded, every plot drawn."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from browser import CONTRAST, OVERFLOW, Browser, find_browser
from sluice.cli import command

PROGRAM = find_browser()
pytestmark = pytest.mark.skipif(
    PROGRAM is None, reason="no Chromium or Chrome on the PATH (Debian: apt-get install chromium)"
)

PLOTS = """[...document.querySelectorAll('figure svg')].map(svg => ({
  width: svg.getBoundingClientRect().width,
  height: svg.getBoundingClientRect().height,
  role: svg.getAttribute('role'),
  named: svg.getAttribute('aria-labelledby').split(' ')
    .every(id => document.getElementById(id).textContent.length > 5),
  marks: [...svg.querySelectorAll('.mark')].map(mark => {
    const box = mark.getBBox();
    return {
      area: box.width * box.height,
      tip: mark.querySelector('title').textContent,
      inside: mark.getBoundingClientRect().right <= svg.getBoundingClientRect().right + 1,
    };
  }),
  texts: [...svg.querySelectorAll('text')].filter(t => t.getBBox().width > 0).length,
}))"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory, recorded: list[Path]) -> Path:
    """Return a report about both experiments."""
    folder = tmp_path_factory.mktemp("report")
    assert command(["report", *map(str, recorded), "-o", str(folder)]) == 0
    return folder / "index.html"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Return a browser with a profile of its own."""
    assert PROGRAM is not None
    with Browser(PROGRAM, tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_report(browser: Browser, page: Path, width: int, *, dark: bool) -> None:
    browser.requests.clear()
    browser.emulate(width=width, dark=dark)
    browser.open(page)
    plots = browser.evaluate(PLOTS)
    assert [len(plot["marks"]) for plot in plots] == [15, 15, 19]
    for plot in plots:
        assert plot["width"] > 300
        assert plot["height"] > 100
        assert plot["role"] == "img"
        assert plot["named"]
        assert plot["texts"] > 15
        for mark in plot["marks"]:
            assert mark["area"] > 0
            assert mark["inside"]
            assert "mean" in mark["tip"]
    assert browser.evaluate(OVERFLOW) <= 0  # only plots and tables scroll sideways
    assert browser.evaluate(CONTRAST)[0] >= 4.5
    assert [url for url in browser.requests if not url.startswith(("file:", "data:"))] == []
    assert len([url for url in browser.requests if url.startswith("file:")]) == 1
    assert browser.complaints == []


def test_the_test_would_notice(browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "bad.html"
    page.write_text(
        "<!DOCTYPE html><title>x</title><img src='gone.png'><script>undefined_name()</script>",
        encoding="utf-8",
    )
    before = len(browser.complaints)
    browser.open(page)
    found = " ".join(browser.complaints[before:])
    del browser.complaints[before:]
    assert "undefined_name" in found
    assert any(url.endswith("gone.png") for url in browser.requests)
