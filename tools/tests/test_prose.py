# SPDX-License-Identifier: Apache-2.0
"""The reader of tools/prose: what it takes out of each kind of file, and what its rules find."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.prose import __main__ as prose
from tools.prose.texts import texts

MARKDOWN = """# A heading
One paragraph
in two lines, with `code; that: is` not read and a [link](has;no:text).
- an item

| a cell | stands |
```
this stands in code
```
"""

HEADER = """/**
 * struct one - A structure
 * @size: its size
 *\tin bytes
 *
 * A paragraph::
 *
 *\tcode = stands;
 *
 *  - EIO: an item
 */
int code; /* behind a member */
"""

CPP = r"""
// a comment that stands here
throw Error("'" + name + "' is not a number; "
            "give one \"in\" bytes");
char c = '"'; puts(R"(Raw words that are read)"); puts("too short");
"""

PYTHON = '''"""A docstring that stands here is not read."""
raise Error(f"{name} stands in no list " "of the board")
'''


PUBLIC = '''"""A module.

    code = "of an example"

More.
"""

class Public:
    """A class
    with `code`."""

    field: int  # a comment that
                     # goes on
    _own: int  # not this

    def call(self):
        """Return it.

        Args:
            size: Size of it,
                in bytes.
        Raises:
            OSError: If it fails.

        The end.
        """

    def _hidden(self):
        """Not this."""
'''


@pytest.mark.parametrize(
    ("name", "source", "expected"),
    [
        (
            "sluice/io/a.py",
            PUBLIC,
            [
                (1, "A module."),
                (5, "More."),
                (9, "A class with CODE."),
                (12, "a comment that goes on"),
                (17, "Return it."),
                (20, "Size of it, in bytes."),
                (23, "If it fails."),
                (25, "The end."),
            ],
        ),
        (
            "a.md",
            MARKDOWN,
            [
                (1, "# A heading"),
                (2, "One paragraph in two lines, with CODE not read and a [link]."),
                (4, "- an item"),
                (6, "a cell"),
                (6, "stands"),
            ],
        ),
        (
            "include/a.h",
            HEADER,
            [
                (2, "struct one - A structure"),
                (3, "its size in bytes"),
                (6, "A paragraph::"),
                (10, "an item"),
                (12, "behind a member"),
            ],
        ),
        (
            "a.cpp",
            CPP,
            [(3, '\' is not a number; give one "in" bytes'), (5, "Raw words that are read")],
        ),
        ("a.py", PYTHON, [(2, "X stands in no list of the board")]),
    ],
)
def test_text_of_a_file(
    tmp_path: Path, name: str, source: str, expected: list[tuple[int, str]]
) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(source, encoding="utf-8")
    assert [(line, text.strip()) for line, text in texts(path)] == expected


LONG = " ".join(["word"] * 26) + "."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Nothing is lost without being told.", ["Words"]),
        ("It stands here; a stand-in stands for it.", ["Words"]),
        ("The driver lets go of it and gives back the rest.", ["Terms", "Terms"]),
        (LONG, ["Length"]),
        (" ".join(["word"] * 25) + ". " + " ".join(["Word"] * 25) + ".", []),
        ("One: two; three.", ["Colons"]),
        ("At 10:30, one: two. Three: four.", []),
    ],
)
def test_what_rules_find(text: str, expected: list[str]) -> None:
    assert sorted(rule.name for rule in prose.RULES for _ in rule.findings(text)) == expected


def test_a_term_is_named(tmp_path: Path) -> None:
    (terms,) = (rule for rule in prose.RULES if rule.name == "Terms")
    assert list(terms.findings("was written over")) == [
        "Use 'overwrite' instead of 'written over'."
    ]


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        ("It is told.\n", 1, "README.md:1: Words: 'told': say it in plain technical English"),
        ("It is reported.\n", 0, ""),
    ],
)
def test_a_finding_fails(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    text: str,
    status: int,
    said: str,
) -> None:
    (tmp_path / "README.md").write_text(text, encoding="utf-8")
    monkeypatch.setattr(prose, "ROOT", tmp_path)
    monkeypatch.setattr(prose, "user_facing", lambda: ["README.md"])
    monkeypatch.setattr("sys.argv", ["prose"])
    assert prose.main() == status
    assert capsys.readouterr().out.startswith(said)


def test_a_path_may_be_written_in_any_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "page.md").write_text("It is told.\n", encoding="utf-8")
    monkeypatch.setattr(prose, "ROOT", tmp_path)
    monkeypatch.setattr(prose, "user_facing", lambda: ["docs/page.md"])
    printed = []
    for path in ("docs", "./docs", str(tmp_path / "docs")):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("sys.argv", ["prose", path])
        assert prose.main() == 1
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1] == printed[2]


def test_a_path_without_text_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["prose", "nosuch"])
    with pytest.raises(SystemExit) as exited:
        prose.main()
    assert exited.value.code == 2
    assert "no file that users read is in nosuch" in capsys.readouterr().err
