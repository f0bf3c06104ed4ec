# SPDX-License-Identifier: Apache-2.0
"""Sizes, numbers and checked tables."""

import re
from pathlib import Path
from typing import Any, Literal

import pytest

from sluice.errors import InputError, RunError
from sluice.labels import ports_label, row_label
from sluice.models import Distinct, Record, Size, Table, Text, Whole, checked, read_json, read_toml
from sluice.units import format_bytes, format_number, format_time_ns, parse_bytes


@pytest.mark.parametrize(
    ("text", "count"),
    [("0", 0), ("64", 64), ("64B", 64), ("64KiB", 65536), ("1 MiB", 1 << 20), ("2MB", 2_000_000)],
)
def test_sizes(text: str, count: int) -> None:
    assert parse_bytes(text) == count


@pytest.mark.parametrize("text", ["", "MiB", "-1", "1.5MiB", "1e6", "64 kib", "0x40", "٣"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(InputError, match="not a size"):
        parse_bytes(text)


def test_quantities_for_reading() -> None:
    assert [format_bytes(n) for n in (0, 1, 1536, 65536, 1 << 20, 3 << 30)] == [
        "0 B",
        "1 B",
        "1536 B",
        "64 KiB",
        "1 MiB",
        "3 GiB",
    ]
    assert [format_number(n) for n in (100, 100.0, 133.33)] == ["100", "100", "133.33"]
    assert [format_time_ns(n) for n in (0, 999.5, 2100)] == ["0 ns", "999.5 ns", "2.1 µs"]


def test_labels() -> None:
    assert ports_label(["HP0"]) == "HP0"
    assert ports_label(["HP0", "HP2"]) == "HP0,2"
    assert ports_label(["HP0", "ACP"]) == "HP0,ACP"
    assert row_label(64, "mm2s", ["HP1"]) == "64-bit PS to PL HP1"


class Inner(Table):
    """A table in a table."""

    k: Whole


class Everything(Table):
    """One field of each type."""

    text: Text = "t"
    n: Whole = 0
    x: float = 0.0
    flag: bool = False
    word: Literal["copy", "read"] = "copy"
    size: Size = 1
    several: Distinct[int] = (1,)
    sub: Inner = Inner(k=1)
    subs: tuple[Inner, ...] = ()


def test_a_document_of_the_right_types() -> None:
    found = checked(
        Everything,
        {
            "text": " t ",
            "n": 3,
            "x": 1,
            "flag": True,
            "word": "read",
            "size": "64KiB",
            "several": [2, 1],
            "sub": {"k": 1},
            "subs": [{"k": 2}],
        },
        "f",
    )
    assert (found.text, found.n, found.x, found.flag) == ("t", 3, 1.0, True)
    assert (found.word, found.size, found.several) == ("read", 1 << 16, (2, 1))
    assert (found.sub.k, found.subs[0].k) == (1, 2)


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("text", 3, "f: text: must be a text, is 3"),
        ("text", " ", "f: text: must be a text, is ' '"),
        ("n", 0.5, "f: n: must be a whole number, is 0.5"),
        ("n", True, "f: n: must be a whole number, is true"),
        ("n", -1, "f: n: must be at least 0, is -1"),
        ("x", "t", "f: x: must be a number, is 't'"),
        ("x", float("nan"), "f: x: must be a number, is nan"),
        ("x", None, "f: x: must be a number, is nothing"),
        ("flag", 3, "f: flag: must be true or false, is 3"),
        ("word", "fly", "f: word: 'fly' is not one of copy, read"),
        ("size", 64, 'f: size: must be a size such as "1MiB", is 64'),
        ("size", "0", "f: size: must be at least 1 byte"),
        ("several", [], "f: several: must be a list with entries, is an empty list"),
        ("several", {}, "f: several: must be a list with entries, is a table"),
        ("several", [1, 1], "f: several: holds 1 twice"),
        ("several", [1, "x" * 99], f"f: several[1]: must be a whole number, is '{'x' * 36}..."),
        ("sub", [], "f: sub: must be a table, is an empty list"),
        ("sub", {}, "f: sub.k: is missing"),
        ("subs", [{"k": 1}, 1], "f: subs[1]: must be a table, is 1"),
        ("subs", [{"k": 1, "{j}": 1}], "f: subs[0].{j}: unknown key; allowed here: k"),
    ],
)
def test_a_document_of_the_wrong_types(key: str, value: object, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        checked(Everything, {key: value}, "f")
    assert str(caught.value) == sentence


@pytest.mark.parametrize("document", [None, 3, [1]])
def test_a_document_that_is_no_table(document: Any) -> None:  # noqa: ANN401
    with pytest.raises(RunError, match=r"^bench: must be a table, is "):
        checked(Everything, document, "bench", RunError)


@pytest.mark.parametrize("text", ["[" * 100_000, "9" * 5000, "[" * 450 + "]" * 450])
def test_documents_beyond_what_is_read(tmp_path: Path, text: str) -> None:
    path = tmp_path / "f"
    path.write_text(f"n = {text}", encoding="utf-8")
    with pytest.raises(InputError, match=f"^{re.escape(str(path))}"):
        checked(Everything, read_toml(path), str(path))
    with pytest.raises(InputError, match=r"^f"):
        checked(Everything, read_json(f'{{"n": {text}}}', "f"), "f")


def test_a_programs_unknown_keys_are_ignored() -> None:
    class Answer(Record):
        k: int

    assert checked(Answer, {"k": 1, "later": 2}, "f").k == 1
