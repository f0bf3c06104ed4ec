# SPDX-License-Identifier: Apache-2.0
# mypy: disable-error-code="import-not-found,import-untyped,misc,no-any-return,unused-ignore"
# What `tools/setup docs` installs is not there where `make lint` checks types.
"""The documentation site, built and looked at in Chromium as a reader does: from files, in a wide
and a narrow window, in light and dark colours. `make test-full` runs it, or SLUICE_FULL=1."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tools.site import __main__ as site
from tools.site import links, navigation

if not os.environ.get("SLUICE_FULL"):
    pytest.skip("the site is built by make test-full", allow_module_level=True)
needed = (*site.PACKAGES, "axe_playwright_python", "playwright")
if missing := [name for name in needed if importlib.util.find_spec(name) is None]:
    pytest.skip(
        f"no {', '.join(missing)}: run tools/setup dev and tools/setup docs",
        allow_module_level=True,
    )

BROWSER = next(filter(None, map(shutil.which, ("chromium", "google-chrome"))), None)
PATIENCE_MS = 300_000  # of a busy machine
WIDE, NARROW = 1400, 390
# One of each kind of page.
KINDS = (
    "index.html",
    "tutorials/first-transfer.html",
    "howto/run-an-experiment.html",
    "reference/index.html",
    "reference/sluice.html",
    "reference/sluice.h.html",
    "reference/python.html",
    "reference/registers/sl_axi_dma.html",
    "man/sluice.4.html",
    "explanation/memory-model.html",
    "evidence/index.html",
    "evidence/experiments/index.html",
    "repository/CONTRIBUTING.html",
    "repository/rtl/dma/index.html",
    "repository/lib/examples/loopback.c.html",
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    assert site.build(folder) == 0
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    if BROWSER is None:
        pytest.skip("no Chromium or Chrome on the PATH (Debian: apt-get install chromium)")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield launched
        launched.close()


class Reader:
    """A window, and everything that the browser complained about or asked the network for."""

    def __init__(self, browser: Any, width: int, colours: str = "light") -> None:
        self.page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=colours)
        self.page.set_default_timeout(PATIENCE_MS)
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", self._note)
        self.page.on("request", lambda request: self.requests.append(request.url))

    def _note(self, said: Any) -> None:
        if said.type in ("error", "warning"):
            self.complaints.append(said.text)

    def open(self, path: Path) -> None:
        self.page.goto(path.as_uri())

    def accessibility(self) -> list[str]:
        """What axe finds serious or critical, with the first place of each."""
        from axe_playwright_python.sync_playwright import Axe

        # axe would read style sheets again, which pages from files may not.
        options = {"resultTypes": ["violations"], "preload": False}
        found = Axe().run(self.page, options=options).response["violations"]
        return [
            f"{one['id']}: {one['nodes'][0]['html']}"
            for one in found
            if one["impact"] in ("serious", "critical")
        ]

    def elsewhere(self) -> list[str]:
        return [url for url in self.requests if not url.startswith(("file:", "data:", "blob:"))]


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_pages_in_a_browser(built: Path, browser: Any, width: int, colours: str) -> None:
    reader = Reader(browser, width, colours)
    wrong: list[str] = []
    for kind in KINDS:
        reader.open(built / kind)
        overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        if reader.page.evaluate(overflow) > 0:
            wrong.append(f"{kind} is wider than the window")
        wrong += [f"{kind}: {finding}" for finding in reader.accessibility()]
    assert wrong == []
    assert reader.complaints == []
    assert reader.elsewhere() == []


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_search_finds_a_call_and_leads_to_it(built: Path, browser: Any, width: int) -> None:
    reader = Reader(browser, width)
    reader.open(built / "index.html")
    if width == NARROW:
        reader.page.click("label.md-header__button[for=__search]")
    reader.page.click(".md-search__input")
    reader.page.fill(".md-search__input", "sluice_channel_reap")
    reader.page.press(".md-search__input", "End")  # the page looks when a key comes up
    result = reader.page.locator(".md-search-result__link").first
    result.wait_for()
    assert reader.accessibility() == []
    result.click()
    reader.page.wait_for_url("**/reference/sluice.h.html**")
    assert reader.complaints == []
    assert reader.elsewhere() == []


def test_every_page_can_be_copied_from_and_is_named(built: Path, browser: Any) -> None:
    reader = Reader(browser, WIDE)
    reader.open(built / "howto/run-an-experiment.html")
    blocks = reader.page.locator("article .highlight").count()
    assert blocks > 5
    assert reader.page.locator("article .md-code__button").count() == blocks
    for page in navigation.of_configuration():
        html = page.removesuffix(".md").removesuffix("README") + ".html"
        name = html.removesuffix("/.html") + "/index.html" if html.endswith("/.html") else html
        assert (built / ("index.html" if name == ".html" else name)).is_file()


def test_a_link_that_leads_nowhere_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<h1 id="here">A</h1><a href="#here">a</a><a href="b.html#there">b</a>'
        '<a href="c.html">c</a>'
        '<a href="https://example.org/">d</a><img src="https://example.org/e.png"><a href=".">f</a>'
    )
    (tmp_path / "b.html").write_text("<h1>B</h1>")
    assert list(links.problems(tmp_path)) == [
        "a.html: b.html#there has no such place",
        "a.html: c.html is not there",
        "a.html: loads https://example.org/e.png",
        "a.html: . is a folder, which a page read from files cannot open",
    ]
