# SPDX-License-Identifier: Apache-2.0
# mypy: disable-error-code="import-not-found,import-untyped,misc,no-any-return,unused-ignore"
# What `tools/setup docs` installs is not there where `make lint` checks types.
"""What mkdocs.yml needs beside mkdocs: pages made of other sources than docs/, documents as
Python-Markdown reads them, links from page to page, and the register pages' navigation."""

from __future__ import annotations

import posixpath
import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tools.site import c_header, experiments, manual, navigation  # noqa: E402
from tools.site.commonmark import to_python_markdown  # noqa: E402
from tools.site.navigation import ELSEWHERE, HEADERS, PROJECT  # noqa: E402
from tools.site.repository import Repository, SiteError  # noqa: E402

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

# Before the heading, which is the page's title.
COMMENTS = re.compile(r"\A(?:\s*<!--.*?-->)+\s*", re.DOTALL)


class Site:
    """What the hooks share while the site is built."""

    def __init__(self) -> None:
        self.repository = Repository(ROOT, navigation.moved())
        self.results = experiments.read(ROOT)
        self.folder = tempfile.TemporaryDirectory(prefix="sluice-site-")
        self.report_folder = Path(self.folder.name) / "report"
        self.report = experiments.start_report(ROOT, self.report_folder)
        self.documents: dict[str, str] = {}  # what a page is made of, where docs/ has no such file

    def add(self, files: Files, config: MkDocsConfig, page: str, text: str) -> None:
        files.append(File.generated(config, page, content=text))

    def headers(self, files: Files, config: MkDocsConfig) -> None:
        known: dict[str, str] = {}
        for path, page in HEADERS.items():
            for name, anchor in c_header.names(
                c_header.Reader(self.repository.text(path), path).sections()
            ):
                known.setdefault(name, f"{posixpath.basename(page)}#{anchor}")
        for path, page in HEADERS.items():

            def document(target: str, page: str = page) -> str | None:
                there = self.repository.page(target)
                return there and posixpath.relpath(there, posixpath.dirname(page))

            source = f"{ELSEWHERE}/{path}.md"
            link = posixpath.relpath(source, posixpath.dirname(page))
            text = self.repository.text(path)
            self.add(files, config, page, c_header.to_markdown(text, path, link, known, document))
            self.add(files, config, source, self.repository.source(path))

    def elsewhere(self, files: Files, config: MkDocsConfig) -> None:
        """Files and folders outside docs/ that documents link to."""
        documents = [
            f"docs/{file.src_uri}"
            for file in files.documentation_pages()
            if file.generated_by is None
        ]
        linked = self.repository.linked([*documents, *PROJECT]) | set(PROJECT)
        for path in sorted(linked):
            page = self.repository.page(path)
            if page is None or path.startswith("docs/"):
                continue
            if path in self.repository.folders:
                document, text = self.repository.folder(path, linked)
                self.documents[page] = document
            elif path.endswith(".md"):
                text = self.repository.text(path)
                self.documents[page] = path
            else:
                text = self.repository.source(path)
            if files.get_file_from_path(page) is None:
                self.add(files, config, page, text)


_site: Site | None = None


def _of_build() -> Site:
    assert _site is not None
    return _site


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    global _site
    try:
        _site = Site()
    except SiteError as error:
        raise PluginError(str(error)) from error
    navigation.expand(config.nav)
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    site = _of_build()
    try:
        site.headers(files, config)
        site.elsewhere(files, config)
        names = navigation.manual_pages()
        for name in names:
            source = (ROOT / "docs" / "man" / name).read_text(encoding="utf-8")
            files.remove(files.src_uris[f"man/{name}"])
            text = manual.to_markdown(source, name, set(names))
            site.add(files, config, f"man/{name}.md", text)
        for path in sorted(navigation.PAGES.glob("*.md")):
            page = f"reference/{path.name}"
            site.documents[page] = str(path.relative_to(ROOT))
            site.add(files, config, page, path.read_text(encoding="utf-8"))
        for path in experiments.finish_report(site.report, site.results):
            page = f"evidence/experiments/report/{path.relative_to(site.report_folder).as_posix()}"
            files.append(File.generated(config, page, abs_src_path=str(path)))
        site.add(files, config, navigation.GALLERY, experiments.page(site.results))
    except SiteError as error:
        raise PluginError(str(error)) from error
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    site = _of_build()
    uri = page.file.src_uri
    if page.file.generated_by is not None and uri not in site.documents:
        return markdown  # it is written for the site
    document = site.documents.get(uri, f"docs/{uri}")
    if uri == "README.md":
        page.meta["hide"] = ["navigation"]  # it would be this page alone
    text = COMMENTS.sub("", markdown)
    return to_python_markdown(site.repository.with_links_of_the_site(document, uri, text))


def on_post_build(config: MkDocsConfig, **_: object) -> None:
    _of_build().folder.cleanup()
    # A server's page for an address that is not there: read from files, its links lead nowhere.
    (Path(config.site_dir) / "404.html").unlink()
