# SPDX-License-Identifier: Apache-2.0
"""What the site's pages are made of: documents, links, manual pages and C headers."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from tools.site import experiments, manual, navigation
from tools.site.commonmark import to_python_markdown
from tools.site.repository import Repository, SiteError

HEADER = """\
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libthing - do things.
 *
 * Errors    -errno, as thing_do()
 *           says.
 */
#ifndef THING_H
#define THING_H
#if defined(__GNUC__)
#define THING_API __attribute__((x))
#else
#define THING_API
#endif

#define THING_MAX 3 /* most things */

/* --- doing ------- */

struct thing {
    int count; /* of things,
                  at most THING_MAX */
};

/* Do a thing. -EINVAL: there is none. */
THING_API int thing_do(struct thing *thing);
#endif
"""


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ("text\n- a\n  more\n- b", "text\n\n- a\n    more\n- b"),
        ("1. a\n\n   ```\n   x\n   ```\n   b", "1. a\n\n    ```\n    x\n    ```\n\n    b"),
        ("- a\n  - b\n    c", "- a\n    - b\n        c"),
        ("- a\n\n  b\n- c\n- d", "- a\n\n    b\n\n- c\n- d"),
        (
            "1. a\n   ```\n   ```\n   b\n2. c",
            "1. a\n\n    ```\n    ```\n\n    b\n\n2. c",
        ),
        (
            "text\n\n| a |\n|---|\n| `x\\|y` \\| z |\nend",
            "text\n\n| a |\n|---|\n| `x|y` \\| z |\nend",
        ),
    ],
)
def test_documents_for_python_markdown(document: str, expected: str) -> None:
    assert to_python_markdown(document) == expected


def test_links_lead_to_pages_of_the_site() -> None:
    repository = Repository(navigation.ROOT, navigation.moved())
    text = "[a](../../rtl/dma) [b](../../lib/include/sluice.h#x) [c](sweep.md#y) [d](https://e.f)"
    assert repository.with_links_of_the_site("docs/howto/a.md", "howto/a.md", text) == (
        "[a](../repository/rtl/dma/README.md) [b](../reference/sluice.h.md#x) [c](sweep.md#y) "
        "[d](https://e.f)"
    )
    code = "```\n[a](../../rtl/dma)\n```"
    assert repository.with_links_of_the_site("docs/howto/a.md", "howto/a.md", code) == code


def test_a_folder_without_git_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SiteError, match=r"git ls-files in .*: fatal: not a git repository"):
        Repository(tmp_path, {})


def test_a_result_without_its_command_is_refused(tmp_path: Path) -> None:
    (tmp_path / experiments.FOLDER).mkdir(parents=True)
    (tmp_path / experiments.FOLDER / "new.json").write_text("{}")
    with pytest.raises(SiteError, match=r"new.json names no command that made it: add it to"):
        experiments.read(tmp_path)


def test_manual_pages() -> None:
    source = ".TH A 2\n.SH NAME\na \\- b_c\n.TP\n.I x\n\\fBEIO\\fP or\n.BR sluice (4),\nd\n"
    assert manual.to_markdown(source, "a.2", {"sluice.4"}).split("\n") == [
        "# a(2)", "", "## Name", "", "a - b\\_c", "", "`x`",
        ":   `EIO` or [`sluice(4)`](sluice.4.md), d", "",
    ]  # fmt: skip
    with pytest.raises(ValueError, match=r"a manual page has \.EX, which the site does not show"):
        manual.to_markdown(".EX\n", "a.2", set())


@pytest.mark.skipif(
    importlib.util.find_spec("tree_sitter") is None, reason="no tree_sitter: run tools/setup docs"
)
def test_headers() -> None:
    from tools.site import c_header

    page = c_header.to_markdown(HEADER, "a/thing.h", "../thing", {}, lambda _: None)
    for expected in (
        "# thing.h: libthing\n\nDo things.\n",
        "`Errors`\n:   -errno, as [`thing_do()`](#thing_do) says.",
        "### `THING_MAX` { #THING_MAX }",
        "`THING_MAX`\n:   most things",
        "## Doing\n\n### `thing` { #thing }\n\n```c\nstruct thing {\n    int count;\n};\n```",
        "| `count` | of things, at most [`THING_MAX`](#THING_MAX) |",
        "### `thing_do()` { #thing_do }\n\n```c\nint thing_do(struct thing *thing);\n```\n\n"
        "Do a thing. `-EINVAL`: there is none.",
    ):
        assert expected in page
    with pytest.raises(SiteError, match=r"thing.h:\d+: tree-sitter does not read this as C"):
        c_header.Reader("#ifndef A\n#define A\nint x = ;;) {\n#endif\n", "thing.h")
